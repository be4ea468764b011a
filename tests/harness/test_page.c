/* The report as one page and as Markdown, of records that are written here: texts are escaped whatever they hold,
 * numbers have the digits that one reads, verdicts are those of the times. What the page's script makes of its data is
 * tested in a browser (tests/scripts/test_report_page.sh). */
#include "tests/support/program.h"

#include <cJSON.h>

#include "harness/records/outcome.h"
#include "harness/records/record.h"
#include "harness/records/sheet.h"
#include "harness/records/interval.h"
#include "harness/report/html_text.h"
#include "harness/report/page.h"
#include "tests/support/case_text.h"

/* What a function writes of a text; the caller frees it. */
static char *written(void (*write)(FILE *, const char *), const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    assert_non_null(stream);
    write(stream, text);
    assert_int_equal(fclose(stream), 0);
    return out;
}

static void expect_written(void (*write)(FILE *, const char *), const char *text, const char *expected)
{
    OWNS(free_at) char *out = written(write, text);
    assert_string_equal(out, expected);
}

#define LOST "\xEF\xBF\xBD"

TEST(html_holds_any_text)
{
    expect_written(nb_html_text, "", "");
    expect_written(nb_html_text, "<a href=\"x\">'&amp;'", "&lt;a href=&quot;x&quot;&gt;&#39;&amp;amp;&#39;");
    expect_written(nb_html_text, "µ = ½, 固体, 🧱", "µ = ½, 固体, 🧱");
    expect_written(nb_html_text, "tab\tline\n", "tab\tline\n");
    expect_written(nb_html_text, "\x01\x1B[31m\x7F", LOST LOST "[31m" LOST);
    expect_written(nb_html_text, "a\xC2\x85z", "a" LOST "z");     /* a control character of Latin 1 */
    expect_written(nb_html_text, "a\xE2\x80\xAEz", "a" LOST "z"); /* from right to left */
    expect_written(nb_html_text, "\xFF<\xC3", LOST "&lt;" LOST);  /* no UTF-8, and an end within one */
    expect_written(nb_html_text, "\xC0\xBC\xED\xA0\x80", LOST LOST LOST LOST LOST); /* '<' too long, a surrogate */
    expect_written(nb_html_text, "\xF4\x90\x80\x80", LOST LOST LOST LOST);          /* beyond the last character */
}

static void print_some(FILE *stream, const char *text)
{
    nb_html_print(stream, "<b title=\"%s\">%d%%</b>", text, 7);
}

TEST(html_print_escapes_what_it_is_given_alone)
{
    expect_written(print_some, "\"><%s", "<b title=\"&quot;&gt;&lt;%s\">7%</b>");
}

TEST(markdown_holds_any_text)
{
    expect_written(nb_markdown_code, "a|b`c\nd", "`a\\|b'c d`");
    expect_written(nb_markdown_text, "*x* [y](z) <b>", "\\*x\\* \\[y\\](z) \\<b\\>");
    expect_written(nb_markdown_text, "@name #12",
                   "@\xE2\x80\x8Bname #\xE2\x80\x8B"
                   "12");
}

TEST(numbers_have_the_digits_that_one_reads)
{
    assert_string_equal(nb_text_milliseconds(1.23456e-3), "1.23");
    assert_string_equal(nb_text_milliseconds(12.3456e-3), "12.3");
    assert_string_equal(nb_text_milliseconds(0.1234), "123");
    assert_string_equal(nb_text_milliseconds(0.9996), "1000");
    assert_string_equal(nb_text_milliseconds(12.3456), "12346");
    assert_string_equal(nb_text_milliseconds(3.7123e-7), "0.000371");
    assert_string_equal(nb_text_milliseconds(1e-9), "1.00e-06");
    assert_string_equal(nb_text_milliseconds(0), "0.00");
    assert_string_equal(nb_text_milliseconds(NAN), "–");
    assert_string_equal(nb_text_ratio(INFINITY), "∞");
    assert_string_equal(nb_text_ratio(1), "1.00");
    assert_string_equal(nb_text_error(1e-6), "1e-6");
    assert_string_equal(nb_text_error(3.651e-12), "3.7e-12");
    assert_string_equal(nb_text_error(0), "0");
    assert_string_equal(nb_text_error(12), "1.2e1");
    assert_string_equal(nb_text_error(NAN), "–");
    assert_string_equal(nb_text_count(1234567), "1234567");
    assert_string_equal(nb_text_date("2026-11-25T10:24:21Z"), "2026-11-25 10:24 UTC");
    assert_string_equal(nb_text_date("yesterday"), "yesterday");
}

