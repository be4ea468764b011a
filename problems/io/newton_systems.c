/* Newton systems of a step (Macklin et al. 2019, 53 and 59), one group each under newton_systems/.
 * Sparse matrices are groups with data, indices, indptr and the attribute shape, as scipy has them.
 * A local problem has no M: its mass, Jacobian and momentum are empty. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/parts.h"

#define SYSTEM_NAME 48 /* "newton_systems/0000/right_side" and shorter */

static const char *member(int index, const char *name, char *text, size_t size)
{
    snprintf(text, size, "newton_systems/%04d%s%s", index, name ? "/" : "", name ? name : "");
    return text;
}

void nb_newton_system_free(struct nb_newton_system *system)
{
    if (!system)
        return;
    nb_csr_free(&system->mass);
    nb_csr_free(&system->jacobian);
    nb_csr_free(&system->schur);
    free(system->compliance);
    free(system->coupling);
    free(system->momentum);
    free(system->constraint);
    free(system->right_side);
    memset(system, 0, sizeof *system);
}

static void write_sparse(struct nb_writer *writer, const char *group, const struct nb_csr *matrix,
                         const char *unit)
{
    static const int no_rows[1];
    char label[SYSTEM_NAME + 16];
    const int shape[2] = {matrix->rows, matrix->columns};
    const int entries = matrix->rows > 0 ? matrix->start[matrix->rows] : 0;
    nb_write_group(writer, group);
    nb_write_int_attribute(writer, group, "shape", 2, shape);
    snprintf(label, sizeof label, "%s/data", group);
    nb_write_doubles(writer, label, entries, 0, 0, matrix->value, unit, NULL);
    snprintf(label, sizeof label, "%s/indices", group);
    nb_write_ints(writer, label, entries, 0, matrix->column, NULL);
    snprintf(label, sizeof label, "%s/indptr", group);
    nb_write_ints(writer, label, matrix->rows + 1, 0, matrix->rows > 0 ? matrix->start : no_rows,
                  NULL);
}

static void check_system(struct nb_writer *writer, int index, const struct nb_newton_system *system)
{
    const int rows = system->schur.rows, dofs = system->jacobian.columns;
    char label[SYSTEM_NAME];
    member(index, NULL, label, sizeof label);
    if (rows % 3)
        nb_writer_fail(writer, NB_BAD_INPUT, label, "has %d rows, must be a multiple of 3", rows);
    if (system->schur.columns != rows || (dofs > 0 && system->jacobian.rows != rows))
        nb_writer_fail(writer, NB_BAD_INPUT, label, "the Jacobian has %d rows, the Schur "
                       "complement is %d x %d", system->jacobian.rows, rows, system->schur.columns);
    if (system->mass.rows && (system->mass.rows != dofs || system->mass.columns != dofs))
        nb_writer_fail(writer, NB_BAD_INPUT, label, "the mass is %d x %d, the Jacobian has %d "
                       "columns", system->mass.rows, system->mass.columns, dofs);
}

static void write_system(struct nb_writer *writer, int index, const struct nb_newton_system *system)
{
    static const struct nb_csr none;
    const int rows = system->schur.rows, dofs = system->jacobian.columns;
    char label[SYSTEM_NAME];
    check_system(writer, index, system);
    if (writer->status)
        return;
    nb_write_group(writer, member(index, NULL, label, sizeof label));
    nb_write_int_attribute(writer, label, "iteration", 1, &system->iteration);
    nb_write_double_attribute(writer, label, "shift", system->shift);
    write_sparse(writer, member(index, "mass", label, sizeof label), &system->mass, "kg, kg m^2");
    write_sparse(writer, member(index, "jacobian", label, sizeof label),
                 dofs > 0 ? &system->jacobian : &none, "1, m");
    write_sparse(writer, member(index, "schur", label, sizeof label), &system->schur, "1/kg");
    nb_write_doubles(writer, member(index, "compliance", label, sizeof label), rows, 0, 0,
                     system->compliance, "1/kg", "diagonal of C");
    if (system->coupled > 0)
        nb_write_doubles(writer, member(index, "coupling", label, sizeof label),
                         system->coupled / 3, 3, 3, system->coupling, "1/kg",
                         "blocks of C in the first rows");
    nb_write_doubles(writer, member(index, "momentum", label, sizeof label), dofs, 0, 0,
                     system->momentum, "N s, N m s", "g");
    nb_write_doubles(writer, member(index, "constraint", label, sizeof label), rows, 0, 0,
                     system->constraint, "m/s", "h");
    nb_write_doubles(writer, member(index, "right_side", label, sizeof label), rows, 0, 0,
                     system->right_side, "m/s", "b = J H^-1 g - h");
}

void nb_write_newton_systems(struct nb_writer *writer, const struct nb_problem_extras *extras)
{
    nb_write_group(writer, "newton_systems");
    nb_write_text_attribute(writer, "newton_systems", "settings",
                            extras->settings ? extras->settings : "");
    for (int i = 0; i < extras->system_count && !writer->status; ++i)
        write_system(writer, i, &extras->systems[i]);
}

static void check_sparse(struct nb_reader *reader, const char *indices, const struct nb_csr *matrix)
{
    for (int row = 0; row < matrix->rows && !reader->status; ++row)
        for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k) {
            const int column = matrix->column[k];
            if (column < 0 || column >= matrix->columns ||
                (k > matrix->start[row] && column <= matrix->column[k - 1])) {
                nb_reader_fail(reader, NB_BAD_INPUT, indices,
                               "entry %d is column %d, must ascend in its row and stay below %d", k,
                               column, matrix->columns);
                return;
            }
        }
}

