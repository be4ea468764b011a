/* A virtual table of SQLite. A cursor goes through the blobs' rows in the order of their ids, or to one id that a query
 * asks for, and in each from entry to entry: so entries come sorted by id and entry, and nothing is kept but the blobs.
 * An array that is shorter than its record's first one has NULL at the rest. */
#include "harness/query/packed.h"

#include <assert.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/case/case_settings.h"
#include "harness/judge/metrics.h"

/* Columns from the tables that describe settings and metrics, and, of the members that no table describes, from lists
 * of names, units and meanings. A member of sizes and features has its own name as a setting and a metric have; that of
 * another object follows the object's name, as in time_median: `linear` is a setting, a time and a count. */

#define OWN(object, member, type, unit, meaning) {#member, #object, #member, NULL, type, unit, meaning, false}
#define OF(object, prefix, member, type, unit, meaning) \
    {#prefix "_" #member, #object, #member, NULL, type, unit, meaning, false}
#define TOP(member, type, unit, meaning) {#member, #member, NULL, NULL, type, unit, meaning, false}
#define DERIVED(name, object, meaning) {#name, #object, NULL, NULL, "text", "", meaning, true}

static const struct nb_column id = {"id", NULL, NULL, NULL, "integer", "", "number of the record among all", false};
static const struct nb_column file = {"file", NULL, NULL, NULL, "text", "", "the results file", false};

static const struct nb_column of_all[] = {
    TOP(kind, "text", "", "case, floor, simulation, ..."),
    TOP(key, "text", "", "which one it is; of equal keys the last record counts"),
    {"json", NULL, NULL, NULL, "text", "", "the whole record, for json_extract and json_each", false},
};

static const struct nb_column how_it_ended[] = {
    TOP(key, "text", "", "which case it is; of equal keys the last record counts"),
    TOP(ending, "text", "", "how the case ended"),
    TOP(detail, "text", "", "why, in words"),
    TOP(probe, "text", "", "what a plugin's trial has found"),
    TOP(retry, "integer", "", "1: a sweep runs it again"),
    TOP(mixed, "text", "", "in what it differs from the first of a merge"),
};

static const struct nb_column derived[] = {
    DERIVED(method, settings, "solver, or of a linear system linear_method"),
    DERIVED(linear_method, settings, "linear and precond, as in pcr+ic0"),
    DERIVED(arithmetic, settings, "precision, and in which refinement solves, as in f64:in=f16"),
    DERIVED(machine, provenance, "kind of machine: cpu, simd, host_threads, governor"),
};

static const struct nb_column others[] = {
    OWN(sizes, dofs, "integer", "", "velocities"),
    OWN(sizes, contacts, "integer", "", "contacts"),
    OWN(sizes, bilaterals, "integer", "", "bilateral rows"),
    OWN(sizes, rows, "integer", "", "rows of the linear system"),
    OWN(sizes, largest_island, "integer", "", "of a step: contacts of the island that has most"),
    OWN(sizes, entries, "integer", "", "of a linear system: entries of the matrix"),
    OWN(sizes, product_bytes, "integer", "bytes", "what one product reads of the matrix"),
    OWN(features, scene, "text", "", "the scene that the step is of; empty: of none"),
    OWN(features, elastic, "integer", "", "1: something in it is elastic"),
    OWN(features, contacts_per_body, "real", "", "contacts over bodies"),
    OWN(features, neighbours, "real", "", "mean number of other contacts that share a body with a contact"),
    OWN(features, redundancy, "real", "", "contact rows over velocities"),
    OWN(features, rank, "integer", "", "of the contacts' Jacobian"),
    OWN(features, rank_deficiency, "real", "", "1 - rank over contact rows"),
    OWN(features, mass_ratio, "real", "", "largest mass over smallest"),
    OF(counts, count, newton, "integer", "", "nonlinear iterations of one solve"),
    OF(counts, count, linear, "integer", "", "linear iterations"),
    OF(counts, count, operator, "integer", "", "products"),
    OF(counts, count, precond, "integer", "", "applications of the preconditioner"),
    OF(counts, count, islands, "text", "", "iterations of each island, as a JSON array"),
    OF(times, time, median, "real", "s", "of the repetitions of one solve"),
    OF(times, time, load, "real", "s", "reading the file"),
    OF(times, time, setup, "real", "s", "allocation and patterns; of a system also factors and preconditioner"),
    OF(times, time, start, "real", "s", "finding where to begin"),
    OF(times, time, assembly, "real", "s", "part of one solve"),
    OF(times, time, preparation, "real", "s", "part of the assembly: preconditioner and linear solver"),
    OF(times, time, linear, "real", "s", "part of one solve: linear solves"),
    OF(times, time, application, "real", "s", "part of the linear solves: the preconditioner"),
    OF(times, time, wall, "real", "s", "all that a sweep spent on the case"),
    OF(times, time, throttled, "real", "s", "in which quotas stopped the process's container"),
    OF(times, time, solves_per_repetition, "integer", "", "solves that one repetition times"),
    OF(times, time, processes, "integer", "", "processes that made the repetitions, one each"),
    OF(times, time, run, "text", "", "the run of a batch in which repetitions were taken in turn"),
    TOP(peak_memory, "integer", "bytes", "the most resident memory of the case's process"),
    OF(best, best, iteration, "integer", "", "iteration with the smallest step_error"),
    OF(best, best, step_error, "real", "", "that step_error"),
    TOP(step_condition, "real", "", "by how much velocities answer to the error"),
    TOP(velocity_spread, "real", "", "how far another right answer's velocities are"),
    OF(floor, floor, residual, "real", "", "floor of residual, or of residual_max"),
    OF(floor, floor, step, "real", "", "floor of the Newton step"),
    OF(floor, floor, component_all, "real", "", "component-wise, all rows"),
    OF(floor, floor, component_constraint, "real", "m/s", "component-wise, constraint rows"),
    OF(floor, floor, velocity_terms, "real", "m/s", "of a linear step, from J u"),
    OF(floor, floor, step_error, "real", "", "floor of step_error"),
    OF(floor, floor, forward, "real", "", "of a system: floor of forward_error"),
    OF(floor, floor, component_residual, "real", "", "of a system, component-wise"),
    OF(floor, floor, component_forward, "real", "", "of a system, component-wise"),
    OF(floor, floor, component_norm, "real", "", "of a system: floor of residual"),
    OF(reference, reference, method, "text", "", "of a system: how the exact solution was found"),
    OF(reference, reference, converged, "integer", "", "1: it was found"),
    OF(reference, reference, refinements, "integer", "", "refinements in quad precision"),
    OF(reference, reference, change, "real", "", "the last one, relative"),
    OF(reference, reference, condition, "real", "", "condition number, estimated"),
    OF(previous, previous, problem_hash, "text", "", "of the step before, where start is previous"),
    OF(previous, previous, ending, "text", "", "how its solve ended"),
    OF(previous, previous, iterations, "integer", "", "of its solve"),
    OF(previous, previous, step_error, "real", "", "at its end"),
    OF(previous, previous, contacts_found, "integer", "", "contacts of this step that are among its"),
    OF(strategies, source, precision, "text", "", "hash of the code of the precision"),
    OF(strategies, source, solver, "text", "", "of the solver"),
    OF(strategies, source, ncp, "text", "", "of the NCP function"),
    OF(strategies, source, scaling, "text", "", "of the scaling"),
    OF(strategies, source, operator, "text", "", "of the operator"),
    OF(strategies, source, linear, "text", "", "of the linear solver"),
    OF(strategies, source, precond, "text", "", "of the preconditioner"),
    OF(provenance, made, version, "text", "", "version of the program"),
    OF(provenance, made, commit, "text", "", "its commit"),
    OF(provenance, made, fingerprint, "text", "", "hash of its sources, compiler and flags"),
    OF(provenance, made, compiler, "text", "", "compiler"),
    OF(provenance, made, flags, "text", "", "its flags"),
    OF(provenance, made, cpu, "text", "", "processor"),
    OF(provenance, made, simd, "text", "", "vector instructions of products"),
    OF(provenance, made, blas, "text", "", "BLAS"),
    OF(provenance, made, hdf5, "text", "", "version of HDF5"),
    OF(provenance, made, cuda, "text", "", "version of CUDA, or none"),
    OF(provenance, made, gpu, "text", "", "the first card, or none"),
    OF(provenance, made, date, "text", "", "UTC, start of the sweep"),
    OF(provenance, made, host_threads, "integer", "", "threads of the machine"),
    OF(provenance, made, host, "text", "", "name of the machine"),
    OF(provenance, made, kernel, "text", "", "its kernel"),
    OF(provenance, made, governor, "text", "", "of the first processor's frequency"),
    OF(provenance, made, memory, "integer", "bytes", "of the machine"),
    OF(provenance, made, load, "real", "", "mean load of the minute before; -1: not known"),
    OF(provenance, made, quota, "real", "", "processors that the container's quota allows; null: all, or not known"),
};

static const struct nb_column entry = {"entry", NULL, NULL, NULL, "integer", "", "number in the array, from 0", false};
static const struct nb_column repetitions[] = {
    {"solve", "times", "solve", NULL, "real", "s", "time of one solve", false},
    {"setup", "times", "setups", NULL, "real", "s", "of a system: one set-up", false},
    {"waited", "times", "waited", NULL, "real", "s", "what the clock says beyond", false},
    {"control_solve", "times", "control", "solve", "real", "s", "the same case under a hidden name", false},
    {"control_setup", "times", "control", "setups", "real", "s", "its set-up", false},
};

static void add(struct nb_table *table, struct nb_column column)
{
    assert(table->count < NB_COLUMNS_MOST);
    table->column[table->count++] = column;
}

#define ADD_ALL(table, list)                                       \
    for (size_t i = 0; i < sizeof(list) / sizeof *(list); ++i) \
    add(table, (list)[i])

static const char *type_of_setting(enum nb_option_type type)
{
    return type == NB_OPTION_INTEGER || type == NB_OPTION_FLAG ? "integer" : type == NB_OPTION_NUMBER ? "real" : "text";
}

/* The first part of what an option says, up to a semicolon. */
static const char *meaning_of(const struct nb_option *option)
{
    char text[128];
    const char *meaning = option->meaning ? option->meaning : "";
    snprintf(text, sizeof text, "%.*s", (int)strcspn(meaning, ";"), meaning);
    const char *kept = nb_intern(text);
    return kept ? kept : meaning;
}

static void add_settings(struct nb_table *table)
{
    const struct nb_case_setting *row;
    for (int i = 0; (row = nb_case_column(i)); ++i)
        add(table, (struct nb_column){.name = row->name, .outer = "settings", .inner = row->name,
                                      .type = type_of_setting(row->option.type), .unit = "",
                                      .meaning = meaning_of(&row->option)});
}

static void add_metrics(struct nb_table *table)
{
    for (const struct nb_metric *m = nb_metrics; m < nb_metrics + NB_METRICS; ++m)
        add(table, (struct nb_column){.name = m->name, .outer = "errors", .inner = m->name, .type = "real",
                                      .unit = m->unit, .meaning = m->meaning});
}

static void add_traced(struct nb_table *table, const char *name, const char *unit, const char *meaning)
{
    add(table, (struct nb_column){.name = name, .outer = "trace", .inner = name, .type = "real", .unit = unit,
                                  .meaning = meaning});
}

static void fill_traces(struct nb_table *table)
{
    static const enum nb_metric_scope scopes[] = {NB_METRIC_OF_STEP, NB_METRIC_OF_SYSTEM};
    add(table, entry);
    add_traced(table, "iteration", "", "iteration of the observed run, from 0");
    for (size_t s = 0; s < sizeof scopes / sizeof *scopes; ++s)
        for (int place = 1, m; (m = nb_metric_traced(scopes[s], place)) >= 0; ++place)
            add_traced(table, nb_metrics[m].name, nb_metrics[m].unit, nb_metrics[m].meaning);
    add_traced(table, "step_size", "", "largest change of u and h lambda");
    add_traced(table, "linear_iterations", "", "linear iterations of the iteration");
}

static void fill(struct nb_table *tables)
{
    struct nb_table *cases = &tables[NB_TABLE_CASES], *all = &tables[NB_TABLE_RECORDS];
    add(cases, file);
    ADD_ALL(cases, how_it_ended);
    add_settings(cases);
    ADD_ALL(cases, derived);
    add_metrics(cases);
    ADD_ALL(cases, others);
    fill_traces(&tables[NB_TABLE_TRACES]);
    add(&tables[NB_TABLE_REPETITIONS], entry);
    ADD_ALL(&tables[NB_TABLE_REPETITIONS], repetitions);
    add(all, file);
    ADD_ALL(all, of_all);
}

const struct nb_table *nb_table_at(enum nb_table_index index)
{
    static struct nb_table tables[NB_TABLES] = {
        {"cases", "a row a case", 1, {id}},
        {"traces", "a row an iteration of a case's observed run", 1, {id}},
        {"repetitions", "a row a timed repetition of a case", 1, {id}},
        {"records", "a row a record of whatever kind", 1, {id}},
    };
    if (tables[0].count == 1)
        fill(tables);
    return &tables[index];
}

int nb_table_column(const struct nb_table *table, const char *name)
{
    for (int i = 0; i < table->count; ++i)
        if (!strcasecmp(table->column[i].name, name))
            return i;
    return -1;
}

enum { COLUMN_ID, COLUMN_ENTRY, FIRST_ARRAY };
enum { TEXT = 8192 };

struct table {
    sqlite3_vtab base;
    const struct nb_packed *packed;
};

struct cursor {
    sqlite3_vtab_cursor base;
    sqlite3_stmt *blobs; /* of the rows id, entries, arrays */
    int entry, entries;
    sqlite3_int64 rows; /* that were passed */
    bool done;
};

/* name("id" T, "a" T, ...), the rest of a statement that creates a table. */
static void declare(const struct nb_table *table, const char *second, bool blobs, char *text)
{
    int used = snprintf(text, TEXT, "(\"id\" integer%s, \"%s\" integer", blobs ? " primary key" : "", second);
    for (int i = FIRST_ARRAY; i < table->count && used < TEXT; ++i)
        used += snprintf(text + used, (size_t)(TEXT - used), ", \"%s\" %s", table->column[i].name,
                         blobs ? "blob" : table->column[i].type);
    snprintf(text + used, (size_t)(TEXT - used), ")");
}

double *nb_packed_array(const cJSON *array, int *count)
{
    const cJSON *item = NULL;
    *count = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;
    double *value = *count ? malloc((size_t)*count * sizeof *value) : NULL, *next = value;
    if (value)
        cJSON_ArrayForEach(item, array)
            *next++ = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    return value;
}

static int connect(sqlite3 *db, void *packed, int argc, const char *const *argv, sqlite3_vtab **out, char **message)
{
    (void)argc;
    (void)argv;
    (void)message;
    char declared[TEXT], statement[TEXT + 32];
    declare(((const struct nb_packed *)packed)->table, "entry", false, declared);
    snprintf(statement, sizeof statement, "create table x%s", declared);
    struct table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct table){.packed = packed};
    *out = &table->base;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    return sqlite3_declare_vtab(db, statement);
}

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

