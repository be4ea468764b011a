/* One page from its sections. Its style sheet and its script stand in it (report.css, report.js): it loads nothing, and
 * its policy forbids it to. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/figures/plot.h"
#include "harness/figures/figure.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/record.h"
#include "harness/report/html_private.h"
#include "harness/report/html_text.h"
#include "report_page.h"

/* The pictures of a folder, as `ncpbench plot --format svg` leaves them there, in the order of their names. Their ids
 * begin with their names (harness/figures/figure.h), so that those of several do not clash. */

/* The title of the figure file whose name, and perhaps "_VARIANT", the picture has; "" where there is none. */
static void find_title(const char *name, char *title, size_t size)
{
    char folder[PATH_MAX], stem[NAME_MAX + 1], path[PATH_MAX + NAME_MAX + 8];
    static struct nb_figure figure;
    struct nb_error ignored;
    *title = '\0';
    if (nb_plot_folder(folder, sizeof folder, &ignored))
        return;
    snprintf(stem, sizeof stem, "%.*s", (int)(strlen(name) - strlen(".svg")), name);
    for (char *end = stem + strlen(stem); end; end = strrchr(stem, '_')) {
        *end = '\0';
        snprintf(path, sizeof path, "%s/%s.gp", folder, stem);
        if (!access(path, R_OK) && !nb_figure_read(path, NULL, 0, &figure, &ignored)) {
            snprintf(title, size, ": %s", figure.title);
            return;
        }
    }
}

static enum nb_status print_picture(const char *folder, const char *name, FILE *stream, struct nb_error *error)
{
    char path[PATH_MAX], title[200];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return nb_fail(error, NB_BAD_INPUT, "%.300s: the path is too long", folder);
    fputs("<figure>", stream);
    const enum nb_status status = nb_svg_print(path, stream, error);
    find_title(name, title, sizeof title);
    nb_html_print(stream, "<figcaption>%s%s</figcaption></figure>\n", name, title);
    return status;
}

/* The SVG files of a folder. */
static enum nb_status html_drawn(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    const char *folder = cases->page->figures;
    struct dirent **entry = NULL;
    enum nb_status status = NB_OK;
    const int count = folder ? scandir(folder, &entry, nb_svg_is, alphasort) : 0;
    if (count < 0)
        return nb_fail(error, NB_BAD_FILE, "%.300s: cannot be read: %s", folder, strerror(errno));
    if (count)
        fputs("<section id=drawn><h2>More figures</h2>\n<div class=figures>\n", stream);
    for (int i = 0; i < count; ++i) {
        if (!status)
            status = print_picture(folder, entry[i]->d_name, stream, error);
        free(entry[i]);
    }
    if (count)
        fputs("</div></section>\n", stream);
    free(entry);
    return status;
}

/* The problems of a page with what makes them hard, and the hashes by which they are known. A file with several stored
 * systems, or as it is and linearised, is one. */

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

/* Problems with their hashes; machines and builds; the report's command. */
static enum nb_status html_problems(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
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

/* Where the numbers come from: the machines and builds that the records name, each kind with the number of its cases,
 * when, and the command that made the page. */

static const cJSON *provenance(const struct nb_page_case *item)
{
    return cJSON_GetObjectItemCaseSensitive(item->record, "provenance");
}

/* A member of a provenance as text; "–" where it has none. */
static void member_text(const cJSON *object, const char *name, char *text, size_t size)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (cJSON_IsNumber(item) && !strcmp(name, "memory"))
        snprintf(text, size, "%s GiB", nb_text_ratio(item->valuedouble / (1 << 30)));
    else if (cJSON_IsString(item) && item->valuestring[0])
        snprintf(text, size, "%s", item->valuestring);
    else if (cJSON_IsNumber(item))
        snprintf(text, size, "%s", nb_text_count(item->valuedouble));
    else
        snprintf(text, size, "–");
}

