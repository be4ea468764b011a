/* Forms the systems that primal and dual descent precondition as dense matrices, of the bilateral rows whose
 * compliances are set apart from the linearised step, and takes condition numbers from their eigenvalues: largest
 * over smallest (harness/judge/conditioning.h). */
#include "harness/judge/conditioning.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/delassus_dense.h"

struct system {
    int n, rows;       /* velocities and rows that are kept */
    int *velocity;     /* [dofs] place of a velocity among those kept, or -1 */
    double *compliance; /* [all rows], then [rows] of those kept */
    double *mass, *jacobian; /* [n square], [rows x n], row-major */
};

static void free_system(struct system *system)
{
    free(system->velocity);
    free(system->compliance);
    free(system->mass);
    free(system->jacobian);
}

/* Compliances of the joints', attachments' and distances' rows, which become rigid. */
static int move_compliances(struct nb_problem *rigid, double *compliance)
{
    int count = 0;
    for (int i = 0; i < rigid->joints.count; ++i)
        for (int k = 0; k < nb_joint_rows((enum nb_joint_kind)rigid->joints.kind[i]); ++k) {
            compliance[count++] = rigid->joints.compliance[6 * i + k];
            rigid->joints.compliance[6 * i + k] = 0;
        }
    for (int i = 0; i < rigid->attachments.count; ++i) {
        for (int k = 0; k < 3; ++k)
            compliance[count++] = rigid->attachments.compliance[i];
        rigid->attachments.compliance[i] = 0;
    }
    for (int i = 0; i < rigid->distances.count; ++i) {
        compliance[count++] = rigid->distances.compliance[i];
        rigid->distances.compliance[i] = 0;
    }
    return count;
}

static void choose_velocities(const struct nb_problem *problem, enum nb_axis_kept axis,
                              struct system *system)
{
    const int bodies = 6 * problem->bodies.count;
    for (int i = 0; i < nb_problem_dofs(problem); ++i) {
        const int component = i < bodies ? i % 6 : (i - bodies) % 3;
        system->velocity[i] = axis == NB_KEEP_ALL || component == (int)axis ? system->n++ : -1;
    }
}

/* Whether all that row r meets is kept, and something is. Entries up to round-off do not count. */
static int is_kept(const struct system *system, const struct nb_csr *jacobian, int r)
{
    double inside = 0, outside = 0;
    for (int k = jacobian->start[r]; k < jacobian->start[r + 1]; ++k) {
        double *side = system->velocity[jacobian->column[k]] >= 0 ? &inside : &outside;
        *side = fmax(*side, fabs(jacobian->value[k]));
    }
    return inside > 0 && outside <= 1e-12 * inside;
}

static void fill_dense(struct system *system, const struct nb_linear_step *step)
{
    const struct nb_csr *jacobian = &step->bilateral_jacobian;
    for (int i = 0; i < step->dofs; ++i)
        for (int k = step->mass.start[i]; k < step->mass.start[i + 1]; ++k) {
            const int row = system->velocity[i], column = system->velocity[step->mass.column[k]];
            if (row >= 0 && column >= 0)
                system->mass[(size_t)row * (size_t)system->n + (size_t)column] =
                    step->mass.value[k];
        }
    for (int r = 0; r < jacobian->rows; ++r) {
        if (!is_kept(system, jacobian, r))
            continue;
        for (int k = jacobian->start[r]; k < jacobian->start[r + 1]; ++k) {
            const int column = system->velocity[jacobian->column[k]];
            if (column >= 0)
                system->jacobian[(size_t)system->rows * (size_t)system->n + (size_t)column] =
                    jacobian->value[k];
        }
        system->compliance[system->rows++] = system->compliance[r];
    }
}

