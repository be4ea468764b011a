/* The page: a template (report.html) into which go the title, figures and the data (page_data.c) that its script draws
 * (report.js). Style sheet and script stand in it: it loads nothing, and its policy forbids it to. */

#include "harness/records/json.h"
#include "harness/report/html_text.h"
#include "harness/report/page_private.h"
#include "report_page.h"

/* "<" stands in JSON only within texts, where it may be written so; nothing in them ends the script that holds them. */
static enum nb_status print_data(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    cJSON *data = NULL;
    const enum nb_status status = nb_page_data(cases, &data, error);
    char *text = status ? NULL : nb_json_print(data);
    cJSON_Delete(data);
    if (!status && !text)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the report");
    for (const char *c = text; c && *c; ++c)
        *c == '<' ? fputs("\\u003c", stream) : fputc(*c, stream);
    cJSON_free(text);
    return status;
}

static enum nb_status print_page(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    fputs(report_page[0], stream);
    nb_html_text(stream, nb_page_title(cases->page));
    fputs(report_page[1], stream);
    enum nb_status status = nb_page_curve(cases->page, stream, error);
    status = status ? status : nb_page_figures(cases, stream, error);
    status = status ? status : nb_page_pictures(cases, stream, error);
    fputs(report_page[2], stream);
    status = status ? status : print_data(cases, stream, error);
    fputs(report_page[3], stream);
    return status;
}

enum nb_status nb_report_html(const struct nb_page *page, const char *path, struct nb_error *error)
{
    return nb_page_write(page, print_page, path, error);
}
