/* ncpbench iterations and ncpbench functions as a user meets them. Runs build/ncpbench. */
#include "tests/support/program.h"

/* The ball drop takes one iteration a step (Todorov 2010, figure 6). */
TEST(counts_one_iteration_a_step)
{
    double contacts, iterations, slow, first_tries, solved, stuck;
    char on_edge[16];
    OWNS(test_output_free) struct test_output output = run("iterations ball_drop --steps 60 --linearized "
                                                           "--solver implicit_complementarity");
    assert_int_equal(output.code, 0);
    const char *last = strstr(output.out, "     all");
    assert_non_null(last);
    assert_int_equal(
        sscanf(last, " all %lf %lf %lf %lf %lf %lf %15s", &contacts, &iterations, &slow, &first_tries, &solved, &stuck,
               on_edge), 7);
    assert_true(contacts >= 4 && contacts <= 5);
    assert_true(iterations <= 1 && slow >= iterations);
    assert_true(solved == 100 && stuck == 0 && first_tries == 100 && strstr(on_edge, "nan"));
}

/* A line search that looks for no edges ends on none. */
TEST(counts_what_ends_on_edges)
{
    for (int looks = 0; looks < 2; ++looks) {
        double value[7];
        OWNS(test_output_free) struct test_output output =
            run("iterations balls_in_cube --set count=15 --steps 60 --linearized --solver "
                "implicit_complementarity:scale=none%s", looks ? "" : ":edges=ignored");
        assert_int_equal(output.code, 0);
        assert_int_equal(sscanf(strstr(output.out, "     all"), " all %lf %lf %lf %lf %lf %lf %lf", value, value + 1,
                                value + 2, value + 3, value + 4, value + 5, value + 6), 7);
        assert_true(value[3] < 100);
        assert_true(looks ? value[6] > 0 && value[6] < 100 : value[6] == 0);
    }
}

/* With one iteration a step none ends before the limit; with many, what is neither solved nor stuck ended there. */
TEST(tells_local_minima_from_the_limit)
{
    double value[2][6];
    for (int i = 0; i < 2; ++i) {
        OWNS(test_output_free) struct test_output output =
            run("iterations balls_in_cube --set count=15 --set friction=2 --runs 2 --steps 60 --linearized "
                "--solver implicit_complementarity:scale=none --newton-iters %d",
                i ? 2000 : 1);
        double *v = value[i];
        assert_int_equal(output.code, 0);
        assert_int_equal(sscanf(strstr(output.out, "     all"), " all %lf %lf %lf %lf %lf %lf", v, v + 1, v + 2, v + 3,
                                v + 4, v + 5),
                         6);
    }
    assert_true(value[0][2] == 1 && value[0][4] < 100 && value[0][5] == 0);
    assert_true(value[1][2] > value[1][1] && value[1][5] > 0);
    assert_true(fabs(value[1][4] + value[1][5] - 100) < 0.11);
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
