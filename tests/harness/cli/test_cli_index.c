/* ncpbench index as a user meets it: a folder with problems of every form, linear systems and damaged files. */
#include "tests/support/program.h"

#include <cJSON.h>

#include "problems/io/problem_file.h"

/* A folder with a stack, its solution below, the linear system of its first iteration, and files that are none. */
static void make_collection(const char *f)
{
    expect_ok(run("export heavy_stack -o %s/c/stack.h5 --set count=3 --newton-systems --matrix-market %s/c/system "
                  "--system 0", f, f));
    expect_ok(run("solve %s/c/stack.h5 --tol 1e-8 -o %s/c/below/solved.h5", f, f));
    test_write(test_path(&folder, "c/text.h5"), "no HDF5\n");
    test_write(test_path(&folder, "c/notes.txt"), "no problem\n");
    OWNS(free_at) char *bytes = test_slurp(test_path(&folder, "c/stack.h5"));
    OWNS(fclose_at) FILE *cut = test_open(test_path(&folder, "c/cut.hdf5"), "w");
    assert_int_equal(fwrite(bytes, 1, 2000, cut), 2000);
}

static const char *collection(void)
{
    assert_int_equal(mkdir(test_path(&folder, "c"), 0777), 0);
    assert_int_equal(mkdir(test_path(&folder, "c/below"), 0777), 0);
    make_collection(folder.path);
    return folder.path;
}

static const cJSON *row_named(const cJSON *index, const char *file)
{
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(index, "problems")) {
        const char *path = cJSON_GetStringValue(cJSON_GetObjectItem(row, "file"));
        if (!strcmp(strrchr(path, '/') + 1, file))
            return row;
    }
    fail_msg("no row of %s", file);
    return NULL;
}

static double number(const cJSON *row, const char *outer, const char *inner)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetObjectItem(row, outer), inner));
}

static cJSON *index_of(const char *arguments, int code)
{
    OWNS(test_output_free) struct test_output output = run("%s", arguments);
    if (output.code != code)
        fail_msg("exit %d: %s", output.code, output.err);
    cJSON *index = cJSON_Parse(output.out);
    assert_non_null(index);
    return index;
}

/* The properties are those of `info`, a row a file; what cannot be read says why. */
TEST_IN_FOLDER(every_file_has_a_row)
{
    char arguments[256];
    struct nb_problem problem;
    const char *f = collection();
    snprintf(arguments, sizeof arguments, "index %s/c --json", f);
    cJSON *index = index_of(arguments, 1);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(index, "problems")), 5);
    assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(index, "failed")), 2);
    const cJSON *stack = row_named(index, "stack.h5"), *solved = row_named(index, "solved.h5");
    assert_ok(nb_problem_read(test_path(&folder, "c/stack.h5"), &problem, &why));
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(stack, "problem_hash")), problem.hash);
    nb_problem_free(&problem);
    assert_true(number(stack, "sizes", "contacts") == 12 && number(stack, "sizes", "dofs") == 18);
    assert_true(number(stack, "features", "rank") == 18 && number(stack, "features", "mass_ratio") == 64);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(stack, "best")));
    assert_true(number(solved, "best", "error") <= 1e-8);
    assert_true(number(solved, "best", "error") == number(solved, "stored", "step_error"));
    test_contains(cJSON_GetStringValue(cJSON_GetObjectItem(row_named(index, "text.h5"), "error")), "not an HDF5 file");
    test_contains(cJSON_GetStringValue(cJSON_GetObjectItem(row_named(index, "cut.hdf5"), "error")), "damaged");
    assert_true(number(row_named(index, "system.0.A.mtx"), "sizes", "multipliers") == 36);
    cJSON_Delete(index);
}

/* Of two records of a step the better one, and neither a linearised run's nor a linear system's. */
TEST_IN_FOLDER(records_know_the_best)
{
    char arguments[512];
    const char *f = collection();
    struct test_output ran[] = {
        run("solve %s/c/stack.h5 --solver newton --newton-iters 3 --json", f),
        run("solve %s/c/stack.h5 --tol 1e-9 --json", f),
        run("solve %s/c/stack.h5 --tol 1e-13 --linearized --json", f),
        run("linear --matrix %s/c/system.0.A.mtx --linear cholesky --json", f)};
    FILE *records = test_open(test_path(&folder, "r.jsonl"), "w");
    for (int i = 0; i < 4; ++i)
        fputs(ran[i].out, records);
    fclose(records);
    cJSON *better = cJSON_Parse(ran[1].out);
    snprintf(arguments, sizeof arguments, "index %s/c --json --records %s/r.jsonl", f, f);
    cJSON *index = index_of(arguments, 1);
    const cJSON *stack = row_named(index, "stack.h5"), *best = cJSON_GetObjectItem(stack, "best");
    assert_true(number(stack, "best", "error") == number(better, "errors", "step_error"));
    test_contains(cJSON_GetStringValue(cJSON_GetObjectItem(best, "method")), "proximal_newton");
    best = cJSON_GetObjectItem(row_named(index, "system.0.A.mtx"), "best");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(best, "method")), "cholesky f64");
    cJSON_Delete(index);
    cJSON_Delete(better);
    for (int i = 0; i < 4; ++i)
        test_output_free(&ran[i]);
}

