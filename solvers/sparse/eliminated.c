/* One symmetric matrix S is factored L D L^T, and each entry of the diagonal is a form b S^-1 b^T of a row b:
 *
 *     global  S = [ -D  G^T ]   b = [ 0  J_i ]       form             (quasi-definite: any order of pivots will do)
 *                 [  G   K  ]
 *     local   S = R + D         b = V_i              W_ii - form
 *
 * Contacts of one body meet the same few columns of S^-1. So there is one solve for each column that any row meets,
 * x = S^-1 e_j, which adds b_j (b x) to the form of every row b that meets it. */
#include "solvers/sparse/eliminated.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/sparse/factor.h"

/* D over the rows' own diagonal: far below any joint's compliance, and far above rounding. */
#define COMPLIANCE 0x1p-20

struct forms {
    int order;                      /* of S                        */
    struct nb_triplets system, row; /* S (its lower triangle is not read), b */
};

/* Adds the block of `from` that begins at (row, column) and has `rows` rows, at (to_row, to_column) of `to`. */
static int place(const struct nb_csr *from, int row, int column, int rows, struct nb_triplets *to, int to_row,
                 int to_column)
{
    int fits = 1;
    for (int i = row; i < row + rows; ++i)
        for (int k = from->start[i]; k < from->start[i + 1]; ++k)
            if (from->column[k] >= column)
                fits = fits && nb_triplets_add(to, i - row + to_row, from->column[k] - column + to_column,
                                               from->value[k]);
    return fits;
}

/* Of row r of G^T with the diagonal of K alone: sum_k g_k^2 / K_kk. */
static double own_diagonal(const struct nb_linear_step *step, int r)
{
    const struct nb_csr *g = &step->bilateral_jacobian;
    double sum = 0;
    for (int k = g->start[r]; k < g->start[r + 1]; ++k)
        sum += g->value[k] * g->value[k] / nb_csr_diagonal(&step->mass, g->column[k]);
    return sum;
}

static int fill_global(const struct nb_linear_step *step, struct forms *forms)
{
    const int p = step->bilaterals;
    int fits = 1;
    forms->order = p + step->dofs;
    for (int r = 0; r < p; ++r)
        fits = fits && nb_triplets_add(&forms->system, r, r, -COMPLIANCE * own_diagonal(step, r));
    return fits && (p == 0 || place(&step->bilateral_jacobian, 0, 0, p, &forms->system, 0, p)) &&
           place(&step->mass, 0, 0, step->dofs, &forms->system, p, p) &&
           place(&step->contact_jacobian, 0, 0, 3 * step->contacts, &forms->row, 0, p);
}

static int fill_local(const struct nb_linear_step *step, struct forms *forms)
{
    const int rows = 3 * step->contacts, p = step->bilaterals;
    int fits = 1;
    forms->order = p;
    for (int r = 0; r < p; ++r)
        fits = fits && nb_triplets_add(&forms->system, r, r, COMPLIANCE * nb_csr_diagonal(&step->delassus, rows + r));
    return fits && place(&step->delassus, rows, rows, p, &forms->system, 0, 0) &&
           place(&step->delassus, 0, rows, rows, &forms->row, 0, 0);
}

static enum nb_status factorise(const struct nb_csr *system, struct nb_factor **factor, struct nb_error *error)
{
    const enum nb_status status =
        nb_factor_create(factor, system->rows, system->start, system->column, NB_FACTOR_LDLT, error);
    if (status)
        return status;
    const int *index = nb_factor_index(*factor);
    for (int k = 0; k < system->start[system->rows]; ++k)
        if (index[k] >= 0)
            nb_factor_values(*factor)[index[k]] = system->value[k];
    return nb_factor_update(*factor, error);
}

/* form [rows] += b S^-1 b^T; met is the transpose of row. x [2 order]: room. */
static enum nb_status add_forms(struct nb_factor *factor, const struct nb_csr *row, const struct nb_csr *met, double *x,
                                double *form, struct nb_error *error)
{
    double *unit = x + met->rows;
    memset(unit, 0, (size_t)met->rows * sizeof *unit);
    for (int j = 0; j < met->rows; ++j) {
        if (met->start[j] == met->start[j + 1])
            continue;
        unit[j] = 1;
        const enum nb_status status = nb_factor_solve(factor, unit, x, error);
        if (status)
            return status;
        unit[j] = 0;
        for (int k = met->start[j]; k < met->start[j + 1]; ++k) {
            const int i = met->column[k];
            double sum = 0;
            for (int m = row->start[i]; m < row->start[i + 1]; ++m)
                sum += row->value[m] * x[row->column[m]];
            form[i] += met->value[k] * sum;
        }
    }
    return NB_OK;
}

static enum nb_status sum_forms(const struct forms *forms, int rows, double *form, struct nb_error *error)
{
    const int n = forms->order;
    const struct nb_triplets *s = &forms->system, *b = &forms->row;
    struct nb_csr system = {0}, row = {0}, met = {0};
    struct nb_factor *factor = NULL;
    double *x = malloc((2 * (size_t)n + 1) * sizeof *x);
    enum nb_status status = x ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to eliminate %d rows", n);
    if (!status)
        status = nb_csr_from_triplets(&system, n, n, s->count, s->row, s->column, s->value, error);
    if (!status)
        status = nb_csr_from_triplets(&row, rows, n, b->count, b->row, b->column, b->value, error);
    if (!status)
        status = nb_csr_from_triplets(&met, n, rows, b->count, b->column, b->row, b->value, error);
    if (!status)
        status = factorise(&system, &factor, error);
    if (!status)
        status = add_forms(factor, &row, &met, x, form, error);
    nb_factor_free(factor);
    nb_csr_free(&system);
    nb_csr_free(&row);
    nb_csr_free(&met);
    free(x);
    return status;
}

static enum nb_status eliminate(const struct nb_problem *problem, double *diagonal, struct nb_error *error)
{
    const struct nb_linear_step *step = &problem->linear;
    const int local = problem->form == NB_LINEAR_LOCAL;
    const int rows = 3 * step->contacts;
    struct forms forms = {0};
    enum nb_status status = NB_OK;
    if (!(local ? fill_local(step, &forms) : fill_global(step, &forms)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to eliminate %d bilateral rows", step->bilaterals);
    memset(diagonal, 0, (size_t)rows * sizeof *diagonal);
    if (!status)
        status = sum_forms(&forms, rows, diagonal, error);
    for (int i = 0; local && i < rows; ++i)
        diagonal[i] = nb_csr_diagonal(&step->delassus, i) - diagonal[i];
    nb_triplets_free(&forms.system);
    nb_triplets_free(&forms.row);
    return status;
}

enum nb_status nb_eliminated_diagonal(const struct nb_problem *problem, double *diagonal, struct nb_error *error)
{
    if (problem->form != NB_NONLINEAR)
        return eliminate(problem, diagonal, error);
    struct nb_problem linear;
    enum nb_status status = nb_problem_linearize_in(problem, DBL_EPSILON / 2, &linear, error);
    if (status)
        return status;
    status = eliminate(&linear, diagonal, error);
    nb_problem_free(&linear);
    return status;
}
