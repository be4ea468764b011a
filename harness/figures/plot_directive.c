/* The directives at the top of a figure file: each is a name with its text, and a table says which member of
 * the figure it fills and by which reading. docs/reference/figures.md describes the language. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/plot.h"
#include "harness/records/values.h"
#include "problems/base/clean_text.h"
#include "problems/base/numbers.h"
#include "problems/io/replace_file.h"

/* Writes text files that gnuplot reads: strings in double quotes, numbers that keep their bits, arrays. */

enum nb_status nb_text_open(const char *folder, const char *name, const char *suffix, char *path,
                            size_t size, FILE **file, struct nb_error *error)
{
    if ((size_t)snprintf(path, size, "%s/%s.%s", folder, name, suffix) >= size)
        return nb_fail(error, NB_BAD_INPUT, "the path %.200s/... is too long", folder);
    *file = nb_create_file(path);
    if (!*file)
        return nb_fail(error, NB_BAD_FILE, "%.300s: cannot be written: %s", path, strerror(errno));
    return NB_OK;
}

enum nb_status nb_text_close(FILE *file, const char *path, struct nb_error *error)
{
    const int failed = ferror(file);
    errno = 0;
    if (fclose(file) != 0 || failed)
        return nb_fail(error, NB_BAD_FILE, "%.300s: cannot be written: %s", path,
                       errno ? strerror(errno) : "write error");
    return NB_OK;
}

/* A letter of UTF-8; of any other byte beyond ASCII '?', as no drawing could be read that holds it. */
static int put_letter(FILE *file, const char *text)
{
    const int length = nb_utf8_length(text);
    fprintf(file, "%.*s", length ? length : 1, length ? text : "?");
    return length ? length : 1;
}

/* In double quotes: gnuplot 5.4 takes a doubled quote in single ones only after another character. All of what could
 * mean something there (", \, `, ...) is written in octal, and so are digits behind, which would count to it. */
void nb_text_quote(FILE *file, const char *text)
{
    bool octal = false;
    fputc('"', file);
    while (*text) {
        const unsigned char c = (unsigned char)*text;
        const bool plain = c > 0x7f || isalnum(c) || strchr(" _-+.,:=/", c);
        const bool control = c < ' ' || c == 0x7f;
        octal = !control && (!plain || (octal && isdigit(c)));
        if (octal)
            fprintf(file, "\\%03o", c);
        else if (control)
            fputc(' ', file);
        text += octal || control ? 1 : put_letter(file, text);
    }
    fputc('"', file);
}

void nb_text_plain(FILE *file, const char *text)
{
    while (*text)
        text += (unsigned char)*text < ' ' ? put_letter(file, " ") : put_letter(file, text);
}

void nb_text_short_exponent(char *text)
{
    char *zero = strstr(text, "e-0");
    if (zero)
        memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
}

void nb_text_number(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, "%.17g", value);
    else
        fputs("NaN", file);
}

void nb_text_array(FILE *file, const char *name, const double *values, int count)
{
    fprintf(file, "array %s[%d] = [", name, count);
    for (int i = 0; i < count; ++i) {
        fputs(i ? ", " : "", file);
        nb_text_number(file, values[i]);
    }
    fputs("]\n", file);
}

static const char *const BLANKS = " \t\r\n";

struct parser {
    const char *path; /* of the file, or the option that a change comes from */
    int line;         /* 0: a change */
    struct nb_figure *figure;
    struct nb_error *error;
};

/* Reads text, which it may change, into target, a member of the figure. */
typedef enum nb_status parse_text(const struct parser *parser, void *target, char *text);

static enum nb_status refuse(const struct parser *parser, const char *what, const char *word)
{
    char place[300];
    if (parser->line)
        snprintf(place, sizeof place, "%.280s:%d", parser->path, parser->line);
    else
        snprintf(place, sizeof place, "%s", parser->path);
    return nb_fail(parser->error, NB_BAD_INPUT, "%s: %s '%.80s'", place, what, word);
}

/* The next word of *rest, which goes on behind it; a separator after a backslash belongs to the word. NULL: none. */
static char *next_word(char **rest, const char *separators)
{
    char *word = *rest + strspn(*rest, separators), *end = word;
    while (*end && !strchr(separators, *end))
        end += end[0] == '\\' && end[1] ? 2 : 1;
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return *word ? word : NULL;
}

