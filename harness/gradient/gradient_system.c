/* (dF/dx)^T of gradient.h at a solution. The model gives J, the slope S of the rows' velocities by u, which differs
 * from J by the turn of bodies, and d(J^T p)/du; elements give the Hessian K of their energy:
 *
 *     dF/dx = [ M - d(J^T p)/du + h^2 K     -J^T ]          T = p_n mu/|U_T| (1 - t t^T),  t = U_T/|U_T|,
 *             [ S, T S_T                    C    ]
 *
 * C being E/h^2 of bilateral rows, and mu t and 1 of tangents that slide. Unknowns are over the roots of M_kk and of w,
 * equations likewise, so that no unit is left. In this scaling rows that do not slide get a compliance SOFT, so that
 * redundant ones leave a factor, and its solution is corrected until SOFT has no part in it: what is redundant
 * then counts in the norm of least change. */
#include "solvers/precision/f64.h" /* the model in float64 */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <umfpack.h>

#include "harness/gradient/gradient_private.h"
#include "problems/elements.h"

#define SOFT 0x1p-36 /* two thirds of the digits for rows that differ, one third a correction for the others */
#define CREEPS 0.95  /* a correction that leaves more than that is the last */
enum { CORRECTIONS = 200 };

/* What one filling needs; entries are transposed: (unknown, equation). */
struct filling {
    struct nb_gradient *g;
    struct nb_triplets entries;
    int *row_at;              /* [model rows] the row that it is, or -1 */
    int *pair_start;          /* [blocks + 1] */
    double *slope, *pairs, *impulse;
    void *memory;
};

static void put(struct filling *f, int equation, int unknown, double value)
{
    if (value != 0)
        nb_triplets_add(&f->entries, unknown, equation, value);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct filling *f = data;
    const struct NB(nb_model) *model = f->g->model;
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    size_t pairs = 0;
    for (int i = 0; i < model->blocks; ++i) {
        const size_t count = (size_t)(jacobian->start[i + 1] - jacobian->start[i]);
        pairs += count * count;
    }
    NB_ARRAY(arena, f->row_at, 3 * (size_t)model->blocks);
    NB_ARRAY(arena, f->pair_start, model->blocks + 1);
    NB_ARRAY(arena, f->slope, 9 * (size_t)jacobian->start[model->blocks]);
    NB_ARRAY(arena, f->pairs, 9 * pairs);
    NB_ARRAY(arena, f->impulse, 3 * (size_t)model->blocks);
}

/* What the rows and their impulses turn by, where the step is not linear; the arena's pairs begin as 0. */
static void take_curvature(struct filling *f)
{
    const struct NB(nb_model) *model = f->g->model;
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    memcpy(f->slope, jacobian->value, 9 * (size_t)jacobian->start[model->blocks] * sizeof *f->slope);
    if (model->constant)
        return;
    NB(nb_model_curvature)(model, f->g->u, f->impulse, f->pair_start, f->slope, f->pairs);
    for (int i = model->bilateral_blocks; i < model->blocks; ++i)
        NB(nb_model_contact_pairs)(model, i, f->g->u, f->impulse, f->pairs + 9 * (size_t)f->pair_start[i]);
}

static void begin(struct filling *f)
{
    const struct nb_gradient *g = f->g;
    const struct NB(nb_model) *model = g->model;
    for (int i = 0; i < 3 * model->blocks; ++i)
        f->row_at[i] = -1;
    for (int row = 0; row < g->rows; ++row)
        if (g->entry[row] >= 0) {
            f->row_at[nb_gradient_model_row(g, row)] = row;
            f->impulse[nb_gradient_model_row(g, row)] = g->impulse[row];
        }
    for (int i = 0; i < model->blocks; ++i) {
        const int count = model->jacobian.start[i + 1] - model->jacobian.start[i];
        f->pair_start[i + 1] = f->pair_start[i] + count * count;
    }
    take_curvature(f);
}

static void add_mass(struct filling *f)
{
    const struct nb_csr *mass = &f->g->mass;
    for (int i = 0; i < mass->rows; ++i)
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            put(f, i, mass->column[k], mass->value[k]);
}

