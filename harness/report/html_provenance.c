/* Where the numbers come from: the machines and builds that the records name, each kind with the number of its cases,
 * when, and the command that made the page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/records/record.h"
#include "harness/report/html_private.h"
#include "harness/report/html_text.h"

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

enum nb_status nb_html_provenance(const struct nb_page_cases *cases, FILE *stream, struct nb_error *error)
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

void nb_html_command(const struct nb_page_cases *cases, FILE *stream)
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