struct fact {
    const char *name, *words;
};
static const struct fact of_machine[] = {
    {"host", "host"},
    {"cpu", "processor"},
    {"host_threads", "threads"},
    {"quota", "processors by the container's quota"},
    {"simd", "vector instructions of products"},
    {"governor", "frequency governor"},
    {"memory", "memory"},
    {"gpu", "card"},
    {"kernel", "kernel"},
    {NULL, NULL},
};
static const struct fact of_build[] = {
    {"version", "ncpbench"},
    {"commit", "commit"},
    {"fingerprint", "fingerprint of sources and flags"},
    {"compiler", "compiler"},
    {"flags", "flags"},
    {"blas", "BLAS"},
    {"hdf5", "HDF5"},
    {"cuda", "CUDA"},
    {NULL, NULL},
};

/* All facts of a kind as one text, by which kinds are told apart. */
static void join_facts(const cJSON *object, const struct fact *facts, char *text)
{
    size_t used = 0;
    for (; facts->name && used < NB_PAGE_TEXT; ++facts) {
        char value[NB_PAGE_VALUE];
        member_text(object, facts->name, value, sizeof value);
        used += (size_t)snprintf(text + used, NB_PAGE_TEXT - used, "%s\n", value);
    }
}

static void machine_of(const void *context, int i, const char *name, char *text)
{
    const struct nb_page_cases *cases = context;
    (void)name;
    join_facts(provenance(&cases->item[i]), of_machine, text);
}

static void build_of(const void *context, int i, const char *name, char *text)
{
    const struct nb_page_cases *cases = context;
    (void)name;
    join_facts(provenance(&cases->item[i]), of_build, text);
}

static int count_of(const struct nb_axis *kinds, int kind)
{
    int count = 0;
    for (int i = kinds->first[kind]; i >= 0; i = kinds->next[i])
        ++count;
    return count;
}

static void print_kinds(const struct nb_page_cases *cases, const struct nb_axis *kinds, const struct fact *facts,
                        FILE *stream)
{
    fputs("<div class=scroll><table class=\"data facts\"><tbody>\n", stream);
    for (const struct fact *fact = facts; fact->name; ++fact) {
        nb_html_print(stream, "<tr><th scope=row>%s", fact->words);
        for (int k = 0; k < kinds->count; ++k) {
            char text[NB_PAGE_VALUE];
            member_text(provenance(&cases->item[kinds->first[k]]), fact->name, text, sizeof text);
            nb_html_print(stream, "<td>%s", text);
        }
        fputc('\n', stream);
    }
    fputs("<tr><th scope=row>cases", stream);
    for (int k = 0; k < kinds->count; ++k)
        nb_html_print(stream, "<td>%d", count_of(kinds, k));
    fputs("\n</table></div>\n", stream);
}

static enum nb_status print_facts(const struct nb_page_cases *cases, const char *heading, nb_axis_text *text_of,
                                  const struct fact *facts, FILE *stream, struct nb_error *error)
{
    struct nb_axis kinds = {.name = heading};
    const enum nb_status status = nb_axis_fill(&kinds, cases->count, text_of, cases, error);
    if (!status) {
        nb_html_print(stream, kinds.count > 1 ? "<h3>%ss</h3>\n" : "<h3>%s</h3>\n", heading);
        print_kinds(cases, &kinds, facts, stream);
    }
    nb_axis_free(&kinds);
    return status;
}

/* The least and the largest load of the machine while cases were recorded; NaN: not known. */
static void find_load(const struct nb_page_cases *cases, double *least, double *most)
{
    *least = *most = NAN;
    for (int i = 0; i < cases->count; ++i) {
        const double packed = nb_json_get(cases->item[i].record, "load");
        const double load = isnan(packed) ? nb_json_get(provenance(&cases->item[i]), "load") : packed;
        if (load >= 0) {
            *least = fmin(*least, load);
            *most = fmax(*most, load);
        }
    }
}

