/* What comparisons say where failures, repetitions or names decide. */
#include "harness/cli/commands.h"
#include "harness/report/compare.h"
#include "tests/support/case_text.h"
#include "tests/support/plot_support.h"

/* With the factor 0.1 the error is 1e-4 after four iterations. */
static void put(FILE *file, const char *problem, const char *precond, double factor,
                int repetitions)
{
    struct case_text text = usual_case;
    text.problem = problem;
    text.precond = precond;
    text.factor = factor;
    text.repetitions = repetitions;
    text.seconds = strcmp(precond, "new") ? 4e-3 : 1e-3;
    put_case_text(file, &text);
}

static FILE *start(const char **path)
{
    *path = path_of("cases.jsonl");
    FILE *file = test_open(*path, "w");
    return file;
}

static struct nb_comparison old_and_new(void)
{
    return (struct nb_comparison){.a = {1, {"precond=old"}},
                                  .b = {1, {"precond=new"}}, .tolerance = 2e-4};
}

TEST_IN_FOLDER(one_that_fails_everywhere_is_worse)
{
    const char *path;
    FILE *file = start(&path);
    put(file, "p", "old", 0.1, 5);
    put(file, "p", "new", 1, 5);
    put(file, "q", "old", 0.1, 5);
    put(file, "q", "new", 1, 0);
    put(file, "r", "old", 1, 5);
    put(file, "r", "new", 1, 5);
    fclose(file);
    struct nb_comparison comparison = old_and_new();
    test_says(test_compare(path, &comparison, NB_OK),
              "\nverdict: B is worse: it fails on 2 of 2 where A reaches the tolerance\n");
    comparison.a = (struct nb_option_list){1, {"precond=new"}};
    comparison.b = (struct nb_option_list){1, {"precond=old"}};
    test_says(test_compare(path, &comparison, NB_OK), "\nverdict: B is better: A fails on 2 of 2 where B reaches it\n");
    comparison.tolerance = 1e-9;
    test_says(test_compare(path, &comparison, NB_OK), "\nverdict: not decided: neither reaches the tolerance in any "
                                                      "pair\n");
}

TEST_IN_FOLDER(few_repetitions_decide_nothing)
{
    const char *path;
    FILE *file = start(&path);
    put(file, "p", "old", 0.1, 1);
    put(file, "p", "new", 0.1, 5);
    put(file, "q", "old", 0.1, 5);
    put(file, "q", "new", 0.1, 5);
    fclose(file);
    const struct nb_comparison comparison = old_and_new();
    test_says(test_compare(path, &comparison, NB_OK), "  better (only 1 repetition)\n", "  better\n",
              "\nverdict: not decided, with only 1 repetition in a pair where 5 are needed; so far B is better");
}

/* Longer than the column was, and alike in all but the last letter. */
#define LONG_NAME "a_problem_with_a_name_of_fifty_letters_that_goes_"

TEST_IN_FOLDER(rows_are_told_apart)
{
    const char *path;
    FILE *file = start(&path);
    struct case_text text = usual_case;
    for (int i = 0; i < 8; ++i) {
        text.problem = i & 1 ? LONG_NAME "1" : LONG_NAME "2";
        text.linear = i & 2 ? "pcg" : "pcr";
        text.precond = i & 4 ? "new" : "old";
        put_case_text(file, &text);
    }
    fclose(file);
    const struct nb_comparison comparison = old_and_new();
    OWNS(free_at) char *out = test_compare(path, &comparison, NB_OK);
    test_contains(out, "  " LONG_NAME "1 pcr  ");
    test_contains(out, "  " LONG_NAME "2 pcr  ");
    assert_null(strstr(out, "newton"));
}

