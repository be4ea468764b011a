/* Stock scenes by their defaults for 20 s, or as long as is bearable: no energy comes from nothing. All but pneunet,
 * whose steps take a second and more; some are smaller. */
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
    const char *setting; /* of a smaller one, or of one where more happens; NULL: its defaults */
} cases[] = {
    {"arch", 20, 0, NULL},
    {"ball_drop", 20, 0, NULL},
    {"balls_in_cube", 20, 0, NULL},
    {"beam", 20, 0.05, NULL}, /* a corner has passed an edge by 0.1 mm, under 6 J, and is put back */
    {"bouncing_ball", 20, 0, NULL},
    {"bowls", 1, 0, NULL},
    {"box_on_plane", 20, 0, NULL},
    {"box_pyramid", 20, 0, NULL},
    {"cloth", 20, 0, "cells=8"},
    {"curved_slide", 20, 0, NULL},
    {"cylinder_stack", 20, 0, NULL},
    {"dense_wall", 1, 0, NULL},
    {"double_pendulum_mass", 20, 0, NULL},
    {"double_pendulum_stiffness", 20, 0, NULL},
    {"draped_cloth", 0.5, 0, "cells=6"},
    {"draped_cloth", 0.5, 0.01, NULL}, /* in one step as it lands, none at half of it */
    {"gear_train", 20, 0, NULL},
    {"gears", 5, 1e-4, NULL}, /* in three steps, as teeth lock */
    {"gel_stroke", 1.2, 0, NULL},
    {"granular_silo", 0.4, 0, "count=20"},
    {"grasp", 20, 0, NULL},
    {"hand", 3.5, 0, "cells=2"},
    {"heavy_stack", 20, 0, NULL},
    {"hinge_limits", 20, 0, NULL},
    {"house_of_cards", 20, 0, NULL},
    {"house_of_cards", 20, 0, "knock=1"},
    {"incline", 20, 0, NULL},
    {"leaning_capsule", 20, 0.02, NULL}, /* rolls off its balance: contacts are those of q-, an error of the order h */
    {"log_slide", 4, 1e-12, NULL},
    {"material_extension", 1.5, 0, NULL},
    {"net", 0.5, 0, "cells=8"},
    {"particle_chain", 20, 0, NULL},
    {"pneunet_finger", 1.2, 1e-12, NULL},
    {"random_pile", 20, 0, NULL},
    {"sheet", 1.2, 0, NULL},
    {"shell", 20, 0, NULL},
    {"sliding_box", 20, 0, NULL},
    {"soft_snake", 20, 0, NULL},
    {"sparse_stack", 20, 0, NULL},
    {"spool_rope", 1, 0, "ratio=4"},
    {"spool_rope", 20, 1e-4, "along=1"}, /* in one step, none at half of it */
    {"spool_rope", 20, 0.25, NULL},      /* the same, of the 1e-5 J by which it settles */
    {"steered_boxes", 20, 0, NULL},
    {"table_pile", 0.5, 0, NULL},
    {"tomato", 3.5, 0, NULL},
    {"two_boxes", 20, 0, NULL},
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
        assert_ok(nb_scene_create(cases[i].scene, cases[i].setting != NULL, &cases[i].setting, &problem, &why));
        const double seconds = shown * cases[i].seconds;
        run(&problem, (int)lround(seconds / problem.time_step), &energy);
        const double allowed = round_off * energy.terms + cases[i].share * energy.exchanged;
        print_message("%s, %g s: gained %.2g J of %.2g J exchanged, work %.2g J, lost %.2g J\n", cases[i].scene,
                      seconds, energy.rise, energy.exchanged, energy.work, -energy.excess);
        if (!(energy.rise <= allowed))
            fail_msg("%s gained %g J of %g J exchanged, %g J are rounding", cases[i].scene, energy.rise,
                     energy.exchanged, allowed);
    }
}