void nb_page_dates(const struct nb_page_cases *cases, const char **first, const char **last)
{
    *first = *last = "";
    for (int i = 0; i < cases->count; ++i) {
        const char *date = nb_json_string(provenance(&cases->item[i]), "date");
        if (*date && (!**first || strcmp(date, *first) < 0))
            *first = date;
        if (strcmp(date, *last) > 0)
            *last = date;
    }
}

static void print_circumstances(const struct nb_page_cases *cases, FILE *stream)
{
    double least, most;
    const char *first, *last;
    find_load(cases, &least, &most);
    nb_page_dates(cases, &first, &last);
    if (*first)
        nb_html_print(stream,
                      strcmp(first, last) ? "<p>The sweeps began between %s and %s. " : "<p>The sweep began at %s. ",
                      nb_text_date(first), nb_text_date(last));
    if (!isnan(least))
        nb_html_print(stream,
                      "The mean load of the minute before a record was written, its own case included, was %s to "
                      "%s.",
                      nb_text_ratio(least), nb_text_ratio(most));
    char line[NB_CONTROL_LINES][NB_CONTROL_TEXT];
    const int lines = nb_control_lines(&cases->control, line);
    for (int i = 0; i < lines; ++i)
        nb_html_print(stream, "\n<p>Times, %s.", line[i]);
    fputc('\n', stream);
}

static enum nb_status html_provenance(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
{
    fputs("<section id=machine><h2>Machine and build</h2>\n", stream);
    print_circumstances(cases, stream);
    enum nb_status status = print_facts(cases, "Machine", machine_of, of_machine, stream, error);
    if (!status)
        status = print_facts(cases, "Build", build_of, of_build, stream, error);
    fputs("</section>\n", stream);
    return status;
}

/* A word of a command as a shell reads it back. */
static void print_word(const char *word, FILE *stream)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./=:,@%";
    char *quoted = malloc(4 * strlen(word) + 3), *end = quoted;
    if (!quoted || (*word && !word[strspn(word, plain)])) {
        nb_html_text(stream, word);
        free(quoted);
        return;
    }
    *end++ = '\'';
    for (; *word; ++word)
        end = *word == '\'' ? stpcpy(end, "'\\''") : (*end = *word, end + 1);
    strcpy(end, "'");
    nb_html_text(stream, quoted);
    free(quoted);
}

static void html_command(const struct nb_page_cases *cases, FILE *stream)
{
    const struct nb_page *page = cases->page;
    fputs("<section id=command><h2>How it was made</h2>\n", stream);
    if (page->file_count) {
        fputs("<p>Records of", stream);
        for (int i = 0; i < page->file_count; ++i)
            nb_html_print(stream, i ? ", <code>%s</code>" : " <code>%s</code>", page->files[i]);
        fputs(". Records hold all settings of a case, and no command line.\n", stream);
    }
    if (page->command) {
        fputs("<p>This page:\n<pre><code>ncpbench", stream);
        for (int i = 0; page->command[i]; ++i) {
            fputc(' ', stream);
            print_word(page->command[i], stream);
        }
        fputs("</code></pre>\n", stream);
    }
    nb_html_print(stream, "<p>Written by %s.</section>\n", nb_provenance_generator());
}

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
        status = html_drawn(cases, stream, error);
    nb_html_endings(cases, stream);
    nb_html_cases(cases, stream);
    if (!status)
        status = html_problems(cases, stream, error);
    if (!status)
        status = html_provenance(cases, stream, error);
    html_command(cases, stream);
    fputs("</main>\n<script>", stream);
    fputs(report_js, stream);
    fputs("</script>\n</html>\n", stream);
    return status;
}

enum nb_status nb_report_html(const struct nb_page *page, const char *path, struct nb_error *error)
{
    return nb_page_write(page, print_page, path, error);
}