/* The same rows as text and as CSV, whose names may hold commas. */
TEST_IN_FOLDER(text_and_csv_have_the_rows)
{
    const char *f = collection();
    assert_int_equal(rename(test_path(&folder, "c/stack.h5"), test_path(&folder, "c/a, b.h5")), 0);
    OWNS(test_output_free) struct test_output text = run("index %s/c", f), csv = run("index %s/c --csv", f);
    assert_int_equal(text.code, 1);
    assert_int_equal(csv.code, 1);
    test_contains(text.out, "/solution of the file");
    test_contains(text.out, "text.h5: is not an HDF5 file");
    test_contains(csv.out, "/c/a, b.h5\",");
    test_contains(csv.out, ",18,12,0,36,1,18,0.5,64,0.5,0.5,rigid,sparse,deficient,mass_ratio_below_100,");
    int lines = 0;
    for (const char *c = csv.out; *c; ++c)
        lines += *c == '\n';
    assert_int_equal(lines, 6);
}

/* What generate was asked for is what index finds, and the solution is judged as one. */
TEST_IN_FOLDER(generated_problems_are_what_was_asked_for)
{
    char arguments[128];
    const char *f = folder.path;
    static const char *const forms[] = {"global", "local"};
    for (int k = 0; k < 2; ++k) {
        expect_says(run("generate -o %s/p.h5 --contacts 10 --deficiency 6 --condition 1e6 --form %s --seed 4", f,
                        forms[k]), "rank 24 and condition 1e+06");
        snprintf(arguments, sizeof arguments, "index %s/p.h5 --json", f);
        cJSON *index = index_of(arguments, 0);
        const cJSON *row = row_named(index, "p.h5");
        assert_true(number(row, "sizes", "contacts") == 10 && number(row, "features", "rank") == 24);
        assert_true(number(row, "best", "error") < 1e-12);
        cJSON_Delete(index);
        /* A solution that nothing has iterated to has no iterations. */
        struct test_output judged = run("judge %s/p.h5 --tol 1e-12", f);
        assert_int_equal(judged.code, 0);
        assert_null(strstr(judged.out, "iter"));
        test_output_free(&judged);
    }
    expect_refusal(run("generate --contacts 3"), "-o FILE.h5 is missing");
    expect_refusal(run("generate -o %s/q.h5 --contacts 3 --deficiency 9", f), "leaves no rank");
    expect_refusal(run("generate -o %s/q.h5 --contacts 501", f), "500");
    expect_refusal(run("generate -o %s/q.h5 --condition 0.5", f), "--condition");
    assert_int_equal(access(test_path(&folder, "q.h5"), F_OK), -1);
}

TEST_IN_FOLDER(bad_input_is_refused)
{
    const char *f = folder.path;
    expect_refusal(run("index %s/absent", f), "absent");
    expect_refusal(run("index ''"), "No such file");
    expect_refusal(run("index %s", f), "holds no problem");
    expect_refusal(run("index %s --csv --json", f), "cannot both");
    expect_refusal(run("index %s --records %s/absent.jsonl", f, f), "absent.jsonl");
}

/* A row of `index` has what `info` has, in its order and to the last digit, although another process read the file. */
TEST_IN_FOLDER(a_row_is_what_info_says)
{
    const char *f = collection();
    char arguments[256];
    static const char *const files[] = {"stack.h5", "system.0.A.mtx"};
    snprintf(arguments, sizeof arguments, "index %s/c --json", f);
    cJSON *index = index_of(arguments, 1);
    for (int i = 0; i < 2; ++i) {
        snprintf(arguments, sizeof arguments, "info %s/c/%s --json", f, files[i]);
        cJSON *info = index_of(arguments, 0), *row = cJSON_Duplicate(row_named(index, files[i]), 1);
        cJSON_DeleteItemFromObject(info, "command");
        cJSON_DeleteItemFromObject(row, "best");
        cJSON_DeleteItemFromObject(row, "error");
        char *told = cJSON_PrintUnformatted(info), *listed = cJSON_PrintUnformatted(row);
        assert_string_equal(listed, told);
        cJSON_free(told);
        cJSON_free(listed);
        cJSON_Delete(info);
        cJSON_Delete(row);
    }
    cJSON_Delete(index);
}
