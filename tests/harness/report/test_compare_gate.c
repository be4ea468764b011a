/* compare --fail-if on records whose times and errors are known. */
#include "harness/records/json.h"
#include "harness/report/compare.h"
#include "tests/support/case_text.h"
#include "tests/support/program.h"

/* Problems p0, p1, ...: each with A ("old") and B ("new"), whose repetitions spread by 2 per cent either way. */
static struct case_text pair_case[2];

static void start(void)
{
    pair_case[NB_A] = pair_case[NB_B] = usual_case;
    pair_case[NB_B].precond = "new";
}

static void write_pairs(const char *mode, const double *slowdown, int count, const char *how)
{
    FILE *file = test_open(test_path(&folder, "pairs.jsonl"), how);
    for (int i = 0; i < count; ++i) {
        char problem[16];
        snprintf(problem, sizeof problem, "p%d", i);
        for (int k = 0; k < 2; ++k) {
            struct case_text text = pair_case[k];
            text.problem = problem;
            text.mode = mode;
            text.seconds = k == NB_A ? 1e-3 : 1e-3 * slowdown[i];
            put_case_text(file, &text);
        }
    }
    assert_int_equal(fclose(file), 0);
}

/* The exit code with that gate, and what is said. */
static int gate(const char *condition, const char *tolerance, const char *says)
{
    OWNS(test_output_free) struct test_output output =
        run("compare %s/pairs.jsonl --a precond=old --b precond=new%s --fail-if %s", folder.path, tolerance,
            condition);
    test_contains(output.code == 2 ? output.err : output.out, says);
    const int code = output.code;
    return code;
}

#define TOLERANCE " --tol 2e-4"

/* One pair, B 6 % slower by its medians and at least 2 % by its interval: the mean of one alone has no width. */
TEST(a_pair_alone_counts_with_its_own_interval)
{
    const double slower = 1.06;
    start();
    write_pairs("step", &slower, 1, "w");
    assert_int_equal(gate("worse:5%", TOLERANCE, "--fail-if worse:5%: passed: mean of the steps: B takes 1.06 [1.0"),
                     0);
    assert_int_equal(gate("mixed:5%", TOLERANCE, "passed"), 0);
    assert_int_equal(gate("worse:1%", TOLERANCE, "failed: mean of the steps: B takes 1.06 [1.0"), 1);
    assert_int_equal(gate("worse", TOLERANCE, "with its interval above 1"), 1);
}

/* Nine pairs of 6 %: what noise each has averages out. Nine of which one is twice as slow: no mean beyond 5 %. */
TEST(the_whole_interval_of_the_mean_decides)
{
    double slowdown[9];
    start();
    for (int i = 0; i < 9; ++i)
        slowdown[i] = 1.07;
    write_pairs("step", slowdown, 9, "w");
    assert_int_equal(gate("worse:5%", TOLERANCE, "failed: mean of the steps"), 1);
    assert_int_equal(gate("worse:8%", TOLERANCE, "passed"), 0);
    for (int i = 0; i < 9; ++i)
        slowdown[i] = i ? 1 : 2;
    write_pairs("step", slowdown, 9, "w");
    assert_int_equal(gate("worse:5%", TOLERANCE, "passed"), 0);
    assert_int_equal(gate("mixed:5%", TOLERANCE, "failed: p0: B takes 2 ["), 1);
    assert_int_equal(gate("mixed:150%", TOLERANCE, "passed"), 0);
    assert_int_equal(gate("fails", TOLERANCE, "passed"), 0);
    for (int i = 0; i < 9; ++i)
        slowdown[i] = 0.5;
    write_pairs("step", slowdown, 9, "w");
    assert_int_equal(gate("mixed", TOLERANCE, "passed"), 0);
}

/* Steps and linear systems have no mean in common: one that is better does not hide the other. */
TEST(each_kind_is_judged)
{
    const double slower[] = {2, 2, 2}, faster[] = {0.1, 0.1, 0.1};
    start();
    write_pairs("step", faster, 3, "w");
    write_pairs("linear_system", slower, 3, "a");
    assert_int_equal(gate("worse:5%", TOLERANCE, "failed: mean of the linear systems: B takes 2 ["), 1);
}

