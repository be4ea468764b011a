/* One page from its sections. Its style sheet and its script stand in it (report.css, report.js): it loads nothing, and
 * its policy forbids it to. */
#include "harness/report/html_private.h"
#include "harness/report/html_text.h"
#include "report_page.h"

static const char *title_of(const struct nb_page *page)
{
    return page->title ? page->title : "Report of ncpbench";
}

static void print_begin(const struct nb_page *page, FILE *stream)
{
    fputs("<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=color-scheme content=\"light dark\">\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src '" report_js_hash "'; base-uri 'none'; form-action 'none'\">\n",
          stream);
    nb_html_print(stream, "<title>%s</title>\n<style>\n", title_of(page));
    fputs(report_css, stream);
    fputs("</style>\n", stream);
}

/* Numbers of cases and problems, and when they were measured. */
static void print_summary(const struct nb_page_cases *cases, FILE *stream)
{
    const char *first, *last;
    int reached = 0;
    for (int i = 0; i < cases->count; ++i)
        reached += cases->item[i].outcome.iterations > 0;
    nb_page_dates(cases, &first, &last);
    nb_html_print(stream,
                  "<p class=summary><span><b>%d</b> cases</span> <span><b>%d</b> problems</span> <span><b>%d</b> "
                  "reach an error of <b>%s</b></span>",
                  cases->count, cases->problem.count, reached, nb_text_error(cases->tolerance));
    if (*last)
        nb_html_print(stream, " <span>measured <time datetime=\"%s\">%s</time></span>", last, nb_text_date(last));
    fputc('\n', stream);
}

void nb_html_note_cut(const struct nb_page_cases *cases, FILE *stream)
{
    if (nb_page_is_cut(cases))
        nb_html_print(stream,
                      "<p class=note>Rows stand here for the first %d of %d problems, %d cases at most: more a browser "
                      "would not open. All sums, verdicts and comparisons are over all of them, and <code>ncpbench "
                      "report --csv</code> writes every case.\n",
                      cases->shown, cases->problem.count, NB_PAGE_ROWS);
}

static void print_header(const struct nb_page_cases *cases, FILE *stream)
{
    const struct nb_page *page = cases->page;
    nb_html_print(stream, "<header><h1>%s</h1>\n", title_of(page));
    for (int i = 0; page->lead && page->lead[i]; ++i)
        nb_html_print(stream, "<p class=lead>%s\n", page->lead[i]);
    print_summary(cases, stream);
    if (page->summary)
        nb_html_print(stream, "<pre><code>%s</code></pre>\n", page->summary);
    fputs("<nav aria-label=sections><a href=\"#verdicts\">Verdicts</a> ", stream);
    if (cases->axis[0].count > 1)
        fputs("<a href=\"#comparisons\">Comparisons</a> ", stream);
    fputs("<a href=\"#figures\">Figures</a> ", stream);
    if (page->figures)
        fputs("<a href=\"#drawn\">More figures</a> ", stream);
    fputs("<a href=\"#endings\">Endings</a> <a href=\"#cases\">Cases</a> "
          "<a href=\"#problems\">Problems</a> <a href=\"#machine\">Machine</a> <a href=\"#command\">Command</a>"
          "</nav></header>\n<main>\n",
          stream);
}

static enum nb_status print_page(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    print_begin(cases->page, stream);
    print_header(cases, stream);
    enum nb_status status = nb_html_verdicts(cases, stream, error);
    if (!status)
        status = nb_html_pairs(cases, stream, error);
    if (!status)
        status = nb_html_figures(cases, stream, error);
    if (!status)
        status = nb_html_drawn(cases, stream, error);
    nb_html_endings(cases, stream);
    nb_html_cases(cases, stream);
    if (!status)
        status = nb_html_problems(cases, stream, error);
    if (!status)
        status = nb_html_provenance(cases, stream, error);
    nb_html_command(cases, stream);
    fputs("</main>\n<script>", stream);
    fputs(report_js, stream);
    fputs("</script>\n</html>\n", stream);
    return status;
}

enum nb_status nb_report_html(const struct nb_page *page, const char *path, struct nb_error *error)
{
    return nb_page_write(page, print_page, path, error);
}