/* idxNum 1: of one id. */
static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 1e7;
    for (int i = 0; i < info->nConstraint; ++i)
        if (info->aConstraint[i].usable && info->aConstraint[i].iColumn == COLUMN_ID &&
            info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ && !info->idxNum) {
            info->aConstraintUsage[i].argvIndex = 1;
            info->idxNum = 1;
            info->estimatedCost = 100;
            info->estimatedRows = 100;
        }
    bool sorted = info->nOrderBy <= 2;
    for (int i = 0; i < info->nOrderBy; ++i)
        sorted = sorted && !info->aOrderBy[i].desc && info->aOrderBy[i].iColumn == (i ? COLUMN_ENTRY : COLUMN_ID);
    info->orderByConsumed = sorted;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    struct cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct cursor){.blobs = NULL};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;
    sqlite3_finalize(cursor->blobs);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

/* To the next entry that there is, from the one behind the last. */
static int find_entry(struct cursor *cursor)
{
    while (cursor->entry >= cursor->entries && !cursor->done) {
        const int code = sqlite3_step(cursor->blobs);
        if (code != SQLITE_ROW && code != SQLITE_DONE)
            return code;
        cursor->done = code == SQLITE_DONE;
        cursor->entry = 0;
        cursor->entries = cursor->done ? 0 : sqlite3_column_int(cursor->blobs, COLUMN_ENTRY);
    }
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int one, const char *unused, int argc, sqlite3_value **argv)
{
    (void)unused;
    struct cursor *cursor = (struct cursor *)base;
    const struct nb_packed *packed = ((struct table *)base->pVtab)->packed;
    char statement[96];
    snprintf(statement, sizeof statement, "select * from \"%s\" %s order by id", packed->table->name,
             one ? "where id = ?" : "");
    sqlite3_finalize(cursor->blobs);
    cursor->blobs = NULL;
    int code = sqlite3_prepare_v2(packed->store, statement, -1, &cursor->blobs, NULL);
    if (!code && one && argc)
        code = sqlite3_bind_value(cursor->blobs, 1, argv[0]);
    cursor->entry = cursor->entries = 0;
    cursor->rows = 0;
    cursor->done = false;
    return code ? code : find_entry(cursor);
}

