/* The report of records that are written here. */
#include "tests/support/program.h"

#include "tests/support/case_text.h"

static void write_failure(FILE *file, const char *key, const char *problem, const char *ending,
                          const char *error)
{
    fprintf(file,
            "{\"kind\":\"case\",\"version\":1,\"key\":\"%s\",\"settings\":{\"problem\":\"%s\","
            "\"mode\":\"step\",\"solver\":\"nsgs\",\"precision\":\"f64\"},\"ending\":\"%s\","
            "\"errors\":{\"step_error\":%s}}\n",
            key, problem, ending, error);
}

TEST(nearest_of_failures_is_told)
{
    const char *path = test_path(&folder, "failures.jsonl");
    FILE *file = test_open(path, "w");
    write_failure(file, "01", "beam", "cycling", "0.25");
    write_failure(file, "02", "beam", "stagnated", "3.5e-12");
    write_failure(file, "03", "silo", "timed_out", "null");
    assert_int_equal(fclose(file), 0);
    OWNS(test_output_free) struct test_output output = run("report %s/failures.jsonl --tol 1e-14", folder.path);
    assert_int_equal(output.code, 0);
    test_contains(output.out, "f64      stagnated           3.50e-12        nan          -  nsgs 0\n");
    test_contains(output.out, "f64      nothing was judged");
    assert_null(strstr(output.out, "2.50e-01"));
}

/* Prints the report of these cases. */
static struct test_output report(const struct case_text *cases, int count)
{
    FILE *file = test_open(test_path(&folder, "cases.jsonl"), "w");
    for (int i = 0; i < count; ++i)
        put_case_text(file, &cases[i]);
    assert_int_equal(fclose(file), 0);
    struct test_output output = run("report %s/cases.jsonl --tol 2e-4", folder.path);
    assert_int_equal(output.code, 0);
    return output;
}

/* A run that does not reach the tolerance is no result, however short its time; one that does is, however it ended. */
TEST(only_what_reaches_the_tolerance_counts)
{
    struct case_text cases[3] = {usual_case, usual_case, usual_case};
    cases[0].precond = "none";
    cases[1].precond = "jacobi";
    cases[1].ending = "iteration_limit";
    cases[2].ending = "accuracy_floor";
    cases[2].precond = "ssor";
    cases[2].factor = 0.9;
    cases[2].seconds = 1e-3;
    OWNS(test_output_free) struct test_output output = report(cases, 3);
    assert_null(strstr(output.out, "+ssor"));
    test_contains(output.out, " pcr           none           f64      1        1     1.00e-04 ");
    test_contains(output.out, " pcr           jacobi         f64      1        1     1.00e-04 ");
    test_contains(output.out, " pcr           ssor           f64      1        0            - ");
}

/* A case that differs in two settings that the table has no column for, of one that every method reads and one that
 * records have from now on. */
static void put_threads(FILE *file, int threads, double seconds, const char *islands)
{
    struct case_text text = usual_case;
    char *line = NULL;
    size_t size;
    FILE *memory = open_memstream(&line, &size);
    text.seconds = seconds;
    text.newton_iters = 30;
    put_case_text(memory, &text);
    assert_int_equal(fclose(memory), 0);
    const char *settings = strstr(line, "\"problem\"");
    const int key = (int)(strstr(line, "\"key\":\"") - line) + 7;
    fprintf(file, "%.*s%x%.*s\"threads\":%d,\"islands\":\"%s\",%s", key, line, threads,
            (int)(settings - line) - key - 1, line + key + 1, threads, islands, settings);
    free(line);
}

/* Two configurations never read alike: whatever setting they differ in is named, wherever it came from. */
TEST(settings_that_vary_are_told)
{
    FILE *file = test_open(test_path(&folder, "cases.jsonl"), "w");
    put_threads(file, 1, 8e-3, "own");
    put_threads(file, 2, 4e-3, "own");
    put_threads(file, 3, 2e-3, "apart");
    assert_int_equal(fclose(file), 0);
    expect_says(run("report %s/cases.jsonl --tol 2e-4", folder.path), " 30x40 threads=3 islands=apart\n",
                " next: newton /", " 30x40 threads=2 islands=own, ");
    expect_says(run("report %s/cases.jsonl --tol 2e-4 --json", folder.path),
                "\"settings\":{\"threads\":\"3\",\"islands\":\"apart\"}");
    file = test_open(test_path(&folder, "cases.jsonl"), "w");
    put_threads(file, 2, 8e-3, "own");
    put_threads(file, 3, 4e-3, "own");
    assert_int_equal(fclose(file), 0);
    expect_says(run("report %s/cases.jsonl --tol 2e-4", folder.path), " 30x40 threads=3\n");
}

/* Records of nsgs hold a linear solver and a preconditioner that it does not read. */
TEST(methods_stand_in_a_column_of_their_own)
{
    struct case_text cases[2] = {usual_case, usual_case};
    cases[1].solver = "nsgs";
    cases[0].precond = cases[1].precond = "jacobi";
    OWNS(test_output_free) struct test_output output = report(cases, 2);
    test_contains(output.out, " step          newton pcr           jacobi         f64 ");
    test_contains(output.out, " step          nsgs   -             -              f64 ");
}

TEST(problems_of_one_name_are_told_apart)
{
    struct case_text cases[3] = {usual_case, usual_case, usual_case};
    cases[0].problem = "an_arch_with_a_name_that_is_over_38_letters_long";
    cases[1].problem = cases[0].problem;
    cases[0].hash = "07af0bbd5e47b046";
    cases[1].hash = "aab4a813b9b199cb";
    cases[2].hash = "38bf62c5c8f38073";
    OWNS(test_output_free) struct test_output output = report(cases, 3);
    test_contains(output.out, "  an_arch_with_a_name_that_is_over_38_letters_long#07af0b ");
    test_contains(output.out, "  an_arch_with_a_name_that_is_over_38_letters_long#aab4a8 ");
    test_contains(output.out, "  p  ");
}

TEST(short_times_keep_their_digits)
{
    struct case_text text = usual_case;
    text.seconds = 3.7123e-7;
    OWNS(test_output_free) struct test_output output = report(&text, 1);
    test_contains(output.out, "0.000371\n");
    assert_null(strstr(output.out, "0.000\n"));
}

FIXTURE(make_folder, remove_folder)
