#include "solvers/linear/engine/parts_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void NB(nb_parts_free)(struct NB(nb_parts) *parts)
{
    if (!parts)
        return;
    for (int p = 0; parts->part && p < parts->sets.count; ++p) {
        struct nb_part *part = &parts->part[p];
        if (part->bench)
            parts->driver->bench_free(part->bench);
        nb_csr_free(&part->matrix);
        free(part->source);
        free(part->b);
        free(part->x);
    }
    free(parts->part);
    nb_block_sets_free(&parts->sets);
    free(parts->scale);
    free(parts->residual);
    free(parts->trial);
    free(parts);
}

void NB(nb_parts_restart)(struct NB(nb_parts) *parts)
{
    for (int p = 0; p < parts->sets.count; ++p)
        parts->driver->bench_restart(parts->part[p].bench);
}

/* The parts' solver is the same without the common settings, with a tolerance: the given one, or when
 * refining, half of the digits of the format a round. */
static enum nb_status describe(struct NB(nb_parts) *parts, const char *given, double tolerance,
                               struct nb_error *error)
{
    static const char *const common[] = {"tol=", "start=", "islands=", "in="};
    size_t used = nb_settings_name_length(given);
    const char *at = given + used;
    if (strlen(given) + 32 > sizeof parts->choice)
        return nb_fail(error, NB_BAD_INPUT, "the linear solver's settings are longer than %d letters",
                       (int)sizeof parts->choice - 32);
    memcpy(parts->choice, given, used);
    while (*at == ':') {
        const size_t length = 1 + strcspn(at + 1, ":");
        int drop = 0;
        for (int c = 0; c < 4; ++c)
            drop |= strncmp(at + 1, common[c], strlen(common[c])) == 0;
        memcpy(parts->choice + used, at, length);
        used += drop ? 0 : length;
        at += length;
    }
    snprintf(parts->choice + used, sizeof parts->choice - used, ":tol=%.3g",
             parts->format != NB_SOLVE_SAME ? sqrt(parts->unit) : tolerance);
    parts->options.linear = parts->choice;
    return NB_OK;
}

/* The rows of a part as a matrix in double, of ones on the diagonal for now. */
static enum nb_status extract(struct nb_part *part, const struct NB(nb_bsr) *matrix, int *local,
                              struct nb_error *error)
{
    int blocks = 0, at = 0;
    for (int a = 0; a < part->blocks; ++a) {
        local[part->member[a]] = a;
        blocks += matrix->start[part->member[a] + 1] - matrix->start[part->member[a]];
    }
    const int n = 3 * part->blocks;
    const enum nb_status status = nb_csr_allocate(&part->matrix, n, n, 9 * blocks, error);
    if (status)
        return status;
    part->source = malloc((9 * (size_t)blocks + 1) * sizeof *part->source);
    part->b = calloc((size_t)n + 1, sizeof *part->b);
    part->x = calloc((size_t)n + 1, sizeof *part->x);
    if (!part->source || !part->b || !part->x)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an island of %d block rows", part->blocks);
    for (int row = 0; row < n; ++row) {
        const int i = part->member[row / 3];
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            for (int c = 0; c < 3; ++c, ++at) {
                part->matrix.column[at] = 3 * local[matrix->column[k]] + c;
                part->matrix.value[at] = part->matrix.column[at] == row;
                part->source[at] = 9 * k + 3 * (row % 3) + c;
            }
        part->matrix.start[row + 1] = at;
    }
    return NB_OK;
}

static enum nb_status create_parts(struct NB(nb_parts) *parts, struct nb_error *error)
{
    const struct NB(nb_bsr) *matrix = parts->op->matrix;
    const enum nb_storage storage = parts->format == NB_SOLVE_F16    ? NB_F16
                                    : parts->format == NB_SOLVE_BF16 ? NB_BF16
                                                                     : NB_FULL;
    enum nb_status status = NB_OK;
    int *local = malloc(((size_t)matrix->rows + 1) * sizeof *local);
    parts->part = calloc((size_t)parts->sets.count + 1, sizeof *parts->part);
    if (!local || !parts->part)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d islands", parts->sets.count);
    for (int p = 0; p < parts->sets.count && !status; ++p) {
        struct nb_part *part = &parts->part[p];
        part->member = parts->sets.member + parts->sets.start[p];
        part->blocks = parts->sets.start[p + 1] - parts->sets.start[p];
        status = extract(part, matrix, local, error);
        if (!status)
            status = parts->driver->bench_create(&part->bench, &part->matrix, part->b, &parts->options,
                                                 storage, error);
    }
    free(local);
    return status;
}

/* One set of all rows. */
static enum nb_status whole(struct nb_block_sets *sets, int rows, struct nb_error *error)
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

static enum nb_status set_up(struct NB(nb_parts) *parts, const double *value, struct nb_error *error)
{
    const struct NB(nb_bsr) *matrix = parts->op->matrix;
    const size_t n = parts->op->size;
    parts->scale = malloc((n + 1) * sizeof *parts->scale);
    parts->residual = malloc((n + 1) * sizeof *parts->residual);
    parts->trial = malloc((n + 1) * sizeof *parts->trial);
    if (!parts->scale || !parts->residual || !parts->trial)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for refinement");
    enum nb_status status =
        value[NB_LINEAR_ISLANDS] != 0
            ? nb_block_islands(matrix->rows, matrix->start, matrix->column, &parts->sets, error)
            : whole(&parts->sets, matrix->rows, error);
    if (!status)
        status = describe(parts, parts->options.linear, value[NB_LINEAR_TOL], error);
    return status ? status : create_parts(parts, error);
}

enum nb_status NB(nb_parts_create)(struct NB(nb_parts) **out, struct NB(nb_operator) *op,
                                   const struct nb_options *options, const double *value,
                                   struct nb_error *error)
{
    *out = NULL;
    if (!op->matrix)
        return nb_fail(error, NB_UNSUPPORTED,
                       "%s: islands and other precisions need the assembled operator", options->linear);
    struct NB(nb_parts) *parts = calloc(1, sizeof *parts);
    *out = parts;
    if (!parts)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a solve in parts");
    parts->op = op;
    parts->format = (enum nb_solve_format)value[NB_LINEAR_IN];
    parts->unit = nb_solve_unit(parts->format);
    parts->driver = nb_driver_find(parts->format == NB_SOLVE_SAME ? NB_TEXT(NB_PRECISION) : "f32");
    parts->direct = NB(nb_find_linear)(options->linear)->direct;
    parts->options = *options;
    parts->options.threads = 1;
    return set_up(parts, value, error);
}
