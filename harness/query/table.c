/* Each line of a results file is parsed as far as a wanted column needs it and becomes a row of each table that is
 * used, by one prepared statement a table. A record that replaces an earlier one deletes that one's rows first. */
#include "harness/query/table.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/query/statistics.h"
#include "harness/records/index.h"
#include "harness/records/json.h"
#include "harness/records/record.h"

enum { TEXT = 16384, OUTERS = 32 };

struct loading {
    struct nb_tables *tables;
    sqlite3_stmt *insert[NB_TABLES], *forget[NB_TABLES]; /* NULL: the table is not used */
    const char *outer[OUTERS]; /* the members that are read, ended by NULL */
    bool whole;                /* all of a record is */
    const char *path;
    sqlite3_int64 id;
    struct nb_index keys;
    sqlite3_int64 *last; /* [key_count] the id of each key's last record */
    int key_count, key_room;
};

enum nb_status nb_tables_fail(sqlite3 *db, const char *where, struct nb_error *error)
{
    const int code = db ? sqlite3_errcode(db) & 0xFF : SQLITE_NOMEM;
    return code == SQLITE_NOMEM ? nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the tables of records")
                                : nb_fail(error, NB_BAD_FILE, "%s%s%s", where, *where ? ": " : "", sqlite3_errmsg(db));
}

static bool is_packed(int table) { return table == NB_TABLE_TRACES || table == NB_TABLE_REPETITIONS; }

/* The connection that holds the rows of a table. */
static sqlite3 *holder(const struct nb_tables *tables, int table)
{
    return is_packed(table) ? tables->store : tables->db;
}

static int create_table(sqlite3 *db, const struct nb_table *table)
{
    char text[TEXT];
    int used = snprintf(text, sizeof text, "create table \"%s\"(\"id\" integer primary key", table->name);
    for (int i = 1; i < table->count && used < TEXT; ++i)
        used += snprintf(text + used, (size_t)(TEXT - used), ", \"%s\" %s", table->column[i].name,
                         table->column[i].type);
    snprintf(text + used, used < TEXT ? (size_t)(TEXT - used) : 0, ")");
    return sqlite3_exec(db, text, NULL, NULL, NULL);
}

static int bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    return sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

/* The rows of the table `columns`. */
static int describe_columns(sqlite3 *db)
{
    sqlite3_stmt *insert = NULL;
    int code = sqlite3_exec(db, "create table columns(\"table\" text, \"column\" text, type text, unit text, "
                            "meaning text)", NULL, NULL, NULL);
    if (!code)
        code = sqlite3_prepare_v2(db, "insert into columns values(?, ?, ?, ?, ?)", -1, &insert, NULL);
    for (int t = 0; t < NB_TABLES && !code; ++t) {
        const struct nb_table *table = nb_table_at(t);
        for (int i = 0; i < table->count && (!code || code == SQLITE_DONE); ++i) {
            const struct nb_column *column = &table->column[i];
            const char *const texts[] = {table->name, column->name, column->type, column->unit, column->meaning};
            for (int k = 0; k < 5; ++k)
                bind_text(insert, k + 1, texts[k]);
            code = sqlite3_step(insert);
            sqlite3_reset(insert);
        }
        code = code == SQLITE_DONE ? SQLITE_OK : code;
    }
    sqlite3_finalize(insert);
    return code;
}

