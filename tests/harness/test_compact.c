/* A record that is packed tells the same outcome as before, and what it shares outlives it. */
#include <cJSON.h>

#include "harness/records/compact.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/record.h"
#include "tests/support/case_text.h"
#include "tests/support/files.h"

static cJSON *read_case(double factor)
{
    char line[4096] = "";
    struct case_text text = usual_case;
    FILE *file = fmemopen(line, sizeof line, "w");
    assert_non_null(file);
    text.factor = factor;
    put_case_text(file, &text);
    fclose(file);
    cJSON *record = cJSON_Parse(line);
    assert_non_null(record);
    return record;
}

static void expect_same_outcome(const cJSON *a, const cJSON *b, double tolerance)
{
    struct nb_outcome x, y;
    nb_outcome_read(a, tolerance, &x);
    nb_outcome_read(b, tolerance, &y);
    assert_memory_equal(&x, &y, sizeof x);
    const struct nb_effort effort = nb_outcome_effort(a, &x), other = nb_outcome_effort(b, &y);
    assert_true(effort.linear_iterations == other.linear_iterations ||
                (isnan(effort.linear_iterations) && isnan(other.linear_iterations)));
    assert_int_equal(nb_outcome_spent_budget(a), nb_outcome_spent_budget(b));
}

TEST(packed_records_have_the_same_outcome)
{
    static const double tolerances[] = {0, 1e-4, 1e-2, 0.5, 2};
    cJSON *record = read_case(0.1), *packed = read_case(0.1);
    assert_true(nb_compact(packed));
    assert_true(nb_compact(packed)); /* twice is once */
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; ++i)
        expect_same_outcome(record, packed, tolerances[i]);
    cJSON_Delete(record);
    cJSON_Delete(packed);
}

TEST(columns_are_read_packed_or_not)
{
    cJSON *record = read_case(0.5);
    for (int packed = 0; packed < 2; ++packed) {
        struct nb_values column = nb_values_of(record, "step_error"), none = nb_values_of(record, "no_such");
        double number = -1, expected = 1;
        int count = 0;
        for (; nb_values_next(&column, &number); expected /= 2, ++count)
            assert_true(number == expected);
        assert_int_equal(count, 5);
        assert_false(nb_values_next(&none, &number));
        assert_true(nb_compact(record));
    }
    cJSON_Delete(record);
}

/* What differs from record to record stays its own: the problem, and the machine's load. */
TEST(settings_are_shared_but_for_the_problem)
{
    char text[64];
    cJSON *records[2];
    for (int i = 0; i < 2; ++i) {
        records[i] = read_case(0.1);
        cJSON *settings = cJSON_GetObjectItemCaseSensitive(records[i], "settings");
        cJSON_ReplaceItemInObjectCaseSensitive(settings, "problem", cJSON_CreateString(i ? "second" : "first"));
        cJSON_AddNumberToObject(cJSON_GetObjectItemCaseSensitive(records[i], "provenance"), "load", i + 1);
        const int members = cJSON_GetArraySize(settings);
        assert_true(nb_compact(records[i]) && nb_compact(records[i]));
        assert_int_equal(cJSON_GetArraySize(settings), members);
        assert_true(nb_json_get(records[i], "load") == i + 1);
    }
    assert_ptr_equal(nb_json_path(records[0], "settings", "linear"), nb_json_path(records[1], "settings", "linear"));
    assert_ptr_equal(nb_json_path(records[0], "provenance", "cpu"), nb_json_path(records[1], "provenance", "cpu"));
    cJSON_Delete(records[0]);
    assert_string_equal(nb_record_text(records[1], "problem", text, sizeof text), "second");
    assert_string_equal(nb_record_text(records[1], "linear", text, sizeof text), "pcr");
    cJSON_Delete(records[1]);
}

TEST(what_is_shared_outlives_its_first_record)
{
    char text[64];
    cJSON *first = read_case(0.1), *second = read_case(0.1);
    assert_true(nb_compact(first) && nb_compact(second));
    cJSON_Delete(first);
    assert_string_equal(nb_record_text(second, "machine", text, sizeof text), "cpu cpu");
    assert_string_equal(nb_record_text(second, "linear", text, sizeof text), "pcr");
    cJSON_Delete(second);
}

TEST(what_outcomes_are_made_of_is_wanted)
{
    static const char *const names[][2] = {{"trace", "iteration"}, {"trace", "step_error"}, {"trace", "residual"},
                                           {"times", "solve"}, {"settings", "solver"}, {"provenance", "cpu"},
                                           {"provenance", "governor"}, {"errors", "normal_error"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        assert_true(nb_compact_keep(NULL, names[i][0], NULL) && nb_compact_keep(NULL, names[i][0], names[i][1]));
    assert_false(nb_compact_keep(NULL, "trace", "box_map"));
    assert_false(nb_compact_keep(NULL, "strategies", NULL));
}