/* The cases as records; the caller deletes them. */
static cJSON *records_of(const struct case_text *cases, int count)
{
    cJSON *records = NULL;
    const char *path = test_path(&folder, "page.jsonl");
    FILE *file = test_open(path, "w");
    for (int i = 0; i < count; ++i)
        put_case_text(file, &cases[i]);
    assert_int_equal(fclose(file), 0);
    assert_ok(nb_records_read(path, &records, &why));
    return records;
}

/* Two problems; on the first `quick` is twice as fast as `old`, on the second it fails. */
static const struct case_text *sample(void)
{
    static struct case_text cases[4];
    for (int i = 0; i < 4; ++i) {
        cases[i] = usual_case;
        cases[i].problem = i < 2 ? "wall" : "heap";
        cases[i].precond = i % 2 ? "quick" : "old";
        cases[i].seconds = i % 2 ? 2e-3 : 4e-3;
    }
    cases[3].factor = 0.9;
    cases[3].ending = "stagnated";
    return cases;
}

/* What is written; the caller frees it. */
static char *page_of(struct nb_page *page, bool html)
{
    struct nb_error error = {""};
    const char *path = test_path(&folder, "page.out");
    if ((html ? nb_report_html : nb_report_markdown)(page, path, &error))
        fail_msg("%s", error.text);
    return test_slurp(path);
}

/* The data that the page's script draws, for cJSON_Delete; html is freed. */
static cJSON *data_in(char *html)
{
    const char *begin = strstr(html, "id=data>"), *end = begin ? strstr(begin, "</script>") : NULL;
    assert_non_null(end);
    cJSON *data = cJSON_ParseWithLength(begin + strlen("id=data>"), (size_t)(end - begin) - strlen("id=data>"));
    assert_non_null(data);
    free(html);
    return data;
}

/* Members by their paths, as "cases.0.problem", one after the other: a text. */
#define expect_texts(data, ...) expect_members(data, (const char *const[]){__VA_ARGS__, NULL})

static void expect_members(const cJSON *data, const char *const *pairs)
{
    for (; *pairs; pairs += 2) {
        const cJSON *item = nb_sheet_value(data, pairs[0]);
        if (!cJSON_IsString(item) || strcmp(item->valuestring, pairs[1]))
            fail_msg("%s is %s instead of %s", pairs[0], cJSON_IsString(item) ? item->valuestring : "no text",
                     pairs[1]);
    }
}

static double number_at(const cJSON *data, const char *path)
{
    const cJSON *item = nb_sheet_value(data, path);
    if (!cJSON_IsNumber(item))
        fail_msg("%s is no number", path);
    return item->valuedouble;
}

