/* Writes a linear step as FCLIB does, so that fclib_read_global and fclib_read_local open it, and
 * with them Siconos: matrices of global problems as triplets (Siconos reads no compressed rows
 * there), those of local ones as compressed rows, as in FCLIB's own collections. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/parts.h"

static void write_size(struct nb_writer *writer, const char *group, const char *name, int value)
{
    char label[96];
    snprintf(label, sizeof label, "%s/%s", group, name);
    nb_write_ints(writer, label, 1, 0, &value, NULL);
}

static void write_sizes(struct nb_writer *writer, const char *group, int rows, int columns,
                        int entries, int nz)
{
    nb_write_group(writer, group);
    write_size(writer, group, "nzmax", entries);
    write_size(writer, group, "m", rows);
    write_size(writer, group, "n", columns);
    write_size(writer, group, "nz", nz);
}

static void write_members(struct nb_writer *writer, const char *group, int pointers, const int *p,
                          int entries, const int *i, const double *x, const char *unit)
{
    char label[96];
    snprintf(label, sizeof label, "%s/p", group);
    nb_write_ints(writer, label, pointers, 0, p, NULL);
    snprintf(label, sizeof label, "%s/i", group);
    nb_write_ints(writer, label, entries, 0, i, NULL);
    snprintf(label, sizeof label, "%s/x", group);
    nb_write_doubles(writer, label, entries, 0, 0, x, unit, NULL);
}

static int entries_of(const struct nb_csr *matrix)
{
    return matrix->rows > 0 ? matrix->start[matrix->rows] : 0;
}

/* As triplets, i = row and p = column; transposed: the file's matrix is the transpose. */
static void write_triplets(struct nb_writer *writer, const char *group, const struct nb_csr *matrix,
                           int columns, int transposed, const char *unit)
{
    const int entries = entries_of(matrix);
    if (writer->status)
        return;
    int *row = malloc(((size_t)entries + 1) * sizeof *row);
    if (!row) {
        nb_writer_fail(writer, NB_OUT_OF_MEMORY, group, "no memory for %d entries", entries);
        return;
    }
    for (int r = 0; r < matrix->rows; ++r)
        for (int k = matrix->start[r]; k < matrix->start[r + 1]; ++k)
            row[k] = r;
    if (transposed) {
        write_sizes(writer, group, columns, matrix->rows, entries, entries);
        write_members(writer, group, entries, row, entries, matrix->column, matrix->value, unit);
    } else {
        write_sizes(writer, group, matrix->rows, columns, entries, entries);
        write_members(writer, group, entries, matrix->column, entries, row, matrix->value, unit);
    }
    free(row);
}

/* Rows row0.. and columns column0.. of a matrix as a matrix [rows x columns] of its own. */
static void cut_block(struct nb_writer *writer, const struct nb_csr *matrix, int row0, int rows,
                      int column0, int columns, struct nb_csr *block)
{
    int entries = 0;
    if (writer->status)
        return;
    for (int r = row0; r < row0 + rows; ++r)
        for (int k = matrix->start[r]; k < matrix->start[r + 1]; ++k)
            entries += matrix->column[k] >= column0 && matrix->column[k] < column0 + columns;
    writer->status = nb_csr_allocate(block, rows, columns, entries, writer->error);
    for (int r = 0, at = 0; r < rows && !writer->status; ++r) {
        for (int k = matrix->start[row0 + r]; k < matrix->start[row0 + r + 1]; ++k) {
            const int column = matrix->column[k] - column0;
            if (column < 0 || column >= columns)
                continue;
            block->column[at] = column;
            block->value[at++] = matrix->value[k];
        }
        block->start[r + 1] = at;
    }
}

static void write_rows(struct nb_writer *writer, const char *group, const struct nb_csr *matrix,
                       const char *unit)
{
    if (writer->status)
        return;
    const int entries = entries_of(matrix);
    write_sizes(writer, group, matrix->rows, matrix->columns, entries, -2);
    write_members(writer, group, matrix->rows + 1, matrix->start, entries, matrix->column,
                  matrix->value, unit);
}

/* FCLIB stores V once: the lower left block must be exactly its transpose. */
static void check_mirrored(struct nb_writer *writer, const struct nb_csr *v,
                           const struct nb_csr *lower)
{
    int k = 0, same = entries_of(v) == entries_of(lower);
    int *next = writer->status ? NULL : malloc(((size_t)lower->rows + 1) * sizeof *next);
    if (writer->status)
        return;
    if (!next) {
        nb_writer_fail(writer, NB_OUT_OF_MEMORY, "fclib_local/V", "no memory");
        return;
    }
    memcpy(next, lower->start, ((size_t)lower->rows + 1) * sizeof *next);
    for (int r = 0; r < v->rows; ++r)
        for (; same && k < v->start[r + 1]; ++k) {
            const int at = next[v->column[k]]++;
            same = at < lower->start[v->column[k] + 1] && lower->column[at] == r &&
                   memcmp(&lower->value[at], &v->value[k], sizeof(double)) == 0;
        }
    free(next);
    if (!same)
        nb_writer_fail(writer, NB_UNSUPPORTED, "fclib_local/V",
                       "the block of the bilateral rows is not its transpose");
}

