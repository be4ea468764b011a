/* Steps known by their Delassus operator D = J H^-1 J^T alone, or with far more velocities than
 * rows (finite elements with a few contacts): p is the only unknown, U = (D + E/h^2) p + q, and u
 * follows in the end. A Newton step solves, row block by row block,
 *
 *     ((1 - P') + P' rho (D + E/h^2 + W)) dp = -F,
 *
 * not symmetric where contacts slip. An open contact's row is the identity. A W or a mass matrix that
 * is not quite symmetric is taken as it is given: what its symmetric part alone leaves out would have
 * to be made good by iterations, and redundant contacts or finite elements that are nearly singular
 * magnify it. */
#include <stdlib.h>
#include <string.h>

#include "solvers/block3.h"
#include "solvers/kernels/cone.h"
#include "solvers/kernels/cone_local.h"
#include "solvers/kernels/delassus.h"
#include "solvers/kernels/given_rows.h"

struct rows {
    const struct NB(nb_bsr) *matrix; /* D with its full pattern; borrowed or one of the next two */
    struct NB(nb_delassus) delassus; /* from blocks of inertia                                   */
    struct NB(nb_bsr) full;          /* from an unsymmetric mass matrix                          */
    struct NB(nb_given_rows) given;  /* of a local problem                                       */
    struct nb_sparse_lu *mass;       /* of an unsymmetric mass matrix; NULL: the model's factor  */
    struct nb_sparse_lu *lu;
    int *position;              /* of each scalar entry of matrix in lu's values */
    nb_real *free;              /* [rows] q                                      */
    double *solution;           /* [rows]                                        */
    double *wide;               /* [dofs]                                        */
};

static void release(void *data)
{
    struct rows *self = data;
    if (!self)
        return;
    NB(nb_delassus_free)(&self->delassus);
    NB(nb_bsr_free)(&self->full);
    NB(nb_given_rows_free)(&self->given);
    nb_sparse_lu_free(self->mass);
    nb_sparse_lu_free(self->lu);
    free(self->position);
    free(self->free);
    free(self->solution);
    free(self->wide);
    free(self);
}

/* The LU pattern: column 3 j + c holds the scalar rows of the blocks (i, j). The block pattern is
 * symmetric, so that row j lists them. */
static enum nb_status order_pattern(struct rows *self, struct nb_error *error)
{
    const struct NB(nb_bsr) *matrix = self->matrix;
    const int rows = matrix->rows, blocks = matrix->start[rows];
    int *start = malloc((3 * (size_t)rows + 1) * sizeof *start);
    int *row = malloc((9 * (size_t)blocks + 1) * sizeof *row);
    int *next = calloc((size_t)rows + 1, sizeof *next);
    enum nb_status status = NB_OK;
    self->position = malloc((9 * (size_t)blocks + 1) * sizeof *self->position);
    if (!start || !row || !next || !self->position) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Newton matrix's pattern");
        goto done;
    }
    start[0] = 0;
    for (int i = 0; i < rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k], length = 3 * (matrix->start[j + 1] - matrix->start[j]);
            const int rank = next[j]++;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    const int at = 9 * matrix->start[j] + c * length + 3 * rank + r;
                    row[at] = 3 * i + r;
                    self->position[9 * k + 3 * r + c] = at;
                    start[3 * j + c + 1] = 9 * matrix->start[j] + (c + 1) * length;
                }
        }
    status = nb_sparse_lu_create(&self->lu, 3 * rows, start, row,
                                 sizeof(nb_real) == sizeof(float), error);
done:
    free(start);
    free(row);
    free(next);
    return status;
}

