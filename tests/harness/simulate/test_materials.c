/* Forms of material against values by hand: how far a clamped shell bends, how fast a damped spring and a damped shell
 * come to rest, and the mass matrix and lowest frequencies of a bar of consistent mass. */
#include "tests/support/judged.h"
#include "tests/support/near.h"
#include "tests/support/support.h"

#include <complex.h>

#include "problems/base/vec3.h"
#include "problems/fields.h"
#include "problems/scenes/build/scene_build.h"
#include "problems/scenes/build/scene_damping.h"
#include "problems/scenes/build/scene_deform.h"
#include "problems/scenes/build/scene_mass.h"
#include "problems/step.h"

static void run(struct nb_problem *problem, int steps, double within)
{
    struct nb_options options = nb_options_default();
    double worst = 0;
    test_simulate(problem, steps, &options, test_worst_natural_map, &worst);
    if (!(worst < within))
        fail_msg("%s: natural map of %g", problem->name, worst);
}

/* Of a chain of `cells` hinges of stiffness D b/a, the first one half a cell from the clamp, under the weight of what
 * is between them: a sum by hand, over w L^4/(8 D). */
static double chain_over_plate(int cells)
{
    double tip = 0;
    for (int i = 0; i < cells; ++i) {
        double moment = 0;
        for (int j = i + 1; j <= cells; ++j)
            moment += (j < cells ? 1 : 0.5) * (j - i);
        tip += moment * (cells - i);
    }
    return 8 * tip / pow(cells + 0.5, 4);
}

static double tip_of(const char *cells, const char *consistent, const char *rigidity, const char *across)
{
    const char *settings[] = {cells, consistent, rigidity, across, "mass=0", "damping=0", "time_step=0.1", NULL};
    OWNS(nb_problem_free) struct nb_problem problem;
    test_scene(&problem, "shell", settings);
    run(&problem, 60, 1e-5);
    return nb_scene_find("shell")->observe(&problem);
}

/* rho g L^4/(8 D) with 1 kg/m^2, 0.5 m and D = 500 N m: 0.15 mm, so that its slope is small. */
TEST(a_clamped_shell_bends_like_a_plate)
{
    const double plate = 9.81 * pow(0.5, 4) / (8 * 500);
    const double ten = tip_of("cells=10", "consistent=0", "rigidity=500", "across=2");
    const double twenty = tip_of("cells=20", "consistent=0", "rigidity=500", "across=3");
    print_message("tip over the plate's: %.7f and %.7f, by hand %.7f and %.7f\n", ten / plate, twenty / plate,
                  chain_over_plate(10), chain_over_plate(20));
    assert_near(ten / plate, chain_over_plate(10), 1e-3);
    assert_near(twenty / plate, chain_over_plate(20), 1e-3);
    assert_true(fabs(twenty / plate - 1) < 0.4 * fabs(ten / plate - 1)); /* of second order in the cells */
    assert_true(fabs(twenty / plate - 1) < 0.01);
}

/* The same weight, wherever an element's mass is. */
TEST(consistent_masses_do_not_change_what_is_at_rest)
{
    assert_near(tip_of("cells=6", "consistent=1", "rigidity=500", "across=2") /
                    tip_of("cells=6", "consistent=0", "rigidity=500", "across=2"), 1, 2e-2);
}

/* Twice the deflection for half the rigidity, up to what the slope adds. */
TEST(a_shell_bends_by_its_rigidity)
{
    assert_near(tip_of("cells=6", "consistent=0", "rigidity=250", "across=1") /
                    tip_of("cells=6", "consistent=0", "rigidity=500", "across=1"), 2, 1e-3);
}

/* Particle 0 held at the origin, particle 1 on a spring along x: 2 kg, 300 N/m, stretched by 0.05 m. */
static void make_spring(struct nb_problem *problem, double damping, double time_step)
{
    memset(problem, 0, sizeof *problem);
    strcpy(problem->name, "spring");
    problem->time_step = time_step;
    assert_ok(nb_scene_allocate(problem, 0, 0, &why));
    assert_ok(nb_group_allocate(problem, NB_PARTICLES, 2, &why));
    assert_ok(nb_group_allocate(problem, NB_DISTANCES, 1, &why));
    assert_ok(nb_group_allocate(problem, NB_ATTACHMENTS, 1, &why));
    problem->particles.mass[0] = 1;
    problem->particles.mass[1] = 2;
    problem->particles.position[3] = 1;
    nb_scene_attach(problem, 0, 0, -1, 0);
    nb_scene_keep_distance(problem, 0, 0, 1, 1. / 300);
    assert_ok(nb_scene_damp(problem, damping / 300, &why));
    problem->particles.position[3] = 1.05;
}