static enum nb_status collect_system(const struct nb_problem *problem, enum nb_axis_kept axis,
                              struct system *system, struct nb_error *error)
{
    struct nb_problem rigid, linear;
    const size_t dofs = (size_t)nb_problem_dofs(problem);
    const size_t rows = (size_t)nb_problem_bilaterals(problem);
    if (problem->form != NB_NONLINEAR || rows == 0 || problem->tetrahedra.count > 0 ||
        dofs > NB_DELASSUS_DENSE_LIMIT || rows > NB_DELASSUS_DENSE_LIMIT)
        return nb_fail(error, NB_UNSUPPORTED, "%s: condition numbers are of nonlinear steps with "
                       "joints, attachments or distances and without elements, up to %d rows",
                       problem->name, NB_DELASSUS_DENSE_LIMIT);
    system->velocity = calloc(dofs + 1, sizeof *system->velocity);
    system->compliance = calloc(rows + 1, sizeof *system->compliance);
    system->mass = calloc(dofs * dofs + 1, sizeof *system->mass);
    system->jacobian = calloc(dofs * rows + 1, sizeof *system->jacobian);
    if (!system->velocity || !system->compliance || !system->mass || !system->jacobian)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a dense matrix of order %zu", dofs);
    enum nb_status status = nb_problem_copy(problem, &rigid, error);
    if (status)
        return status;
    move_compliances(&rigid, system->compliance);
    status = nb_problem_linearize(&rigid, &linear, error);
    nb_problem_free(&rigid);
    if (status)
        return status;
    choose_velocities(problem, axis, system);
    fill_dense(system, &linear.linear);
    nb_problem_free(&linear);
    for (int i = 0; i < system->rows; ++i)
        if (!(system->compliance[i] > 0))
            return nb_fail(error, NB_BAD_INPUT, "%s: row %d is rigid; condition numbers need "
                           "compliances above 0%s", problem->name, i,
                           nb_problem_parameter(problem, "compliance", -1) >= 0
                               ? ", as by --set compliance=1e-8" : "");
    return system->rows > 0 ? NB_OK
                            : nb_fail(error, NB_BAD_INPUT, "%s: no row lies along that axis alone",
                                      problem->name);
}

static enum nb_status condition_number(double *matrix, int n, double *condition,
                                       struct nb_error *error)
{
    double *values = malloc((size_t)n * sizeof *values);
    if (!values)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d eigenvalues", n);
    const enum nb_status status = nb_eigenvalues(matrix, n, values, error);
    if (!status)
        *condition = values[n - 1] / values[0];
    free(values);
    return status;
}

/* matrix [n square] = M + h^2 J^T K J */
static void form_primal(const struct system *system, double h, double *matrix)
{
    const size_t n = (size_t)system->n;
    memcpy(matrix, system->mass, n * n * sizeof *matrix);
    for (size_t r = 0; r < (size_t)system->rows; ++r) {
        const double *j = system->jacobian + r * n, weight = h * h / system->compliance[r];
        for (size_t a = 0; a < n; ++a)
            for (size_t b = 0; b < n && j[a] != 0; ++b)
                matrix[a * n + b] += weight * j[a] * j[b];
    }
}

/* matrix [rows square] = h^2 J M^-1 J^T + E. The mass is overwritten. */
static enum nb_status form_dual(struct system *system, double h, double *matrix,
                                struct nb_error *error)
{
    const size_t n = (size_t)system->n, rows = (size_t)system->rows;
    double *solved = malloc(n * rows * sizeof *solved);
    if (!solved)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a dense matrix of order %zu", n);
    memcpy(solved, system->jacobian, n * rows * sizeof *solved); /* J^T column by column */
    enum nb_status status = NB_OK;
    if (LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', system->n, system->rows, system->mass, system->n,
                      solved, system->n) != 0)
        status = nb_fail(error, NB_BAD_INPUT, "mass matrix M is not positive definite");
    for (size_t a = 0; a < rows && !status; ++a)
        for (size_t b = 0; b < rows; ++b) {
            double sum = 0;
            for (size_t i = 0; i < n; ++i)
                sum += system->jacobian[a * n + i] * solved[b * n + i];
            matrix[a * rows + b] = h * h * sum + (a == b ? system->compliance[a] : 0);
        }
    free(solved);
    return status;
}

enum nb_status nb_conditioning(const struct nb_problem *problem, enum nb_axis_kept axis,
                               double *primal, double *dual, struct nb_error *error)
{
    struct system system = {0};
    double *matrix = NULL;
    enum nb_status status = collect_system(problem, axis, &system, error);
    const size_t order = (size_t)(system.n > system.rows ? system.n : system.rows);
    if (!status && !(matrix = malloc(order * order * sizeof *matrix)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a dense matrix of order %zu",
                         order);
    if (!status) {
        form_primal(&system, problem->time_step, matrix);
        status = condition_number(matrix, system.n, primal, error);
    }
    if (!status)
        status = form_dual(&system, problem->time_step, matrix, error);
    if (!status)
        status = condition_number(matrix, system.rows, dual, error);
    free(matrix);
    free_system(&system);
    return status;
}
