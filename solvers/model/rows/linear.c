/* FCLIB's linear steps as a model:
 *
 *   global   M v = H r + G l + f,   U = H^T v + w,   0 = G^T v + b
 *   local    U = W r + V l + q,     0 = V^T r + R l + s
 *
 * The Jacobian is constant, so the Delassus operator is set up once wherever it does not follow from
 * 3x3 blocks of inertia. */
#include <stdlib.h>
#include <string.h>

#include "solvers/model/model.h"
#include "solvers/sparse/coupling.h"
#include "solvers/sparse/factor.h"

struct triplets {
    int count;
    int *row, *column;
    double *value;
};

static void free_triplets(struct triplets *t)
{
    free(t->row);
    free(t->column);
    free(t->value);
}

static enum nb_status allocate_triplets(struct triplets *t, size_t count, struct nb_error *error)
{
    t->count = 0;
    t->row = malloc((count + 1) * sizeof *t->row);
    t->column = malloc((count + 1) * sizeof *t->column);
    t->value = malloc((count + 1) * sizeof *t->value);
    if (t->row && t->column && t->value)
        return NB_OK;
    free_triplets(t);
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu matrix entries", count);
}

static void add_triplet(struct triplets *t, int row, int column, double value)
{
    t->row[t->count] = row;
    t->column[t->count] = column;
    t->value[t->count++] = value;
}

/* Rows of the stacked Jacobian [G^T; H^T] in the model's numbering. */
static enum nb_status fill_jacobian(struct nb_model *model, struct nb_error *error)
{
    const struct nb_linear_step *step = &model->problem->linear;
    const struct nb_csr *parts[2] = {&step->bilateral_jacobian, &step->contact_jacobian};
    const int first_row[2] = {0, 3 * model->bilateral_blocks};
    struct triplets t;
    struct nb_csr stacked = {0};
    size_t entries = 0;
    for (int p = 0; p < 2; ++p)
        entries += parts[p]->rows ? (size_t)parts[p]->start[parts[p]->rows] : 0;
    enum nb_status status = allocate_triplets(&t, entries, error);
    if (status)
        return status;
    for (int p = 0; p < 2; ++p)
        for (int i = 0; i < parts[p]->rows; ++i)
            for (int k = parts[p]->start[i]; k < parts[p]->start[i + 1]; ++k)
                add_triplet(&t, first_row[p] + i, parts[p]->column[k], parts[p]->value[k]);
    status = nb_csr_from_triplets(&stacked, 3 * model->blocks, 3 * model->nodes, t.count, t.row,
                                  t.column, t.value, error);
    if (!status)
        status = nb_bsr_from_csr(&model->jacobian, &stacked, 0, error);
    nb_csr_free(&stacked);
    free_triplets(&t);
    return status;
}

static enum nb_status fill_identity(struct nb_model *model, struct nb_error *error)
{
    struct nb_bsr *jacobian = &model->jacobian;
    const enum nb_status status = nb_bsr_allocate(jacobian, model->blocks, model->nodes,
                                                  model->blocks, error);
    if (status)
        return status;
    for (int i = 0; i < model->blocks; ++i) {
        jacobian->start[i + 1] = i + 1;
        jacobian->column[i] = i;
        for (int k = 0; k < 3; ++k)
            jacobian->value[9 * (size_t)i + 4 * (size_t)k] = 1;
    }
    return NB_OK;
}

/* Model row of row i of the local problem, whose contacts come first. */
static int local_row(const struct nb_model *model, int i)
{
    const int contact_rows = 3 * model->contacts;
    return i < contact_rows ? 3 * model->bilateral_blocks + i : i - contact_rows;
}

/* (A + A^T)/2, full pattern. */
static enum nb_status symmetric_part(const struct nb_csr *matrix, struct nb_csr *out,
                                     struct nb_error *error)
{
    struct triplets t;
    enum nb_status status = allocate_triplets(&t, 2 * (size_t)matrix->start[matrix->rows], error);
    if (status)
        return status;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            add_triplet(&t, i, matrix->column[k], matrix->value[k] / 2);
            add_triplet(&t, matrix->column[k], i, matrix->value[k] / 2);
        }
    status = nb_csr_from_triplets(out, matrix->rows, matrix->rows, t.count, t.row, t.column, t.value,
                                  error);
    free_triplets(&t);
    return status;
}

