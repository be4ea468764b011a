/* J H^-1 J^T as it is filled: symmetric to the bit, the same bits in block rows and in panels whatever the
 * supernodes, the contacts between two bodies, and for any number of threads; and a Newton system that its operator
 * writes into the product is the one that it writes into block rows, and one that is filled again is the one
 * that is made anew. All of it with every level of vector instructions, whose values are held against J H^-1 J^T
 * in double. */
#include "tests/support/support.h"

#include "problems/copies.h"
#include "solvers/block/product_private.h"
#include "solvers/delassus/delassus.h"
#include "solvers/model/newton_system.h"
#include "tests/support/levels.h"

/* The panels of a product of that pattern, empty; NULL: it has others. */
static struct NB(nb_panels) *make_panels(struct NB(nb_product) **product, const struct NB(nb_bsr) *matrix)
{
    assert_int_equal(NB(nb_product_create)(product, matrix, NB_FULL, 1, NULL), NB_OK);
    return NB(nb_product_panels)(*product);
}

static void check_symmetric(const struct NB(nb_delassus) *delassus)
{
    const struct NB(nb_bsr) *matrix = &delassus->matrix;
    OWNS(free_at) int *mirror = NULL;
    assert_int_equal(NB(nb_bsr_mirror)(matrix, &mirror, NULL), NB_OK);
    for (int k = 0; k < matrix->start[matrix->rows]; ++k)
        for (int e = 0; e < 9; ++e) {
            const size_t other = 9 * (size_t)mirror[k] + (size_t)(3 * (e % 3) + e / 3);
            assert_true(matrix->value[9 * (size_t)k + (size_t)e] == matrix->value[other]);
        }
}

/* Whether the panels hold the matrix, to the bit. */
static void check_panels(const struct NB(nb_panels) *panels, const struct NB(nb_bsr) *matrix)
{
    struct NB(nb_product) *product = NULL;
    const struct NB(nb_panels) *expected = make_panels(&product, matrix);
    assert_non_null(expected);
    NB(nb_product_refill)(product, matrix);
    const size_t entries = expected->offset[expected->count];
    assert_true(entries == panels->offset[panels->count]);
    for (size_t i = 0; i < entries; ++i)
        assert_true(expected->value[i] == panels->value[i]);
    NB(nb_product_free)(product);
}

static void check_slices(const struct NB(nb_slices) *slices, const struct NB(nb_bsr) *matrix)
{
    struct NB(nb_product) *product = NULL;
    assert_null(make_panels(&product, matrix));
    const struct NB(nb_slices) *expected = NB(nb_product_slices)(product);
    const int rows = slices->rows;
    assert_non_null(expected);
    NB(nb_product_refill)(product, matrix);
    const size_t blocks =
        (size_t)rows + (size_t)slices->inner_start[rows] + (size_t)slices->outer_start[rows];
    assert_memory_equal(expected->value, slices->value, 9 * blocks * sizeof *slices->value);
    NB(nb_product_free)(product);
}

/* (L J H^-1 J^T L)_ij in double over the nodes of both rows, and the same of magnitudes. */
static double direct_entry(const struct NB(nb_model) *model, const nb_real *scale, int i, int j, double *size)
{
    const struct NB(nb_bsr) *jacobian = &model->jacobian;
    double sum = 0;
    *size = 0;
    for (int a = jacobian->start[i / 3]; a < jacobian->start[i / 3 + 1]; ++a)
        for (int b = jacobian->start[j / 3]; b < jacobian->start[j / 3 + 1]; ++b)
            for (int e = 0; e < 9 && jacobian->column[a] == jacobian->column[b]; ++e) {
                const double left = (double)jacobian->value[9 * a + 3 * (i % 3) + e / 3];
                const double right = (double)jacobian->value[9 * b + 3 * (j % 3) + e % 3];
                const double term =
                    left * (double)model->inverse_mass[9 * jacobian->column[a] + e] * right;
                sum += term;
                *size += fabs(term);
            }
    *size *= (double)(scale[i] * scale[j]);
    return sum * (double)(scale[i] * scale[j]);
}

