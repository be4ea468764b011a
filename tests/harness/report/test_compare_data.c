/* A comparison as data, in memory and as JSON, and of several files. */
#include <cJSON.h>

#include "harness/records/json.h"
#include "harness/report/compare.h"
#include "tests/support/case_text.h"
#include "tests/support/program.h"

OWNER(cJSON_Delete)

/* B is better on p, worse on q, as good on r, fails on s, alone reaches it on t; neither does on u. */
static cJSON *made_records(void)
{
    static const struct {
        const char *problem;
        double old_factor, new_factor, new_seconds;
    } rows[] = {{"p", 0.1, 0.1, 1e-3}, {"q", 0.1, 0.1, 1e-2}, {"r", 0.1, 0.1, 4e-3},
                {"s", 0.1, 1, 1e-3}, {"t", 1, 0.1, 1e-3}, {"u", 1, 1, 1e-3}};
    cJSON *records = cJSON_CreateArray();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        for (int k = 0; k < 2; ++k) {
            OWNS(free_at) char *text = NULL;
            size_t size;
            FILE *stream = open_memstream(&text, &size);
            put_precond(stream, rows[i].problem, k ? "new" : "old", k ? rows[i].new_factor : rows[i].old_factor,
                k ? rows[i].new_seconds : 4e-3);
            fclose(stream);
            cJSON_AddItemToArray(records, cJSON_Parse(text));
        }
    return records;
}

static const struct nb_comparison old_and_new = {
    .a = {1, {"precond=old"}}, .b = {1, {"precond=new"}}, .tolerance = 2e-4};

TEST(every_pair_has_its_verdict)
{
    static const enum nb_pair_verdict expected[] = {NB_PAIR_BETTER, NB_PAIR_WORSE, NB_PAIR_NOT_DISTINGUISHABLE,
                                                    NB_PAIR_B_FAILS, NB_PAIR_A_FAILS, NB_PAIR_NEITHER};
    OWNS(nb_comparison_free) struct nb_comparison_result result;
    OWNS(cJSON_Delete_at) cJSON *records = made_records();
    assert_ok(nb_compare_records(&old_and_new, records, records, &result, &why));
    const struct nb_comparison_part *steps = &result.steps;
    assert_int_equal(steps->count, 6);
    assert_int_equal(result.systems.count, 0);
    for (int i = 0; i < 6; ++i)
        assert_int_equal(steps->pair[i].verdict, expected[i]);
    const struct nb_tally *tally = &steps->tally;
    assert_int_equal(tally->better + tally->worse + tally->undecided + tally->fails[NB_A] + tally->fails[NB_B] +
                         tally->neither, 6);
    assert_int_equal(tally->undecided, 1);
    assert_int_equal(tally->reached[NB_A], 4);
    assert_int_equal(steps->both, 3);
    assert_true(fabs(steps->speed_up.value - cbrt(4 * 0.4 * 1)) < 1e-12);
    assert_true(fabs(steps->pair[0].speed_up.value - 4) < 1e-12);
    assert_int_equal(steps->pair[0].effort[NB_A].linear_iterations, 28);
    assert_int_equal(steps->verdict, NB_VERDICT_MIXED);
    test_contains(steps->sentence, "B is mixed: faster in 1, slower in 1 of 3 pairs; it fails on 1 of 4");
}

/* The observed run's clock counts what other programs took: of a solve of 4 ms no part takes 5. */
TEST(no_part_is_longer_than_the_whole)
{
    for (int longer = 0; longer < 2; ++longer) {
        OWNS(nb_comparison_free) struct nb_comparison_result result;
        OWNS(cJSON_Delete_at) cJSON *records = made_records();
        cJSON *times = cJSON_GetObjectItem(records->child, "times");
        cJSON_DeleteItemFromObject(times, "preparation");
        cJSON_DeleteItemFromObject(times, "application");
        cJSON_AddNumberToObject(times, "preparation", longer ? 5e-3 : 1e-4);
        cJSON_AddNumberToObject(times, "application", longer ? 5e-3 : 1e-4);
        assert_ok(nb_compare_records(&old_and_new, records, records, &result, &why));
        const struct nb_effort *effort = &result.steps.pair[0].effort[NB_A];
        assert_int_equal(isnan(effort->setup), longer);
        assert_int_equal(isnan(effort->application), longer);
    }
}

/* The same records twice: the names of problems are told apart once. */
TEST(records_can_be_compared_again)
{
    cJSON *records = made_records(), *record = NULL;
    int number = 0;
    const int members = cJSON_GetArraySize(records->child);
    cJSON_ArrayForEach(record, records) {
        const char hash[] = {'h', 'a', 's', 'h', (char)('0' + number++ / 2), '\0'};
        cJSON *settings = cJSON_GetObjectItem(record, "settings");
        cJSON_ReplaceItemInObject(settings, "problem", cJSON_CreateString("p"));
        cJSON_ReplaceItemInObject(settings, "problem_hash", cJSON_CreateString(hash));
    }
    for (int k = 0; k < 2; ++k) {
        OWNS(nb_comparison_free) struct nb_comparison_result result;
        assert_ok(nb_compare_records(&old_and_new, records, records, &result, &why));
        assert_string_equal(result.pair[5].label, "p#hash5");
    }
    assert_int_equal(cJSON_GetArraySize(records->child), members + 1);
    cJSON_Delete(records);
}