static int is_symmetric(const struct nb_csr *matrix)
{
    double most = 0, off = 0;
    for (int i = 0; i < matrix->rows; ++i)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
            const int j = matrix->column[k];
            double mirror = 0;
            int low = matrix->start[j], high = matrix->start[j + 1] - 1;
            while (low < high) {
                const int middle = (low + high) / 2;
                if (matrix->column[middle] < i)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low == high && matrix->column[low] == i)
                mirror = matrix->value[low];
            most = fmax(most, fabs(matrix->value[k]));
            off = fmax(off, fabs(matrix->value[k] - mirror));
        }
    return off <= 16 * (double)NB_UNIT_ROUNDOFF * most;
}

/* The rows of M are the columns of its transpose: the factor is of M^T, and solves go through the
 * transposed pattern. */
static enum nb_status factorise_mass(const struct nb_csr *mass, struct rows *self,
                                     struct nb_error *error)
{
    const size_t entries = (size_t)mass->start[mass->rows];
    int *start = calloc((size_t)mass->rows + 2, sizeof *start);
    int *row = malloc((entries + 1) * sizeof *row);
    double *value = malloc((entries + 1) * sizeof *value);
    enum nb_status status = NB_OK;
    if (!start || !row || !value) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the mass matrix");
        goto done;
    }
    for (size_t k = 0; k < entries; ++k)
        start[mass->column[k] + 2]++;
    for (int i = 0; i < mass->rows; ++i)
        start[i + 2] += start[i + 1];
    for (int i = 0; i < mass->rows; ++i)
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k) {
            const int at = start[mass->column[k] + 1]++;
            row[at] = i;
            value[at] = mass->value[k];
        }
    status = nb_sparse_lu_create(&self->mass, mass->rows, start, row, 0, error);
    if (!status) {
        memcpy(nb_sparse_lu_values(self->mass), value, entries * sizeof *value);
        status = nb_sparse_lu_update(self->mass, error);
    }
    if (status == NB_BREAKDOWN)
        status = nb_fail(error, NB_BAD_INPUT, "mass matrix M is singular");
done:
    free(start);
    free(row);
    free(value);
    return status;
}

/* D = J M^-1 J^T, column by column and full. */
static enum nb_status fill_full(const struct NB(nb_model) *model, struct rows *self,
                                struct nb_error *error)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    const int n = model->blocks;
    const enum nb_status status = NB(nb_bsr_allocate)(&self->full, n, n, n * n, error);
    if (status)
        return status;
    for (int i = 0; i < n; ++i) {
        self->full.start[i + 1] = (i + 1) * n;
        for (int j = 0; j < n; ++j)
            self->full.column[i * n + j] = j;
    }
    for (int column = 0; column < 3 * n; ++column) {
        const int j = column / 3, c = column % 3;
        memset(self->wide, 0, 3 * (size_t)model->nodes * sizeof *self->wide);
        for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; ++k)
            for (int e = 0; e < 3; ++e)
                self->wide[3 * jacobian->column[k] + e] =
                    (double)jacobian->value[9 * (size_t)k + (size_t)(3 * c + e)];
        nb_sparse_lu_solve(self->mass, self->wide);
        for (int i = 0; i < n; ++i)
            for (int r = 0; r < 3; ++r) {
                double sum = 0;
                for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k)
                    for (int e = 0; e < 3; ++e)
                        sum += (double)jacobian->value[9 * (size_t)k + (size_t)(3 * r + e)] *
                               self->wide[3 * jacobian->column[k] + e];
                self->full.value[9 * ((size_t)i * (size_t)n + (size_t)j) + (size_t)(3 * r + c)] =
                    (nb_matrix)sum;
            }
    }
    return NB_OK;
}

static enum nb_status create_operator(const struct NB(nb_model) *model, struct rows *self,
                                      struct nb_error *error)
{
    const struct nb_csr *mass = &model->problem->linear.mass;
    enum nb_status status = NB_OK;
    self->matrix = &model->delassus;
    if (model->inertia_kind == NB_INERTIA_BLOCKS) {
        status = NB(nb_delassus_create)(&self->delassus, model, error);
        self->matrix = &self->delassus.matrix;
    } else if (model->inertia_kind == NB_INERTIA_DELASSUS) {
        self->matrix = &self->given.matrix;
        status = NB(nb_given_rows_create)(&self->given, model, error);
    } else if (sizeof(nb_real) == sizeof(double) && !is_symmetric(mass)) {
        self->matrix = &self->full;
        status = factorise_mass(mass, self, error);
        return status ? status : fill_full(model, self, error);
    }
    return status;
}