static void write_delassus(struct nb_writer *writer, const struct nb_linear_step *step)
{
    const int n = 3 * step->contacts, p = step->bilaterals;
    struct nb_csr w = {0}, v = {0}, lower = {0}, r = {0};
    cut_block(writer, &step->delassus, 0, n, 0, n, &w);
    write_rows(writer, "fclib_local/W", &w, "1/kg");
    if (p > 0) {
        cut_block(writer, &step->delassus, 0, n, n, p, &v);
        cut_block(writer, &step->delassus, n, p, 0, n, &lower);
        cut_block(writer, &step->delassus, n, p, n, p, &r);
        check_mirrored(writer, &v, &lower);
        write_rows(writer, "fclib_local/V", &v, "1/kg");
        write_rows(writer, "fclib_local/R", &r, "1/kg");
    }
    nb_csr_free(&w);
    nb_csr_free(&v);
    nb_csr_free(&lower);
    nb_csr_free(&r);
}

static void write_info(struct nb_writer *writer, const char *group, const struct nb_problem *linear,
                       int rigid)
{
    char label[64], text[256];
    snprintf(label, sizeof label, "%s/info", group);
    nb_write_group(writer, label);
    snprintf(label, sizeof label, "%s/info/title", group);
    nb_write_text(writer, label, linear->source);
    snprintf(text, sizeof text, "%s, step %d, h = %.17g s%s", linear->name, linear->step,
             linear->time_step, rigid ? ", linearised at its start" : "");
    snprintf(label, sizeof label, "%s/info/description", group);
    nb_write_text(writer, label, text);
    snprintf(label, sizeof label, "%s/info/math_info", group);
    nb_write_text(writer, label,
                  rigid ? "M symmetric positive definite and block diagonal" : "unknown");
}

static void write_global(struct nb_writer *writer, const struct nb_linear_step *step, int rigid)
{
    write_triplets(writer, "fclib_global/M", &step->mass, step->dofs, 0,
                   rigid ? "kg, kg m^2" : "kg");
    write_triplets(writer, "fclib_global/H", &step->contact_jacobian, step->dofs, 1,
                   rigid ? "1, m" : "1");
    if (step->bilaterals > 0)
        write_triplets(writer, "fclib_global/G", &step->bilateral_jacobian, step->dofs, 1, "1");
    nb_write_group(writer, "fclib_global/vectors");
    nb_write_doubles(writer, "fclib_global/vectors/f", step->dofs, 0, 0, step->force,
                     rigid ? "N s, N m s" : "N s", "f = M u~");
    nb_write_doubles(writer, "fclib_global/vectors/w", 3 * step->contacts, 0, 0,
                     step->contact_velocity, "m/s", NULL);
    nb_write_doubles(writer, "fclib_global/vectors/mu", step->contacts, 0, 0, step->friction, "1",
                     NULL);
    if (step->bilaterals > 0)
        nb_write_doubles(writer, "fclib_global/vectors/b", step->bilaterals, 0, 0,
                         step->bilateral_velocity, "m/s", NULL);
}

static void write_local(struct nb_writer *writer, const struct nb_linear_step *step)
{
    write_delassus(writer, step);
    nb_write_group(writer, "fclib_local/vectors");
    nb_write_doubles(writer, "fclib_local/vectors/q", 3 * step->contacts, 0, 0,
                     step->contact_velocity, "m/s", NULL);
    nb_write_doubles(writer, "fclib_local/vectors/mu", step->contacts, 0, 0, step->friction, "1",
                     NULL);
    if (step->bilaterals > 0)
        nb_write_doubles(writer, "fclib_local/vectors/s", step->bilaterals, 0, 0,
                         step->bilateral_velocity, "m/s", NULL);
}

void nb_write_fclib(struct nb_writer *writer, const struct nb_problem *linear, int rigid)
{
    const int local = linear->form == NB_LINEAR_LOCAL;
    const char *group = local ? "fclib_local" : "fclib_global";
    nb_write_group(writer, group);
    write_size(writer, group, "spacedim", 3);
    if (local)
        write_local(writer, &linear->linear);
    else
        write_global(writer, &linear->linear, rigid);
    write_info(writer, group, linear, rigid);
}
