/* The grasp: what lifts a cube, what cannot, and how it sinks where friction is a damper. */
#include "tests/support/judged.h"
#include "tests/support/near.h"
#include "tests/support/support.h"

#include "problems/scene.h"

static const double gravity = 9.81, mass = 0.2, press = 1000 * 0.01;
static const double closing = 0.2, lifting = 1, height = 0.08, side = 0.05;

static const char *friction_setting(double friction)
{
    static char text[64];
    snprintf(text, sizeof text, "friction=%.17g", friction);
    return text;
}

/* Where the cube stands, over its place, after that many seconds, and the fingers' own height. */
static double lift(const char *setting, const struct nb_options *options, double seconds, double *fingers)
{
    const char *const settings[] = {setting, NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "grasp", settings);
    test_simulate(&problem, (int)ceil(seconds / problem.time_step), options, NULL, NULL);
    if (fingers)
        *fingers = problem.bodies.position[2] - side / 2;
    return nb_scene_find("grasp")->observe(&problem);
}

/* Both fingers press with k squeeze, and carry 2 mu of it. What they move needs m (g + a), a at most 2 pi H/T^2. */
TEST(the_cube_is_lifted_where_friction_carries_it)
{
    const struct nb_options options = nb_options_default();
    const double weight = mass * gravity / (2 * press);
    const double load = weight + mass * 2 * M_PI * height / (lifting * lifting) / (2 * press);
    double fingers = 0;
    assert_near(lift(friction_setting(1.01 * load), &options, closing + lifting + 1, &fingers), height, 1e-6);
    assert_near(fingers, height, 1e-9);
    assert_near(lift(friction_setting(0.99 * weight), &options, closing + lifting + 1, &fingers), 0, 1e-9);
    assert_near(fingers, height, 1e-9);
    /* Carried when at rest, and not when it is accelerated: it is left behind, but is held in the end. */
    const double between = lift(friction_setting((weight + load) / 2), &options, closing + lifting + 1, NULL);
    assert_true(between > height / 4 && between < 0.99 * height);
}

/* It does not creep: fifteen seconds are as three. */
TEST(hard_contact_holds_it)
{
    const struct nb_options options = nb_options_default();
    const double early = lift("friction=0.5", &options, 3, NULL), late = lift("friction=0.5", &options, 15, NULL);
    assert_near(early, height, 1e-8);
    assert_near(late, early, 1e-10);
}

/* A damper k_f in each of eight contacts carries the weight at the velocity m g/(8 k_f). */
TEST(relaxed_friction_lets_it_sink)
{
    static const char *const stiffness[] = {"1e2", "1e3"};
    for (int i = 0; i < 2; ++i) {
        char solver[64];
        struct nb_options options = nb_options_default();
        snprintf(solver, sizeof solver, "primal_descent:k_n=1e6:k_f=%s", stiffness[i]);
        options.solver = solver;
        options.newton_iterations = 60;
        const double from = closing + lifting + 0.5, sunk = lift("friction=0.5", &options, from, NULL) -
                                                            lift("friction=0.5", &options, from + 2, NULL);
        const double steps = ceil((from + 2) / 0.0083) - ceil(from / 0.0083);
        const double sinks = mass * gravity / (8 * atof(stiffness[i])) * steps * 0.0083;
        assert_near(sunk, sinks, 1e-3 * sinks);
    }
}

TEST(grasp_parameters_are_checked)
{
    static const char *const bad[][2] = {{"mass=0", "1e-06 to"}, {"gap=0.01", "gap = 0.01 m must be below margin"},
                                         {"closing=0", "0.001 to 100"}, {"squeeze=-1", "0 to 1"}};
    for (int i = 0; i < 4; ++i) {
        struct nb_problem problem;
        const char *const settings[] = {bad[i][0]};
        assert_int_equal(nb_scene_create("grasp", 1, settings, &problem, &why), NB_BAD_INPUT);
        assert_non_null(strstr(why.text, bad[i][1]));
    }
}
