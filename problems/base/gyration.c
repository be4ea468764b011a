/* Solves G(omega) = I (omega - omega-) + h/2 omega x (I omega + l) = 0 (gyration.h) by Newton's method with a line
 * search. Explicit Euler's step is taken as it is where it solves the equation to rounding, as it does without
 * torque.
 *
 * With any vector m in the place of I omega within the bracket the equation is linear,
 * (I - h/2 [m + l]) omega = l, always solvable since the symmetric part of the matrix is I, and energy does not grow.
 * Newton begins with the solution for m = l, and where it fails the one for its last m is the result. */
#include "problems/base/gyration.h"

#include <float.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"

enum { ITERATIONS = 40, HALVINGS = 20 };

/* In any frame. */
struct gyration {
    const double *inertia;
    double half;      /* h/2          */
    double spin[3];   /* l            */
    double rounding;  /* of G         */
};

/* A x = b by Gaussian elimination with row pivoting; A [9] and b [3] are overwritten, x may be b. Returns 1 where A
 * is singular. */
static int solve(double *a, double *b)
{
    for (int k = 0; k < 3; ++k) {
        int pivot = k;
        for (int i = k + 1; i < 3; ++i)
            pivot = fabs(a[3 * i + k]) > fabs(a[3 * pivot + k]) ? i : pivot;
        if (!(fabs(a[3 * pivot + k]) > 0))
            return 1;
        for (int j = 0; j < 3 && pivot != k; ++j) {
            const double swap = a[3 * k + j];
            a[3 * k + j] = a[3 * pivot + j];
            a[3 * pivot + j] = swap;
        }
        const double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = k + 1; i < 3; ++i) {
            const double factor = a[3 * i + k] / a[3 * k + k];
            for (int j = k; j < 3; ++j)
                a[3 * i + j] -= factor * a[3 * k + j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = 2; i >= 0; --i) {
        for (int j = i + 1; j < 3; ++j)
            b[i] -= a[3 * i + j] * b[j];
        b[i] /= a[4 * i];
    }
    return 0;
}

/* A += s [x], the matrix of the cross product. */
static void add_cross(double *a, double s, const double *x)
{
    const double cross[9] = {0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0};
    for (int k = 0; k < 9; ++k)
        a[k] += s * cross[k];
}

/* G, and its norm. */
static double residual(const struct gyration *g, const double *omega, double *out)
{
    double momentum[3], sum[3], torque[3];
    nb_rotate(g->inertia, omega, momentum);
    nb_add_scaled3(momentum, 1, g->spin, sum);
    nb_cross3(omega, sum, torque);
    nb_subtract3(momentum, g->spin, out);
    nb_add_scaled3(out, g->half, torque, out);
    return nb_norm3(out);
}

static int is_solved(const struct gyration *g, const double *omega, double norm)
{
    return norm <= g->rounding * (1 + g->half * nb_norm3(omega));
}

/* omega of the linear equation with m = I omega. */
static int solve_linear(const struct gyration *g, double *omega)
{
    double a[9], momentum[3];
    nb_rotate(g->inertia, omega, momentum);
    memcpy(a, g->inertia, sizeof a);
    add_cross(a, -g->half, momentum);
    add_cross(a, -g->half, g->spin);
    memcpy(omega, g->spin, sizeof g->spin);
    return solve(a, omega);
}

/* [x] I */
static void cross_inertia(const double *x, const double *inertia, double *out)
{
    for (int j = 0; j < 3; ++j) {
        const double column[3] = {inertia[j], inertia[3 + j], inertia[6 + j]};
        double cross[3];
        nb_cross3(x, column, cross);
        for (int i = 0; i < 3; ++i)
            out[3 * i + j] = cross[i];
    }
}

/* dG = I + h/2 ([omega] I - [I omega] - [l]). */
static int newton_direction(const struct gyration *g, const double *omega, double *direction)
{
    double a[9], momentum[3], cross[9];
    nb_rotate(g->inertia, omega, momentum);
    memcpy(a, g->inertia, sizeof a);
    add_cross(a, -g->half, momentum);
    add_cross(a, -g->half, g->spin);
    cross_inertia(omega, g->inertia, cross);
    for (int k = 0; k < 9; ++k)
        a[k] += g->half * cross[k];
    return solve(a, direction);
}

/* Returns 1 where it finds no solution. */
static int newton(const struct gyration *g, double *omega)
{
    double out[3], norm = residual(g, omega, out);
    for (int i = 0; i < ITERATIONS && !is_solved(g, omega, norm); ++i) {
        double step = 1, trial[3], least = norm;
        if (newton_direction(g, omega, out))
            return 1;
        double direction[3] = {-out[0], -out[1], -out[2]};
        for (int k = 0; k < HALVINGS; ++k, step /= 2) {
            nb_add_scaled3(omega, step, direction, trial);
            least = residual(g, trial, out);
            if (least < norm)
                break;
        }
        if (!(least < norm)) /* at the limit of rounding, or at a minimum that is no solution */
            break;
        memcpy(omega, trial, sizeof trial);
        norm = least;
    }
    return !(norm <= sqrt(DBL_EPSILON) * nb_norm3(g->spin));
}

/* omega = omega- + h I^-1 (l x omega-), where that solves the equation to rounding: 0 if so, -1 if not, 1 where I is
 * not positive definite. In the world frame, where M is. */
static int gyrate_explicitly(const double *rotation, const double *inertia, double time_step, const double *omega,
                             double *out)
{
    double world[9], torque[3], rate[3], left[3];
    struct gyration g = {.inertia = world, .half = time_step / 2};
    nb_world_inertia(rotation, inertia, world);
    nb_rotate(world, omega, g.spin);
    g.rounding = 4 * DBL_EPSILON * nb_norm3(g.spin);
    nb_cross3(g.spin, omega, torque);
    if (nb_solve_spd3(world, torque, rate))
        return 1;
    nb_add_scaled3(omega, time_step, rate, out);
    return is_solved(&g, out, residual(&g, out, left)) ? 0 : -1;
}

int nb_gyrate(const double *rotation, const double *inertia, double time_step, const double *omega, double *out)
{
    struct gyration g = {.inertia = inertia, .half = time_step / 2};
    double before[3], after[3], momentum[3];
    const int explicitly = gyrate_explicitly(rotation, inertia, time_step, omega, out);
    if (explicitly >= 0)
        return explicitly;
    nb_rotate_back(rotation, omega, before); /* the body's axes keep moments of different orders apart */
    nb_rotate(inertia, before, g.spin);
    g.rounding = 4 * DBL_EPSILON * nb_norm3(g.spin);
    memcpy(after, before, sizeof after);
    if (!solve_linear(&g, after) && newton(&g, after))
        solve_linear(&g, after);
    nb_rotate(inertia, after, momentum);
    const double had = nb_dot3(before, g.spin), has = nb_dot3(after, momentum);
    for (int k = 0; has > had && k < 3; ++k) /* nor does it grow by rounding */
        after[k] *= sqrt(had / has);
    nb_rotate(rotation, after, out);
    return 0;
}

int nb_gyration_slope(const double *rotation, const double *inertia, double time_step, const double *omega,
                      const double *after, double *slope)
{
    double world[9], cross[9];
    struct gyration g = {.inertia = world, .half = time_step / 2};
    nb_world_inertia(rotation, inertia, world);
    nb_rotate(world, omega, g.spin);
    cross_inertia(after, world, cross);
    for (int j = 0; j < 3; ++j) {
        double column[3];
        for (int i = 0; i < 3; ++i)
            column[i] = world[3 * i + j] - g.half * cross[3 * i + j];
        if (newton_direction(&g, after, column))
            return 1;
        for (int i = 0; i < 3; ++i)
            slope[3 * i + j] = column[i];
    }
    return 0;
}