static void read_sparse(struct nb_reader *reader, const char *group, struct nb_csr *matrix)
{
    char data[SYSTEM_NAME + 16], indices[SYSTEM_NAME + 16], starts[SYSTEM_NAME + 16];
    snprintf(data, sizeof data, "%s/data", group);
    snprintf(indices, sizeof indices, "%s/indices", group);
    snprintf(starts, sizeof starts, "%s/indptr", group);
    const int entries = nb_read_length(reader, indices);
    if (!reader->status)
        nb_read_shape_attribute(reader, group, &matrix->rows, &matrix->columns);
    matrix->value = nb_read_doubles(reader, data, entries, 0, 0);
    matrix->column = nb_read_ints(reader, indices, entries, 0);
    matrix->start = nb_read_ints(reader, starts, matrix->rows + 1, 0);
    nb_reader_check_offsets(reader, starts, matrix->start, matrix->rows, entries);
    if (!reader->status)
        check_sparse(reader, indices, matrix);
}

static void check_fit(struct nb_reader *reader, int index, const struct nb_newton_system *system,
                      int rows, int dofs)
{
    char label[SYSTEM_NAME];
    const struct nb_csr *mass = &system->mass, *jacobian = &system->jacobian;
    member(index, NULL, label, sizeof label);
    if (reader->status)
        return;
    if (rows % 3 || system->schur.rows != rows || system->schur.columns != rows)
        nb_reader_fail(reader, NB_BAD_INPUT, label,
                       "schur is %d x %d, must be square with %d rows, a multiple of 3",
                       system->schur.rows, system->schur.columns, rows);
    else if (jacobian->columns != dofs || jacobian->rows != (dofs > 0 ? rows : 0))
        nb_reader_fail(reader, NB_BAD_INPUT, label, "jacobian is %d x %d, must be %d x %d",
                       jacobian->rows, jacobian->columns, dofs > 0 ? rows : 0, dofs);
    else if (mass->rows && (mass->rows != dofs || mass->columns != dofs))
        nb_reader_fail(reader, NB_BAD_INPUT, label, "mass is %d x %d, must be %d x %d", mass->rows,
                       mass->columns, dofs, dofs);
}

static void read_coupling(struct nb_reader *reader, const char *label, int rows,
                          struct nb_newton_system *system)
{
    const int blocks = nb_read_count(reader, label);
    if (!reader->status && blocks > rows / 3)
        nb_reader_fail(reader, NB_BAD_INPUT, label, "has %d blocks, at most %d rows may have one",
                       blocks, rows);
    system->coupling = nb_read_doubles(reader, label, blocks, 3, 3);
    system->coupled = reader->status ? 0 : 3 * blocks;
}

static void read_system(struct nb_reader *reader, int index, struct nb_newton_system *system)
{
    char label[SYSTEM_NAME];
    const int rows = nb_read_count(reader, member(index, "right_side", label, sizeof label));
    const int dofs = nb_read_count(reader, member(index, "momentum", label, sizeof label));
    system->iteration =
        nb_read_int_attribute(reader, member(index, NULL, label, sizeof label), "iteration");
    system->shift = nb_read_double_attribute(reader, label, "shift");
    read_sparse(reader, member(index, "mass", label, sizeof label), &system->mass);
    read_sparse(reader, member(index, "jacobian", label, sizeof label), &system->jacobian);
    read_sparse(reader, member(index, "schur", label, sizeof label), &system->schur);
    check_fit(reader, index, system, rows, dofs);
    system->compliance =
        nb_read_doubles(reader, member(index, "compliance", label, sizeof label), rows, 0, 0);
    if (nb_reader_has(reader, member(index, "coupling", label, sizeof label)))
        read_coupling(reader, label, rows, system);
    system->momentum =
        nb_read_doubles(reader, member(index, "momentum", label, sizeof label), dofs, 0, 0);
    system->constraint =
        nb_read_doubles(reader, member(index, "constraint", label, sizeof label), rows, 0, 0);
    system->right_side =
        nb_read_doubles(reader, member(index, "right_side", label, sizeof label), rows, 0, 0);
    if (dofs == 0) {
        free(system->momentum);
        system->momentum = NULL;
    }
}

/* Systems are numbered without gaps, so the first name that is missing ends the count. */
static int count_systems(struct nb_reader *reader)
{
    char label[SYSTEM_NAME];
    int count = 0;
    if (!nb_reader_has(reader, "newton_systems"))
        return 0;
    while (nb_reader_has(reader, member(count, NULL, label, sizeof label)))
        ++count;
    return count;
}

static void read_count(struct nb_reader *reader, void *count)
{
    *(int *)count = count_systems(reader);
}

enum nb_status nb_newton_system_count(const char *path, int *count, struct nb_error *error)
{
    *count = 0;
    const enum nb_status status = nb_is_problem_text(path) ? NB_OK : nb_read_file(path, read_count, count, NULL, error);
    if (status)
        *count = 0;
    return status;
}

struct one_system {
    int index;
    struct nb_newton_system *system;
};

static void read_one(struct nb_reader *reader, void *context)
{
    const struct one_system *one = context;
    const int count = count_systems(reader);
    if (!reader->status && (one->index < 0 || one->index >= count))
        nb_reader_fail(reader, NB_BAD_INPUT, "newton_systems", "has no system %d, it holds %d",
                       one->index, count);
    if (!reader->status)
        read_system(reader, one->index, one->system);
}

enum nb_status nb_newton_system_read(const char *path, int index, struct nb_newton_system *system,
                                     struct nb_error *error)
{
    struct one_system one = {index, system};
    memset(system, 0, sizeof *system);
    const enum nb_status status = nb_read_file(path, read_one, &one, system->hash, error);
    if (status)
        nb_newton_system_free(system);
    return status;
}