/* nsgs holds precond=old, which it does not read. */
TEST_IN_FOLDER(who_does_not_read_is_left_out)
{
    const char *path;
    FILE *file = start(&path);
    put(file, "p", "old", 0.1, 5);
    put(file, "p", "new", 0.1, 5);
    struct case_text text = usual_case;
    text.solver = "nsgs";
    put_case_text(file, &text);
    fclose(file);
    struct nb_comparison comparison = old_and_new();
    comparison.across = (struct nb_option_list){1, {"solver"}};
    test_says(test_compare(path, &comparison, NB_OK), "geometric mean of 1:",
              "their methods do not read what --a or --b names: 1\n");
    comparison.a = (struct nb_option_list){2, {"precond=old", "solver=nsgs"}};
    test_says(test_compare(path, &comparison, NB_BAD_INPUT), "0 cases in A, 1 in B, 1 left out, whose methods do "
                                                             "not read");
}

static void put_method(FILE *file, const char *solver, const char *linear, const char *precond, const char *precision)
{
    struct case_text text = usual_case;
    text.solver = solver;
    text.linear = linear;
    text.precond = precond;
    text.precision = precision;
    put_case_text(file, &text);
}

static void expect_pairs(const char *path, const char *a, const char *b, int pairs)
{
    struct nb_comparison_result result;
    cJSON *records = NULL;
    const struct nb_comparison comparison = {.a = {1, {(char *)a}}, .b = {1, {(char *)b}}};
    assert_ok(nb_records_read(path, &records, &why));
    assert_ok(nb_compare_records(&comparison, records, records, &result, &why));
    assert_int_equal(result.count, pairs);
    nb_comparison_free(&result);
    cJSON_Delete(records);
}

/* nsgs reads no preconditioner, and cholesky none: each meets whatever the other method reads, from either side. A
 * setting that both read still keeps apart. */
TEST_IN_FOLDER(what_one_does_not_read_keeps_no_pair_apart)
{
    const char *path;
    FILE *file = start(&path);
    put_method(file, "newton", "pcr", "old", "f64");
    put_method(file, "newton", "pcr", "new", "f64");
    put_method(file, "newton", "pcg", "new", "f64");
    put_method(file, "newton", "pcr", "new", "f32");
    put_method(file, "newton", "cholesky", "none", "f64");
    put_method(file, "nsgs", "pcr", "none", "f64");
    fclose(file);
    struct nb_comparison comparison = {.a = {1, {"solver=nsgs"}}, .b = {1, {"solver=newton"}}};
    test_says(test_compare(path, &comparison, NB_OK), "p linear=pcr (B) precond=old (B)",
              "p linear=pcr (B) precond=new (B)", "p linear=pcg (B) precond=new (B)", "p linear=cholesky (B)");
    comparison = (struct nb_comparison){.a = {1, {"solver=newton"}}, .b = {1, {"solver=nsgs"}}};
    test_says(test_compare(path, &comparison, NB_OK), "p pcr old ", "p pcr new ", "p pcg new ", "p cholesky ");
    expect_pairs(path, "linear=cholesky", "linear=pcr", 2);
    expect_pairs(path, "linear=pcr", "linear=cholesky", 2);
    expect_pairs(path, "linear=pcg", "linear=pcr", 1);
    expect_pairs(path, "solver=nsgs", "solver=newton", 4);
}

TEST_IN_FOLDER(nothing_is_compared_with_itself)
{
    const char *path;
    FILE *file = start(&path);
    put(file, "p", "old", 0.1, 5);
    put(file, "p", "new", 0.1, 5);
    fclose(file);
    char *alone[] = {"compare", (char *)path, NULL};
    char *across[] = {"compare", (char *)path, (char *)path, "--across", "precond", NULL};
    assert_int_equal(nb_command_compare(2, alone), 2);
    assert_int_equal(nb_command_compare(5, across), 2);
    struct nb_comparison comparison = {0};
    test_says(test_compare(path, &comparison, NB_BAD_INPUT), "compared with itself: give --a NAME=VALUE and --b "
                                                             "NAME=VALUE");
    comparison.a = (struct nb_option_list){1, {"precond=new"}};
    char *text = test_compare(path, &comparison, NB_OK); /* its partner is the other one */
    test_contains(text, "geometric mean of 1: 0.250");
    free(text);
    comparison.b = comparison.a;
    free(test_compare(path, &comparison, NB_BAD_INPUT));
}

