/* The tables of one precision, from the rows that scripts/gen_registry.sh writes. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"
#include "solvers/driver/driver.h"
#include "solvers/model/model.h"
#include "solvers/strategy.h"

#define STRUCT_solver nb_solver_strategy
#define STRUCT_ncp nb_ncp
#define STRUCT_scaling nb_scaling
#define STRUCT_linear nb_linear
#define STRUCT_precond nb_precond
#define STRUCT_operator nb_operator_strategy

#define SYMBOL_(kind, file, precision) nb_##kind##_##file##_##precision
#define SYMBOL(kind, file, precision) SYMBOL_(kind, file, precision)
#define DECLARE(kind, file) extern const struct STRUCT_##kind SYMBOL(kind, file, NB_PRECISION);
#define ENTRY(kind, file) &SYMBOL(kind, file, NB_PRECISION),
#define FILE_NAME(kind, file) #file,

/* Whether a text that may bring settings names the strategy. */
static int names(const char *text, const char *name)
{
    const size_t length = nb_settings_name_length(text);
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

/* One kind: its table with room for plugins, ended by NULL, the files of its rows, its lookup, its part of
 * the listing, the member that a strategy s must have and lacks, or NULL, and the way in of one from outside: its name,
 * or NULL where there is no room. */
#define EIGHT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
#define PLUGIN_ROOM EIGHT EIGHT EIGHT EIGHT
#define NEEDS(member) if (!s->member) return #member;
#define SLOT(slot, ROWS, MEMBERS)                                                           \
    ROWS(DECLARE)                                                                           \
    static const struct STRUCT_##slot *slot##_table[] = {ROWS(ENTRY) PLUGIN_ROOM NULL};  \
    static const char *const slot##_file[] = {ROWS(FILE_NAME) PLUGIN_ROOM NULL};            \
    const struct STRUCT_##slot *NB(nb_find_##slot)(const char *name)                    \
    {                                                                                       \
        for (size_t i = 0; slot##_table[i]; ++i)                                            \
            if (names(name, slot##_table[i]->name))                                         \
                return slot##_table[i];                                                     \
        return NULL;                                                                        \
    }                                                                                       \
    static int slot##_row(size_t index, struct nb_registry_row *row)                        \
    {                                                                                       \
        if (!slot##_table[index])                                                           \
            return 0;                                                                       \
        row->kind = #slot;                                                                  \
        row->name = slot##_table[index]->name;                                              \
        row->title = slot##_table[index]->title;                                            \
        row->file = slot##_file[index];                                                     \
        return 1;                                                                           \
    }                                                                                       \
    static const void *slot##_at(size_t index) { return slot##_table[index]; }              \
    static const char *slot##_lacks(const void *strategy)                                   \
    {                                                                                       \
        const struct STRUCT_##slot *s = strategy;                                           \
        NEEDS(title) MEMBERS                                                                \
        return NULL;                                                                        \
    }                                                                                       \
    static const char *slot##_add(const void *strategy)                                     \
    {                                                                                       \
        size_t used = 0;                                                                    \
        while (slot##_table[used])                                                          \
            ++used;                                                                         \
        if (used == sizeof slot##_table / sizeof slot##_table[0] - 1)                       \
            return NULL;                                                                    \
        slot##_table[used] = strategy;                                                      \
        return slot##_table[used]->name;                                                    \
    }

SLOT(solver, NB_ROWS_SOLVER, NEEDS(run))
SLOT(ncp, NB_ROWS_NCP, NEEDS(normal) NEEDS(friction))
SLOT(scaling, NB_ROWS_SCALING, NEEDS(compute))
SLOT(linear, NB_ROWS_LINEAR, NEEDS(solve))
SLOT(precond, NB_ROWS_PRECOND, NEEDS(apply))
SLOT(operator, NB_ROWS_OPERATOR, NEEDS(setup) NEEDS(update) NEEDS(apply) NEEDS(relax) NEEDS(free))

int nb_linear_uses_precond(const char *linear)
{
    const struct nb_linear *found = nb_find_linear(linear);
    return found && found->preconditioned;
}

int nb_solver_self_contained(const char *solver)
{
    const struct nb_solver_strategy *found = nb_find_solver(solver);
    return found && found->self_contained;
}

int nb_solver_together(const char *solver)
{
    const struct nb_solver_strategy *found = nb_find_solver(solver);
    return found && found->together;
}

int nb_solver_runs_beside(const char *solver)
{
    const struct nb_solver_strategy *found = nb_find_solver(solver);
    return found && found->self_contained && !found->alone;
}

int nb_solver_is_fresh(const char *solver)
{
    const struct nb_solver_strategy *found = nb_find_solver(solver);
    return found && found->fresh;
}

int nb_solver_own_units(const struct nb_options *options)
{
    const struct nb_solver_strategy *found = nb_find_solver(options->solver);
    return found && found->own_units && found->own_units(options);
}

int nb_scaling_own_units(const struct nb_options *options)
{
    const struct nb_scaling *found = nb_find_scaling(options->scaling);
    return found && found->own_units;
}

int nb_solver_iterations(const char *solver)
{
    const struct nb_solver_strategy *found = nb_find_solver(solver);
    return found && found->iterations > 0 ? found->iterations : NB_NEWTON_ITERATIONS;
}

static const struct nb_setting *linear_settings(const char *name)
{
    static const struct nb_setting common[] = {NB_LINEAR_COMMON_SETTINGS, {.name = NULL}};
    const struct nb_linear *found = nb_find_linear(name);
    return found && found->settings ? found->settings : common;
}

const struct nb_setting *nb_strategy_settings(const char *kind, const char *name)
{
    if (!strcmp(kind, "linear"))
        return linear_settings(name);
    if (!strcmp(kind, "precond")) {
        const struct nb_precond *found = nb_find_precond(name);
        return found ? found->settings : NULL;
    }
    const struct nb_solver_strategy *found =
        strcmp(kind, "solver") ? NULL : nb_find_solver(name);
    return found ? found->settings : NULL;
}

static const struct {
    const char *kind, *symbol;
    int (*row)(size_t index, struct nb_registry_row *row);
    const void *(*at)(size_t index);
    const char *(*lacks)(const void *strategy);
    const char *(*add)(const void *strategy);
} slots[] = {{"solver", "nb_solver", solver_row, solver_at, solver_lacks, solver_add},
             {"ncp", "nb_ncp", ncp_row, ncp_at, ncp_lacks, ncp_add},
             {"scaling", "nb_scaling", scaling_row, scaling_at, scaling_lacks, scaling_add},
             {"linear", "nb_linear", linear_row, linear_at, linear_lacks, linear_add},
             {"precond", "nb_precond", precond_row, precond_at, precond_lacks, precond_add},
             {"operator", "nb_operator", operator_row, operator_at, operator_lacks, operator_add}};
enum { SLOTS = sizeof slots / sizeof slots[0] };

int nb_slot_row(const char *kind, size_t index, struct nb_registry_row *row)
{
    for (int i = 0; i < SLOTS; ++i)
        if (strcmp(slots[i].kind, kind) == 0)
            return slots[i].row(index, row);
    return 0;
}

static enum nb_status check_abi(void *handle, const char *path, struct nb_error *error)
{
    static const struct nb_abi expected = NB_ABI;
    const struct nb_abi *abi = dlsym(handle, "nb_abi_" NB_TEXT(NB_PRECISION));
    if (!abi)
        return nb_fail(error, NB_BAD_FILE, "%s: not a plugin, or not compiled for %s: build it with "
                       "ncpbench-plugin", path, NB_TEXT(NB_PRECISION));
    if (abi->version != expected.version || memcmp(abi->sizes, expected.sizes, sizeof abi->sizes))
        return nb_fail(error, NB_BAD_FILE, "%s: compiled for another version of the slots (%d, not "
                       "%d, or other sizes): build it again", path, abi->version, expected.version);
    return NB_OK;
}

/* Names stand in command lines, sweeps and records, with settings after a colon. */
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* Whether one of the slot's first rows has that name. */
static int is_taken(int slot, const char *name, size_t rows)
{
    struct nb_registry_row row;
    for (size_t i = 0; i < rows && slots[slot].row(i, &row); ++i)
        if (strcmp(row.name, name) == 0)
            return 1;
    return 0;
}

/* Whether a strategy can be a row of its slot after the first `rows`. */
static enum nb_status check_row(int slot, const void *strategy, size_t rows, const char *path,
                                struct nb_error *error)
{
    const char *kind = slots[slot].kind, *name = *(const char *const *)strategy; /* the first member of each */
    if (!name || !*name || name[strspn(name, NAME_LETTERS)])
        return nb_fail(error, NB_BAD_FILE, "%s: the name of its %s is not of letters, digits and _", path, kind);
    if (is_taken(slot, name, rows))
        return nb_fail(error, NB_BAD_FILE, "%s: there is a %s \"%s\" already", path, kind, name);
    const char *lacks = slots[slot].lacks(strategy);
    if (lacks)
        return nb_fail(error, NB_BAD_FILE, "%s: the %s \"%s\" lacks .%s, which solvers/strategy.h asks for", path, kind,
                       name, lacks);
    return NB_OK;
}

enum nb_status nb_slot_check(struct nb_error *error)
{
    for (int i = 0; i < SLOTS; ++i) {
        struct nb_registry_row row;
        for (size_t index = 0; slots[i].row(index, &row); ++index) {
            char path[128];
            snprintf(path, sizeof path, "%s.c", row.file);
            const enum nb_status status = check_row(i, slots[i].at(index), index, path, error);
            if (status)
                return status;
        }
    }
    return NB_OK;
}

enum nb_status nb_slot_adopt(void *handle, const char *stem, const char *path,
                             struct nb_registry_row *added, int *count, struct nb_error *error)
{
    enum nb_status status = check_abi(handle, path, error);
    *count = 0;
    for (int i = 0; !status && i < SLOTS; ++i) {
        char symbol[128];
        snprintf(symbol, sizeof symbol, "%s_%s_%s", slots[i].symbol, stem, NB_TEXT(NB_PRECISION));
        const void *strategy = dlsym(handle, symbol);
        if (!strategy)
            continue;
        status = check_row(i, strategy, SIZE_MAX, path, error);
        if (!status && slots[i].at == solver_at && ((const struct nb_solver_strategy *)strategy)->fresh)
            status = nb_fail(error, NB_BAD_FILE, "%s: .fresh is for other programs: a plugin's set-up is timed", path);
        if (status)
            return status;
        if (!slots[i].add(strategy))
            return nb_fail(error, NB_UNSUPPORTED, "%s: too many plugins of kind %s", path,
                           slots[i].kind);
        added[(*count)++] = (struct nb_registry_row){slots[i].kind, *(const char *const *)strategy, "", NULL};
    }
    if (!status && !*count)
        return nb_fail(error, NB_BAD_FILE, "%s: holds no nb_precond_%s, nb_linear_%s, ... for %s; what a "
                       "plugin holds is named after its file", path, stem, stem, NB_TEXT(NB_PRECISION));
    return status;
}
