/* The algebra of interior points by its identities, and the points themselves on a small silo. */
#include "tests/support.h"

#include <math.h>

#include "solvers/kernels/cone_interior.h"
#include "solvers/kernels/jordan3.h"
#include "solvers/model.h"

enum { SAMPLES = 200, ROUNDS = 60 };
#define TIGHT NB_REAL(1e5 * NB_UNIT_ROUNDOFF)

static void inside(uint32_t *seed, nb_real *a)
{
    a[1] = (nb_real)(2 * test_uniform(seed) - 1);
    a[2] = (nb_real)(2 * test_uniform(seed) - 1);
    a[0] = nb_sqrt(a[1] * a[1] + a[2] * a[2]) + NB_REAL(0.05) +
           nb_abs((nb_real)test_uniform(seed));
}

static void assert_close(const nb_real *a, const nb_real *b)
{
    for (int k = 0; k < 3; ++k)
        assert_true(nb_abs(a[k] - b[k]) <= TIGHT * (1 + nb_abs(b[k])));
}

static void test_scaling(void **state)
{
    uint32_t seed = 5;
    (void)state;
    for (int n = 0; n < SAMPLES; ++n) {
        struct NB(nb_jordan_scaling) scaling;
        nb_real x[3], z[3], a[3], b[3], c[3];
        inside(&seed, x);
        inside(&seed, z);
        NB(nb_jordan_scale)(x, z, &scaling);
        NB(nb_jordan_apply)(&scaling, x, a);
        NB(nb_jordan_apply_inverse)(&scaling, z, b);
        assert_close(a, b);
        NB(nb_jordan_apply_inverse)(&scaling, a, c);
        assert_close(c, x);
        NB(nb_jordan_product)(x, z, a);
        NB(nb_jordan_divide)(x, a, b);
        assert_close(b, z);
    }
}

static void test_reach(void **state)
{
    uint32_t seed = 6;
    int bounded = 0;
    (void)state;
    for (int n = 0; n < SAMPLES; ++n) {
        nb_real a[3], d[3], end[3];
        inside(&seed, a);
        for (int k = 0; k < 3; ++k)
            d[k] = (nb_real)(2 * test_uniform(&seed) - 1);
        const nb_real reach = NB(nb_jordan_reach)(a, d);
        const nb_real t = nb_min(reach, 100);
        for (int k = 0; k < 3; ++k)
            end[k] = a[k] + t * d[k];
        const nb_real rest = end[0] - nb_sqrt(end[1] * end[1] + end[2] * end[2]);
        assert_true(t > 0 && rest > -TIGHT * (1 + 100 * t));
        if (reach < 100) {
            ++bounded;
            assert_true(nb_abs(rest) <= TIGHT * (1 + 100 * t));
        }
    }
    assert_in_range(bounded, SAMPLES / 4, SAMPLES);
}

static void test_silo(void **state)
{
    const char *const settings[] = {"count=40", NULL};
    struct nb_problem problem;
    struct NB(nb_model) *model;
    struct NB(nb_cone) *cone;
    struct NB(nb_cone_interior) *interior;
    (void)state;
    test_scene(&problem, "granular_silo", settings);
    assert_int_equal(NB(nb_model_create)(&model, &problem, 1, NULL), NB_OK);
    const enum nb_status status = NB(nb_cone_create)(&cone, model, (struct nb_inner){0}, NULL);
    if (status || !NB(nb_cone_interior_fits)(cone)) {
        assert_int_not_equal(sizeof(nb_real), sizeof(double));
        NB(nb_cone_free)(cone);
        NB(nb_model_free)(model);
        nb_problem_free(&problem);
        return;
    }
    const nb_real first = NB(nb_cone_begin)(cone);
    nb_real norm = first;
    cone->largest_turn = cone->largest_strain = 1;
    assert_int_equal(NB(nb_cone_interior_create)(&interior, cone, NULL), NB_OK);
    NB(nb_cone_interior_begin)(interior);
    for (int k = 0; k < ROUNDS && norm > NB_REAL(1e-4) * first; ++k) {
        norm = NB(nb_cone_interior_step)(interior);
        assert_true(isfinite(norm));
        for (int i = 0; i < model->contacts; ++i) { /* inside Coulomb's cone */
            const nb_real *p = cone->p + 3 * (size_t)(model->bilateral_blocks + i);
            assert_true(nb_sqrt(p[1] * p[1] + p[2] * p[2]) < model->friction[i] * p[0]);
        }
    }
    print_message("norm %.2g of %.2g\n", (double)norm, (double)first);
    assert_true(norm <= NB_REAL(1e-4) * first);
    NB(nb_cone_interior_free)(interior);
    NB(nb_cone_free)(cone);
    NB(nb_model_free)(model);
    nb_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scaling), cmocka_unit_test(test_reach),
                                       cmocka_unit_test(test_silo)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
