/* Grains under a weight of 80 000 of them: the steps in which it meets them, which the proximal Newton
 * method solves by interior points first. */
#include "tests/support.h"

#include "problems/scene.h"
#include "solvers/solve.h"
#include "tests/judged.h"

enum { STEPS = 5 };

static void test_weight_on_grains(void **state)
{
    const char *const settings[] = {"count=150"};
    struct nb_options options = nb_options_default();
    struct nb_problem problem;
    struct nb_error error;
    double worst = 0;
    (void)state;
    options.solver = "proximal_newton";
    options.newton_iterations = 600;
    if (nb_scene_create("granular_silo", 1, settings, &problem, &error) ||
        nb_simulate(&problem, STEPS, &options, test_worst_natural_map, &worst, &error))
        fail_msg("%s", error.text);
    print_message("worst natural map of %d steps %.2g\n", STEPS, worst);
    assert_true(worst < 1e-8);
    nb_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weight_on_grains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
