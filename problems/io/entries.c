/* FCLIB's sparse matrices, which are CSparse's:
 *
 *     nz >= 0   triplets: row i[k], column p[k], value x[k], k < nz (fclib.h has i and p the other
 *               way round; every file and libfclib's own merit functions have it this way)
 *     nz = -1   compressed columns: p [n + 1] starts, i rows
 *     nz = -2   compressed rows: p [m + 1] starts, i columns
 *
 * nzmax may exceed what is stored and is not used. Repeats are added, explicit zeros kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/parts.h"

/* One matrix as stored. */
struct stored {
    char group[64];
    int rows, columns, nz;
    int pointers, available; /* lengths of p, and of the shorter of i and x */
    int *p, *i;
    double *x;
};

static int read_size(struct nb_reader *reader, const struct stored *stored, const char *name)
{
    char text[NB_MEMBER];
    return nb_read_int(reader, nb_member(stored->group, name, text));
}

static void read_stored(struct nb_reader *reader, struct stored *stored)
{
    char p[NB_MEMBER], i[NB_MEMBER], x[NB_MEMBER];
    nb_member(stored->group, "p", p);
    nb_member(stored->group, "i", i);
    nb_member(stored->group, "x", x);
    stored->rows = read_size(reader, stored, "m");
    stored->columns = read_size(reader, stored, "n");
    stored->nz = read_size(reader, stored, "nz");
    if (!reader->status && stored->nz < -2)
        nb_reader_fail(reader, NB_BAD_INPUT, stored->group,
                       "nz is %d, must be -2 (rows), -1 (columns) or a number of triplets",
                       stored->nz);
    if (read_size(reader, stored, "nzmax") < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, stored->group, "nzmax is negative");
    stored->pointers = nb_read_length(reader, p);
    const int indices = nb_read_length(reader, i), values = nb_read_length(reader, x);
    stored->available = indices < values ? indices : values;
    stored->p = nb_read_ints(reader, p, stored->pointers, 0);
    stored->i = nb_read_ints(reader, i, indices, 0);
    stored->x = nb_read_doubles(reader, x, values, 0, 0);
}

static void check_size(struct nb_reader *reader, const struct stored *stored, int rows, int columns)
{
    if (!reader->status && (stored->rows != rows || stored->columns != columns))
        nb_reader_fail(reader, NB_BAD_INPUT, stored->group,
                       "is %d x %d, must be %d x %d to fit the vectors", stored->rows,
                       stored->columns, rows, columns);
}

/* Takes the index that p names for each entry apart: the row or column k that entry e is in. */
static int *expand_starts(struct nb_reader *reader, const struct stored *stored, int count)
{
    int *index = malloc(((size_t)stored->p[count] + 1) * sizeof *index);
    if (!index) {
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, stored->group, "no memory for %d entries",
                       stored->p[count]);
        return NULL;
    }
    for (int k = 0; k < count; ++k)
        for (int e = stored->p[k]; e < stored->p[k + 1]; ++e)
            index[e] = k;
    return index;
}

/* Compressed storage to triplets: p becomes the index of every entry. */
static void expand(struct nb_reader *reader, struct stored *stored)
{
    const int count = stored->nz == -1 ? stored->columns : stored->rows;
    char p[NB_MEMBER];
    nb_member(stored->group, "p", p);
    if (reader->status)
        return;
    if (stored->pointers < 1 || stored->pointers - 1 < count) {
        nb_reader_fail(reader, NB_BAD_INPUT, p, "has %d entries, must have %d", stored->pointers,
                       count + 1);
        return;
    }
    nb_reader_check_offsets(reader, p, stored->p, count, stored->p[count]);
    if (!reader->status && stored->p[count] > stored->available)
        nb_reader_fail(reader, NB_BAD_INPUT, p, "ends with %d, but i or x has only %d entries",
                       stored->p[count], stored->available);
    if (reader->status)
        return;
    const int entries = stored->p[count];
    int *index = expand_starts(reader, stored, count);
    free(stored->p);
    stored->p = index;
    if (stored->nz == -2) {
        stored->p = stored->i;
        stored->i = index;
    }
    stored->nz = entries;
}

static void check_triplets(struct nb_reader *reader, const struct stored *stored)
{
    if (reader->status)
        return;
    for (int k = 0; k < stored->nz; ++k)
        if (stored->i[k] < 0 || stored->i[k] >= stored->rows || stored->p[k] < 0 ||
            stored->p[k] >= stored->columns) {
            nb_reader_fail(reader, NB_BAD_INPUT, stored->group,
                           "entry %d is at row %d, column %d of a matrix of %d x %d", k,
                           stored->i[k], stored->p[k], stored->rows, stored->columns);
            return;
        }
}

void nb_read_fclib_matrix(struct nb_reader *reader, const char *group, int rows, int columns,
                          struct nb_triplets *entries)
{
    struct stored stored = {0};
    snprintf(stored.group, sizeof stored.group, "%s", group);
    read_stored(reader, &stored);
    check_size(reader, &stored, rows, columns);
    if (stored.nz < 0)
        expand(reader, &stored);
    else if (!reader->status && (stored.nz > stored.available || stored.nz > stored.pointers))
        nb_reader_fail(reader, NB_BAD_INPUT, group, "nz is %d, but i, p or x is shorter",
                       stored.nz);
    check_triplets(reader, &stored);
    *entries = (struct nb_triplets){stored.nz, stored.nz, stored.i, stored.p, stored.x};
    if (!reader->status)
        return;
    nb_triplets_free(entries);
}

void nb_entries_add(struct nb_reader *reader, struct nb_triplets *to, const struct nb_triplets *from,
                    int row0, int column0, int transposed)
{
    const int *rows = transposed ? from->column : from->row;
    const int *columns = transposed ? from->row : from->column;
    for (int k = 0; k < from->count && !reader->status; ++k)
        if (!nb_triplets_add(to, rows[k] + row0, columns[k] + column0, from->value[k]))
            nb_reader_fail(reader, NB_OUT_OF_MEMORY, NULL, "no memory for more than %d matrix entries", to->count);
}

void nb_entries_compress(struct nb_reader *reader, const struct nb_triplets *entries, int rows,
                         int columns, struct nb_csr *matrix)
{
    if (!reader->status)
        reader->status = nb_csr_from_triplets(matrix, rows, columns, entries->count, entries->row,
                                              entries->column, entries->value, reader->error);
}
