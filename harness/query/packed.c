/* A virtual table of SQLite. A cursor goes through the blobs' rows in the order of their ids, or to one id that a query
 * asks for, and in each from entry to entry: so entries come sorted by id and entry, and nothing is kept but the blobs.
 * An array that is shorter than its record's first one has NULL at the rest. */
#include "harness/query/packed.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
