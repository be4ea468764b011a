/* Dual formulation, of steps known by their Delassus operator W = J H^-1 J^T alone, or with far more velocities than
 * rows (finite elements with a few contacts): p is the only unknown, U = (W + E/h^2) p + q, and u
 * follows in the end. A Newton step solves, row block by row block,
 *
 *     ((1 - P') + P' rho (W + E/h^2 + Sigma)) dp = -F,
 *
 * not symmetric where contacts slip. An open contact's row is the identity. A W or a mass matrix that
 * is not quite symmetric is taken as it is given (dual_general_mass.c): what its symmetric part alone leaves out would
 * have to be made good by iterations, and redundant contacts magnify it. A given W of redundant contacts is solved
 * with by a basis of its rows (dual_reduced.c). */
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/block/block3.h"
#include "solvers/block/block_lu.h"
#include "solvers/outer/proximal_newton/block_relaxation.h"
#include "solvers/outer/proximal_newton/dual_system.h"
#include "solvers/outer/proximal_newton/parameters.h"

static void release(void *data)
{
    struct nb_dual_system *self = data;
    if (!self)
        return;
    NB(nb_delassus_free)(&self->delassus);
    NB(nb_bsr_free)(&self->general);
    NB(nb_unsymmetric_free)(&self->given);
    nb_sparse_lu_free(self->mass);
    free(self->response);
    free(self->wide);
    nb_newton_matrix_free(self->newton);
    nb_reduced_matrix_free(self->reduced);
    free(self->position);
    free(self->memory);
    free(self);
}

static enum nb_status order_pattern(struct nb_dual_system *self, struct nb_error *error)
{
    struct NB(nb_block_columns) columns = {0};
    enum nb_status status = NB(nb_block_columns_create)(&columns, self->matrix, error);
    if (!status)
        status = nb_newton_matrix_create(&self->newton, columns.order, columns.start, columns.row, NB_FACTORS_LU,
                                         error);
    self->position = columns.position;
    columns.position = NULL;
    NB(nb_block_columns_free)(&columns);
    return status;
}

static enum nb_status create_operator(const struct NB(nb_model) *model, struct nb_dual_system *self,
                                      struct nb_error *error)
{
    const struct nb_csr *mass = &model->problem->linear.mass;
    enum nb_status status = NB_OK;
    self->matrix = &model->delassus;
    if (model->inertia_kind == NB_INERTIA_BLOCKS) {
        status = NB(nb_delassus_create)(&self->delassus, model, error);
        self->matrix = &self->delassus.matrix;
    } else if (model->inertia_kind == NB_INERTIA_GENERAL && sizeof(nb_real) == sizeof(double) &&
               !nb_dual_system_is_symmetric(mass)) {
        self->matrix = &self->general;
        status = nb_dual_system_general_mass(self, model, error);
    } else if (model->inertia_kind == NB_INERTIA_DELASSUS || NB(nb_unsymmetric_fit)(model)) {
        self->matrix = &self->given.matrix;
        status = NB(nb_unsymmetric_create)(&self->given, model, error);
    }
    return status;
}

/* Of a W that is given, where a factor of reduced rows is the cheaper; in single precision nothing tells the rank. */
static enum nb_status reduce(const struct nb_nonsmooth *system, struct nb_dual_system *self, struct nb_error *error)
{
    if (system->model->inertia_kind != NB_INERTIA_DELASSUS || sizeof(nb_real) != sizeof(double))
        return NB_OK;
    enum nb_status status = nb_reduced_matrix_create(&self->reduced, self->matrix, error);
    if (status || !self->reduced)
        return status;
    if (self->reduced->operations > nb_newton_matrix_operations(self->newton)) {
        nb_reduced_matrix_free(self->reduced);
        self->reduced = NULL;
    }
    return NB_OK;
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_dual_system *self = data;
    NB_ARRAY(arena, self->free, self->rows);
    NB_ARRAY(arena, self->solution, self->rows);
    NB_ARRAY(arena, self->transposed, 9 * self->blocks + 1); /* vectors of four reach past the last block */
    NB_ARRAY(arena, self->inverse, self->reduced ? 3 * self->rows : 0);
    NB_ARRAY(arena, self->change, self->reduced ? self->rows : 0);
}

