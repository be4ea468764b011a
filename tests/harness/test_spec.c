/* Specs of sweeps: what they expand to, and that every mistake is named with file and line. */
#include "tests/support/folder.h"

#include <sys/stat.h>

#include "harness/records/ini.h"
#include "harness/sweep/spec.h"
#include "solvers/registry.h"

static const char head[] = "[sweep]\nname = test\n";

static enum nb_status read_text(const char *text, struct nb_spec *spec, struct nb_error *error)
{
    const char *path = test_path(&folder, "spec.sweep");
    test_write(path, text);
    return nb_spec_read(path, spec, error);
}

static struct nb_case *expand(const char *text, int *count)
{
    OWNS(nb_spec_free) struct nb_spec spec;
    struct nb_case *cases;
    assert_ok(read_text(text, &spec, &why));
    assert_ok(nb_spec_expand(&spec, NULL, &cases, count, &why));
    return cases;
}

TEST(cross_product_has_every_combination_once)
{
    char text[512];
    int count, seen[2][3][2] = {0};
    snprintf(text, sizeof text, "%s[group a]\nproblem = p.h5\nncp = fb, min\n"
             "scaling = identity,\n   timestep, mass\nprecision = f64,f32\n", head);
    OWNS(free_at) struct nb_case *cases = expand(text, &count);
    assert_int_equal(count, 12);
    for (int i = 0; i < count; ++i) {
        const struct nb_options *options = &cases[i].options;
        const int n = !strcmp(options->ncp, "min"), p = !strcmp(options->precision, "f32");
        const int s = !strcmp(options->scaling, "identity")   ? 0
                      : !strcmp(options->scaling, "timestep") ? 1
                                                              : 2;
        ++seen[n][s][p];
        assert_string_equal(cases[i].problem, "p");
        assert_true(isnan(cases[i].tolerance));
    }
    for (int k = 0; k < 12; ++k)
        assert_int_equal(seen[k / 6][k / 2 % 3][k % 2], 1);
    /* Precision varies fastest: neighbours are to be compared. */
    assert_string_equal(cases[0].options.scaling, cases[1].options.scaling);
    assert_string_not_equal(cases[0].options.precision, cases[1].options.precision);
}

/* Exclusions name strategies as the group does; the cases then hold the device's names. */
TEST(backend_takes_the_versions_of_the_device)
{
    struct nb_spec spec;
    struct nb_error error = {""};
    struct nb_case *cases;
    int count;
    char text[512];
    if (!nb_registry_find("solver", "cuda_newton"))
        skip();
    snprintf(text, sizeof text, "%s[group a]\nproblem = p.h5\nbackend = cpu, cuda\nlinear = pcr, cholesky\n"
             "[exclude x]\nbackend = cuda\nlinear = cholesky\n"
             "[group b]\nmode = linear_system\nproblem = p.h5\nbackend = cuda\n"
             "linear = pcr:tol=1e-3, jacobi\n", head);
    cases = expand(text, &count);
    assert_int_equal(count, 5);
    assert_string_equal(cases[0].options.solver, "newton");
    assert_string_equal(cases[1].options.solver, "cuda_newton");
    assert_string_equal(cases[1].options.linear, "pcr");
    assert_string_equal(cases[2].options.solver, "newton");
    assert_string_equal(cases[2].options.linear, "cholesky");
    assert_string_equal(cases[3].options.linear, "cuda_pcr:tol=1e-3");
    assert_string_equal(cases[4].options.linear, "cuda_jacobi");
    free(cases);
    snprintf(text, sizeof text, "%s[group a]\nproblem = p.h5\nsolver = newton, nsgs\nbackend = cuda\n", head);
    assert_int_equal(read_text(text, &spec, &error), NB_OK);
    assert_int_equal(nb_spec_expand(&spec, NULL, &cases, &count, &error), NB_BAD_INPUT);
    nb_spec_free(&spec);
    test_contains(error.text, "spec.sweep:6: backend cuda: the solver \"nsgs\" has no version");
    test_contains(error.text, "known: cuda_newton");
}

