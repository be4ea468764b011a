/* The step as engines' textbooks have it, a linear complementarity problem, solved by Lemke's pivoting
 * (solvers/outer/lemke/lcp.h). Friction is in a pyramid of n directions d_k (solvers/contact/pyramid.h), and of each
 * contact there are n + 2 unknowns: R_n, the shares beta_k >= 0 of R_T = sum_k beta_k d_k, and the slip sigma,
 *
 *     0 <= U_n                       _|_  R_n    >= 0
 *     0 <= d_k . U_T + sigma         _|_  beta_k >= 0        k = 0 .. n-1
 *     0 <= b mu R_n - sum_k beta_k   _|_  sigma  >= 0,       U = W R + q.
 *
 * Bilateral rows have free unknowns. Rows and columns are scaled to a unit diagonal.
 * A nonlinear step is linearised anew at each solution (solvers/outer/dual/dual.h). Where contacts slip between two
 * directions the natural map, which knows the cone, does not vanish: it is what the pyramid costs.
 *
 * The tableau is dense: n^2 numbers and as much work a pivot. Stewart and Trinkle 1996; Anitescu and Potra 1997. */
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/outer/dual/dual.h"
#include "solvers/outer/lemke/lcp.h"

enum { PYRAMID, DIRECTIONS, SETTINGS };
enum { MOST_UNKNOWNS = 2000 };

static const struct nb_setting settings[] = {
    [PYRAMID] = {.name = "pyramid", .choices = "inner,outer", .meaning = "in Coulomb's cone, or around it"},
    [DIRECTIONS] = NB_PYRAMID_DIRECTIONS,
    [SETTINGS] = {.name = NULL},
};

/* The unknowns of one block after the other: three of a bilateral one, n + 2 of a contact, one without friction. */
struct lemke {
    int blocks;
    int *first;         /* [blocks + 1] unknown of each block                                      */
    struct nb_lcp lcp;
    nb_real *basis;     /* [3 unknowns] R of the block by the unknown, scaled: e_n, d_k; 0 of sigma */
    nb_real *given;     /* [rows] q of the last solve                                              */
    long updates;       /* one more than those of its W; 0: there is none                           */
    void *memory;
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct lemke *self = data;
    NB_ARRAY(arena, self->first, self->blocks + 1);
    NB_ARRAY(arena, self->basis, 3 * self->lcp.size);
    NB_ARRAY(arena, self->given, 3 * self->blocks);
}

/* Of block i. */
static int count_unknowns(const struct nb_dual *dual, int i)
{
    const struct nb_model *model = dual->step.model;
    if (i < model->bilateral_blocks)
        return 3;
    return model->friction[i - model->bilateral_blocks] > 0 ? dual->pyramid.directions + 2 : 1;
}

static enum nb_status allocate(struct nb_dual *dual, struct nb_error *error)
{
    struct lemke *self = dual->state;
    const struct nb_model *model = dual->step.model;
    long unknowns = 0;
    for (int i = 0; i < model->blocks; ++i)
        unknowns += count_unknowns(dual, i);
    if (unknowns > MOST_UNKNOWNS)
        return nb_fail(error, NB_UNSUPPORTED,
                       "lemke has a dense tableau: %ld unknowns (directions + 2 a contact, 3 a block of joints), "
                       "allowed: up to %d an island", unknowns, MOST_UNKNOWNS);
    self->blocks = model->blocks;
    if (!nb_lcp_create(&self->lcp, (int)unknowns, 3 * model->bilateral_blocks) ||
        !(self->memory = nb_arena_allocate(lay_out, self)))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a tableau of %ld unknowns", unknowns);
    for (int i = 0; i < model->blocks; ++i)
        self->first[i + 1] = self->first[i] + count_unknowns(dual, i);
    return NB_OK;
}

static enum nb_status prepare(struct nb_dual *dual, struct nb_error *error)
{
    dual->pyramid = nb_pyramid_make((int)dual->value[DIRECTIONS], dual->value[PYRAMID] > 0);
    return allocate(dual, error);
}

static void release(void *state)
{
    struct lemke *self = state;
    free(self->memory);
    nb_lcp_free(&self->lcp);
}

static const char *restart(struct nb_dual *dual)
{
    struct lemke *self = dual->state;
    self->updates = 0;
    return NULL;
}

/* 1/sqrt(W_ii), or 0 of a row without response. */
static nb_real scale_of(nb_real diagonal)
{
    return diagonal > 0 ? 1 / nb_sqrt(diagonal) : 0;
}

/* The columns of block i in `basis`. */
static void scale_block(struct nb_dual *dual, int i)
{
    struct lemke *self = dual->state;
    const nb_real *diagonal = dual->step.op.diagonal + 3 * (size_t)i;
    const int first = self->first[i], count = self->first[i + 1] - first;
    nb_real *basis = self->basis + 3 * (size_t)first;
    const nb_real tangent = scale_of((diagonal[1] + diagonal[2]) / 2);
    memset(basis, 0, 3 * (size_t)count * sizeof *basis);
    for (int r = 0; first < self->lcp.free && r < 3; ++r)
        basis[4 * r] = scale_of(diagonal[r]);
    if (first < self->lcp.free)
        return;
    basis[0] = scale_of(diagonal[0]);
    for (int k = 0; k < count - 2; ++k) {
        nb_real *direction = basis + 3 * (size_t)(k + 1);
        nb_pyramid_direction(&dual->pyramid, k, direction + 1);
        direction[1] *= tangent;
        direction[2] *= tangent;
    }
}

