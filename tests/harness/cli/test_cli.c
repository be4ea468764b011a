/* The command line as a user meets it: exit codes, messages, suggestions. Runs build/ncpbench. */
#include "tests/support/program.h"

#include <cJSON.h>

#include "harness/records/json.h"
#include "problems/io/problem_file.h"

static int set_up(void **state)
{
    make_folder(state);
    expect_ok(run("export heavy_stack -o %s/stack.h5 --newton-systems --newton-iters 4",
                  folder.path));
    expect_ok(run("export box_on_plane -o %s/box.h5", folder.path));
    return 0;
}

TEST(help_is_there_for_each_command)
{
    static const char *const commands[] = {"list", "export", "info", "solve", "linear", "simulate",
                                           "sweep", "report", "plot"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        expect_says(run("--help"), commands[i]);
        expect_says(run("%s --help", commands[i]), "usage: ncpbench", commands[i]);
    }
    expect_says(run("solve --help"), "--damping T", "> 0, <= 1 [0.75]", "example:");
    expect_refusal(run("--frobnicate"), "unknown command");
}

TEST(version_names_what_it_is_built_from)
{
    expect_says(run("--version"), "ncpbench 0.", "commit", "compiler", "BLAS", "OpenBLAS", "HDF5", "CUDA");
}

TEST(unknown_names_are_answered_with_the_nearest)
{
    const char *f = folder.path;
    expect_refusal(run("sovle x"), "nearest: solve");
    expect_refusal(run("list linaer"), "nearest: linear");
    expect_refusal(run("export heavy_stak -o %s/x.h5", f), "nearest: heavy_stack");
    expect_refusal(run("simulate archh"), "nearest: arch");
    expect_refusal(run("solve arch"), "ncpbench export arch -o arch.h5");
    expect_refusal(run("info nowhere/arch.h5"), "ncpbench export arch -o arch.h5");
    expect_refusal(run("solve %s/box.h5 --linear pcgg", f), "nearest: pcg");
    expect_refusal(run("solve %s/box.h5 --ncp fbb", f), "nearest: fb");
    expect_refusal(run("solve %s/box.h5 --scaling mas", f), "nearest: mass");
    expect_refusal(run("solve %s/box.h5 --precond jacoby", f), "; --plugin NAME.so adds one of your own");
    expect_refusal(run("solve %s/box.h5 --precond jacoby", f), "nearest: jacobi");
    expect_refusal(run("solve %s/box.h5 --operator assembeld", f), "nearest: assembled");
    expect_refusal(run("solve %s/box.h5 --precision f46", f), "nearest: f64");
    expect_refusal(run("solve %s/box.h5 --newton-form scale", f), "nearest: scaled");
    expect_refusal(run("solve %s/box.h5 --liner pcg", f), "nearest: --linear NAME");
    expect_refusal(run("export box_on_plane -o %s/x.h5 --set maas=3", f), "mass");
}

TEST(numbers_are_strict_and_ranged)
{
    const char *f = folder.path;
    expect_refusal(run("solve %s/box.h5 --damping 0", f), "--damping: 0 is out of range");
    expect_refusal(run("solve %s/box.h5 --damping 1.01", f), "0 < value <= 1");
    expect_refusal(run("solve %s/box.h5 --damping nan", f), "not a number");
    expect_refusal(run("solve %s/box.h5 --damping 0.5x", f), "not a number");
    static const char *const no_decimal[] = {"0x1p-1", " 0.5", "0.5 ", "1e400", "inf", "0,5", "\u0665", ""};
    for (size_t i = 0; i < sizeof no_decimal / sizeof *no_decimal; ++i) {
        expect_refusal(run("solve %s/box.h5 --damping '%s'", f, no_decimal[i]), "not a number");
        expect_refusal(run("solve %s/box.h5 --linear 'pcr:tol=%s'", f, no_decimal[i]), "allowed");
        expect_refusal(run("export box_on_plane -o %s/n.h5 --set 'mass=%s'", f, no_decimal[i]), "mass");
        expect_refusal(run("export box_on_plane -o %s/n.h5 --step '%s'", f, no_decimal[i]), "not a whole number");
    }
    expect_refusal(run("solve %s/box.h5 --newton-iters 1e3", f), "not a whole number");
    expect_refusal(run("solve %s/box.h5 --newton-iters -1", f), "--newton-iters: -1");
    expect_refusal(run("solve %s/box.h5 --newton-iters 99999999999999999999", f), "out of range");
    expect_refusal(run("solve %s/box.h5 --shift -1e-9", f), "--shift");
    expect_refusal(run("solve %s/box.h5 --threads 0", f), "--threads");
    expect_refusal(run("solve %s/box.h5 --tol 0", f), "--tol");
    expect_refusal(run("export box_on_plane -o %s/x.h5 --step -1", f), "--step");
    expect_refusal(run("export box_on_plane -o %s/x.h5 --set mass=-1", f), "mass");
}

