/* Columns of M^-1 J^T within the components of M that a row of J touches: a solve with the factor of M's symmetric
 * part, corrected by the defect with M as given until that is round-off; J times them is W. */
#include "solvers/delassus/delassus_unsymmetric.h"

#include "problems/base/arena.h"
#include "solvers/sparse/factor.h"

#include <stdlib.h>
#include <string.h>

/* Entries of M^-1 J^T: 128 MiB in double. */
#define RESPONSE_LIMIT ((size_t)1 << 24)

/* dof [count] are those of the components of M that a block row touches; vectors are zero elsewhere. */
struct scratch {
    const struct nb_model *model;
    nb_real *row;                   /* [3 nodes] of J^T  */
    nb_real *u, *momentum, *defect; /* [3 nodes]         */
    int *dof, count;                /* [3 nodes]         */
    nb_real *no_impulse;            /* [3 blocks] zeros  */
};

static void lay_out(void *self, struct nb_arena *arena)
{
    struct scratch *s = self;
    const size_t nodes = 3 * (size_t)s->model->nodes;
    NB_ARRAY(arena, s->row, nodes);
    NB_ARRAY(arena, s->u, nodes);
    NB_ARRAY(arena, s->momentum, nodes);
    NB_ARRAY(arena, s->defect, nodes);
    NB_ARRAY(arena, s->dof, nodes);
    NB_ARRAY(arena, s->no_impulse, 3 * (size_t)s->model->blocks);
}

void nb_unsymmetric_free(struct nb_unsymmetric *rows)
{
    nb_bsr_free(&rows->matrix);
    free(rows->free_velocity);
    free(rows->response);
    memset(rows, 0, sizeof *rows);
}

/* `given` has no block that `matrix` has not. */
static enum nb_status copy_values(struct nb_bsr *matrix, const struct nb_bsr *given, struct nb_error *error)
{
    int *position = malloc(((size_t)matrix->columns + 1) * sizeof *position);
    if (!position)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for W of %d block rows", matrix->rows);
    for (int i = 0; i < given->rows; ++i) {
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            position[matrix->column[k]] = k;
        for (int k = given->start[i]; k < given->start[i + 1]; ++k)
            memcpy(matrix->value + 9 * (size_t)position[given->column[k]],
                   given->value + 9 * (size_t)k, 9 * sizeof *given->value);
    }
    free(position);
    return NB_OK;
}

/* Of the components that block row i touches. */
static void list_dofs(const struct nb_model *model, int i, struct scratch *s)
{
    const struct nb_block_sets *components = &model->components, *touched = &model->touched;
    const int order = model->problem->linear.mass.rows;
    s->count = 0;
    for (int t = touched->start[i]; t < touched->start[i + 1]; ++t)
        for (int m = components->start[touched->member[t]]; m < components->start[touched->member[t] + 1]; ++m)
            for (int d = 3 * components->member[m]; d < 3 * components->member[m] + 3 && d < order; ++d)
                s->dof[s->count++] = d;
}

/* What a response is corrected in: M u = row, within the components of M that row touches. */
struct response {
    const struct nb_model *model;
    struct scratch *scratch;
};

static nb_real find_defect(void *context)
{
    const struct response *self = context;
    struct scratch *s = self->scratch;
    const struct nb_csr *mass = &self->model->problem->linear.mass;
    nb_sum squares = 0;
    for (int n = 0; n < s->count; ++n) {
        const int i = s->dof[n];
        nb_sum sum = 0;
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            sum += (nb_sum)(self->model->mass_values[k] * s->u[mass->column[k]]);
        s->momentum[i] = (nb_real)sum - s->row[i];
    }
    nb_model_solve_mass(self->model, s->momentum, s->defect, NULL);
    for (int n = 0; n < s->count; ++n)
        squares += (nb_sum)(s->defect[s->dof[n]] * s->defect[s->dof[n]]);
    return nb_sqrt((nb_real)squares);
}

static nb_real subtract_defect(void *context)
{
    struct scratch *s = ((struct response *)context)->scratch;
    nb_sum squares = 0;
    for (int n = 0; n < s->count; ++n) {
        nb_real *u = s->u + s->dof[n];
        *u -= s->defect[s->dof[n]];
        squares += (nb_sum)(*u * *u);
    }
    return nb_sqrt((nb_real)squares);
}

/* u = M^-1 row: as nb_model_respond, within the components of M that row touches. */
static void respond(const struct nb_model *model, struct scratch *s)
{
    struct response self = {model, s};
    for (int n = 0; n < s->count; ++n)
        s->u[s->dof[n]] = 0;
    nb_correct(NB_CORRECTIONS, find_defect, subtract_defect, &self);
}

/* Column 3 j + c, from u. */
static void set_column(struct nb_bsr *matrix, const int *mirror, const struct nb_bsr *jacobian, int j,
                       int c, const struct scratch *s)
{
    nb_real velocity[3];
    for (int k = matrix->start[j]; k < matrix->start[j + 1]; ++k) {
        nb_bsr_multiply_row(jacobian, matrix->column[k], s->u, velocity);
        for (int r = 0; r < 3; ++r)
            matrix->value[9 * (size_t)mirror[k] + (size_t)(3 * r + c)] = (nb_matrix)velocity[r];
    }
}

