/* Principal stretches of a 3x3 matrix, and eigenvalues of a symmetric one, in this precision. Any
 * finite matrix will do: regular, reflecting, flat or zero. Private to problems/model. */
#ifndef NB_MODEL_STRETCH_H
#define NB_MODEL_STRETCH_H

#include "solvers/precision.h"

/* F = sum_i s_i u_i v_i^T with s_1 >= s_2 >= |s_3|, s_3 of the sign of det F, and (u_i), (v_i)
 * right-handed. */
struct NB(nb_stretch) {
    nb_real value[3];  /* s_i          */
    nb_real left[9];   /* row i is u_i */
    nb_real right[9];  /* row i is v_i */
};
void NB(nb_stretch_of)(const nb_real *f, struct NB(nb_stretch) *out);

/* A = sum_i e_i v_i v_i^T for symmetric A [9]; row i of v is v_i. */
void NB(nb_symmetric_eigen)(const nb_real *a, nb_real *e, nb_real *v);

#endif
