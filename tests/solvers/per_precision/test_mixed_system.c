/* The mixed system in this precision: its product against the matrix it stands for, its
 * preconditioners symmetric, positive definite and exact where their blocks are, and conjugate
 * residuals that fall. */
#include "tests/support/support.h"

#include "solvers/outer/mixed_conjugate_residual/mixed_residual.h"

#define U ((double)NB_UNIT_ROUNDOFF)

static struct NB(nb_model) *model_of(struct nb_problem *problem, int coupled)
{
    struct NB(nb_model) *model = NULL;
    test_global(problem, 18, 3, 2, coupled, 5);
    assert_int_equal(NB(nb_model_create)(&model, problem, 1, NULL), NB_OK);
    return model;
}

static void random_vector(uint32_t *seed, size_t n, nb_real *x)
{
    for (size_t i = 0; i < n; ++i)
        x[i] = (nb_real)test_uniform(seed);
}

static double inner(size_t n, const nb_real *a, const nb_real *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; ++i)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

TEST(test_preconditioners)
{
    for (int kind = NB_MIXED_NONE; kind <= NB_MIXED_BLOCK; ++kind)
        for (int coupled = 0; coupled < 2; ++coupled) {
            OWNS(nb_problem_free) struct nb_problem problem;
            struct NB(nb_mixed) *self = NULL;
            struct NB(nb_model) *model = model_of(&problem, coupled);
            uint32_t seed = 3;
            assert_int_equal(NB(nb_mixed_residual_create)(&self, model, kind, 4, NULL), NB_OK);
            NB(nb_mixed_start)(self);
            for (size_t i = 0; i < self->system.rows; ++i) /* one contact open, one kinetic */
                self->system.active[i] = i < 9 || i == 12;
            NB(nb_mixed_renew)(&self->system);
            for (int k = 0; k < 10; ++k) {
                nb_real a[40], b[40], pa[40], pb[40];
                random_vector(&seed, self->total, a);
                random_vector(&seed, self->total, b);
                for (size_t i = 0; i < self->system.rows; ++i) {
                    a[self->system.dofs + i] *= self->system.active[i];
                    b[self->system.dofs + i] *= self->system.active[i];
                }
                NB(nb_mixed_precondition)(&self->system, a, pa);
                NB(nb_mixed_precondition)(&self->system, b, pb);
                assert_true(fabs(inner(self->total, a, pb) - inner(self->total, b, pa)) < 200 * U);
                assert_true(inner(self->total, a, pa) > 0);
            }
            NB(nb_mixed_residual_free)(self);
            NB(nb_model_free)(model);
        }
}

/* M of 3x3 blocks and one contact: all blocks are exact, and the eigenvalues 1 and -1 of the
 * preconditioned system leave two iterations. */
TEST(test_exact_blocks)
{
    struct NB(nb_model) *model = NULL;
    struct NB(nb_mixed) *self = NULL;
    OWNS(nb_problem_free) struct nb_problem problem;
    struct nb_run run = {0};
    test_global(&problem, 12, 1, 0, 0, 5);
    assert_int_equal(NB(nb_model_create)(&model, &problem, 1, NULL), NB_OK);
    assert_int_equal(NB(nb_mixed_residual_create)(&self, model, NB_MIXED_BLOCK, 4, NULL), NB_OK);
    NB(nb_mixed_start)(self);
    for (size_t i = 0; i < 3; ++i)
        self->system.active[i] = 1;
    NB(nb_mixed_restart)(self);
    const nb_real before = NB(nb_mixed_norm)(self);
    NB(nb_mixed_iterate)(self, &run);
    NB(nb_mixed_iterate)(self, &run);
    NB(nb_mixed_restart)(self); /* the true residual */
    assert_true((double)NB(nb_mixed_norm)(self) < 100 * U * (double)before);
    NB(nb_mixed_residual_free)(self);
    NB(nb_model_free)(model);
}

/* The residual falls in every iteration, is the one that a restart computes anew, and vanishes. */
TEST(test_residuals_fall)
{
    for (int kind = NB_MIXED_NONE; kind <= NB_MIXED_BLOCK; ++kind) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct NB(nb_mixed) *self = NULL;
        struct NB(nb_model) *model = model_of(&problem, 1);
        struct nb_run run = {0};
        assert_int_equal(NB(nb_mixed_residual_create)(&self, model, kind, 4, NULL), NB_OK);
        NB(nb_mixed_start)(self);
        for (size_t i = 0; i < self->system.rows; ++i)
            self->system.active[i] = i < 12;
        NB(nb_mixed_restart)(self);
        const nb_real first = NB(nb_mixed_norm)(self);
        nb_real before = first;
        for (int k = 0; k < 12; ++k) {
            NB(nb_mixed_iterate)(self, &run);
            const nb_real now = NB(nb_mixed_norm)(self);
            assert_true((double)now <= (double)before * (1 + 1e-3) + 100 * U * (double)first);
            before = now;
        }
        NB(nb_mixed_restart)(self);
        assert_true(fabs((double)(NB(nb_mixed_norm)(self) - before)) < 1e3 * U * (double)first);
        for (int k = 0; k < 60; ++k)
            NB(nb_mixed_iterate)(self, &run);
        NB(nb_mixed_restart)(self);
        assert_true((double)NB(nb_mixed_norm)(self) < 1e4 * U * (double)first);
        NB(nb_mixed_residual_free)(self);
        NB(nb_model_free)(model);
    }
}

/* A running mean of N values: the friction of a contact that slides along its first tangent. */
TEST(test_running_mean)
{
    const nb_real normal[5] = {2, 4, 6, 8, 10};
    struct NB(nb_model) *model = NULL;
    struct NB(nb_mixed) *self = NULL;
    OWNS(nb_problem_free) struct nb_problem problem;
    test_global(&problem, 3, 1, 0, 0, 5);
    problem.linear.friction[0] = 0.5;
    assert_int_equal(NB(nb_model_create)(&model, &problem, 1, NULL), NB_OK);
    assert_int_equal(NB(nb_mixed_residual_create)(&self, model, NB_MIXED_BLOCK, 3, NULL), NB_OK);
    NB(nb_mixed_start)(self);
    nb_real *p = self->x + self->system.dofs, *base = self->system.base;
    memset(self->x, 0, self->total * sizeof *self->x);
    base[0] = 0;
    base[1] = 100; /* fast, along +t1 */
    base[2] = 0;
    self->state[0] = NB_MIXED_STATIC;
    for (int k = 0; k < 5; ++k) {
        p[0] = normal[k];
        assert_true(NB(nb_mixed_switch)(self) > 0);
        assert_int_equal(self->state[0], NB_MIXED_KINETIC);
        const double expected = -0.5 * (k < 2 ? 2 + k : 2 * k);
        assert_true(fabs((double)p[1] - expected) < 100 * U && fabs((double)p[2]) < 100 * U);
    }
    p[0] = -1;
    NB(nb_mixed_switch)(self);
    assert_int_equal(self->state[0], NB_MIXED_OPEN);
    assert_true(p[0] == 0 && p[1] == 0 && self->system.active[0] == 0);
    NB(nb_mixed_residual_free)(self);
    NB(nb_model_free)(model);
}
