/* Reads the table of looks, and gives each curve of a figure its own (harness/figures/look.h). */
#include "harness/figures/look.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/grow.h"
#include "harness/records/values.h"
#include "solvers/external_process.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"

/* Numbers and places in NB_MARKERS and NB_DASHES. */
enum { FILLED = 6, HOLLOW = 9, MARKERS = 15, DASHES = 4, COLOURS = 8, SOLID = 0, STAR = 8 };
static const int POINT_TYPES[MARKERS] = {7, 5, 9, 13, 11, 15, 1, 2, 3, 6, 4, 8, 12, 10, 14};

/* Okabe and Ito's palette without black, which is a user's own, and yellow, which is too light for a line; indigo and
 * grey in their place. */
static const unsigned PALETTE[COLOURS] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7,
                                          0xE69F00, 0x56B4E9, 0x332288, 0x777777};

/* Four more of Tol's, for what is compiled in and has no row of the table yet. */
enum { MORE_COLOURS = 4 };
static const unsigned MORE[MORE_COLOURS] = {0x882255, 0x117733, 0x999933, 0x44AA99};

struct row {
    char kind[32], name[NB_PLOT_NAME], title[NB_PLOT_NAME];
    struct nb_look look;
};

struct table {
    struct row *row;
    int count, room;
};

int nb_marker_hollow(int marker)
{
    return marker < FILLED ? HOLLOW + marker : marker;
}

int nb_marker_point_type(int marker)
{
    return POINT_TYPES[marker];
}

/* KIND NAME COLOUR MARKER DASH [TITLE] */
static bool parse_row(const char *text, struct row *row)
{
    char marker[20], dash[20];
    int end = 0;
    memset(row, 0, sizeof *row);
    if (sscanf(text, "%31s %95s %x %19s %19s %n", row->kind, row->name, &row->look.colour, marker, dash, &end) < 5)
        return false;
    row->look.marker = nb_choice_index(NB_MARKERS, marker);
    row->look.dash = nb_choice_index(NB_DASHES, dash);
    snprintf(row->title, sizeof row->title, "%.*s", (int)strcspn(text + end, "\r\n"), text + end);
    return row->look.marker >= 0 && row->look.dash >= 0 && row->look.colour <= 0xFFFFFF;
}

static enum nb_status add_row(struct table *table, const char *path, int line, const char *text, struct nb_error *error)
{
    if (!NB_GROW(table->row, table->count, &table->room))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the looks of curves");
    if (!parse_row(text, &table->row[table->count++]))
        return nb_fail(error, NB_BAD_INPUT,
                       "%.300s:%d: expected '#: look KIND NAME RRGGBB MARKER DASH [TITLE]'; markers: " NB_MARKERS
                       "; dashes: " NB_DASHES, path, line);
    return NB_OK;
}

static enum nb_status read_table(struct table *table, struct nb_error *error)
{
    static const char start[] = "#: look ";
    char folder[PATH_MAX], path[PATH_MAX + 16], *line = NULL;
    size_t room = 0;
    int number = 0;
    enum nb_status status = nb_plot_folder(folder, sizeof folder, error);
    if (status)
        return status;
    snprintf(path, sizeof path, "%s/style.gp", folder);
    FILE *file = fopen(path, "r");
    if (!file)
        return nb_fail(error, NB_BAD_FILE, "%.300s: cannot be opened: %s", path, strerror(errno));
    while (!status && getline(&line, &room, file) >= 0) {
        ++number;
        if (!strncmp(line, start, strlen(start)))
            status = add_row(table, path, number, line + strlen(start), error);
    }
    free(line);
    fclose(file);
    return status;
}

static const struct row *find(const struct table *table, const char *kind, const char *name, size_t length)
{
    for (int i = 0; i < table->count; ++i) {
        const struct row *row = &table->row[i];
        if (!strcmp(row->kind, kind) && strlen(row->name) == length && !strncmp(row->name, name, length))
            return row;
    }
    return NULL;
}

/* The row of the whole text, settings included, or else of the strategy whose settings they are. */
static const struct row *find_nearest(const struct table *table, const char *kind, const char *text, size_t length)
{
    const struct row *row = find(table, kind, text, length);
    const size_t base = strcspn(text, ":");
    return row || base >= length ? row : find(table, kind, text, base);
}

/* The kind by which values of a setting are looked up; NULL: the setting names no method. A method is a nonlinear one
 * or, with or without a preconditioner, a linear one. */
