/* Which cases of a spec a sweep means, and what it would run. Runs build/ncpbench. */
#include <sched.h>

#include "tests/support/program.h"

static const char spec[] = "[sweep]\nname = some\ntime_limit = 30\nfloors = no\n"
                           "[group a]\nproblem = box.h5\nlinear = pcr, cholesky\nprecond = none\nprecision = f64, f32\n"
                           "newton_iters = 4\n[group b]\nproblem = box.h5\nsolver = nsgs, pgs\ntol = 1e-6\n";

static int set_up(void **state)
{
    make_folder(state);
    expect_ok(run("export box_on_plane -o %s/box.h5", folder.path));
    test_write(test_path(&folder, "s.sweep"), spec);
    return 0;
}

static const char *fresh(void)
{
    unlink(test_path(&folder, "r.jsonl"));
    return folder.path;
}

TEST(filters_choose_cases)
{
    const char *f = fresh();
    expect_says(run("sweep %s/s.sweep -o %s/r.jsonl --where linear=pcr --where precision=f64", f, f),
                "some: 1 cases, 1 run");
    expect_says(run("sweep %s/s.sweep -o %s/r.jsonl --where group=a --where 'linear!=chol*'", f, f),
                "some: 2 cases, 1 run now, 1 reused");
    expect_says(run("sweep %s/s.sweep -o %s/r.jsonl --where method=nsgs,pgs", f, f), "some: 2 cases, 2 run");
    expect_says(run("sweep %s/s.sweep -o %s/r.jsonl", f, f), "some: 6 cases, 2 run now, 4 reused");
}

TEST(filters_that_mean_nothing_are_refused)
{
    const char *f = fresh();
    expect_refusal(run("sweep %s/s.sweep -o %s/r.jsonl --where linaer=pcr", f, f), "nearest: linear\n");
    expect_refusal(run("sweep %s/s.sweep -o %s/r.jsonl --where linear=pcx", f, f),
                   "no case has linear=pcx; the 6 that pass the filters before it have pcr,cholesky\n");
    expect_refusal(run("sweep %s/s.sweep -o %s/r.jsonl --where linear", f, f), "expected NAME=VALUE");
    assert_int_equal(access(test_path(&folder, "r.jsonl"), F_OK), -1);
}

/* One of several values that has a slip, or one that was to be left out, is told of: what it meant would be missing, or
 * run. A pattern that has its case besides another's is none. */
TEST(a_value_of_a_filter_that_no_case_has_is_told)
{
    const char *f = fresh();
    expect(run("sweep %s/s.sweep --dry-run --where linear=pcr,pcx", f), 0, "some: 2 cases",
           "--where: no case has linear=pcx; there are pcr,cholesky\n");
    expect(run("sweep %s/s.sweep --dry-run --where 'solver!=nsg'", f), 0, "some: 6 cases",
           "--where: no case has solver=nsg; there are ");
    struct test_output output = run("sweep %s/s.sweep --dry-run --where 'linear=pcr,p*'", f);
    assert_int_equal(output.code, 0);
    assert_null(strstr(output.err, "--where"));
    test_output_free(&output);
}

TEST(a_dry_run_tells_and_writes_nothing)
{
    const char *f = fresh();
    expect_says(run("sweep %s/s.sweep --dry-run", f), "         4           0           4  a\n",
                "         2           0           2  b\n", "some: 6 cases, 6 to run, 0 reused; nothing was run",
                "time: about ", " for 6 of them, by the sizes of their problems, of none of which there is a record");
    expect_says(run("sweep %s/s.sweep -o %s/r.jsonl --dry-run --jobs 1", f, f), "some: 6 cases, 6 to run");
    assert_int_equal(access(test_path(&folder, "r.jsonl"), F_OK), -1);
    expect_ok(run("sweep %s/s.sweep -o %s/r.jsonl --where linear=pcr", f, f));
    char *before = test_slurp(test_path(&folder, "r.jsonl"));
    expect_says(run("sweep %s/s.sweep -o %s/r.jsonl --dry-run", f, f), "         4           2           2  a\n",
                "some: 6 cases, 4 to run, 2 reused", "for 2 of them, by records of",
                "for 2 of them, by the sizes of their problems beside those that are recorded\n");
    char *after = test_slurp(test_path(&folder, "r.jsonl"));
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_int_equal(access(test_path(&folder, "r.jsonl.journal"), F_OK), -1);
}

