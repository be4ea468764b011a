/* What the default method makes of imported steps, against MuJoCo's accelerations, in cases in which soft and hard
 * constraints mean the same. */
#include "tests/support/folder.h"

#ifndef NB_IMPORT
TEST(motion_needs_mujoco) { skip(); }
#else

#include "solvers/solve.h"
#include "tests/problems/import_pair.h"
#include "tests/support/near.h"

/* What the default method makes of the step against MuJoCo's velocity after it, relative to the largest change. */
static void same_motion(const struct pair *pair, double tolerance)
{
    const int nv = pair->model->nv;
    const double h = pair->model->opt.timestep;
    struct nb_options options = nb_options_default();
    struct nb_solver *solver = NULL;
    struct nb_run run;
    double *u = calloc((size_t)nv + 1, sizeof *u), largest = 0;
    OWNS(free_at) double *lambda = calloc((size_t)nb_problem_multipliers(&pair->problem) + 1, sizeof *lambda);
    assert_ok(nb_solver_create(&solver, &pair->problem, &options, &why));
    assert_ok(nb_solver_run(solver, 200, NULL, &run, &why));
    nb_solver_solution(solver, u, lambda);
    for (int i = 0; i < nv; ++i)
        largest = fmax(largest, h * fmax(fabs(pair->data->qacc_smooth[i]), fabs(pair->data->qacc[i])));
    for (int i = 0; i < nv; ++i)
        assert_near(u[i], pair->data->qvel[i] + h * pair->data->qacc[i], tolerance * largest);
    nb_solver_free(solver);
    free(u);
}

/* Where bodies touch with hardly any depth and without approach, MuJoCo's constraints differ from hard ones by their
 * impedance alone, which is 0.9999 here: so little its acceleration may differ. */
#define STIFF "<option cone='elliptic' tolerance='1e-14' iterations='500'/><default>"                         \
              "<geom solimp='0.9999 0.9999 0.001' density='1000'/><joint solimplimit='0.9999 0.9999 0.001'/>" \
              "<equality solimp='0.9999 0.9999 0.001'/></default>"

TEST_IN_FOLDER(an_arm_that_slides_accelerates_as_mujocos)
{
    struct pair pair;
    import(&pair, model_of("<mujoco>" STIFF "<worldbody><geom type='plane' size='9 9 1' condim='1'/>"
                           "<body pos='0 0 0.099999999'><freejoint/><geom size='0.1' condim='1'/><body pos='0.3 0 0'>"
                           "<joint axis='0 1 0'/><geom type='capsule' fromto='-0.1 0 0.1 0.2 0 0' size='0.02' "
                           "contype='0' conaffinity='0'/></body></body></worldbody></mujoco>"),
           0);
    assert_int_equal(pair.report.contacts, 1);
    same_motion(&pair, 1e-3);
    release(&pair);
}

TEST_IN_FOLDER(boxes_that_rest_accelerate_as_mujocos)
{
    struct pair pair;
    import(&pair, model_of("<mujoco>" STIFF "<worldbody><geom type='plane' size='9 9 1'/>"
                           "<body pos='0 0 0.099999999'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>"
                           "<body pos='0 0 0.299999998'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>"
                           "</worldbody></mujoco>"),
           0);
    assert_int_equal(pair.report.contacts, 8);
    same_motion(&pair, 1e-3);
    release(&pair);
}

/* A limit that is just reached, and a closed loop. */
TEST_IN_FOLDER(limits_and_loops_accelerate_as_mujocos)
{
    struct pair pair;
    import(&pair, model_of("<mujoco>" STIFF "<worldbody><body pos='0 0 1'><joint axis='0 1 0'/>"
                           "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.02'/><body name='b' pos='0.3 0 0'>"
                           "<joint axis='0 1 0' limited='true' range='-30 -0.0000001'/>"
                           "<geom type='capsule' fromto='0.05 0 0 0.3 0 0' size='0.02'/></body></body>"
                           "<body name='c' pos='0.6 0 1'><joint type='slide' axis='0 0 1'/><geom size='0.05' "
                           "contype='0' conaffinity='0'/></body></worldbody>"
                           "<equality><connect body1='b' body2='c' anchor='0.3 0 0'/></equality></mujoco>"),
           0);
    assert_int_equal(pair.report.limits, 1);
    assert_int_equal(pair.report.equality_rows, 1); /* up and down: nothing moves the straight arm along itself */
    same_motion(&pair, 1e-3);
    release(&pair);
}

/* Sliding across: the force is mu_2 times the normal one, where it would be mu_1 along. */
TEST_IN_FOLDER(both_coefficients_of_friction_act)
{
    static const char text[] =
        "<mujoco>" STIFF "<worldbody><geom name='floor' type='plane' size='9 9 1'/>"
        "<body pos='0 0 0.1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
        "<joint type='slide' axis='0 0 1'/><geom name='ball' size='0.1'/></body></worldbody>"
        "<contact><pair geom1='floor' geom2='ball' condim='3' friction='0.6 0.2 0 0 0' "
        "solimp='0.9999 0.9999 0.001'/></contact></mujoco>";
    struct pair pair;
    import(&pair, model_of(text), 0);
    assert_int_equal(pair.report.anisotropic, 1);
    const struct nb_linear_step *step = &pair.problem.linear;
    assert_near(step->friction[0], 0.6, 1e-15);
    for (int k = 1; k < 3; ++k) { /* slides along tangent k */
        const double *axis = pair.problem.drawing.frame + 3 * k, h = pair.problem.time_step;
        double u[3], lambda[3];
        struct nb_options options = nb_options_default();
        struct nb_solver *solver = NULL;
        struct nb_run run;
        for (int i = 0; i < 3; ++i)
            step->force[i] = nb_csr_diagonal(&step->mass, i) * (axis[i] - (i == 2 ? 9.81 * h : 0));
        assert_int_equal(nb_solver_create(&solver, &pair.problem, &options, NULL), NB_OK);
        assert_int_equal(nb_solver_run(solver, 100, NULL, &run, NULL), NB_OK);
        nb_solver_solution(solver, u, lambda);
        for (int i = 0; i < 3; ++i)
            assert_near(u[i], axis[i] * (1 - (k == 1 ? 0.6 : 0.2) * 9.81 * h), 1e-9);
        nb_solver_free(solver);
    }
    release(&pair);
}
#endif