TEST(page_says_the_verdicts)
{
    const char *const lead[] = {"First <line>.", "Second line.", NULL};
    struct nb_page page = {.records = records_of(sample(), 4), .tolerance = 2e-4, .title = "A & B", .lead = lead};
    char *html = page_of(&page, true);
    test_contains(html, "<title>A &amp; B</title>");
    assert_null(strstr(html, "<line>")); /* it ends no script */
    cJSON *data = data_in(html);
    expect_texts(data, "lead.0", "First <line>.", "axes.0.name", "precond", "axes.0.values.1", "quick", "problems.1",
                 "heap", "verdicts.0.cells.0.text", "2.00 ×", "verdicts.0.cells.1.kind", "best",
                 "verdicts.0.cells.3.kind", "failed", "verdicts.0.cells.3.text", "stagnated", "comparisons.0.a", "old",
                 "comparisons.0.b", "quick", "cases.3.ending", "stagnated");
    assert_float_equal(number_at(data, "verdicts.0.cells.0.ratio.0"), 2, 1e-12);
    assert_float_equal(number_at(data, "comparisons.0.compared.steps.speed_up.value"), 2, 1e-12);
    assert_true(number_at(data, "comparisons.0.compared.steps.speed_up.low") < 2);
    assert_float_equal(number_at(data, "cases.0.time"), 4e-3, 1e-15);
    assert_int_equal(number_at(data, "verdicts.0.cells.3.case"), 3);
    assert_int_equal(number_at(data, "endings.converged.1"), 3);
    cJSON_Delete(data);
    page.baseline = "quick"; /* without it that of the first case */
    data = data_in(page_of(&page, true));
    expect_texts(data, "comparisons.0.a", "quick", "comparisons.0.b", "old");
    cJSON_Delete(data);
    cJSON_Delete(page.records);
}

/* Where times scatter, the median of their ratios may be below 1 although the medians' ratio is above it. */
TEST(a_cell_says_the_ratio_of_the_times_that_stand_beside)
{
    static const double times[2][5] = {{1, 1, 1, 9, 9}, {0.5, 0.5, 1.1, 1.1, 1.1}};
    struct nb_page page = {.records = records_of(sample(), 2), .tolerance = 2e-4};
    for (int i = 0; i < 2; ++i) {
        cJSON *of_case = cJSON_GetObjectItem(cJSON_GetArrayItem(page.records, i), "times");
        cJSON_ReplaceItemInObject(of_case, "solve", cJSON_CreateDoubleArray(times[i], 5));
    }
    cJSON *data = data_in(page_of(&page, true));
    expect_texts(data, "verdicts.0.cells.0.kind", "best", "verdicts.0.cells.1.kind", "same", "verdicts.0.cells.1.text",
                 "≈ 1.10 ×");
    assert_true(number_at(data, "verdicts.0.cells.1.ratio.0") < 1);
    cJSON_Delete(data);
    cJSON_Delete(page.records);
}

TEST(candidate_is_compared_with_all_others)
{
    struct nb_page page = {
        .records = records_of(sample(), 4), .tolerance = 2e-4, .axis = "precond", .candidate = "quick"};
    cJSON *data = data_in(page_of(&page, true));
    expect_texts(data, "comparisons.0.a", "old", "comparisons.0.b", "quick");
    assert_null(nb_sheet_value(data, "comparisons.1")); /* once */
    cJSON_Delete(data);
    page.baseline = page.candidate;
    data = data_in(page_of(&page, true));
    assert_null(nb_sheet_value(data, "comparisons.0"));
    cJSON_Delete(data);
    cJSON_Delete(page.records);
}

TEST(markdown_says_the_same_in_short)
{
    struct nb_page page = {.records = records_of(sample(), 4), .tolerance = 2e-4};
    test_says(page_of(&page, false), "### Report of ncpbench\n", "| problem | `old` | `quick` |\n|---|---:|---:|\n",
              "| `wall` | 2.00 × | **best** 2.00 ms |\n", "| `heap` | **best** 4.00 ms | stagnated |\n",
              "| reach it | 2 of 2 | 1 of 2 |\n", "| `quick` against `old`, steps | **faster, but fails more often** |",
              "Endings: 3 `converged`, 1 `stagnated`; 4 cases in all.\n", "Measured on cpu cpu.\n");
    cJSON_Delete(page.records);
}

TEST(same_records_give_the_same_bytes)
{
    struct nb_page page = {.records = records_of(sample(), 4), .tolerance = 2e-4};
    char *first = page_of(&page, true), *second = page_of(&page, true);
    assert_string_equal(first, second);
    free(first);
    free(second);
    cJSON_Delete(page.records);
}