/* Of preconditioners, solvers and precisions of which any two are to meet, once only. */
TEST(a_design_of_pairs_runs_fewer_and_full_runs_all)
{
    const char *f = fresh();
    test_write(test_path(&folder, "pairs.sweep"), "[sweep]\nname = pairs\nfloors = no\n[group a]\ndesign = pairs\n"
                                                  "problem = box.h5\nlinear = pcr, pcg\nprecond = none, jacobi\n"
                                                  "precision = f64, f32\n");
    expect_says(run("sweep %s/pairs.sweep --dry-run", f), "pairs: 4 cases, 4 to run");
    expect_says(run("sweep %s/pairs.sweep --dry-run --full", f), "pairs: 8 cases, 8 to run");
    expect_ok(run("sweep %s/pairs.sweep -o %s/pairs.jsonl", f, f));
    expect_says(run("sweep %s/pairs.sweep -o %s/pairs.jsonl --full", f, f), "pairs: 8 cases, 4 run now, 4 reused");
}

/* It would have its floor's key if that were of the settings that differ from the usual alone. */
TEST(a_case_of_the_usual_settings_runs_beside_its_floor)
{
    const char *f = fresh();
    test_write(test_path(&folder, "usual.sweep"), "[sweep]\nname = usual\n[group a]\nproblem = box.h5\n");
    expect_says(run("sweep %s/usual.sweep -o %s/usual.jsonl", f, f), "usual: 1 cases, 1 run now, 0 reused");
    expect_says(run("sweep %s/usual.sweep -o %s/usual.jsonl --dry-run", f, f), "usual: 1 cases, 0 to run, 1 reused;");
}

TEST(threads_beyond_the_processors_are_told)
{
    const char *f = fresh();
    test_write(test_path(&folder, "threads.sweep"), "[sweep]\nname = threads\nfloors = no\n[group a]\n"
                                                    "problem = box.h5\nthreads = 1, 1024\n");
    expect(run("sweep %s/threads.sweep --dry-run", f), 0, "threads: 2 cases", "note: 1024 threads wait for each other");
    struct test_output output = run("sweep %s/threads.sweep --dry-run --where threads=1", f);
    assert_null(strstr(output.err, "wait for each other"));
    test_output_free(&output);
    expect_says(run("solve %s/box.h5 --threads 1024 --newton-iters 1", f), "1024 threads wait for each other on ");
}

/* The machine may have more. */
TEST(threads_wait_for_the_processors_that_are_allowed)
{
    const char *f = fresh(), *said = "note: 2 threads wait for each other on 1 processor\n";
    cpu_set_t allowed, one;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    test_write(test_path(&folder, "two.sweep"),
               "[sweep]\nname = two\nfloors = no\n[group a]\nproblem = box.h5\nthreads = 2\n");
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    struct test_output sweep = run("sweep %s/two.sweep --dry-run", f);
    struct test_output solve = run("solve %s/box.h5 --threads 2 --newton-iters 1", f);
    assert_int_equal(sched_setaffinity(0, sizeof allowed, &allowed), 0);
    expect(sweep, 0, "two: 1 cases", said);
    expect_says(solve, "note         2 threads wait for each other on 1 processor\n");
}

TEST(a_dry_run_names_all_files_that_are_missing)
{
    const char *f = fresh();
    test_write(test_path(&folder, "missing.sweep"), "[sweep]\nname = missing\nfloors = no\n[group a]\n"
                                                    "problem = box.h5, one.h5, two.h5\nsolver = nsgs\n");
    struct test_output output = run("sweep %s/missing.sweep --dry-run", f);
    assert_int_equal(output.code, 2);
    test_contains(output.out, "/one.h5, for which the sweep is refused");
    test_contains(output.out, "/two.h5, for which the sweep is refused");
    test_contains(output.out, "missing: 1 cases, 1 to run");
    test_output_free(&output);
    expect_refusal(run("sweep %s/missing.sweep -o %s/r.jsonl", f, f), "one.h5: No such file");
}

FIXTURE(set_up, remove_folder)