/* To the round-off of factors and sums; G is that of H^-1 to a few units of its largest entry. */
static void check_values(const struct NB(nb_delassus) *delassus, const struct NB(nb_model) *model,
                         const nb_real *scale)
{
    const struct NB(nb_bsr) *matrix = &delassus->matrix;
    for (int i = 0; i < 3 * matrix->rows; i += 1 + matrix->rows / 500) /* some rows of a large one */
        for (int k = matrix->start[i / 3]; k < matrix->start[i / 3 + 1]; ++k)
            for (int c = 0; c < 3; ++c) {
                const int j = 3 * matrix->column[k] + c;
                double size, size_i, size_j;
                const double wanted = direct_entry(model, scale, i, j, &size);
                direct_entry(model, scale, i, i, &size_i);
                direct_entry(model, scale, j, j, &size_j);
                const double found = (double)matrix->value[9 * (size_t)k + (size_t)(3 * (i % 3) + c)];
                if (!(fabs(found - wanted) <= 32 * (double)NB_UNIT_ROUNDOFF * (size + sqrt(size_i * size_j))))
                    fail_msg("entry (%d, %d) is %g, not %g", i, j, found, wanted);
            }
}

static nb_real *make_scale(int rows)
{
    nb_real *scale = calloc((size_t)rows + 1, sizeof *scale);
    uint32_t seed = 3;
    for (int i = 0; i < rows; ++i)
        scale[i] = (nb_real)(i % 5 == 2 ? 0 : 1 + test_uniform(&seed));
    return scale;
}

static void check_fill(struct NB(nb_model) *model)
{
    struct NB(nb_delassus) delassus;
    struct NB(nb_product) *product = NULL;
    OWNS(free_at) nb_real *scale = make_scale(3 * model->blocks);
    assert_int_equal(NB(nb_delassus_create)(&delassus, model, NULL), NB_OK);
    struct NB(nb_panels) *panels = make_panels(&product, &delassus.matrix);
    NB(nb_delassus_fill)(&delassus, model, scale);
    check_symmetric(&delassus);
    check_values(&delassus, model, scale);
    if (panels) {
        NB(nb_delassus_fill_panels)(&delassus, model, scale, panels);
        check_panels(panels, &delassus.matrix);
    }
    struct NB(nb_slices) *slices = NB(nb_product_slices)(product);
    assert_true(panels || slices);
    if (slices) {
        NB(nb_delassus_fill_slices)(&delassus, model, scale, slices);
        check_slices(slices, &delassus.matrix);
    }
    NB(nb_product_free)(product);
    NB(nb_delassus_free)(&delassus);
}

/* Whether a model and a Newton system made for this one linearisation have the same bits. */
static void check_fresh(const struct NB(nb_newton) *newton, const struct nb_problem *problem,
                        const nb_real *u, const nb_real *lambda)
{
    struct nb_options options = nb_options_default();
    struct NB(nb_model) *model = NULL;
    struct NB(nb_newton) *fresh = NULL;
    assert_int_equal(NB(nb_model_create)(&model, problem, 1, NULL), NB_OK);
    assert_int_equal(NB(nb_newton_create)(&fresh, model, &options, NULL), NB_OK);
    assert_int_equal(NB(nb_newton_linearise)(fresh, u, lambda, 0, NULL), NB_OK);
    const struct NB(nb_bsr) *matrix = newton->op.matrix;
    const size_t rows = newton->op.size * sizeof(nb_real);
    assert_memory_equal(newton->op.diagonal, fresh->op.diagonal, rows);
    assert_memory_equal(newton->right_side, fresh->right_side, rows);
    assert_memory_equal(matrix->value, fresh->op.matrix->value,
                        9 * (size_t)matrix->start[matrix->rows] * sizeof *matrix->value);
    NB(nb_newton_free)(fresh);
    NB(nb_model_free)(model);
}

/* Into the product, into the matrix, and into the product again, at other iterates with other contacts
 * active. */
