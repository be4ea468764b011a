/* A report in at most 20 lines: of each problem the best solver, preconditioner and precision, then what failed, by
 * kind, and which failures were not expected, or expected and did not come. The fastest are those of the page's
 * matrices of verdicts (page_cases.c). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/filter.h"
#include "harness/records/record.h"
#include "harness/report/html_text.h"
#include "harness/report/page_private.h"
#include "problems/base/emphasis.h"
#include "problems/base/numbers.h"
#include "problems/io/regular_file.h"

/* Reads a list of expected failures line by line and marks the cases of each line. */

/* A line's filters, none of an empty line, and what it expects of their cases. */
static enum nb_status read_line(char *line, const struct nb_page_cases *cases, struct nb_filters *filters,
                                enum nb_expectation *expectation, struct nb_error *error)
{
    static const char either[] = "either", blanks[] = " \t\r\n";
    char word[4 * NB_WORD_SIZE];
    line[strcspn(line, "#")] = '\0';
    line += strspn(line, blanks);
    const size_t length = strcspn(line, blanks);
    const bool both = length == strlen(either) && !strncmp(line, either, length);
    *expectation = both ? NB_EXPECT_EITHER : NB_EXPECT_FAILURE;
    const char *complaint = nb_filters_read(line + (both ? length : 0), filters, word, sizeof word);
    if (complaint)
        return nb_fail(error, NB_BAD_INPUT, "%s '%.80s'", complaint, word);
    for (int i = 0; i < filters->count; ++i)
        if (!nb_records_know(cases->page->records, filters->filter[i].name))
            return nb_fail(error, NB_BAD_INPUT, "no record has '%.80s'", filters->filter[i].name);
    if (both && !filters->count)
        return nb_fail(error, NB_BAD_INPUT, "'either' needs filters behind it, as problem=arch");
    return NB_OK;
}

