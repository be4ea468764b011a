/* The directives at the top of a figure file; plots/README.md describes the language. */
#include "harness/figures/plot.h"
#include "harness/records/values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const BLANKS = " \t\r\n";

struct parser {
    const char *path;
    int line;
    struct nb_figure *figure;
    struct nb_error *error;
};

static enum nb_status refuse(const struct parser *parser, const char *what, const char *word)
{
    return nb_fail(parser->error, NB_BAD_INPUT, "%s:%d: %s '%.80s'", parser->path, parser->line,
                   what, word);
}

static enum nb_status copy_name(const struct parser *parser, char *name, const char *word)
{
    if (word[0] == '\0' || strlen(word) >= NB_PLOT_NAME)
        return refuse(parser, "a name must have 1 to 95 characters, not", word);
    strcpy(name, word);
    return NB_OK;
}

/* Splits text at any of the separators and appends the parts. */
static enum nb_status split(const struct parser *parser, char *text, const char *separators,
                            struct nb_words *words)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, separators, &rest); word;
         word = strtok_r(NULL, separators, &rest)) {
        if (words->count == NB_PLOT_WORDS)
            return refuse(parser, "more than 32 values, at", word);
        const enum nb_status status = copy_name(parser, words->word[words->count], word);
        if (status)
            return status;
        ++words->count;
    }
    return NB_OK;
}

static enum nb_status parse_title(const struct parser *parser, char *text)
{
    struct nb_figure *figure = parser->figure;
    if (strlen(text) >= sizeof figure->title)
        return refuse(parser, "the title has more than 159 characters:", text);
    strcpy(figure->title, text);
    return NB_OK;
}

static enum nb_status parse_name(const struct parser *parser, char *text)
{
    return copy_name(parser, parser->figure->name, text);
}

static enum nb_status parse_input(const struct parser *parser, char *text)
{
    if (nb_choice_index("records,scene,profile,quantiles", text) < 0)
        return refuse(parser, "input must be records, scene, profile or quantiles, not", text);
    parser->figure->scene = strcmp(text, "scene") == 0;
    parser->figure->profile = strcmp(text, "profile") == 0;
    parser->figure->quantiles = strcmp(text, "quantiles") == 0;
    return NB_OK;
}

static enum nb_status parse_tolerance(const struct parser *parser, char *text)
{
    char *end = NULL;
    parser->figure->tolerance = strtod(text, &end);
    if (*end || !(parser->figure->tolerance > 0) || !(parser->figure->tolerance < 1))
        return refuse(parser, "tolerance must be above 0 and below 1, not", text);
    return NB_OK;
}

static enum nb_status parse_cost(const struct parser *parser, char *text)
{
    if (strcmp(text, "time") != 0 && strcmp(text, "iterations") != 0)
        return refuse(parser, "cost must be time or iterations, not", text);
    parser->figure->count_iterations = strcmp(text, "iterations") == 0;
    return NB_OK;
}

static enum nb_status parse_size(const struct parser *parser, char *text)
{
    double width = 0, height = 0;
    char end = '\0';
    if (sscanf(text, "%lf x %lf %c", &width, &height, &end) != 2 || !(width >= 20) ||
        !(height >= 20) || !(width <= 500) || !(height <= 500))
        return refuse(parser, "size must be WIDTH x HEIGHT, each 20 to 500 mm, not", text);
    parser->figure->width = width;
    parser->figure->height = height;
    return NB_OK;
}

static enum nb_status parse_view(const struct parser *parser, char *text)
{
    double azimuth = 0, elevation = 0;
    char end = '\0';
    if (sscanf(text, "%lf %lf %c", &azimuth, &elevation, &end) != 2 || !isfinite(azimuth) ||
        !(elevation >= 0) || !(elevation <= 90))
        return refuse(parser, "view must be AZIMUTH ELEVATION in degrees, elevation 0 to 90, not",
                      text);
    parser->figure->azimuth = azimuth;
    parser->figure->elevation = elevation;
    return NB_OK;
}

/* NAME, or NAME: VALUE VALUE ... */
static enum nb_status parse_grouping(const struct parser *parser, struct nb_grouping *grouping,
                                     char *text)
{
    char *values = strchr(text, ':');
    grouping->first.count = 0;
    if (values)
        *values++ = '\0';
    if (strpbrk(text, BLANKS))
        return refuse(parser, "expected NAME or NAME: VALUE VALUE ..., not", text);
    const enum nb_status status = copy_name(parser, grouping->name, text);
    if (status || !values)
        return status;
    return split(parser, values, BLANKS, &grouping->first);
}

static enum nb_status parse_each(const struct parser *parser, char *text)
{
    return parse_grouping(parser, &parser->figure->each, text);
}

static enum nb_status parse_panels(const struct parser *parser, char *text)
{
    return parse_grouping(parser, &parser->figure->panels, text);
}

static enum nb_status parse_curves(const struct parser *parser, char *text)
{
    return parse_grouping(parser, &parser->figure->curves, text);
}

static enum nb_status parse_filter(const struct parser *parser, char *word)
{
    struct nb_figure *figure = parser->figure;
    char *sign = strchr(word, '=');
    if (!sign || sign == word || sign[1] == '\0')
        return refuse(parser, "expected NAME=VALUE, NAME=FIRST,SECOND or NAME!=VALUE, not", word);
    if (figure->filter_count == NB_PLOT_FILTERS)
        return refuse(parser, "more than 16 filters, at", word);
    struct nb_filter *filter = &figure->filters[figure->filter_count];
    filter->equal = sign[-1] != '!';
    sign[filter->equal ? 0 : -1] = '\0';
    enum nb_status status = copy_name(parser, filter->name, word);
    if (!status)
        status = split(parser, sign + 1, ",", &filter->values);
    if (!status)
        ++figure->filter_count;
    return status;
}