static void fill_transposed(struct nb_dual_system *self)
{
    for (size_t k = 0; k < self->blocks; ++k)
        for (size_t e = 0; e < 9; ++e)
            self->transposed[9 * k + e] = (nb_real)self->matrix->value[9 * k + e % 3 * 3 + e / 3];
}

static void set_costs(struct nb_nonsmooth *system, const struct nb_dual_system *self)
{
    const double blocks = self->matrix->start[self->matrix->rows], rows = self->matrix->rows;
    const double operations = self->reduced ? self->reduced->operations
                                            : nb_newton_matrix_operations(self->newton);
    system->sweep_cost = NB_COST_BLOCK * blocks + NB_COST_CONTACT * rows;
    system->closed_contacts_cost = self->reduced ? 0 : NB_COST_FLOP * operations;
    system->step_cost = NB_COST_FLOP * operations + NB_COST_MAP * rows +
                       (self->reduced ? NB_COST_BLOCK : 9 * NB_COST_ENTRY) * blocks;
}

static enum nb_status create(struct nb_nonsmooth *system, struct nb_error *error)
{
    struct NB(nb_model) *model = system->model;
    struct nb_dual_system *self = calloc(1, sizeof *self);
    system->self = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the rows' Newton matrix");
    enum nb_status status = create_operator(model, self, error);
    if (!status)
        status = order_pattern(self, error);
    if (!status)
        status = reduce(system, self, error);
    system->matrix = self->newton;
    if (status)
        return status;
    self->rows = system->rows;
    self->blocks = (size_t)self->matrix->start[self->matrix->rows];
    self->memory = nb_arena_allocate(lay_out, self);
    if (!self->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %zu blocks of 3x3", self->blocks);
    set_costs(system, self);
    return NB_OK;
}

/* u with M u = f + J^T p to round-off: with an LU factor a second pass makes its error good. */
static void complete(struct nb_nonsmooth *system, const nb_real *p, nb_real *u)
{
    const struct nb_dual_system *self = system->self;
    if (!self->mass)
        NB(nb_model_correct)(system->model, p, system->momentum, system->defect, u);
    for (int k = 0; k < 2 && self->mass; ++k)
        nb_dual_system_correct(system, p, u);
}

/* W p is as exact as the factor of M with which W was formed, u is to round-off: what J u + w is beyond
 * W p becomes part of q, as in iterative refinement. Without M, W is what is given. */
static int renew(struct nb_nonsmooth *system)
{
    struct nb_dual_system *self = system->self;
    if (system->model->inertia_kind == NB_INERTIA_DELASSUS)
        return 0;
    complete(system, system->p, system->u);
    NB(nb_model_evaluate)(system->model, system->u);
    NB(nb_bsr_multiply)(self->matrix, system->p, system->velocity, system->model->threads);
    for (size_t i = 0; i < system->rows; ++i)
        self->free[i] = system->model->violation[i] - system->velocity[i];
    return 1;
}

static void fill_local(struct nb_nonsmooth *system, struct nb_dual_system *self)
{
    const struct NB(nb_model) *model = system->model;
    const int bilateral = model->bilateral_blocks;
    for (int i = 0; i < model->blocks; ++i) {
        nb_real *block = system->local + 9 * (size_t)i;
        for (int k = self->matrix->start[i]; k < self->matrix->start[i + 1]; ++k)
            for (int e = 0; e < 9 && self->matrix->column[k] == i; ++e)
                block[e] = (nb_real)self->matrix->value[9 * (size_t)k + (size_t)e] +
                           (i < bilateral ? model->bilateral_compliance[9 * i + e] : 0);
    }
}

/* The Jacobian is constant: this happens once. */
static void begin(struct nb_nonsmooth *system)
{
    struct nb_dual_system *self = system->self;
    struct NB(nb_model) *model = system->model;
    memset(system->u, 0, system->dofs * sizeof *system->u);
    complete(system, system->p, system->u);
    NB(nb_model_evaluate)(model, system->u);
    memcpy(self->free, model->violation, system->rows * sizeof *self->free);
    for (size_t i = 0; i < system->rows; ++i)
        system->scratch[i] = 1;
    if (model->inertia_kind == NB_INERTIA_BLOCKS)
        NB(nb_delassus_fill)(&self->delassus, model, system->scratch);
    fill_local(system, self);
    fill_transposed(self);
}

/* u~ + M^-1 J^T p */
static void follow(struct nb_nonsmooth *system, const nb_real *p, nb_real *u)
{
    const struct nb_dual_system *self = system->self;
    if (NB(nb_unsymmetric_respond)(&self->given, system->model, p, u))
        return;
    memcpy(u, system->first_u, system->dofs * sizeof *u);
    if (self->response)
        NB(nb_unsymmetric_add_responses)(self->response, p, system->rows, system->dofs, u);
    else
        complete(system, p, u);
}

static nb_real evaluate(struct nb_nonsmooth *system, const nb_real *u, const nb_real *p)
{
    const struct nb_dual_system *self = system->self;
    const int threads = system->model->threads;
    (void)u;
    NB(nb_bsr_multiply)(self->matrix, p, system->velocity, threads);
    for (size_t i = 0; i < system->rows; ++i)
        system->velocity[i] += self->free[i];
    NB(nb_model_add_compliance)(system->model, p, system->velocity);
    return 0;
}

/* Row block i of the Newton matrix: left W, and diagonal [9] added to its own block. */
static void fill_row(struct nb_dual_system *self, int i, const nb_real *left, const nb_real *diagonal)
{
    const struct NB(nb_bsr) *matrix = self->matrix;
    double *value = nb_newton_matrix_values(self->newton);
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
        const nb_matrix *a = matrix->value + 9 * (size_t)k;
        const int *position = self->position + 9 * (size_t)k;
        const int own = matrix->column[k] == i;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                const nb_real sum = left[3 * r] * (nb_real)a[c] + left[3 * r + 1] * (nb_real)a[3 + c] +
                                    left[3 * r + 2] * (nb_real)a[6 + c];
                value[position[3 * r + c]] = (double)(own ? sum + diagonal[3 * r + c] : sum);
            }
    }
}