TEST(exclusion_drops_only_full_matches)
{
    char text[512];
    int count;
    snprintf(text, sizeof text,
             "%s[group a]\nproblem = a.h5, b.h5\nlinear = pcr, jacobi, cholesky\n"
             "precond = none, jacobi\n[exclude x]\nlinear = jacobi, cholesky\nprecond = jacobi\n"
             "[exclude y]\nproblem = b.h5\nlinear = cholesky\n", head);
    OWNS(free_at) struct nb_case *cases = expand(text, &count);
    /* 12, less 2 solvers x 2 problems with jacobi, less b/cholesky/none */
    assert_int_equal(count, 7);
    for (int i = 0; i < count; ++i) {
        const struct nb_options *options = &cases[i].options;
        assert_true(!strcmp(options->linear, "pcr") || !strcmp(options->precond, "none"));
        assert_false(!strcmp(cases[i].problem, "b") && !strcmp(options->linear, "cholesky"));
    }
}

/* What an exclusion was to drop would run where a name in it has a slip. */
TEST(an_exclusion_that_drops_nothing_is_told)
{
    char text[512];
    OWNS(free_at) char *said = NULL;
    size_t size;
    OWNS(nb_spec_free) struct nb_spec spec;
    OWNS(free_at) struct nb_case *cases = NULL;
    int count;
    snprintf(text, sizeof text,
             "%s[group a]\nproblem = a.h5, ./b.h5\nlinear = pcr, cholesky\n"
             "[exclude dot]\nproblem = ./a.h5, b.h5\nlinear = pcr\n"
             "[exclude again]\nproblem = a.h5\nlinear = pcr\n" /* which the first drops, too */
             "[exclude slip]\nproblem = b.h5, c.h5\nlinear = cholesky, ldlt\n"
             "[exclude none]\nlinear = pcg\n",
             head);
    assert_ok(read_text(text, &spec, &why));
    FILE *notices = open_memstream(&said, &size);
    assert_ok(nb_spec_expand(&spec, notices, &cases, &count, &why));
    fclose(notices);
    assert_int_equal(count, 1); /* a with cholesky */
    assert_non_null(strstr(said, "exclude slip: no group has the problem c.h5\n"));
    assert_non_null(strstr(said, "exclude slip: no group has the linear ldlt\n"));
    assert_non_null(strstr(said, "exclude none: drops no case\n"));
    int lines = 0;
    for (const char *c = said; *c; ++c)
        lines += *c == '\n';
    assert_int_equal(lines, 3);
}

/* A file that is there under the very name, in a folder whose name would be a pattern, too. */
TEST(a_name_that_looks_like_a_pattern_is_a_name_where_a_file_has_it)
{
    char text[512], path[200];
    OWNS(nb_spec_free) struct nb_spec spec;
    OWNS(free_at) struct nb_case *cases = NULL;
    int count;
    snprintf(path, sizeof path, "%s", test_path(&folder, "run[2]{a,b}"));
    assert_int_equal(mkdir(path, 0700), 0);
    test_write(test_path(&folder, "run[2]{a,b}/stack[1].h5"), "");
    test_write(test_path(&folder, "run[2]{a,b}/stack1.h5"), "");
    test_write(test_path(&folder, "run[2]{a,b}/stack2.h5"), "");
    snprintf(text, sizeof text, "%s[group a]\nproblem = stack[1].h5, stack[2].h5, stack?.h5\n"
                                "[group folder]\nproblem = .\n"
                                "[group left]\nproblem = stack[1].h5, stack1.h5\nsolver = nsgs\n"
                                "[exclude x]\nproblem = stack[1].h5\nsolver = nsgs\n",
             head);
    snprintf(path, sizeof path, "%s", test_path(&folder, "run[2]{a,b}/s.sweep"));
    test_write(path, text);
    assert_ok(nb_spec_read(path, &spec, &why));
    assert_ok(nb_spec_expand(&spec, NULL, &cases, &count, &why));
    static const char *const names[] = {"stack[1].h5", "stack2.h5", "stack1.h5", "stack2.h5",
                                        "stack1.h5", "stack2.h5", "stack[1].h5", "stack1.h5"};
    assert_int_equal(count, 8);
    for (int i = 0; i < count; ++i)
        assert_string_equal(strrchr(cases[i].problem_file, '/') + 1, names[i]);
}

