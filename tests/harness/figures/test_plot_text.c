/* Texts in gnuplot's files: what means something to gnuplot, and what is no UTF-8, which no SVG may hold. */
#include "harness/figures/plot.h"
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
