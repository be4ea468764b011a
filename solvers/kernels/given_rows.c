#include "solvers/kernels/given_rows.h"

#include <stdlib.h>
#include <string.h>

/* Entries of M^-1 J^T that are kept: 128 MiB in double. */
#define RESPONSE_LIMIT ((size_t)1 << 24)

struct scratch {
    nb_real *impulse, *velocity;         /* [3 blocks]              */
    nb_real *u, *momentum, *defect;      /* [3 nodes]               */
    nb_real *no_force;                   /* [3 nodes] zeros         */
    int *position;                       /* [blocks] of a row's, or a column's, entries */
};

static void free_scratch(struct scratch *s)
{
    free(s->impulse);
    free(s->velocity);
    free(s->u);
    free(s->momentum);
    free(s->defect);
    free(s->no_force);
    free(s->position);
}

static enum nb_status allocate_scratch(struct scratch *s, const struct NB(nb_model) *model,
                                       struct nb_error *error)
{
    const size_t n = 3 * (size_t)model->blocks + 1, nodes = 3 * (size_t)model->nodes + 1;
    s->impulse = calloc(n, sizeof *s->impulse);
    s->velocity = calloc(n, sizeof *s->velocity);
    s->u = calloc(nodes, sizeof *s->u);
    s->momentum = calloc(nodes, sizeof *s->momentum);
    s->defect = calloc(nodes, sizeof *s->defect);
    s->no_force = calloc(nodes, sizeof *s->no_force);
    s->position = calloc((size_t)model->blocks + 1, sizeof *s->position);
    if (s->impulse && s->velocity && s->u && s->momentum && s->defect && s->no_force && s->position)
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for W of %d block rows", model->blocks);
}

void NB(nb_given_rows_free)(struct NB(nb_given_rows) *rows)
{
    NB(nb_bsr_free)(&rows->matrix);
    free(rows->free_velocity);
    free(rows->response);
    memset(rows, 0, sizeof *rows);
}

/* The pattern of the symmetric part, which has every diagonal block, without values. */
static enum nb_status copy_pattern(struct NB(nb_bsr) *to, const struct NB(nb_bsr) *from,
                                   struct nb_error *error)
{
    const int blocks = from->start[from->rows];
    const enum nb_status status = NB(nb_bsr_allocate)(to, from->rows, from->columns, blocks, error);
    if (status)
        return status;
    memcpy(to->start, from->start, ((size_t)from->rows + 1) * sizeof *to->start);
    memcpy(to->column, from->column, (size_t)blocks * sizeof *to->column);
    memset(to->value, 0, 9 * (size_t)blocks * sizeof *to->value);
    return NB_OK;
}

/* `given` has no block that `matrix` has not. position [columns] is scratch. */
static void copy_values(struct NB(nb_bsr) *matrix, const struct NB(nb_bsr) *given, int *position)
{
    for (int i = 0; i < given->rows; ++i) {
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            position[matrix->column[k]] = k;
        for (int k = given->start[i]; k < given->start[i + 1]; ++k)
            memcpy(matrix->value + 9 * (size_t)position[given->column[k]],
                   given->value + 9 * (size_t)k, 9 * sizeof *given->value);
    }
}

/* For j = 0, 1, 2, ...: the blocks of column j / 3 stand in the rows that row j / 3 names, since the pattern is
 * symmetric, each next after that of the column before, since columns rise. next [rows]: where, moved on. */
static void set_column(struct NB(nb_bsr) *matrix, int j, const nb_real *column, int *next)
{
    for (int k = matrix->start[j / 3]; k < matrix->start[j / 3 + 1]; ++k) {
        const int i = matrix->column[k];
        for (int r = 0; r < 3; ++r)
            matrix->value[9 * (size_t)next[i] + (size_t)(3 * r + j % 3)] = (nb_matrix)column[3 * i + r];
        next[i] += j % 3 == 2;
    }
}

/* Column by column, without the force: what it moves would drown a stiff body's response. */
static void respond_to_units(struct NB(nb_given_rows) *rows, const struct NB(nb_model) *model,
                             struct scratch *s)
{
    const size_t nodes = 3 * (size_t)model->nodes;
    struct NB(nb_model) unforced = *model;
    unforced.force = s->no_force;
    memcpy(s->position, rows->matrix.start, (size_t)model->blocks * sizeof *s->position);
    for (int j = 0; j < 3 * model->blocks; ++j) {
        s->impulse[j] = 1;
        NB(nb_model_respond)(&unforced, s->impulse, s->momentum, s->defect, s->u);
        s->impulse[j] = 0;
        NB(nb_bsr_multiply)(&model->jacobian, s->u, s->velocity, model->threads);
        set_column(&rows->matrix, j, s->velocity, s->position);
        if (rows->response)
            memcpy(rows->response + (size_t)j * nodes, s->u, nodes * sizeof *s->u);
    }
    if (rows->free_velocity)
        NB(nb_model_respond)(model, s->impulse, s->momentum, s->defect, rows->free_velocity);
}