static enum nb_status parse_where(const struct parser *parser, char *text)
{
    char *rest = NULL;
    enum nb_status status = NB_OK;
    for (char *word = strtok_r(text, BLANKS, &rest); word && !status;
         word = strtok_r(NULL, BLANKS, &rest))
        status = parse_filter(parser, word);
    return status;
}

static enum nb_status parse_column(const struct parser *parser, struct nb_column *column,
                                   char *word)
{
    char *change = strchr(word, ':');
    if (change && strcmp(change, ":drop") != 0)
        return refuse(parser, "only :drop can follow the name of a trace, not", change);
    if (change)
        *change = '\0';
    column->drop = change != NULL;
    return copy_name(parser, column->name, word);
}

static enum nb_status parse_x(const struct parser *parser, char *text)
{
    if (strpbrk(text, BLANKS))
        return refuse(parser, "x takes one name, not", text);
    return parse_column(parser, &parser->figure->columns[0], text);
}

static enum nb_status parse_y(const struct parser *parser, char *text)
{
    struct nb_figure *figure = parser->figure;
    char *rest = NULL;
    enum nb_status status = NB_OK;
    for (char *word = strtok_r(text, BLANKS, &rest); word && !status;
         word = strtok_r(NULL, BLANKS, &rest)) {
        if (figure->column_count == 1 + NB_PLOT_ROWS)
            return refuse(parser, "more than 6 rows of panels, at", word);
        status = parse_column(parser, &figure->columns[figure->column_count++], word);
    }
    return status;
}

static enum nb_status parse_from(const struct parser *parser, char *text)
{
    char *end = NULL;
    parser->figure->from = strtod(text, &end);
    if (*end || !isfinite(parser->figure->from))
        return refuse(parser, "from takes the smallest x to be drawn, not", text);
    return NB_OK;
}

static enum nb_status parse_floors(const struct parser *parser, char *text)
{
    if (strpbrk(text, BLANKS))
        return refuse(parser, "floors must be yes, no or one value of the curves, not", text);
    parser->figure->floors = strcmp(text, "no") != 0;
    if (strcmp(text, "yes") == 0 || strcmp(text, "no") == 0)
        return NB_OK;
    return copy_name(parser, parser->figure->floors_of, text);
}

static const struct directive {
    const char *name;
    enum nb_status (*parse)(const struct parser *parser, char *text);
} DIRECTIVES[] = {
    {"title", parse_title},   {"input", parse_input},   {"size", parse_size},
    {"view", parse_view},     {"each", parse_each},     {"panels", parse_panels},
    {"curves", parse_curves}, {"where", parse_where},   {"x", parse_x},
    {"from", parse_from},     {"y", parse_y},           {"floors", parse_floors},
    {"cost", parse_cost},     {"tolerance", parse_tolerance}, {"name", parse_name},
};

/* text: what follows "#:" on a line. */
static enum nb_status parse_directive(const struct parser *parser, char *text)
{
    text += strspn(text, BLANKS);
    for (size_t end = strlen(text); end > 0 && strchr(BLANKS, text[end - 1]);)
        text[--end] = '\0';
    char *value = text + strcspn(text, BLANKS);
    if (*value)
        *value++ = '\0';
    value += strspn(value, BLANKS);
    for (size_t i = 0; i < sizeof DIRECTIVES / sizeof *DIRECTIVES; ++i) {
        if (strcmp(text, DIRECTIVES[i].name) != 0)
            continue;
        return *value ? DIRECTIVES[i].parse(parser, value)
                      : refuse(parser, "nothing follows the directive", text);
    }
    return refuse(parser,
                  "known directives: title, input, size, view, each, panels, curves, where, x, "
                  "from, y, floors, cost, tolerance, name; not", text);
}

static enum nb_status check_complete(const struct parser *parser)
{
    const struct nb_figure *figure = parser->figure;
    const char *missing = NULL;
    if (figure->width == 0)
        missing = "size";
    else if (figure->scene)
        missing = NULL;
    else if (figure->columns[0].name[0] == '\0')
        missing = "x";
    else if (figure->column_count == 1)
        missing = "y";
    else if (figure->panels.name[0] == '\0')
        missing = "panels";
    else if (figure->curves.name[0] == '\0')
        missing = "curves";
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

/* Changes are numbered like the lines of a file of their own. */
static enum nb_status apply_changes(struct parser *parser, char *const *changes, int count)
{
    enum nb_status status = NB_OK;
    parser->path = "change";
    for (int i = 0; i < count && !status; ++i) {
        char *text = strdup(changes[i]);
        parser->line = i + 1;
        status = text ? parse_directive(parser, text)
                      : nb_fail(parser->error, NB_OUT_OF_MEMORY, "no memory for a change");
        free(text);
    }
    return status;
}

enum nb_status nb_figure_read(const char *path, char *const *changes, int count,
                              struct nb_figure *figure, struct nb_error *error)
{
    memset(figure, 0, sizeof *figure);
    figure->column_count = 1;
    figure->from = -INFINITY;
    figure->azimuth = NAN;
    figure->elevation = NAN;
    figure->tolerance = 1e-8;
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
    if (!status)
        status = apply_changes(&parser, changes, count);
    return status;
}
