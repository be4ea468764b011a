/* The tables of settings and metrics: that they agree with what the documents say. */
#include "tests/support/files.h"

#include "harness/case/case_settings.h"
#include "harness/judge/metrics.h"

/* Places of the trace are told apart and leave none out. */
TEST(traced_metrics_have_places)
{
    int places[2] = {0, 0}, traced[2] = {0, 0};
    for (int m = 0; m < NB_METRICS; ++m)
        traced[nb_metrics[m].scope] += nb_metrics[m].place > 0;
    for (int scope = 0; scope < 2; ++scope)
        while (nb_metric_traced(scope, places[scope] + 1) >= 0)
            ++places[scope];
    assert_int_equal(places[NB_METRIC_OF_STEP], traced[NB_METRIC_OF_STEP]);
    assert_int_equal(places[NB_METRIC_OF_SYSTEM], traced[NB_METRIC_OF_SYSTEM]);
}

/* The last cell of the setting's line in docs/guide/sweeps.md against the default: words in backquotes, numbers as they
 * are. */
static void expect_default(const char *cell, const struct nb_case_setting *row, const struct nb_case *usual)
{
    const void *member = (const char *)usual + row->offset;
    const bool whole = row->option.type == NB_OPTION_INTEGER, real = row->option.type == NB_OPTION_NUMBER;
    const double number = whole ? *(const int *)member : real ? *(const double *)member : (double)NAN;
    char word[80] = "none";
    if (row->option.type == NB_OPTION_FLAG || row->option.type == NB_OPTION_CHOICE)
        nb_choice_name(row->option.choices, 0, word, sizeof word);
    else if (row->option.type == NB_OPTION_TEXT)
        snprintf(word, sizeof word, "%s", *(const char *const *)member);
    else if (whole && number < 0)
        snprintf(word, sizeof word, "as the method has it");
    else if (!isnan(number)) {
        if (strtod(cell, NULL) != number)
            fail_msg("docs/guide/sweeps.md has another default of %s: %s", row->name, cell);
        return;
    }
    test_contains(cell, word);
}

TEST(defaults_are_documented)
{
    const struct nb_case usual = nb_case_default();
    const struct nb_case_setting *row;
    OWNS(free_at) char *sweeps = test_slurp("docs/guide/sweeps.md");
    for (int i = 0; (row = nb_case_setting_at(i)); ++i) {
        char name[64], line[1000];
        if (row->option.type == NB_OPTION_PATH)
            continue;
        snprintf(name, sizeof name, "\n| `%s` | ", row->name);
        const char *begin = strstr(sweeps, name);
        assert_non_null(begin);
        snprintf(line, sizeof line, "%.*s", (int)strcspn(begin + 1, "\n") - 2, begin + 1);
        expect_default(strrchr(line, '|') + 2, row, &usual);
    }
}

TEST(settings_are_documented)
{
    OWNS(free_at) char *records = test_slurp("docs/reference/records.md"), *sweeps =
        test_slurp("docs/guide/sweeps.md");
    const struct nb_case_setting *row;
    for (int i = 0; (row = nb_case_setting_at(i)); ++i) {
        char name[64];
        snprintf(name, sizeof name, "`%s`", row->name);
        if (!(row->of & NB_SPEC_ONLY))
            test_contains(records, name);
        snprintf(name, sizeof name, "\n| `%s` | ", row->name);
        if (row->axis || row->of & NB_OF_SWEEP)
            test_contains(sweeps, name);
    }
}

/* Each row is found again by its name, is read from a text and is then equal to itself alone. */
TEST(settings_are_read_and_compared)
{
    const struct nb_case_setting *row;
    for (int i = 0; (row = nb_case_setting_at(i)); ++i) {
        struct nb_case a = nb_case_default(), b = nb_case_default();
        assert_ptr_equal(nb_case_setting_find(row->name), row);
        if (row->option.name)
            assert_ptr_equal(nb_case_setting_find(row->option.name), row);
        assert_true(nb_case_setting_equal(row, &a, &b));
        if (row->option.type == NB_OPTION_INTEGER || row->option.type == NB_OPTION_NUMBER) {
            assert_refused(nb_case_setting_read(row, "-2", &a, &why), NB_BAD_INPUT, row->name);
            assert_true(nb_case_setting_equal(row, &a, &b));
        } else if (row->option.type != NB_OPTION_PATH) {
            assert_refused(nb_case_setting_read(row, "no such word", &a, &why), NB_BAD_INPUT, "known: ");
        }
    }
    assert_null(nb_case_setting_find("no_such_setting"));
}
