/* The problems of a page with what makes them hard, and the hashes by which they are known. A file with several stored
 * systems, or as it is and linearised, is one. */
#include <math.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/record.h"
#include "harness/report/html_private.h"
#include "harness/report/html_text.h"

static const struct {
    const char *outer, *inner, *words;
} numbers[] = {
    {"sizes", "dofs", "velocities"},
    {"sizes", "contacts", "contacts"},
    {"sizes", "bilaterals", "bilateral rows"},
    {"sizes", "rows", "rows"},
    {"features", "redundancy", "rows / velocities"},
    {"features", "rank_deficiency", "rank deficiency"},
    {"features", "mass_ratio", "mass ratio"},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* By name and hash. */
static void content_of(const void *context, int i, const char *name, char *text)
{
    const struct nb_page_cases *cases = context;
    char hash[NB_PAGE_VALUE];
    (void)name;
    nb_page_problem_name(cases->item[i].record, text);
    nb_record_text(cases->item[i].record, "problem_hash", hash, sizeof hash);
    strncat(text, "\n", NB_PAGE_TEXT - strlen(text) - 1);
    strncat(text, hash, NB_PAGE_TEXT - strlen(text) - 1);
}

/* The first of the problem's cases that has the number; NaN where none has. */
static double number_of(const struct nb_page_cases *cases, const struct nb_axis *contents, int problem, int number)
{
    for (int i = contents->first[problem]; i >= 0; i = contents->next[i]) {
        const cJSON *item = nb_json_path(cases->item[i].record, numbers[number].outer, numbers[number].inner);
        if (cJSON_IsNumber(item))
            return item->valuedouble;
    }
    return NAN;
}

static void print_problem(const struct nb_page_cases *cases, const struct nb_axis *contents, int problem, FILE *stream)
{
    char text[NB_PAGE_TEXT];
    const cJSON *record = cases->item[contents->first[problem]].record;
    nb_page_problem_name(record, text);
    nb_html_print(stream, "<tr><th scope=row>%s", text);
    for (int n = 0; n < NUMBERS; ++n) {
        const double number = number_of(cases, contents, problem, n);
        nb_html_print(stream, "<td class=n>%s",
                      number == floor(number) ? nb_text_count(number) : nb_text_ratio(number));
    }
    nb_html_print(stream, "<td>%s", nb_record_text(record, "problem_file", text, sizeof text));
    nb_html_print(stream, "<td class=hash>%s\n", nb_record_text(record, "problem_hash", text, sizeof text));
}

enum nb_status nb_html_problems(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    struct nb_axis contents = {.name = "problem"};
    const enum nb_status status = nb_axis_fill(&contents, cases->count, content_of, cases, error);
    fputs("<section id=problems><h2>Problems</h2>\n", stream);
    nb_html_note_cut(cases, stream);
    fputs("<div class=scroll tabindex=0 role=region aria-label=problems>"
          "<table class=data><thead><tr><th scope=col>problem",
          stream);
    for (int n = 0; n < NUMBERS; ++n)
        nb_html_print(stream, "<th scope=col class=number>%s", numbers[n].words);
    fputs("<th scope=col>file<th scope=col>SHA-256 of its content\n<tbody>\n", stream);
    for (int p = 0; p < contents.count && !status; ++p)
        if (cases->problem.of[contents.first[p]] < cases->shown)
            print_problem(cases, &contents, p, stream);
    fputs("</table></div></section>\n", stream);
    nb_axis_free(&contents);
    return status;
}
