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

/* C with the coupling of bilateral rows, dense. */
static nb_real *dense_compliance(const struct nb_model *model, const nb_real *diagonal)
{
    const int rows = 3 * model->blocks;
    nb_real *out = calloc((size_t)rows * (size_t)rows + 1, sizeof *out);
    for (int i = 0; i < rows; ++i)
        for (int k = i / 3 * 3; k < i / 3 * 3 + 3; ++k)
            out[i * rows + k] = i == k                             ? diagonal[i]
                                : i < 3 * model->bilateral_blocks ? model->bilateral_compliance[3 * i + k % 3]
                                                                  : 0;
    return out;
}

/* v = H^-1 J^T L p solves K v = J^T L C^-1 (L J v + C p), from which p comes back; and K's diagonal is H's and J's. */
static void check_condensed(const struct nb_problem *problem, const struct nb_model *model,
                            const struct nb_operator_strategy *form)
{
    const size_t rows = 3 * (size_t)model->blocks, nodes = 3 * (size_t)model->nodes;
    struct nb_operator op = {.strategy = form, .model = model, .size = rows, .threads = 1};
    struct nb_error error = {""};
    uint32_t seed = 23;
    if (model->inertia_kind != NB_INERTIA_BLOCKS) {
        assert_int_equal(form->setup(&op, model, &error), NB_UNSUPPORTED);
        assert_non_null(strstr(error.text, "stiffness"));
        return;
    }
    OWNS(free_at) nb_real *scale = calloc(rows, sizeof *scale), *c = calloc(rows, sizeof *c);
    OWNS(free_at) nb_real *p = calloc(rows, sizeof *p), *b = calloc(rows, sizeof *b), *back = calloc(rows, sizeof *b);
    OWNS(free_at) nb_real *v = calloc(nodes, sizeof *v), *y = calloc(nodes, sizeof *y), *z = calloc(nodes, sizeof *z);
    op.diagonal = calloc(nodes, sizeof *op.diagonal);
    assert_int_equal(form->setup(&op, model, &error), NB_OK);
    assert_int_equal(op.size, nodes - 3 * (size_t)model->pads);
    OWNS(free_at) nb_real *diagonal = calloc(rows, sizeof *diagonal);
    nb_model_diagonal(model, diagonal);
    nb_real mean = 0, size = 0;
    for (size_t i = 0; i < rows; ++i)
        mean += diagonal[i] / (nb_real)rows;
    for (size_t i = 0; i < rows; ++i) { /* soft rows, so that C^-1 J is no larger than H */
        const size_t entry = 9 * (i / 3) + 4 * (i % 3);
        scale[i] = (nb_real)(i % 4 == 1 ? 0 : 1 + test_uniform(&seed));
        c[i] = mean * (nb_real)(2 + test_uniform(&seed)) +
               (i < 3 * (size_t)model->bilateral_blocks ? model->bilateral_compliance[entry] : 0);
        p[i] = (nb_real)test_uniform(&seed);
    }
    form->update(&op, scale, c);
    OWNS(free_at) nb_real *dense = dense_compliance(model, c);
    for (size_t i = 0; i < rows; ++i)
        b[i] = scale[i] * p[i];
    nb_model_response(model, b, z, v);
    nb_bsr_multiply(&model->jacobian, v, b, 1);
    for (size_t i = 0; i < rows; ++i) {
        b[i] *= scale[i];
        for (size_t k = 0; k < rows; ++k)
            b[i] += dense[i * rows + k] * p[k];
    }
    nb_operator_apply(&op, v, y);
    form->condense(&op, b, z);
    for (size_t i = 0; i < op.size; ++i)
        size = nb_max(size, nb_abs(z[i]));
    for (size_t i = 0; i < op.size; ++i)
        if (!(nb_abs(y[i] - z[i]) <= 1000 * (nb_real)U * size))
            fail_msg("%s: K v is %g at %zu, not %g", problem->name, (double)y[i], i, (double)z[i]);
    memcpy(y, v, nodes * sizeof *y);
    form->recover(&op, v, b, back);
    for (size_t i = op.size; i < nodes; ++i) /* the pads, which K does not have */
        assert_true(nb_abs(v[i] - y[i]) <= 1000 * (nb_real)U * nb_abs(y[i]));
    for (size_t i = 0; i < rows; ++i)
        if (!(nb_abs(back[i] - p[i]) <= 1000 * (nb_real)U))
            fail_msg("%s: p is %g at %zu, not %g", problem->name, (double)back[i], i, (double)p[i]);
    for (size_t i = 0; i < op.size; ++i) {
        memset(y, 0, nodes * sizeof *y);
        y[i] = 1;
        nb_operator_apply(&op, y, z);
        assert_true(nb_abs(z[i] - op.diagonal[i]) <= 10 * (nb_real)U * op.diagonal[i]);
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
        if (nb_find_operator(row.name)->condense)
            check_condensed(problem, model, nb_find_operator(row.name));
        else
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

static void check_soft(const char *scene)
{
    const char *soft[] = {"contact_compliance=1e-4", "friction_compliance=3e-4", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_model *model = NULL;
    struct nb_registry_row row;
    test_scene(&problem, scene, soft);
    assert_int_equal(nb_model_create(&model, &problem, 1, NULL), NB_OK);
    assert_true(model->pads > 0);
    OWNS(free_at) nb_real *u = calloc(3 * (size_t)model->nodes + 1, sizeof *u);
    nb_model_evaluate(model, u);
    for (size_t i = 0; nb_slot_row("operator", i, &row); ++i)
        if (nb_find_operator(row.name)->condense)
            check_condensed(&problem, model, nb_find_operator(row.name));
    nb_model_free(model);
}

/* The compliance of contacts is in C, and K has no more unknowns for it. */
TEST(test_soft_contacts)
{
    check_soft("heavy_stack");
    check_soft("humanoid_batch");
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
