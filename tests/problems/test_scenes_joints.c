/* The jointed scenes: what their papers show of them, as far as it is physics or algebra. */
#include "tests/support/judged.h"
#include "tests/support/support.h"

#include <lapacke.h>

#include "tests/support/near.h"

#include "problems/io/problem_file.h"
#include "problems/joints.h"
#include "solvers/solve.h"

static const double gravity = 9.81;

static double stretch_after(const char *scene, const char *const *settings, int steps,
                            const struct nb_options *options)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, scene, settings);
    test_simulate(&problem, steps, options, NULL, NULL);
    const double stretch = nb_scene_find(scene)->observe(&problem);
    return stretch;
}

static struct nb_options options_of(const char *linear, int newton, int linear_iterations)
{
    struct nb_options options = nb_options_default();
    options.solver = "newton";
    options.linear = linear;
    options.precond = "none";
    options.newton_iterations = newton;
    options.linear_iterations = linear_iterations;
    return options;
}

/* Figure 26: the heavy lower sphere stretches the pendulum where a relaxation of the dual system is
 * given a fixed count of iterations; solved exactly, there is no stretch. */
TEST(relaxation_stretches_the_heavy_pendulum)
{
    struct nb_options direct = options_of("cholesky", 20, 0);
    const struct nb_options relaxed = options_of("gauss_seidel", 4, 20);
    direct.damping = 1;
    assert_true(stretch_after("double_pendulum_mass", NULL, 60, &direct) < 1e-9);
    assert_true(stretch_after("double_pendulum_mass", NULL, 60, &relaxed) > 1e-2);
}

/* At rest the upper spring carries both spheres and the lower one its own. */
TEST(springs_stretch_by_hooke)
{
    const char *settings[] = {"angle=0", "ratio=10", "time_step=0.05", NULL};
    struct nb_options direct = options_of("cholesky", 12, 0);
    direct.damping = 1;
    direct.shift = 0;
    const double stretch = stretch_after("double_pendulum_stiffness", settings, 400, &direct);
    assert_near(stretch, 2 * gravity / 1e4 + gravity / 1e5, 1e-10);
}

/* Entries of the Schur matrix along z: row 3 i + 2 belongs to link i. */
static double *chain_matrix(int count, const struct nb_newton_system *system)
{
    double *all = test_dense(&system->schur), *out = calloc((size_t)(count * count), sizeof *out);
    const int rows = system->schur.rows;
    assert_int_equal(rows, 3 * count);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j) {
            if (i % 3 == 2 && j % 3 == 2)
                out[i / 3 * count + j / 3] = all[i * rows + j];
            else if (i % 3 == 2 || j % 3 == 2) /* along and across are apart */
                assert_near(all[i * rows + j], 0, 1e-15);
        }
    free(all);
    return out;
}

static double condition_number(double *matrix, int n)
{
    double eigen[16];
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, matrix, n, eigen), 0);
    return eigen[n - 1] / eigen[0];
}

static double chain_condition(const char *ratio_setting, double ratio)
{
    const char *settings[] = {"count=8", ratio_setting, NULL};
    struct nb_options options = options_of("cholesky", 1, 0);
    struct nb_problem problem;
    struct nb_solver *solver = NULL;
    struct nb_newton_system system;
    double u[48] = {0}, lambda[24] = {0};
    test_scene(&problem, "particle_chain", settings);
    options.shift = 0;
    assert_int_equal(nb_solver_create(&solver, &problem, &options, NULL), NB_OK);
    assert_int_equal(nb_solver_system(solver, u, lambda, &system, NULL), NB_OK);
    double *matrix = chain_matrix(8, &system);
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) { /* masses 1, ..., 1, ratio */
            const double diagonal = (i > 0) + (i == 7 ? 1 / ratio : 1);
            const double expected = i == j ? diagonal : abs(i - j) == 1 ? -1 : 0;
            assert_near(matrix[8 * i + j], expected, 1e-14);
        }
    const double condition = condition_number(matrix, 8);
    free(matrix);
    nb_newton_system_free(&system);
    nb_solver_free(solver);
    nb_problem_free(&problem);
    return condition;
}

/* Figure 28, left: the dual system's condition number grows with the weight's mass. Its determinant
 * is the product of 1/m, so that in the limit it grows in proportion. */
TEST(chain_condition_grows_with_the_weight)
{
    const double one = chain_condition("ratio=1", 1), light = chain_condition("ratio=1e4", 1e4);
    const double heavy = chain_condition("ratio=1e5", 1e5);
    assert_true(one < 200);
    assert_near(heavy / light, 10, 0.1);
}

struct insertion {
    double worst_opening, worst_gap;
    int most_contacts, steps;
};

/* Translational rows of the links are rigid. The carriage's frame is a step ahead. */
static int watch_insertion(void *context, const struct nb_problem *problem, const double *u,
                           const double *lambda)
{
    struct insertion *seen = context;
    (void)u, (void)lambda;
    for (int i = 1; i < problem->joints.count; ++i) {
        double value[NB_JOINT_ROWS], jacobian[12 * NB_JOINT_ROWS];
        nb_joint_evaluate(problem, i, value, jacobian);
        for (int k = 0; k < 3; ++k)
            seen->worst_opening = fmax(seen->worst_opening, fabs(value[k]));
    }
    if (problem->contacts.count > seen->most_contacts)
        seen->most_contacts = problem->contacts.count;
    seen->steps++;
    return 0;
}

/* The carriage pushes the tip in; the links stay joined; the beam bends to enter. The scaling by
 * time step knows nothing of masses: the one by mass ignores how stiffly the joints hold a link, and
 * its friction does not settle here. */
TEST(the_beam_enters_the_slot)
{
    struct nb_options options = options_of("cholesky", 40, 0);
    struct insertion seen = {0};
    OWNS(nb_problem_free) struct nb_problem problem;
    options.scaling = "timestep";
    test_scene(&problem, "beam", NULL);
    assert_int_equal(problem.bodies.count, 16);
    const double start = nb_scene_find("beam")->observe(&problem);
    assert_near(start, -0.01, 1e-15);
    test_simulate(&problem, 100, &options, watch_insertion, &seen);
    const double way = 100 * problem.time_step * 0.36;
    assert_near(problem.bodies.position[0], start - 15.5 * 0.025 + way, 1e-9);
    assert_near(nb_scene_find("beam")->observe(&problem), start + way, 1e-3);
    assert_true(problem.bodies.position[3 * 15 + 2] > 1e-3); /* the tip rose into the slot */
    assert_true(seen.worst_opening < 1e-8);
    assert_true(seen.most_contacts >= 180);
}
