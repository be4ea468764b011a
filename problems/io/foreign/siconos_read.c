/* Siconos' text. A problem is its dimension and number of contacts, then the matrix M of a local problem (our W), or M
 * and H of a global one, its vectors q (our f), b (our w; q of a local problem), mu and, with rolling friction, mu_r.
 * A matrix is its storage and size, then:
 *
 *     0, dense    the size again, entries down the columns
 *     1, blocks   numbers of blocks, of rows and of columns of blocks; where these end; row starts and columns of the
 *                 blocks; each block by its number, entries down the columns
 *     2, sparse   where it is from, and what CSparse prints: triplets, or compressed columns or rows
 *
 * Numbers are told from each other by blanks, as Siconos' own reader does it. A local problem has 3 c rows and nothing
 * behind mu but a 0 or 1, which old versions wrote; what else there is makes it a global one. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/numbers.h"
#include "problems/io/foreign/foreign.h"
#include "problems/io/foreign/step_parts.h"

enum { LARGEST = INT_MAX / 64, TAIL = 1 };

struct text {
    struct nb_reader *reader;
    const char *at, *end;
};

static void refuse(struct text *text, const char *expected)
{
    char line[32];
    int number = 1;
    const char *begin = (const char *)text->reader->content.bytes;
    for (const char *c = begin; c < text->at; ++c)
        number += *c == '\n';
    snprintf(line, sizeof line, "line %d", number);
    nb_reader_fail(text->reader, NB_BAD_INPUT, line, text->at == text->end ? "the text ends where %s must stand"
                                                                           : "%s must stand here", expected);
}

static void skip_blanks(struct text *text)
{
    while (text->at < text->end && isspace((unsigned char)*text->at))
        ++text->at;
}

/* A number ends before a blank or the end of the text. */
static int ends_number(const struct text *text, const char *after)
{
    return after > text->at && (after == text->end || isspace((unsigned char)*after));
}

/* Digits up to whatever follows them. */
static int read_digits(struct text *text, int least, int most, int blank, const char *what)
{
    char *after;
    if (text->reader->status)
        return 0;
    skip_blanks(text);
    const long value = strtol(text->at, &after, 10);
    if (after == text->at || (blank && !ends_number(text, after)) || value < least || value > most) {
        refuse(text, what);
        return 0;
    }
    text->at = after;
    return (int)value;
}

static int read_whole(struct text *text, int least, int most, const char *what)
{
    return read_digits(text, least, most, 1, what);
}

static double read_number(struct text *text, const char *what)
{
    char *after;
    if (text->reader->status)
        return 0;
    skip_blanks(text);
    const double value = strtod(text->at, &after);
    if (!ends_number(text, after) || !isfinite(value)) {
        refuse(text, what);
        return 0;
    }
    text->at = after;
    return value;
}

/* Room for so many numbers, each of which takes two bytes of what is left at least. */
static void *make_room(struct text *text, long long count, size_t size, const char *what)
{
    const int fits = count <= (text->end - text->at) / 2 + 1;
    void *room = text->reader->status || !fits ? NULL : calloc((size_t)count + 1, size);
    if (!text->reader->status && !fits) {
        text->at = text->end;
        refuse(text, what);
    } else if (!room) {
        nb_reader_fail(text->reader, NB_OUT_OF_MEMORY, NULL, "no memory for %lld numbers", count);
    }
    return room;
}

static double *read_numbers(struct text *text, int count, const char *what)
{
    double *values = make_room(text, count, sizeof *values, what);
    for (int i = 0; values && i < count; ++i)
        values[i] = read_number(text, what);
    return values;
}

static void add(struct text *text, int row, int column, double value, struct nb_triplets *entries)
{
    if (!text->reader->status && !nb_triplets_add(entries, row, column, value))
        nb_reader_fail(text->reader, NB_OUT_OF_MEMORY, NULL, "no memory for more than %d entries", entries->count);
}

/* Rows and columns from row0 and column0 on, down the columns; zeros are no entries. */
static void read_block(struct text *text, int row0, int rows, int column0, int columns, struct nb_triplets *entries)
{
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows && !text->reader->status; ++i) {
            const double value = read_number(text, "an entry of the matrix, a finite number,");
            if (value != 0)
                add(text, row0 + i, column0 + j, value, entries);
        }
}

static void read_dense(struct text *text, int rows, int columns, struct nb_triplets *entries)
{
    read_whole(text, rows, rows, "the number of rows again");
    read_whole(text, columns, columns, "the number of columns again");
    read_block(text, 0, rows, 0, columns, entries);
}

/* Numbers that do not fall, from `from` up to `last`; with ends they reach it. */
static int *read_rising(struct text *text, int count, int from, int last, int ends, const char *what)
{
    int *values = make_room(text, count, sizeof *values, what), before = from;
    for (int i = 0; values && i < count; ++i)
        before = values[i] = read_whole(text, ends && i == count - 1 ? last : before, last, what);
    return values;
}