TEST(numbers_and_limits_are_taken)
{
    int count;
    OWNS(free_at) struct nb_case *cases =
        expand( "[sweep]\nname = n\nrepetitions = 7\ntime_limit = 2.5\nmemory_limit = 100\n" "floors = no\n"
               "[group a]\nproblem = p.h5\noptional_problem = q.h5\ntol = 1e-8, none\ndamping = 0.5\n"
               "newton_iters = 3\nlinear_iters = 4\nthreads = 2\nshift = 0\nlinearized = yes\n", &count);
    assert_int_equal(count, 4);
    assert_true(cases[0].tolerance == 1e-8 && isnan(cases[1].tolerance));
    assert_true(!cases[0].optional_problem && cases[2].optional_problem);
    assert_string_equal(cases[3].problem, "q");
    assert_int_equal(cases[0].repetitions, 7);
    assert_true(cases[0].time_limit == 2.5 && cases[0].memory_limit == 100);
    assert_true(cases[0].without_floor);
    assert_true(cases[0].options.damping == 0.5 && cases[0].options.shift == 0);
    assert_int_equal(cases[0].options.newton_iterations, 3);
    assert_int_equal(cases[0].options.linear_iterations, 4);
    assert_int_equal(cases[0].options.threads, 2);
    assert_true(cases[0].linearized);
}

TEST(problem_files_are_relative_to_the_spec)
{
    char text[256], expected[128];
    int count;
    snprintf(text, sizeof text, "%s[group a]\nproblem = sub/p.h5, /abs/q.h5\n", head);
    OWNS(free_at) struct nb_case *cases = expand(text, &count);
    snprintf(expected, sizeof expected, "%s/sub/p.h5", folder.path);
    assert_string_equal(cases[0].problem_file, expected);
    assert_string_equal(cases[1].problem_file, "/abs/q.h5");
}

