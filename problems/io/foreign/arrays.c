/* Matrices and vectors at the root of an HDF5 file. The lengths of f, w or q, b or s and mu are the sizes; a matrix
 * must fit. Sparse groups are those of scipy.sparse.save_npz, AnnData and h5sparse: their format is an attribute or a
 * dataset, or follows from the length of indptr; or MATLAB's, compressed columns with the number of rows as an
 * attribute and without data where nothing is stored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/foreign/foreign.h"
#include "problems/io/foreign/step_parts.h"

static int has_parts(struct nb_reader *reader, enum nb_form form)
{
    const struct nb_step_form *parts = nb_step_form(form);
    const int count = form == NB_LINEAR_LOCAL ? 1 : 2; /* W, or M and H */
    int all = 1;
    for (int i = 0; i < count; ++i)
        all &= nb_reader_has(reader, parts->matrix[i].name);
    return all;
}

int nb_has_arrays(struct nb_reader *reader)
{
    return has_parts(reader, NB_LINEAR_GLOBAL) || has_parts(reader, NB_LINEAR_LOCAL);
}

static int is_of_matlab(struct nb_reader *reader, const char *group)
{
    return nb_reader_has_attribute(reader, group, "MATLAB_sparse");
}

/* "csr", "csc" or "coo"; "" where nothing says it. */
static void read_kind(struct nb_reader *reader, const char *group, char *kind, size_t size)
{
    static const char *const attributes[] = {"format", "encoding-type", "h5sparse_format"};
    char text[NB_MEMBER];
    snprintf(kind, size, "%s", is_of_matlab(reader, group) ? "csc" : "");
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes && !kind[0]; ++i)
        if (nb_reader_has_attribute(reader, group, attributes[i]))
            nb_read_text_attribute(reader, group, attributes[i], kind, size);
    if (!kind[0] && nb_reader_has(reader, nb_member(group, "format", text)))
        nb_read_text(reader, text, kind, size);
    if (!kind[0] && nb_reader_has(reader, nb_member(group, "row", text)))
        snprintf(kind, size, "coo");
    if (kind[0] && strncmp(kind, "csr", 3) && strncmp(kind, "csc", 3) && strncmp(kind, "coo", 3))
        nb_reader_fail(reader, NB_BAD_INPUT, group, "is sparse in the format \"%.20s\", must be csr, csc or coo", kind);
    kind[3] = 0;
}

/* The shape that the group tells, which it need not. */
static void check_shape(struct nb_reader *reader, const char *group, int rows, int columns)
{
    char text[NB_MEMBER];
    int found[2] = {rows, columns}, *stored = NULL;
    if (is_of_matlab(reader, group))
        found[0] = nb_read_int_attribute(reader, group, "MATLAB_sparse");
    else if (nb_reader_has_attribute(reader, group, "shape"))
        nb_read_shape_attribute(reader, group, &found[0], &found[1]);
    else if (nb_reader_has(reader, nb_member(group, "shape", text)) && (stored = nb_read_ints(reader, text, 2, 0)))
        memcpy(found, stored, sizeof found);
    free(stored);
    if (!reader->status && (found[0] != rows || found[1] != columns))
        nb_reader_fail(reader, NB_BAD_INPUT, group, "is %d x %d, must be %d x %d to fit the vectors", found[0],
                       found[1], rows, columns);
}

/* Starts [count + 1] as an index of each entry. */
static int *expand(struct nb_reader *reader, const char *name, const int *start, int count, int entries)
{
    nb_reader_check_offsets(reader, name, start, count, entries);
    int *index = reader->status ? NULL : malloc(((size_t)entries + 1) * sizeof *index);
    if (!index)
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, name, "no memory for %d entries", entries);
    for (int i = 0; index && i < count; ++i)
        for (int k = start[i]; k < start[i + 1]; ++k)
            index[k] = i;
    return index;
}

static void check_index(struct nb_reader *reader, const char *group, const int *index, int entries, int size)
{
    for (int k = 0; k < entries && !reader->status; ++k)
        if (index[k] < 0 || index[k] >= size)
            nb_reader_fail(reader, NB_BAD_INPUT, group, "entry %d has the index %d, outside 0 to %d", k, index[k],
                           size - 1);
}

/* Starts, of rows unless columns are compressed; where neither is said, of what its length fits. */
static int *read_compressed(struct nb_reader *reader, const char *text, const char *kind, int rows, int columns,
                            int entries, int *by_column)
{
    const int pointers = nb_read_length(reader, text);
    *by_column = !strcmp(kind, "csc") || (!kind[0] && pointers != rows + 1);
    const int count = *by_column ? columns : rows;
    int *start = nb_read_ints(reader, text, count + 1, 0);
    int *index = start ? expand(reader, text, start, count, entries) : NULL;
    free(start);
    return index;
}

