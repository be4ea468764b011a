/* The report of records that are written here. */
#include "tests/program.h"

static void write_failure(FILE *file, const char *key, const char *problem, const char *ending,
                          const char *error)
{
    fprintf(file,
            "{\"kind\":\"case\",\"version\":1,\"key\":\"%s\",\"settings\":{\"problem\":\"%s\","
            "\"mode\":\"step\",\"solver\":\"nsgs\",\"precision\":\"f64\"},\"ending\":\"%s\","
            "\"errors\":{\"natural_map\":%s}}\n",
            key, problem, ending, error);
}

static void nearest_of_failures_is_told(void **state)
{
    (void)state;
    const char *path = test_path(&folder, "failures.jsonl");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    write_failure(file, "01", "beam", "cycling", "0.25");
    write_failure(file, "02", "beam", "stagnated", "3.5e-12");
    write_failure(file, "03", "silo", "timed_out", "null");
    assert_int_equal(fclose(file), 0);
    struct test_output output = run("report %s/failures.jsonl", folder.path);
    assert_int_equal(output.code, 0);
    test_contains(output.out, "f64   stagnated      nsgs");
    test_contains(output.out, "3.50e-12");
    test_contains(output.out, "f64   nothing was judged");
    assert_null(strstr(output.out, "2.50e-01"));
    test_output_free(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nearest_of_failures_is_told)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
