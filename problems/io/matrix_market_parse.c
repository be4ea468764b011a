#include "problems/io/matrix_market_parse.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "problems/base/numbers.h"

enum { WORD = 32, MANY_ROWS = 1000000 };

struct text {
    const char *path;
    const char *at, *end;        /* what is still to be read */
    char *line;                  /* the one that was read last */
    int number;                  /* of the line, from 1 */
    int vector, array, symmetric; /* what is expected, what the banner says */
    long rows, columns, promised;
    int upper, lower;            /* entries beside the diagonal were seen there */
    long next_row, next_column;  /* of an array: where the next number belongs, from 1 */
    struct nb_market *market;
};

static enum nb_status refuse(const struct text *text, const char *reason, struct nb_error *error)
{
    return nb_fail(error, NB_BAD_FILE, "%s:%d: %s (Matrix Market text)", text->path, text->number, reason);
}

static size_t line_length(const struct text *text)
{
    const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
    return (size_t)((newline ? newline + 1 : text->end) - text->at);
}

static int next_line(struct text *text)
{
    const size_t length = line_length(text);
    if (length == 0)
        return 0;
    ++text->number;
    memcpy(text->line, text->at, length);
    text->line[length] = 0;
    text->at += length;
    return 1;
}

/* Looks at all lines, for room for the longest and for zero bytes, which would end a line too early. */
static enum nb_status check_lines(struct text *text, struct nb_error *error)
{
    const char *start = text->at;
    size_t longest = 0, length;
    for (; (length = line_length(text)) > 0; text->at += length) {
        ++text->number;
        if (memchr(text->at, 0, length))
            return refuse(text, "a byte of zero: this is no text", error);
        longest = length > longest ? length : longest;
    }
    text->at = start;
    text->number = 0;
    text->line = malloc(longest + 1);
    return text->line ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for a line of %zu bytes", text->path,
                                        longest);
}

/* The next line that is neither blank nor a comment. */
static int next_content(struct text *text)
{
    while (next_line(text)) {
        const char *start = text->line + strspn(text->line, " \t\r\n");
        if (*start && *start != '%')
            return 1;
    }
    return 0;
}

static int one_of(const char *word, const char *a, const char *b, const char *c)
{
    return !strcasecmp(word, a) || !strcasecmp(word, b) || !strcasecmp(word, c);
}

static enum nb_status read_banner(struct text *text, struct nb_error *error)
{
    char object[WORD], form[WORD], field[WORD], symmetry[WORD], reason[128];
    if (!next_line(text) || strncasecmp(text->line, "%%MatrixMarket", 14) != 0 ||
        sscanf(text->line + 14, "%31s %31s %31s %31s", object, form, field, symmetry) != 4 ||
        strcasecmp(object, "matrix") != 0)
        return refuse(text, "does not begin with %%MatrixMarket matrix FORMAT FIELD SYMMETRY", error);
    text->array = strcasecmp(form, "array") == 0;
    text->symmetric = strcasecmp(symmetry, "symmetric") == 0;
    if (!text->array && strcasecmp(form, "coordinate") != 0)
        return refuse(text, "the format is neither coordinate nor array", error);
    if (text->vector && (!text->array || text->symmetric))
        return refuse(text, "a right-hand side is an array, general", error);
    if (strcasecmp(field, "pattern") == 0)
        return refuse(text, "a pattern has no values", error);
    if (!one_of(field, "real", "double", "integer")) {
        snprintf(reason, sizeof reason, "the values are %.31s; real or integer ones are read", field);
        return refuse(text, reason, error);
    }
    if (!text->symmetric && strcasecmp(symmetry, "general") != 0) {
        snprintf(reason, sizeof reason, "%.31s; symmetric or general ones are read", symmetry);
        return refuse(text, reason, error);
    }
    return NB_OK;
}

/* A whole number up to the next blank; *at moves behind it. */
static int whole(const char **at, long *value)
{
    char *end;
    *value = strtol(*at, &end, 10);
    const int read = end > *at && strchr(" \t\r\n", *end);
    *at = end;
    return read;
}

