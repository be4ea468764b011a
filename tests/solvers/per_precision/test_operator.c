/* The Schur operator in this precision: every registered form against a dense L J M^-1 J^T L + C
 * that LAPACK computes in double from the linearised problem. */
#include "tests/support/support.h"

#include <lapacke.h>

#include "solvers/model/model.h"
#include "solvers/registry.h"
#include "solvers/strategy.h"

#define U ((double)NB_UNIT_ROUNDOFF)

static void dense_solve(double *matrix, int n, double *x, int columns)
{
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, columns, matrix, n, x, columns), 0);
}

/* J M^-1 J^T in the model's row order, bilateral rows padded. */
static double *dense_delassus(const struct nb_problem *problem, const struct nb_model *model)
{
    struct nb_problem linear, local;
    const int rows = 3 * model->blocks;
    double *out = calloc((size_t)rows * (size_t)rows + 1, sizeof *out);
    if (problem->form == NB_LINEAR_LOCAL) {
        assert_int_equal(nb_problem_copy(problem, &local, NULL), NB_OK);
    } else {
        assert_int_equal(nb_problem_linearize(problem, &linear, NULL), NB_OK);
        test_condense(&linear, &local, dense_solve);
        nb_problem_free(&linear);
    }
    const struct nb_csr *w = &local.linear.delassus;
    const int contact_rows = 3 * model->contacts;
    for (int i = 0; i < w->rows; ++i)
        for (int k = w->start[i]; k < w->start[i + 1]; ++k) {
            const int j = w->column[k];
            const int r = i < contact_rows ? 3 * model->bilateral_blocks + i : i - contact_rows;
            const int c = j < contact_rows ? 3 * model->bilateral_blocks + j : j - contact_rows;
            out[r * rows + c] = w->value[k];
        }
    nb_problem_free(&local);
    return out;
}

static void check_form(const struct nb_model *model, const struct nb_operator_strategy *form,
                       const double *delassus)
{
    const int rows = 3 * model->blocks;
    OWNS(free_at) nb_real *scale = calloc((size_t)rows, sizeof *scale), *c = calloc((size_t)rows, sizeof *c);
    OWNS(free_at) nb_real *x = calloc((size_t)rows, sizeof *x), *y = calloc((size_t)rows, sizeof *y);
    struct nb_operator op = {.strategy = form, .model = model, .size = (size_t)rows, .threads = 1};
    uint32_t seed = 11;
    op.diagonal = calloc((size_t)rows, sizeof *op.diagonal);
    assert_int_equal(form->setup(&op, model, NULL), NB_OK);
    for (int i = 0; i < rows; ++i) {
        scale[i] = (nb_real)(i % 4 == 1 ? 0 : 1 + test_uniform(&seed));
        c[i] = (nb_real)(0.01 + fabs(test_uniform(&seed)));
        x[i] = (nb_real)test_uniform(&seed);
    }
    form->update(&op, scale, c);
    nb_operator_apply(&op, x, y);
    assert_int_equal(op.applications, 1);
    for (int i = 0; i < rows; ++i) {
        double sum = (double)c[i] * (double)x[i], size = fabs(sum);
        for (int j = 0; j < rows; ++j) {
            const double term = (double)scale[i] * delassus[i * rows + j] * (double)scale[j] * (double)x[j];
            sum += term;
            size += fabs(term);
        }
        /* Round-off of J and M^-1 in rows that nearly cancel is bounded by the row's diagonal. */
        size += delassus[i * rows + i];
        assert_true(fabs((double)y[i] - sum) <= 300 * U * size);
        const double d = (double)scale[i] * delassus[i * rows + i] * (double)scale[i] + (double)c[i];
        assert_true(fabs((double)op.diagonal[i] - d) <= 300 * U * (d + delassus[i * rows + i]));
    }
    form->free(&op);
    free(op.diagonal);
}

static void check_problem(const struct nb_problem *problem)
{
    struct nb_model *model = NULL;
    struct nb_registry_row row;
    assert_int_equal(nb_model_create(&model, problem, 1, NULL), NB_OK);
    nb_real *u = calloc(3 * (size_t)model->nodes + 1, sizeof *u);
    nb_model_evaluate(model, u);
    double *delassus = dense_delassus(problem, model);
    for (size_t i = 0; nb_slot_row("operator", i, &row); ++i)
        check_form(model, nb_find_operator(row.name), delassus);
    free(delassus);
    free(u);
    nb_model_free(model);
}

TEST(test_rigid_bodies)
{
    const char *tilted[] = {"angle=23", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "heavy_stack", NULL);
    check_problem(&problem);
    nb_problem_free(&problem);
    test_scene(&problem, "arch", NULL);
    check_problem(&problem);
    nb_problem_free(&problem);
    test_scene(&problem, "incline", tilted);
    check_problem(&problem);
}

TEST(test_linear_problems)
{
    for (int bilaterals = 0; bilaterals < 5; ++bilaterals)
        for (int coupled = 0; coupled < 2; ++coupled) {
            OWNS(nb_problem_free) struct nb_problem global, local;
            test_global(&global, 26 - coupled, 5, bilaterals, coupled, 5u + (uint32_t)bilaterals);
            check_problem(&global);
            test_condense(&global, &local, dense_solve);
            check_problem(&local);
        }
}

/* The numbering of unknowns survives the round trip through padding. */
TEST(test_unknowns_round_trip)
{
    OWNS(nb_problem_free) struct nb_problem global, local;
    test_global(&global, 16, 3, 4, 0, 1);
    test_condense(&global, &local, dense_solve);
    for (int p = 0; p < 2; ++p) {
        const struct nb_problem *problem = p ? &local : &global;
        struct nb_model *model = NULL;
        double in[64], out[64];
        nb_real inside[64];
        assert_int_equal(nb_model_create(&model, problem, 1, NULL), NB_OK);
        for (int i = 0; i < 64; ++i)
            in[i] = i + 1;
        nb_model_narrow_velocity(model, in, inside);
        nb_model_widen_velocity(model, inside, out);
        assert_memory_equal(in, out, (size_t)nb_problem_dofs(problem) * sizeof *in);
        nb_model_narrow_multiplier(model, in, inside);
        nb_model_widen_multiplier(model, inside, out);
        assert_memory_equal(in, out, (size_t)nb_problem_multipliers(problem) * sizeof *in);
        assert_true(inside[4] == 0 && inside[5] == 0); /* padding after four bilateral rows */
        nb_model_free(model);
    }
}