static int next(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;
    ++cursor->entry;
    ++cursor->rows;
    return find_entry(cursor);
}

static int at_end(sqlite3_vtab_cursor *base) { return ((struct cursor *)base)->done; }

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
    const struct cursor *cursor = (struct cursor *)base;
    if (index == COLUMN_ID || index == COLUMN_ENTRY) {
        sqlite3_result_int64(context,
                             index == COLUMN_ID ? sqlite3_column_int64(cursor->blobs, COLUMN_ID) : cursor->entry);
        return SQLITE_OK;
    }
    const double *value = sqlite3_column_blob(cursor->blobs, index);
    const int count = sqlite3_column_bytes(cursor->blobs, index) / (int)sizeof *value;
    double number = NAN;
    if (value && cursor->entry < count)
        memcpy(&number, value + cursor->entry, sizeof number);
    if (!isnan(number))
        sqlite3_result_double(context, number);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
    *row = ((struct cursor *)base)->rows;
    return SQLITE_OK;
}

static const sqlite3_module module = {.xCreate = connect, .xConnect = connect, .xBestIndex = best_index,
                                      .xDisconnect = disconnect, .xDestroy = disconnect, .xOpen = open_cursor,
                                      .xClose = close_cursor, .xFilter = filter,
                                      .xNext = next, .xEof = at_end, .xColumn = column, .xRowid = row_id};

int nb_packed_create(const struct nb_packed *packed, sqlite3 *db)
{
    char declared[TEXT], statement[TEXT + 64];
    declare(packed->table, "entries", true, declared);
    snprintf(statement, sizeof statement, "create table \"%s\"%s", packed->table->name, declared);
    int code = sqlite3_exec(packed->store, statement, NULL, NULL, NULL);
    if (!code)
        code = sqlite3_create_module(db, packed->table->name, &module, (void *)packed);
    snprintf(statement, sizeof statement, "create virtual table \"%s\" using \"%s\"", packed->table->name,
             packed->table->name);
    return code ? code : sqlite3_exec(db, statement, NULL, NULL, NULL);
}
