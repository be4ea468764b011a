/* A request is written as directives that change those of its figure file, and drawn as any figure. The SVG text is
 * that of files in a temporary folder. */
#include "harness/figures/figure.h"

#include <cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/plot.h"
#include "harness/figures/plot_output.h"
#include "problems/base/numbers.h"
#include "problems/io/regular_file.h"
#include "problems/io/replace_file.h"

/* Goes through the tags of an SVG file. The picture's title is the name. Behind id=, href="# and url(# comes
 * the name, then what was there; a font family is followed by others. Text between tags stays as it is. */

/* The beginning of a name in an attribute. */
static const char *const BEFORE_NAME[] = {" id=\"", " id='", "href=\"#", "href='#", "url(#"};
static const char TITLE[] = "<title>Gnuplot</title>";
static const char FAMILY[] = "font-family=\"", FALLBACKS[] = ", Arial Narrow, Helvetica, Arial, sans-serif";

static size_t name_begins(const char *text)
{
    for (size_t i = 0; i < sizeof BEFORE_NAME / sizeof *BEFORE_NAME; ++i)
        if (!strncmp(text, BEFORE_NAME[i], strlen(BEFORE_NAME[i])))
            return strlen(BEFORE_NAME[i]);
    return 0;
}

/* A name's characters that an id cannot have become '-'; it ends in one. */
static void put_name(const char *name, FILE *file)
{
    fputs("nb-", file);
    for (; *name; ++name)
        fputc(isalnum((unsigned char)*name) || *name == '_' ? *name : '-', file);
    fputc('-', file);
}

static void put_tags(const char *text, const char *name, FILE *file)
{
    bool inside = false;
    while (*text) {
        const size_t begun = inside ? name_begins(text) : 0;
        if (!inside && !strncmp(text, TITLE, strlen(TITLE))) {
            fprintf(file, "<title>%s</title>", name);
            text += strlen(TITLE);
        } else if (begun) {
            fwrite(text, 1, begun, file);
            put_name(name, file);
            text += begun;
        } else if (inside && !strncmp(text, FAMILY, strlen(FAMILY))) {
            const size_t length = strlen(FAMILY) + strcspn(text + strlen(FAMILY), "\"");
            fwrite(text, 1, length, file);
            fputs(FALLBACKS, file);
            text += length;
        } else {
            inside = *text == '<' || (inside && *text != '>');
            fputc(*text++, file);
        }
    }
}

enum nb_status nb_svg_finish(const char *path, const char *name, struct nb_error *error)
{
    struct nb_content content = {0};
    struct nb_new_file file = {0};
    enum nb_status status = nb_content_add(&content, path, error);
    status = status ? status : nb_new_file_begin(&file, path, error);
    if (!status)
        put_tags((const char *)content.bytes, name, file.stream);
    status = nb_new_file_end(&file, status, error);
    nb_content_free(&content);
    return status;
}

int nb_svg_is(const struct dirent *entry)
{
    return !fnmatch("*.svg", entry->d_name, 0);
}

enum nb_status nb_svg_print(const char *path, FILE *stream, struct nb_error *error)
{
    struct nb_content content = {0};
    enum nb_status status = nb_content_add(&content, path, error);
    const char *text = (const char *)content.bytes, *element = status ? NULL : strstr(text, "<svg");
    if (!status && (strlen(text) != content.size || !element || !strstr(text, "</svg>")))
        status = nb_fail(error, NB_BAD_FILE, "%.300s: is no SVG file", path);
    if (!status)
        fputs(element, stream);
    nb_content_free(&content);
    return status;
}

enum { CHANGES = NB_FIGURE_WHERE + 16, LENGTH = 400 };

/* The directives of a request. */
struct changes {
    char text[CHANGES][LENGTH];
    char *pointer[CHANGES];
    int count;
};

static enum nb_status add(struct changes *changes, const char *name, const char *value, struct nb_error *error)
{
    char *text = changes->text[changes->count];
    if ((size_t)snprintf(text, LENGTH, "%s %s", name, value) >= LENGTH)
        return nb_fail(error, NB_BAD_INPUT, "--%s: longer than %d characters: %.40s...", name, LENGTH - 20, value);
    changes->pointer[changes->count++] = text;
    return NB_OK;
}

/* A value's blanks and the commas of a name itself, which stand after a backslash, between the commas that part
 * values: as words of a directive. */
static void write_words(const char *values, char *words, size_t size)
{
    size_t used = 0;
    for (; *values && used + 3 < size; ++values) {
        if (*values == '\\' && values[1]) {
            words[used++] = *values++;
        } else if (*values == ',') {
            words[used++] = ' ';
            continue;
        } else if (*values == ' ') {
            words[used++] = '\\';
        }
        words[used++] = *values;
    }
    words[used] = '\0';
}

/* NAME, or NAME=A,B: these values come first, and a filter lets no others pass. */
static enum nb_status add_grouping(struct changes *changes, const char *directive, const char *choice,
                                   struct nb_error *error)
{
    char words[LENGTH], text[2 * LENGTH];
    if (!choice)
        return NB_OK;
    const size_t name = strcspn(choice, "=");
    if (!choice[name])
        return add(changes, directive, choice, error);
    write_words(choice + name + 1, words, sizeof words);
    snprintf(text, sizeof text, "%.*s: %s", (int)(name < LENGTH ? name : LENGTH), choice, words);
    const enum nb_status status = add(changes, directive, text, error);
    return status ? status : add(changes, "where", choice, error);
}