/* basis_a^T W_ij basis_b of the unknowns of blocks i and j */
static void add_block(struct lemke *self, int i, int j, const nb_matrix *w)
{
    for (int a = self->first[i]; a < self->first[i + 1]; ++a) {
        const nb_real *left = self->basis + 3 * (size_t)a;
        nb_real row[3];
        for (int c = 0; c < 3; ++c)
            row[c] = left[0] * (nb_real)w[c] + left[1] * (nb_real)w[3 + c] + left[2] * (nb_real)w[6 + c];
        for (int b = self->first[j]; b < self->first[j + 1]; ++b) {
            const nb_real *right = self->basis + 3 * (size_t)b;
            self->lcp.matrix[(size_t)a * (size_t)self->lcp.size + (size_t)b] +=
                row[0] * right[0] + row[1] * right[1] + row[2] * right[2];
        }
    }
}

/* sigma in the rows of beta, and its own row: scaled by the root of the tangents' W, so that both are 1. */
static void add_slip(struct nb_dual *dual, int i)
{
    struct lemke *self = dual->state;
    const size_t n = (size_t)self->lcp.size, normal = (size_t)self->first[i], slip = (size_t)self->first[i + 1] - 1;
    const nb_real *diagonal = dual->step.op.diagonal + 3 * (size_t)i;
    const nb_real root = nb_sqrt((diagonal[1] + diagonal[2]) / 2);
    if (slip == normal)
        return;
    for (size_t k = normal + 1; k < slip; ++k) {
        self->lcp.matrix[k * n + slip] = 1;
        self->lcp.matrix[slip * n + k] = -1;
    }
    self->lcp.matrix[slip * n + normal] =
        dual->pyramid.bound * nb_dual_friction(dual, 3 * (size_t)i) * root * self->basis[3 * normal];
}

static void assemble(struct nb_dual *dual)
{
    struct lemke *self = dual->state;
    const struct nb_bsr *w = nb_dual_matrix(dual);
    const size_t n = (size_t)self->lcp.size;
    memset(self->lcp.matrix, 0, n * n * sizeof *self->lcp.matrix);
    for (int i = 0; i < self->blocks; ++i)
        scale_block(dual, i);
    for (int i = 0; i < self->blocks; ++i) {
        for (int k = w->start[i]; k < w->start[i + 1]; ++k)
            add_block(self, i, w->column[k], w->value + 9 * (size_t)k);
        for (int a = self->first[i]; a < self->first[i + 1]; ++a) {
            const nb_real *left = self->basis + 3 * (size_t)a, *q = dual->q + 3 * (size_t)i;
            self->lcp.offset[a] = left[0] * q[0] + left[1] * q[1] + left[2] * q[2];
        }
        if (i >= dual->step.model->bilateral_blocks)
            add_slip(dual, i);
    }
}

/* p = the unknowns' impulses */
static void read_impulses(struct nb_dual *dual)
{
    const struct lemke *self = dual->state;
    memset(dual->p, 0, dual->step.size * sizeof *dual->p);
    for (int i = 0; i < self->blocks; ++i)
        for (int a = self->first[i]; a < self->first[i + 1]; ++a)
            for (int r = 0; r < 3; ++r)
                dual->p[3 * (size_t)i + (size_t)r] += self->basis[3 * (size_t)a + (size_t)r] * self->lcp.z[a];
}

/* The problem of the present linearisation; nothing where it is that of the last solve. */
static const char *iterate(struct nb_dual *dual, struct nb_run *run)
{
    struct lemke *self = dual->state;
    const size_t bytes = dual->step.size * sizeof *dual->q;
    int pivots = 0;
    if (self->updates == dual->updates + 1 && !memcmp(self->given, dual->q, bytes))
        return NULL;
    assemble(dual);
    const char *reason = nb_lcp_solve(&self->lcp, &pivots);
    run->linear_iterations += pivots;
    if (reason)
        return reason;
    self->updates = dual->updates + 1;
    memcpy(self->given, dual->q, bytes);
    read_impulses(dual);
    return NULL;
}

static enum nb_friction_bounds bounds(const double *value)
{
    (void)value;
    return NB_FRICTION_PYRAMID;
}

static const struct nb_dual_method method = {.settings = settings,
                                             .state_size = sizeof(struct lemke),
                                             .sweeps = 1,
                                             .newton = 1,
                                             .bounds = bounds,
                                             .setup = prepare,
                                             .free = release,
                                             .restart = restart,
                                             .iterate = iterate};

static enum nb_status setup(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error)
{
    return nb_dual_setup(self, &method, model, options, error);
}

const struct nb_solver_strategy NB(nb_solver_lemke) = {
    .name = "lemke",
    .title = "Lemke's pivoting on a friction pyramid",
    .source = "Stewart and Trinkle 1996; Anitescu and Potra 1997",
    .self_contained = 1,
    .settings = settings,
    .setup = setup,
    .run = nb_dual_run,
    .free = nb_dual_free,
};