/* m x'' + d x' + k x = 0 in implicit Euler steps:
 *
 *     x_n = c z^n + (1 - c) y^n,   z, y the roots of (1 + h d/m + h^2 k/m) z^2 - (2 + h d/m) z + 1 = 0. */
static double euler(double h, double d, double k, double m, int steps)
{
    const double complex a = 1 + h * d / m + h * h * k / m, b = 2 + h * d / m;
    const double complex root = csqrt(b * b - 4 * a), z = (b + root) / (2 * a), y = (b - root) / (2 * a);
    /* x_0 = x_-1 = 1: at rest before */
    const double complex c = (1 - 1 / y) / (1 / z - 1 / y);
    return creal(c * cpow(z, steps) + (1 - c) * cpow(y, steps));
}

TEST(a_damped_spring_comes_to_rest_as_by_hand)
{
    static const double damping[] = {0, 3, 12, 200}; /* none, weak, weak, more than critical: 49 N s/m */
    for (int i = 0; i < 4; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        make_spring(&problem, damping[i], 0.01);
        run(&problem, 40, 1e-6);
        const double stretch = problem.particles.position[3] - 1, expected = 0.05 * euler(0.01, damping[i], 300, 2, 40);
        print_message("d = %g: %.12f, by hand %.12f m\n", damping[i], stretch, expected);
        assert_near(stretch, expected, 1e-10);
    }
}

/* With small steps the envelope falls like exp(-d t/(2 m)), but for what implicit Euler adds, h w^2/2 in the rate. */
TEST(the_decay_of_small_steps_is_that_of_the_damper)
{
    const double h = 1e-3, d = 4, m = 2, k = 300, w = sqrt(k / m - d * d / (4 * m * m));
    const int steps = (int)(2 * M_PI / w / h + 0.5); /* a period */
    OWNS(nb_problem_free) struct nb_problem problem;
    make_spring(&problem, d, h);
    run(&problem, steps, 1e-6);
    const double rate = -log((problem.particles.position[3] - 1) / 0.05) / (steps * h);
    const double expected = d / (2 * m), euler_adds = h * w * w / 2;
    print_message("rate %.6f 1/s, %.6f by hand and %.6f of the step\n", rate, expected, euler_adds);
    assert_near(rate, expected + euler_adds, 0.02 * expected);
}

/* A rigid distance cannot be damped; damping along does not keep a spring from turning. */
TEST(damping_resists_strains_alone)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_spring(&problem, 1e6, 0.01);
    problem.distances.compliance[0] = 0;
    problem.distances.length[0] = 1;
    problem.particles.position[3] = 1;
    problem.particles.velocity[4] = 0.3;
    run(&problem, 10, 1e-6);
    assert_near(nb_norm3(problem.particles.position + 3), 1, 1e-9);
    assert_near(problem.particles.velocity[4], 0.3, 1e-2);
}

enum { CELLS = 8 };

/* A bar along x from the held particle 0: length 1 m, 2 kg, E A = 500 N. Consistent: with ties. */
static void make_bar(struct nb_problem *problem, int consistent, double time_step)
{
    const int middles = consistent ? CELLS : 0;
    memset(problem, 0, sizeof *problem);
    strcpy(problem->name, "bar");
    problem->time_step = time_step;
    assert_ok(nb_scene_allocate(problem, 0, 0, &why));
    assert_ok(nb_group_allocate(problem, NB_PARTICLES, CELLS + 1 + middles, &why));
    assert_ok(nb_group_allocate(problem, NB_DISTANCES, CELLS, &why));
    assert_ok(nb_group_allocate(problem, NB_TIES, middles, &why));
    assert_ok(nb_group_allocate(problem, NB_ATTACHMENTS, 1, &why));
    for (int i = 0; i <= CELLS; ++i)
        problem->particles.position[3 * i] = (double)i / CELLS;
    for (int e = 0; e < CELLS; ++e) {
        const int corner[2] = {e, e + 1};
        nb_scene_keep_distance(problem, e, e, e + 1, 1 / (500. * CELLS));
        if (consistent)
            nb_scene_spread_mass(problem, e, CELLS + 1 + e, corner, 2, 2. / CELLS);
        for (int k = 0; !consistent && k < 2; ++k)
            problem->particles.mass[corner[k]] += 1. / CELLS;
    }
    nb_scene_attach(problem, 0, 0, -1, 0);
}

