/* Stacks of rigid bodies at rest: counts of contacts, weight carried by the ground, energy,
 * symmetry, refusals. */
#include "tests/support/near.h"
#include "tests/support/refused.h"
#include "tests/support/rest.h"

struct stack {
    const char *scene;
    const char *settings[4]; /* of a small one, ended by NULL */
    int bodies, contacts;    /* at the defaults */
    int steps;
};

static const struct stack stacks[] = {
    {"two_boxes", {NULL}, 2, 8, 60},
    {"sparse_stack", {"count=5", NULL}, 10, 40, 30},
    {"dense_wall", {"columns=2", "rows=3", NULL}, 36, 364, 8},
    {"box_pyramid", {"rows=3", NULL}, 15, 100, 12},
    {"cylinder_stack", {"sides=6", NULL}, 4, 192, 15},
    {"house_of_cards", {"storeys=2", NULL}, 23, 96, 20},
};
enum { STACKS = sizeof stacks / sizeof *stacks };

TEST(counts_at_the_defaults)
{
    for (int i = 0; i < STACKS; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, stacks[i].scene, NULL);
        if (problem.bodies.count != stacks[i].bodies ||
            problem.contacts.count != stacks[i].contacts)
            fail_msg("%s: %d bodies, %d contacts", stacks[i].scene, problem.bodies.count,
                     problem.contacts.count);
    }
}

/* From rest in contact, nothing is to move: no energy appears, the ground carries the weight. */
TEST(stacks_rest)
{
    const struct nb_options options = rest_options();
    for (int i = 0; i < STACKS; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, stacks[i].scene, stacks[i].settings);
        const struct nb_scene *scene = nb_scene_find(stacks[i].scene);
        const double height = scene->observe(&problem);
        const int contacts = problem.contacts.count;
        const struct rest rest = rest_run(&problem, stacks[i].steps, &options);
        print_message("%-16s energy %+.1e J, weight error %.1e, drop %+.1e m\n", stacks[i].scene,
                      rest.most_energy, rest.ground_force / rest.weight - 1,
                      scene->observe(&problem) - height);
        assert_true(rest.most_energy < 1e-6 * rest.weight * height);
        assert_true(rest.kinetic < 1e-6 * rest.weight * height);
        assert_near(rest.ground_force, rest.weight, 1e-4 * rest.weight);
        assert_near(scene->observe(&problem), height, 1e-5 * height);
        assert_true(rest.penetration < 1e-5 * height);
        assert_int_equal(rest.contacts, contacts);
    }
}

/* Body i and its mirror image about x = 0: the wall has none, its rows are shifted. */
static double asymmetry(const struct nb_problem *problem, int i, int mirror)
{
    const double *p = problem->bodies.position + 3 * i, *q = problem->bodies.position + 3 * mirror;
    return fmax(fmax(fabs(p[0] + q[0]), fabs(p[2] - q[2])), fmax(fabs(p[1]), fabs(q[1])));
}

/* The upper rows of the pyramid are mirror images, and stay so to the accuracy of the solution;
 * only sums in another order tell left from right. */
TEST(the_pyramid_stays_symmetric)
{
    const char *settings[] = {"rows=3", NULL};
    static const int mirror[] = {2, 1, 0, 4, 3, 5};
    const struct nb_options options = rest_options();
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "box_pyramid", settings);
    rest_run(&problem, 12, &options);
    for (int i = 0; i < 6; ++i)
        assert_true(asymmetry(&problem, i, mirror[i]) < 1e-10);
}

/* Boxes and cylinders in one column stay on their axis. */
TEST(columns_stay_on_their_axis)
{
    static const char *const scenes[] = {"two_boxes", "sparse_stack", "cylinder_stack"};
    const char *settings[][3] = {{NULL}, {"count=3", NULL}, {"count=3", "sides=8", NULL}};
    const struct nb_options options = rest_options();
    for (int s = 0; s < 3; ++s) {
        OWNS(nb_problem_free) struct nb_problem problem;
        test_scene(&problem, scenes[s], settings[s]);
        rest_run(&problem, 5, &options);
        for (int i = 0; i < problem.bodies.count; ++i) {
            if (!(asymmetry(&problem, i, i) < 1e-8))
                fail_msg("%s: body %d is off its axis by %g m", scenes[s], i,
                         asymmetry(&problem, i, i));
        }
    }
}

