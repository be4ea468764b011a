/* What a step has to do, for step_error.c: effective masses, and the velocities that errors are relative to
 * (docs/theory/measure.md). All of it depends on the problem alone, at q-:
 *
 *   1. islands are told apart (step_motion.c), and in the end contacts that are one constraint (step_repeated.c);
 *   2. w_i, the inverse effective mass of contact i: the mean of the diagonal of its block of W; of a bilateral row, or
 *      a limit of a joint, its diagonal entry of W, compliance included;
 *   3. with u_f the motion without forces of constraints, and u_b that of bilateral rows alone (step_motion.c): V_N and
 *      V_T of an island's contacts by u_b, and E, the energy of what its rows undo, of bilateral rows by u_f. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/metrics_private.h"
#include "problems/base/arena.h"

#define KNOWN 0x1p-40   /* of the terms of a velocity: what rounding, of steps before too, may have left of zero */
#define LEAST 0x1p-20   /* of the motion: the least that an island has to do, where it has to do anything         */
#define AT_REST 0x1p-10 /* the same where it has nothing to do, for f32 to know it by                             */

/* What is collected of an island [m/s, J]. */
struct island {
    double approach; /* the largest of its contacts by u_b; 0: none above rounding        */
    double sliding;  /* of its contacts by u_b                                            */
    double motion;   /* the terms |J_N||u| of its contacts                                */
    double velocity; /* |U| of its contacts by u_b                                        */
    double known;    /* all terms of its contacts' velocities, coordinates included        */
    double energy;   /* of what bilateral rows and limits undo; 0: none above rounding     */
    double moving;   /* ||u_f||_M^2                                                       */
    double terms;    /* of the terms of bilateral rows and limits                         */
    int rows;
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_judge *judge = data;
    struct nb_step_scale *scale = &judge->scale;
    const int rows = judge->contacts + judge->bilaterals, nodes = rows + judge->dofs;
    NB_ARRAY(arena, scale->first, judge->contacts);
    NB_ARRAY(arena, scale->turn, judge->contacts);
    NB_ARRAY(arena, scale->island, nodes);
    NB_ARRAYS(arena, rows, scale->inverse_mass, scale->velocity);
    NB_ARRAYS(arena, judge->contacts, scale->sliding, scale->speed);
    NB_ARRAYS(arena, nodes, scale->energy, scale->unexplained_energy);
    NB_ARRAY(arena, scale->impulse, 3 * judge->contacts);
    NB_ARRAY(arena, scale->dropped, 3 * judge->contacts + judge->bilaterals);
    NB_ARRAYS(arena, judge->dofs, scale->unexplained, scale->explained);
    NB_ARRAY(arena, scale->row, 3 * judge->contacts + judge->bilaterals);
}

/* ---- effective masses ---- */

static enum nb_status find_inverse_masses(struct nb_judge *judge, struct nb_error *error)
{
    double *contact = judge->scale.inverse_mass, *bilateral = contact + judge->contacts;
    for (int i = 0; i < judge->contacts; ++i) {
        const double *d = judge->diagonal + 3 * i;
        contact[i] = nb_judge_is_limit(judge, i) ? d[0] : (d[0] + d[1] + d[2]) / 3;
    }
    if (judge->problem->form == NB_LINEAR_LOCAL) {
        for (int i = 0; i < judge->bilaterals; ++i)
            bilateral[i] = nb_csr_diagonal(&judge->problem->linear.delassus, 3 * judge->contacts + i);
        return NB_OK;
    }
    if (!judge->bilateral)
        return NB_OK;
    const enum nb_status status = nb_mass_factor_diagonal(judge->factor, judge->bilateral, bilateral, error);
    if (!status && judge->problem->form == NB_NONLINEAR)
        nb_judge_add_compliance(judge, bilateral);
    return status;
}

/* ---- the rows' velocities without contact forces, and the terms that they are sums of ---- */

/* [dofs] u_f and u_b; of the local form nothing, and [bilaterals] the impulses that meet its bilateral rows. */
struct motion {
    double *free, *held, *impulse;
};

static double row_velocity(const struct nb_csr *matrix, int row, const double *u, double *terms)
{
    double velocity = 0;
    for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k) {
        velocity += matrix->value[k] * u[matrix->column[k]];
        *terms += fabs(matrix->value[k] * u[matrix->column[k]]);
    }
    return velocity;
}