TEST(failing_alone_is_worse)
{
    const double faster[] = {0.1, 0.1};
    start();
    write_pairs("step", faster, 2, "w");
    pair_case[NB_B].factor = 1;
    write_pairs("step", faster, 1, "a"); /* p0 anew: B does not reach the tolerance */
    const char *const conditions[] = {"fails", "worse:5%", "mixed:5%"};
    for (int i = 0; i < 3; ++i)
        assert_int_equal(gate(conditions[i], TOLERANCE, "failed: B alone fails in 1 of 2 pairs, first p0"), 1);
    pair_case[NB_A].factor = 1;
    write_pairs("step", faster, 1, "a"); /* nor does A */
    assert_int_equal(gate("worse:5%", TOLERANCE, "passed"), 0);
}

/* Whether its observed run reached the tolerance or not. */
TEST(what_crashed_in_a_timed_run_fails)
{
    const double same[] = {1, 1};
    static const char *const endings[] = {"crashed", "timed_out", "out_of_memory", "breakdown"};
    for (int i = 0; i < 4; ++i) {
        start();
        write_pairs("step", same, 2, "w");
        pair_case[NB_B].ending = endings[i];
        write_pairs("step", same, 1, "a");
        assert_int_equal(gate("fails", TOLERANCE, "failed: B alone fails in 1 of 2 pairs, first p0"), 1);
        assert_int_equal(gate("worse:5%", TOLERANCE, "failed: B alone fails"), 1);
    }
}

/* B of one pair has no times that count: the others decide nothing for it. */
TEST(a_pair_without_times_is_undecided)
{
    const double faster[] = {0.5, 0.5, 0.5};
    start();
    write_pairs("step", faster, 3, "w");
    pair_case[NB_B].repetitions = 0;
    write_pairs("step", faster, 1, "a");
    assert_int_equal(gate("fails", TOLERANCE, "passed"), 0);
    assert_int_equal(gate("worse:5%", TOLERANCE, "not decided: 1 pairs have no times of both"), 2);
    assert_int_equal(gate("mixed:5%", TOLERANCE, "first p0"), 2);
}

static void write_one(int side, const char *problem, const char *hash)
{
    FILE *file = test_open(test_path(&folder, "pairs.jsonl"), "a");
    struct case_text text = pair_case[side];
    text.problem = problem;
    text.hash = hash;
    put_case_text(file, &text);
    assert_int_equal(fclose(file), 0);
}

/* A case that has no partner is not judged, and no gate passes by not looking; one that fails anyhow is closed. */
TEST(a_case_without_a_partner_is_told_and_undecided)
{
    const double same[] = {1, 1};
    for (int side = 0; side < 2; ++side) {
        start();
        write_pairs("step", same, 2, "w");
        assert_int_equal(gate("fails", TOLERANCE, "passed"), 0);
        write_one(side, "alone", "");
        assert_int_equal(gate("fails", TOLERANCE, side ? "not decided: 1 cases of B have no record of A, first alone"
                                                       : "not decided: 1 cases of A have no record of B, first alone"),
                         2);
        assert_int_equal(gate("mixed:5%", TOLERANCE, "not decided"), 2);
        pair_case[NB_B].factor = 1;
        write_pairs("step", same, 1, "a");
        assert_int_equal(gate("fails", TOLERANCE, "failed: B alone fails"), 1);
    }
}

/* Three names of one problem are one of two in the means. */
TEST(copies_of_a_problem_count_once)
{
    start();
    test_write(test_path(&folder, "pairs.jsonl"), "");
    static const char *const names[] = {"a", "copy", "again", "z"};
    for (int i = 0; i < 4; ++i)
        for (int side = 0; side < 2; ++side) {
            pair_case[side].seconds = side == NB_B && i < 3 ? 1e-3 : 4e-3;
            write_one(side, names[i], i < 3 ? "1111" : "2222");
        }
    OWNS(test_output_free) struct test_output output =
        run("compare %s/pairs.jsonl --a precond=old --b precond=new --tol 2e-4", folder.path);
    test_contains(output.out, "speed-up, geometric mean of 2: 2.000 ");
    test_contains(output.out, "note: 2 of 4 pairs are of copies of a problem that counts already");
}