/* In its lowest mode x_i ~ sin(theta i), theta = pi/(2 n), every step is one of x'' = -w^2 x: the tip tells w. */
TEST(a_bar_of_consistent_mass_swings_as_by_hand)
{
    const double theta = M_PI / 2 / CELLS, k = 500. * CELLS, m = 2. / CELLS, h = 1e-3;
    const double exact = M_PI / 2 * sqrt(500. / 2);
    double frequency[2];
    for (int consistent = 0; consistent < 2; ++consistent) {
        OWNS(nb_problem_free) struct nb_problem problem;
        double total = 0;
        make_bar(&problem, consistent, h);
        for (int i = 0; i < problem.particles.count; ++i)
            total += problem.particles.mass[i];
        assert_near(total, 2, 1e-14);
        for (int i = 0; i <= CELLS; ++i)
            problem.particles.position[3 * i] += 1e-3 * sin(theta * i);
        for (int e = 0; consistent && e < CELLS; ++e)
            problem.particles.position[3 * (CELLS + 1 + e)] =
                (problem.particles.position[3 * e] + problem.particles.position[3 * e + 3]) / 2;
        const double square = 2 * k * (1 - cos(theta)) / (m * (consistent ? (2 + cos(theta)) / 3 : 1));
        run(&problem, 100, 1e-5);
        const double tip = (problem.particles.position[3 * CELLS] - 1) / 1e-3;
        frequency[consistent] = sqrt(square);
        print_message("%s: tip %.9f, by hand %.9f; w %.5f, of the bar %.5f 1/s\n", consistent ? "consistent" : "lumped",
                      tip, euler(h, 0, square, 1, 100), frequency[consistent], exact);
        assert_near(tip, euler(h, 0, square, 1, 100), 1e-7);
    }
    /* known of linear elements: one is above by (theta h)^2/24, the other as much below */
    assert_near(frequency[1] / exact - 1, theta * theta / 24, 1e-5);
    assert_near(frequency[0] / exact - 1, -theta * theta / 24, 1e-5);
}

/* With the middle eliminated the masses are m/(k (k + 1)) (1 + delta_ij): symmetric, of the sum m. */
TEST(ties_make_consistent_matrices)
{
    for (int corners = 2; corners <= 4; ++corners) {
        static const double place[12] = {0, 0, 0, 1, 0, 0, 0.2, 0.9, 0, 0.1, 0.3, 0.8};
        static const int corner[4] = {0, 1, 2, 3};
        OWNS(nb_problem_free) struct nb_problem problem;
        memset(&problem, 0, sizeof problem);
        problem.time_step = 0.01;
        strcpy(problem.name, "element");
        assert_ok(nb_scene_allocate(&problem, 0, 0, &why));
        assert_ok(nb_group_allocate(&problem, NB_PARTICLES, corners + 1, &why));
        assert_ok(nb_group_allocate(&problem, NB_TIES, 1, &why));
        memcpy(problem.particles.position, place, 3 * (size_t)corners * sizeof *place);
        nb_scene_spread_mass(&problem, 0, corners, corner, corners, 3);
        assert_ok(nb_step_prepare(&problem, &why));
        assert_ok(nb_problem_validate(&problem, &why));
        const double *weight = problem.ties.weight, middle = problem.particles.mass[corners];
        double sum = 0;
        for (int i = 0; i < corners; ++i)
            for (int j = 0; j < corners; ++j) {
                const double moved = weight[1 + i] * weight[1 + j] / (weight[0] * weight[0]);
                const double entry = (i == j ? problem.particles.mass[i] : 0) + middle * moved;
                assert_near(entry, 3. / (corners * (corners + 1)) * (i == j ? 2 : 1), 1e-15);
                sum += entry;
            }
        assert_near(sum, 3, 1e-14);
    }
}