/* Row i of a local form's q + V l, or s. */
static double local_velocity(const struct nb_judge *judge, int row, const double *impulse, double *terms)
{
    const struct nb_csr *delassus = &judge->problem->linear.delassus;
    const int first = 3 * judge->contacts;
    double velocity = row < first ? judge->constant[row] : judge->bilateral_constant[row - first];
    *terms = fabs(velocity);
    for (int k = delassus->start[row]; row < first && k < delassus->start[row + 1]; ++k)
        if (delassus->column[k] >= first) {
            const double term = delassus->value[k] * impulse[delassus->column[k] - first];
            velocity += term;
            *terms += fabs(term);
        }
    return velocity;
}

/* By u_b. motion: what of the terms is known to be motion; the local form does not tell. */
static double contact_row(const struct nb_judge *judge, int row, const struct motion *u, double *motion, double *known)
{
    *motion = *known = 0;
    if (judge->problem->form == NB_LINEAR_LOCAL)
        return local_velocity(judge, row, u->impulse, known);
    row_velocity(judge->jacobian, row, u->free, motion);
    const double velocity = judge->constant[row] + row_velocity(judge->jacobian, row, u->held, motion);
    *known = judge->problem->form == NB_NONLINEAR && row % 3 == 0 ? judge->gap_terms[row / 3] / judge->time_step
                                                                  : fabs(judge->constant[row]);
    *known += *motion;
    return velocity;
}

/* By u_f: all of that is to be undone. */
static double bilateral_row(const struct nb_judge *judge, int row, const struct motion *u, double *known)
{
    *known = 0;
    if (judge->problem->form == NB_LINEAR_LOCAL)
        return local_velocity(judge, 3 * judge->contacts + row, u->impulse, known);
    const double velocity = judge->bilateral_constant[row] + row_velocity(judge->bilateral, row, u->free, known);
    *known += judge->problem->form == NB_NONLINEAR ? judge->bilateral_terms[row] / judge->time_step
                                                   : fabs(judge->bilateral_constant[row]);
    return velocity;
}

/* ---- what an island has to do ---- */

static void collect_energy(struct island *island, double velocity, double known, double w)
{
    if (!(w > 0))
        return;
    island->terms = fmax(island->terms, known * known / w);
    if (fabs(velocity) > KNOWN * known)
        island->energy = fmax(island->energy, velocity * velocity / w);
}

static void collect_contact(const struct nb_judge *judge, int i, const struct motion *u, struct island *island)
{
    double velocity[3], motion[3], known[3];
    for (int k = 0; k < 3; ++k)
        velocity[k] = contact_row(judge, 3 * i + k, u, &motion[k], &known[k]);
    if (nb_judge_is_limit(judge, i)) {
        collect_energy(island, fmin(velocity[0], 0), known[0], judge->scale.inverse_mass[i]);
        return;
    }
    const double sliding = hypot(velocity[1], velocity[2]), terms = fmax(known[0], fmax(known[1], known[2]));
    if (-velocity[0] > KNOWN * terms)
        island->approach = fmax(island->approach, -velocity[0]);
    island->sliding = fmax(island->sliding, sliding);
    island->velocity = fmax(island->velocity, hypot(velocity[0], sliding));
    island->motion = fmax(island->motion, motion[0]);
    island->known = fmax(island->known, terms);
}

static void collect(const struct nb_judge *judge, const struct motion *u, struct island *islands)
{
    const struct nb_step_scale *scale = &judge->scale;
    const int rows = judge->contacts + judge->bilaterals;
    for (int i = 0; i < rows; ++i) {
        struct island *island = &islands[scale->island[i]];
        ++island->rows;
        if (i < judge->contacts) {
            collect_contact(judge, i, u, island);
        } else {
            double known;
            const double velocity = bilateral_row(judge, i - judge->contacts, u, &known);
            collect_energy(island, velocity, known, scale->inverse_mass[i]);
        }
    }
    for (int k = 0; judge->force && k < judge->dofs; ++k)
        islands[scale->island[rows + k]].moving += u->free[k] * judge->force[k];
}

/* ---- the scales ---- */