/* Each word of text in turn. */
static enum nb_status parse_each(const struct parser *parser, void *target, char *text, const char *separators,
                                 parse_text *parse)
{
    enum nb_status status = NB_OK;
    for (char *word; !status && (word = next_word(&text, separators));)
        status = parse(parser, target, word);
    return status;
}

static enum nb_status parse_name(const struct parser *parser, void *name, char *word)
{
    if (word[0] == '\0' || strlen(word) >= NB_PLOT_NAME)
        return refuse(parser, "a name must have 1 to 95 characters, not", word);
    strcpy(name, word);
    return NB_OK;
}

static enum nb_status append_word(const struct parser *parser, void *target, char *word)
{
    struct nb_words *words = target;
    if (words->count == NB_PLOT_WORDS)
        return refuse(parser, "more than 32 values, at", word);
    return parse_name(parser, words->word[words->count++], word);
}

/* Not a pattern, in which the backslash would stay: it goes. */
static enum nb_status append_plain_word(const struct parser *parser, void *target, char *word)
{
    char *to = word;
    for (const char *from = word; *from; ++from) {
        from += from[0] == '\\' && from[1];
        *to++ = *from;
    }
    *to = '\0';
    return append_word(parser, target, word);
}

static enum nb_status parse_title(const struct parser *parser, void *title, char *text)
{
    if (strlen(text) >= sizeof parser->figure->title)
        return refuse(parser, "the title has more than 159 characters:", text);
    strcpy(title, text);
    return NB_OK;
}

static enum nb_status parse_input(const struct parser *parser, void *input, char *text)
{
    const int choice = nb_choice_index("records,scene,profile,quantiles,bars", text);
    if (choice < 0)
        return refuse(parser, "input must be records, scene, profile, quantiles or bars, not", text);
    *(enum nb_figure_input *)input = (enum nb_figure_input)choice;
    return NB_OK;
}

static enum nb_status parse_tolerance(const struct parser *parser, void *target, char *text)
{
    double *tolerance = target;
    if (!nb_read_decimal(text, tolerance) || !(*tolerance > 0) || !(*tolerance < 1))
        return refuse(parser, "tolerance must be above 0 and below 1, not", text);
    return NB_OK;
}

static enum nb_status parse_size(const struct parser *parser, void *target, char *text)
{
    double *size = target;
    char end = '\0';
    if (sscanf(text, "%lf x %lf %c", &size[0], &size[1], &end) != 2 || !(size[0] >= 20) || !(size[1] >= 20) ||
        !(size[0] <= 500) || !(size[1] <= 500))
        return refuse(parser, "size must be WIDTH x HEIGHT, each 20 to 500 mm, not", text);
    parser->figure->own_size = !parser->line;
    return NB_OK;
}

static enum nb_status parse_view(const struct parser *parser, void *target, char *text)
{
    double *view = target;
    char end = '\0';
    if (sscanf(text, "%lf %lf %c", &view[0], &view[1], &end) != 2 || !isfinite(view[0]) || !(view[1] >= 0) ||
        !(view[1] <= 90))
        return refuse(parser, "view must be AZIMUTH ELEVATION in degrees, elevation 0 to 90, not", text);
    return NB_OK;
}

/* NAME, or NAME: VALUE VALUE ... */
static enum nb_status parse_grouping(const struct parser *parser, void *target, char *text)
{
    struct nb_grouping *grouping = target;
    char *values = strchr(text, ':');
    grouping->first.count = 0;
    if (values)
        *values++ = '\0';
    if (strpbrk(text, BLANKS))
        return refuse(parser, "expected NAME or NAME: VALUE VALUE ..., not", text);
    const enum nb_status status = parse_name(parser, grouping->name, text);
    if (status || !values)
        return status;
    return parse_each(parser, &grouping->first, values, BLANKS, append_plain_word);
}

/* Or none: one figure. */
static enum nb_status parse_variants(const struct parser *parser, void *target, char *text)
{
    const bool none = strcmp(text, "none") == 0;
    struct nb_grouping *grouping = target;
    if (none)
        *grouping = (struct nb_grouping){0};
    return none ? NB_OK : parse_grouping(parser, target, text);
}

static enum nb_status append_filter(const struct parser *parser, void *target, char *word)
{
    struct nb_figure *figure = parser->figure;
    struct nb_filter *filters = target;
    if (figure->filter_count == NB_PLOT_FILTERS)
        return refuse(parser, "more than 16 filters, at", word);
    const char *complaint = nb_filter_read(word, &filters[figure->filter_count++]);
    return complaint ? refuse(parser, complaint, word) : NB_OK;
}