static enum nb_status add_text(struct changes *changes, const char *directive, const char *value,
                               struct nb_error *error)
{
    return value ? add(changes, directive, value, error) : NB_OK;
}

/* What a request calls the x of a curve, as a directive has it: a trace counts linear iterations one by one. */
static const char *abscissa(const char *x)
{
    if (x && !strcmp(x, "time"))
        return "seconds";
    return x && !strcmp(x, "linear_iterations") ? "linear_iterations:sum" : x;
}

/* What holds at rest, where u = 0, whatever the error: an iteration 0 at round-off would take most of the axis. */
static bool begins_anyhow(const struct nb_figure_request *request)
{
    static const char *const names[] = {"constraint_error", "normal_error", "friction_error", "bilateral_velocity",
                                        NULL};
    const bool over_time = request->x && !strcmp(request->x, "time");
    return request->y && !over_time && !strcmp(request->kind, "convergence") && nb_is_one_of(request->y, names);
}

static enum nb_status write_changes(const struct nb_figure_request *request, struct changes *changes,
                                    struct nb_error *error)
{
    const bool counts = !strcmp(request->kind, "profile") || !strcmp(request->kind, "bars");
    char tolerance[40];
    snprintf(tolerance, sizeof tolerance, "%.17g", request->tolerance);
    enum nb_status status = add_grouping(changes, "curves", request->curves, error);
    status = status ? status : add_grouping(changes, "panels", request->panels, error);
    status = status ? status : add_grouping(changes, "each", request->each, error);
    status = status ? status : add_text(changes, "x", abscissa(request->x), error);
    status = status ? status : add_text(changes, counts ? "cost" : "y", request->y, error);
    if (!status && request->tolerance > 0)
        status = add(changes, "tolerance", tolerance, error);
    if (!status && begins_anyhow(request))
        status = add(changes, "from", "1", error);
    status = status ? status : add_text(changes, "name", request->name, error);
    status = status ? status : add_text(changes, "size", request->size, error);
    status = status ? status : add_text(changes, "foot", request->without_foot ? "no" : NULL, error);
    status = status ? status : add_text(changes, "labels", request->labels, error);
    for (int i = 0; i < request->where_count && i < NB_FIGURE_WHERE && !status; ++i)
        status = add(changes, "where", request->where[i], error);
    return status;
}

/* records: NULL, of files [count]. */
static enum nb_status draw(const struct nb_figure_request *request, cJSON *records, const char *source,
                           const char *const *paths, int count, struct nb_plot_request output, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct changes *changes = calloc(1, sizeof *changes);
    if (!changes)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to draw %s", request->kind);
    enum nb_status status = write_changes(request, changes, error);
    output.figure = request->kind;
    output.changes = changes->pointer;
    output.change_count = changes->count;
    if (!status)
        status = records ? nb_plot_records(&output, records, source, error) : nb_plot(&output, paths, count, error);
    free(changes);
    return status;
}

static struct nb_plot_request output_of(const struct nb_figure_request *request, FILE *report)
{
    return (struct nb_plot_request){.formats = request->formats ? request->formats : "pdf,png",
                                    .directory = request->folder, .report = report, .list = report};
}

enum nb_status nb_figure_draw(const struct nb_figure_request *request, const char *const *paths, int count,
                                    FILE *report, struct nb_error *error)
{
    return draw(request, NULL, NULL, paths, count, output_of(request, report), error);
}

/* All SVG files of the folder as one text of their elements. */
static enum nb_status read_all(const char *folder, char **svg, struct nb_error *error)
{
    struct dirent **entries = NULL;
    size_t size = 0;
    enum nb_status status = NB_OK;
    FILE *stream = open_memstream(svg, &size);
    if (!stream)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a picture");
    const int count = scandir(folder, &entries, nb_svg_is, alphasort);
    for (int i = 0; i < count; ++i) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%.255s", folder, entries[i]->d_name);
        status = status ? status : nb_svg_print(path, stream, error);
        free(entries[i]);
    }
    free(entries);
    if (fclose(stream) && !status)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a picture");
    if (status) {
        free(*svg);
        *svg = NULL;
    }
    return status;
}

enum nb_status nb_figure_svg(const struct nb_figure_request *request, cJSON *records, const char *source,
                             FILE *report, char **svg, struct nb_error *error)
{
    const char *parent = getenv("TMPDIR");
    char folder[2000];
    *svg = NULL;
    snprintf(folder, sizeof folder, "%.1900s/ncpbench-figure-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder))
        return nb_fail(error, NB_BAD_FILE, "%.300s: cannot be made: %s", folder, strerror(errno));
    const struct nb_plot_request output = {.formats = "svg", .directory = folder, .report = report};
    enum nb_status status = draw(request, records, source, NULL, 0, output, error);
    status = status ? status : read_all(folder, svg, error);
    nb_output_remove(folder);
    return status;
}