/* Patterns take the files that there are, sorted; exclusions know them, too. */
TEST(problem_files_may_be_patterns)
{
    char text[256];
    int count;
    test_write(test_path(&folder, "beam-0002.h5"), "");
    test_write(test_path(&folder, "beam-0010.h5"), "");
    test_write(test_path(&folder, "beam-0001.h5"), "");
    snprintf(text, sizeof text, "%s[group a]\nproblem = beam-????.h5\nlinear = pcr, pcg\n"
             "[exclude e]\nproblem = beam-000?.h5\nlinear = pcg\n", head);
    struct nb_case *cases = expand(text, &count);
    assert_int_equal(count, 4);
    assert_string_equal(cases[0].problem_file, test_path(&folder, "beam-0001.h5"));
    assert_string_equal(cases[1].problem, "beam-0002");
    assert_string_equal(cases[2].problem, "beam-0010");
    assert_string_equal(cases[3].options.linear, "pcg");
    free(cases);
    assert_int_equal(mkdir(test_path(&folder, "own"), 0700), 0);
    test_write(test_path(&folder, "own/b.hdf5"), "");
    test_write(test_path(&folder, "own/a.hdf5"), "");
    test_write(test_path(&folder, "own/c.h5"), "");
    test_write(test_path(&folder, "own/c.key"), "");
    snprintf(text, sizeof text, "%s[group a]\nproblem = own\n", head);
    cases = expand(text, &count);
    assert_int_equal(count, 3);
    assert_string_equal(cases[0].problem, "c");
    assert_string_equal(cases[1].problem_file, test_path(&folder, "own/a.hdf5"));
    assert_string_equal(cases[2].problem, "b");
    free(cases);
    /* an editor's mark, a shell's slash */
    snprintf(text, sizeof text, "\xEF\xBB\xBF%s[group a]\nproblem = own/\n", head);
    cases = expand(text, &count);
    assert_int_equal(count, 3);
    free(cases);
    snprintf(text, sizeof text, "%s[group a]\noptional_problem = no-*.h5\n[group b]\nproblem = p\n",
             head);
    cases = expand(text, &count);
    assert_int_equal(count, 1);
    free(cases);
    OWNS(nb_spec_free) struct nb_spec spec;
    test_write(test_path(&folder, "x.sweep"),
               "[sweep]\nname = x\n[group a]\nproblem = none-*.h5\n");
    assert_ok(nb_spec_read(test_path(&folder, "x.sweep"), &spec, &why));
    assert_refused(nb_spec_expand(&spec, NULL, &cases, &count, &why), NB_BAD_FILE,
                   ":4: problem: no file is named none-*.h5");
    nb_spec_free(&spec);
    assert_int_equal(mkdir(test_path(&folder, "empty"), 0700), 0);
    test_write(test_path(&folder, "x.sweep"), "[sweep]\nname = x\n[group a]\nproblem = empty\n");
    assert_ok(nb_spec_read(test_path(&folder, "x.sweep"), &spec, &why));
    assert_refused(nb_spec_expand(&spec, NULL, &cases, &count, &why), NB_BAD_FILE,
                   ":4: problem: no file is named empty/*.{h5,hdf5}");
}