static void read_sparse(struct nb_reader *reader, const char *group, int rows, int columns, struct nb_triplets *entries)
{
    char data[NB_MEMBER], outer_name[NB_MEMBER], inner_name[NB_MEMBER], kind[32];
    int by_column = 0;
    read_kind(reader, group, kind, sizeof kind);
    check_shape(reader, group, rows, columns);
    const int coo = !strcmp(kind, "coo"), matlab = is_of_matlab(reader, group);
    nb_member(group, "data", data);
    nb_member(group, coo ? "row" : matlab ? "jc"
                                          : "indptr",
              outer_name);
    nb_member(group, coo ? "col" : matlab ? "ir"
                                          : "indices",
              inner_name);
    if (matlab && !nb_reader_has(reader, data))
        return;
    const int count = nb_read_length(reader, data);
    double *value = nb_read_doubles(reader, data, count, 0, 0);
    int *outer = coo ? nb_read_ints(reader, outer_name, count, 0)
                     : read_compressed(reader, outer_name, kind, rows, columns, count, &by_column);
    int *inner = nb_read_ints(reader, inner_name, count, 0);
    *entries = (struct nb_triplets){count, count, by_column ? inner : outer, by_column ? outer : inner, value};
    if (!reader->status) {
        check_index(reader, group, entries->row, count, rows);
        check_index(reader, group, entries->column, count, columns);
    }
}

static void read_dense(struct nb_reader *reader, const char *name, int rows, int columns, struct nb_triplets *entries)
{
    double *values = rows && columns ? nb_read_doubles(reader, name, rows, columns, 0) : NULL;
    for (int i = 0; values && i < rows && !reader->status; ++i)
        for (int j = 0; j < columns && !reader->status; ++j) {
            const double value = values[(size_t)i * (size_t)columns + (size_t)j];
            if (value != 0 && !nb_triplets_add(entries, i, j, value))
                nb_reader_fail(reader, NB_OUT_OF_MEMORY, name, "no memory for more than %d entries", entries->count);
        }
    free(values);
}

static void read_matrix(struct nb_reader *reader, const char *name, int rows, int columns, struct nb_triplets *entries)
{
    if (nb_reader_is_group(reader, name))
        read_sparse(reader, name, rows, columns, entries);
    else
        read_dense(reader, name, rows, columns, entries);
}

/* A dense matrix that is square without being symmetric fits either way, and is a step either way: its writer alone can
 * tell. */
static int has_unknown_order(struct nb_reader *reader, const char *name)
{
    unsigned long long size[2] = {0};
    if (!nb_reader_has(reader, name) || nb_reader_is_group(reader, name) || nb_reader_tells_order(reader, name))
        return 0;
    nb_reader_measure(reader, name, size);
    return size[0] == size[1] && size[0] > 1;
}

/* The first vector that is stored as one row, as who has columns first stores a column; NULL: there is none. */
static const char *find_row(struct nb_reader *reader, const struct nb_step_form *parts)
{
    unsigned long long size[2] = {0};
    for (int i = 0; i < NB_STEP_VECTORS; ++i) {
        const char *name = parts->vector[i].name;
        if (name && nb_reader_has(reader, name))
            nb_reader_measure(reader, name, size);
        if (size[0] == 1 && size[1] > 1)
            return name;
    }
    return NULL;
}

static void check_order(struct nb_reader *reader, enum nb_form form, struct nb_problem *problem)
{
    const struct nb_step_form *parts = nb_step_form(form);
    for (int i = 0; i < NB_STEP_MATRICES; ++i) {
        const char *name = parts->matrix[i].name;
        if (parts->matrix[i].rows == parts->matrix[i].columns || !has_unknown_order(reader, name))
            continue;
        const char *row = find_row(reader, parts);
        if (row)
            nb_reader_fail(reader, NB_BAD_INPUT, name,
                           "is square, and %s is one row, as MATLAB's h5write and Octave store a column: do rows come "
                           "first, or columns? Its attribute storage_order must say row_major or column_major",
                           row);
        snprintf(problem->source, sizeof problem->source,
                 "arrays; %s is square, and its file does not say whether rows or columns come first: rows are taken "
                 "to (storage_order)",
                 name);
    }
}

void nb_read_arrays(struct nb_reader *reader, struct nb_notes *notes, struct nb_problem *problem)
{
    static const struct nb_step_place root = {"", "", read_matrix};
    struct nb_step_parts parts = {.form = has_parts(reader, NB_LINEAR_GLOBAL) ? NB_LINEAR_GLOBAL : NB_LINEAR_LOCAL};
    check_order(reader, parts.form, problem);
    nb_step_parts_read(reader, &root, notes, &parts, problem);
    if (nb_reader_has(reader, "time_step"))
        problem->time_step = nb_read_double(reader, "time_step");
}

enum nb_status nb_write_arrays(const char *path, const struct nb_problem *linear, struct nb_error *error)
{
    struct nb_writer writer;
    struct nb_step_parts parts;
    const struct nb_step_form *form = nb_step_form(linear->form);
    const enum nb_status status = nb_step_parts_take(linear, &parts, error);
    if (status)
        return status;
    nb_writer_open(&writer, path, error);
    for (int i = 0; i < NB_STEP_MATRICES; ++i)
        if (parts.bilaterals > 0 || !nb_step_part_is_bilateral(linear->form, i))
            nb_write_sparse(&writer, form->matrix[i].name, &parts.matrix[i], "csr", NULL);
    for (int i = 0; i < NB_STEP_VECTORS; ++i)
        if (form->vector[i].name && (i != NB_PART_BILATERAL || parts.bilaterals > 0))
            nb_write_doubles(&writer, form->vector[i].name, nb_step_extent(&parts, form->vector[i].rows), 0, 0,
                             parts.vector[i], NULL, NULL);
    nb_write_double(&writer, "time_step", linear->time_step, "s", NULL);
    nb_step_parts_free(&parts);
    return nb_writer_commit(&writer);
}