static void clear_dofs(struct scratch *s)
{
    for (int n = 0; n < s->count; ++n)
        s->u[s->dof[n]] = s->momentum[s->dof[n]] = 0;
}

/* Column by column, without the force: what it moves would drown a stiff body's response. */
static enum nb_status respond_to_units(struct nb_unsymmetric *rows, const struct nb_model *model,
                                       struct scratch *s, struct nb_error *error)
{
    const size_t nodes = 3 * (size_t)model->nodes;
    int *mirror;
    const enum nb_status status = nb_bsr_mirror(&rows->matrix, &mirror, error);
    for (int j = 0; j < model->blocks && !status; ++j) {
        list_dofs(model, j, s);
        for (int c = 0; c < 3; ++c) {
            nb_bsr_add_row(&model->jacobian, 3 * j + c, 1, s->row);
            respond(model, s);
            nb_bsr_add_row(&model->jacobian, 3 * j + c, -1, s->row);
            set_column(&rows->matrix, mirror, &model->jacobian, j, c, s);
            if (rows->response)
                memcpy(rows->response + (size_t)(3 * j + c) * nodes, s->u, nodes * sizeof *s->u);
        }
        clear_dofs(s);
    }
    if (rows->free_velocity && !status)
        nb_model_respond(model, s->no_impulse, s->momentum, s->defect, rows->free_velocity);
    free(mirror);
    return status;
}

void nb_unsymmetric_add_compliance(struct nb_unsymmetric *rows,
                                   const struct nb_model *model)
{
    const struct nb_bsr *matrix = &rows->matrix;
    for (int i = 0; i < model->bilateral_blocks && matrix->value; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
            for (int e = 0; e < 9 && matrix->column[k] == i; ++e) {
                nb_matrix *entry = matrix->value + 9 * (size_t)k + e;
                *entry = (nb_matrix)((nb_real)*entry + model->bilateral_compliance[9 * i + e]);
            }
}

int nb_unsymmetric_fit(const struct nb_model *model)
{
    const size_t n = 3 * (size_t)model->blocks, nodes = 3 * (size_t)model->nodes;
    return model->inertia_kind == NB_INERTIA_GENERAL && n <= RESPONSE_LIMIT / (nodes + 1);
}

/* u(p) takes 9 blocks nodes multiplications of them, or two or three solves with two for each entry of the factor.
 * In single precision round-off of the sum of large responses would be seen in the momentum of a stiff M. */
int nb_unsymmetric_responses_pay(const struct nb_model *model)
{
    const size_t n = 3 * (size_t)model->blocks, nodes = 3 * (size_t)model->nodes;
    return sizeof(nb_real) == sizeof(double) && nb_unsymmetric_fit(model) &&
           n * nodes <= 5 * nb_factor_entries(model->factor);
}

static enum nb_status allocate_response(struct nb_unsymmetric *rows,
                                        const struct nb_model *model, struct nb_error *error)
{
    const size_t n = 3 * (size_t)model->blocks, nodes = 3 * (size_t)model->nodes;
    if (!nb_unsymmetric_responses_pay(model))
        return NB_OK;
    rows->free_velocity = calloc(nodes + 1, sizeof *rows->free_velocity);
    rows->response = calloc(n * nodes + 1, sizeof *rows->response);
    if (rows->free_velocity && rows->response)
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the responses to %zu impulses", n);
}

enum nb_status nb_unsymmetric_create(struct nb_unsymmetric *rows,
                                     const struct nb_model *model, struct nb_error *error)
{
    struct scratch scratch = {.model = model};
    void *memory;
    memset(rows, 0, sizeof *rows);
    if (!model->constant || model->inertia_kind == NB_INERTIA_BLOCKS)
        return NB_OK;
    memory = nb_arena_allocate(lay_out, &scratch);
    if (!memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for W of %d block rows", model->blocks);
    enum nb_status status = nb_bsr_copy_pattern(&rows->matrix, &model->delassus, error);
    if (!status)
        status = allocate_response(rows, model, error);
    if (!status)
        status = model->inertia_kind == NB_INERTIA_DELASSUS
                     ? copy_values(&rows->matrix, &model->delassus_as_given, error)
                     : respond_to_units(rows, model, &scratch, error);
    if (status)
        nb_unsymmetric_free(rows);
    free(memory);
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

void nb_unsymmetric_add_responses(const nb_real *response, const nb_real *p, size_t rows, size_t dofs,
                                  nb_real *u)
{
    size_t begin = 0;
    for (; begin + PANEL <= dofs; begin += PANEL)
        add_panel(response + begin, dofs, p, rows, u + begin);
    for (size_t j = 0; j < rows; ++j)
        for (size_t i = begin; i < dofs; ++i)
            u[i] += p[j] * response[j * dofs + i];
}

int nb_unsymmetric_respond(const struct nb_unsymmetric *rows,
                           const struct nb_model *model, const nb_real *p, nb_real *u)
{
    const size_t n = 3 * (size_t)model->blocks, nodes = 3 * (size_t)model->nodes;
    if (!rows->response)
        return 0;
    memcpy(u, rows->free_velocity, nodes * sizeof *u);
    nb_unsymmetric_add_responses(rows->response, p, n, nodes, u);
    return 1;
}
