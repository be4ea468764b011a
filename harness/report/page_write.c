/* A page is printed into memory first and put in place as a whole; of its records what it does not show is not read.
 *
 * In HTML it is a template (report.html) into which go the title, figures and the data (page_data.c) that its script
 * draws (report.js). Style sheet and script stand in it: it loads nothing, and its policy forbids it to. */
#include <stdlib.h>
#include <string.h>

#include "harness/figures/figure.h"
#include "harness/records/compact.h"
#include "harness/records/json.h"
#include "harness/records/record.h"
#include "harness/report/html_text.h"
#include "harness/report/page_private.h"
#include "problems/base/numbers.h"
#include "problems/io/replace_file.h"
#include "report_page.h"

/* What outcomes are made of, and all that is said of machines and builds. */
static bool wanted(void *none, const char *outer, const char *inner)
{
    return !strcmp(outer, "provenance") || nb_compact_keep(none, outer, inner);
}

enum nb_status nb_page_records_read(const char *const *paths, int count, cJSON **records, struct nb_error *error)
{
    return nb_records_read_packed(paths, count, wanted, NULL, records, error);
}

const char *nb_page_title(const struct nb_page *page)
{
    return page->title ? page->title : "Report of ncpbench";
}

enum nb_status nb_page_write(const struct nb_page *page, nb_page_print *print, const char *path, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_page_cases cases;
    char *text = NULL;
    size_t size = 0;
    enum nb_status status = nb_page_cases_read(page, &cases, error);
    if (status)
        return status;
    status = nb_page_check_values(&cases, error);
    FILE *stream = status ? NULL : open_memstream(&text, &size);
    if (stream)
        status = print(&cases, stream, error);
    if (!status && (!stream || ferror(stream)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for the report", path);
    if (stream && fclose(stream) && !status)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for the report", path);
    status = status ? status : nb_replace_file(path, text, size, error);
    free(text);
    nb_page_cases_free(&cases);
    return status;
}

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

/* The picture of how a setting's values stand to the best; its script writes the tables below it. */
static enum nb_status print_curve(const struct nb_page *page, FILE *stream, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    if (!page->curve)
        return NB_OK;
    fputs("<section id=curve>\n", stream);
    if (page->curve_picture) {
        fputs("<div class=figures><figure id=over>", stream);
        status = nb_svg_print(page->curve_picture, stream, error);
        fputs("<figcaption>Time to the tolerance and iterations over those at the best value, in the geometric mean "
              "over all problems, with the 95 % interval of the time, and of each problem. Full: the best, and what "
              "cannot be told from it.</figcaption></figure></div>\n",
              stream);
    }
    fputs("</section>\n", stream);
    return status;
}

static enum nb_status print_page(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    fputs(report_page[0], stream);
    nb_html_text(stream, nb_page_title(cases->page));
    fputs(report_page[1], stream);
    enum nb_status status = print_curve(cases->page, stream, error);
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
