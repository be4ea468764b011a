/* Writes a linear step as FCLIB does, so that fclib_read_global and fclib_read_local open it, and
 * with them Siconos: matrices of global problems as triplets (Siconos reads no compressed rows
 * there), those of local ones as compressed rows, as in FCLIB's own collections. */
#include <stdio.h>
#include <stdlib.h>

#include "problems/io/foreign/step_parts.h"

static void write_size(struct nb_writer *writer, const char *group, const char *name, int value)
{
    char text[NB_MEMBER];
    nb_write_ints(writer, nb_member(group, name, text), 1, 0, &value, NULL);
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
    char text[NB_MEMBER];
    nb_write_ints(writer, nb_member(group, "p", text), pointers, 0, p, NULL);
    nb_write_ints(writer, nb_member(group, "i", text), entries, 0, i, NULL);
    nb_write_doubles(writer, nb_member(group, "x", text), entries, 0, 0, x, unit, NULL);
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

/* Cut out of the one matrix that memory has. */
static void write_delassus(struct nb_writer *writer, const struct nb_problem *linear)
{
    struct nb_step_parts parts = {.form = linear->form};
    if (!writer->status)
        writer->status = nb_step_parts_take(linear, &parts, writer->error);
    write_rows(writer, "fclib_local/W", &parts.matrix[0], "1/kg");
    if (parts.bilaterals > 0) {
        write_rows(writer, "fclib_local/V", &parts.matrix[1], "1/kg");
        write_rows(writer, "fclib_local/R", &parts.matrix[2], "1/kg");
    }
    nb_step_parts_free(&parts);
}

static void write_info(struct nb_writer *writer, const char *group, const struct nb_problem *linear,
                       int rigid)
{
    char info[NB_MEMBER], label[NB_MEMBER], text[256];
    nb_write_group(writer, nb_member(group, "info", info));
    nb_write_text(writer, nb_member(info, "title", label), linear->source);
    snprintf(text, sizeof text, "%s, step %d, h = %.17g s%s", linear->name, linear->step,
             linear->time_step, rigid ? ", linearised at its start" : "");
    nb_write_text(writer, nb_member(info, "description", label), text);
    nb_write_text(writer, nb_member(info, "math_info", label),
                  rigid ? "M symmetric positive definite and block diagonal" : "unknown");
}

static void write_global(struct nb_writer *writer, const struct nb_linear_step *step, int rigid)
{
    write_triplets(writer, "fclib_global/M", &step->mass, step->dofs, 0,
                   rigid ? "kg, kg m^2" : "kg");
    write_triplets(writer, "fclib_global/H", &step->contact_jacobian, step->dofs, 1,
                   rigid ? "1, m" : "1");
    if (step->bilaterals > 0)
        write_triplets(writer, "fclib_global/G", &step->bilateral_jacobian, step->dofs, 1, rigid ? "1, m" : "1");
    nb_write_group(writer, "fclib_global/vectors");
    nb_write_doubles(writer, "fclib_global/vectors/f", step->dofs, 0, 0, step->force,
                     rigid ? "N s, N m s" : "N s", "f = M u~");
    nb_write_doubles(writer, "fclib_global/vectors/w", 3 * step->contacts, 0, 0,
                     step->contact_velocity, "m/s", NULL);
    nb_write_doubles(writer, "fclib_global/vectors/mu", step->contacts, 0, 0, step->friction, "1",
                     NULL);
    if (step->bilaterals > 0)
        nb_write_doubles(writer, "fclib_global/vectors/b", step->bilaterals, 0, 0,
                         step->bilateral_velocity, rigid ? "m/s, rad/s" : "m/s", NULL);
}

static void write_local(struct nb_writer *writer, const struct nb_problem *linear)
{
    const struct nb_linear_step *step = &linear->linear;
    write_delassus(writer, linear);
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
        write_local(writer, linear);
    else
        write_global(writer, &linear->linear, rigid);
    write_info(writer, group, linear, rigid);
}
