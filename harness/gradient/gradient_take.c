/* What of an adjoint z becomes gradients (gradient.h):
 *
 *     u-           (du~/du-)^T M^T z_u, du~/du- being 1 but for the turning of bodies (problems/base/gyration.h)
 *     q-           -1/h z . dG/du, G what of F depends on q+ = q- + h u: all but M (u - u~) and rows of friction
 *     mass         -z_u . (dM/dm) (u - u0), u0 the velocity that gravity and turning alone would give
 *     mu           -z_T . t p_n of a contact that slides
 *     f            h z_u
 *     E            -z p/h^2
 *     ln Y         -h z_u . J^T V dPsi/ds of an element, without its pressure
 */
#include "solvers/precision/f64.h" /* the model in float64 */

#include <math.h>
#include <string.h>

#include "harness/gradient/gradient_private.h"
#include "problems/base/gyration.h"
#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/deformables.h"
#include "problems/elements.h"
#include "problems/step.h"

/* out = M^T z_u, then of bodies by the slope of their turning. */
static void take_velocity(const struct nb_gradient *g, double *out)
{
    const struct nb_bodies *bodies = &g->problem->bodies;
    nb_csr_multiply_transposed(&g->mass, g->adjoint, out, 0);
    for (int i = 0; i < bodies->count; ++i) {
        double rotation[9], after[3], slope[9], turned[3];
        const double *before = bodies->velocity + 6 * i + 3, *inertia = bodies->inertia + 9 * i;
        nb_quaternion_matrix(bodies->orientation + 4 * i, rotation);
        if (nb_gyrate(rotation, inertia, g->time_step, before, after) ||
            nb_gyration_slope(rotation, inertia, g->time_step, before, after, slope))
            continue;
        nb_rotate_back(slope, out + 6 * i + 3, turned);
        memcpy(out + 6 * i + 3, turned, sizeof turned);
    }
}

/* Whether a row of the system tells how velocities slip, which is so wherever bodies are. */
static bool is_friction(const struct nb_gradient *g, int at)
{
    const int row = at < g->dofs ? -1 : g->row_of[at - g->dofs];
    return row >= g->bilaterals && (row - g->bilaterals) % 3 > 0;
}

/* What damping takes of c(q-), s c(q-)/h, moves with q- alone; positions [3] of a particle begin at 3 bodies. */
static void add_damped(const struct nb_gradient *g, double *out)
{
    const struct nb_distances *distances = &g->problem->distances;
    const struct nb_ties *ties = &g->problem->ties;
    const int tied = g->plain - 3 * ties->count, first = tied - distances->count, bodies = g->problem->bodies.count;
    for (int i = 0; i < distances->count; ++i) {
        const int *particle = distances->particle + 2 * i, at = g->entry[first + i];
        const double s = nb_damped_share(distances->damping, i, distances->compliance[i], g->time_step);
        double direction[3];
        nb_distance_evaluate(g->problem, i, direction);
        for (int k = 0; k < 6 && at >= 0; ++k)
            out[3 * (bodies + particle[k / 3]) + k % 3] +=
                (k < 3 ? s : -s) / g->time_step * direction[k % 3] * g->adjoint[at];
    }
    for (int i = 0; i < NB_TIED * ties->count; ++i) {
        const int tie = i / NB_TIED;
        const double s = nb_damped_share(ties->damping, tie, ties->compliance[tie], g->time_step);
        for (int k = 0; k < 3 && ties->particle[i] >= 0; ++k)
            if (g->entry[tied + 3 * tie + k] >= 0)
                out[3 * (bodies + ties->particle[i]) + k] +=
                    s / g->time_step * ties->weight[i] * g->adjoint[g->entry[tied + 3 * tie + k]];
    }
}

static void take_position(const struct nb_gradient *g, double *out)
{
    const int bodies = g->problem->bodies.count;
    for (int i = 0; i < nb_gradient_size(g->problem, NB_GRADIENT_position); ++i) {
        const int dof = i < 3 * bodies ? 6 * (i / 3) + i % 3 : 3 * bodies + i;
        double sum = 0;
        for (int k = g->mass.start[dof]; k < g->mass.start[dof + 1]; ++k) /* M is symmetric */
            sum += g->mass.value[k] * g->adjoint[g->mass.column[k]];
        for (int k = g->transposed.start[dof]; k < g->transposed.start[dof + 1]; ++k)
            if (!is_friction(g, g->transposed.column[k]))
                sum -= g->transposed.value[k] * g->adjoint[g->transposed.column[k]];
        out[i] = sum / g->time_step;
    }
    if (g->problem->form == NB_NONLINEAR)
        add_damped(g, out);
}

/* -z . (dM/dm) (u - u0) of one body or particle, whose velocities begin at `first`. */
static double mass_slope(const struct nb_gradient *g, int first, int count, double mass, const double *from)
{
    double sum = 0;
    for (int i = first; i < first + count; ++i)
        for (int k = g->mass.start[i]; k < g->mass.start[i + 1]; ++k)
            sum -= g->adjoint[i] * g->mass.value[k] / mass *
                   (g->u[g->mass.column[k]] - from[g->mass.column[k] - first]);
    return sum;
}

