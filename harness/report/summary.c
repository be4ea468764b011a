/* A report in at most 20 lines: of each problem the best solver, preconditioner and precision, then what failed, by
 * kind, and which failures were not expected, or expected and did not come.
 *
 * Like is compared with like: the values of a setting are compared among cases that agree in all others. Of several
 * such families of a problem that one counts which has the most values, of these that of the fastest case. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/filter.h"
#include "harness/report/html_text.h"
#include "harness/report/page_private.h"
#include "problems/base/emphasis.h"
#include "problems/base/numbers.h"

enum { PROBLEMS = 10, NAMED = 3, TEXT = 160 };

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

/* Cases that differ in one setting alone. */
struct family {
    int values, reached;
    const struct nb_page_case *best, *next; /* the fastest two; NULL: none */
};

/* The case's value; NULL where it has none. */
static const char *value_of(const struct nb_page_cases *cases, const struct nb_axis *axis,
                            const struct nb_page_case *item)
{
    const int value = axis ? axis->of[item - cases->item] : -1;
    return value < 0 ? NULL : axis->value[value];
}

static struct family family_of(const struct nb_page_cases *cases, const struct nb_axis *asked, int first)
{
    struct family family = {0};
    for (int i = first; i >= 0; i = cases->problem.next[i]) {
        const struct nb_page_case *item = &cases->item[i];
        if (!nb_page_related(cases, asked, first, i))
            continue;
        ++family.values;
        if (!item->outcome.iterations || !isfinite(item->time))
            continue;
        ++family.reached;
        if (!family.best || item->time < family.best->time) {
            family.next = family.best;
            family.best = item;
        } else if (!family.next || item->time < family.next->time) {
            family.next = item;
        }
    }
    return family;
}

static bool is_first_of_family(const struct nb_page_cases *cases, const struct nb_axis *asked, int index)
{
    const struct nb_axis *problem = &cases->problem;
    for (int i = problem->first[problem->of[index]]; i < index; i = problem->next[i])
        if (nb_page_related(cases, asked, i, index))
            return false;
    return asked->of[index] >= 0;
}

static bool counts_more(const struct family *a, const struct family *b)
{
    if (a->values != b->values || !a->best || !b->best)
        return a->values != b->values ? a->values > b->values : !b->best && a->best;
    return a->best->time < b->best->time;
}

static struct family find_family(const struct nb_page_cases *cases, const struct nb_axis *asked, int problem)
{
    struct family chosen = {0};
    for (int i = cases->problem.first[problem]; i >= 0; i = cases->problem.next[i]) {
        if (!is_first_of_family(cases, asked, i))
            continue;
        const struct family family = family_of(cases, asked, i);
        if (counts_more(&family, &chosen))
            chosen = family;
    }
    return chosen;
}

/* The fastest against the next, "ic0 (f64): 1.32 [1.28, 1.4] x fsai", into text [TEXT]; `beside` is the setting whose
 * value stands in parentheses. */
static enum nb_status describe(const struct nb_page_cases *cases, const struct nb_axis *asked,
                               const struct nb_axis *beside, const struct family *family, char *text,
                               struct nb_error *error)
{
    double best[NB_OUTCOME_REPETITIONS], next[NB_OUTCOME_REPETITIONS];
    struct nb_interval lead;
    char with[48] = "";
    if (!family->best) {
        snprintf(text, TEXT, family->values > 1 ? "none of %d" : "-", family->values);
        return NB_OK;
    }
    const char *first = value_of(cases, asked, family->best), *other = value_of(cases, beside, family->best);
    if (other)
        snprintf(with, sizeof with, " (%.40s)", other);
    if (!family->next) {
        snprintf(text, TEXT, family->values > 1 ? "%.40s%s alone of %d" : "-", first, with, family->values);
        return NB_OK;
    }
    const char *second = value_of(cases, asked, family->next);
    if (nb_outcome_apart(family->best->record, family->next->record)) {
        snprintf(text, TEXT, "%.40s%s or %.40s: timed apart", first, with, second);
        return NB_OK;
    }
    const int count = nb_outcome_times(&family->best->outcome, best);
    const int others = nb_outcome_times(&family->next->outcome, next);
    const enum nb_status status = nb_interval_ratio(next, others, best, count, &lead, error);
    if (!status)
        nb_interval_widen(&lead, nb_control_spread(&cases->control));
    if (!status && lead.low > 1)
        snprintf(text, TEXT, "%.40s%s: %s [%s, %s] × %.40s", first, with, nb_text_ratio(lead.value),
                 nb_text_ratio(lead.low), nb_text_ratio(lead.high), second);
    else if (!status)
        snprintf(text, TEXT, "%.40s%s or %.40s: undecided", first, with, second);
    return status;
}

static int width_of(const char *text)
{
    int length = 0;
    for (const char *c = text; *c; ++c)
        length += (*c & 0xc0) != 0x80;
    return length;
}

/* As long as `width` characters, of which some take two bytes. */
static void print_padded(const char *text, int width, FILE *stream)
{
    const int length = width_of(text);
    fprintf(stream, "%s%*s", text, width > length ? width - length : 0, "");
}

/* A problem's row; whether it has something to say. */
static enum nb_status fill_row(const struct nb_page_cases *cases, int problem, struct row *row, bool *says,
                               struct nb_error *error)
{
    const struct nb_axis *asked[QUESTIONS];
    enum nb_status status = NB_OK;
    *says = false;
    row->problem = cases->problem.value[problem];
    for (int k = 0; k < QUESTIONS; ++k)
        asked[k] = nb_page_axis(cases, question[k].axis);
    for (int k = 0; k < QUESTIONS && !status; ++k) {
        const int beside = question[k].beside;
        snprintf(row->text[k], TEXT, "-");
        if (asked[k]) {
            const struct family family = find_family(cases, asked[k], problem);
            status = describe(cases, asked[k], beside < 0 ? NULL : asked[beside], &family, row->text[k], error);
        }
        *says = *says || strcmp(row->text[k], "-");
    }
    return status;
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
    struct row row[PROBLEMS];
    enum nb_status status = NB_OK;
    int count = 0;
    for (int p = 0; p < cases->problem.count && !status; ++p) {
        struct row one;
        bool says;
        status = fill_row(cases, p, &one, &says, error);
        if (!says)
            continue;
        if (count < PROBLEMS)
            row[count] = one;
        ++count;
    }
    if (!status && count)
        print_rows(row, count < PROBLEMS ? count : PROBLEMS, stream);
    if (count > PROBLEMS)
        fprintf(stream, "  and %d more: report without --summary\n", count - PROBLEMS);
    return status;
}

static bool has_failed(const struct nb_page_case *item)
{
    return !item->outcome.iterations;
}

/* "stagnated", "less accurate"; into text [TEXT]. */
static void kind_of(const struct nb_page_case *item, char *text)
{
    nb_cell_text(&(struct nb_cell){.kind = NB_CELL_FAILED, .item = item}, text, TEXT);
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
    enum nb_status status = list ? nb_expected_read(list, cases, expected, error) : NB_OK;
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