/* Two names of one problem, each with a linear solver of its own, are no copies of a pair, and still one problem:
 * fourfold there, and as fast on the other one, is twofold, not 4^(2/3). */
TEST(a_problem_under_two_names_is_one_in_a_mean)
{
    start();
    test_write(test_path(&folder, "pairs.jsonl"), "");
    static const char *const names[] = {"a", "copy", "z"}, *const solvers[] = {"pcr", "pcg", "pcr"};
    for (int i = 0; i < 3; ++i)
        for (int side = 0; side < 2; ++side) {
            pair_case[side].seconds = side == NB_B && i < 2 ? 1e-3 : 4e-3;
            pair_case[side].linear = solvers[i];
            write_one(side, names[i], i < 2 ? "1111" : "2222");
        }
    OWNS(test_output_free)
    struct test_output output =
        run("compare %s/pairs.jsonl --a precond=old --b precond=new --tol 2e-4 --json", folder.path);
    cJSON *json = cJSON_Parse(output.out);
    const cJSON *mean = nb_json_path(json, "steps", "speed_up");
    assert_true(nb_json_get(mean, "pairs") == 3 && nb_json_get(mean, "problems") == 2);
    assert_true(fabs(nb_json_get(mean, "value") - 2) < 1e-6);
    cJSON_Delete(json);
}

/* Without a tolerance pairs are compared at what both reach, and what the runs say of themselves counts. */
TEST(without_a_tolerance_endings_tell_who_fails)
{
    const double same[] = {1, 1};
    start();
    write_pairs("step", same, 2, "w");
    assert_int_equal(gate("worse:5%", "", "passed"), 0);
    pair_case[NB_B].ending = "stagnated";
    write_pairs("step", same, 1, "a");
    assert_int_equal(gate("worse:5%", "", "failed: B alone fails in 1 of 2 pairs"), 1);
    assert_int_equal(gate("fails", TOLERANCE, "passed"), 0); /* it got there */
    pair_case[NB_A].ending = "iteration_limit";
    write_pairs("step", same, 1, "a");
    assert_int_equal(gate("fails", "", "passed"), 0);
}

/* The document says it, too; also where there is nothing to be judged. */
TEST(json_says_what_the_gate_found)
{
    const double slower[] = {2, 2};
    start();
    write_pairs("step", slower, 2, "w");
    assert_int_equal(gate("worse:5%", TOLERANCE " --json", "\"fail_if\":{\"condition\":\"worse:5%\",\"failed\":true,"
                          "\"reason\":\"mean of the steps: B takes 2 ["), 1);
    assert_int_equal(gate("worse:200%", TOLERANCE " --json", "\"failed\":false,\"reason\":\"mean of the steps: B "
                                                             "takes 2 ["), 0);
    OWNS(test_output_free) struct test_output output =
        run("compare %s/pairs.jsonl --a precond=old --b precond=new --json --fail-if fails " "--tol 1e-9",
            folder.path);
    assert_int_equal(output.code, 2);
    test_contains(output.out, "\"failed\":null,\"reason\":\"--fail-if: nothing to be judged");
    test_contains(output.out, "\"neither\":2");
}