static void take_mass_slopes(const struct nb_gradient *g, double *out)
{
    const struct nb_problem *problem = g->problem;
    const struct nb_bodies *bodies = &problem->bodies;
    for (int i = 0; i < bodies->count; ++i) {
        double from[6];
        const enum nb_status status = nb_step_free_velocity(problem, i, from, NULL);
        out[i] = status ? NAN : mass_slope(g, 6 * i, 6, bodies->mass[i], from);
    }
    for (int i = 0; i < problem->particles.count; ++i) {
        double from[3];
        nb_add_scaled3(problem->particles.velocity + 3 * i, problem->time_step, problem->gravity, from);
        out[bodies->count + i] = mass_slope(g, 6 * bodies->count + 3 * i, 3, problem->particles.mass[i], from);
    }
}

/* Without friction it answers to some, in the direction in which it slides, if it does. */
static void take_friction(const struct nb_gradient *g, double *out)
{
    const int contacts = nb_gradient_size(g->problem, NB_GRADIENT_friction);
    for (int i = 0; i < contacts; ++i) {
        const int row = g->bilaterals + 3 * i;
        const double *t = g->direction + 2 * i;
        out[i] = 0;
        if (g->state[i] != NB_CONTACT_SLIDES)
            continue;
        for (int k = 0; k < 2; ++k)
            out[i] -= g->adjoint[g->entry[row + 1 + k]] * t[k] * g->impulse[row];
        if (t[0] == 0 && t[1] == 0)
            out[i] = NAN;
    }
}

/* What compliance E of a row with damping d multiplies, p - d c(q-), and (1 - s)^2; of any other row p and 1. */
static double damped_impulse(const struct nb_gradient *g, int row)
{
    const struct nb_problem *problem = g->problem;
    const struct nb_distances *distances = &problem->distances;
    const struct nb_ties *ties = &problem->ties;
    const int tied = g->plain - 3 * ties->count, first = tied - distances->count;
    const double p = g->impulse[row];
    double at[3], s;
    if (row >= first && row < tied && distances->damping) {
        const int i = row - first;
        s = nb_damped_share(distances->damping, i, distances->compliance[i], g->time_step);
        return (1 - s) * (1 - s) * (p - distances->damping[i] * nb_distance_evaluate(problem, i, at));
    }
    if (row >= tied && row < g->plain && ties->damping) {
        const int i = (row - tied) / 3;
        s = nb_damped_share(ties->damping, i, ties->compliance[i], g->time_step);
        nb_tie_evaluate(problem, i, at);
        return (1 - s) * (1 - s) * (p - ties->damping[i] * at[(row - tied) % 3]);
    }
    return p;
}

static void take_compliance(const struct nb_gradient *g, double *out)
{
    for (int i = 0; i < g->plain + g->contacts; ++i) {
        const int row = i < g->plain ? i : g->bilaterals + 3 * (i - g->plain);
        const double h = g->time_step;
        out[i] = g->entry[row] < 0 ? 0
                 : g->shared[row]  ? NAN
                                   : -g->adjoint[g->entry[row]] * damped_impulse(g, row) / (h * h);
    }
}

static void take_modulus(const struct nb_gradient *g, double *out)
{
    const struct nb_tetrahedra *tetrahedra = &g->problem->tetrahedra;
    const double *adjoint = g->adjoint + 6 * g->problem->bodies.count;
    for (int t = 0; t < tetrahedra->count; ++t) {
        struct nb_element element;
        out[t] = 0;
        nb_element_evaluate(tetrahedra, t, g->particle, &element);
        for (int r = 0; r < element.rows; ++r) {
            double rate = 0;
            for (int k = 0; k < 12; ++k)
                rate += element.jacobian[12 * r + k] * adjoint[3 * tetrahedra->particle[4 * t + k / 3] + k % 3];
            out[t] -= g->time_step * rate * element.volume *
                      (element.stress[r] + (r < 3 ? tetrahedra->inflation[t] : 0));
        }
    }
}

void nb_gradient_take(const struct nb_gradient *g, enum nb_gradient_to to, double *out)
{
    if (nb_gradient_size(g->problem, to) == 0)
        return;
    switch (to) {
    case NB_GRADIENT_velocity:
        take_velocity(g, out);
        break;
    case NB_GRADIENT_position:
        take_position(g, out);
        break;
    case NB_GRADIENT_mass:
        take_mass_slopes(g, out);
        break;
    case NB_GRADIENT_friction:
        take_friction(g, out);
        break;
    case NB_GRADIENT_force:
        for (int i = 0; i < g->dofs; ++i)
            out[i] = g->time_step * g->adjoint[i];
        break;
    case NB_GRADIENT_compliance:
        take_compliance(g, out);
        break;
    default:
        take_modulus(g, out);
    }
}
