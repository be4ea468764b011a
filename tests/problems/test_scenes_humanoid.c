/* The batch of humanoids: what its motors and dampers may do, its limits, and that copies are apart. */
#include "tests/support/energy.h"
#include "tests/support/near.h"
#include "tests/support/support.h"

#include "problems/islands.h"
#include "problems/joints.h"
#include "problems/step.h"

OWNER(nb_islands_free)

/* m v and I omega + x x m v of all bodies [6] about the origin, and the sum of sizes. */
static double momentum(const struct nb_problem *problem, const double *u, double *sum)
{
    const struct nb_bodies *bodies = &problem->bodies;
    double size = 0;
    memset(sum, 0, 6 * sizeof *sum);
    for (int i = 0; i < bodies->count; ++i) {
        const double *v = u + 6 * i;
        double rotation[9], inertia[9], spin[3], moment[3];
        nb_quaternion_matrix(bodies->orientation + 4 * i, rotation);
        nb_world_inertia(rotation, bodies->inertia + 9 * i, inertia);
        nb_rotate(inertia, v + 3, spin);
        nb_cross3(bodies->position + 3 * i, v, moment);
        nb_add_scaled3(sum, bodies->mass[i], v, sum);
        nb_add_scaled3(sum + 3, bodies->mass[i], moment, sum + 3);
        nb_add_scaled3(sum + 3, 1, spin, sum + 3);
        size += nb_norm3(spin) + nb_norm3(moment) * bodies->mass[i];
    }
    return size;
}

static double kinetic(struct nb_problem *problem, const double *u)
{
    memcpy(problem->bodies.velocity, u, 6 * (size_t)problem->bodies.count * sizeof *u);
    return test_kinetic_energy(problem);
}

TEST(a_humanoid_has_its_parts_and_its_mass)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    double mass = 0, lowest = 1;
    test_scene(&problem, "humanoid_batch", (const char *const[]){"count=3", NULL});
    assert_int_equal(problem.bodies.count, 3 * 13);
    assert_int_equal(problem.joints.count, 3 * 12);
    assert_int_equal(problem.limits.count, 3 * 18);
    for (int i = 0; i < problem.bodies.count; ++i) {
        mass += problem.bodies.mass[i];
        lowest = fmin(lowest, problem.bodies.position[3 * i + 2] - problem.shapes[1 + i].radius);
    }
    assert_near(mass / 3, 66.305532937, 1e-8); /* the capsules of data/models/humanoid.xml at 985 kg/m^3 */
    assert_near(lowest, 0.02, 1e-12);          /* the soles' gap */
    for (int i = 0; i < problem.joints.count; ++i) {
        double value[6], jacobian[72];
        nb_joint_evaluate(&problem, i, value, jacobian);
        for (int k = 0; k < nb_joint_rows((enum nb_joint_kind)problem.joints.kind[i]); ++k)
            assert_near(value[k], 0, 1e-14);
    }
}

/* Motors and dampers act between two bodies. */
TEST(torques_are_internal)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    double sum[6];
    test_scene(&problem, "humanoid_batch", (const char *const[]){"gravity=0", "gap=1", NULL});
    assert_ok(nb_step_prepare(&problem, &why));
    const double size = momentum(&problem, problem.free_velocity, sum);
    assert_true(size > 0.1); /* N m s */
    for (int k = 0; k < 6; ++k)
        assert_near(sum[k], 0, 1e-14 * size);
    const struct nb_options options = nb_options_default();
    test_simulate(&problem, 40, &options, NULL, NULL);
    assert_true(momentum(&problem, problem.bodies.velocity, sum) > 0.1);
    for (int k = 0; k < 3; ++k)
        assert_near(sum[k], 0, 1e-7);
}

/* Whatever the bodies do and however strong the dampers are; without them and motors nothing acts. */
TEST(dampers_take_energy)
{
    static const char *const damping[] = {"damping=0", "damping=1", "damping=100"};
    for (int i = 0; i < 3; ++i) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        double u[6 * 13], free_velocity[6 * 13];
        uint32_t seed = 3;
        test_scene(&problem, "humanoid_batch",
                   (const char *const[]){"gravity=0", "torque=0", "gap=1", damping[i], NULL});
        for (int k = 0; k < 6 * 13; ++k)
            u[k] = k % 6 < 3 ? 0 : 5 * test_uniform(&seed);
        memset(free_velocity, 0, sizeof free_velocity);
        const double before = kinetic(&problem, u);
        memcpy(free_velocity, u, sizeof u);
        nb_scene_drive(&problem, free_velocity);
        const double after = kinetic(&problem, free_velocity);
        assert_true(i == 0 ? after == before : after < 0.95 * before);
    }
}

/* Without motors it falls, and gains nothing. */
static void fall(int steps)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    OWNS(test_energy_free)
    struct test_energy energy = {0};
    const struct nb_options options = nb_options_default();
    test_scene(&problem, "humanoid_batch", (const char *const[]){"torque=0", NULL});
    problem.bodies.velocity[0] = 0.5; /* a push at the torso */
    test_simulate(&problem, steps, &options, test_energy_record, &energy);
    assert_true(energy.exchanged > 10);
    if (energy.rise > 1e-9 * energy.terms)
        fail_msg("gained %g J of %g J", energy.rise, energy.exchanged);
    print_message("gained %.2g J of %.2g J exchanged\n", energy.rise, energy.exchanged);
    assert_true(nb_scene_find("humanoid_batch")->observe(&problem) < 0.8);
}

TEST(it_falls_and_gains_no_energy)
{
    fall(180);
}

FULL_TEST(it_lies_for_20_s_and_gains_none)
{
    fall(2410);
}

/* Each falls in its own way, within its limits. */
TEST(copies_are_apart)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    OWNS(nb_islands_free)
    struct nb_islands islands = {0};
    const struct nb_options options = nb_options_default();
    test_scene(&problem, "humanoid_batch", (const char *const[]){"count=4", NULL});
    test_simulate(&problem, 100, &options, NULL, NULL);
    assert_ok(nb_islands_find(&islands, &problem, &why));
    assert_int_equal(islands.count, 4);
    for (int i = 0; i < problem.limits.count; ++i) {
        double gap, jacobian[36];
        nb_limit_evaluate(&problem, i, &gap, jacobian);
        assert_true(gap > -1e-3);
    }
    for (int i = 1; i < 4; ++i)
        assert_true(fabs(problem.bodies.position[2] - problem.bodies.position[3 * 13 * i + 2]) > 1e-3);
}

/* What a file says of the scene is not trusted: nothing is read beyond what is there. */
TEST(a_damaged_batch_is_driven_no_further)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    double velocity[6 * 13] = {0};
    test_scene(&problem, "humanoid_batch", (const char *const[]){NULL});
    for (int i = 0; i < problem.joints.count; ++i)
        problem.joints.body[2 * i + i % 2] = -1;
    for (int i = 0; i < problem.parameter_count; ++i)
        problem.parameters[i].value = i % 2 ? NAN : 0;
    nb_scene_drive(&problem, velocity);
    for (int k = 0; k < 6 * 13; ++k)
        assert_true(velocity[k] == 0);
}