/* A spec, and what its message must hold: the line, and words. */
static const struct {
    const char *text;
    const char *parts[4];
} mistakes[] = {
    {"[sweep]\nname = x\033[2J\n[group a]\nproblem = p\n",
     {":2:", "control character", NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nlinear = pcg, pcx\n",
     {":5:", "linear", "\"pcx\"", "nearest: pc"}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nliner = pcg\n",
     {":5:", "unknown key \"liner\"", "nearest: linear", NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nncp = fb,\n   min,\n   fx\n",
     {":7:", "ncp", "\"fx\"", NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\ndamping = 0\n",
     {":5:", "damping", "0", "allowed: 0 < value <= 1"}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nnewton_iters = 3.5\n",
     {":5:", "newton_iters", "3.5", "whole number"}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nshift = nan\n", {":5:", "shift", "nan", NULL}},
    {"[sweep]\nname = x\nrepetitions = 4\n[group a]\nproblem = p\n",
     {":3:", "repetitions", "4", "allowed: 5"}},
    {"[sweep]\nname = x\ntime_limit = -1\n[group a]\nproblem = p\n",
     {":3:", "time_limit", "allowed", NULL}},
    {"[sweep]\nname = x\nmemory_limi = 5\n[group a]\nproblem = p\n",
     {":3:", "\"memory_limi\"", "nearest: memory_limit", NULL}},
    {"[sweep]\nname = x\nname = y\n[group a]\nproblem = p\n", {":3:", "twice", NULL, NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nncp = fb\nncp = min\n",
     {":6:", "twice", NULL, NULL}},
    {"[sweep]\nname = x\n[group a]\nncp = fb\n", {":3:", "no problem", NULL, NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\n[group a]\nproblem = q\n",
     {":5:", "second section [group a]", NULL, NULL}},
    {"[sweep]\nname = x\n[grp a]\nproblem = p\n", {":3:", "[grp a]", "[group NAME]", NULL}},
    {"[sweep]\nname = x\n[group a\nproblem = p\n", {":3:", "section", NULL, NULL}},
    {"[sweep]\nname = x\n", {"no [group NAME]", NULL, NULL, NULL}},
    {"[group a]\nproblem = p\n", {"[sweep]", "name", "missing", NULL}},
    {"name = x\n", {":1:", "outside", NULL, NULL}},
    {"[sweep]\nname = x\nnonsense\n[group a]\nproblem = p\n", {":3:", "key = value", NULL, NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nncp =\n", {":5:", "no value", NULL, NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nncp = fb,, min\n", {":5:", "empty", NULL, NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nncp = fb, min,\n", {":5:", "empty", "end of the list", NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nncp = fb,\n  min,\nscaling = mass\n",
     {":5:", "empty", "end of the list", NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\n[exclude b]\nncp = fb,\n", {":6:", "empty", NULL, NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nsystem = 0\n",
     {":5:", "system", "linear_system", NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nmode = linear_system\nncp = fb\n",
     {":6:", "ncp", "stored system", NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\nmode = step, linear_system\n",
     {":5:", "one mode", NULL, NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\n[exclude b]\n[group c]\nproblem = q\n",
     {":5:", "everything", NULL, NULL}},
    {"[sweep]\nname = x\n[group a]\nproblem = p\n[exclude b]\nproblem = p\n",
     {"leave no case", NULL, NULL, NULL}},
    {"[sweep]\nname = x\n[group a]\noptional_problem = nofile*.h5\n",
     {"no problem file was found", "optional_problem", NULL, NULL}},
};

TEST(every_mistake_is_named)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
        struct nb_spec spec;
        struct nb_error error = {""};
        struct nb_case *cases = NULL;
        int count;
        enum nb_status status = read_text(mistakes[i].text, &spec, &error);
        if (!status) {
            status = nb_spec_expand(&spec, NULL, &cases, &count, &error);
            nb_spec_free(&spec);
        }
        if (status != NB_BAD_INPUT)
            fail_msg("accepted:\n%s", mistakes[i].text);
        free(cases);
        test_contains(error.text, "spec.sweep:");
        for (int p = 0; p < 4 && mistakes[i].parts[p]; ++p)
            test_contains(error.text, mistakes[i].parts[p]);
    }
}

TEST(long_lines_are_refused_not_cut)
{
    char text[1024];
    struct nb_spec spec;
    snprintf(text, sizeof text, "%s[group a]\nproblem = %0300d\n", head, 1);
    assert_refused(read_text(text, &spec, &why), NB_BAD_INPUT, ":4:", "continue on an indented line");
    snprintf(text, sizeof text, "%s[group a]\n;%0*d\nproblem = p.h5\n", head, NB_INI_LINE, 1);
    assert_refused(read_text(text, &spec, &why), NB_BAD_INPUT, ":4:", "longer than 198 characters");
    snprintf(text, sizeof text, "%s[group a]\n;%0*d\nproblem = p.h5\n", head, NB_INI_LINE - 1, 1);
    assert_ok(read_text(text, &spec, &why));
    nb_spec_free(&spec);
}

TEST(file_that_is_no_text_is_named)
{
    static const char bytes[] = "\211HDF\r\n\032\n\0\0\0\0\0\010\010";
    char path[512];
    struct nb_spec spec;
    snprintf(path, sizeof path, "%s/arch.h5", folder.path);
    FILE *file = test_open(path, "wb");
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    for (int i = 0; i < 100; ++i)
        fputs("more\n", file);
    assert_int_equal(fclose(file), 0);
    assert_refused(nb_spec_read(path, &spec, &why), NB_BAD_INPUT, "arch.h5:", "no text");
}

TEST(missing_file_and_folder_are_named)
{
    struct nb_spec spec;
    assert_refused(nb_spec_read("/nowhere/x.sweep", &spec, &why), NB_BAD_FILE, "/nowhere/x.sweep: No such file");
    assert_refused(nb_spec_read(folder.path, &spec, &why), NB_BAD_FILE, folder.path);
}

FIXTURE(make_folder, remove_folder)