TEST_IN_FOLDER(problems_of_one_name_are_told_apart)
{
    const char *path;
    FILE *file = start(&path);
    struct case_text text = usual_case;
    for (int i = 0; i < 4; ++i) {
        text.hash = i & 1 ? "07af0bbd5e47b046" : "aab4a813b9b199cb";
        text.precond = i & 2 ? "new" : "old";
        put_case_text(file, &text);
    }
    fclose(file);
    const struct nb_comparison comparison = old_and_new();
    test_says(test_compare(path, &comparison, NB_OK), "  p#07af0b ", "  p#aab4a8 ");
}

static void put_pair(FILE *file, const char *problem, double old_seconds, double new_seconds, const char *mode)
{
    struct case_text text = usual_case;
    text.problem = problem;
    text.mode = mode;
    text.seconds = old_seconds;
    put_case_text(file, &text);
    text.precond = "new";
    text.seconds = new_seconds;
    put_case_text(file, &text);
}

/* A program that is slower a hundred thousand times is not 0.000 times as fast. */
TEST_IN_FOLDER(small_ratios_keep_their_digits)
{
    const char *path;
    FILE *file = start(&path);
    put_pair(file, "p", 1e-3, 100, "step");
    fclose(file);
    struct nb_comparison comparison = old_and_new();
    test_says(test_compare(path, &comparison, NB_OK), " 1.00e-05 ", "geometric mean of 1: 1.00e-05");
}

/* 0.1 of the time on two, 2 times on two: a mean far above 1, and as many losses as wins. */
TEST_IN_FOLDER(as_many_losses_as_wins_are_mixed)
{
    const char *path;
    FILE *file = start(&path);
    put_pair(file, "p", 1e-2, 1e-3, "step");
    put_pair(file, "q", 1e-2, 1e-3, "step");
    put_pair(file, "r", 1e-3, 2e-3, "step");
    put_pair(file, "s", 1e-3, 2e-3, "step");
    fclose(file);
    const struct nb_comparison comparison = old_and_new();
    test_says(test_compare(path, &comparison, NB_OK), "verdict: B is mixed: faster in 2, slower in 2 of 4 pairs");
    file = fopen(path, "a");
    for (int i = 0; i < 8; ++i) {
        const char problem[] = {(char)('a' + i), '\0'};
        put_pair(file, problem, 1e-2, 1e-3, "step");
    }
    fclose(file);
    test_says(test_compare(path, &comparison, NB_OK), "verdict: B is better");
}

TEST_IN_FOLDER(steps_and_systems_are_in_no_common_mean)
{
    const char *path;
    FILE *file = start(&path);
    put_pair(file, "p", 4e-3, 1e-3, "linear_system");
    put_pair(file, "q", 1e-3, 4e-3, "step");
    fclose(file);
    const struct nb_comparison comparison = old_and_new();
    OWNS(free_at) char *text = test_compare(path, &comparison, NB_OK);
    static const char *const in_order[] = {"steps\n", "speed-up, geometric mean of 1: 0.250", "verdict: B is worse",
                                           "\nlinear systems\n", "speed-up, geometric mean of 1: 4.000",
                                           "verdict: B is better"};
    const char *at = text;
    for (size_t i = 0; i < sizeof in_order / sizeof *in_order; ++i) {
        test_contains(at, in_order[i]);
        at = strstr(at, in_order[i]);
    }
    assert_null(strstr(text, "geometric mean of 2"));
}

TEST_IN_FOLDER(times_taken_apart_give_no_verdict)
{
    const char *path;
    FILE *file = start(&path);
    struct case_text text = usual_case;
    put_case_text(file, &text);
    text.precond = "new";
    text.seconds = 1e-3;
    text.run = "another";
    put_case_text(file, &text);
    fclose(file);
    const struct nb_comparison comparison = old_and_new();
    test_says(test_compare(path, &comparison, NB_OK), "  timed apart\n", "iterations A/B, geometric mean of 1: 1.000",
              "no verdict on times in 1 of 1 pairs: their times were taken in different runs of a sweep",
              "verdict: not decided: A and B were timed apart\n");
    file = fopen(path, "a");
    text.factor = 1;
    put_case_text(file, &text);
    fclose(file);
    test_says(test_compare(path, &comparison, NB_OK), "verdict: B is worse: it fails on 1 of 1");
}