static void check_newton(struct NB(nb_model) *model)
{
    struct nb_options options = nb_options_default();
    struct NB(nb_newton) *newton = NULL;
    const size_t n = 3 * (size_t)model->blocks;
    OWNS(free_at) nb_real *u = calloc(3 * (size_t)model->nodes + 1, sizeof *u), *lambda = calloc(n + 1,
                                                                                                 sizeof *lambda);
    OWNS(free_at) nb_real *diagonal = calloc(n + 1, sizeof *diagonal);
    uint32_t seed = 8;
    for (int i = 0; i < 3 * model->nodes; ++i)
        u[i] = (nb_real)(0.01 * test_uniform(&seed));
    for (size_t i = 0; i < n; ++i)
        lambda[i] = (nb_real)(i % 3 ? 0.1 * test_uniform(&seed) : 1 + test_uniform(&seed));
    assert_int_equal(NB(nb_newton_create)(&newton, model, &options, NULL), NB_OK);
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(NB(nb_newton_linearise)(newton, u, lambda, 1, NULL), NB_OK);
        struct NB(nb_product) *product = newton->op.direct;
        assert_non_null(product);
        assert_ptr_equal(newton->op.product, product);
        const struct NB(nb_panels) *panels = NB(nb_product_panels)(product);
        const struct NB(nb_slices) *slices = NB(nb_product_slices)(product);
        memcpy(diagonal, newton->op.diagonal, n * sizeof *diagonal);
        assert_int_equal(NB(nb_newton_linearise)(newton, u, lambda, 0, NULL), NB_OK);
        assert_null(newton->op.product);
        assert_memory_equal(diagonal, newton->op.diagonal, n * sizeof *diagonal);
        if (panels)
            check_panels(panels, newton->op.matrix);
        else
            check_slices(slices, newton->op.matrix);
        check_fresh(newton, model->problem, u, lambda);
        for (size_t i = 0; i < n; ++i)
            lambda[i] *= i % 9 ? 2 : -1;
        for (int i = 0; i < 3 * model->nodes; ++i)
            u[i] *= -3;
    }
    NB(nb_newton_free)(newton);
}

/* G G^T = H^-1, with a diagonal G where that is. */
static void check_roots(const struct NB(nb_model) *model)
{
    for (size_t node = 0; node < (size_t)model->nodes; ++node) {
        const nb_real *inverse = model->inverse_mass + 9 * node, *root = model->inverse_root + 9 * node;
        double most = 0, outside = 0;
        for (int e = 0; e < 9; ++e) {
            most = fmax(most, fabs((double)inverse[e]));
            outside = fmax(outside, e % 4 ? fabs((double)inverse[e]) : 0);
        }
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                double sum = 0;
                for (int k = 0; k < 3; ++k)
                    sum += (double)root[3 * r + k] * (double)root[3 * c + k];
                assert_true(fabs(sum - (double)inverse[3 * r + c]) <=
                            8 * (double)NB_UNIT_ROUNDOFF * most);
                assert_true(outside > 0 || r == c || root[3 * r + c] == 0);
            }
    }
}

static void check_problem(const struct nb_problem *problem)
{
    struct NB(nb_model) *model = NULL;
    assert_int_equal(NB(nb_model_create)(&model, problem, 1, NULL), NB_OK);
    nb_real *u = calloc(3 * (size_t)model->nodes + 1, sizeof *u);
    NB(nb_model_evaluate)(model, u);
    check_roots(model);
    check_fill(model);
    check_newton(model);
    free(u);
    NB(nb_model_free)(model);
}

static void check_scene(const char *scene, const char *const *settings)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, scene, settings);
    check_problem(&problem);
}

static void check_scenes(void)
{
    const char *coarse[] = {"cells=2", "cells_across=2", NULL}, *many[] = {"count=2000", NULL};
    check_scene("heavy_stack", NULL);    /* supernodes of four, the first with the ground */
    check_scene("arch", NULL);           /* of six                                      */
    check_scene("cylinder_stack", NULL); /* of more than a panel is high                */
    check_scene("beam", NULL);           /* joints, whose compliance couples their rows */
    check_scene("hinge_limits", NULL);   /* and their limits                            */
    check_scene("balls_in_cube", NULL);  /* of one                                      */
    check_scene("material_extension", coarse); /* tetrahedra                            */
    check_scene("pneunet_finger", NULL); /* and a product in the other layout           */
    check_scene("granular_silo", many);  /* likewise, in several slices                 */
    check_scene("house_of_cards", NULL); /* of two, which share vectors                 */
}

