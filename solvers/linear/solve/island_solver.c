/* Set-up: the islands are the components of the matrix's graph, or all rows are one; each gets its rows as a matrix in
 * double and a linear bench of its own, in the precision asked for, with the solver's own settings. */
#include "solvers/linear/solve/island_solver_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void nb_island_solver_free(struct nb_island_solver *solver)
{
    if (!solver)
        return;
    for (int p = 0; solver->island && p < solver->sets.count; ++p) {
        struct nb_island *island = &solver->island[p];
        if (island->bench)
            solver->driver->bench_free(island->bench);
        nb_csr_free(&island->matrix);
        free(island->source);
        free(island->b);
        free(island->x);
    }
    free(solver->island);
    nb_block_sets_free(&solver->sets);
    free(solver->scale);
    free(solver->residual);
    free(solver->trial);
    free(solver);
}

void nb_island_solver_restart(struct nb_island_solver *solver)
{
    for (int p = 0; p < solver->sets.count; ++p)
        solver->driver->bench_restart(solver->island[p].bench);
}

/* The islands' solver is the same without the common settings, with a tolerance: the given one, or when
 * refining, half of the digits of the format a round. */
static enum nb_status choose_solver(struct nb_island_solver *solver, const char *given, double tolerance,
                               struct nb_error *error)
{
    static const char *const common[] = {"tol=", "start=", "islands=", "in="};
    size_t used = nb_settings_name_length(given);
    const char *at = given + used;
    if (strlen(given) + 32 > sizeof solver->choice)
        return nb_fail(error, NB_BAD_INPUT, "the linear solver's settings are longer than %d letters",
                       (int)sizeof solver->choice - 32);
    memcpy(solver->choice, given, used);
    while (*at == ':') {
        const size_t length = 1 + strcspn(at + 1, ":");
        int drop = 0;
        for (int c = 0; c < 4; ++c)
            drop |= strncmp(at + 1, common[c], strlen(common[c])) == 0;
        memcpy(solver->choice + used, at, length);
        used += drop ? 0 : length;
        at += length;
    }
    snprintf(solver->choice + used, sizeof solver->choice - used, ":tol=%.3g",
             solver->format != NB_SOLVE_SAME ? sqrt(solver->unit) : tolerance);
    solver->options.linear = solver->choice;
    return NB_OK;
}

/* The rows of an island as a matrix in double, of ones on the diagonal for now. */
static enum nb_status copy_pattern(struct nb_island *island, const struct nb_bsr *matrix, int *local,
                              struct nb_error *error)
{
    int blocks = 0, at = 0;
    for (int a = 0; a < island->blocks; ++a) {
        local[island->member[a]] = a;
        blocks += matrix->start[island->member[a] + 1] - matrix->start[island->member[a]];
    }
    const int n = 3 * island->blocks;
    const enum nb_status status = nb_csr_allocate(&island->matrix, n, n, 9 * blocks, error);
    if (status)
        return status;
    island->source = malloc((9 * (size_t)blocks + 1) * sizeof *island->source);
    island->b = calloc((size_t)n + 1, sizeof *island->b);
    island->x = calloc((size_t)n + 1, sizeof *island->x);
    if (!island->source || !island->b || !island->x)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an island of %d block rows", island->blocks);
    for (int row = 0; row < n; ++row) {
        const int i = island->member[row / 3];
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            for (int c = 0; c < 3; ++c, ++at) {
                island->matrix.column[at] = 3 * local[matrix->column[k]] + c;
                island->matrix.value[at] = island->matrix.column[at] == row;
                island->source[at] = 9 * k + 3 * (row % 3) + c;
            }
        island->matrix.start[row + 1] = at;
    }
    return NB_OK;
}

static enum nb_status create_islands(struct nb_island_solver *solver, struct nb_error *error)
{
    const struct nb_bsr *matrix = solver->op->matrix;
    const enum nb_storage storage = solver->format == NB_SOLVE_F16    ? NB_F16
                                    : solver->format == NB_SOLVE_BF16 ? NB_BF16
                                                                     : NB_FULL;
    enum nb_status status = NB_OK;
    int *local = malloc(((size_t)matrix->rows + 1) * sizeof *local);
    solver->island = calloc((size_t)solver->sets.count + 1, sizeof *solver->island);
    if (!local || !solver->island)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d islands", solver->sets.count);
    for (int p = 0; p < solver->sets.count && !status; ++p) {
        struct nb_island *island = &solver->island[p];
        island->member = solver->sets.member + solver->sets.start[p];
        island->blocks = solver->sets.start[p + 1] - solver->sets.start[p];
        status = copy_pattern(island, matrix, local, error);
        if (!status)
            status = solver->driver->bench_create(&island->bench, &island->matrix, island->b, &solver->options,
                                                 storage, error);
    }
    free(local);
    return status;
}

/* One set of all rows. */
static enum nb_status one_set(struct nb_block_sets *sets, int rows, struct nb_error *error)
{
    sets->start = calloc(2, sizeof *sets->start);
    sets->member = malloc(((size_t)rows + 1) * sizeof *sets->member);
    if (!sets->start || !sets->member)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a list of %d block rows", rows);
    for (int i = 0; i < rows; ++i)
        sets->member[i] = i;
    sets->start[1] = rows;
    sets->count = 1;
    return NB_OK;
}

static enum nb_status set_up(struct nb_island_solver *solver, const double *value, struct nb_error *error)
{
    const struct nb_bsr *matrix = solver->op->matrix;
    const size_t n = solver->op->size;
    solver->scale = malloc((n + 1) * sizeof *solver->scale);
    solver->residual = malloc((n + 1) * sizeof *solver->residual);
    solver->trial = malloc((n + 1) * sizeof *solver->trial);
    if (!solver->scale || !solver->residual || !solver->trial)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for refinement");
    enum nb_status status =
        value[NB_LINEAR_ISLANDS] != 0
            ? nb_block_islands(matrix->rows, matrix->start, matrix->column, &solver->sets, error)
            : one_set(&solver->sets, matrix->rows, error);
    if (!status)
        status = choose_solver(solver, solver->options.linear, value[NB_LINEAR_TOL], error);
    return status ? status : create_islands(solver, error);
}

enum nb_status nb_island_solver_create(struct nb_island_solver **out, struct nb_operator *op,
                                   const struct nb_options *options, const double *value,
                                   struct nb_error *error)
{
    *out = NULL;
    if (!op->matrix)
        return nb_fail(error, NB_UNSUPPORTED,
                       "%s: islands and other precisions need the assembled operator", options->linear);
    struct nb_island_solver *solver = calloc(1, sizeof *solver);
    *out = solver;
    if (!solver)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for islands");
    solver->op = op;
    solver->format = (enum nb_solve_format)value[NB_LINEAR_IN];
    solver->unit = nb_solve_unit(solver->format);
    solver->driver = nb_driver_find(solver->format == NB_SOLVE_SAME ? NB_TEXT(NB_PRECISION) : "f32");
    solver->direct = nb_find_linear(options->linear)->direct;
    solver->options = *options;
    solver->options.threads = 1;
    return set_up(solver, value, error);
}