static int open_connection(const char *name, sqlite3 **db)
{
    static const char settings[] = "pragma journal_mode = off; pragma synchronous = off; pragma temp_store = memory";
    const int code = sqlite3_open_v2(name, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code)
        return code;
    sqlite3_db_config(*db, SQLITE_DBCONFIG_DQS_DML, 0, NULL); /* "x" is an error, not a text, if it is not a column */
    sqlite3_db_config(*db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    return sqlite3_exec(*db, settings, NULL, NULL, NULL);
}

enum nb_status nb_tables_open(struct nb_tables *tables, bool large, struct nb_error *error)
{
    const char *name = large ? "" : ":memory:";
    *tables = (struct nb_tables){.db = NULL};
    if (open_connection(name, &tables->store))
        return nb_tables_fail(tables->store, "", error);
    tables->traces = (struct nb_packed){tables->store, nb_table_at(NB_TABLE_TRACES)};
    tables->repetitions = (struct nb_packed){tables->store, nb_table_at(NB_TABLE_REPETITIONS)};
    int code = open_connection(name, &tables->db);
    for (int t = 0; t < NB_TABLES && !code; ++t)
        if (!is_packed(t))
            code = create_table(tables->db, nb_table_at(t));
    if (!code)
        code = describe_columns(tables->db);
    if (!code)
        code = nb_packed_create(&tables->traces, tables->db);
    if (!code)
        code = nb_packed_create(&tables->repetitions, tables->db);
    if (!code)
        code = nb_statistics_add(tables->db);
    return code ? nb_tables_fail(tables->db, "", error) : NB_OK;
}

void nb_tables_close(struct nb_tables *tables)
{
    sqlite3_close(tables->db); /* before the store, which its virtual tables read */
    sqlite3_close(tables->store);
}

/* Traces, which are most of a file, are read array by array. */
static bool is_wanted(void *context, const char *outer, const char *inner)
{
    const struct loading *loading = context;
    if (loading->whole || !strcmp(outer, "kind") || !strcmp(outer, "key"))
        return true;
    if (!inner || strcmp(outer, "trace"))
        return nb_is_one_of(outer, loading->outer);
    const int column = nb_table_column(nb_table_at(NB_TABLE_TRACES), inner);
    return column >= 0 && loading->tables->wanted[NB_TABLE_TRACES][column];
}

static const cJSON *item_of(const cJSON *record, const struct nb_column *column)
{
    const cJSON *item = column->outer ? nb_json_member(record, column->outer) : NULL;
    item = item && column->inner ? nb_json_member(item, column->inner) : item;
    return item && column->innermost ? nb_json_member(item, column->innermost) : item;
}

static int bind_item(sqlite3_stmt *statement, int index, const cJSON *item)
{
    if (cJSON_IsString(item))
        return bind_text(statement, index, item->valuestring);
    if (cJSON_IsNumber(item))
        return sqlite3_bind_double(statement, index, item->valuedouble);
    if (cJSON_IsBool(item))
        return sqlite3_bind_int(statement, index, cJSON_IsTrue(item));
    char *text = item && !cJSON_IsNull(item) ? cJSON_PrintUnformatted(item) : NULL;
    const int code = text ? bind_text(statement, index, text) : SQLITE_OK;
    cJSON_free(text);
    return code;
}

/* A value of the record's row. A setting that the case's method does not read is NULL, whatever default the record has;
 * one that is younger than the record has the value that was the only one then. */
static int bind_column(const struct loading *loading, sqlite3_stmt *statement, int index, const cJSON *record,
                       const struct nb_column *column)
{
    char text[512];
    const bool setting = column->outer && !strcmp(column->outer, "settings");
    if (setting && !column->derived && !nb_record_reads(record, column->name))
        return SQLITE_OK;
    const cJSON *item = column->derived ? NULL : item_of(record, column);
    if (item)
        return bind_item(statement, index, item);
    if (column->derived || setting)
        return *nb_record_text(record, column->name, text, sizeof text) ? bind_text(statement, index, text) : SQLITE_OK;
    if (!strcmp(column->name, "file"))
        return bind_text(statement, index, loading->path);
    if (strcmp(column->name, "json"))
        return SQLITE_OK;
    char *json = cJSON_PrintUnformatted(record);
    const int code = json ? bind_text(statement, index, json) : SQLITE_NOMEM;
    cJSON_free(json);
    return code;
}

/* id, entries, blobs. */
static int bind_packed(const struct loading *loading, int t, sqlite3_stmt *statement, const cJSON *record)
{
    const struct nb_table *table = nb_table_at(t);
    int code = SQLITE_OK;
    for (int i = 2; i < table->count && !code; ++i) {
        int count = 0;
        const cJSON *array = loading->tables->wanted[t][i] ? item_of(record, &table->column[i]) : NULL;
        double *value = nb_packed_array(array, &count);
        if (count && !value)
            return SQLITE_NOMEM;
        if (i == 2)
            sqlite3_bind_int(statement, 2, count);
        if (value)
            code = sqlite3_bind_blob64(statement, i + 1, value, (sqlite3_uint64)count * sizeof *value, free);
    }
    return code;
}

static enum nb_status insert_row(const struct loading *loading, int t, const cJSON *record, struct nb_error *error)
{
    const struct nb_table *table = nb_table_at(t);
    sqlite3_stmt *statement = loading->insert[t];
    int code = sqlite3_bind_int64(statement, 1, loading->id);
    if (is_packed(t))
        code = bind_packed(loading, t, statement, record);
    for (int i = 1; i < table->count && !is_packed(t) && !code; ++i)
        if (loading->tables->wanted[t][i])
            code = bind_column(loading, statement, i + 1, record, &table->column[i]);
    if (!code)
        code = sqlite3_step(statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return code == SQLITE_DONE ? NB_OK : nb_tables_fail(holder(loading->tables, t), loading->path, error);
}

/* The rows of the record that this one replaces go. */
static enum nb_status forget_replaced(struct loading *loading, const cJSON *record, struct nb_error *error)
{
    char text[NB_RECORD_IDENTITY];
    if (!nb_record_identity(record, text))
        return NB_OK;
    const int number = nb_index_entry(&loading->keys, text, &loading->last, sizeof *loading->last, &loading->key_count,
                                      &loading->key_room);
    if (number < 0)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the keys of the records");
    const bool replaces = loading->last[number] > 0;
    for (int t = 0; t < NB_TABLES && replaces; ++t) {
        if (!loading->forget[t])
            continue;
        sqlite3_bind_int64(loading->forget[t], 1, loading->last[number]);
        const int code = sqlite3_step(loading->forget[t]);
        sqlite3_reset(loading->forget[t]);
        if (code != SQLITE_DONE)
            return nb_tables_fail(holder(loading->tables, t), loading->path, error);
    }
    loading->last[number] = loading->id;
    return NB_OK;
}

static enum nb_status take(void *context, const cJSON *record, struct nb_error *error)
{
    struct loading *loading = context;
    ++loading->id;
    enum nb_status status = forget_replaced(loading, record, error);
    for (int t = 0; t < NB_TABLES && !status; ++t)
        if (loading->insert[t] && (t == NB_TABLE_RECORDS || nb_record_is_case(record)))
            status = insert_row(loading, t, record, error);
    return status;
}

static int prepare(const struct nb_tables *tables, int t, struct loading *loading)
{
    char text[1024];
    sqlite3 *db = holder(tables, t);
    const struct nb_table *table = nb_table_at(t);
    int used = snprintf(text, sizeof text, "insert into \"%s\" values(?", table->name);
    for (int i = 1; i < table->count; ++i)
        used += snprintf(text + used, sizeof text - (size_t)used, ",?");
    snprintf(text + used, sizeof text - (size_t)used, ")");
    int code = sqlite3_prepare_v2(db, text, -1, &loading->insert[t], NULL);
    snprintf(text, sizeof text, "delete from \"%s\" where id = ?", table->name);
    return code ? code : sqlite3_prepare_v2(db, text, -1, &loading->forget[t], NULL);
}

/* Which members of a record are read, and the statements of the tables that are used. */
static enum nb_status begin(struct nb_tables *tables, struct loading *loading, struct nb_error *error)
{
    int outers = 0;
    for (int t = 0; t < NB_TABLES; ++t) {
        const struct nb_table *table = nb_table_at(t);
        tables->wanted[t][2] = tables->wanted[t][2] || is_packed(t); /* it tells how long the arrays are */
        for (int i = 0; i < table->count && tables->used[t]; ++i) {
            const char *outer = tables->wanted[t][i] ? table->column[i].outer : NULL;
            loading->whole |= tables->wanted[t][i] && !strcmp(table->column[i].name, "json");
            if (outer && !nb_is_one_of(outer, loading->outer) && outers + 1 < OUTERS)
                loading->outer[outers++] = outer;
        }
        if (tables->used[t] && prepare(tables, t, loading))
            return nb_tables_fail(holder(tables, t), "", error);
    }
    sqlite3_exec(tables->db, "begin", NULL, NULL, NULL);
    sqlite3_exec(tables->store, "begin", NULL, NULL, NULL);
    return NB_OK;
}

enum nb_status nb_tables_read(struct nb_tables *tables, const char *const *paths, int count, struct nb_error *error)
{
    struct loading loading = {.tables = tables};
    enum nb_status status = begin(tables, &loading, error);
    for (int i = 0; i < count && !status; ++i) {
        struct nb_store_reading reading = {.wanted = is_wanted, .context = &loading};
        const sqlite3_int64 before = loading.id;
        loading.path = paths[i];
        status = nb_store_read_parts(paths[i], take, &loading, &reading, error);
        if (!status && loading.id == before)
            status = nb_fail(error, NB_BAD_INPUT, "%s: holds no record", paths[i]);
    }
    for (int t = 0; t < NB_TABLES; ++t) {
        sqlite3_finalize(loading.insert[t]);
        sqlite3_finalize(loading.forget[t]);
    }
    if (!status && (sqlite3_exec(tables->db, "commit", NULL, NULL, NULL) ||
                    sqlite3_exec(tables->store, "commit", NULL, NULL, NULL)))
        status = nb_tables_fail(tables->db, "", error);
    nb_index_free(&loading.keys);
    free(loading.last);
    return status;
}
