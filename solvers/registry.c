/* What is registered, precision by precision: rows are listed, looked up and checked through the precisions' drivers,
 * and unknown names are answered with the nearest known ones. */
#include "solvers/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/scene.h"
#include "solvers/driver/driver.h"
#include "solvers/plugin.h"
#include "solvers/source.h"

enum { ROWS_MAX = 256, NAME_MAX_LENGTH = 64 };

const char *const *nb_registry_kinds(void)
{
    static const char *const kinds[] = {"scene",   "solver",   "ncp",       "scaling", "linear",
                                        "precond", "operator", "precision", NULL};
    return kinds;
}

enum nb_status nb_registry_check_rows(struct nb_error *error)
{
    const enum nb_status status = nb_scenes_check(error);
    return status ? status : nb_driver_at(0)->check(error); /* all precisions have the same files */
}

/* Row `index` in the table's own order; 0 past the end. */
static int raw_row(const char *kind, size_t index, struct nb_registry_row *row)
{
    if (strcmp(kind, "scene") == 0) {
        const struct nb_scene *const *scenes = nb_scenes();
        size_t count = 0;
        while (scenes[count])
            ++count;
        if (index < count)
            *row = (struct nb_registry_row){"scene", scenes[index]->name, scenes[index]->title, NULL};
        return index < count;
    }
    if (strcmp(kind, "precision") == 0) {
        const struct nb_driver *driver = nb_driver_at(index);
        if (driver)
            *row = (struct nb_registry_row){"precision", driver->name, driver->title,
                                            driver->name};
        return driver != NULL;
    }
    return nb_driver_at(0)->row(kind, index, row);
}

static int by_name(const void *a, const void *b)
{
    const struct nb_registry_row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* All rows of a kind, sorted once and kept: the tables are constant. */
struct kind_rows {
    const char *kind;
    size_t count;
    struct nb_registry_row rows[ROWS_MAX];
};

static const struct kind_rows *rows_of(const char *kind)
{
    static struct kind_rows cache[8];
    const char *const *kinds = nb_registry_kinds();
    for (size_t i = 0; kinds[i]; ++i) {
        if (strcmp(kinds[i], kind) != 0)
            continue;
        struct kind_rows *found = &cache[i];
        if (!found->kind) {
            while (found->count < ROWS_MAX && raw_row(kind, found->count, &found->rows[found->count]))
                found->count++;
            qsort(found->rows, found->count, sizeof found->rows[0], by_name);
            found->kind = kinds[i];
        }
        return found;
    }
    return NULL;
}

const struct nb_registry_row *nb_registry_row(const char *kind, size_t index)
{
    const struct kind_rows *rows = rows_of(kind);
    return rows && index < rows->count ? &rows->rows[index] : NULL;
}

const struct nb_registry_row *nb_registry_find(const char *kind, const char *name)
{
    const struct kind_rows *rows = rows_of(kind);
    const size_t length = nb_settings_name_length(name);
    for (size_t i = 0; rows && i < rows->count; ++i)
        if (strlen(rows->rows[i].name) == length && memcmp(rows->rows[i].name, name, length) == 0)
            return &rows->rows[i];
    return NULL;
}

const char *nb_registry_source(const char *kind, const char *name)
{
    const struct nb_registry_row *row = nb_registry_find(kind, name);
    if (!row)
        return NULL;
    return row->file ? nb_source_hash(kind, row->file) : nb_plugin_hash(kind, name);
}

const struct nb_setting *nb_registry_settings(const char *kind, const char *name)
{
    return nb_driver_at(0)->settings(kind, name);
}

enum nb_status nb_registry_check(const char *what, const char *kind, const char *choice,
                                 struct nb_error *error)
{
    char hint[400];
    struct nb_error reason;
    if (!nb_registry_find(kind, choice)) {
        nb_registry_suggest(kind, choice, hint, sizeof hint);
        return nb_fail(error, NB_BAD_INPUT, "%sunknown %s \"%.100s\"; %s", what, kind, choice, hint);
    }
    const enum nb_status status =
        nb_settings_read(nb_registry_settings(kind, choice), choice, NULL, &reason);
    return status ? nb_fail(error, status, "%s%.400s", what, reason.text) : NB_OK;
}

int nb_registry_self_contained(const char *solver)
{
    return nb_driver_at(0)->solver_self_contained(solver);
}

int nb_registry_uses_precond(const char *linear)
{
    return nb_driver_at(0)->linear_uses_precond(linear);
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Of two short names: letters inserted, removed, changed, or swapped with their neighbours. */
static size_t distance(const char *a, const char *b)
{
    size_t row[3][NAME_MAX_LENGTH + 1];
    const size_t m = strnlen(a, NAME_MAX_LENGTH), n = strnlen(b, NAME_MAX_LENGTH);
    for (size_t j = 0; j <= n; ++j)
        row[0][j] = j;
    for (size_t i = 1; i <= m; ++i) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= n; ++j) {
            now[j] = smaller(last[j - 1] + (a[i - 1] != b[j - 1]), 1 + smaller(now[j - 1], last[j]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = smaller(now[j], earlier[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

const char *nb_nearest_name(const char *name, const char *const *known, size_t count)
{
    const char *best = NULL;
    size_t least = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t d = distance(name, known[i]);
        if (!best || d < least) {
            best = known[i];
            least = d;
        }
    }
    /* Of another word more than a third is different. */
    return best && least <= (strlen(name) + 2) / 3 ? best : NULL;
}

void nb_suggest_name(const char *name, const char *const *known, size_t count, char *text,
                     size_t size)
{
    size_t used = 0;
    const char *nearest = nb_nearest_name(name, known, count);
    if (size == 0)
        return;
    text[0] = '\0'; /* the nearest name first: a long list may not fit */
    if (nearest)
        used += (size_t)snprintf(text, size, "nearest: %s; ", nearest);
    for (size_t i = 0; i < count && used < size; ++i) {
        const int written = snprintf(text + used, size - used, "%s%s", i ? ", " : "known: ",
                                     known[i]);
        used += written > 0 ? (size_t)written : 0;
    }
}

void nb_registry_suggest(const char *kind, const char *name, char *text, size_t size)
{
    const struct kind_rows *rows = rows_of(kind);
    const char *known[ROWS_MAX];
    char plain[NAME_MAX_LENGTH + 1]; /* without settings */
    snprintf(plain, sizeof plain, "%.*s", (int)nb_settings_name_length(name), name);
    for (size_t i = 0; rows && i < rows->count; ++i)
        known[i] = rows->rows[i].name;
    nb_suggest_name(plain, known, rows ? rows->count : 0, text, size);
}
