/* What a step has to do, for step_error.c: islands, effective masses, and the velocities that errors are relative to
 * (docs/theory/measure.md). All of it depends on the problem alone, at q-:
 *
 *   1. contacts with the same rows are one constraint that is given more than once; the first stands for all;
 *   2. islands are the connected components of what M, the rows of contacts and bilateral rows couple (local form: W);
 *   3. w_i, the inverse effective mass of contact i: the mean of the diagonal of its block of W; of a bilateral row, or
 *      a limit of a joint, its diagonal entry of W, compliance included;
 *   4. with U the velocity without forces: V of an island's contacts, and E, the energy of what its rows undo. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/metrics_private.h"
#include "problems/base/arena.h"
#include "problems/base/disjoint_sets.h"

/* Of an island's motion, the least that it counts as having to undo: of what is to be undone there may be rounding
 * only, as in free flight. */
#define LEAST_SHARE 0x1p-10

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_judge *judge = data;
    struct nb_step_scale *scale = &judge->scale;
    const int rows = judge->contacts + judge->bilaterals, nodes = rows + judge->dofs;
    NB_ARRAY(arena, scale->first, judge->contacts);
    NB_ARRAY(arena, scale->island, nodes);
    NB_ARRAY(arena, scale->inverse_mass, rows);
    NB_ARRAY(arena, scale->velocity, rows);
    NB_ARRAY(arena, scale->energy, nodes);
    NB_ARRAY(arena, scale->unexplained_energy, nodes);
    NB_ARRAY(arena, scale->impulse, 3 * judge->contacts);
    NB_ARRAY(arena, scale->admissible, 3 * judge->contacts + judge->bilaterals);
    NB_ARRAY(arena, scale->unexplained, judge->dofs);
    NB_ARRAY(arena, scale->explained, judge->dofs);
    NB_ARRAY(arena, scale->row, 3 * judge->contacts + judge->bilaterals);
}

/* ---- contacts given more than once ---- */

struct entry {
    const struct nb_judge *judge;
    int contact;
};

