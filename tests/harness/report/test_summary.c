/* `report --summary`: the best of a setting among cases that agree in all others, failures by kind, and what a list of
 * expected failures did not foresee. */
#include "tests/support/case_text.h"
#include "tests/support/program.h"

FIXTURE(make_folder, remove_folder)

static void put(FILE *file, const char *precond, const char *precision, const char *scaling, double factor,
                double seconds)
{
    struct case_text text = usual_case;
    char linear[32];
    snprintf(linear, sizeof linear, "pcr:tol=%s", scaling); /* another setting */
    text.precond = precond;
    text.precision = precision;
    text.linear = linear;
    text.factor = factor;
    text.ending = factor < 1 ? "converged" : "stagnated";
    text.seconds = seconds;
    put_case_text(file, &text);
}

static FILE *open_file(const char *name)
{
    FILE *file = test_open(test_path(&folder, name), "w");
    return file;
}

/* ic0 is twice as fast as jacobi, of which a case with another linear solver is the fastest of all; float32 fails. */
static void write_cases(void)
{
    FILE *file = open_file("cases.jsonl");
    put(file, "jacobi", "f64", "1e-6", 0.1, 4e-3);
    put(file, "ic0", "f64", "1e-6", 0.1, 2e-3);
    put(file, "none", "f64", "1e-6", 1, 1e-3);
    put(file, "jacobi", "f64", "1e-1", 0.1, 1e-4);
    put(file, "ic0", "f32", "1e-6", 1, 1e-3);
    assert_int_equal(fclose(file), 0);
}