/* Problems of one name are two; what a method does not read is no value of it. */
TEST(what_varies_is_told_apart)
{
    struct case_text cases[4];
    memcpy(cases, sample(), sizeof cases);
    cases[0].hash = "07af0bbd5e47b046";
    cases[1].hash = "aab4a813b9b199cb";
    cases[0].problem = cases[1].problem = "heap";
    cases[2].solver = "nsgs";
    struct nb_page page = {.records = records_of(cases, 4), .tolerance = 2e-4};
    cJSON *data = data_in(page_of(&page, true));
    expect_texts(data, "problems.0", "heap#07af0b", "problems.1", "heap#aab4a8", "problems.2", "heap", "axes.0.name",
                 "solver", "axes.1.name", "precond", "cases.2.detail", "", "common.precision", "f64");
    assert_int_equal(number_at(data, "cases.2.of.0"), 1);
    assert_int_equal(number_at(data, "cases.2.of.1"), -1);
    cJSON_Delete(data);
    cJSON_Delete(page.records);
}

static void expect_failure(struct nb_page *page, const char *path, const char *part)
{
    struct nb_error error = {""};
    assert_int_not_equal(nb_report_html(page, path, &error), NB_OK);
    test_contains(error.text, part);
}

/* A refusal leaves what was there. */
TEST(page_is_written_whole_or_not_at_all)
{
    struct nb_page page = {.records = records_of(sample(), 4), .tolerance = 2e-4};
    const char *path = test_path(&folder, "kept.html");
    test_write(path, "kept");
    page.axis = "nonsense";
    expect_failure(&page, path, "no case has a setting nonsense");
    page.axis = "precond";
    page.baseline = "nonsense";
    expect_failure(&page, path, "no case has precond=nonsense");
    page.axis = page.baseline = NULL;
    page.tolerance = 0;
    expect_failure(&page, path, "--tol is missing");
    page.tolerance = 2e-4;
    char *text = test_slurp(path);
    assert_string_equal(text, "kept");
    free(text);
    expect_failure(&page, test_path(&folder, "no/such.html"), "no/such.html: cannot be written");
    expect_failure(&page, folder.path, folder.path);
    cJSON_Delete(page.records);
}

TEST(command_writes_both)
{
    cJSON_Delete(records_of(sample(), 4));
    expect_ok(run("report %s/page.jsonl --tol 2e-4 --html %s/a.html --markdown %s/a.md --baseline precond=quick",
                  folder.path, folder.path, folder.path));
    cJSON *data = data_in(test_slurp(test_path(&folder, "a.html")));
    expect_texts(data, "command.0", "report", "command.2", "--tol", "comparisons.0.a", "quick");
    cJSON_Delete(data);
    test_says(test_slurp(test_path(&folder, "a.md")), "| `old` against `quick`, steps |");
    expect_refusal(run("report %s/page.jsonl --tol 2e-4 --html %s/b.html --baseline precond", folder.path, folder.path),
                   "--baseline precond: must be NAME=VALUE");
    expect_refusal(
        run("report %s/page.jsonl --tol 2e-4 --html %s/b.html --baseline precond=ol", folder.path, folder.path),
        "no case has precond=ol");
    assert_int_not_equal(access(test_path(&folder, "b.html"), F_OK), 0);
}

/* Where a better preconditioner cannot show, the page says so beside its verdict. */
TEST(a_fixed_linear_budget_is_told)
{
    FILE *file = test_open(test_path(&folder, "budget.jsonl"), "w");
    struct case_text text = usual_case;
    text.linear_used = text.linear_iters;
    put_case_text(file, &text);
    text.precond = "dearer";
    text.seconds *= 3;
    put_case_text(file, &text);
    assert_int_equal(fclose(file), 0);
    expect_ok(run("report %1$s/budget.jsonl --tol 2e-4 --html %1$s/a.html --markdown %1$s/a.md", folder.path));
    cJSON *data = data_in(test_slurp(test_path(&folder, "a.html")));
    expect_texts(data, "comparisons.0.compared.steps.kind", "steps, at a fixed linear budget");
    cJSON_Delete(data);
    test_says(test_slurp(test_path(&folder, "a.md")), ", steps, at a fixed linear budget | **worse** |");
}