/* Of two runs, without times: 4 iterations of A's to the tolerance against B's, and 7 linear ones in each or more. */
TEST(iterations_are_judged_whenever_they_were_taken)
{
    const double same[] = {1, 1, 1};
    start();
    pair_case[NB_B].run = "another";
    pair_case[NB_A].repetitions = pair_case[NB_B].repetitions = 0;
    write_pairs("step", same, 3, "w");
    assert_int_equal(gate("iterations:0%", TOLERANCE, "passed: mean of the steps: B takes 1 times as many"), 0);
    pair_case[NB_B].linear_used = 8;
    write_pairs("step", same, 3, "w");
    assert_int_equal(gate("iterations:14%", TOLERANCE, "failed: mean of the steps: B takes 1.143 times as many linear "
                                                       "iterations as A, above 1.14"), 1);
    assert_int_equal(gate("iterations:15%", TOLERANCE, "passed"), 0);
    pair_case[NB_B].linear_used = 7;
    pair_case[NB_B].factor = 0.01; /* two iterations in place of four */
    write_pairs("step", same, 1, "a");
    assert_int_equal(gate("iterations", TOLERANCE, "passed"), 0);
    pair_case[NB_A].factor = 0.01;
    pair_case[NB_B].factor = 0.1;
    write_pairs("linear_system", same, 2, "a");
    assert_int_equal(gate("iterations:99%", TOLERANCE, "failed: mean of the linear systems: B takes 2 times"), 1);
    pair_case[NB_B].factor = 1;
    write_pairs("step", same, 1, "a");
    assert_int_equal(gate("iterations:99%", TOLERANCE, "failed: B alone fails"), 1);
}

/* A gate that could not close says so. */
TEST(what_cannot_be_judged_is_refused)
{
    const double slower[] = {2, 2};
    start();
    pair_case[NB_B].run = "another";
    write_pairs("step", slower, 2, "w");
    assert_int_equal(gate("worse:5%", TOLERANCE, "nothing to be judged: no pair in which both reach"), 2);
    assert_int_equal(gate("mixed:5%", TOLERANCE, "nothing to be judged"), 2);
    assert_int_equal(gate("fails", TOLERANCE, "passed"), 0);
    assert_int_equal(gate("fails", " --tol 1e-9", "nothing to be judged: neither reaches the tolerance"), 2);
    start();
    pair_case[NB_A].repetitions = 4;
    write_pairs("step", slower, 2, "w");
    assert_int_equal(gate("mixed:5%", TOLERANCE, "nothing to be judged"), 2);
}

/* Records alone do not tell of a problem that neither A nor B has solved; the spec does. */
TEST(what_has_not_run_has_not_passed)
{
    const char *f = folder.path;
    expect_ok(run("export box_on_plane -o %s/box.h5", f));
    expect_ok(run("export box_on_plane --set side=0.6 -o %s/two.h5", f));
    for (int k = 0; k < 2; ++k) {
        char text[300];
        snprintf(text, sizeof text, "[sweep]\nname = m\nrepetitions = 5\nfloors = no\n[group g]\nproblem = %s\n"
                                    "solver = nsgs, proximal_newton\ntol = 1e-1\n",
                 k ? "box.h5, two.h5" : "box.h5");
        test_write(test_path(&folder, k ? "all.sweep" : "one.sweep"), text);
    }
    expect_ok(run("sweep %s/one.sweep -o %s/m.jsonl", f, f));
    static const char judged[] = "compare %s/m.jsonl --a solver=nsgs --b solver=proximal_newton --tol 0.1 %s%s%s%s";
    expect(run(judged, f, "--fail-if fails", "", "", ""), 0, "passed", "");
    expect(run(judged, f, "--fail-if fails --spec ", f, "/one.sweep", ""), 0, "passed", "");
    expect(run(judged, f, "--fail-if fails --spec ", f, "/all.sweep", ""), 2, "",
           "not decided: 2 of 4 cases of --spec have no record, first two");
    expect_refusal(run(judged, f, "--spec ", f, "/all.sweep", ""), "--fail-if");
}

TEST(bad_conditions_are_refused)
{
    const char *const bad[] = {"better", "worse:", "worse:5", "worse:-1%", "worse:1001%", "worse:nan%", "worse:0x5%",
                               "worse:5%%", "fails:5%", "Worse", "mixed:%", "mixed:5%,fails", "''"};
    const double same = 1;
    start();
    write_pairs("step", &same, 1, "w");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        assert_int_equal(gate(bad[i], TOLERANCE, "P from 0 to 1000"), 2);
    assert_int_equal(gate("worse:1000%", TOLERANCE, "passed"), 0);
    assert_int_equal(gate("worse:.5%", TOLERANCE, "passed"), 0);
}

FIXTURE(make_folder, remove_folder)
