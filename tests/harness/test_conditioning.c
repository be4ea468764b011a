/* Condition numbers of chains: of two particles by hand, and the mirror image of mass and stiffness. */
#include "tests/support/support.h"

#include "harness/judge/conditioning.h"

static void conditions(const char *const *settings, enum nb_axis_kept axis, double *primal,
                       double *dual)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "particle_chain", settings);
    assert_ok(nb_conditioning(&problem, axis, primal, dual, &why));
}

/* Condition number of the symmetric [a b; b c]. */
static double of_two(double a, double b, double c)
{
    const double mean = (a + c) / 2, half = hypot((a - c) / 2, b);
    return (mean + half) / (mean - half);
}

/* Masses 2 and 6 kg, stiffnesses 1e4 and 5e4 N/m, h = 0.01 s: h^2 k = 1 and 5 kg. J = [1 0; -1 1]. */
TEST(test_two_particles)
{
    static const char *const settings[] = {"count=2", "mass=2", "ratio=3", "compliance=2e-5",
                                           "stiffness_ratio=5", "time_step=0.01", NULL};
    double primal, dual;
    conditions(settings, NB_KEEP_Z, &primal, &dual);
    assert_true(fabs(primal / of_two(2 + 1 + 5, -5, 6 + 5) - 1) < 1e-12);
    assert_true(fabs(dual / of_two(0.5 + 1, -0.5, 0.5 + 1. / 6 + 0.2) - 1) < 1e-12);
}

/* A last mass r times the others, or a first link r times as soft: each system is the other one's, in
 * reverse order. */
TEST(test_mirror)
{
    static const char *const mass[] = {"count=7", "ratio=300", "compliance=1e-8", NULL};
    static const char *const stiffness[] = {"count=7", "ratio=1", "stiffness_ratio=300",
                                            "compliance=1e-8", NULL};
    double primal[2], dual[2];
    conditions(mass, NB_KEEP_Z, &primal[0], &dual[0]);
    conditions(stiffness, NB_KEEP_Z, &primal[1], &dual[1]);
    assert_true(fabs(primal[0] / dual[1] - 1) < 1e-9);
    assert_true(fabs(dual[0] / primal[1] - 1) < 1e-9);
    assert_true(dual[0] > 10 * primal[0]);
}

/* Across the chain every row turns a particle, too: nothing is along x alone. */
TEST(test_refused)
{
    static const char *const settings[] = {"compliance=1e-6", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    double primal, dual;
    test_scene(&problem, "particle_chain", NULL);
    assert_refused(nb_conditioning(&problem, NB_KEEP_Z, &primal, &dual, &why), NB_BAD_INPUT, "row 0 is rigid");
    nb_problem_free(&problem);
    test_scene(&problem, "particle_chain", settings);
    assert_ok(nb_conditioning(&problem, NB_KEEP_ALL, &primal, &dual, &why));
    assert_int_equal(nb_conditioning(&problem, NB_KEEP_X, &primal, &dual, &why), NB_BAD_INPUT);
    nb_problem_free(&problem);
    test_scene(&problem, "box_on_plane", NULL);
    assert_int_equal(nb_conditioning(&problem, NB_KEEP_ALL, &primal, &dual, &why), NB_UNSUPPORTED);
}
