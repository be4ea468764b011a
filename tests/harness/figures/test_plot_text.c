/* Texts in gnuplot's files: what means something to gnuplot, and what is no UTF-8, which no SVG may hold. */
#include "harness/figures/plot.h"
#include "harness/figures/plot_known.h"
#include "harness/judge/metrics.h"
#include "harness/records/json.h"
#include "harness/records/record.h"
#include "tests/support/test.h"

static void expect(const char *text, const char *quoted, const char *plain)
{
    char *written = NULL;
    size_t size;
    FILE *file = open_memstream(&written, &size);
    nb_text_quote(file, text);
    fputc('\n', file);
    nb_text_plain(file, text);
    fclose(file);
    char expected[200];
    snprintf(expected, sizeof expected, "%s\n%s", quoted, plain);
    assert_string_equal(written, expected);
    free(written);
}

TEST(what_is_no_letter_becomes_a_question_mark)
{
    expect("l\xc3\xb6ser", "\"l\xc3\xb6ser\"", "l\xc3\xb6ser");
    expect("cut \xc3", "\"cut ?\"", "cut ?");
    expect("\xe2\x82", "\"??\"", "??");
    expect("\xe2\x82\xac\xb6", "\"\xe2\x82\xac?\"", "\xe2\x82\xac?");
    expect("a\tb", "\"a b\"", "a b");
    expect("a\"1", "\"a\\042\\061\"", "a\"1");
    expect("\\\xc3\xb6", "\"\\134\xc3\xb6\"", "\\\xc3\xb6");
}

TEST(a_long_value_of_a_record_is_cut_between_letters)
{
    char text[8];
    cJSON *record = cJSON_Parse("{\"settings\":{\"problem\":\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"}}");
    cJSON *records = cJSON_CreateArray();
    assert_string_equal(nb_record_text(record, "problem", text, sizeof text), "\xc3\xa9\xc3\xa9\xc3\xa9");
    cJSON_AddItemToArray(records, record);
    assert_true(nb_records_know(records, "problem"));
    cJSON_Delete(records);
}

/* What has a unit stands on an axis with it, metrics and what is none of them. */
TEST(an_axis_has_its_unit)
{
    static const char *const others[][2] = {{"step_size", "step size [m/s or N s]"}, {"distance", "distance [m]"},
                                            {"whole_seconds", "time [s]"}, {"iteration", "iteration"}};
    char text[200], expected[200];
    cJSON *record = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        nb_plot_label(record, others[i][0], text, sizeof text);
        assert_string_equal(text, others[i][1]);
    }
    for (int i = 0; i < NB_METRICS; ++i) {
        nb_plot_label(record, nb_metrics[i].name, text, sizeof text);
        snprintf(expected, sizeof expected, " [%s]", nb_metrics[i].unit);
        if (*nb_metrics[i].unit)
            assert_non_null(strstr(text, expected));
        else
            assert_null(strchr(text, '['));
    }
    cJSON_Delete(record);
}
