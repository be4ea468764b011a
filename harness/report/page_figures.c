/* The figures of a page, as SVG within it (harness/figures/figure.h): how the error fell in the very cases that the
 * first matrix of verdicts shows, and profiles where there are enough problems for one; steps and linear systems
 * apart. Of many values those are drawn that come off best, of many problems the first. Where gnuplot is missing the
 * page says so and goes without. */
#include <stdlib.h>
#include <string.h>

#include "harness/figures/figure.h"
#include "harness/figures/profile.h"
#include "harness/report/curve.h"
#include "harness/report/html_text.h"
#include "harness/report/page_private.h"

enum { CURVES = 9,
       PANELS = 6 };

/* What is drawn of the first axis in one mode. */
struct choice {
    const struct nb_page_cases *cases;
    const struct nb_matrix *matrix;
    bool system;
    bool drawn[NB_PAGE_VALUES]; /* by value */
    int curves, problems;       /* problems: of this mode */
};

static bool is_of(const struct choice *choice, const struct nb_page_case *item)
{
    return item && nb_outcome_is_system(item->record) == choice->system;
}

static bool comes_before(const struct nb_matrix_summary *a, const struct nb_matrix_summary *b)
{
    return a->slowdown != b->slowdown ? a->slowdown < b->slowdown : a->reached > b->reached;
}

/* The candidate at another value of the setting that a curve of its own shows. */
static bool is_varied(const struct choice *choice, int value)
{
    const struct nb_page *page = choice->cases->page;
    const char *text = choice->matrix->axis->value[value];
    const size_t length = page->curve ? strlen(page->curve->of) : 0;
    return page->curve && page->candidate && !strncmp(text, page->curve->of, length) && text[length] == ':' &&
           strcmp(text, page->candidate);
}

/* The values that come off best over all problems. */
static void choose_values(struct choice *choice)
{
    const int count = choice->matrix->axis->count;
    while (choice->curves < CURVES && choice->curves < count) {
        int best = -1;
        struct nb_matrix_summary least = {0};
        for (int v = 0; v < count && v < NB_PAGE_VALUES; ++v) {
            const struct nb_matrix_summary summary = nb_matrix_summary(choice->matrix, v);
            if (!choice->drawn[v] && !is_varied(choice, v) && (best < 0 || comes_before(&summary, &least))) {
                best = v;
                least = summary;
            }
        }
        if (best < 0)
            return;
        choice->drawn[best] = true;
        ++choice->curves;
    }
}

/* All cases of this mode that have a chosen value; NULL where memory is short. */
static cJSON *collect_all(struct choice *choice)
{
    const struct nb_page_cases *cases = choice->cases;
    const struct nb_axis *axis = choice->matrix->axis;
    cJSON *records = cJSON_CreateArray();
    for (int i = 0; i < cases->count; ++i)
        if (is_of(choice, &cases->item[i]) && axis->of[i] >= 0 && choice->drawn[axis->of[i]])
            nb_page_add_record(&records, cases->item[i].record);
    return records;
}

/* The problem's first case of this mode; NULL: none. */
static const cJSON *first_case(const struct choice *choice, int problem)
{
    const struct nb_page_cases *cases = choice->cases;
    for (int i = cases->problem.first[problem]; i >= 0; i = cases->problem.next[i])
        if (is_of(choice, &cases->item[i]))
            return cases->item[i].record;
    return NULL;
}

/* Whether an earlier problem has the same name, of which this is another stored system. */
static bool has_panel(const struct choice *choice, int problem)
{
    char name[NB_PAGE_TEXT], other[NB_PAGE_TEXT];
    nb_page_problem_name(first_case(choice, problem), name);
    for (int p = 0; p < problem; ++p) {
        const cJSON *record = first_case(choice, p);
        if (record)
            nb_page_problem_name(record, other);
        if (record && !strcmp(name, other))
            return true;
    }
    return false;
}

/* The matrix's cases of the first problems, *panels of them; NULL where memory is short. */
static cJSON *collect_shown(struct choice *choice, int *panels)
{
    const struct nb_matrix *matrix = choice->matrix;
    cJSON *records = cJSON_CreateArray();
    *panels = 0;
    for (int p = 0; p < matrix->problem->count && *panels < PANELS; ++p) {
        if (!first_case(choice, p) || has_panel(choice, p))
            continue;
        ++*panels;
        for (int v = 0; v < matrix->axis->count; ++v) {
            const struct nb_page_case *item = matrix->cell[p * matrix->axis->count + v].item;
            if (is_of(choice, item) && v < NB_PAGE_VALUES && choice->drawn[v])
                nb_page_add_record(&records, item->record);
        }
    }
    return records;
}

/* Of linear systems no case has a nonlinear method. */
static bool is_empty(cJSON *records)
{
    const bool empty = records && !records->child;
    if (empty)
        cJSON_Delete(records);
    return empty;
}

/* What gnuplot cannot draw is told in the picture's place; notes go to `notes`. */
static enum nb_status print_figure(const struct nb_figure_request *request, cJSON *records, FILE *notes, FILE *stream,
                                   struct nb_error *error)
{
    char *svg = NULL;
    if (!records)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the figures");
    struct nb_error why = {""};
    const enum nb_status status = nb_figure_svg(request, records, "the records", notes, &svg, &why);
    nb_html_print(stream, "<figure id=\"%s\">", request->name);
    if (status)
        nb_html_print(stream, "<p class=note>No figure: %s\n", why.text);
    else
        fputs(svg, stream);
    free(svg);
    return status == NB_OUT_OF_MEMORY ? nb_fail(error, status, "%s", why.text) : NB_OK;
}

