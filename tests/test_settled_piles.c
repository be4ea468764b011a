/* Piles of equal balls at rest under a light lid, without the velocities that drive penetrations apart: most
 * contacts are at the verge of opening or sliding. On these neither Newton's method nor the path from the
 * convex relaxation ends in a solution (both at 1.4e-6, after 2789 and 3000 iterations); the path from
 * where they end does (solvers/kernels/cone_path.h), whether the step gives the bodies or their Delassus
 * operator alone. */
#include "tests/method_support.h"

enum { STEPS = 60, ROUGH = 300, LIMIT = 3000 };

/* The step after STEPS of a simulation that is solved roughly. */
static void make_pile(struct nb_problem *step, const char *count, const char *seed)
{
    const char *const settings[] = {"ratio=10", "jitter=0.05", count, seed};
    const struct nb_options options = test_options("apgd", ROUGH);
    struct nb_problem pile;
    struct nb_error error;
    if (nb_scene_create("granular_silo", 4, settings, &pile, &error) ||
        nb_simulate(&pile, STEPS, &options, NULL, NULL, &error) || nb_problem_linearize(&pile, step, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < (size_t)step->linear.contacts; ++i)
        step->linear.contact_velocity[3 * i] = fmax(step->linear.contact_velocity[3 * i], 0);
    nb_problem_free(&pile);
}

static void assert_solved(const struct nb_problem *step, const char *name)
{
    const double map = test_method(step, "proximal_newton", LIMIT, NULL, NULL).natural_map;
    print_message("%s: %d contacts, natural map %.2g\n", name, step->linear.contacts, map);
    assert_true(map < 1e-8);
}

static void test_piles_at_rest(void **state)
{
    const char *const piles[][2] = {{"count=80", "seed=3"}, {"count=120", "seed=2"}};
    (void)state;
    for (size_t i = 0; i < sizeof piles / sizeof *piles; ++i) {
        struct nb_problem step, local;
        make_pile(&step, piles[i][0], piles[i][1]);
        test_condense(&step, &local, test_dense_solve);
        assert_solved(&step, piles[i][0]);
        assert_solved(&local, "its Delassus operator");
        nb_problem_free(&step);
        nb_problem_free(&local);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_piles_at_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