/* Mass ratios as the papers print them. */
TEST(mass_ratios)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "cylinder_stack", NULL);
    assert_near(problem.bodies.mass[3] / problem.bodies.mass[0], 4096, 1e-9);
    nb_problem_free(&problem);
    test_scene(&problem, "two_boxes", NULL);
    assert_near(problem.bodies.mass[1] / problem.bodies.mass[0], 1000, 1e-9);
}

/* A prism over a regular n-gon with corners at radius R: m R^2/6 (2 + cos(2 pi/n)) about its axis,
 * half of it plus m h^2/12 across. */
TEST(prisms_have_the_inertia_of_the_formula)
{
    const char *settings[] = {"count=1", "sides=7", "slenderness=1.5", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "cylinder_stack", settings);
    const double *vertex = problem.shapes[1].vertex, *inertia = problem.bodies.inertia;
    const double radius = hypot(vertex[0], vertex[1]), height = 1.5 * radius;
    const double polar = problem.bodies.mass[0] * radius * radius / 6 * (2 + cos(2 * M_PI / 7));
    const double across = polar / 2 + problem.bodies.mass[0] * height * height / 12;
    assert_near(problem.bodies.mass[0], 1, 1e-12);
    for (int k = 0; k < 9; ++k)
        assert_near(inertia[k], k == 8 ? polar : k % 4 ? 0 : across, 1e-14);
}

/* Without friction the cards slide apart; with it they stand (stacks_rest). */
TEST(cards_need_friction)
{
    const char *settings[] = {"storeys=1", "friction=0", NULL};
    const struct nb_options options = rest_options();
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "house_of_cards", settings);
    const double height = problem.bodies.position[2];
    rest_run(&problem, 50, &options);
    assert_true(problem.bodies.position[2] < 0.8 * height);
}

/* Every two cards that touch do so without overlap. */
TEST(cards_start_touching)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    test_scene(&problem, "house_of_cards", NULL);
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    for (int i = 0; i < problem.contacts.count; ++i)
        assert_near(linear.linear.contact_velocity[3 * i] * problem.time_step, 0, 1e-12);
}

/* A thrown ball is where it is to hit the house when it is to, and the house stands until then and no longer. */
TEST(a_ball_knocks_the_cards_down)
{
    const char *settings[] = {"storeys=2", "knock=0.5", "time_step=0.005", NULL}, *alone[] = {"storeys=2", NULL};
    const struct nb_options options = rest_options();
    OWNS(nb_problem_free)
    struct nb_problem problem, still;
    test_scene(&problem, "house_of_cards", settings);
    test_scene(&still, "house_of_cards", alone);
    assert_int_equal(problem.bodies.count, still.bodies.count + 1);
    for (int k = 0; k < 3 * still.bodies.count; ++k)
        assert_near(problem.bodies.position[3 + k], still.bodies.position[k], 0);
    const struct nb_scene *scene = nb_scene_find("house_of_cards");
    const double height = scene->observe(&problem), start = problem.bodies.position[2];
    const double way = problem.bodies.position[0] + 5 * 0.475;
    rest_run(&problem, 95, &options);
    assert_near(problem.bodies.position[0], way, 1e-9);
    const double fall = 9.81 * 0.005 * 0.005; /* of 100 steps the last five bring it as low as it was */
    assert_near(problem.bodies.position[2] - start, 0.5 * fall * 95 * 101 - fall * 95 * 96 / 2, 1e-9);
    assert_true(scene->observe(&problem) > height - 0.002);
    rest_run(&problem, 205, &options);
    assert_true(scene->observe(&problem) < 0.6 * height);
}

TEST(impossible_stacks_are_refused)
{
    assert_scene_refused("two_boxes", "ratio=-1", "1e-06 to 1e+06");
    assert_scene_refused("sparse_stack", "count=0", "1 to 10000");
    assert_scene_refused("dense_wall", "shift=0.5", "0 to 0.45");
    assert_scene_refused("box_pyramid", "spacing=0.45", "fall between");
    assert_scene_refused("cylinder_stack", "sides=2", "3 to 256");
    assert_scene_refused("cylinder_stack", "count=20", "0.001 to 1e9");
    assert_scene_refused("house_of_cards", "thickness=0.2", "at most a fifth");
    assert_scene_refused("house_of_cards", "margin=0.01", "at most half the thickness");
    assert_scene_refused("house_of_cards", "angle=90", "5 to 60 degrees");
    assert_scene_refused("house_of_cards", "knock=-1", "0 to 1000 s");
}