TEST(test_scenes_of_every_kind)
{
    at_every_level(check_scenes);
}

static void check_random_rows(void)
{
    for (int bilaterals = 0; bilaterals < 8; ++bilaterals) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_global(&problem, 26, 3 + bilaterals, bilaterals, 0, 5u + (uint32_t)bilaterals);
        check_problem(&problem);
    }
}

TEST(test_random_rows)
{
    at_every_level(check_random_rows);
}

static struct NB(nb_delassus) fill_with(const struct nb_problem *problem, int threads)
{
    struct NB(nb_model) *model = NULL;
    struct NB(nb_delassus) delassus;
    assert_int_equal(NB(nb_model_create)(&model, problem, threads, NULL), NB_OK);
    nb_real *u = calloc(3 * (size_t)model->nodes + 1, sizeof *u);
    nb_real *scale = make_scale(3 * model->blocks);
    NB(nb_model_evaluate)(model, u);
    assert_int_equal(NB(nb_delassus_create)(&delassus, model, NULL), NB_OK);
    NB(nb_delassus_fill)(&delassus, model, scale);
    free(u);
    free(scale);
    NB(nb_model_free)(model);
    return delassus;
}

TEST(test_threads_do_not_change_the_bits)
{
    OWNS(nb_problem_free) struct nb_problem one_wall, problem;
    test_scene(&one_wall, "dense_wall", NULL);
    assert_int_equal(nb_problem_repeat(&one_wall, 2, &problem, NULL), NB_OK);
    struct NB(nb_delassus) one = fill_with(&problem, 1), two = fill_with(&problem, 2);
    const int blocks = one.matrix.start[one.matrix.rows];
    assert_true(blocks > 20000);
    assert_int_equal(blocks, two.matrix.start[two.matrix.rows]);
    assert_memory_equal(one.matrix.value, two.matrix.value, 9 * (size_t)blocks * sizeof(nb_matrix));
    NB(nb_delassus_free)(&one);
    NB(nb_delassus_free)(&two);
}

/* Both have fused multiply-add and sum in the same order. */
TEST(test_avx2_and_avx512_give_the_same_bits)
{
    const char *scene[] = {"arch", "house_of_cards", "dense_wall", "balls_in_cube", "beam", "hinge_limits"};
    if (!nb_simd_runs(NB_SIMD_AVX512))
        skip();
    for (size_t k = 0; k < sizeof scene / sizeof *scene; ++k) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct NB(nb_delassus) filled[2];
        test_scene(&problem, scene[k], NULL);
        for (int level = 0; level < 2; ++level) {
            set_level(level ? NB_SIMD_AVX512 : NB_SIMD_AVX2);
            filled[level] = fill_with(&problem, 1);
        }
        unsetenv("NCPBENCH_SIMD");
        assert_memory_equal(filled[0].matrix.value, filled[1].matrix.value,
                            9 * (size_t)filled[0].matrix.start[filled[0].matrix.rows] * sizeof(nb_matrix));
        for (int level = 0; level < 2; ++level)
            NB(nb_delassus_free)(filled + level);
    }
}

TEST(test_an_unknown_level_is_refused)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    struct NB(nb_model) *model = NULL;
    struct NB(nb_delassus) delassus;
    struct nb_error error;
    test_scene(&problem, "heavy_stack", NULL);
    assert_int_equal(NB(nb_model_create)(&model, &problem, 1, NULL), NB_OK);
    setenv("NCPBENCH_SIMD", "avx3", 1);
    assert_int_equal(NB(nb_delassus_create)(&delassus, model, &error), NB_BAD_INPUT);
    assert_non_null(strstr(error.text, "avx3"));
    unsetenv("NCPBENCH_SIMD");
    NB(nb_model_free)(model);
}
