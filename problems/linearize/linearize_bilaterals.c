/* The bilateral rows of the step linearised at q-: c_b + E lambda_b = 0 becomes, with l = h
 * lambda_b and C = E/h^2,
 *
 *     G^T v + b = 0,   b = c_b(q-)/h                     rows without compliance,
 *     l = -C^-1 (J v + c_b(q-)/h)                        rows with compliance,
 *
 * and the latter put into M v = H r + G l + f: (M + J^T C^-1 J) v = H r + G l + f - J^T C^-1 c_b/h.
 * So v is the same as with these rows kept, and FCLIB, which knows no compliance, can hold the
 * step. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/linearize/linearize_rows.h"

void nb_row_add(struct nb_sparse_row *row, int first, int count, const double *values)
{
    for (int k = 0; k < count; ++k) {
        row->column[row->count] = first + k;
        row->value[row->count++] = values[k];
    }
}

/* By insertion: rows are short and come in two or three ascending runs. */
void nb_row_append(const struct nb_sparse_row *row, struct nb_csr *matrix, int at, int *entries)
{
    const int begin = *entries;
    for (int k = 0; k < row->count; ++k) {
        int place = *entries;
        while (place > begin && matrix->column[place - 1] > row->column[k])
            --place;
        if (place > begin && matrix->column[place - 1] == row->column[k]) {
            matrix->value[place - 1] += row->value[k];
            continue;
        }
        const size_t after = (size_t)(*entries - place);
        memmove(matrix->column + place + 1, matrix->column + place, after * sizeof(int));
        memmove(matrix->value + place + 1, matrix->value + place, after * sizeof(double));
        matrix->column[place] = row->column[k];
        matrix->value[place] = row->value[k];
        ++*entries;
    }
    matrix->start[at + 1] = *entries;
}

/* Goes on over `count` rows: those that are kept count in *to and, unless out is NULL, are copied there. */
static void keep_rows(const double *lambda, int count, int kept, int *from, int *to, double *out)
{
    for (int k = 0; k < count; ++k, ++*from)
        if (kept && out)
            out[(*to)++] = lambda[*from];
        else
            *to += kept;
}

/* The bilateral rows without compliance, which the linear step has. Returns how many. */
static int keep_rigid(const struct nb_problem *problem, const double *lambda, double *out)
{
    const struct nb_joints *joints = &problem->joints;
    int from = 0, to = 0;
    for (int i = 0; i < joints->count; ++i)
        for (int k = 0; k < nb_joint_rows((enum nb_joint_kind)joints->kind[i]); ++k)
            keep_rows(lambda, 1, joints->compliance[6 * i + k] == 0, &from, &to, out);
    for (int i = 0; i < problem->attachments.count; ++i)
        keep_rows(lambda, 3, problem->attachments.compliance[i] == 0, &from, &to, out);
    for (int i = 0; i < problem->distances.count; ++i)
        keep_rows(lambda, 1, problem->distances.compliance[i] == 0, &from, &to, out);
    for (int i = 0; i < problem->ties.count; ++i)
        keep_rows(lambda, 3, problem->ties.compliance[i] == 0, &from, &to, out);
    return to; /* a tetrahedron always has compliance */
}

int nb_count_rigid(const struct nb_problem *problem)
{
    return keep_rigid(problem, NULL, NULL);
}

void nb_problem_linear_multipliers(const struct nb_problem *problem, const double *lambda,
                                   double *out)
{
    const int nonlinear = problem->form == NB_NONLINEAR;
    int from = nonlinear ? nb_problem_bilaterals(problem) : 0, to = nonlinear ? keep_rigid(problem, lambda, out) : 0;
    keep_rows(lambda, nb_problem_multipliers(problem) - from, 1, &from, &to, out);
}

static void add_triplet(struct nb_bilaterals *bilaterals, int row, int column, double value)
{
    if (!bilaterals->status && !nb_triplets_add(&bilaterals->mass, row, column, value))
        bilaterals->status = nb_fail(bilaterals->error, NB_OUT_OF_MEMORY,
                                     "no memory to linearise bilateral rows");
}

