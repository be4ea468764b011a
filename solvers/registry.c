/* What is registered, precision by precision: rows are listed, looked up and checked through the precisions' drivers,
 * and unknown names are answered with the nearest known ones. */
#include "solvers/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/suggest.h"
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

static struct kind_rows all_rows[8];

static void sort_all_rows(void)
{
    const char *const *kinds = nb_registry_kinds();
    for (size_t i = 0; kinds[i]; ++i) {
        struct kind_rows *of = &all_rows[i];
        while (of->count < ROWS_MAX && raw_row(kinds[i], of->count, &of->rows[of->count]))
            of->count++;
        qsort(of->rows, of->count, sizeof of->rows[0], by_name);
        of->kind = kinds[i];
    }
}

static const struct kind_rows *rows_of(const char *kind)
{
    static pthread_once_t sorted = PTHREAD_ONCE_INIT;
    pthread_once(&sorted, sort_all_rows);
    for (size_t i = 0; i < sizeof all_rows / sizeof *all_rows && all_rows[i].kind; ++i)
        if (strcmp(all_rows[i].kind, kind) == 0)
            return &all_rows[i];
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
        return nb_fail(error, NB_BAD_INPUT, "%sunknown %s \"%.100s\"; %s%s", what, kind, choice, hint,
                       strcmp(kind, "scene") && strcmp(kind, "precision") ? "; --plugin NAME.so adds one of your own"
                                                                          : "");
    }
    const enum nb_status status =
        nb_settings_read(nb_registry_settings(kind, choice), choice, NULL, &reason);
    return status ? nb_fail(error, status, "%s%.400s", what, reason.text) : NB_OK;
}

int nb_registry_self_contained(const char *solver)
{
    return nb_driver_at(0)->solver_self_contained(solver);
}

int nb_registry_is_fresh(const char *solver) { return nb_driver_at(0)->solver_is_fresh(solver); }

int nb_registry_uses_precond(const char *linear)
{
    return nb_driver_at(0)->linear_uses_precond(linear);
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
