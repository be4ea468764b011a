/* A cell is the value at its column's path, found member by member, and a text made of it by the column's format. */
#include "harness/records/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"

struct nb_sheet nb_sheet_of(const char *indent, const struct nb_sheet_column *columns, int count)
{
    struct nb_sheet sheet = {.indent = indent, .count = count, .column = columns};
    for (int i = 0; i < count; ++i) {
        const int title = (int)strlen(columns[i].title), width = abs(columns[i].width);
        sheet.width[i] = columns[i].widest && title > width ? title : width;
    }
    return sheet;
}

const cJSON *nb_sheet_value(const cJSON *row, const char *path)
{
    char name[64];
    for (const char *at = path; row && *at; at += *at == '.') {
        const size_t length = strcspn(at, ".");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        row = cJSON_IsArray(row) ? cJSON_GetArrayItem(row, atoi(name)) : nb_json_member(row, name);
        at += length;
    }
    return row;
}

void nb_sheet_milliseconds(double seconds, char *text)
{
    const double time = 1e3 * seconds;
    if (isnan(time))
        strcpy(text, "-");
    else
        snprintf(text, NB_SHEET_CELL, time < 1 ? "%#.3g" : "%.3f", time);
}

static void write_cell(const struct nb_sheet_column *column, const cJSON *row, char *text)
{
    const cJSON *value = row && column->path ? nb_sheet_value(row, column->path) : NULL;
    *text = '\0';
    if (!row)
        snprintf(text, NB_SHEET_CELL, "%s", column->title);
    else if (column->write)
        column->write(row, text);
    else if (cJSON_IsNumber(value))
        snprintf(text, NB_SHEET_CELL, column->format ? column->format : "%.6g",
                 value->valuedouble * (column->factor ? column->factor : 1));
    else
        snprintf(text, NB_SHEET_CELL, "%s", cJSON_IsString(value) ? value->valuestring : "-");
}

void nb_sheet_fit(struct nb_sheet *sheet, const cJSON *rows)
{
    const cJSON *row = NULL;
    char text[NB_SHEET_CELL];
    cJSON_ArrayForEach(row, rows) for (int i = 0; i < sheet->count; ++i)
    {
        if (!sheet->column[i].widest)
            continue;
        write_cell(&sheet->column[i], row, text);
        const int length = (int)strlen(text);
        sheet->width[i] = length > sheet->width[i] ? length : sheet->width[i];
    }
}

void nb_sheet_text(const struct nb_sheet *sheet, const cJSON *row, FILE *stream)
{
    const char *before = sheet->indent;
    char text[NB_SHEET_CELL];
    for (int i = 0; i < sheet->count; ++i) {
        const struct nb_sheet_column *column = &sheet->column[i];
        if (!column->width)
            continue;
        write_cell(column, row, text);
        if (i + 1 == sheet->count && !*text)
            break;
        fprintf(stream, "%s%*s", before, column->width < 0 ? -sheet->width[i] : sheet->width[i], text);
        before = " ";
    }
    fputc('\n', stream);
}

void nb_sheet_texts(struct nb_sheet *sheet, const cJSON *rows, FILE *stream)
{
    const cJSON *row = NULL;
    nb_sheet_fit(sheet, rows);
    nb_sheet_text(sheet, NULL, stream);
    cJSON_ArrayForEach(row, rows)
        nb_sheet_text(sheet, row, stream);
}

void nb_sheet_csv(const struct nb_sheet *sheet, const cJSON *row, FILE *stream)
{
    for (int i = 0; i < sheet->count; ++i) {
        fputs(i ? "," : "", stream);
        if (row)
            nb_csv_item(nb_sheet_value(row, sheet->column[i].path), stream);
        else
            fputs(sheet->column[i].title, stream);
    }
}

static void print_quoted(const char *text, FILE *stream)
{
    const char *quote = strpbrk(text, ",\"\n\r") ? "\"" : "";
    fputs(quote, stream);
    for (; *text; ++text)
        fprintf(stream, *text == '"' ? "\"%c" : "%c", *text);
    fputs(quote, stream);
}

void nb_csv_item(const cJSON *item, FILE *stream)
{
    if (cJSON_IsString(item))
        print_quoted(item->valuestring, stream);
    else if (cJSON_IsNumber(item))
        fprintf(stream, "%.17g", item->valuedouble);
    else if (cJSON_IsBool(item))
        fputs(cJSON_IsTrue(item) ? "true" : "false", stream);
}
