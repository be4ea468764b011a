/* Siconos' text, as siconos_read.c describes it: W in blocks of 3 x 3, with which all its solvers of local problems
 * begin, M and H as triplets. Numbers have 17 digits, so that reading gives the same ones. Siconos has no place for
 * bilateral rows. */
#include <stdio.h>
#include <stdlib.h>

#include "problems/io/foreign/foreign.h"
#include "problems/io/foreign/step_parts.h"
#include "problems/io/replace_file.h"

static void write_vector(FILE *stream, int count, const double *values)
{
    for (int i = 0; i < count; ++i)
        fprintf(stream, "%.17g ", values[i]);
    fprintf(stream, "\n");
}

/* What NM_write_in_file prints of sparse storage 2, there as triplets, 1. */
static void write_triplets(FILE *stream, const struct nb_csr *matrix)
{
    const int entries = matrix->start[matrix->rows];
    fprintf(stream, "2\n%d\n%d\n1\nCSparse\ntriplet: %d-by-%d, nzmax: %d nnz: %d\n", matrix->rows, matrix->columns,
            matrix->rows, matrix->columns, entries, entries);
    for (int row = 0; row < matrix->rows; ++row)
        for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
            fprintf(stream, "    %d %d : %.17g\n", row, matrix->column[k], matrix->value[k]);
}

/* The block columns of three rows, ascending, into found; mark [contacts], by which a column is known. */
static int find_blocks(const struct nb_csr *matrix, int contact, int *mark, int *found)
{
    int count = 0;
    for (int k = matrix->start[3 * contact]; k < matrix->start[3 * contact + 3]; ++k) {
        const int c = matrix->column[k] / 3;
        if (mark[c] == contact + 1)
            continue;
        mark[c] = contact + 1;
        int at = count++;
        for (; at > 0 && found[at - 1] > c; --at)
            found[at] = found[at - 1];
        found[at] = c;
    }
    return count;
}

/* [contacts + 1] starts, [starts[contacts]] columns; NULL without memory. */
static int *list_blocks(const struct nb_csr *matrix, int contacts, int *start)
{
    int *mark = calloc((size_t)contacts + 1, sizeof *mark);
    int *column = malloc(((size_t)matrix->start[matrix->rows] + 1) * sizeof *column);
    start[0] = 0;
    for (int i = 0; mark && column && i < contacts; ++i)
        start[i + 1] = start[i] + find_blocks(matrix, i, mark, column + start[i]);
    free(mark);
    if (!mark) {
        free(column);
        return NULL;
    }
    return column;
}

static void write_structure(FILE *stream, int contacts, const int *start, const int *column)
{
    fprintf(stream, "1\n%d\n%d\n%d\n", 3 * contacts, 3 * contacts, start[contacts]);
    if (start[contacts] == 0)
        return;
    fprintf(stream, "%d\n%d\n", contacts, contacts);
    for (int side = 0; side < 2; ++side, fprintf(stream, "\n"))
        for (int i = 0; i < contacts; ++i)
            fprintf(stream, "%d\t", 3 * (i + 1));
    fprintf(stream, "%d\n%d\n", contacts + 1, start[contacts]);
    for (int i = 0; i <= contacts; ++i)
        fprintf(stream, "%d\t", start[i]);
    fprintf(stream, "\n");
    for (int k = 0; k < start[contacts]; ++k)
        fprintf(stream, "%d\t", column[k]);
    fprintf(stream, "\n");
}

static int write_blocks(FILE *stream, const struct nb_csr *matrix, int contacts)
{
    int *start = malloc(((size_t)contacts + 1) * sizeof *start);
    int *column = start ? list_blocks(matrix, contacts, start) : NULL;
    if (column)
        write_structure(stream, contacts, start, column);
    for (int i = 0; column && i < contacts; ++i)
        for (int k = start[i]; k < start[i + 1]; ++k) {
            fprintf(stream, "%d\n", k);
            for (int e = 0; e < 9; ++e)
                fprintf(stream, "%.17g\n", nb_csr_entry(matrix, 3 * i + e % 3, 3 * column[k] + e / 3));
        }
    const int done = column != NULL;
    free(start);
    free(column);
    return done;
}

static int print_step(FILE *stream, const void *context)
{
    const struct nb_step_parts *parts = context;
    const int rows = 3 * parts->contacts;
    int done = 1;
    fprintf(stream, "3\n%d\n", parts->contacts);
    if (parts->form == NB_LINEAR_LOCAL) {
        done = write_blocks(stream, &parts->matrix[0], parts->contacts);
    } else {
        write_triplets(stream, &parts->matrix[NB_PART_MASS]);
        write_triplets(stream, &parts->matrix[NB_PART_JACOBIAN]);
        write_vector(stream, parts->dofs, parts->vector[NB_PART_FORCE]);
    }
    write_vector(stream, rows, parts->vector[NB_PART_VELOCITY]);
    write_vector(stream, parts->contacts, parts->vector[NB_PART_FRICTION]);
    return !done;
}

enum nb_status nb_write_siconos(const char *path, const struct nb_problem *linear, struct nb_error *error)
{
    struct nb_step_parts parts;
    if (linear->linear.bilaterals > 0)
        return nb_fail(error, NB_UNSUPPORTED, "%.300s: not written: the step has %d bilateral rows, for which Siconos' "
                       "text has no place", path, linear->linear.bilaterals);
    enum nb_status status = nb_step_parts_take(linear, &parts, error);
    if (!status)
        status = nb_replace_text(path, print_step, &parts, error);
    nb_step_parts_free(&parts);
    return status;
}