struct blocks {
    int rows, columns, starts, count;
    int *row_end, *column_end, *start, *column;
};

static void read_structure(struct text *text, int rows, int columns, struct blocks *blocks)
{
    blocks->rows = read_whole(text, 1, LARGEST, "the number of rows of blocks");
    blocks->columns = read_whole(text, 1, LARGEST, "the number of columns of blocks");
    blocks->row_end = read_rising(text, blocks->rows, 0, rows, 1, "the row at which a block ends");
    blocks->column_end = read_rising(text, blocks->columns, 0, columns, 1, "the column at which a block ends");
    blocks->starts = read_whole(text, 1, blocks->rows + 1, "the number of row starts");
    blocks->count = read_whole(text, 0, LARGEST, "the number of blocks' columns");
    blocks->start = read_rising(text, blocks->starts, 0, blocks->count, 0, "where a row of blocks begins");
    blocks->column = make_room(text, blocks->count, sizeof *blocks->column, "the column of a block");
    for (int k = 0; k < blocks->count && blocks->column; ++k)
        blocks->column[k] = read_whole(text, 0, blocks->columns - 1, "the column of a block");
}

static void read_blocks(struct text *text, int rows, int columns, struct nb_triplets *entries)
{
    struct blocks blocks = {0};
    if (read_whole(text, 0, LARGEST, "the number of blocks") > 0)
        read_structure(text, rows, columns, &blocks);
    for (int r = 0; r + 1 < blocks.starts && !text->reader->status; ++r)
        for (int k = blocks.start[r]; k < blocks.start[r + 1] && !text->reader->status; ++k) {
            const int row0 = r > 0 ? blocks.row_end[r - 1] : 0, c = blocks.column[k];
            const int column0 = c > 0 ? blocks.column_end[c - 1] : 0;
            read_whole(text, k, k, "the number of the next block");
            read_block(text, row0, blocks.row_end[r] - row0, column0, blocks.column_end[c] - column0, entries);
        }
    free(blocks.row_end);
    free(blocks.column_end);
    free(blocks.start);
    free(blocks.column);
}

/* Passes over a word where it stands here. */
static int is_here(struct text *text, const char *word)
{
    skip_blanks(text);
    const int here = (size_t)(text->end - text->at) >= strlen(word) && !strncmp(text->at, word, strlen(word));
    text->at += here ? strlen(word) : 0;
    return here;
}

static void expect(struct text *text, const char *word)
{
    if (!text->reader->status && !is_here(text, word))
        refuse(text, word);
}

static void end_line(struct text *text)
{
    while (text->at < text->end && *text->at != '\n')
        ++text->at;
}

/* "ROWS-by-COLUMNS, nzmax: N nnz: N", and of compressed storage ", 1-norm: X"; the number of entries. */
static int read_header(struct text *text, int rows, int columns)
{
    read_digits(text, rows, rows, 0, "the number of rows again");
    expect(text, "-by-");
    read_digits(text, columns, columns, 0, "the number of columns again");
    expect(text, ", nzmax:");
    read_digits(text, 0, INT_MAX, 0, "the room for entries");
    expect(text, "nnz:");
    const int entries = read_digits(text, 0, INT_MAX, 0, "the number of entries");
    end_line(text);
    return entries;
}

static void read_triplets(struct text *text, int rows, int columns, struct nb_triplets *entries)
{
    const int count = read_header(text, rows, columns);
    for (int k = 0; k < count && !text->reader->status; ++k) {
        const int row = read_whole(text, 0, rows - 1, "a row of the matrix, which count from 0,");
        const int column = read_whole(text, 0, columns - 1, "a column of the matrix, which count from 0,");
        expect(text, ":");
        add(text, row, column, read_number(text, "an entry of the matrix, a finite number,"), entries);
    }
}

/* Lines "col J : locations FIRST to LAST", or "row J", each followed by its entries "I : VALUE". */
static void read_compressed(struct text *text, int rows, int columns, int by_row, struct nb_triplets *entries)
{
    const int count = read_header(text, rows, columns);
    const int outer = by_row ? rows : columns, inner = by_row ? columns : rows;
    for (int j = 0, at = 0; j < outer && !text->reader->status; ++j) {
        expect(text, by_row ? "row" : "col");
        read_whole(text, j, j, "the number of the next column or row");
        expect(text, ": locations");
        read_whole(text, at, at, "where the column or row begins");
        expect(text, "to");
        const int last = read_whole(text, at - 1, count - 1, "where the column or row ends");
        for (; at <= last && !text->reader->status; ++at) {
            const int i = read_whole(text, 0, inner - 1, "an index of the matrix, which count from 0,");
            expect(text, ":");
            const double value = read_number(text, "an entry of the matrix, a finite number,");
            add(text, by_row ? j : i, by_row ? i : j, value, entries);
        }
    }
}