/* -d(J^T p)/du of a block row. */
static void add_pairs(struct filling *f, int block)
{
    const struct NB(nb_bsr) *jacobian = &f->g->model->jacobian;
    const int first = jacobian->start[block], count = jacobian->start[block + 1] - first;
    for (int j = 0; j < count; ++j)
        for (int k = 0; k < count; ++k)
            for (int e = 0; e < 9; ++e)
                put(f, 3 * jacobian->column[first + j] + e / 3, 3 * jacobian->column[first + k] + e % 3,
                    -f->pairs[9 * (size_t)(f->pair_start[block] + j * count + k) + (size_t)e]);
}

/* The block's part of -J^T and, of rows that vanish, of S. */
static void add_rows(struct filling *f, int block)
{
    const struct nb_gradient *g = f->g;
    const struct NB(nb_bsr) *jacobian = &g->model->jacobian;
    for (int r = 0; r < 3; ++r) {
        const int row = f->row_at[3 * block + r];
        if (row < 0)
            continue;
        for (int k = jacobian->start[block]; k < jacobian->start[block + 1]; ++k)
            for (int c = 0; c < 3 && 3 * jacobian->column[k] + c < g->dofs; ++c) {
                const size_t at = 9 * (size_t)k + (size_t)(3 * r + c);
                put(f, 3 * jacobian->column[k] + c, g->entry[row], -jacobian->value[at]);
                if (nb_gradient_is_closed(g, row))
                    put(f, g->entry[row], 3 * jacobian->column[k] + c, f->slope[at]);
            }
        if (row < g->bilaterals)
            put(f, g->entry[row], g->entry[row],
                g->model->bilateral_compliance[9 * (size_t)block + 4 * (size_t)r]);
    }
}

/* p_T + mu p_n U_T/|U_T| = 0 of a contact that slides. */
static void add_sliding(struct filling *f, int contact)
{
    const struct nb_gradient *g = f->g;
    const struct NB(nb_bsr) *jacobian = &g->model->jacobian;
    const int row = g->bilaterals + 3 * contact, block = g->model->bilateral_blocks + contact;
    const double *t = g->direction + 2 * contact, mu = g->model->friction[contact];
    const double speed = hypot(g->velocity[row + 1], g->velocity[row + 2]);
    for (int k = 0; k < 2; ++k) {
        const int equation = g->entry[row + 1 + k];
        put(f, equation, equation, 1);
        put(f, equation, g->entry[row], mu * t[k]);
        for (int j = 0; j < 2 && mu > 0; ++j)
            for (int b = jacobian->start[block]; b < jacobian->start[block + 1]; ++b)
                for (int c = 0; c < 3 && 3 * jacobian->column[b] + c < g->dofs; ++c)
                    put(f, equation, 3 * jacobian->column[b] + c,
                        mu * g->impulse[row] / speed * ((j == k) - t[k] * t[j]) *
                            f->slope[9 * (size_t)b + (size_t)(3 * (1 + j) + c)]);
    }
}

/* h^2 K at q+. */
static void add_elements(struct filling *f)
{
    const struct nb_problem *problem = f->g->problem;
    const struct nb_tetrahedra *tetrahedra = &problem->tetrahedra;
    const int first = 6 * problem->bodies.count;
    const double h = problem->time_step;
    for (int t = 0; t < tetrahedra->count; ++t) {
        const int *particle = tetrahedra->particle + 4 * t;
        double hessian[144];
        nb_element_hessian(tetrahedra, t, f->g->particle, hessian);
        for (int i = 0; i < 12; ++i)
            for (int j = 0; j < 12; ++j)
                put(f, first + 3 * particle[i / 3] + i % 3, first + 3 * particle[j / 3] + j % 3,
                    h * h * hessian[12 * i + j]);
    }
}