static enum nb_status expected_read(const char *path, const struct nb_page_cases *cases, enum nb_expectation *expected,
                                    struct nb_error *error)
{
    FILE *file;
    char *line = NULL;
    size_t room = 0;
    enum nb_status status = nb_open_regular(path, &file, error);
    for (int number = 1; !status && getline(&line, &room, file) >= 0; ++number) {
        struct nb_filters filters = {0};
        enum nb_expectation expectation;
        struct nb_error why;
        status = read_line(line, cases, &filters, &expectation, &why);
        if (status)
            nb_fail(error, status, "%s:%d: %s", path, number, why.text);
        for (int i = 0; i < cases->count && !status && filters.count; ++i)
            if (nb_filters_pass(&filters, cases->item[i].record))
                expected[i] = expectation;
        nb_filters_free(&filters);
    }
    if (!status && !feof(file))
        status = nb_fail(error, NB_BAD_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (file)
        fclose(file);
    free(line);
    return status;
}

/* A name is told whole: the commands of two programs may differ in their last word. */
enum { PROBLEMS = 10, NAMED = 3, TEXT = 1024 };

/* What is asked of each problem; the other setting whose value stands in parentheses, -1: none. */
enum { SOLVER, PRECOND, PRECISION, QUESTIONS };
static const struct {
    const char *axis, *title;
    int beside;
} question[QUESTIONS] = {
    [SOLVER] = {"solver", "solver", -1},
    [PRECOND] = {"precond", "preconditioner", PRECISION},
    [PRECISION] = {"precision", "precision", PRECOND},
};

struct row {
    const char *problem;
    char text[QUESTIONS][TEXT];
};

/* The case's value; NULL where it has none. */
static const char *value_of(const struct nb_page_cases *cases, const struct nb_axis *axis,
                            const struct nb_page_case *item)
{
    const int value = axis ? axis->of[item - cases->item] : -1;
    return value < 0 ? NULL : axis->value[value];
}

/* The fastest of a row of verdicts against the next, "ic0 (f64): 1.32 [1.28, 1.4] × fsai", into text [TEXT]; `beside`
 * is the setting whose value stands in parentheses. */
static void describe(const struct nb_page_cases *cases, const struct nb_matrix *matrix, int problem,
                     const struct nb_axis *beside, char *text)
{
    const struct nb_cell *best = NULL, *next = NULL;
    int values = 0;
    for (int v = 0; v < matrix->axis->count; ++v) {
        const struct nb_cell *cell = &matrix->cell[problem * matrix->axis->count + v];
        values += cell->rival;
        if (cell->kind == NB_CELL_BEST)
            best = cell;
        else if (cell->rival && isfinite(cell->ratio.value) && (!next || cell->ratio.value < next->ratio.value))
            next = cell;
    }
    const char *first = best ? value_of(cases, matrix->axis, best->item) : "";
    const char *other = best ? value_of(cases, beside, best->item) : NULL;
    const char *second = next ? value_of(cases, matrix->axis, next->item) : "";
    char with[48] = "";
    if (other)
        snprintf(with, sizeof with, " (%.40s)", other);
    if (!values)
        snprintf(text, TEXT, "-");
    else if (!best)
        snprintf(text, TEXT, "none of %d", values);
    else if (!next)
        snprintf(text, TEXT, "%.400s%s alone of %d", first, with, values);
    else if (next->kind == NB_CELL_SAME)
        snprintf(text, TEXT, "%.400s%s or %.400s: undecided", first, with, second);
    else if (isnan(next->ratio.low))
        snprintf(text, TEXT, "%.400s%s or %.400s: timed apart", first, with, second);
    else
        snprintf(text, TEXT, "%.400s%s: %s [%s, %s] × %.400s", first, with, nb_text_ratio(next->ratio.value),
                 nb_text_ratio(next->ratio.low), nb_text_ratio(next->ratio.high), second);
}

static int width_of(const char *text)
{
    int length = 0;
    for (const char *c = text; *c; ++c)
        length += (*c & 0xc0) != 0x80;
    return length;
}

/* Prints `width` characters, of which some take two bytes. */
static void print_padded(const char *text, int width, FILE *stream)
{
    const int length = width_of(text);
    fprintf(stream, "%s%*s", text, width > length ? width - length : 0, "");
}

/* A problem's row; whether it has something to say. */
static bool fill_row(const struct nb_page_cases *cases, const struct nb_matrix *matrix, int problem, struct row *row)
{
    bool says = false;
    row->problem = cases->problem.value[problem];
    for (int k = 0; k < QUESTIONS; ++k) {
        const int beside = question[k].beside;
        snprintf(row->text[k], TEXT, "-");
        if (matrix[k].axis)
            describe(cases, &matrix[k], problem, beside < 0 ? NULL : matrix[beside].axis, row->text[k]);
        says = says || strcmp(row->text[k], "-");
    }
    return says;
}

/* Columns in which something stands. */
static void print_rows(const struct row *row, int count, FILE *stream)
{
    int width[QUESTIONS] = {0}, last = 0, name = 20;
    for (int k = 0; k < QUESTIONS; ++k)
        for (int i = 0; i < count; ++i)
            if (strcmp(row[i].text[k], "-")) {
                const int wide = width_of(row[i].text[k]), title = width_of(question[k].title);
                width[k] = wide > width[k] ? wide : width[k] > title ? width[k] : title;
                last = k;
            }
    for (int i = 0; i < count; ++i)
        name = width_of(row[i].problem) > name ? width_of(row[i].problem) : name;
    for (int i = -1; i < count; ++i) {
        fputs("  ", stream);
        print_padded(i < 0 ? "fastest, × the next" : row[i].problem, name + 2, stream);
        for (int k = 0; k <= last; ++k)
            if (width[k])
                print_padded(i < 0 ? question[k].title : row[i].text[k], k < last ? width[k] + 2 : 0, stream);
        fputc('\n', stream);
    }
}

/* A problem on which nothing of it varies has no line. */
static enum nb_status print_problems(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    struct row row[PROBLEMS + 1];
    struct nb_matrix matrix[QUESTIONS] = {{NULL, NULL, NULL}};
    enum nb_status status = NB_OK;
    int count = 0;
    for (int k = 0; k < QUESTIONS && !status; ++k) {
        const struct nb_axis *axis = nb_page_axis(cases, question[k].axis);
        if (axis)
            status = nb_matrix_make(cases, axis, &matrix[k], error);
    }
    for (int p = 0; p < cases->problem.count && !status; ++p)
        count += fill_row(cases, matrix, p, &row[count < PROBLEMS ? count : PROBLEMS]);
    for (int k = 0; k < QUESTIONS; ++k)
        nb_matrix_free(&matrix[k]);
    if (count)
        print_rows(row, count < PROBLEMS ? count : PROBLEMS, stream);
    if (count > PROBLEMS)
        fprintf(stream, "  and %d more: report without --summary\n", count - PROBLEMS);
    return status;
}

static bool has_failed(const struct nb_page_case *item)
{
    return !item->iterations;
}

/* "stagnated", "less accurate"; into text [TEXT]. */
static void kind_of(const struct nb_page_case *item, char *text)
{
    nb_cell_text(&(struct nb_cell){.kind = NB_CELL_FAILED, .item = item}, text, TEXT);
}

static void print_reasons(const struct nb_page_cases *cases, FILE *stream)
{
    struct nb_reasons reasons = nb_page_reasons(cases);
    nb_reasons_print(&reasons, stream);
    nb_reasons_free(&reasons);
}

/* The failures of each kind; expected NULL: nothing was said of what is expected. */
static void print_failures(const struct nb_page_cases *cases, const enum nb_expectation *expected, const char *list,
                           FILE *stream)
{
    struct nb_words kinds = {0};
    int count[NB_WORDS_MOST] = {0}, failed = 0, foreseen = 0;
    for (int i = 0; i < cases->count; ++i) {
        char kind[TEXT];
        if (!has_failed(&cases->item[i]))
            continue;
        kind_of(&cases->item[i], kind);
        if (nb_words_add(&kinds, kind))
            ++count[nb_words_find(&kinds, kind)];
        ++failed;
        foreseen += expected && expected[i];
    }
    fprintf(stream, "Failed: %d of %d", failed, cases->count);
    for (int k = 0; k < kinds.count; ++k)
        fprintf(stream, "%s%d %s", k ? ", " : ": ", count[k], kinds.word[k]);
    fputc('\n', stream);
    print_reasons(cases, stream);
    if (expected && failed)
        fprintf(stream, "  %d of them as expected (%s)\n", foreseen, list);
}

/* A case by its problem and all settings that vary. */
static void print_case(const struct nb_page_cases *cases, int i, FILE *stream)
{
    const struct nb_page_case *item = &cases->item[i];
    char kind[TEXT];
    fprintf(stream, "  not expected: %s", cases->problem.value[cases->problem.of[i]]);
    for (int a = 0; a < cases->axis_count; ++a) {
        const struct nb_axis *axis = &cases->axis[a];
        if (axis->of[i] >= 0 && strcmp(axis->name, "method"))
            fprintf(stream, " %s%s%s", axis->strategy ? "" : axis->name, axis->strategy ? "" : "=",
                    axis->value[axis->of[i]]);
    }
    if (has_failed(item))
        kind_of(item, kind);
    else
        snprintf(kind, sizeof kind, "reaches it");
    fprintf(stream, ": %s%s%s\n", nb_emphasis(stream, NB_BAD), kind, nb_emphasis(stream, NB_PLAIN));
}

/* Whether it failed and should not have, or did not fail and should have. */
static bool is_surprise(enum nb_expectation expected, bool failed)
{
    return expected != NB_EXPECT_EITHER && failed != (expected == NB_EXPECT_FAILURE);
}

static void print_surprises(const struct nb_page_cases *cases, const enum nb_expectation *expected, FILE *stream)
{
    int count = 0;
    for (int i = 0; i < cases->count; ++i)
        if (is_surprise(expected[i], has_failed(&cases->item[i])) && count++ < NAMED)
            print_case(cases, i, stream);
    if (count > NAMED)
        fprintf(stream, "  and %d more that were not expected\n", count - NAMED);
}

static enum nb_status print_summary(const struct nb_page_cases *cases, const char *list, FILE *stream,
                                    struct nb_error *error)
{
    int reached = 0;
    enum nb_expectation *expected = list ? calloc((size_t)cases->count, sizeof *expected) : NULL;
    if (list && !expected)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the summary of %d cases", cases->count);
    enum nb_status status = list ? expected_read(list, cases, expected, error) : NB_OK;
    for (int i = 0; i < cases->count; ++i)
        reached += !has_failed(&cases->item[i]);
    if (!status) {
        fprintf(stream, "%s%d cases, %d of them reach an error of %g%s\n", nb_emphasis(stream, NB_HEADING),
                cases->count, reached, cases->tolerance, nb_emphasis(stream, NB_PLAIN));
        status = print_problems(cases, stream, error);
    }
    if (!status)
        nb_control_print(&cases->control, "", stream);
    if (!status)
        print_failures(cases, expected, list, stream);
    if (!status && expected)
        print_surprises(cases, expected, stream);
    free(expected);
    return status;
}

enum nb_status nb_report_summary(const struct nb_page *page, const char *expected, FILE *stream,
                                 struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_page_cases cases;
    enum nb_status status = nb_page_cases_read(page, &cases, error);
    if (status)
        return status;
    status = print_summary(&cases, expected, stream, error);
    nb_page_cases_free(&cases);
    return status;
}