static void read_sparse(struct text *text, int rows, int columns, struct nb_triplets *entries)
{
    read_whole(text, 0, 3, "where the sparse matrix is from, 0 to 3 (of half a matrix nothing is read),");
    expect(text, "CSparse");
    end_line(text);
    if (text->reader->status)
        return;
    if (is_here(text, "triplet:"))
        read_triplets(text, rows, columns, entries);
    else
        read_compressed(text, rows, columns, is_here(text, "csr:"), entries);
}

static void read_matrix(struct text *text, int *rows, int *columns, struct nb_triplets *entries)
{
    const int storage = read_whole(text, 0, 2, "the storage of a matrix, 0 to 2,");
    *rows = read_whole(text, 0, LARGEST, "the number of rows");
    *columns = read_whole(text, 0, LARGEST, "the number of columns");
    if (storage == 0)
        read_dense(text, *rows, *columns, entries);
    else if (storage == 1)
        read_blocks(text, *rows, *columns, entries);
    else
        read_sparse(text, *rows, *columns, entries);
}

/* How many words are left, up to `most`. */
static long long count_words(struct text text, long long most)
{
    long long count = 0;
    for (skip_blanks(&text); text.at < text.end && count < most; skip_blanks(&text), ++count)
        while (text.at < text.end && !isspace((unsigned char)*text.at))
            ++text.at;
    return count;
}

/* Behind the first matrix, which has so many rows. */
static int is_local(const struct text *text, const struct nb_step_parts *parts, int rows)
{
    const long long behind = (long long)rows + (parts->dimension == 5 ? 2 : 1) * (long long)parts->contacts;
    return rows == parts->dimension * parts->contacts && count_words(*text, behind + 2) <= behind + TAIL;
}

static void read_vectors(struct text *text, struct nb_notes *notes, struct nb_step_parts *parts)
{
    if (parts->form == NB_LINEAR_GLOBAL)
        parts->vector[NB_PART_FORCE] = read_numbers(text, parts->dofs, "an entry of q, a finite number,");
    parts->vector[NB_PART_VELOCITY] = read_numbers(text, parts->dimension * parts->contacts,
                                                   "an entry of the contacts' velocities, a finite number,");
    parts->vector[NB_PART_FRICTION] = read_numbers(text, parts->contacts, "a friction coefficient, a finite number,");
    if (parts->dimension == 5) {
        double *rolling = read_numbers(text, parts->contacts, "a coefficient of rolling friction, a finite number,");
        nb_step_leave_rolling(text->reader, notes, rolling, parts->contacts);
        free(rolling);
    }
    if (!text->reader->status && count_words(*text, 2) > TAIL)
        refuse(text, "the end of the text");
    if (!text->reader->status && count_words(*text, 1) > 0)
        read_whole(text, 0, 1, "the end of the text, or the 0 or 1 of old versions,");
}

static void read_parts(struct text *text, struct nb_notes *notes, struct nb_step_parts *parts)
{
    int rows, columns, contact_columns = 0;
    parts->dimension = read_whole(text, 2, 5, "the dimension, 2, 3 or, with rolling friction, 5,");
    parts->contacts = read_whole(text, 0, LARGEST / 5, "the number of contacts");
    read_matrix(text, &rows, &columns, &parts->entries[0]);
    if (!text->reader->status && (parts->dimension == 4 || rows != columns))
        nb_reader_fail(text->reader, NB_BAD_INPUT, "M", "is %d x %d in dimension %d, must be square, and the dimension "
                       "2, 3 or 5", rows, columns, parts->dimension);
    parts->form = is_local(text, parts, rows) ? NB_LINEAR_LOCAL : NB_LINEAR_GLOBAL;
    if (parts->form == NB_LINEAR_GLOBAL) {
        parts->dofs = rows;
        read_matrix(text, &rows, &contact_columns, &parts->entries[NB_PART_JACOBIAN]);
        if (!text->reader->status && (rows != parts->dofs || contact_columns != parts->dimension * parts->contacts))
            nb_reader_fail(text->reader, NB_BAD_INPUT, "H", "is %d x %d, must be %d x %d", rows, contact_columns,
                           parts->dofs, parts->dimension * parts->contacts);
    }
    read_vectors(text, notes, parts);
}

void nb_read_siconos(struct nb_reader *reader, struct nb_notes *notes, struct nb_problem *problem)
{
    NB_DECIMAL_POINT;
    const char *begin = (const char *)reader->content.bytes;
    struct text text = {reader, begin, begin + reader->content.size};
    struct nb_step_parts parts = {0};
    read_parts(&text, notes, &parts);
    nb_step_parts_build(reader, &parts, problem);
}