/* A change is one filter, with all of its blanks. */
static enum nb_status parse_where(const struct parser *parser, void *filters, char *text)
{
    if (!parser->line)
        return append_filter(parser, filters, text);
    return parse_each(parser, filters, text, BLANKS, append_filter);
}

static enum nb_status parse_column(const struct parser *parser, void *target, char *word)
{
    struct nb_column *column = target;
    char *change = strchr(word, ':');
    if (change && strcmp(change, ":drop") && strcmp(change, ":sum"))
        return refuse(parser, "only :drop or :sum can follow the name of a trace, not", change);
    column->drop = change && !strcmp(change, ":drop");
    column->sum = change && !strcmp(change, ":sum");
    if (change)
        *change = '\0';
    return parse_name(parser, column->name, word);
}

static enum nb_status parse_x(const struct parser *parser, void *columns, char *text)
{
    if (strpbrk(text, BLANKS))
        return refuse(parser, "x takes one name, not", text);
    return parse_column(parser, columns, text);
}

static enum nb_status append_column(const struct parser *parser, void *target, char *word)
{
    struct nb_column *columns = target;
    if (parser->figure->column_count == 1 + NB_PLOT_ROWS)
        return refuse(parser, "more than 6 rows of panels, at", word);
    return parse_column(parser, &columns[parser->figure->column_count++], word);
}

static enum nb_status parse_y(const struct parser *parser, void *columns, char *text)
{
    if (!parser->line) /* a change replaces */
        parser->figure->column_count = 1;
    return parse_each(parser, columns, text, BLANKS, append_column);
}

static enum nb_status parse_from(const struct parser *parser, void *from, char *text)
{
    if (!nb_read_decimal(text, from))
        return refuse(parser, "from takes the smallest x to be drawn, not", text);
    return NB_OK;
}

static enum nb_status parse_foot(const struct parser *parser, void *without, char *text)
{
    const int index = nb_choice_index("yes,no", text);
    *(bool *)without = index == 1;
    return index < 0 ? refuse(parser, "foot must be yes or no, not", text) : NB_OK;
}

static enum nb_status parse_labels(const struct parser *parser, void *labels, char *text)
{
    if (strlen(text) >= sizeof parser->figure->labels)
        return refuse(parser, "the labels have more than 319 characters:", text);
    strcpy(labels, text);
    return NB_OK;
}

/* yes, no or one value of the curves. */
static enum nb_status parse_floors(const struct parser *parser, void *floors_of, char *text)
{
    if (strpbrk(text, BLANKS))
        return refuse(parser, "floors must be yes, no or one value of the curves, not", text);
    parser->figure->floors = strcmp(text, "no") != 0;
    return nb_choice_index("yes,no", text) >= 0 ? NB_OK : parse_name(parser, floors_of, text);
}

#define MEMBER(name) offsetof(struct nb_figure, name)
static const struct {
    const char *name;
    parse_text *parse;
    size_t target;
} DIRECTIVES[] = {
    {"title", parse_title, MEMBER(title)},
    {"input", parse_input, MEMBER(input)},
    {"size", parse_size, MEMBER(size)},
    {"foot", parse_foot, MEMBER(without_foot)},
    {"labels", parse_labels, MEMBER(labels)},
    {"view", parse_view, MEMBER(view)},
    {"each", parse_variants, MEMBER(each)},
    {"panels", parse_grouping, MEMBER(panels)},
    {"curves", parse_grouping, MEMBER(curves)},
    {"where", parse_where, MEMBER(filters)},
    {"x", parse_x, MEMBER(columns)},
    {"from", parse_from, MEMBER(from)},
    {"y", parse_y, MEMBER(columns)},
    {"floors", parse_floors, MEMBER(floors_of)},
    {"cost", parse_name, MEMBER(cost)},
    {"tolerance", parse_tolerance, MEMBER(tolerance)},
    {"name", parse_name, MEMBER(name)},
};