/* Of more cases than a browser opens the first problems' have rows; sums are over all, and the page says so. */
TEST(page_of_many_cases_says_what_has_no_row)
{
    enum { PROBLEMS = NB_PAGE_ROWS / 2 + 10 };
    char problem[32];
    const char *path = test_path(&folder, "many.jsonl");
    struct nb_page page = {.tolerance = 2e-4};
    struct case_text text = usual_case;
    FILE *file = test_open(path, "w");
    text.problem = problem;
    for (int i = 0; i < 2 * PROBLEMS; ++i) {
        snprintf(problem, sizeof problem, "p%04d", i / 2);
        text.precond = i % 2 ? "quick" : "old";
        text.seconds = i % 2 ? 2e-3 : 4e-3;
        put_case_text(file, &text);
    }
    assert_int_equal(fclose(file), 0);
    assert_ok(nb_page_records_read(&path, 1, &page.records, &why));
    cJSON *data = data_in(page_of(&page, true));
    assert_true(cJSON_IsTrue(nb_sheet_value(data, "cut")));
    assert_int_equal(cJSON_GetArraySize(nb_sheet_value(data, "cases")), NB_PAGE_ROWS);
    assert_int_equal(cJSON_GetArraySize(nb_sheet_value(data, "problems")), NB_PAGE_ROWS / 2);
    assert_int_equal(cJSON_GetArraySize(nb_sheet_value(data, "comparisons.0.compared.steps.pairs")), NB_PAGE_ROWS / 2);
    assert_int_equal(number_at(data, "count"), 2 * PROBLEMS);
    assert_int_equal(number_at(data, "problem_count"), PROBLEMS);
    assert_int_equal(number_at(data, "verdicts.0.values.1.fastest"), PROBLEMS);
    assert_int_equal(number_at(data, "comparisons.0.compared.steps.tally.pairs"), PROBLEMS);
    cJSON_Delete(data);
    cJSON_Delete(page.records);
}

/* A record that says next to nothing is a case all the same. */
TEST(a_record_of_next_to_nothing_is_a_case)
{
    const char *path = test_path(&folder, "it's.jsonl");
    test_write(path, "{\"kind\":\"case\",\"key\":\"1\"}\n");
    expect_ok(run("report \"%s\" --tol 1e-6 --html %s/d.html", path, folder.path));
    cJSON *data = data_in(test_slurp(test_path(&folder, "d.html")));
    expect_texts(data, "files.0", path, "command.1", path, "cases.0.ending", "unknown", "verdicts.0.cells.0.text",
                 "unknown");
    assert_true(cJSON_IsNull(nb_sheet_value(data, "cases.0.error")));
    cJSON_Delete(data);
}

/* A repetition of a linear system whose set-up was not recorded has no time; and infinite times have an interval that
 * is looked for no longer than others. */
TEST(times_without_a_set_up_do_not_count)
{
    struct nb_outcome outcome;
    cJSON *record = cJSON_Parse("{\"kind\":\"case\",\"settings\":{\"mode\":\"linear_system\"},\"ending\":\"converged\","
                                "\"errors\":{\"residual\":1e-9},\"times\":{\"solve\":[3,4,5],\"setups\":[1,null,2]},"
                                "\"trace\":{\"iteration\":[0,1],\"residual\":[1,1e-9]}}");
    assert_non_null(record);
    nb_outcome_read(record, 1e-6, &outcome);
    assert_int_equal(outcome.repetitions, 2);
    assert_float_equal(nb_outcome_time(&outcome), 5.5, 0); /* of 1 + 3 and 2 + 5 */
    cJSON_Delete(record);
    const double never[] = {INFINITY, INFINITY, INFINITY}, some[] = {1, 2, INFINITY};
    assert_false(nb_interval_ratio(never, 3, some, 3).value <= 1);
    assert_false(nb_interval_ratio(some, 3, never, 3).value >= 1);
}