TEST_IN_FOLDER(pairs_are_of_one_kind_of_machine)
{
    const char *path;
    FILE *file = start(&path);
    put_pair(file, "p", 4e-3, 1e-3, "step");
    struct case_text text = usual_case;
    text.problem = "q";
    put_case_text(file, &text);
    text.precond = "new";
    text.cpu = "another";
    put_case_text(file, &text);
    fclose(file);
    struct nb_comparison comparison = old_and_new();
    test_says(test_compare(path, &comparison, NB_OK), "speed-up, geometric mean of 1: 4.000",
              "partners ran on another kind of machine (cpu, simd, host_threads or governor in their provenance): 1\n");
    comparison.a = (struct nb_option_list){2, {"precond=old", "problem=q"}};
    comparison.b = (struct nb_option_list){2, {"precond=new", "problem=q"}};
    test_says(test_compare(path, &comparison, NB_BAD_INPUT), "nearest differ in machine (cpu, simd");
    comparison.across = (struct nb_option_list){1, {"machine"}};
    test_says(test_compare(path, &comparison, NB_OK), "speed-up, geometric mean of 1: 1.000");
}

TEST_IN_FOLDER(spent_budgets_are_told)
{
    const char *path;
    FILE *file = start(&path);
    struct case_text text = usual_case;
    text.linear_used = text.linear_iters;
    put_case_text(file, &text);
    text.precond = "new";
    text.seconds = 1e-2;
    text.linear_last = 3; /* the last may end early, as close to the solution it does */
    put_case_text(file, &text);
    fclose(file);
    const struct nb_comparison comparison = old_and_new();
    test_says(test_compare(path, &comparison, NB_OK), "in 1 of 1 pairs most linear solves of A and of B spent "
                                                      "their budget",
              "verdict: B is worse (at a fixed linear budget)");
    file = fopen(path, "a");
    text.linear_used = 12;
    text.linear_last = 0;
    put_case_text(file, &text);
    fclose(file);
    OWNS(free_at) char *out = test_compare(path, &comparison, NB_OK);
    assert_null(strstr(out, "budget"));
    test_contains(out, "  p             160        48 "); /* linear iterations of both */
}

/* Of a linear system `tol` is where it is compared, even where more is asked for: 1e-4 is reached, 2e-9 is not. A step
 * stops at its own, and is compared where one asks. */
TEST_IN_FOLDER(a_system_is_compared_at_its_tolerance)
{
    const char *path;
    FILE *file = start(&path);
    struct case_text text = usual_case;
    for (int i = 0; i < 4; ++i) {
        text.precond = i & 1 ? "new" : "old";
        text.mode = i & 2 ? "step" : "linear_system";
        text.seconds = i & 1 ? 1e-3 : 4e-3;
        text.tol = 2e-4;
        put_case_text(file, &text);
    }
    fclose(file);
    struct nb_comparison comparison = old_and_new();
    comparison.tolerance = 2e-9;
    test_says(test_compare(path, &comparison, NB_OK), " 2.00e-04 ", " 2.00e-09 ", "geometric mean of 1: ");
}

/* Names have what tells pairs of one problem apart, not what tells problems apart. */
TEST_IN_FOLDER(a_name_is_no_longer_than_needed)
{
    const char *path;
    FILE *file = start(&path);
    struct case_text text = usual_case;
    for (int i = 0; i < 4; ++i) {
        text.problem = i & 2 ? "q" : "p";
        text.linear_iters = i & 2 ? 40 : 50;
        text.precond = i & 1 ? "new" : "old";
        put_case_text(file, &text);
    }
    fclose(file);
    const struct nb_comparison comparison = old_and_new();
    OWNS(free_at) char *out = test_compare(path, &comparison, NB_OK);
    assert_null(strstr(out, "linear_iters"));
}