static int number(const char **at, double *value)
{
    char *end;
    *value = strtod(*at, &end);
    const int read = end > *at && strchr(" \t\r\n", *end);
    *at = end;
    return read;
}

static int ended(const char *at)
{
    return at[strspn(at, " \t\r\n")] == '\0';
}

static enum nb_status read_sizes(struct text *text, struct nb_error *error)
{
    if (!next_content(text))
        return refuse(text, "ends before the line of sizes", error);
    const char *at = text->line;
    if (!whole(&at, &text->rows) || !whole(&at, &text->columns) ||
        (!text->array && !whole(&at, &text->promised)) || !ended(at))
        return refuse(text, text->array ? "expected ROWS COLUMNS" : "expected ROWS COLUMNS ENTRIES", error);
    if (text->rows < 1 || text->columns < 1 || text->promised < 0 || text->rows > INT_MAX - 3 ||
        text->columns > INT_MAX - 3)
        return refuse(text, "a size is out of range", error);
    if (text->array)
        text->promised = text->symmetric ? text->rows * (text->rows + 1) / 2 : text->rows * text->columns;
    else if (text->rows > MANY_ROWS && text->promised < text->rows)
        return refuse(text, "most rows have no entry", error);
    return NB_OK;
}

static enum nb_status keep(struct text *text, long row, long column, double value, struct nb_error *error)
{
    struct nb_triplets *entries = &text->market->entries;
    if (nb_triplets_add(entries, (int)row - 1, (int)column - 1, value))
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "%s:%d: no memory for more than %d entries", text->path,
                   text->number, entries->count);
}

/* Arrays go down the columns, symmetric ones from the diagonal. */
static void step(struct text *text)
{
    if (text->next_row++ < text->rows)
        return;
    ++text->next_column;
    text->next_row = text->symmetric ? text->next_column : 1;
}

static enum nb_status read_entry(struct text *text, struct nb_error *error)
{
    const char *at = text->line;
    long row = text->next_row, column = text->next_column;
    double value;
    if (!text->array && (!whole(&at, &row) || !whole(&at, &column)))
        return refuse(text, "expected ROW COLUMN VALUE", error);
    if (!number(&at, &value) || !ended(at))
        return refuse(text, text->array ? "expected one number" : "expected ROW COLUMN VALUE", error);
    if (row < 1 || column < 1 || row > text->rows || column > text->columns)
        return refuse(text, "an index is out of range; they count from 1", error);
    if (!isfinite(value))
        return refuse(text, "the value is not a finite number", error);
    text->lower |= row > column;
    text->upper |= row < column;
    if (text->symmetric && text->lower && text->upper)
        return refuse(text, "a symmetric file has entries on both sides of the diagonal", error);
    if (text->array)
        step(text);
    if (text->array && value == 0 && !text->vector)
        return NB_OK;
    const enum nb_status status = keep(text, row, column, value, error);
    return status || !text->symmetric || row == column ? status : keep(text, column, row, value, error);
}

static enum nb_status read_entries(struct text *text, struct nb_error *error)
{
    long entries = 0;
    enum nb_status status = NB_OK;
    text->next_row = text->next_column = 1;
    while (!status && next_content(text)) {
        if (++entries > text->promised)
            return refuse(text, "more entries than the line of sizes promises", error);
        status = read_entry(text, error);
    }
    if (!status && entries < text->promised)
        return nb_fail(error, NB_BAD_FILE, "%s: cut off: %ld of %ld entries (Matrix Market text)",
                       text->path, entries, text->promised);
    return status;
}

enum nb_status nb_market_read(const char *path, const void *content, size_t size, int vector,
                              struct nb_market *market, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    const char *start = content;
    struct text text = {.path = path, .at = start, .end = start + size, .vector = vector, .market = market};
    memset(market, 0, sizeof *market);
    enum nb_status status = check_lines(&text, error);
    if (!status)
        status = read_banner(&text, error);
    if (!status)
        status = read_sizes(&text, error);
    if (!status) {
        market->rows = (int)text.rows;
        market->columns = (int)text.columns;
        status = read_entries(&text, error);
    }
    free(text.line);
    if (status)
        nb_triplets_free(&market->entries);
    return status;
}