/* W as given, and its symmetric part (W + W^T)/2 for the Newton matrix. */
static enum nb_status fill_delassus(struct nb_model *model, struct nb_error *error)
{
    const struct nb_csr *w = &model->problem->linear.delassus;
    const int rows = 3 * model->blocks;
    struct triplets t;
    struct nb_csr given = {0}, symmetric = {0};
    enum nb_status status = allocate_triplets(&t, (size_t)w->start[w->rows], error);
    if (status)
        return status;
    for (int i = 0; i < w->rows; ++i)
        for (int k = w->start[i]; k < w->start[i + 1]; ++k)
            add_triplet(&t, local_row(model, i), local_row(model, w->column[k]), w->value[k]);
    status = nb_csr_from_triplets(&given, rows, rows, t.count, t.row, t.column, t.value, error);
    if (!status)
        status = symmetric_part(&given, &symmetric, error);
    if (!status)
        status = nb_bsr_from_csr(&model->delassus_as_given, &given, 0, error);
    if (!status)
        status = nb_bsr_from_csr(&model->delassus, &symmetric, 1, error);
    free_triplets(&t);
    nb_csr_free(&given);
    nb_csr_free(&symmetric);
    return status;
}

static int is_block_diagonal(const struct nb_csr *mass)
{
    for (int i = 0; i < mass->rows; ++i)
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            if (mass->column[k] / 3 != i / 3 && mass->value[k] != 0)
                return 0;
    return 1;
}

/* Inverse of one symmetric 3x3 block (its lower triangle) by its Cholesky factor; 0 if not positive
 * definite. */
static int invert_block(const double a[9], double out[9])
{
    const double l00 = sqrt(a[0]), l10 = a[3] / l00, l20 = a[6] / l00;
    const double l11 = sqrt(a[4] - l10 * l10), l21 = (a[7] - l20 * l10) / l11;
    const double l22 = sqrt(a[8] - l20 * l20 - l21 * l21);
    if (!(l00 > 0 && l11 > 0 && l22 > 0))
        return 0;
    const double i00 = 1 / l00, i11 = 1 / l11, i22 = 1 / l22;
    const double i10 = -l10 * i00 * i11, i21 = -l21 * i11 * i22;
    const double i20 = -(l20 * i00 + l21 * i10) * i22;
    out[0] = i00 * i00 + i10 * i10 + i20 * i20;
    out[1] = out[3] = i10 * i11 + i20 * i21;
    out[2] = out[6] = i20 * i22;
    out[4] = i11 * i11 + i21 * i21;
    out[5] = out[7] = i21 * i22;
    out[8] = i22 * i22;
    return 1;
}

