/* The statement is prepared on empty tables first, under an authorizer that refuses what does not only read and notes
 * every column that is read: of the records no more is parsed and kept. Then it runs, until its time is over or it
 * wants more memory than the records and a GiB. */
#include "harness/query/query.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/query/query_private.h"
#include "harness/query/statistics.h"
#include "harness/query/table.h"
#include "harness/records/store.h"
#include "problems/base/clock.h"
#include "problems/base/numbers.h"
#include "problems/base/suggest.h"
#include "problems/io/replace_file.h"

enum { STEPS_BETWEEN_LOOKS = 10000, NAMES_MOST = NB_TABLES * NB_COLUMNS_MOST };
static const sqlite3_int64 MEMORY_MOST = 1 << 30; /* of a statement, beyond its tables [bytes] */

struct running {
    struct nb_tables tables;
    const char *refused; /* what the statement does and may not; NULL: nothing */
    double end;          /* by nb_seconds() */
    bool over;
};

static void note(struct nb_tables *tables, const char *name, const char *column)
{
    for (int t = 0; t < NB_TABLES; ++t) {
        const struct nb_table *table = nb_table_at(t);
        const int place = strcmp(table->name, name) ? -1 : nb_table_column(table, column);
        tables->used[t] = tables->used[t] || !strcmp(table->name, name);
        if (place >= 0)
            tables->wanted[t][place] = true;
    }
}

static int authorize(void *context, int action, const char *first, const char *second, const char *db,
                     const char *trigger)
{
    struct running *running = context;
    (void)db;
    (void)trigger;
    if (action == SQLITE_READ)
        note(&running->tables, first, second);
    if (action == SQLITE_READ || action == SQLITE_SELECT || action == SQLITE_RECURSIVE ||
        (action == SQLITE_FUNCTION && strcmp(second, "load_extension")))
        return SQLITE_OK;
    running->refused = "the statement does more than read: only select, values and with are run";
    return SQLITE_DENY;
}

static int is_over(void *context)
{
    struct running *running = context;
    running->over = nb_seconds() > running->end;
    return running->over;
}

/* The names that may stand where an unknown one does, [NAMES_MOST], each once; their number. */
static size_t list_names(const char *kind, const char **names)
{
    size_t count = 0;
    for (int t = 0; t < NB_TABLES; ++t) {
        const struct nb_table *table = nb_table_at(t);
        if (!strcmp(kind, "table"))
            names[count++] = table->name;
        for (int i = 0; i < table->count && !strcmp(kind, "column"); ++i) {
            size_t known = 0;
            while (known < count && strcmp(names[known], table->column[i].name))
                ++known;
            names[count] = table->column[i].name;
            count += known == count;
        }
    }
    for (const char *const *name = nb_statistics_names; *name && !strcmp(kind, "function"); ++name)
        names[count++] = *name;
    return count;
}

/* SQLite's message; of a name that is not known also those that are. */
static enum nb_status refuse(const struct running *running, struct nb_error *error)
{
    static const char *const kinds[] = {"column", "table", "function"};
    const char *message = sqlite3_errmsg(running->tables.db), *names[NAMES_MOST];
    char begins[32], known[400];
    if (running->refused)
        return nb_fail(error, NB_BAD_INPUT, "%s (%s)", running->refused, message);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        snprintf(begins, sizeof begins, "no such %s: ", kinds[i]);
        if (strncmp(message, begins, strlen(begins)))
            continue;
        const char *whole = message + strlen(begins), *point = strrchr(whole, '.');
        nb_suggest_name(point ? point + 1 : whole, names, list_names(kinds[i], names), known, sizeof known);
        return nb_fail(error, NB_BAD_INPUT, "no %s %.60s; %s (all: ncpbench query --schema)", kinds[i], whole, known);
    }
    return nb_fail(error, NB_BAD_INPUT, "%.300s", message);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n;")] == '\0';
}

static enum nb_status prepare(struct running *running, const char *text, sqlite3_stmt **statement,
                              struct nb_error *error)
{
    const char *rest = "";
    sqlite3_set_authorizer(running->tables.db, authorize, running);
    const int code = sqlite3_prepare_v2(running->tables.db, text, -1, statement, &rest);
    sqlite3_set_authorizer(running->tables.db, NULL, NULL);
    if (code)
        return refuse(running, error);
    if (!*statement)
        return nb_fail(error, NB_BAD_INPUT, "the statement is empty; as in \"select problem, precond from cases\"");
    if (!is_blank(rest))
        return nb_fail(error, NB_BAD_INPUT, "one statement at a time; behind the first one is: %.80s", rest);
    if (!sqlite3_stmt_readonly(*statement) || !sqlite3_column_count(*statement))
        return nb_fail(error, NB_BAD_INPUT, "the statement does more than read: only select, values and with are run");
    if (sqlite3_bind_parameter_count(*statement))
        return nb_fail(error, NB_BAD_INPUT, "the statement has a parameter (?, :name), for which there is no value");
    return NB_OK;
}

/* The records in tables, and the statement ready to run on them. The caller closes both, whatever the status. */
static enum nb_status open_on_records(struct running *running, const char *text, const char *const *paths, int count,
                                      sqlite3_stmt **statement, struct nb_error *error)
{
    *statement = NULL;
    enum nb_status status = nb_tables_open(&running->tables, false, error);
    if (!status)
        status = prepare(running, text, statement, error);
    return status ? status : nb_tables_read(&running->tables, paths, count, error);
}

