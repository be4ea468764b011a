/* Rows as they come: a query may have any number of them, so that a table's columns are as wide as its first rows
 * need. Numbers are whole in CSV and JSON, and have six digits in a table. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "harness/query/query_private.h"
#include "harness/records/sheet.h"
#include "harness/records/json.h"
#include "problems/base/clean_text.h"

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

int nb_query_rows(sqlite3_stmt *statement, enum nb_query_form form, FILE *stream)
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