void NB(nb_given_rows_add_compliance)(struct NB(nb_given_rows) *rows,
                                      const struct NB(nb_model) *model)
{
    const struct NB(nb_bsr) *matrix = &rows->matrix;
    for (int i = 0; i < model->bilateral_blocks && matrix->value; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            for (int e = 0; e < 9 && matrix->column[k] == i; ++e) {
                nb_matrix *entry = matrix->value + 9 * (size_t)k + e;
                *entry = (nb_matrix)((nb_real)*entry + model->bilateral_compliance[9 * i + e]);
            }
}

int NB(nb_given_rows_fit)(const struct NB(nb_model) *model)
{
    const size_t n = 3 * (size_t)model->blocks, nodes = 3 * (size_t)model->nodes;
    return model->inertia_kind == NB_INERTIA_GENERAL && n <= RESPONSE_LIMIT / (nodes + 1);
}

static enum nb_status allocate_response(struct NB(nb_given_rows) *rows,
                                        const struct NB(nb_model) *model, struct nb_error *error)
{
    const size_t n = 3 * (size_t)model->blocks, nodes = 3 * (size_t)model->nodes;
    if (!NB(nb_given_rows_fit)(model))
        return NB_OK;
    rows->free_velocity = calloc(nodes + 1, sizeof *rows->free_velocity);
    rows->response = calloc(n * nodes + 1, sizeof *rows->response);
    if (rows->free_velocity && rows->response)
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the responses to %zu impulses", n);
}

enum nb_status NB(nb_given_rows_create)(struct NB(nb_given_rows) *rows,
                                        const struct NB(nb_model) *model, struct nb_error *error)
{
    struct scratch scratch = {0};
    memset(rows, 0, sizeof *rows);
    if (!model->constant || model->inertia_kind == NB_INERTIA_BLOCKS)
        return NB_OK;
    enum nb_status status = allocate_scratch(&scratch, model, error);
    if (!status)
        status = copy_pattern(&rows->matrix, &model->delassus, error);
    if (!status)
        status = allocate_response(rows, model, error);
    if (status) {
        NB(nb_given_rows_free)(rows);
    } else {
        if (model->inertia_kind == NB_INERTIA_DELASSUS)
            copy_values(&rows->matrix, &model->delassus_as_given, scratch.position);
        else
            respond_to_units(rows, model, &scratch);
    }
    free_scratch(&scratch);
    return status;
}

/* Velocities of one panel: their sums stay in registers while the impulses are gone through. */
enum { PANEL = 32 };

static void add_panel(const nb_real *column, size_t stride, const nb_real *p, size_t rows, nb_real *u)
{
    nb_real sum[PANEL];
    memcpy(sum, u, sizeof sum);
    for (size_t j = 0; j < rows; ++j, column += stride) {
        if (p[j] == 0) /* most contacts of some steps are open */
            continue;
        for (int i = 0; i < PANEL; ++i)
            sum[i] += p[j] * column[i];
    }
    memcpy(u, sum, sizeof sum);
}

void NB(nb_add_responses)(const nb_real *response, const nb_real *p, size_t rows, size_t dofs,
                          nb_real *u)
{
    size_t begin = 0;
    for (; begin + PANEL <= dofs; begin += PANEL)
        add_panel(response + begin, dofs, p, rows, u + begin);
    for (size_t j = 0; j < rows; ++j)
        for (size_t i = begin; i < dofs; ++i)
            u[i] += p[j] * response[j * dofs + i];
}

int NB(nb_given_rows_respond)(const struct NB(nb_given_rows) *rows,
                              const struct NB(nb_model) *model, const nb_real *p, nb_real *u)
{
    const size_t n = 3 * (size_t)model->blocks, nodes = 3 * (size_t)model->nodes;
    if (!rows->response)
        return 0;
    memcpy(u, rows->free_velocity, nodes * sizeof *u);
    NB(nb_add_responses)(rows->response, p, n, nodes, u);
    return 1;
}
