/* One source, one object per precision: the Makefile compiles every file of the slot folders once
 * per header in solvers/precision/, with that header included first. NB(name) is the name in the
 * present precision, such as nb_bsr_f32.
 *
 * Such a header names the precision as its file is named, gives the types of state, matrices and sums, each float
 * or double in any combination, and what sizeof does not tell the preprocessor. Tolerances follow from
 * NB_UNIT_ROUNDOFF, which is that of the coarser of state and matrices. */
#ifndef NB_PRECISION_H
#define NB_PRECISION_H

#ifndef NB_PRECISION
#error "compile this file with -include solvers/precision/<name>.h"
#endif

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "problems/base/both.h"

/* The name is pasted as it stands, so that a header may give it a short form, #define nb_foo NB(nb_foo), and
 * NB(nb_foo) still means the same. NB_OF takes a macro that names something. */
#define NB_JOIN_(a, b) a##b
#define NB_JOIN(a, b) NB_JOIN_(a, b)
#define NB(name) NB_JOIN(name##_, NB_PRECISION)
#define NB_OF(macro) NB(macro)
#define NB_TEXT_(a) #a
#define NB_TEXT(a) NB_TEXT_(a)

/* Type-generic mathematics in the state's precision: no silent detour through double. */
NB_BOTH nb_real NB(nb_sqrt)(nb_real x)
{
    return sizeof(nb_real) == sizeof(float) ? (nb_real)sqrtf((float)x) : (nb_real)sqrt((double)x);
}
NB_BOTH nb_real NB(nb_atan2)(nb_real y, nb_real x)
{
    return sizeof(nb_real) == sizeof(float) ? (nb_real)atan2f((float)y, (float)x)
                                            : (nb_real)atan2((double)y, (double)x);
}
NB_BOTH nb_real NB(nb_abs)(nb_real x) { return x < 0 ? -x : x; }
NB_BOTH nb_real NB(nb_max)(nb_real a, nb_real b) { return a > b ? a : b; }
NB_BOTH nb_real NB(nb_min)(nb_real a, nb_real b) { return a < b ? a : b; }

/* Smallest normal number of the state's type: below it numbers lose digits. */
#define NB_LEAST_NORMAL (sizeof(nb_real) == sizeof(float) ? (nb_real)FLT_MIN : (nb_real)DBL_MIN)

#define nb_sqrt NB(nb_sqrt)
#define nb_atan2 NB(nb_atan2)
#define nb_abs NB(nb_abs)
#define nb_max NB(nb_max)
#define nb_min NB(nb_min)
#define NB_REAL(x) ((nb_real)(x))

static_assert(NB_REAL_BYTES == sizeof(nb_real), "solvers/precision/: NB_REAL_BYTES is not the size of nb_real");
static_assert(NB_UNIT_ROUNDOFF >= (sizeof(nb_real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON) / 2,
              "solvers/precision/: NB_UNIT_ROUNDOFF is below what nb_real rounds to");
static_assert(NB_UNIT_ROUNDOFF >= (sizeof(nb_matrix) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON) / 2,
              "solvers/precision/: NB_UNIT_ROUNDOFF is below what nb_matrix rounds to");

#endif
