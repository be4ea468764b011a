/* The soft snake: its counts beside the printed ones, its curvature beside that of a beam, and what its film and its
 * fibres keep. */
#include <stdlib.h>

#include "tests/support/judged.h"
#include "tests/support/near.h"
#include "tests/support/refused.h"
#include "tests/support/support.h"

#include "problems/base/vec3.h"

static bool is_within(int count, int printed, double share)
{
    return abs(count - printed) <= share * printed;
}

/* Macklin 2020, table 5. */
TEST(a_snake_of_four_links_has_the_printed_counts)
{
    static const char *const settings[] = {"links=4", "along=12", "across=6", "high=3", NULL};
    OWNS(nb_problem_free)
    struct nb_problem problem;
    test_scene(&problem, "soft_snake", settings);
    assert_int_equal(problem.bodies.count, 15);
    assert_int_equal(problem.joints.count, 10);
    assert_true(is_within(problem.particles.count, 1504, 0.05));
    assert_true(is_within(problem.tetrahedra.count, 4536, 0.05));
    assert_true(is_within(problem.attachments.count, 217, 0.05));
    assert_true(is_within(problem.distances.count, 1460, 0.08));
}

/* The curvature of a link under so much pressure, at rest, with cells of one size along and across. */
static double curvature(int across, const char *pressure, const char *snakes)
{
    char cells[2][16];
    const char *const settings[] = {cells[0], cells[1], pressure, snakes, "poisson=0",
                                    "gravity=0", "time_step=0.1", "rise=0.1", NULL};
    const struct nb_options options = nb_options_default();
    OWNS(nb_problem_free)
    struct nb_problem problem;
    snprintf(cells[0], sizeof cells[0], "across=%d", across);
    snprintf(cells[1], sizeof cells[1], "along=%d", 2 * across);
    test_scene(&problem, "soft_snake", settings);
    test_simulate(&problem, 12, &options, NULL, NULL);
    return nb_scene_find("soft_snake")->observe(&problem);
}

/* The head of the scene's file has the beam's curvature. Elements of constant strain are too stiff by a share that
 * falls with the square of their number: what two meshes show of it is taken away. */
TEST(a_pressed_link_bends_as_a_beam)
{
    const double coarse = curvature(4, "pressure=3000", "snakes=1"), fine = curvature(6, "pressure=3000", "snakes=1");
    const double beam = 3 * 3000 * 0.4 / (2 * 66243 * 0.04);
    const double of_coarse = coarse * (1 + 0.1 * (1 + 2. / 16)) / beam;
    const double of_fine = fine * (1 + 0.1 * (1 + 2. / 36)) / beam;
    assert_true(of_coarse < of_fine && of_fine < 1);
    assert_near((36 * of_fine - 16 * of_coarse) / 20, 1, 0.015);
}

TEST(curvature_has_the_sign_and_the_size_of_the_pressure)
{
    const double once = curvature(2, "pressure=10000", "snakes=1"), twice = curvature(2, "pressure=20000", "snakes=1");
    assert_true(once > 0);
    assert_near(twice / once, 2, 0.02);
    assert_near(curvature(2, "pressure=-10000", "snakes=1") / once, -1, 0.02);
    assert_near(curvature(2, "pressure=10000", "snakes=3") / once, 1, 1e-6);
}

/* Of the distances the first are the film's, then come the rings of fibres: none of them has stretched. */
TEST(film_and_fibres_keep_their_lengths)
{
    const struct nb_options options = nb_options_default();
    static const char *const rigid[] = {"compliance=0", NULL};
    OWNS(nb_problem_free)
    struct nb_problem problem;
    test_scene(&problem, "soft_snake", rigid);
    const struct nb_distances *distances = &problem.distances;
    const int kept = 4 * 3 + 3 * 2 * (2 + 2), springs = 4 * 2;
    double longest = 0;
    assert_int_equal(distances->count, kept + springs);
    test_simulate(&problem, 30, &options, NULL, NULL);
    for (int i = 0; i < distances->count; ++i) {
        const double *a = problem.particles.position + 3 * distances->particle[2 * i];
        const double *b = problem.particles.position + 3 * distances->particle[2 * i + 1];
        const double length = nb_norm3((const double[3]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
        if (i < kept)
            assert_near(length / distances->length[i], 1, 1e-8);
        else
            longest = fmax(longest, length);
    }
    assert_true(longest > 1.01 * 0.1 / 4);
}

TEST(a_film_needs_a_middle)
{
    assert_scene_refused("soft_snake", "across=3", "must be even");
}
