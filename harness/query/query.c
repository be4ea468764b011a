/* The statement is prepared on empty tables first, under an authorizer that refuses what does not only read and notes
 * every column that is read: of the records no more is parsed and kept. Then it runs, until its time is over or it
 * wants more memory than the records and a GiB. */
#include "harness/query/query.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/query/statistics.h"
#include "harness/query/table.h"
#include "harness/records/json.h"
#include "harness/records/sheet.h"
#include "harness/records/store.h"
#include "problems/base/clean_text.h"
#include "problems/base/clock.h"
#include "problems/base/numbers.h"
#include "problems/base/suggest.h"
#include "problems/io/replace_file.h"

/* Rows as they come: a query may have any number of them, so that a table's columns are as wide as its first rows
 * need. Numbers are whole in CSV and JSON, and have six digits in a table. */

struct sqlite3_stmt;

enum { ROWS_MEASURED = 256, CELL = 120, CELL_BYTES = 4 * CELL + 1 };

/* A value as JSON, for cJSON_Delete; a blob as hexadecimal digits. NULL: no memory. */
static cJSON *item_of(sqlite3_stmt *statement, int column)
{
    const int type = sqlite3_column_type(statement, column);
    if (type == SQLITE_INTEGER)
        return cJSON_CreateRaw((const char *)sqlite3_column_text(statement, column));
    if (type == SQLITE_FLOAT)
        return cJSON_CreateNumber(sqlite3_column_double(statement, column));
    if (type == SQLITE_NULL)
        return cJSON_CreateNull();
    const unsigned char *bytes = sqlite3_column_blob(statement, column);
    const int count = sqlite3_column_bytes(statement, column);
    const bool blob = type == SQLITE_BLOB;
    char *text = malloc(blob ? 2 * (size_t)count + 1 : (size_t)count + 1);
    if (!text)
        return NULL;
    text[0] = '\0';
    for (int i = 0; i < count && blob; ++i)
        sprintf(text + 2 * i, "%02x", bytes[i]);
    if (!blob) {
        memcpy(text, count ? (const char *)bytes : "", (size_t)count);
        text[count] = '\0';
        nb_clean_text(text);
    }
    cJSON *item = cJSON_CreateString(text);
    free(text);
    return item;
}

/* What a table shows of a value, in text [CELL_BYTES]. */
static void cell_of(sqlite3_stmt *statement, int column, char *text)
{
    cJSON *item = sqlite3_column_type(statement, column) == SQLITE_FLOAT ? NULL : item_of(statement, column);
    if (cJSON_IsNull(item))
        strcpy(text, "-");
    else if (item)
        nb_copy_text(text, CELL_BYTES, item->valuestring);
    else
        snprintf(text, CELL_BYTES, "%.6g", sqlite3_column_double(statement, column));
    cJSON_Delete(item);
}