TEST(usage_mistakes_are_told)
{
    const char *f = folder.path;
    expect(run("%s", ""), 2, "", "usage");
    expect_refusal(run("solve"), "FILE is missing");
    expect_refusal(run("solve %s/box.h5 extra", f), "unexpected argument \"extra\"");
    expect_refusal(run("solve %s/box.h5 --linear", f), "needs a value");
    expect_refusal(run("solve %s/box.h5 --json=yes", f), "takes no value");
    expect_refusal(run("export box_on_plane"), "-o FILE.h5 is missing");
    expect_refusal(run("sweep %s/x.sweep", f), "-o RESULTS.jsonl is missing");
    expect_refusal(run("sweep %s/x.sweep -o %s/r.jsonl --jobs 0", f, f), "--jobs");
    expect_refusal(run("merge %s/a.jsonl -o %s/r.jsonl", f, f), "--spec SPEC, that of the sweep, is missing");
}

static int words_of_line(const char *text)
{
    int words = 0;
    for (const char *c = text; *c && *c != '\n'; ++c)
        words += *c != ' ' && (c == text || c[-1] == ' ');
    return words;
}

/* Every column of the table of iterations has a name over it. */
TEST(the_table_names_its_columns)
{
    OWNS(test_output_free) struct test_output output = run("solve %s/box.h5 --newton-iters 2", folder.path);
    assert_int_equal(output.code, 0);
    const char *units = strchr(output.out, '\n') + 1, *first = strchr(units, '\n') + 1;
    assert_int_equal(words_of_line(output.out), words_of_line(first));
    assert_ptr_equal(strstr(output.out, " iter"), output.out);
    assert_ptr_equal(strstr(first, "    0"), first);
}

/* Before the work whose result it would hold. */
TEST(a_missing_folder_is_told_at_once)
{
    static const char *const outputs[] = {"solve %s/box.h5 -o", "solve %s/box.h5 --vtkhdf",
                                          "solve %s/box.h5 --forces"};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; ++i) {
        char command[256];
        snprintf(command, sizeof command, outputs[i], folder.path);
        struct test_output output = run("%s %s/none/out", command, folder.path);
        assert_string_equal(output.out, "");
        expect_refusal(output, "none/out cannot be written: No such file");
    }
    expect_refusal(run("simulate arch --checkpoint %s/none/c.h5", folder.path), "--checkpoint: ");
    expect_refusal(run("export arch -o %s/none/c.h5", folder.path), "--output: ");
    expect_ok(run("export arch -o %s/./there.h5", folder.path));
}

TEST(bad_files_are_named)
{
    const char *f = folder.path;
    test_write(test_path(&folder, "text.h5"), "this is not HDF5");
    test_write(test_path(&folder, "text.jsonl"), "this is not JSON\n{}\n");
    expect_refusal(run("solve %s/absent.h5", f), "absent.h5: No such file");
    expect_refusal(run("info %s/absent.h5", f), "absent.h5");
    expect_refusal(run("solve %s/text.h5", f), "text.h5");
    expect_refusal(run("info %s/text.h5", f), "text.h5");
    expect_refusal(run("solve %s", f), f);
    expect_refusal(run("linear %s/stack.h5 --system 99", f), "stack.h5");
    expect_refusal(run("linear %s/box.h5", f), "box.h5");
    expect_refusal(run("report %s/absent.jsonl", f), "absent.jsonl");
    expect_refusal(run("report %s/text.jsonl", f), "text.jsonl:1");
    expect_refusal(run("sweep %s/absent.sweep -o %s/r.jsonl", f, f), "absent.sweep");
    expect_refusal(run("export box_on_plane -o /nowhere/x.h5"), "/nowhere/x.h5");
}

TEST(exit_code_tells_about_the_tolerance)
{
    const char *f = folder.path;
    expect_says(run("solve %s/stack.h5 --tol 1e-6", f), "ended        converged");
    OWNS(test_output_free) struct test_output output = run("solve %s/stack.h5 --tol 1e-6 --newton-iters 3", f);
    assert_int_equal(output.code, 1);
    assert_string_equal(output.err, "");
    test_output_free(&output);
    output = run("solve %s/stack.h5 --newton-iters 3", f);
    assert_int_equal(output.code, 0);
}

