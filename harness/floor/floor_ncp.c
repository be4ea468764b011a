/* The NCP functions a second time, in double, in the forms that do not cancel
 * (docs/design.md, section 2; Macklin et al. 2019, equations 18, 23 to 27, 35 and appendix A with the errata
 * in section 3 there). */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "harness/floor/floor_private.h"

/* The denominator of Gamma reaches zero far outside the cone, where Gamma must be large and finite. */
static double positive(double denominator, double slip, double limit, double r)
{
    return fmax(denominator, DBL_EPSILON * (limit + slip / r));
}

static void minimum_map(double a, double b, double *phi, double *dphi_da, double *dphi_db)
{
    const int active = a <= b;
    *phi = active ? a : b;
    *dphi_da = active;
    *dphi_db = !active;
}

static double minimum_map_friction(double slip, double force, double limit, double r)
{
    const double room = r * (limit - force);
    return slip <= room ? 0 : (slip - room) / limit;
}

/* 1 - a / s with s = |(a, b)|. */
static double one_minus_cosine(double a, double b, double s)
{
    return a > 0 ? b / s * (b / (s + a)) : 1 - a / s;
}

static void fischer_burmeister(double a, double b, double *phi, double *dphi_da, double *dphi_db)
{
    const double s = hypot(a, b);
    if (s == 0) {
        *phi = 0;
        *dphi_da = 0;
        *dphi_db = 1;
        return;
    }
    *phi = a + b > 0 ? 2 * a * (b / (a + b + s)) : a + b - s;
    *dphi_da = one_minus_cosine(a, b, s);
    *dphi_db = one_minus_cosine(b, a, s);
}

/* Gamma = (s - psi) / (|lambda_f| + psi / r), s - psi = sqrt(s^2 + rho^2) - rho. */
static double fischer_burmeister_friction(double slip, double force, double limit, double r)
{
    const double room = r * (limit - force), length = hypot(slip, room);
    double psi, unused[2];
    fischer_burmeister(slip, room, &psi, &unused[0], &unused[1]);
    const double excess = room > 0 ? slip * (slip / (length + room)) : length - room;
    return excess / positive(force + psi / r, slip, limit, r);
}

static const struct nb_floor_ncp functions[] = {
    {"min", minimum_map, minimum_map_friction},
    {"fb", fischer_burmeister, fischer_burmeister_friction},
};

const struct nb_floor_ncp *nb_floor_find_ncp(const char *name)
{
    for (size_t k = 0; k < sizeof functions / sizeof *functions; ++k)
        if (strcmp(functions[k].name, name) == 0)
            return &functions[k];
    return NULL;
}
