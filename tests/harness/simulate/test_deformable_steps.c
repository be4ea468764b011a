/* Particles in the time-step loop: free velocity, advance, prescribed points. */
#include "tests/support/deformable_samples.h"
#include "tests/support/near.h"

#include "harness/simulate/settle.h"
#include "problems/step.h"

TEST(free_velocity_is_gravity_over_one_step)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_deformable(&problem, 0.1);
    for (int i = 0; i < 3 * DEFORMABLE_PARTICLES; ++i) {
        const double fall = problem.time_step * problem.gravity[i % 3];
        assert_near(problem.free_velocity[6 * DEFORMABLE_BODIES + i],
                    problem.particles.velocity[i] + fall, 1e-16);
    }
}

TEST(particles_advance_by_their_velocity)
{
    OWNS(nb_problem_free) struct nb_problem problem, before;
    double u[DEFORMABLE_DOFS];
    make_deformable(&problem, 0.1);
    assert_int_equal(nb_problem_copy(&problem, &before, NULL), NB_OK);
    for (int i = 0; i < DEFORMABLE_DOFS; ++i)
        u[i] = 0.3 * i - 2;
    nb_step_advance(&problem, u);
    for (int i = 0; i < 3 * DEFORMABLE_PARTICLES; ++i) {
        const double v = u[6 * DEFORMABLE_BODIES + i];
        assert_near(problem.particles.position[i],
                    before.particles.position[i] + problem.time_step * v, 1e-15);
        assert_true(problem.particles.velocity[i] == v);
    }
    for (int i = 0; i < 6 * DEFORMABLE_BODIES; ++i)
        assert_true(problem.bodies.velocity[i] == u[i]);
}

TEST(only_the_worlds_points_drift)
{
    OWNS(nb_problem_free) struct nb_problem problem, before;
    double u[DEFORMABLE_DOFS] = {0};
    make_deformable(&problem, 0.1);
    assert_int_equal(nb_problem_copy(&problem, &before, NULL), NB_OK);
    nb_step_advance(&problem, u);
    nb_step_advance(&problem, u);
    for (int i = 0; i < 3 * DEFORMABLE_ATTACHMENTS; ++i) {
        const double way = 2 * problem.time_step * problem.attachments.drift[i];
        assert_near(problem.attachments.point[i], before.attachments.point[i] + way, 1e-15);
    }
    assert_true(problem.attachments.point[0] > before.attachments.point[0]);
}

TEST(the_largest_speed_may_be_a_particles)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double u[DEFORMABLE_DOFS] = {0};
    make_deformable(&problem, 0.1);
    u[DEFORMABLE_DOFS - 3] = 3;
    u[DEFORMABLE_DOFS - 1] = -4;
    assert_near(nb_largest_speed(&problem, u), 5, 1e-15);
}
