/* ncpbench iterations and ncpbench functions as a user meets them. Runs build/ncpbench. */
#include "tests/support/program.h"

/* The ball drop takes one iteration a step (Todorov 2010, figure 6). */
TEST(counts_one_iteration_a_step)
{
    double contacts, iterations, first_tries, solved;
    OWNS(test_output_free) struct test_output output = run("iterations ball_drop --steps 60 --linearized "
                                                           "--solver implicit_complementarity");
    assert_int_equal(output.code, 0);
    const char *last = strstr(output.out, "     all");
    assert_non_null(last);
    assert_int_equal(sscanf(last, " all %lf %lf %lf %lf", &contacts, &iterations, &first_tries,
                            &solved), 4);
    assert_true(contacts >= 4 && contacts <= 5);
    assert_true(iterations <= 1);
    assert_true(solved == 100);
}

TEST(runs_differ_by_seed)
{
    expect_says(run("iterations balls_in_cube --runs 2 --steps 20 --linearized --solver implicit_complementarity"),
                "\n       1  ", "\n       2  ", "\n     all  ");
    expect_refusal(run("iterations ball_drop --runs 2"), "has no parameter \"seed\"");
    expect_refusal(run("iterations no_scene"), "unknown scene");
    expect_refusal(run("iterations ball_drop --steps 0"), "allowed");
}

/* By the effective mass the minimum map is a line: one iteration from any start (Macklin et al. 2019, figure 9). */
TEST(draws_ncp_functions)
{
    expect_says(run("functions -o %s/functions.jsonl", folder.path),
                "min               mass                    0.25           1           0",
                "min               identity                   1           2           0");
    const char *const figures[] = {"figure6", "figure9"};
    for (int k = 0; k < 2; ++k) {
        expect_ok(run("plot %s %s/functions.jsonl -o %s", figures[k], folder.path, folder.path));
    }
    expect_refusal(run("functions extra"), "extra");
}

FIXTURE(make_folder, remove_folder)