static void close_all(struct running *running, sqlite3_stmt *statement)
{
    sqlite3_finalize(statement);
    nb_tables_close(&running->tables);
}

static enum nb_status run(struct running *running, sqlite3_stmt *statement, const struct nb_query *query, FILE *stream,
                          struct nb_error *error)
{
    running->end = nb_seconds() + query->time_limit;
    sqlite3_set_authorizer(running->tables.db, authorize, running); /* it is prepared anew where a schema changed */
    sqlite3_progress_handler(running->tables.db, STEPS_BETWEEN_LOOKS, is_over, running);
    sqlite3_limit(running->tables.db, SQLITE_LIMIT_LENGTH, NB_RECORD_BYTES);
    const sqlite3_int64 before = sqlite3_hard_heap_limit64(sqlite3_memory_used() + MEMORY_MOST);
    const int code = nb_query_rows(statement, query->form, stream);
    sqlite3_hard_heap_limit64(before);
    if (running->over)
        return nb_fail(error, NB_BAD_INPUT, "the statement was stopped after %g s (--time-limit); the output is "
                       "incomplete", query->time_limit);
    if ((code & 0xFF) == SQLITE_NOMEM)
        return nb_fail(error, NB_OUT_OF_MEMORY, "the statement needs more than 1 GiB beyond the records; the output is "
                       "incomplete");
    return code == SQLITE_DONE || ferror(stream) ? NB_OK : refuse(running, error); /* the program tells of its output */
}

enum nb_status nb_query_print(const struct nb_query *query, FILE *stream, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct running running = {.refused = NULL};
    sqlite3_stmt *statement;
    enum nb_status status =
        open_on_records(&running, query->statement, query->paths, query->count, &statement, error);
    if (!status)
        status = run(&running, statement, query, stream, error);
    close_all(&running, statement);
    return status;
}

enum nb_status nb_query_each(const char *const *paths, int count, const char *text, nb_query_row *callback,
                             void *context, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct running running = {.refused = NULL};
    sqlite3_stmt *statement;
    int code = SQLITE_ROW;
    enum nb_status status = open_on_records(&running, text, paths, count, &statement, error);
    while (!status && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = callback(context, statement, error);
    if (!status && code != SQLITE_DONE)
        status = nb_tables_fail(running.tables.db, paths[0], error);
    close_all(&running, statement);
    return status;
}

/* The tables of db as those of the attached file `out`; they are declared as in db. */
static int copy_tables(sqlite3 *db)
{
    int code = sqlite3_exec(db, "begin; create table out.columns as select * from columns", NULL, NULL, NULL);
    for (int t = 0; t < NB_TABLES && !code; ++t) {
        const struct nb_table *table = nb_table_at(t);
        const bool entries = t == NB_TABLE_TRACES || t == NB_TABLE_REPETITIONS;
        sqlite3_str *text = sqlite3_str_new(db);
        sqlite3_str_appendf(text, "create table out.\"%w\"(", table->name);
        for (int i = 0; i < table->count; ++i)
            sqlite3_str_appendf(text, "%s\"%w\" %s%s", i ? ", " : "", table->column[i].name, table->column[i].type,
                                i || entries ? "" : " primary key");
        sqlite3_str_appendf(text, "%s; insert into out.\"%w\" select * from main.\"%w\"",
                            entries ? ", primary key(id, entry)) without rowid" : ")", table->name, table->name);
        char *statement = sqlite3_str_finish(text);
        code = statement ? sqlite3_exec(db, statement, NULL, NULL, NULL) : SQLITE_NOMEM;
        sqlite3_free(statement);
    }
    return code ? code : sqlite3_exec(db, "commit; detach out", NULL, NULL, NULL);
}

static enum nb_status write_tables(sqlite3 *db, const char *beside, const char *path, struct nb_error *error)
{
    char *attach = sqlite3_mprintf("attach %Q as out; pragma out.journal_mode = off; pragma out.synchronous = off",
                                   beside);
    int code = attach ? sqlite3_exec(db, attach, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(attach);
    if (!code)
        code = copy_tables(db);
    return code ? nb_tables_fail(db, path, error) : NB_OK;
}

enum nb_status nb_query_export(const char *const *paths, int count, const char *path, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_tables tables;
    struct nb_new_file file = {NULL};
    enum nb_status status = nb_tables_open(&tables, true, error);
    memset(tables.used, true, sizeof tables.used);
    memset(tables.wanted, true, sizeof tables.wanted);
    if (!status)
        status = nb_tables_read(&tables, paths, count, error);
    if (!status)
        status = nb_new_file_begin(&file, path, error);
    if (!status)
        status = nb_new_file_end(&file, write_tables(tables.db, file.beside, path, error), error);
    nb_tables_close(&tables);
    return status;
}

void nb_query_schema(FILE *stream)
{
    for (int t = 0; t < NB_TABLES; ++t) {
        const struct nb_table *table = nb_table_at(t);
        fprintf(stream, "%s### %s: %s\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", t ? "\n" : "",
                table->name, table->meaning);
        for (int i = 0; i < table->count; ++i) {
            const struct nb_column *column = &table->column[i];
            fprintf(stream, "| `%s` | %s | %s | %s |\n", column->name, column->type, column->unit, column->meaning);
        }
    }
}