static enum nb_status create(struct NB(nb_cone) *cone, struct nb_error *error)
{
    struct NB(nb_model) *model = cone->model;
    struct rows *self = calloc(1, sizeof *self);
    cone->self = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the rows' Newton matrix");
    self->free = calloc(cone->rows + 1, sizeof *self->free);
    self->solution = calloc(cone->rows + 1, sizeof *self->solution);
    self->wide = calloc(cone->dofs + 1, sizeof *self->wide);
    if (!self->free || !self->solution || !self->wide)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the rows' Newton matrix");
    const enum nb_status status = create_operator(model, self, error);
    return status ? status : order_pattern(self, error);
}

/* u -= M^-1 (M u - f - J^T p) with the unsymmetric factor. */
static void correct(const struct NB(nb_cone) *cone, const struct rows *self, const nb_real *p,
                    nb_real *u)
{
    const struct NB(nb_model) *model = cone->model;
    const struct nb_csr *mass = &model->problem->linear.mass;
    NB(nb_model_gather)(model, p, cone->momentum);
    for (int i = 0; i < mass->rows; ++i) {
        double sum = 0;
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            sum += mass->value[k] * (double)u[mass->column[k]];
        self->wide[i] = sum - (double)model->force[i] - (double)cone->momentum[i];
    }
    nb_sparse_lu_solve(self->mass, self->wide);
    for (int i = 0; i < mass->rows; ++i)
        u[i] -= (nb_real)self->wide[i];
}

/* u with M u = f + J^T p; a second pass brings the factor's error to round-off. */
static void complete(struct NB(nb_cone) *cone, const nb_real *p, nb_real *u)
{
    const struct rows *self = cone->self;
    const int passes = cone->model->mass_values ? 2 : 1;
    for (int k = 0; k < passes; ++k) {
        if (self->mass) {
            correct(cone, self, p, u);
            continue;
        }
        NB(nb_model_defect)(cone->model, u, p, cone->momentum, cone->defect);
        for (size_t i = 0; i < cone->dofs; ++i)
            u[i] -= cone->defect[i];
    }
}

/* The Jacobian is constant: D is filled once for all. */
static void begin(struct NB(nb_cone) *cone)
{
    struct rows *self = cone->self;
    struct NB(nb_model) *model = cone->model;
    memset(cone->u, 0, cone->dofs * sizeof *cone->u);
    complete(cone, cone->p, cone->u);
    NB(nb_model_evaluate)(model, cone->u);
    memcpy(self->free, model->violation, cone->rows * sizeof *self->free);
    for (size_t i = 0; i < cone->rows; ++i)
        cone->scratch[i] = 1;
    if (model->inertia_kind == NB_INERTIA_BLOCKS)
        NB(nb_delassus_fill)(&self->delassus, model, cone->scratch);
    for (int i = 0; i < model->blocks; ++i)
        for (int k = self->matrix->start[i]; k < self->matrix->start[i + 1]; ++k)
            for (int e = 0; e < 9 && self->matrix->column[k] == i; ++e)
                cone->local[9 * (size_t)i + (size_t)e] =
                    (nb_real)self->matrix->value[9 * (size_t)k + (size_t)e] +
                    (i < model->bilateral_blocks
                         ? model->bilateral_compliance[9 * (size_t)i + (size_t)e]
                         : 0);
}

static nb_real evaluate(struct NB(nb_cone) *cone, const nb_real *u, const nb_real *p)
{
    const struct rows *self = cone->self;
    const int threads = cone->model->threads;
    (void)u;
    NB(nb_bsr_multiply)(self->matrix, p, cone->velocity, threads);
    for (size_t i = 0; i < cone->rows; ++i)
        cone->velocity[i] += self->free[i];
    NB(nb_model_add_compliance)(cone->model, p, cone->velocity);
    return 0;
}

