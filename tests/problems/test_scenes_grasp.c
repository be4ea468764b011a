/* The grasp: what lifts a cube, what cannot, how it sinks where friction is a damper, and how fingertips of many
 * corners share the force. */
#include "tests/support/method_support.h"
#include "tests/support/near.h"

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

/* The velocity of the cube's centre under dampers k at its contacts: they slip by v + w y_i up and -w z_i along y, have
 * no torque where w = -v sum y/sum r^2, and bear the cube where v (n - (sum y)^2/sum r^2) = m g/k. Evenly around its
 * centre that is m g/(n k). */
static double creep(const struct nb_problem *problem, double k)
{
    const struct nb_contacts *contacts = &problem->contacts;
    double sum = 0, squares = 0;
    for (int i = 0; i < contacts->count; ++i) {
        const double *at = contacts->point + 6 * i + (contacts->body[2 * i] == 2 ? 0 : 3);
        sum += at[1];
        squares += at[1] * at[1] + at[2] * at[2];
    }
    return mass * gravity / (k * (contacts->count - sum * sum / squares));
}

/* By how much the cube sinks in ten steps, gripped and with the ground taken away; what its contacts let it. */
static double sinks_by(const char *corners, const char *uneven, const char *stiffness, int iterations, double *expected)
{
    char solver[64];
    const char *const settings[] = {corners, uneven, "height=0", "gap=0.001", "closing=0.05", NULL};
    OWNS(nb_problem_free)
    struct nb_problem problem;
    struct nb_options options = nb_options_default();
    snprintf(solver, sizeof solver, "primal_descent:k_n=1e6:k_f=%s:precond=block", stiffness);
    options.solver = solver;
    options.newton_iterations = iterations;
    test_scene(&problem, "grasp", settings);
    test_simulate(&problem, 10, &options, NULL, NULL);
    problem.shapes[0].position[2] = -1;
    assert_ok(nb_step_prepare(&problem, &why));
    test_simulate(&problem, 10, &options, NULL, NULL);
    const double from = nb_scene_find("grasp")->observe(&problem);
    test_simulate(&problem, 10, &options, NULL, NULL);
    assert_int_equal(problem.contacts.count, strcmp(corners, "corners=4") ? 60 : 8);
    *expected = 10 * 0.0083 * creep(&problem, atof(stiffness));
    return from - nb_scene_find("grasp")->observe(&problem);
}

/* A damper k_f in each contact carries the weight at that velocity: over four decades, with four corners a fingertip
 * and, over two, with 30 unevenly. */
TEST(relaxed_friction_lets_it_sink)
{
    static const char *const stiffness[] = {"1e2", "1e3", "1e4", "1e5", "1e6"};
    static const int iterations[] = {400, 400, 4000, 10000, 30000};
    static const char *const tips[][2] = {{"corners=4", "uneven=0"}, {"corners=30", "uneven=0.5"}};
    for (int tip = 0; tip < 2; ++tip)
        for (int i = 0; i < 5 - 2 * tip; ++i) {
            double sinks;
            const double sunk = sinks_by(tips[tip][0], tips[tip][1], stiffness[i], iterations[i], &sinks);
            if (tip == 0)
                assert_near(sinks, 10 * 0.0083 * mass * gravity / (8 * atof(stiffness[i])), 1e-9 * sinks);
            print_message("%s, %s N s/m: sinks by %.6g of %.6g m\n", tips[tip][0], stiffness[i], sunk, sinks);
            assert_near(sunk, sinks, 0.005 * sinks);
        }
}

/* Held about at rest, the largest and the smallest normal force of that finger's corners, by a method, over the
 * mean. */
static void spread_of(const struct nb_problem *problem, const char *solver, int finger, double *largest, double *least)
{
    const size_t rows = (size_t)nb_problem_multipliers(problem);
    OWNS(free_at)
    double *lambda = calloc(rows, sizeof *lambda);
    const double *force = lambda + nb_problem_bilaterals(problem);
    double sum = 0;
    test_method(problem, solver, 2000, NULL, lambda);
    *largest = 0;
    *least = INFINITY;
    for (int i = 0; i < problem->contacts.count; ++i) {
        const int *body = problem->contacts.body + 2 * i;
        if (body[0] != finger && body[1] != finger)
            continue;
        sum += force[3 * i];
        *largest = fmax(*largest, force[3 * i]);
        *least = fmin(*least, force[3 * i]);
    }
    assert_near(sum, press, 0.05 * press);
    *largest *= 30 / sum;
    *least *= 30 / sum;
}

/* Figure 33 of the thesis: 60 contacts share twice 10 N. Relaxed contact gives each its even share, however the corners
 * lie; Gauss-Seidel, which is as right, what their order makes of it. */
TEST(relaxed_contact_shares_the_force_evenly)
{
    const char *const settings[] = {"corners=30", "uneven=0.5", NULL};
    const struct nb_options options = nb_options_default();
    OWNS(nb_problem_free)
    struct nb_problem problem;
    test_scene(&problem, "grasp", settings);
    test_simulate(&problem, 180, &options, NULL, NULL);
    assert_int_equal(problem.contacts.count, 60);
    for (int finger = 0; finger < 2; ++finger) {
        double largest, least;
        spread_of(&problem, "primal_descent:k_n=1e6:k_f=1e4:precond=block", finger, &largest, &least);
        print_message("relaxed: %.6g to %.6g of the mean\n", least, largest);
        assert_near(largest, 1, 0.05); /* descent, which is not at its end */
        assert_near(least, 1, 0.05);
        spread_of(&problem, "nsgs", finger, &largest, &least);
        print_message("Gauss-Seidel: %.3g to %.3g of the mean\n", least, largest);
        assert_true(largest > 2);
    }
}

TEST(grasp_parameters_are_checked)
{
    static const char *const bad[][2] = {
        {"mass=0", "1e-06 to"},
        {"gap=0.01", "gap = 0.01 m must be below margin"},
        {"closing=0", "0.001 to 100"},
        {"squeeze=-1", "0 to 1"},
        {"corners=2", "3 to 256"},
        {"uneven=1", "0 to 0.9"},
    };
    for (int i = 0; i < 6; ++i) {
        struct nb_problem problem;
        const char *const settings[] = {bad[i][0]};
        assert_int_equal(nb_scene_create("grasp", 1, settings, &problem, &why), NB_BAD_INPUT);
        assert_non_null(strstr(why.text, bad[i][1]));
    }
}