static void write_list(const char *text)
{
    FILE *file = open_file("expected");
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

TEST(like_is_compared_with_like)
{
    write_cases();
    expect_says(run("report %s/cases.jsonl --tol 1e-3 --summary", folder.path),
                "5 cases, 3 of them reach an error of 0.001\n",
                "  p                     ic0 (f64): 2.00 [1.94, 2.06] × jacobi",
                "f64 (ic0) alone of 2\n", "Failed: 2 of 5: 2 stagnated\n");
}

/* Two programs whose commands differ in the last word alone. */
TEST(names_are_told_whole)
{
    FILE *file = open_file("programs.jsonl");
    struct case_text text = usual_case;
    text.solver = "external:command=/usr/bin/python3 block_gauss_seidel_of_a_lab.py --relax 1.2";
    put_case_text(file, &text);
    text.solver = "external:command=/usr/bin/python3 block_gauss_seidel_of_a_lab.py --relax 1.3";
    text.seconds *= 2;
    put_case_text(file, &text);
    assert_int_equal(fclose(file), 0);
    expect_says(run("report %s/programs.jsonl --tol 1e-3 --summary", folder.path),
                " external:command=/usr/bin/python3 block_gauss_seidel_of_a_lab.py --relax 1.2: 2.00 [1.94, 2.06] × "
                "external:command=/usr/bin/python3 block_gauss_seidel_of_a_lab.py --relax 1.3\n");
}

static void expect_file(const char *name, const char *text)
{
    OWNS(free_at)
    char *content = test_slurp(test_path(&folder, name));
    if (!strstr(content, text))
        fail_msg("\"%s\" is not in %s", text, name);
}

/* Cases that died of one thing say so once. */
TEST(a_reason_is_told_once)
{
    FILE *file = open_file("cases.jsonl");
    struct case_text text = usual_case;
    for (int i = 0; i < 3; ++i) {
        char problem[8];
        snprintf(problem, sizeof problem, "p%d", i);
        text.problem = problem;
        text.ending = i < 2 ? "breakdown\",\"detail\":\"No module named numpy" : "crashed\",\"detail\":\"killed";
        put_case_text(file, &text);
    }
    assert_int_equal(fclose(file), 0);
    expect_says(run("report %s/cases.jsonl --tol 1e-3 --summary", folder.path),
                "Failed: 3 of 3: 2 breakdown, 1 crashed\n"
                "  2 of them: No module named numpy\n"
                "  1 of them: killed\n");
    expect_says(run("report %s/cases.jsonl --tol 1e-3", folder.path),
                "  why some of them failed to run:\n  2 of them: No module named numpy\n  1 of them: killed\n");
    expect_ok(run("report %s/cases.jsonl --tol 1e-3 --html %s/page.html --markdown %s/page.md", folder.path,
                  folder.path, folder.path));
    expect_file("page.html", "{\"cases\":2,\"text\":\"No module named numpy\"},{\"cases\":1,\"text\":\"killed\"}]");
    expect_file("page.md", "2 failed to run: No module named numpy; 1 failed to run: killed.\n");
}

/* A fourth that is the last is told, as its line is there anyway. */
TEST(a_single_reason_more_is_not_left_out)
{
    FILE *file = open_file("cases.jsonl");
    struct case_text text = usual_case;
    for (int i = 0; i < 4; ++i) {
        char problem[8], ending[60];
        snprintf(problem, sizeof problem, "p%d", i);
        snprintf(ending, sizeof ending, "breakdown\",\"detail\":\"reason %d", i);
        text.problem = problem;
        text.ending = ending;
        put_case_text(file, &text);
    }
    assert_int_equal(fclose(file), 0);
    OWNS(test_output_free)
    struct test_output output = run("report %s/cases.jsonl --tol 1e-3 --summary", folder.path);
    test_contains(output.out, "  1 of them: reason 3\n");
    assert_null(strstr(output.out, "other reasons"));
}

/* However many reasons come before it, that of most cases is the first. */
TEST(the_commonest_reason_is_first)
{
    enum { different = 60,
           alike = 3 };
    FILE *file = open_file("cases.jsonl");
    struct case_text text = usual_case;
    for (int i = 0; i < different + 2 * alike; ++i) {
        char problem[8], ending[60];
        snprintf(problem, sizeof problem, "p%d", i);
        snprintf(ending, sizeof ending, "breakdown\",\"detail\":\"reason %d",
                 i < different ? i / 2 : different + i % 2);
        text.problem = problem;
        text.ending = i + 1 < different + 2 * alike ? ending : "crashed\",\"detail\":\"reason 60";
        put_case_text(file, &text);
    }
    assert_int_equal(fclose(file), 0);
    expect_says(run("report %s/cases.jsonl --tol 1e-3 --summary", folder.path),
                "  4 of them: reason 60\n"
                "  2 of them: reason 0\n"
                "  2 of them: reason 1\n"
                "  58 for other reasons, in `detail` of their records\n");
}

/* A file and its copy are one problem: what was tried on one is compared with what was tried on the other. */
TEST(copies_of_a_problem_are_one)
{
    FILE *file = open_file("cases.jsonl");
    struct case_text text = usual_case;
    text.hash = "1111";
    text.precond = "jacobi";
    put_case_text(file, &text);
    text.problem = "copy";
    text.precond = "ic0";
    text.seconds = 2e-3;
    put_case_text(file, &text);
    assert_int_equal(fclose(file), 0);
    OWNS(test_output_free)
    struct test_output output = run("report %s/cases.jsonl --tol 1e-3 --summary", folder.path);
    test_contains(output.out, "  p                     ic0: 2.00 [1.94, 2.06] × jacobi");
    assert_null(strstr(output.out, "copy"));
}

TEST(what_is_not_told_apart_is_undecided)
{
    FILE *file = open_file("cases.jsonl");
    put(file, "jacobi", "f64", "1e-6", 0.1, 2.001e-3);
    put(file, "ic0", "f64", "1e-6", 0.1, 2e-3);
    assert_int_equal(fclose(file), 0);
    expect_says(run("report %s/cases.jsonl --tol 1e-3 --summary", folder.path), "  preconditioner\n",
                "ic0 or jacobi: undecided\n", "Failed: 0 of 2\n");
}

static void put_solver(FILE *file, const char *solver, int limit, double seconds)
{
    struct case_text text = usual_case;
    text.solver = solver;
    text.newton_iters = limit;
    text.seconds = seconds;
    put_case_text(file, &text);
}

/* What a solver may take in iterations is its own, unless it was run with several limits. */
TEST(solvers_are_compared_whatever_their_limits)
{
    FILE *file = open_file("solvers.jsonl");
    put_solver(file, "nsgs", 1000, 4e-3);
    put_solver(file, "pgs", 5000, 2e-3);
    assert_int_equal(fclose(file), 0);
    expect_says(run("report %s/solvers.jsonl --tol 1e-3 --summary", folder.path), "solver\n",
                "pgs: 2.00 [1.94, 2.06] × nsgs\n", "Failed: 0 of 2\n");
    expect_says(run("compare %s/solvers.jsonl --a solver=nsgs --b solver=pgs --tol 1e-3", folder.path), "better");
    file = open_file("solvers.jsonl");
    put_solver(file, "nsgs", 1000, 4e-3);
    put_solver(file, "pgs", 5000, 2e-3);
    put_solver(file, "pgs", 20, 1e-3);
    assert_int_equal(fclose(file), 0);
    expect_refusal(run("compare %s/solvers.jsonl --a solver=nsgs --b solver=pgs --tol 1e-3", folder.path),
                   "nearest differ in newton_iters");
}

TEST(times_of_two_runs_decide_nothing)
{
    FILE *file = open_file("cases.jsonl");
    struct case_text text = usual_case;
    put_case_text(file, &text);
    text.precond = "new";
    text.run = "another";
    text.seconds = 1e-3;
    put_case_text(file, &text);
    assert_int_equal(fclose(file), 0);
    expect_says(run("report %s/cases.jsonl --tol 1e-3 --summary", folder.path), "new or old: timed apart");
}

TEST(expected_failures_are_told_from_others)
{
    write_cases();
    write_list("# known\n\nprecond=none linear=pcr* # never\n precond=jacobi linear=pcr:tol=1e-6\n");
    expect_says(run("report %1$s/cases.jsonl --tol 1e-3 --summary --expected %1$s/expected", folder.path),
                "Failed: 2 of 5: 2 stagnated\n  1 of them as expected (",
                "  not expected: p jacobi pcr:tol=1e-6 f64: reaches it\n",
                "  not expected: p ic0 pcr:tol=1e-6 f32: stagnated\n");
    static const char *const foreseen[] = {"precond=none\nprecision=f32\n",
                                           "precond=none precision=f32\neither precision=f32,f64\n"};
    for (int i = 0; i < 2; ++i) {
        write_list(foreseen[i]);
        OWNS(test_output_free) struct test_output output =
            run("report %1$s/cases.jsonl --tol 1e-3 --summary --expected %1$s/expected", folder.path);
        test_contains(output.out, "2 of them as expected");
        assert_null(strstr(output.out, "not expected"));
    }
}

/* What is printed stands at the top of the page, too. */
TEST(a_page_begins_with_the_summary)
{
    write_cases();
    expect_says(run("report %1$s/cases.jsonl --tol 1e-3 --summary --html %1$s/page.html", folder.path),
                "Failed: 2 of 5: 2 stagnated\n");
    char *page = test_slurp(test_path(&folder, "page.html"));
    test_contains(page, "\"2.00 ×\""); /* jacobi with another linear solver is no rival of ic0 */
    test_says(page, "\"summary\":[\"5 cases, 3 of them reach an error of 0.001\",",
              "\"Failed: 2 of 5: 2 stagnated\"]");
}

TEST(a_summary_has_at_most_twenty_lines)
{
    FILE *file = open_file("cases.jsonl");
    for (int p = 0; p < 30; ++p) {
        char name[16];
        snprintf(name, sizeof name, "p%d", p);
        put_precond(file, name, "jacobi", 0.1, 1e-3);
        put_precond(file, name, "ic0", 1, 1e-3);
    }
    assert_int_equal(fclose(file), 0);
    write_list("precond=jacobi\n");
    OWNS(test_output_free) struct test_output output =
        run("report %1$s/cases.jsonl --tol 1e-3 --summary --expected %1$s/expected", folder.path);
    assert_int_equal(output.code, 0);
    int lines = 0;
    for (const char *c = output.out; *c; ++c)
        lines += *c == '\n';
    assert_int_equal(lines, 19);
    test_contains(output.out, "and 20 more: report without --summary");
    test_contains(output.out, "and 57 more that were not expected");
}

TEST(mistakes_in_a_list_are_named)
{
    static const struct {
        const char *list, *message;
    } cases[] = {{"precond\n", "expected:1: expected NAME=VALUE"},
                 {"either\n", "expected:1: 'either' needs filters behind it"},
                 {"\nprecnd=none\n", "expected:2: no record has 'precnd'"},
                 {"a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1\n", "expected:1: no record has 'a'"}};
    write_cases();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        write_list(cases[i].list);
        expect_refusal(run("report %1$s/cases.jsonl --tol 1e-3 --summary --expected %1$s/expected", folder.path),
                       cases[i].message);
    }
    expect_refusal(run("report %1$s/cases.jsonl --tol 1e-3 --summary --expected %1$s/missing", folder.path), "missing");
    expect_refusal(run("report %1$s/cases.jsonl --tol 1e-3 --expected %1$s/expected", folder.path),
                   "only with --summary");
}
