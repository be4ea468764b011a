/* Stock scenes by their defaults for 20 s, or as long as is bearable: no energy comes from nothing. All but
 * granular_silo and pneunet, whose steps take a second and more. */
#include "problems/scene.h"
#include "tests/support/energy.h"
#include "tests/support/near.h"

/* What the energy's own rounding is, in units of the last place of the largest terms. */
static const double round_off = 64 * 0x1p-52;

static void run(struct nb_problem *problem, int steps, struct test_energy *energy)
{
    const struct nb_options options = nb_options_default();
    test_simulate(problem, steps, &options, test_energy_record, energy);
}

/* What a body gets from outside between two steps comes from nothing here. */
TEST(a_push_is_seen)
{
    const char *settings[] = {"gap=20"};
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(test_energy_free) struct test_energy energy = {0};
    assert_int_equal(nb_scene_create("box_on_plane", 1, settings, &problem, NULL), NB_OK);
    run(&problem, 5, &energy);
    assert_true(energy.rise == 0);
    const double before = test_kinetic_energy(&problem);
    problem.bodies.velocity[2] -= 1;
    const double given = test_kinetic_energy(&problem) - before;
    run(&problem, 5, &energy);
    assert_near(energy.rise, given, 0.02 * given);
}

/* A bench that pulls, a pressure that rises: all that elements and particles have is their work. */
TEST(work_is_counted)
{
    static const char *const scenes[] = {"material_extension", "pneunet_finger"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        OWNS(test_energy_free) struct test_energy energy = {0};
        assert_int_equal(nb_scene_create(scenes[i], 0, NULL, &problem, NULL), NB_OK);
        run(&problem, 8, &energy);
        print_message("%s: work %.3g J, of which %.3g J are lost\n", scenes[i], energy.work, -energy.excess);
        assert_true(energy.work > 1e-3 && fabs(energy.excess) < energy.work);
        assert_true(energy.rise <= round_off * energy.terms);
    }
}

static const struct {
    const char *scene;
    double seconds; /* cut where 20 s take over a minute; longer runs: docs/notes/energy.md */
    double share;   /* of the energy exchanged that may be gained beyond rounding */
} cases[] = {
    {"arch", 20, 0},
    {"ball_drop", 20, 0},
    {"balls_in_cube", 20, 0},
    {"beam", 20, 0.05}, /* a corner has passed an edge by 0.1 mm, under 6 J, and is put back */
    {"box_on_plane", 20, 0},
    {"box_pyramid", 20, 0},
    {"cylinder_stack", 20, 0},
    {"curved_slide", 20, 0},
    {"dense_wall", 1, 0},
    {"double_pendulum_mass", 20, 0},
    {"double_pendulum_stiffness", 20, 0},
    {"grasp", 20, 0},
    {"heavy_stack", 20, 0},
    {"hinge_limits", 20, 0},
    {"house_of_cards", 20, 0},
    {"incline", 20, 0},
    {"leaning_capsule", 20, 0.02}, /* rolls off its balance: its contacts are those of q-, an error of the order h */
    {"log_slide", 4, 1e-12},
    {"material_extension", 1.5, 0},
    {"particle_chain", 20, 0},
    {"pneunet_finger", 1.2, 1e-12},
    {"random_pile", 20, 0},
    {"sheet", 1.2, 0},
    {"sliding_box", 20, 0},
    {"sparse_stack", 20, 0},
    {"table_pile", 0.5, 0},
    {"two_boxes", 20, 0},
};

/* Under the sanitizers, which take ten times as long, a tenth of each run: the same code by the same bound. */
#ifdef __SANITIZE_ADDRESS__
static const double shown = 0.1;
#else
static const double shown = 1;
#endif

FULL_TEST(scenes_gain_no_energy)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        OWNS(test_energy_free) struct test_energy energy = {0};
        assert_int_equal(nb_scene_create(cases[i].scene, 0, NULL, &problem, NULL), NB_OK);
        const double seconds = shown * cases[i].seconds;
        run(&problem, (int)lround(seconds / problem.time_step), &energy);
        const double allowed = round_off * energy.terms + cases[i].share * energy.exchanged;
        print_message("%s, %g s: gained %.2g J of %.2g J exchanged, work %.2g J\n", cases[i].scene, seconds,
                      energy.rise, energy.exchanged, energy.work);
        if (!(energy.rise <= allowed))
            fail_msg("%s gained %g J of %g J exchanged, %g J are rounding", cases[i].scene, energy.rise,
                     energy.exchanged, allowed);
    }
}