/* J M^-1 J^T of one row, whose entries come in threes: one node's. */
static double inverse_effective_mass(const struct nb_csr *mass, const struct nb_sparse_row *row)
{
    double sum = 0;
    for (int i = 0; i < row->count; i += 3) {
        const int first = row->column[i];
        double block[9] = {0}, velocity[3];
        for (int r = 0; r < 3; ++r)
            for (int k = mass->start[first + r]; k < mass->start[first + r + 1]; ++k)
                block[3 * r + mass->column[k] - first] = mass->value[k];
        if (!nb_solve_spd3(block, row->value + i, velocity))
            sum += nb_dot3(row->value + i, velocity);
    }
    return sum;
}

void nb_bilaterals_add(struct nb_bilaterals *bilaterals, const struct nb_sparse_row *row,
                       double value, double compliance, const char *dataset, int entry,
                       int number)
{
    struct nb_linear_step *step = bilaterals->step;
    const double h = bilaterals->time_step, stiffness = h * h / compliance;
    if (bilaterals->status)
        return;
    if (compliance == 0) {
        step->bilateral_velocity[bilaterals->rigid] = value / h;
        nb_row_append(row, &step->bilateral_jacobian, bilaterals->rigid++, &bilaterals->entries);
        return;
    }
    const double least = bilaterals->unit_roundoff * h * h * inverse_effective_mass(&step->mass, row);
    if (!isfinite(stiffness) || compliance < least) {
        bilaterals->status = nb_fail(bilaterals->error, NB_UNSUPPORTED,
                                     "%s: row %d of entry %d is %.9g; the linearised step holds 0, which makes the "
                                     "row rigid, or at least %.3g: below, the masses are rounding beside h^2/E",
                                     dataset, number, entry, compliance, fmax(least, h * h / DBL_MAX));
        return;
    }
    for (int i = 0; i < row->count; ++i) {
        step->force[row->column[i]] -= row->value[i] * stiffness * (value / h);
        for (int k = 0; k < row->count; ++k) {
            const double product = row->value[i] * row->value[k] * stiffness;
            if (product != 0)
                add_triplet(bilaterals, row->column[i], row->column[k], product);
        }
    }
}

void nb_bilaterals_fold(struct nb_bilaterals *bilaterals, int n, const int *index,
                        const double *stiffness, const double *force)
{
    const double h = bilaterals->time_step;
    if (bilaterals->status)
        return;
    for (int i = 0; i < n; ++i) {
        bilaterals->step->force[index[i]] -= h * force[i];
        for (int k = 0; k < n; ++k)
            if (stiffness[n * i + k] != 0)
                add_triplet(bilaterals, index[i], index[k], h * h * stiffness[n * i + k]);
    }
}

/* M + the folded rows. */
static void replace_mass(struct nb_bilaterals *bilaterals)
{
    struct nb_csr folded, *mass = &bilaterals->step->mass;
    if (bilaterals->status)
        return;
    for (int row = 0; row < mass->rows; ++row)
        for (int k = mass->start[row]; k < mass->start[row + 1]; ++k)
            add_triplet(bilaterals, row, mass->column[k], mass->value[k]);
    if (bilaterals->status)
        return;
    const struct nb_triplets *list = &bilaterals->mass;
    bilaterals->status = nb_csr_from_triplets(&folded, mass->rows, mass->columns, list->count, list->row,
                                              list->column, list->value, bilaterals->error);
    if (bilaterals->status)
        return;
    nb_csr_free(mass);
    *mass = folded;
}

enum nb_status nb_linearize_bilaterals(const struct nb_problem *problem, double unit_roundoff,
                                       struct nb_linear_step *step, struct nb_error *error)
{
    struct nb_bilaterals bilaterals = {.step = step, .time_step = problem->time_step,
                                       .unit_roundoff = unit_roundoff, .error = error};
    const int rigid = step->bilaterals, most = 3 * NB_TIED; /* entries of a row */
    bilaterals.status = nb_csr_allocate(&step->bilateral_jacobian, rigid, step->dofs, most * rigid, error);
    nb_linearize_joints(problem, &bilaterals);
    nb_linearize_deformables(problem, &bilaterals);
    if (bilaterals.mass.count > 0)
        replace_mass(&bilaterals);
    nb_triplets_free(&bilaterals.mass);
    return bilaterals.status;
}