static enum nb_status fill_blocks(struct nb_model *model, struct nb_error *error)
{
    const struct nb_csr *mass = &model->problem->linear.mass;
    for (int node = 0; node < model->nodes; ++node) {
        double block[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, inverse[9];
        for (int r = 0; r < 3 && 3 * node + r < mass->rows; ++r) {
            block[4 * r] = 0;
            for (int k = mass->start[3 * node + r]; k < mass->start[3 * node + r + 1]; ++k)
                if (mass->column[k] / 3 == node)
                    block[3 * r + mass->column[k] % 3] += mass->value[k];
        }
        for (int r = 1; r < 3; ++r)
            for (int c = 0; c < r; ++c)
                block[3 * r + c] = (block[3 * r + c] + block[3 * c + r]) / 2;
        if (!invert_block(block, inverse))
            return nb_fail(error, NB_BAD_INPUT,
                           "mass matrix M is not positive definite at rows %d to %d", 3 * node,
                           3 * node + 2);
        for (int k = 0; k < 9; ++k)
            model->inverse_mass[9 * (size_t)node + (size_t)k] = (nb_real)inverse[k];
    }
    return NB_OK;
}

static enum nb_status factorise_mass(struct nb_model *model, struct nb_error *error)
{
    const int single = sizeof(nb_real) == sizeof(float);
    struct nb_csr mass = {0};
    enum nb_status status = symmetric_part(&model->problem->linear.mass, &mass, error);
    if (!status)
        status = nb_factor_create(&model->factor, mass.rows, mass.start, mass.column, single, error);
    if (status)
        goto done;
    const int *index = nb_factor_index(model->factor);
    for (int k = 0; k < mass.start[mass.rows]; ++k) {
        if (index[k] < 0)
            continue;
        if (single)
            nb_factor_values_single(model->factor)[index[k]] = (float)mass.value[k];
        else
            nb_factor_values(model->factor)[index[k]] = mass.value[k];
    }
    status = nb_factor_update(model->factor, error);
    if (status == NB_BREAKDOWN)
        status = nb_fail(error, NB_BAD_INPUT, "mass matrix M is not positive definite");
done:
    nb_csr_free(&mass);
    return status;
}

/* M as given and f, for the momentum residual. */
static void keep_mass(struct nb_model *model)
{
    const struct nb_linear_step *step = &model->problem->linear;
    for (int k = 0; k < step->mass.start[step->mass.rows]; ++k)
        model->mass_values[k] = (nb_real)step->mass.value[k];
    for (int i = 0; i < step->dofs; ++i)
        model->force[i] = (nb_real)step->force[i];
}

/* The pattern of W, with the components of M that it follows from. */
static enum nb_status couple_rows(struct nb_model *model, struct nb_error *error)
{
    const struct nb_bsr *jacobian = &model->jacobian;
    struct nb_block_sets coupled = {0};
    enum nb_status status = nb_mass_components(&model->problem->linear.mass, model->nodes, &model->components, error);
    if (!status)
        status = nb_touched_components(&model->components, model->nodes, jacobian->rows, jacobian->start,
                                       jacobian->column, &model->touched, error);
    if (!status)
        status = nb_coupled_rows(&model->touched, model->components.count, &coupled, error);
    if (!status)
        status = nb_bsr_allocate(&model->delassus, jacobian->rows, jacobian->rows,
                                 coupled.start[jacobian->rows], error);
    if (!status) {
        memcpy(model->delassus.start, coupled.start, ((size_t)jacobian->rows + 1) * sizeof *coupled.start);
        memcpy(model->delassus.column, coupled.member,
               (size_t)coupled.start[jacobian->rows] * sizeof *coupled.member);
    }
    nb_block_sets_free(&coupled);
    return status;
}

/* W = J M^-1 J^T for a general mass, row by row. */
static enum nb_status fill_general_delassus(struct nb_model *model, struct nb_error *error)
{
    struct nb_bsr *d = &model->delassus;
    enum nb_status status = couple_rows(model, error);
    nb_real *x = malloc((3 * (size_t)model->nodes + 1) * sizeof *x), y[3];
    if (!status && !x)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Delassus operator");
    for (int row = 0; !status && row < 3 * d->rows; ++row) {
        const int i = row / 3, r = row % 3;
        memset(x, 0, 3 * (size_t)model->nodes * sizeof *x);
        nb_bsr_add_row(&model->jacobian, row, 1, x);
        status = nb_model_solve_mass(model, x, x, error);
        for (int k = d->start[i]; k < d->start[i + 1]; ++k) {
            nb_bsr_multiply_row(&model->jacobian, d->column[k], x, y);
            for (int c = 0; c < 3; ++c)
                d->value[9 * (size_t)k + (size_t)(3 * r + c)] = (nb_matrix)y[c];
        }
    }
    free(x);
    return status;
}

/* Round-off leaves D a little asymmetric; Krylov methods want it exact. */
static enum nb_status symmetrise(struct nb_bsr *d, struct nb_error *error)
{
    int *mirror;
    const enum nb_status status = nb_bsr_mirror(d, &mirror, error);
    for (int i = 0; !status && i < d->rows; ++i)
        for (int k = d->start[i]; k < d->start[i + 1] && d->column[k] <= i; ++k)
            for (size_t e = 0; e < 9; ++e) {
                nb_matrix *a = d->value + 9 * (size_t)k + e;
                nb_matrix *b = d->value + 9 * (size_t)mirror[k] + 3 * (e % 3) + e / 3;
                *a = *b = (*a + *b) / 2;
            }
    free(mirror);
    return status;
}

static void fill_vectors(struct nb_model *model)
{
    const struct nb_linear_step *step = &model->problem->linear;
    const int first = 3 * model->bilateral_blocks;
    nb_real *out = model->inertia_kind == NB_INERTIA_DELASSUS ? model->free_velocity
                                                              : model->offset;
    for (int i = 0; i < step->bilaterals; ++i)
        out[i] = (nb_real)step->bilateral_velocity[i];
    for (int i = 0; i < 3 * step->contacts; ++i)
        out[first + i] = (nb_real)step->contact_velocity[i];
    for (int i = 0; i < step->contacts; ++i)
        model->friction[i] = (nb_real)step->friction[i];
}

/* Bilateral rows one after the other, without compliance; 1 in the padding. */
static void number_bilaterals(struct nb_model *model)
{
    for (int i = 0; i < model->bilaterals; ++i)
        model->bilateral_entry[i] = i;
    for (int i = model->bilaterals; i < 3 * model->bilateral_blocks; ++i)
        model->bilateral_compliance[9 * (size_t)(i / 3) + 4 * (size_t)(i % 3)] = 1;
}

enum nb_status nb_linear_step_create(struct nb_model *model, struct nb_error *error)
{
    enum nb_status status;
    number_bilaterals(model);
    fill_vectors(model);
    if (model->inertia_kind == NB_INERTIA_DELASSUS) {
        status = fill_identity(model, error);
        return status ? status : fill_delassus(model, error);
    }
    if ((status = fill_jacobian(model, error)))
        return status;
    keep_mass(model);
    if (is_block_diagonal(&model->problem->linear.mass)) {
        model->inertia_kind = NB_INERTIA_BLOCKS;
        return fill_blocks(model, error);
    }
    model->inertia_kind = NB_INERTIA_GENERAL;
    if ((status = factorise_mass(model, error)) || (status = fill_general_delassus(model, error)))
        return status;
    return symmetrise(&model->delassus, error);
}