/* P' rho, and what p itself adds. */
void nb_dual_system_row_block(const struct nb_nonsmooth *system, int i, nb_real *left, nb_real *diagonal)
{
    const int bilateral = i < system->model->bilateral_blocks;
    const nb_real *rho = system->rho + 3 * (size_t)i, *slope = system->slope + 9 * (size_t)i;
    const nb_real weight = nb_nonsmooth_weight(system, (size_t)i, system->sigma);
    for (int e = 0; e < 9; ++e) {
        const nb_real one = (nb_real)(e % 4 == 0), product = bilateral ? one : slope[e];
        left[e] = product * rho[e % 3];
        diagonal[e] = product * weight +
                      (bilateral ? rho[e / 3] * system->model->bilateral_compliance[9 * i + e] : one - product);
    }
}

static enum nb_status direction(struct nb_nonsmooth *system)
{
    struct nb_dual_system *self = system->self;
    if (self->reduced && nb_dual_system_reduced_direction(system) == NB_OK)
        return NB_OK;
    for (int i = 0; i < system->model->blocks; ++i) {
        nb_real left[9], diagonal[9];
        nb_dual_system_row_block(system, i, left, diagonal);
        fill_row(self, i, left, diagonal);
    }
    const enum nb_status status = nb_newton_matrix_factorise(self->newton);
    if (status)
        return status;
    for (size_t i = 0; i < system->rows; ++i)
        self->solution[i] = -(double)system->residual[i];
    nb_newton_matrix_solve(self->newton, self->solution);
    for (size_t i = 0; i < system->rows; ++i)
        system->step_p[i] = (nb_real)self->solution[i];
    return NB_OK;
}

typedef nb_real four __attribute__((vector_size(4 * sizeof(nb_real))));
typedef nb_real four_loose
    __attribute__((vector_size(4 * sizeof(nb_real)), aligned(sizeof(nb_real)), may_alias));

/* U of block row i, from its blocks up to stop. The fourth lane holds nothing. p is read entry by entry, as
 * sweeps write it: a wider load would wait for the stores just before it. */