static void expect_verdict(struct test_output output, int code, const char *verdict, const char *error)
{
    assert_int_equal(output.code, code);
    test_contains(output.out, verdict);
    test_contains(output.out, error);
    assert_null(strchr(output.out, '\033')); /* not a terminal */
    test_output_free(&output);
}

TEST(a_run_ends_with_its_verdict)
{
    const char *f = folder.path;
    expect_verdict(run("solve %s/stack.h5 --tol 1e-6", f), 0, "\nverdict      converged to --tol 1e-06\n",
                   ", most of it penetration rate; worst contact ");
    expect_verdict(run("solve %s/stack.h5 --tol 1e-6 --newton-iters 3", f), 1,
                   "\nverdict      not converged to --tol 1e-06: ",
                   " after 3 iterations, most of it ");
    expect_verdict(run("solve %s/box.h5 --newton-iters 0", f), 0, " (--tol is not given)\n",
                   " of body 0 and the world\n");
    expect_verdict(run("linear %s/stack.h5 --system 1 --linear pcg:tol=1e-8", f), 0,
                   "\nverdict      converged to the linear solver's tol 1e-08\n", "\n             residual ");
}

/* Whether or not a tolerance was asked for: Gauss-Seidel on a matrix that is not definite. */
/* The whole of which they are parts is told with them: the timed solves, of a warm processor, may be shorter. */
TEST(parts_of_a_run_are_within_it)
{
    double whole, assembly, preparation, linear;
    OWNS(test_output_free) struct test_output output = run("solve %s/stack.h5 --solver newton", folder.path);
    const char *line = strstr(output.out, "             the run above, ");
    assert_non_null(line);
    const int read = sscanf(line, " the run above, by the clock %lf s: assembly %lf s (preconditioner and solver %lf "
                                  "s), linear solves %lf s\n", &whole, &assembly, &preparation, &linear);
    assert_int_equal(read, 4);
    assert_true(preparation <= assembly && assembly + linear <= 1.01 * whole); /* of three digits */
    assert_true(preparation > 0 && linear > 0);
}

TEST(what_diverged_is_no_success)
{
    const char *f = folder.path;
    test_write(test_path(&folder, "saddle.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n"
                                                 "1 1 1\n2 1 2\n2 2 1\n");
    expect_verdict(run("linear --matrix %s/saddle.mtx --linear gauss_seidel --precond none", f), 1,
                   "\nverdict      not usable: diverged\n", "residual ");
    expect_verdict(run("linear --matrix %s/saddle.mtx --linear gauss_seidel --precond none --json", f), 1,
                   "\"ending\":\"diverged\"", "{");
}

static cJSON *record_of(struct test_output output)
{
    if (output.code > 1)
        fail_msg("exit %d: %s", output.code, output.err);
    cJSON *record = cJSON_Parse(output.out);
    if (!cJSON_IsObject(record))
        fail_msg("not one record: %s", output.out);
    test_output_free(&output);
    return record;
}

static double error_of(const cJSON *record, const char *name)
{
    const cJSON *value = nb_json_path(record, "errors", name);
    assert_true(cJSON_IsNumber(value));
    return value->valuedouble;
}

TEST(table_and_record_agree)
{
    char expected[64];
    const char *f = folder.path;
    cJSON *record = record_of(run("solve %s/stack.h5 --newton-iters 5 --json", f));
    OWNS(test_output_free) struct test_output output = run("solve %s/stack.h5 --newton-iters 5", f);
    assert_string_equal(nb_json_string(record, "kind"), "case");
    snprintf(expected, sizeof expected, "natural map %.3e", error_of(record, "natural_map"));
    test_contains(output.out, expected);
    snprintf(expected, sizeof expected, "%.3e", error_of(record, "momentum_error"));
    test_contains(output.out, expected);
    assert_int_equal(cJSON_GetArraySize(nb_json_path(record, "trace", "iteration")), 6);
    assert_true(cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(record, "floor")));
    cJSON_Delete(record);
}

/* heavy_stack at rest: the ground carries 37448 kg. */
TEST(heavy_stack_rests_on_the_ground)
{
    cJSON *record = record_of(run("solve %s/stack.h5 --json", folder.path));
    assert_true(fabs(error_of(record, "normal_force") / 367364.88 - 1) < 1e-7);
    assert_true(error_of(record, "normal_error") < 1e-12);
    cJSON_Delete(record);
}