static enum nb_status fill(struct nb_gradient *g, struct nb_error *error)
{
    struct filling f = {.g = g};
    const struct NB(nb_model) *model = g->model;
    f.memory = nb_arena_allocate(lay_out, &f);
    if (!f.memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the gradient's system");
    begin(&f);
    add_mass(&f);
    for (int i = 0; i < model->blocks; ++i) {
        add_rows(&f, i);
        if (f.row_at[3 * i] >= 0 && !model->constant)
            add_pairs(&f, i);
    }
    for (int i = 0; i < g->contacts; ++i)
        if (g->state[i] == NB_CONTACT_SLIDES)
            add_sliding(&f, i);
    add_elements(&f);
    free(f.memory);
    return nb_csr_take_triplets(&g->transposed, g->size, g->size, &f.entries, error);
}

static void find_scales(struct nb_gradient *g)
{
    for (int i = 0; i < g->dofs; ++i) {
        const double m = nb_csr_diagonal(&g->mass, i);
        g->scale_in[i] = g->scale_out[i] = 1 / sqrt(m);
    }
    for (int i = g->dofs; i < g->size; ++i) {
        const int row = g->row_of[i - g->dofs];
        const double w = g->inverse_mass[row] > 0 ? g->inverse_mass[row] : 1;
        g->scale_in[i] = 1 / sqrt(w);
        g->scale_out[i] = nb_gradient_is_closed(g, row) ? 1 / sqrt(w) : sqrt(w);
    }
}

/* scaled = (R F C)^T, with SOFT on the diagonal of rows that vanish. */
static enum nb_status scale(struct nb_gradient *g, struct nb_error *error)
{
    struct nb_triplets entries = {0};
    const struct nb_csr *from = &g->transposed;
    for (int i = 0; i < g->size; ++i) {
        for (int k = from->start[i]; k < from->start[i + 1]; ++k)
            nb_triplets_add(&entries, i, from->column[k],
                            g->scale_in[i] * from->value[k] * g->scale_out[from->column[k]]);
        if (i >= g->dofs && nb_gradient_is_closed(g, g->row_of[i - g->dofs]))
            nb_triplets_add(&entries, i, i, SOFT);
    }
    return nb_csr_take_triplets(&g->scaled, g->size, g->size, &entries, error);
}

/* Compressed rows are the columns of the transposed matrix. */
static enum nb_status factorise(struct nb_gradient *g, struct nb_error *error)
{
    const struct nb_csr *a = &g->scaled;
    void *symbolic = NULL;
    int status = umfpack_di_symbolic(a->rows, a->rows, a->start, a->column, a->value, &symbolic, NULL, NULL);
    status = status ? status : umfpack_di_numeric(a->start, a->column, a->value, symbolic, &g->numeric, NULL, NULL);
    umfpack_di_free_symbolic(&symbolic);
    if (status == UMFPACK_ERROR_out_of_memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the factor of the gradient's system");
    return status ? nb_fail(error, NB_BREAKDOWN, "%s: the derivative of the step is singular at this solution",
                            g->problem->name)
                  : NB_OK;
}

enum nb_status nb_gradient_assemble(struct nb_gradient *g, struct nb_error *error)
{
    enum nb_status status = fill(g, error);
    if (!status) {
        find_scales(g);
        status = scale(g, error);
    }
    return status ? status : factorise(g, error);
}

/* left = C (right - (dF/dx)^T z), and its norm. */
static double leave(const struct nb_gradient *g, const double *right, const double *z, double *left)
{
    double sum = 0;
    nb_csr_multiply(&g->transposed, z, left, 0);
    for (int i = 0; i < g->size; ++i) {
        left[i] = g->scale_in[i] * (right[i] - left[i]);
        sum += left[i] * left[i];
    }
    return sqrt(sum);
}

double nb_gradient_correct(struct nb_gradient *g, const double *right, double *z, double *left)
{
    memset(z, 0, (size_t)g->size * sizeof *z);
    const double first = leave(g, right, z, left);
    double norm = first, before;
    int corrections = 0;
    if (!(first > 0))
        return 0;
    do {
        before = norm;
        if (umfpack_di_solve(UMFPACK_At, g->scaled.start, g->scaled.column, g->scaled.value, g->change, left,
                             g->numeric, NULL, NULL) != UMFPACK_OK)
            return INFINITY;
        for (int i = 0; i < g->size; ++i)
            z[i] += g->scale_out[i] * g->change[i];
        norm = leave(g, right, z, left);
    } while (norm < CREEPS * before && ++corrections < CORRECTIONS);
    if (!(norm < before)) { /* back to the point before */
        for (int i = 0; i < g->size; ++i)
            z[i] -= g->scale_out[i] * g->change[i];
        norm = leave(g, right, z, left);
    }
    return norm / first;
}