static inline void row_velocity(const struct nb_dual_system *self, const nb_real *p, int i, int stop, nb_real *out)
{
    const struct NB(nb_bsr) *matrix = self->matrix;
    four sum = {self->free[3 * i], self->free[3 * i + 1], self->free[3 * i + 2], 0};
    four second = {0}, third = {0};
    for (int k = matrix->start[i]; k < stop; ++k) {
        const nb_real *a = self->transposed + 9 * (size_t)k, *x = p + 3 * (size_t)matrix->column[k];
        sum += *(const four_loose *)(const void *)a * x[0];
        second += *(const four_loose *)(const void *)(a + 3) * x[1];
        third += *(const four_loose *)(const void *)(a + 6) * x[2];
    }
    sum += second + third;
    for (int r = 0; r < 3; ++r)
        out[r] = sum[r];
}

static int is_zero(const nb_real *x, size_t n)
{
    size_t i = 0;
    while (i < n && x[i] == 0)
        ++i;
    return i == n;
}

/* The end of row i; of a first sweep in order, its diagonal: no row after it has a force yet. */
static inline int stop_of(const struct NB(nb_bsr) *matrix, int i, int first)
{
    const int end = matrix->start[i + 1];
    int stop = first ? matrix->start[i] : end;
    while (stop < end && matrix->column[stop] < i)
        ++stop;
    return stop;
}

static nb_real sweep(struct nb_nonsmooth *system, int backward)
{
    const struct nb_dual_system *self = system->self;
    const int blocks = system->model->blocks, first = !backward && is_zero(system->p, system->rows);
    nb_real energy = 0;
    for (int k = 0; k < blocks; ++k) {
        const int i = backward ? blocks - 1 - k : k;
        nb_real velocity[3], change[3];
        row_velocity(self, system->p, i, stop_of(self->matrix, i, first), velocity);
        energy += nb_nonsmooth_relax_block(system, i, velocity, change);
    }
    return energy;
}

/* Parts of a Newton step for a B = -dp/dU of the caller's own (nonsmooth_system.h): with c = dp at dU = 0
 *
 *     (1 + B W) dp = c,
 *
 * whose rows the LU scales: B goes from next to nothing where a contact opens to next to infinity where it
 * sticks. There c - B W dp would have no digits left; dp itself is the unknown. */
static void linearise(struct nb_nonsmooth *system)
{
    for (int i = 0; i < system->model->bilateral_blocks; ++i)
        nb_nonsmooth_bilateral_tangent(system, i, system->contact_tangent + 9 * (size_t)i);
}

static enum nb_status factorise(struct nb_nonsmooth *system)
{
    static const nb_real none[9] = {0}, one[9] = {[0] = 1, [4] = 1, [8] = 1};
    struct nb_dual_system *self = system->self;
    for (int i = 0; i < system->model->blocks; ++i)
        fill_row(self, i, system->left_out[i] ? none : system->contact_tangent + 9 * (size_t)i, one);
    return nb_newton_matrix_factorise(self->newton);
}

static void solve(struct nb_nonsmooth *system)
{
    struct nb_dual_system *self = system->self;
    for (size_t i = 0; i < system->rows; ++i)
        self->solution[i] = (double)system->step_p[i];
    nb_newton_matrix_solve(self->newton, self->solution);
    for (size_t i = 0; i < system->rows; ++i)
        system->step_p[i] = (nb_real)self->solution[i];
    NB(nb_bsr_multiply)(self->matrix, system->step_p, system->scratch, system->model->threads);
    for (size_t i = 0; i < system->rows; i += 3) {
        nb_real change[3];
        if (!system->left_out[i / 3])
            continue;
        NB(nb_block_apply)(system->contact_tangent + 3 * i, system->scratch + i, change);
        for (size_t r = 0; r < 3; ++r)
            system->step_p[i + r] -= change[r];
    }
}

const struct nb_formulation nb_dual_formulation = {
    .create = create,
    .begin = begin,
    .evaluate = evaluate,
    .direction = direction,
    .sweep = sweep,
    .complete = complete,
    .follow = follow,
    .renew = renew,
    .linearise = linearise,
    .factorise = factorise,
    .solve = solve,
    .free = release,
};