static int letters_in(const char *text)
{
    int count = 0;
    for (; *text; ++text)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static void print_cell(const char *text, int width, bool number, bool last, FILE *stream)
{
    const int blanks = width > letters_in(text) ? width - letters_in(text) : 0;
    fprintf(stream, "%*s%s%*s%s", number ? blanks : 0, "", text, number || last ? 0 : blanks, "", last ? "\n" : "  ");
}

/* The rows that a table's widths are taken from. */
struct head {
    int columns, rows;
    char *cell;   /* [rows][columns][CELL_BYTES] */
    int *width;   /* [columns] */
    bool *number; /* [columns] whether all in them are */
};

static void widen(struct head *head, int column, const char *text)
{
    const int letters = letters_in(text);
    head->width[column] = letters > head->width[column] ? letters : head->width[column];
}

static int read_head(sqlite3_stmt *statement, struct head *head)
{
    int code = SQLITE_ROW;
    for (int c = 0; c < head->columns; ++c) {
        head->number[c] = true;
        widen(head, c, sqlite3_column_name(statement, c));
    }
    while (head->rows < ROWS_MEASURED && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        char *grown = realloc(head->cell, (size_t)(head->rows + 1) * (size_t)head->columns * CELL_BYTES);
        if (!grown)
            return SQLITE_NOMEM;
        head->cell = grown;
        for (int c = 0; c < head->columns; ++c) {
            char *text = head->cell + (size_t)(head->rows * head->columns + c) * CELL_BYTES;
            const int type = sqlite3_column_type(statement, c);
            cell_of(statement, c, text);
            widen(head, c, text);
            head->number[c] = head->number[c] && type != SQLITE_TEXT && type != SQLITE_BLOB;
        }
        ++head->rows;
    }
    return code;
}

static int print_table(sqlite3_stmt *statement, struct head *head, FILE *stream)
{
    int code = read_head(statement, head);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return code;
    for (int c = 0; c < head->columns; ++c)
        print_cell(sqlite3_column_name(statement, c), head->width[c], head->number[c], c == head->columns - 1, stream);
    for (int i = 0; i < head->rows * head->columns; ++i)
        print_cell(head->cell + (size_t)i * CELL_BYTES, head->width[i % head->columns], head->number[i % head->columns],
                   i % head->columns == head->columns - 1, stream);
    while (code == SQLITE_ROW && (code = sqlite3_step(statement)) == SQLITE_ROW && !ferror(stream))
        for (int c = 0; c < head->columns; ++c) {
            char text[CELL_BYTES];
            cell_of(statement, c, text);
            print_cell(text, head->width[c], head->number[c], c == head->columns - 1, stream);
        }
    return code;
}

static int print_csv_row(sqlite3_stmt *statement, int columns, FILE *stream)
{
    for (int c = 0; c < columns; ++c) {
        cJSON *item = item_of(statement, c);
        if (!item)
            return SQLITE_NOMEM;
        if (cJSON_IsRaw(item))
            fputs(item->valuestring, stream);
        nb_csv_item(item, stream);
        cJSON_Delete(item);
        fputc(c + 1 < columns ? ',' : '\n', stream);
    }
    return SQLITE_OK;
}

static int print_json_row(sqlite3_stmt *statement, int columns, FILE *stream)
{
    fputc('[', stream);
    for (int c = 0; c < columns; ++c) {
        cJSON *item = item_of(statement, c);
        char *text = item ? cJSON_PrintUnformatted(item) : NULL;
        cJSON_Delete(item);
        if (!text)
            return SQLITE_NOMEM;
        fprintf(stream, "%s%s", text, c + 1 < columns ? "," : "]");
        cJSON_free(text);
    }
    return SQLITE_OK;
}

static int print_names(sqlite3_stmt *statement, int columns, bool csv, FILE *stream)
{
    for (int c = 0; c < columns; ++c) {
        cJSON *name = cJSON_CreateString(sqlite3_column_name(statement, c));
        char *text = csv || !name ? NULL : cJSON_PrintUnformatted(name);
        if (csv && name)
            nb_csv_item(name, stream);
        else if (text)
            fputs(text, stream);
        const bool printed = name && (csv || text);
        cJSON_free(text);
        cJSON_Delete(name);
        if (!printed)
            return SQLITE_NOMEM;
        fputs(c + 1 < columns ? "," : csv ? "\n" : "", stream);
    }
    return SQLITE_OK;
}

static int print_items(sqlite3_stmt *statement, bool csv, FILE *stream)
{
    const int columns = sqlite3_column_count(statement);
    int code = SQLITE_OK, failed;
    bool first = true;
    if (!csv)
        fputs("{\"command\":\"query\",\"columns\":[", stream);
    failed = print_names(statement, columns, csv, stream);
    if (!csv)
        fputs("],\"rows\":[", stream);
    while (!failed && !ferror(stream) && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!csv && !first)
            fputc(',', stream);
        failed = csv ? print_csv_row(statement, columns, stream) : print_json_row(statement, columns, stream);
        first = false;
    }
    if (!csv && code == SQLITE_DONE)
        fputs("]}\n", stream);
    return failed ? failed : code;
}

/* Steps through the statement and prints; the code is SQLite's, SQLITE_DONE at the end. */
static int query_rows(sqlite3_stmt *statement, enum nb_query_form form, FILE *stream)
{
    if (form != NB_QUERY_TABLE)
        return print_items(statement, form == NB_QUERY_CSV, stream);
    const int columns = sqlite3_column_count(statement);
    struct head head = {.columns = columns, .width = calloc((size_t)columns, sizeof(int)),
                        .number = calloc((size_t)columns, sizeof(bool))};
    const int code = head.width && head.number ? print_table(statement, &head, stream) : SQLITE_NOMEM;
    free(head.cell);
    free(head.width);
    free(head.number);
    return code;
}

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
    /* SQLite declares these two when they are first named, which the authorizer would take for making a table. */
    (void)sqlite3_exec(running->tables.db, "select 1 from json_each('[]'), json_tree('[]')", NULL, NULL, NULL);
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
    status = status ? status : prepare(running, text, statement, error);
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
    const int code = query_rows(statement, query->form, stream);
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
    status = status ? status : run(&running, statement, query, stream, error);
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
    status = status ? status : nb_tables_read(&tables, paths, count, error);
    status = status ? status : nb_new_file_begin(&file, path, error);
    status = status ? status : nb_new_file_end(&file, write_tables(tables.db, file.beside, path, error), error);
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