TEST(written_solution_is_read_back)
{
    const char *f = folder.path;
    expect_ok(run("solve %s/stack.h5 -o %s/solved.h5", f, f));
    expect_says(run("info %s/solved.h5", f), "a solution", "20 contacts", "8 to 32768 kg",
                "1, the largest with 20 contacts, 5 bodies");
    expect_says(run("info %s/stack.h5", f), "5 Newton systems, no solution");
    expect_ok(run("solve %s/solved.h5 --newton-iters 2", f));
}

/* The first lines of the Matrix Market files name the sizes of the stack's 60 rows. */
TEST(systems_are_written_as_matrix_market)
{
    char line[200], path[400];
    int rows = 0, columns = 0, entries = 0;
    expect_ok(run("export heavy_stack -o %s/mm.h5 --matrix-market %s/mm", folder.path, folder.path));
    snprintf(path, sizeof path, "%s/mm.3.A.mtx", folder.path);
    FILE *file = test_open(path, "r");
    while (fgets(line, sizeof line, file) && line[0] == '%')
        ;
    assert_int_equal(sscanf(line, "%d %d %d", &rows, &columns, &entries), 3);
    fclose(file);
    assert_int_equal(rows, 60);
    assert_int_equal(columns, 60);
    assert_true(entries > 60);
    snprintf(path, sizeof path, "%s/mm.9.b.mtx", folder.path);
    assert_int_equal(access(path, R_OK), 0);
    /* A problem file is a step as well. */
    expect_ok(run("export %s/box.h5 -o %s/again.h5 --newton-systems --newton-iters 2", folder.path,
                  folder.path));
    expect_ok(run("linear %s/again.h5 --system 1", folder.path));
    expect_refusal(run("export %s/box.h5 -o %s/x.h5 --step 2", folder.path, folder.path), "is one step");
    expect_refusal(run("export %s/no.h5 -o %s/x.h5", folder.path, folder.path), "no.h5");
    expect(run("export heavy_stack -o %s/no.h5 --matrix-market %s/none/mm", folder.path, folder.path), 2, "",
           "none/mm cannot be written");
}

TEST(stored_system_is_solved)
{
    const char *f = folder.path;
    cJSON *record = record_of(run("linear %s/stack.h5 --system 1 --linear cholesky "
                                  "--precond none --json", f));
    assert_true(error_of(record, "residual") < 1e-10);
    assert_string_equal(nb_json_path(record, "settings", "mode")->valuestring, "linear_system");
    cJSON_Delete(record);
    expect_says(run("linear %s/stack.h5 --system 1 --linear-iters 7", f), "\n    7  ");
}

TEST(simulation_is_recorded)
{
    const char *f = folder.path;
    expect_ok(run("simulate box_on_plane --steps 3 -o %s/trace.jsonl", f));
    expect_ok(run("simulate box_on_plane --steps 3 -o %s/trace.jsonl", f));
    assert_int_equal(test_lines(test_path(&folder, "trace.jsonl")), 2);
    expect_says(run("simulate box_on_plane --steps 3"), "natural map",
                "verdict      completed after 3 steps; the worst solved is step ");
    cJSON *record = record_of(run("simulate box_on_plane --steps 3 --json"));
    assert_string_equal(nb_json_string(record, "kind"), "simulation");
    const cJSON *times = nb_json_path(record, "trace", "time");
    assert_int_equal(cJSON_GetArraySize(times), 3);
    const double h = nb_json_path(record, "settings", "time_step")->valuedouble;
    assert_true(fabs(cJSON_GetArrayItem(times, 2)->valuedouble - 3 * h) < 1e-12);
    const cJSON *map = cJSON_GetArrayItem(nb_json_path(record, "trace", "natural_map"), 2);
    assert_true(cJSON_IsNumber(map) && map->valuedouble < 1e-12);
    cJSON_Delete(record);
    expect_says(run("report %s/trace.jsonl", f), "simulations");
}

TEST(sweep_reports_and_resumes)
{
    const char *f = folder.path;
    test_write(test_path(&folder, "s.sweep"),
               "[sweep]\nname = small\n[group a]\nproblem = box.h5\nlinear = pcr, cholesky\n"
               "precond = none\noperator = assembled, factored\nprecision = f64, f32\n"
               "newton_iters = 6\nlinear_iters = 5, 20\n"
               "[exclude x]\nlinear = cholesky\noperator = factored\n");
    expect_says(run("sweep %s/s.sweep -o %s/r.jsonl", f, f), "small: 12 cases, 12 run now, 0 reused",
                "% of the time was not solving");
    expect_says(run("sweep %s/s.sweep -o %s/r.jsonl", f, f), "0 run now, 12 reused");
    expect_says(run("report %s/r.jsonl --tol 1e-6", f), "best configurations", "cases by ending", "medians");
    OWNS(test_output_free) struct test_output output = run("report %s/r.jsonl --csv", f);
    assert_int_equal(output.code, 0);
    int lines = 0;
    for (const char *c = output.out; *c; ++c)
        lines += *c == '\n';
    assert_int_equal(lines, 13);
    assert_int_equal(strncmp(output.out, "key,settings.problem,", 21), 0);
}