static const char *kind_of(const struct table *table, const char *setting, const char *value)
{
    static const char *const kinds[] = {"solver", "ncp", "scaling", "linear", "precond", "operator", "precision",
                                        "arithmetic"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        if (!strcmp(setting, kinds[i]))
            return kinds[i];
    if (strcmp(setting, "method") && strcmp(setting, "linear_method"))
        return NULL;
    const size_t base = strcspn(value, ":+");
    char name[NB_PLOT_NAME];
    snprintf(name, sizeof name, "%.*s", (int)base, value);
    return strchr(value, '+') || !strcmp(setting, "linear_method") || find(table, "linear", name, base) ||
                   nb_registry_find("linear", name) ? "linear" : "solver";
}

/* What the text of a value is made of: the method, and behind a '+' its preconditioner, "" without one. */
static size_t split(const char *value, const char **precond)
{
    const char *plus = strchr(value, '+');
    *precond = plus ? plus + 1 : "";
    return plus ? (size_t)(plus - value) : strlen(value);
}

static void write_part(const struct table *table, const char *kind, const char *text, size_t length, char *title,
                       size_t size)
{
    char name[NB_PLOT_NAME];
    const struct row *exact = find(table, kind, text, length), *row = find_nearest(table, kind, text, length);
    size_t base = strcspn(text, ":") < length ? strcspn(text, ":") : length;
    snprintf(name, sizeof name, "%.*s", (int)base, text);
    const struct nb_registry_row *known =
        nb_registry_find(strcmp(kind, "arithmetic") ? kind : "precision", name);
    static const char program[] = "external:command=";
    const size_t before = sizeof program - 1;
    if (length > before && !strncmp(text, program, before)) {
        base = before + strcspn(text + before, ":+");
        base = base < length ? base : length;
        nb_external_name(text + before, base - before, name, sizeof name);
        known = NULL;
    }
    size_t used = (size_t)snprintf(title, size, "%s", row && row->title[0] ? row->title : known ? known->title : name);
    for (size_t i = base; !(exact && exact->title[0]) && i < length && used + 2 < size; ++i) {
        if (text[i] == ':')
            title[used++] = ',';
        title[used++] = text[i] == ':' ? ' ' : text[i];
        title[used] = '\0';
    }
}

/* A problem by the title of the scene that it is of: arch, arch_first, arch_mu0 (another friction), arch-0007,
 * arch#07af0b; false: of none. */
static bool write_scene(const char *problem, char *title, size_t size)
{
    char name[NB_PLOT_NAME];
    const struct nb_registry_row *scene = NULL;
    size_t length = strlen(problem);
    for (; length && !scene; length -= !scene) {
        snprintf(name, sizeof name, "%.*s", (int)length, problem);
        scene = nb_registry_find("scene", name);
    }
    const char *rest = problem + length;
    char *end;
    const long step = *rest == '-' ? strtol(rest + 1, &end, 10) : 0;
    if (!scene)
        return false;
    if (!strcmp(rest, "_first"))
        snprintf(title, size, "%s, first step", scene->title);
    else if (!strncmp(rest, "_mu", 3) && rest[3] && strspn(rest + 3, "0123456789.") == strlen(rest + 3))
        snprintf(title, size, "%s, friction %s", scene->title, rest + 3);
    else if (*rest == '-' && end > rest + 1 && !*end)
        snprintf(title, size, "%s, step %ld", scene->title, step);
    else if (!*rest || *rest == '#')
        snprintf(title, size, "%s%s%s", scene->title, *rest ? " " : "", rest);
    else
        return false;
    return true;
}

static void write_title(const struct table *table, const char *setting, const char *value, char *title, size_t size)
{
    const char *kind = kind_of(table, setting, value), *precond;
    const bool problem = !strcmp(setting, "problem") || !strcmp(setting, "problem_label") || !strcmp(setting, "scene");
    if (!kind && problem && write_scene(value, title, size))
        return;
    if (!kind) {
        snprintf(title, size, "%s", value);
        return;
    }
    write_part(table, kind, value, split(value, &precond), title, size);
    if (*precond) {
        char part[NB_PLOT_NAME];
        write_part(table, "precond", precond, strlen(precond), part, sizeof part);
        const size_t used = strlen(title);
        snprintf(title + used, size - used, " + %s", part);
    }
}

/* The look of a value that has no row: a strategy that is compiled in gets it by its name, all else is a user's own. */
static struct nb_look look_without_row(const char *kind, const char *value, size_t length)
{
    char name[NB_PLOT_NAME];
    unsigned hash = 0;
    snprintf(name, sizeof name, "%.*s", (int)(strcspn(value, ":") < length ? strcspn(value, ":") : length), value);
    if (!nb_registry_find(kind, name) || nb_plugin_hash(kind, name) || !strcmp(name, "external"))
        return (struct nb_look){.marker = STAR, .own = true};
    for (const char *c = name; *c; ++c)
        hash = 31 * hash + (unsigned char)*c;
    return (struct nb_look){.colour = MORE[hash % MORE_COLOURS], .marker = (int)(hash / MORE_COLOURS % FILLED)};
}

static bool is_number(const char *value)
{
    char *end;
    strtod(value, &end);
    return end > value && !*end;
}

/* In a key a number says what it is of: "damping 0.5". */
static void write_numbered(const char *setting, const char *value, char *title, size_t size)
{
    snprintf(title, size, "%s %s", setting, value);
    for (char *c = title; *c; ++c)
        *c = *c == '_' ? ' ' : *c;
}

/* Without a look at the others. */
static struct nb_look first_look(const struct table *table, const char *setting, const char *value, int slot)
{
    const char *kind = kind_of(table, setting, value), *precond;
    const int lap = (slot - 1) / FILLED;
    struct nb_look look = {.colour = PALETTE[(slot - 1) % COLOURS], .dash = lap % DASHES,
                           .marker = (lap ? HOLLOW : 0) + (slot - 1) % FILLED};
    if (kind) {
        const size_t length = split(value, &precond);
        const struct row *row = find_nearest(table, kind, value, length);
        const struct row *second = *precond ? find_nearest(table, "precond", precond, strlen(precond)) : row;
        const struct row *pair = *precond ? find_nearest(table, "pair", value, length) : NULL;
        look = !row            ? look_without_row(kind, value, length)
               : second        ? second->look
                               : look_without_row("precond", precond, strlen(precond));
        if (pair && !look.own && pair->look.dash != SOLID) {
            look.dash = pair->look.dash;
            look.marker = nb_marker_hollow(look.marker);
        }
    }
    write_title(table, setting, value, look.title, sizeof look.title);
    if (!kind && is_number(value))
        write_numbered(setting, value, look.title, sizeof look.title);
    return look;
}

/* The looks of a figure; those that are settled change no more. */
struct looks {
    struct nb_look *look;
    bool settled[NB_PLOT_WORDS];
    int count;
};

static bool taken(const struct looks *looks, int marker, int dash)
{
    for (int i = 0; i < looks->count; ++i)
        if (looks->settled[i] && looks->look[i].marker == marker && looks->look[i].dash == dash)
            return true;
    return false;
}

static bool colour_taken(const struct looks *looks, int but, unsigned colour)
{
    for (int i = 0; i < looks->count; ++i)
        if (i != but && looks->look[i].colour == colour)
            return true;
    return false;
}

/* Gives curve `at` the next marker and dash that are free; with settings of its own also a colour, where one is. */
static void settle(struct looks *looks, int at, bool settings)
{
    struct nb_look *look = &looks->look[at];
    const struct nb_look first = *look;
    for (int k = 0; k < COLOURS && settings && taken(looks, first.marker, first.dash); ++k)
        if (!colour_taken(looks, at, PALETTE[k])) {
            look->colour = PALETTE[k];
            break;
        }
    for (int k = 0; k < MARKERS * DASHES && taken(looks, look->marker, look->dash); ++k) {
        look->marker = (first.marker + k) % MARKERS;
        look->dash = (first.dash + k % MARKERS + k / MARKERS) % DASHES;
    }
    looks->settled[at] = true;
}

/* Those of the table first: they stay as they are. */
static void settle_all(const struct nb_words *values, struct nb_look *look)
{
    struct looks looks = {.look = look, .count = values->count};
    for (int kind = 0; kind < 3; ++kind)
        for (int i = 0; i < values->count; ++i) {
            const bool settings = strchr(values->word[i], ':') != NULL;
            if (kind == (look[i].own ? 2 : settings))
                settle(&looks, i, settings && !look[i].own);
        }
}

/* Two methods of one title have their names behind it. */
static void part_titles(const struct nb_words *values, struct nb_look *looks)
{
    for (int i = 0; i < values->count; ++i)
        for (int k = 0; k < values->count; ++k)
            if (i != k && !strcmp(looks[i].title, looks[k].title)) {
                snprintf(looks[i].title, sizeof looks[i].title, "%s", values->word[i]);
                snprintf(looks[k].title, sizeof looks[k].title, "%s", values->word[k]);
            }
}

enum nb_status nb_looks_assign(const char *setting, const struct nb_words *values, const int *slot,
                               struct nb_look *look, struct nb_error *error)
{
    struct table table = {0};
    const enum nb_status status = read_table(&table, error);
    for (int i = 0; i < values->count && !status; ++i)
        look[i] = first_look(&table, setting, values->word[i], slot[i]);
    if (!status) {
        settle_all(values, look);
        part_titles(values, look);
    }
    free(table.row);
    return status;
}

void nb_look_title(const char *setting, const char *value, char *title, size_t size)
{
    struct table table = {0};
    if (read_table(&table, NULL))
        snprintf(title, size, "%s", value);
    else
        write_title(&table, setting, value, title, size);
    free(table.row);
}
