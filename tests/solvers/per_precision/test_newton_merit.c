/* The merit of a Newton system in this precision: along the exact Newton direction it falls at the rate
 * -2 theta, and a held friction compliance stays what it was. */
#include "solvers/model/newton_system.h"
#include "tests/support/support.h"

enum { DOFS = 24, CONTACTS = 4, BILATERALS = 2, BLOCKS = CONTACTS + 1, ROWS = 3 * BLOCKS };

struct fixture {
    struct nb_problem problem;
    struct NB(nb_model) *model;
    struct NB(nb_newton) *newton;
    nb_real u[DOFS], lambda[ROWS];
};

static void make(struct fixture *f)
{
    struct nb_options options = nb_options_default();
    struct nb_error error;
    uint32_t seed = 4;
    options.linear = "cholesky";
    options.precond = "none";
    options.newton_form = "true";
    options.shift = 0;
    test_global(&f->problem, DOFS, CONTACTS, BILATERALS, 0, 21);
    if (NB(nb_model_create)(&f->model, &f->problem, 1, &error) ||
        NB(nb_newton_create)(&f->newton, f->model, &options, &error))
        fail_msg("%s", error.text);
    assert_int_equal(f->newton->op.size, ROWS);
    for (int i = 0; i < DOFS; ++i)
        f->u[i] = (nb_real)test_uniform(&seed);
    for (int i = 0; i < ROWS; ++i)
        f->lambda[i] = (nb_real)(test_uniform(&seed) + (i % 3 ? 0 : 1));
    f->lambda[2] = 0; /* padding of the bilateral block */
}

static void unmake(struct fixture *f)
{
    NB(nb_newton_free)(f->newton);
    NB(nb_model_free)(f->model);
    nb_problem_free(&f->problem);
}

static double merit_at(struct fixture *f, double t, const nb_real *impulse)
{
    nb_real u[DOFS], lambda[ROWS];
    for (int i = 0; i < DOFS; ++i)
        u[i] = f->u[i] + (nb_real)t * f->newton->step[i];
    for (int i = 0; i < ROWS; ++i)
        lambda[i] = f->lambda[i] + (nb_real)t * impulse[i] / f->model->time_step;
    NB(nb_newton_evaluate)(f->newton, u, lambda);
    return (double)NB(nb_newton_merit)(f->newton);
}

TEST(test_slope_along_the_newton_direction)
{
    const double t = cbrt((double)NB_UNIT_ROUNDOFF);
    struct fixture f;
    struct nb_run run = {0};
    nb_real impulse[ROWS];
    make(&f);
    assert_int_equal(NB(nb_newton_linearise)(f.newton, f.u, f.lambda, 1, NULL), NB_OK);
    const double merit = (double)NB(nb_newton_merit)(f.newton);
    NB(nb_newton_solve)(f.newton, 1, &run);
    memcpy(impulse, f.newton->impulse, sizeof impulse);
    f.newton->hold_friction = 1;
    const double slope = (merit_at(&f, t, impulse) - merit_at(&f, -t, impulse)) / (2 * t);
    assert_true(merit > 0.1);
    assert_true(fabs(slope / merit + 2) < 100 * t * t + 100 * (double)NB_UNIT_ROUNDOFF / t);
    unmake(&f);
}

TEST(test_held_compliance)
{
    struct fixture f;
    nb_real before[CONTACTS];
    make(&f);
    NB(nb_newton_evaluate)(f.newton, f.u, f.lambda);
    memcpy(before, f.newton->held, sizeof before);
    f.newton->hold_friction = 1;
    for (int i = 0; i < DOFS; ++i)
        f.u[i] *= 2;
    NB(nb_newton_evaluate)(f.newton, f.u, f.lambda);
    assert_memory_equal(before, f.newton->held, sizeof before);
    f.newton->hold_friction = 0;
    NB(nb_newton_evaluate)(f.newton, f.u, f.lambda);
    int changed = 0;
    for (int i = 0; i < CONTACTS; ++i)
        changed += before[i] != f.newton->held[i];
    assert_true(changed == CONTACTS);
    unmake(&f);
}
