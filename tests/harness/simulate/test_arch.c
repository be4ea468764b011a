/* The arch: masses, contacts, and its statics by the thrust line. */
#include <float.h>

#include "tests/support/near.h"
#include "tests/support/support.h"

TEST(arch_has_the_printed_masses)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "arch", NULL);
    const double *mass = problem.bodies.mass;
    assert_int_equal(problem.bodies.count, 20);
    assert_in_range(problem.contacts.count, 100, 170);
    for (int i = 0; i < 20; ++i) {
        assert_true(mass[i] >= 15 && mass[i] <= 110);
        assert_near(mass[i], mass[19 - i], 1e-10 * mass[i]);
        if (i > 0 && i < 10)
            assert_true(mass[i] < mass[i - 1]);
    }
    assert_true(mass[9] < 18 && mass[0] > 100);
    for (int i = 0; i < problem.contacts.count; ++i)
        assert_true(problem.contacts.friction[i] == 0.6);
}

/* A joint of the arch in the x-z plane, from its contacts: the ends of the section. */
struct section {
    double normal[2], inner[2], outer[2];
};

/* The joint between bodies left and right (-1: a springer). */
static struct section find_section(const struct nb_problem *problem, int left, int right)
{
    struct section section = {{0}, {0, DBL_MAX}, {0, -DBL_MAX}};
    const struct nb_contacts *contacts = &problem->contacts;
    for (int i = 0; i < contacts->count; ++i) {
        const int *body = contacts->body + 2 * i;
        const int at_left = left >= 0 ? left : right;
        if (!((body[0] == left && body[1] == right) || (body[0] == right && body[1] == left)))
            continue;
        /* Bodies are not turned at the start. */
        const double *local = contacts->point + 6 * i + (body[0] == at_left ? 0 : 3);
        const double x = local[0] + problem->bodies.position[3 * at_left];
        const double z = local[2] + problem->bodies.position[3 * at_left + 2];
        section.normal[0] = contacts->frame[9 * i];
        section.normal[1] = contacts->frame[9 * i + 2];
        if (z < section.inner[1]) {
            section.inner[0] = x;
            section.inner[1] = z;
        }
        if (z > section.outer[1]) {
            section.outer[0] = x;
            section.outer[1] = z;
        }
    }
    return section;
}

/* Follows the thrust from the crown joint to the right springing. The thrust is horizontal at the
 * crown, of size `thrust` and at height z; every block adds its weight at its centre. Returns the
 * largest distance from the axis over the section's height, and the steepest angle's tangent. */
static double follow_thrust(const struct nb_problem *problem, double thrust, double z,
                            double *tangent)
{
    const int count = problem->bodies.count;
    double force[2] = {thrust, 0}, point[2] = {0, z}, worst = 0;
    *tangent = 0;
    for (int joint = count / 2; joint <= count; ++joint) {
        const int left = joint < count ? joint - 1 : -1;
        const struct section s = find_section(problem, left, joint < count ? joint : joint - 1);
        const double up[2] = {s.outer[0] - s.inner[0], s.outer[1] - s.inner[1]};
        /* point + t force = inner + e up */
        const double from[2] = {s.inner[0] - point[0], s.inner[1] - point[1]};
        const double det = force[0] * up[1] - force[1] * up[0];
        const double e = (force[1] * from[0] - force[0] * from[1]) / det;
        const double normal = fabs(force[0] * s.normal[0] + force[1] * s.normal[1]);
        worst = fmax(worst, fabs(e - 0.5));
        *tangent = fmax(*tangent, fabs(force[0] * s.normal[1] - force[1] * s.normal[0]) / normal);
        if (joint == count)
            break;
        const double x = problem->bodies.position[3 * joint];
        point[1] += (x - point[0]) * force[1] / force[0];
        point[0] = x;
        force[1] -= 9.81 * problem->bodies.mass[joint];
    }
    return worst;
}

/* The arch stands if some thrust line lies within every section and every friction cone (safe
 * theorem of limit analysis); here with the middle third and half the friction. */
TEST(arch_has_a_safe_thrust_line)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    double weight = 0, best = 1, tangent = 1;
    test_scene(&problem, "arch", NULL);
    for (int i = 10; i < 20; ++i)
        weight += 9.81 * problem.bodies.mass[i];
    const struct section crown = find_section(&problem, 9, 10);
    for (int i = 0; i <= 200; ++i) {
        for (int j = 0; j <= 40; ++j) {
            const double z = crown.inner[1] + (crown.outer[1] - crown.inner[1]) * j / 40;
            double slope;
            const double e = follow_thrust(&problem, weight * (0.2 + 0.006 * i), z, &slope);
            if (e < best) {
                best = e;
                tangent = slope;
            }
        }
    }
    print_message("thrust line: %.3f of the section from its axis, tangent %.3f\n", best, tangent);
    assert_true(best < 1 / 6.0);
    assert_true(tangent < 0.6 / 2);
}

TEST(arch_starts_touching)
{
    OWNS(nb_problem_free) struct nb_problem problem, linear;
    test_scene(&problem, "arch", NULL);
    assert_ok(nb_problem_linearize(&problem, &linear, &why));
    for (int i = 0; i < problem.contacts.count; ++i) {
        const double gap = linear.linear.contact_velocity[3 * i] * problem.time_step;
        assert_near(gap, 0, 1e-14);
    }
}