static double normal_scale(const struct island *island)
{
    if (island->approach > 0)
        return fmax(island->approach, LEAST * island->motion);
    const double velocity = fmax(island->motion, island->velocity);
    return velocity > KNOWN * island->known ? AT_REST * velocity : LEAST * island->known;
}

/* Friction undoes sliding, and what the normals' impulses make of it, with at most mu times these. */
static double sliding_scale(const struct island *island, double normal, double mu)
{
    const double undone = fmin(fmax(island->sliding, normal), mu * normal);
    return fmax(undone, fmax(AT_REST * normal, LEAST * island->sliding));
}

/* E without what the contacts have to do. */
static double other_energy(const struct island *island)
{
    if (island->rows == 0)
        return island->moving;
    const double share = island->approach > 0 || island->energy > 0 ? LEAST : AT_REST;
    const double energy = fmax(island->energy, share * share * island->moving);
    return energy > KNOWN * KNOWN * island->terms ? energy : LEAST * LEAST * island->terms;
}

static void set_scales(struct nb_judge *judge, const struct island *islands)
{
    struct nb_step_scale *scale = &judge->scale;
    const int rows = judge->contacts + judge->bilaterals, nodes = rows + judge->dofs;
    double largest = 0;
    for (int i = 0; i < nodes; ++i)
        scale->energy[i] = other_energy(&islands[i]);
    for (int i = 0; i < judge->contacts; ++i) {
        const struct island *island = &islands[scale->island[i]];
        double *energy = &scale->energy[scale->island[i]];
        scale->velocity[i] = normal_scale(island);
        scale->sliding[i] = sliding_scale(island, scale->velocity[i], judge->friction[i]);
        scale->speed[i] = fmax(scale->velocity[i], hypot(island->approach, island->sliding));
        const double v = fmax(scale->velocity[i], scale->sliding[i]), w = scale->inverse_mass[i];
        if (w > 0 && !nb_judge_is_limit(judge, i))
            *energy = fmax(*energy, v * v / w);
    }
    for (int i = 0; i < nodes; ++i)
        largest = fmax(largest, scale->energy[i]);
    for (int i = 0; i < nodes; ++i)
        if (scale->energy[i] == 0) /* of which nothing is known: by what the others do */
            scale->energy[i] = LEAST * LEAST * largest;
    for (int i = 0; i < rows; ++i) {
        const double v = sqrt(scale->inverse_mass[i] * scale->energy[scale->island[i]]);
        if (i >= judge->contacts)
            scale->velocity[i] = v;
        else if (nb_judge_is_limit(judge, i) || scale->velocity[i] == 0)
            scale->velocity[i] = scale->sliding[i] = v;
    }
}

static enum nb_status find_scales(struct nb_judge *judge, struct nb_error *error)
{
    const size_t dofs = judge->mass ? (size_t)judge->dofs : 0, bilaterals = (size_t)judge->bilaterals;
    const size_t nodes = (size_t)(judge->contacts + judge->bilaterals + judge->dofs);
    struct island *islands = calloc(nodes + 1, sizeof *islands);
    double *room = calloc(2 * dofs + bilaterals + 1, sizeof *room);
    struct motion u = {room, room + dofs, room + 2 * dofs};
    enum nb_status status = NB_OK;
    if (!islands || !room)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the scales of %zu rows", nodes);
    if (!status && dofs)
        status = nb_judge_find_motion(judge, false, u.free, error);
    if (!status && bilaterals)
        status = nb_judge_find_motion(judge, true, u.held, error); /* of the local form the impulses alone */
    if (!status && !bilaterals)
        memcpy(u.held, u.free, dofs * sizeof *u.held);
    if (!status) {
        collect(judge, &u, islands);
        set_scales(judge, islands);
    }
    free(islands);
    free(room);
    return status;
}

enum nb_status nb_judge_prepare_scale(struct nb_judge *judge, struct nb_error *error)
{
    judge->scale.memory = nb_arena_allocate(lay_out, judge);
    if (!judge->scale.memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to judge problem %s", judge->problem->name);
    nb_judge_find_islands(judge);
    enum nb_status status = find_inverse_masses(judge, error);
    status = status ? status : find_scales(judge, error);
    return status ? status : nb_judge_find_repeated(judge, error);
}
