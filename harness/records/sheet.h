/* Tables of JSON rows: a column says where in a row its value is and how it is shown. JSON output is the rows. */
#ifndef NB_SHEET_H
#define NB_SHEET_H

#include <cJSON.h>
#include <stdbool.h>
#include <stdio.h>

enum { NB_SHEET_CELL = 1024,
       NB_SHEET_COLUMNS = 160 };

/* path: "best.error" in a row, an array's entry by its number, "friction.1"; write, into text [NB_SHEET_CELL], which is
 * empty, instead of it. width: in a text, to the left where it is negative; 0: the text does not have the column. */
struct nb_sheet_column {
    const char *title;
    const char *path;
    int width;
    bool widest;        /* at least as wide as the title and the widest of the rows that nb_sheet_fit got */
    const char *format; /* of a number; NULL: "%.6g" */
    double factor;      /* of a number in a text; 0: none */
    void (*write)(const cJSON *row, char *text);
};

struct nb_sheet {
    const char *indent;
    int count;
    const struct nb_sheet_column *column; /* [count] */
    int width[NB_SHEET_COLUMNS];
};

#define NB_SHEET(indent, columns) nb_sheet_of(indent, columns, (int)(sizeof(columns) / sizeof *(columns)))
struct nb_sheet nb_sheet_of(const char *indent, const struct nb_sheet_column *columns, int count);

/* Widens the columns that are as wide as their widest cell; rows: an array. */
void nb_sheet_fit(struct nb_sheet *sheet, const cJSON *rows);

/* The titles, for row NULL, or a row; null is "-", an empty last cell nothing at all. And all rows below the titles. */
void nb_sheet_text(const struct nb_sheet *sheet, const cJSON *row, FILE *stream);
void nb_sheet_texts(struct nb_sheet *sheet, const cJSON *rows, FILE *stream);

/* The same as comma-separated values (RFC 4180), with all columns and digits, without the line's end. */
void nb_sheet_csv(const struct nb_sheet *sheet, const cJSON *row, FILE *stream);

/* A cell of these: a text, in quotes where it needs them; a number with 17 digits; a truth value; nothing of null. */
void nb_csv_item(const cJSON *item, FILE *stream);

/* The value at a path; NULL: the row has no such member. */
const cJSON *nb_sheet_value(const cJSON *row, const char *path);

/* Milliseconds of seconds with at least three digits that count, into text; "-" of NaN. */
void nb_sheet_milliseconds(double seconds, char *text);

#endif