/* Over what the error of a step is drawn beside time. Where preconditioners or operators differ the nonlinear
 * iterations are the same for all, and linear ones tell; linear solvers have iterations of unlike prices, or none.
 * NULL: time alone. */
static const char *counted_by(const struct choice *choice)
{
    const char *axis = choice->matrix->axis->name;
    if (choice->system || (strcmp(axis, "precond") && strcmp(axis, "operator") && strcmp(axis, "linear")))
        return "iteration";
    return strcmp(axis, "linear") ? "linear_iterations" : NULL;
}

static enum nb_status print_convergence(struct choice *choice, const char *x, FILE *notes, FILE *stream,
                                        struct nb_error *error)
{
    int panels;
    char name[60];
    cJSON *records = collect_shown(choice, &panels);
    const struct nb_axis *axis = choice->matrix->axis;
    const bool time = !strcmp(x, "time"), linear = !strcmp(x, "linear_iterations");
    const struct nb_figure_request request = {.kind = "convergence",
                                              .curves = axis->name,
                                              .panels = "problem",
                                              .x = x,
                                              .name = name};
    if (is_empty(records))
        return NB_OK;
    snprintf(name, sizeof name, "convergence_%s%s", choice->system ? "systems" : "steps", time ? "_time" : "");
    const enum nb_status status = print_figure(&request, records, notes, stream, error);
    nb_html_print(stream,
                  "<figcaption>How the error fell over %s, of the cases that the verdicts by %s show, with the "
                  "accuracy floors of those that have one. ",
                  time ? "time" : linear || choice->system ? "linear iterations"
                                                           : "iterations",
                  axis->name);
    if (time)
        fputs("Each iteration is taken to be as long as the others of its run. ", stream);
    if (panels < choice->problems)
        nb_html_print(stream, "Shown are %d of %d %s. ", panels, choice->problems,
                      choice->system ? "linear systems" : "steps");
    if (choice->curves < axis->count)
        nb_html_print(stream, "Of %d values the %d that come off best are drawn.", axis->count, choice->curves);
    fputs("</figcaption></figure>\n", stream);
    cJSON_Delete(records);
    return status;
}

static enum nb_status print_profile(struct choice *choice, FILE *notes, FILE *stream, struct nb_error *error)
{
    cJSON *records = collect_all(choice);
    const struct nb_axis *axis = choice->matrix->axis;
    const struct nb_figure_request request = {.kind = "profile",
                                              .curves = axis->name,
                                              .panels = strcmp(axis->name, "precision") ? "precision: f64 f32" : "mode",
                                              .tolerance = choice->cases->tolerance,
                                              .name = choice->system ? "profile_systems" : "profile_steps"};
    if (is_empty(records))
        return NB_OK;
    const enum nb_status status = print_figure(&request, records, notes, stream, error);
    nb_html_print(stream,
                  "<figcaption>Over %d %s: the share that a %s solves to the tolerance within so many times the "
                  "least time of the problem, and within a time.</figcaption></figure>\n",
                  choice->problems, choice->system ? "linear systems" : "steps", axis->name);
    cJSON_Delete(records);
    return status;
}

static enum nb_status print_mode(struct choice *choice, FILE *notes, FILE *stream, struct nb_error *error)
{
    for (int p = 0; p < choice->matrix->problem->count; ++p)
        choice->problems += first_case(choice, p) != NULL;
    if (!choice->problems)
        return NB_OK;
    choose_values(choice);
    const char *x = counted_by(choice);
    enum nb_status status = x ? print_convergence(choice, x, notes, stream, error) : NB_OK;
    status = status ? status : print_convergence(choice, "time", notes, stream, error);
    if (!status && choice->problems >= NB_PROFILE_LEAST)
        status = print_profile(choice, notes, stream, error);
    return status;
}

static enum nb_status print_modes(const struct nb_page_cases *cases, FILE *notes, FILE *stream, struct nb_error *error)
{
    struct nb_matrix matrix;
    enum nb_status status = nb_matrix_make(cases, &cases->axis[0], &matrix, error);
    if (status)
        return status;
    for (int mode = 0; mode < 2 && !status; ++mode)
        status = print_mode(&(struct choice){.cases = cases, .matrix = &matrix, .system = mode}, notes, stream, error);
    nb_matrix_free(&matrix);
    return status;
}

enum nb_status nb_page_figures(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *notes = open_memstream(&text, &size);
    if (!notes)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the figures");
    fputs("<section id=figures><h2>Figures</h2>\n<div class=figures>\n", stream);
    enum nb_status status = print_modes(cases, notes, stream, error);
    fputs("</div>\n", stream);
    if (fclose(notes) && !status)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the figures");
    if (!status && *text)
        nb_html_print(stream, "<details><summary>Notes on the figures</summary><pre><code>%s</code></pre></details>\n",
                      text);
    fputs("</section>\n", stream);
    free(text);
    return status;
}