static int compare_values(const double *a, const double *b, int count)
{
    for (int k = 0; k < count; ++k)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare_rows(const struct nb_csr *matrix, int a, int b)
{
    const int at_a = matrix->start[a], at_b = matrix->start[b], count = matrix->start[a + 1] - at_a;
    const int other = matrix->start[b + 1] - at_b;
    if (count != other)
        return count - other;
    const int columns = memcmp(matrix->column + at_a, matrix->column + at_b, (size_t)count * sizeof *matrix->column);
    return columns ? columns : compare_values(matrix->value + at_a, matrix->value + at_b, count);
}

/* Of the normal, since tangents may be turned. */
static int compare_contacts(const struct nb_judge *judge, int a, int b)
{
    const bool local = judge->problem->form == NB_LINEAR_LOCAL;
    const struct nb_csr *matrix = local ? &judge->problem->linear.delassus : judge->jacobian;
    int order = compare_values(judge->friction + a, judge->friction + b, 1);
    if (!order)
        order = compare_values(judge->diagonal + 3 * a, judge->diagonal + 3 * b, 3);
    if (!order)
        order = compare_values(judge->constant + 3 * a, judge->constant + 3 * b, 3);
    for (int k = 0; k < 3 && !order; ++k)
        order = compare_rows(matrix, 3 * a + k, 3 * b + k);
    return order;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = compare_contacts(x->judge, x->contact, y->contact);
    return order ? order : x->contact - y->contact;
}

static enum nb_status find_repeated(struct nb_judge *judge, struct nb_error *error)
{
    const int count = judge->contacts;
    struct entry *entry = malloc((size_t)(count + 1) * sizeof *entry);
    if (!entry)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to compare %d contacts", count);
    for (int i = 0; i < count; ++i)
        entry[i] = (struct entry){judge, i};
    qsort(entry, (size_t)count, sizeof *entry, compare_entries);
    for (int i = 0, first = 0; i < count; ++i) {
        if (i == 0 || compare_contacts(judge, entry[i - 1].contact, entry[i].contact))
            first = entry[i].contact;
        judge->scale.first[entry[i].contact] = first;
    }
    free(entry);
    return NB_OK;
}

/* ---- islands ---- */

/* Nodes: contacts, then bilateral rows, then velocities. */
static void join_rows(int *parent, const struct nb_csr *matrix, int rows_of_node, int first, int columns_from)
{
    for (int row = 0; row < matrix->rows; ++row)
        for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
            nb_set_join(parent, first + row / rows_of_node, columns_from + matrix->column[k]);
}

static int local_node(const struct nb_judge *judge, int row)
{
    return row < 3 * judge->contacts ? row / 3 : row - 2 * judge->contacts;
}

static void find_islands(struct nb_judge *judge)
{
    const int rows = judge->contacts + judge->bilaterals, nodes = rows + judge->dofs;
    int *parent = judge->scale.island;
    for (int i = 0; i < nodes; ++i)
        parent[i] = i;
    if (judge->problem->form == NB_LINEAR_LOCAL) {
        const struct nb_csr *delassus = &judge->problem->linear.delassus;
        for (int row = 0; row < delassus->rows; ++row)
            for (int k = delassus->start[row]; k < delassus->start[row + 1]; ++k)
                nb_set_join(parent, local_node(judge, row), local_node(judge, delassus->column[k]));
    } else {
        join_rows(parent, judge->mass, 1, rows, rows);
        join_rows(parent, judge->jacobian, 3, 0, rows);
        if (judge->bilateral)
            join_rows(parent, judge->bilateral, 1, judge->contacts, rows);
    }
    for (int i = 0; i < nodes; ++i)
        parent[i] = nb_set_root(parent, i);
}

/* ---- effective masses and velocities ---- */

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

/* The rows' velocities without forces [3 contacts + bilaterals] into scale->row, and ||u_f||_M^2 / 2 of each island. */
static enum nb_status find_free_motion(struct nb_judge *judge)
{
    struct nb_step_scale *scale = &judge->scale;
    const int contact_rows = 3 * judge->contacts, first_dof = judge->contacts + judge->bilaterals;
    double *free_velocity = scale->explained;
    memset(scale->row, 0, (size_t)(contact_rows + judge->bilaterals) * sizeof *scale->row);
    if (judge->force) {
        if (nb_mass_factor_solve(judge->factor, judge->force, free_velocity))
            return NB_OUT_OF_MEMORY;
        nb_csr_multiply(judge->jacobian, free_velocity, scale->row, 0);
        if (judge->bilateral)
            nb_csr_multiply(judge->bilateral, free_velocity, scale->row + contact_rows, 0);
        for (int k = 0; k < judge->dofs; ++k)
            scale->unexplained_energy[scale->island[first_dof + k]] += free_velocity[k] * judge->force[k];
    }
    for (int i = 0; i < contact_rows; ++i)
        scale->row[i] += judge->constant[i];
    for (int i = 0; i < judge->bilaterals; ++i)
        scale->row[contact_rows + i] += judge->bilateral_constant[i];
    return NB_OK;
}

/* What contact i has to do: to undo an approach, and sliding where there is friction. */
static double undone(const struct nb_judge *judge, int i)
{
    const double *velocity = judge->scale.row + 3 * i;
    const double approach = fmax(0, -velocity[0]);
    return judge->friction[i] > 0 ? hypot(approach, hypot(velocity[1], velocity[2])) : approach;
}

/* The terms of the bodies' velocities that a normal's is the sum of: where they cancel, as between bodies that fall
 * together, rounding is left. An open gap is no motion. find_free_motion left u_f in scale->explained; a local form
 * does not tell. */
static double motion(const struct nb_judge *judge, int i)
{
    double terms = 0;
    if (judge->force)
        for (int k = judge->jacobian->start[3 * i]; k < judge->jacobian->start[3 * i + 1]; ++k)
            terms += fabs(judge->jacobian->value[k] * judge->scale.explained[judge->jacobian->column[k]]);
    return terms;
}

/* Adds to each island the largest speed of its contacts and the largest energy of its other rows, by the given
 * speed of a contact. */
static void collect(const struct nb_judge *judge, double (*speed)(const struct nb_judge *, int), double *speeds,
                    double *energies)
{
    const struct nb_step_scale *scale = &judge->scale;
    for (int i = 0; i < judge->contacts + judge->bilaterals; ++i) {
        const bool contact = i < judge->contacts;
        const double value = contact ? speed(judge, i) : fabs(scale->row[2 * judge->contacts + i]);
        double *speed_of = &speeds[scale->island[i]], *energy_of = &energies[scale->island[i]];
        if (contact && !nb_judge_is_limit(judge, i))
            *speed_of = fmax(*speed_of, value);
        else if (scale->inverse_mass[i] > 0)
            *energy_of = fmax(*energy_of, value * value / scale->inverse_mass[i]);
    }
}

/* E: of bilateral rows and limits, of contacts, or a share of the motion; all of it in an island without rows. */
static void set_energies(struct nb_judge *judge, const double *speeds, const double *bilateral_energies)
{
    struct nb_step_scale *scale = &judge->scale;
    const int rows = judge->contacts + judge->bilaterals;
    double *motion_energy = scale->unexplained_energy;
    memcpy(scale->energy, bilateral_energies, (size_t)(rows + judge->dofs) * sizeof *scale->energy);
    for (int i = 0; i < judge->contacts; ++i) {
        const double w = scale->inverse_mass[i], v = speeds[scale->island[i]];
        if (w > 0 && !nb_judge_is_limit(judge, i))
            scale->energy[scale->island[i]] = fmax(scale->energy[scale->island[i]], v * v / w);
    }
    for (int i = 0; i < rows + judge->dofs; ++i)
        scale->energy[i] = scale->energy[i] > 0
                               ? fmax(scale->energy[i], LEAST_SHARE * LEAST_SHARE * motion_energy[i])
                               : motion_energy[i];
}

static void set_scales(struct nb_judge *judge, const double *speeds, const double *bilateral_energies)
{
    struct nb_step_scale *scale = &judge->scale;
    const int rows = judge->contacts + judge->bilaterals;
    set_energies(judge, speeds, bilateral_energies);
    for (int i = 0; i < rows; ++i) {
        const int island = scale->island[i];
        const double w = scale->inverse_mass[i];
        scale->velocity[i] = i < judge->contacts && !nb_judge_is_limit(judge, i)
                                 ? fmax(speeds[island], sqrt(w * bilateral_energies[island]))
                                 : sqrt(w * scale->energy[island]);
    }
}

static enum nb_status find_scales(struct nb_judge *judge, struct nb_error *error)
{
    const int nodes = judge->contacts + judge->bilaterals + judge->dofs;
    double *speeds = calloc(4 * (size_t)nodes + 1, sizeof *speeds), *energies = speeds + nodes;
    double *all = speeds + 2 * (size_t)nodes, *unused = speeds + 3 * (size_t)nodes; /* of all motion */
    if (!speeds || find_free_motion(judge)) {
        free(speeds);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the scales of %d rows", nodes);
    }
    collect(judge, undone, speeds, energies);
    collect(judge, motion, all, unused);
    for (int i = 0; i < nodes; ++i)
        speeds[i] = fmax(speeds[i], LEAST_SHARE * all[i]);
    set_scales(judge, speeds, energies);
    free(speeds);
    return NB_OK;
}

enum nb_status nb_judge_prepare_scale(struct nb_judge *judge, struct nb_error *error)
{
    judge->scale.memory = nb_arena_allocate(lay_out, judge);
    if (!judge->scale.memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to judge problem %s", judge->problem->name);
    enum nb_status status = find_repeated(judge, error);
    if (status)
        return status;
    find_islands(judge);
    status = find_inverse_masses(judge, error);
    return status ? status : find_scales(judge, error);
}