/* text: what follows "#:" on a line. */
static enum nb_status parse_directive(const struct parser *parser, char *text)
{
    char known[160] = "known directives: ";
    text += strspn(text, BLANKS);
    for (size_t end = strlen(text); parser->line && end > 0 && strchr(BLANKS, text[end - 1]);)
        text[--end] = '\0';
    char *value = text + strcspn(text, BLANKS);
    if (*value)
        *value++ = '\0';
    value += strspn(value, BLANKS);
    for (size_t i = 0; i < sizeof DIRECTIVES / sizeof *DIRECTIVES; ++i) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s, ", DIRECTIVES[i].name);
        if (strcmp(text, DIRECTIVES[i].name) != 0)
            continue;
        return *value ? DIRECTIVES[i].parse(parser, (char *)parser->figure + DIRECTIVES[i].target, value)
                      : refuse(parser, "nothing follows the directive", text);
    }
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "not");
    return refuse(parser, known, text);
}

static enum nb_status check_complete(const struct parser *parser)
{
    const struct nb_figure *figure = parser->figure;
    const bool records = figure->input != NB_FIGURE_SCENE;
    const char *missing = figure->size[0] == 0                        ? "size"
                          : records && !figure->columns[0].name[0]    ? "x"
                          : records && figure->column_count == 1      ? "y"
                          : records && !figure->panels.name[0]        ? "panels"
                          : records && !figure->curves.name[0]        ? "curves"
                                                                      : NULL;
    if (missing)
        return nb_fail(parser->error, NB_BAD_INPUT, "%s: the directive '#: %s' is missing",
                       parser->path, missing);
    return NB_OK;
}

static enum nb_status parse_file(struct parser *parser, FILE *file)
{
    enum nb_status status = NB_OK;
    char *line = NULL;
    size_t room = 0;
    while (!status && getline(&line, &room, file) >= 0) {
        ++parser->line;
        if (strncmp(line, "#:", 2) == 0)
            status = parse_directive(parser, line + 2);
    }
    free(line);
    if (!status && !feof(file)) /* an error of the file, or no memory for a line */
        status = nb_fail(parser->error, NB_BAD_FILE, "%s: cannot be read: %s", parser->path,
                         strerror(errno));
    return status ? status : check_complete(parser);
}

/* Directives that figures of costs read and others do not, and the reverse. */
static enum nb_status check_change(const struct parser *parser, const char *change)
{
    const bool counts = parser->figure->input == NB_FIGURE_PROFILE || parser->figure->input == NB_FIGURE_BARS;
    const bool of_costs = !strncmp(change, "cost ", 5) || !strncmp(change, "tolerance ", 10);
    const bool of_traces = !strncmp(change, "x ", 2) || !strncmp(change, "y ", 2);
    if (counts ? of_traces : of_costs)
        return nb_fail(parser->error, NB_BAD_INPUT, "%s: the figure %s does not read it", parser->path,
                       parser->figure->name);
    return NB_OK;
}

/* A change is named in messages as the option that has the directive's name. */
static enum nb_status apply_changes(struct parser *parser, char *const *changes, int count)
{
    enum nb_status status = NB_OK;
    for (int i = 0; i < count && !status; ++i) {
        char *text = strdup(changes[i]), option[32];
        const bool tolerance = !strncmp(changes[i], "tolerance ", 10);
        snprintf(option, sizeof option, "--%.*s", tolerance ? 3 : (int)strcspn(changes[i], BLANKS), changes[i]);
        parser->path = option;
        parser->line = 0;
        status = check_change(parser, changes[i]);
        if (!status)
            status = text ? parse_directive(parser, text)
                          : nb_fail(parser->error, NB_OUT_OF_MEMORY, "no memory for a change");
        free(text);
    }
    return status;
}

enum nb_status nb_figure_read(const char *path, char *const *changes, int count,
                              struct nb_figure *figure, struct nb_error *error)
{
    *figure = (struct nb_figure){.column_count = 1, .from = -INFINITY, .view = {NAN, NAN}, .tolerance = 1e-8,
                                .cost = "time"};
    struct parser parser = {path, 0, figure, error};
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const size_t length = strcspn(base, ".");
    if (length == 0 || length >= sizeof figure->name)
        return nb_fail(error, NB_BAD_INPUT, "%s: a figure's name has 1 to 95 characters", path);
    memcpy(figure->name, base, length);
    FILE *file = fopen(path, "r");
    if (!file)
        return nb_fail(error, NB_BAD_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    enum nb_status status = parse_file(&parser, file);
    fclose(file);
    status = status ? status : apply_changes(&parser, changes, count);
    if (!status && figure->input == NB_FIGURE_PROFILE && nb_choice_index("time,iterations", figure->cost) < 0)
        return nb_fail(error, NB_BAD_INPUT, "%s: the cost of a profile is time or iterations, not '%.80s'",
                       figure->name, figure->cost);
    return status;
}