TEST(list_has_every_kind)
{
    expect_says(run("list"), "scene\n", "solver\n", "ncp\n", "scaling\n", "linear\n", "precond\n", "operator\n",
                "precision\n", "heavy_stack", "newton", "pcr", "cholesky", "assembled", "f32");
    OWNS(test_output_free) struct test_output output = run("list ncp");
    assert_int_equal(output.code, 0);
    test_contains(output.out, "fb");
    assert_null(strstr(output.out, "pcr"));
}

/* A name of a file may hold what a terminal takes for a command: to set its title, to clear it. */
TEST(no_control_character_of_a_files_name_is_shown)
{
    static const char *const commands[] = {"info '%s/\033]0;a\007.h5'", "solve '%s/\033]0;a\007.h5'",
                                           "info '%s/\033]0;b\007.h5'", "sweep %s/all.sweep -o %s/escape.jsonl"};
    expect_ok(run("export box_on_plane -o '%s/\033]0;a\007.h5'", folder.path));
    test_write(test_path(&folder, "all.sweep"), "[sweep]\nname = all\nfloors = no\n[group a]\nproblem = *a*.h5\n"
                                                "solver = nsgs\ntol = 1e-6\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        OWNS(test_output_free) struct test_output output = run(commands[i], folder.path, folder.path);
        assert_int_equal(output.code, i == 2 ? 2 : 0);
        assert_null(strpbrk(output.out, "\033\007"));
        assert_null(strpbrk(output.err, "\033\007"));
    }
}

/* What one meets first says what to do next. */
TEST(small_refusals_and_notes_say_why)
{
    const char *f = folder.path;
    expect_refusal(run("linear %s/box.h5", f), "there are none in it; `ncpbench export SCENE --newton-systems`");
    expect_refusal(run("linear %s/stack.h5 --system 99", f), "has no system 99, it holds 5");
    expect_says(run("solve %s/box.h5 --threads 999 --repetitions 0 --floor no --newton-iters 1", f),
                "999 threads wait for each other on ");
    expect_says(run("info %s/box.h5", f), "parameters   count = 1\n             mass = 10\n");
    expect_refusal(run("plot fig18 %s/box.h5", f), "nearest: figure18; all: ncpbench plot --help");
    expect_refusal(run("claims --only 'figure18*'"), "has no such claim; nearest: 'fig18*'\n");
    expect_refusal(run("claims nowhere.jsonl --only nosuch"), "has no such claim"); /* before any record is read */
    test_write(test_path(&folder, "few.sweep"), "[sweep]\nname = f\nrepetitions = 3\n[group g]\nproblem = box.h5\n");
    expect_refusal(run("sweep %s/few.sweep -o %s/few.jsonl", f, f), "fewer than five give no interval of 95 %");
}

/* What is solved may be another matrix than was meant: said, as `info` does. */
TEST(a_matrix_that_is_not_symmetric_is_told)
{
    struct nb_problem problem;
    OWNS(free_at) char *path = strdup(test_path(&folder, "skew.h5"));
    expect_ok(run("generate -o %s --contacts 3 --form local", path));
    assert_ok(nb_problem_read(path, &problem, &why));
    struct nb_csr *matrix = &problem.linear.delassus;
    expect_ok(run("solve %s --tol 1e-6 --floor no", path));
    int k = matrix->start[0];
    k += matrix->column[k] == 0; /* beside the diagonal */
    assert_true(k < matrix->start[1]);
    matrix->value[k] *= 1.001;
    assert_ok(nb_problem_write(path, &problem, NULL, &why));
    expect_says(run("solve %s --tol 1e-6 --floor no", path), "is NOT symmetric: entries (");
    nb_problem_free(&problem);
}

TEST(full_output_device_is_an_error)
{
    char command[256];
    if (access("/dev/full", W_OK)) {
        printf("skipped: no /dev/full\n");
        skip();
    }
    snprintf(command, sizeof command, "%s/ncpbench list >/dev/full 2>%s/stderr", test_build(),
             folder.path);
    const int status = system(command);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
}

FIXTURE(set_up, remove_folder)