/* Row block i of the matrix. */
static void fill_row(const struct NB(nb_cone) *cone, const struct rows *self, int i, double *value)
{
    const struct NB(nb_bsr) *matrix = self->matrix;
    const int bilateral = i < cone->model->bilateral_blocks;
    const nb_real *rho = cone->rho + 3 * (size_t)i, *slope = cone->slope + 9 * (size_t)i;
    nb_real left[9]; /* P' rho */
    for (int e = 0; e < 9; ++e)
        left[e] = (bilateral ? (nb_real)(e % 4 == 0) : slope[e]) * rho[e % 3];
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
        const nb_matrix *a = matrix->value + 9 * (size_t)k;
        const int *position = self->position + 9 * (size_t)k;
        const int own = matrix->column[k] == i;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                nb_real sum = left[3 * r] * (nb_real)a[c] + left[3 * r + 1] * (nb_real)a[3 + c] +
                              left[3 * r + 2] * (nb_real)a[6 + c];
                if (own)
                    sum += left[3 * r + c] * cone->sigma / rho[c];
                if (own && bilateral)
                    sum += rho[r] * cone->model->bilateral_compliance[9 * i + 3 * r + c];
                if (own && !bilateral)
                    sum += (nb_real)(r == c) - slope[3 * r + c];
                value[position[3 * r + c]] = (double)sum;
            }
    }
}

static enum nb_status direction(struct NB(nb_cone) *cone)
{
    struct rows *self = cone->self;
    for (int i = 0; i < cone->model->blocks; ++i)
        fill_row(cone, self, i, nb_sparse_lu_values(self->lu));
    const enum nb_status status = nb_sparse_lu_update(self->lu, NULL);
    if (status)
        return status;
    for (size_t i = 0; i < cone->rows; ++i)
        self->solution[i] = -(double)cone->residual[i];
    nb_sparse_lu_solve(self->lu, self->solution);
    for (size_t i = 0; i < cone->rows; ++i)
        cone->step_p[i] = (nb_real)self->solution[i];
    return NB_OK;
}

static void relax_row(struct NB(nb_cone) *cone, const struct rows *self, int i)
{
    const struct NB(nb_model) *model = cone->model;
    const struct NB(nb_bsr) *matrix = self->matrix;
    nb_real velocity[3], change[3];
    memset(velocity, 0, sizeof velocity);
    if (i < model->bilateral_blocks)
        NB(nb_block_apply)(model->bilateral_compliance + 9 * (size_t)i, cone->p + 3 * (size_t)i,
                           velocity);
    for (int r = 0; r < 3; ++r)
        velocity[r] += self->free[3 * i + r];
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
        NB(nb_block_apply_add)(matrix->value + 9 * (size_t)k,
                               cone->p + 3 * (size_t)matrix->column[k], velocity);
    NB(nb_local_row)(cone->local + 9 * (size_t)i, velocity, i < model->bilateral_blocks,
                     i < model->bilateral_blocks ? 0 : model->friction[i - model->bilateral_blocks],
                     cone->p + 3 * (size_t)i, change);
}

static void sweep(struct NB(nb_cone) *cone, int sweeps)
{
    const struct rows *self = cone->self;
    for (int k = 0; k < sweeps; ++k) {
        for (int i = 0; i < cone->model->blocks; ++i)
            relax_row(cone, self, i);
        for (int i = cone->model->blocks - 1; i >= 0; --i)
            relax_row(cone, self, i);
    }
}

const struct NB(nb_cone_form) NB(nb_cone_delassus) = {
    .create = create,
    .begin = begin,
    .evaluate = evaluate,
    .direction = direction,
    .sweep = sweep,
    .complete = complete,
    .free = release,
};