TEST(what_is_refused_can_be_freed)
{
    OWNS(nb_comparison_free) struct nb_comparison_result result;
    OWNS(cJSON_Delete_at) cJSON *records = made_records();
    const struct nb_comparison nothing = {.tolerance = 1e-4};
    assert_refused(nb_compare_records(&nothing, records, records, &result, &why), NB_BAD_INPUT,
                   "compared with itself");
    nb_comparison_free(&result);
    const struct nb_comparison unknown = {.a = {1, {"precond=other"}}};
    assert_int_equal(nb_compare_records(&unknown, records, records, &result, &why), NB_BAD_INPUT);
}

static double number(const cJSON *object, const char *outer, const char *inner)
{
    const cJSON *item = nb_json_path(object, outer, inner);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

TEST(json_has_the_numbers)
{
    OWNS(nb_comparison_free) struct nb_comparison_result result;
    OWNS(cJSON_Delete_at) cJSON *records = made_records();
    assert_ok(nb_compare_records(&old_and_new, records, records, &result, &why));
    OWNS(cJSON_Delete_at) cJSON *json = nb_comparison_json(&old_and_new, &result);
    const cJSON *steps = cJSON_GetObjectItem(json, "steps"), *pairs = cJSON_GetObjectItem(steps, "pairs");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "linear_systems")));
    assert_string_equal(nb_json_string(steps, "verdict"), "mixed");
    assert_true(number(steps, "speed_up", "pairs") == 3);
    assert_true(number(steps, "tally", "b_fails") == 1);
    const cJSON *first = cJSON_GetArrayItem(pairs, 0), *lost = cJSON_GetArrayItem(pairs, 3);
    assert_true(fabs(number(first, "speed_up", "value") - 4) < 1e-12);
    assert_true(number(first, "b", "iterations") == 4);
    assert_true(fabs(number(first, "b", "time") - 1e-3) < 1e-15);
    assert_true(cJSON_IsNull(nb_json_path(first, "a", "applications"))); /* the records do not say */
    assert_string_equal(nb_json_string(lost, "verdict"), "b_fails");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(lost, "speed_up")));
    assert_true(cJSON_IsNull(nb_json_path(lost, "b", "iterations")));
    assert_true(cJSON_IsNull(nb_json_path(lost, "b", "time")));
}

static const char *write_case(const char *name, const char *problem, const char *precond, double seconds)
{
    const char *path = test_path(&folder, name);
    FILE *file = test_open(path, "w");
    put_precond(file, problem, precond, 0.1, seconds);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* A's and B's records of a problem may stand in different files where --a and --b tell them apart. */
TEST(several_files_are_one_set_of_records)
{
    write_case("1", "p", "old", 4e-3);
    write_case("2", "p", "new", 1e-3);
    write_case("3", "q", "old", 4e-3);
    write_case("4", "q", "new", 2e-3);
    write_case("5", "q", "new", 1e-3); /* anew: it counts */
    struct test_output output = run("compare %1$s/1 %1$s/2 %1$s/3 %1$s/4 %1$s/5 --a precond=old --b precond=new",
                                    folder.path);
    expect_says(output, "speed-up, geometric mean of 2: 4.000");
    expect_says(run("report --tol 2e-4 %1$s/1 %1$s/3", folder.path), "\n  p ", "\n  q ");
    output = run("report --csv %1$s/3 %1$s/4 %1$s/5", folder.path);
    char *line = strstr(output.out, "\n");
    assert_non_null(strstr(line, "old"));
    assert_non_null(strstr(strstr(line, "new"), "0.001"));
    assert_null(strstr(line, "0.002"));
    test_output_free(&output);
    expect_refusal(run("report --tol 1e-4 %1$s/1 %1$s/none", folder.path), "none");
}

/* Two without --a and --b are compared with each other; more cannot be. */
TEST(two_files_are_a_and_b)
{
    write_case("1", "p", "old", 4e-3);
    write_case("2", "p", "old", 1e-3);
    write_case("3", "q", "old", 4e-3);
    expect_says(run("compare %1$s/1 %1$s/2", folder.path), "speed-up, geometric mean of 1: 4.000");
    expect_refusal(run("compare %1$s/1 %1$s/2 %1$s/3", folder.path), "3 files: give --a NAME=VALUE and --b");
    expect_refusal(run("compare %1$s/1 %1$s/2 --a precond=old --b precond=old", folder.path), "nothing to compare");
}

FIXTURE(make_folder, remove_folder)