/* Pictures of a folder stand in the page in the order of their names; what is none is refused and leaves no page. */
TEST(page_shows_the_pictures_of_a_folder)
{
    cJSON_Delete(records_of(sample(), 4));
    test_write(test_path(&folder, "zfigure.svg"), "<?xml version=\"1.0\"?>\n<svg id=\"second\"></svg>\n");
    test_write(test_path(&folder, "y<b>.svg"), "<svg id=\"first\"></svg>");
    expect_ok(run("report %1$s/page.jsonl --tol 2e-4 --html %1$s/e.html --figures %1$s", folder.path));
    test_says(test_slurp(test_path(&folder, "e.html")), "<section id=drawn>",
              "<figure><svg id=\"first\"></svg><figcaption>y&lt;b&gt;.svg</figcaption></figure>\n"
              "<figure><svg id=\"second\"></svg>\n<figcaption>zfigure.svg</figcaption>");
    test_write(test_path(&folder, "figure18_f32.svg"), "<svg></svg>");
    expect_ok(run("report %1$s/page.jsonl --tol 2e-4 --html %1$s/e.html --figures %1$s", folder.path));
    test_says(test_slurp(test_path(&folder, "e.html")),
              "<figcaption><b>Linear solvers, per Newton iteration of one step.</b> Macklin et al. 2019, figure 18: ");
    test_write(test_path(&folder, "claims.json"),
               "{\"claims\":[{\"id\":\"mine\",\"figure\":\"figure18\",\"verdict\":\"does_not_hold\","
               "\"says\":\"It <falls>.\"},"
               "{\"id\":\"open\",\"figure\":\"figure18\",\"verdict\":\"not_decided\",\"says\":\"?\"},"
               "{\"id\":\"other\",\"figure\":\"figure1\",\"verdict\":\"holds\",\"says\":\"?\"}]}");
    expect_ok(run("report %1$s/page.jsonl --tol 2e-4 --html %1$s/e.html --figures %1$s", folder.path));
    test_says(test_slurp(test_path(&folder, "e.html")),
              "<br><b>does not hold</b> mine: It &lt;falls&gt;.\n</figcaption>");
    test_write(test_path(&folder, "claims.json"), "none");
    expect_refusal(run("report %1$s/page.jsonl --tol 2e-4 --html %1$s/f.html --figures %1$s", folder.path),
                   "claims.json: is not what `ncpbench claims --json` prints");
    assert_int_equal(remove(test_path(&folder, "claims.json")), 0);
    test_write(test_path(&folder, "x.svg"), "no picture");
    expect_refusal(run("report %1$s/page.jsonl --tol 2e-4 --html %1$s/f.html --figures %1$s", folder.path),
                   "x.svg: is no SVG file");
    assert_int_not_equal(access(test_path(&folder, "f.html"), F_OK), 0);
    expect_refusal(run("report %1$s/page.jsonl --tol 2e-4 --html %1$s/f.html --figures %1$s/none", folder.path),
                   "none: cannot be read: No such file");
    expect_refusal(run("report %1$s/page.jsonl --tol 2e-4 --figures %1$s", folder.path), "only with --html");
}

/* Without gnuplot the page says so. */
TEST(page_does_without_gnuplot)
{
    char command[512];
    cJSON_Delete(records_of(sample(), 4));
    snprintf(command, sizeof command, "PATH=%s %s/ncpbench report %s/page.jsonl --tol 2e-4 --html %s/c.html",
             folder.path, test_build(), folder.path, folder.path);
    assert_int_equal(system(command), 0);
    test_says(test_slurp(test_path(&folder, "c.html")), "<p class=note>No figure: ", "gnuplot", "id=data>");
}

FIXTURE(make_folder, remove_folder)
