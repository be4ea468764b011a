/* Newton systems of a step (Macklin et al. 2019, 53 and 59), one group each under newton_systems/.
 * Sparse matrices are groups with data, indices, indptr and the attribute shape, as scipy has them.
 * A local problem has no M: its mass, Jacobian and momentum are empty. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/parts.h"

static const struct {
    const char *name, *unit;
    size_t place;
} matrices[] = {
#define MATRIX(member, unit) {#member, unit, offsetof(struct nb_newton_system, member)}
    MATRIX(mass, "kg, kg m^2"), MATRIX(jacobian, "1, m"), MATRIX(schur, "1/kg"),
};
enum { MATRICES = sizeof matrices / sizeof *matrices };

/* Of all rows, but for g, which is of the velocities. */
static const struct nb_field vectors[] = {
#define VECTOR(member, counted) \
    .name = #member, .array = offsetof(struct nb_newton_system, member), \
    .count = offsetof(struct nb_newton_system, counted)
    {VECTOR(compliance, schur.rows), .unit = "1/kg", .meaning = "diagonal of C"},
    {VECTOR(momentum, jacobian.columns), .unit = "N s, N m s", .meaning = "g"},
    {VECTOR(constraint, schur.rows), .unit = "m/s", .meaning = "h"},
    {VECTOR(right_side, schur.rows), .unit = "m/s", .meaning = "b = J H^-1 g - h"},
    {.name = NULL},
};

static const char *group_of(int index, char text[NB_MEMBER])
{
    snprintf(text, NB_MEMBER, "newton_systems/%04d", index);
    return text;
}

static struct nb_csr *matrix_of(struct nb_newton_system *system, int i)
{
    return (struct nb_csr *)((char *)system + matrices[i].place);
}

void nb_newton_system_free(struct nb_newton_system *system)
{
    if (!system)
        return;
    for (int i = 0; i < MATRICES; ++i)
        nb_csr_free(matrix_of(system, i));
    nb_fields_free(system, vectors);
    free(system->coupling);
    memset(system, 0, sizeof *system);
}

static void check_system(struct nb_writer *writer, const char *group, const struct nb_newton_system *system)
{
    const int rows = system->schur.rows, dofs = system->jacobian.columns;
    if (rows % 3)
        nb_writer_fail(writer, NB_BAD_INPUT, group, "has %d rows, must be a multiple of 3", rows);
    if (system->schur.columns != rows || (dofs > 0 && system->jacobian.rows != rows))
        nb_writer_fail(writer, NB_BAD_INPUT, group, "the Jacobian has %d rows, the Schur "
                       "complement is %d x %d", system->jacobian.rows, rows, system->schur.columns);
    if (system->mass.rows && (system->mass.rows != dofs || system->mass.columns != dofs))
        nb_writer_fail(writer, NB_BAD_INPUT, group, "the mass is %d x %d, the Jacobian has %d "
                       "columns", system->mass.rows, system->mass.columns, dofs);
}

static void write_system(struct nb_writer *writer, int index, const struct nb_newton_system *system)
{
    struct nb_newton_system written = *system; /* borrows all arrays */
    char group[NB_MEMBER], text[NB_MEMBER];
    check_system(writer, group_of(index, group), system);
    if (system->jacobian.columns == 0)
        written.jacobian = (struct nb_csr){.rows = 0};
    nb_write_group(writer, group);
    nb_write_int_attribute(writer, group, "iteration", 1, &system->iteration);
    nb_write_double_attribute(writer, group, "shift", system->shift);
    for (int i = 0; i < MATRICES; ++i)
        nb_write_sparse(writer, nb_member(group, matrices[i].name, text), matrix_of(&written, i), NULL,
                        matrices[i].unit);
    for (const struct nb_field *vector = vectors; vector->name; ++vector)
        nb_write_field(writer, system, vector, nb_member(group, vector->name, text));
    if (system->coupled > 0)
        nb_write_doubles(writer, nb_member(group, "coupling", text), system->coupled / 3, 3, 3, system->coupling,
                         "1/kg", "blocks of C in the first rows");
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
    char data[NB_MEMBER], indices[NB_MEMBER], starts[NB_MEMBER];
    const int entries = nb_read_length(reader, nb_member(group, "indices", indices));
    if (!reader->status)
        nb_read_shape_attribute(reader, group, &matrix->rows, &matrix->columns);
    matrix->value = nb_read_doubles(reader, nb_member(group, "data", data), entries, 0, 0);
    matrix->column = nb_read_ints(reader, indices, entries, 0);
    matrix->start = nb_read_ints(reader, nb_member(group, "indptr", starts), matrix->rows + 1, 0);
    nb_reader_check_offsets(reader, starts, matrix->start, matrix->rows, entries);
    if (!reader->status)
        check_sparse(reader, indices, matrix);
}

static void check_fit(struct nb_reader *reader, const char *group, const struct nb_newton_system *system,
                      int rows, int dofs)
{
    const struct nb_csr *mass = &system->mass, *jacobian = &system->jacobian;
    if (reader->status)
        return;
    if (rows % 3 || system->schur.rows != rows || system->schur.columns != rows)
        nb_reader_fail(reader, NB_BAD_INPUT, group,
                       "schur is %d x %d, must be square with %d rows, a multiple of 3",
                       system->schur.rows, system->schur.columns, rows);
    else if (jacobian->columns != dofs || jacobian->rows != (dofs > 0 ? rows : 0))
        nb_reader_fail(reader, NB_BAD_INPUT, group, "jacobian is %d x %d, must be %d x %d",
                       jacobian->rows, jacobian->columns, dofs > 0 ? rows : 0, dofs);
    else if (mass->rows && (mass->rows != dofs || mass->columns != dofs))
        nb_reader_fail(reader, NB_BAD_INPUT, group, "mass is %d x %d, must be %d x %d", mass->rows,
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
    char group[NB_MEMBER], text[NB_MEMBER];
    group_of(index, group);
    const int rows = nb_read_count(reader, nb_member(group, "right_side", text));
    const int dofs = nb_read_count(reader, nb_member(group, "momentum", text));
    system->iteration = nb_read_int_attribute(reader, group, "iteration");
    system->shift = nb_read_double_attribute(reader, group, "shift");
    for (int i = 0; i < MATRICES; ++i)
        read_sparse(reader, nb_member(group, matrices[i].name, text), matrix_of(system, i));
    check_fit(reader, group, system, rows, dofs);
    for (const struct nb_field *vector = vectors; vector->name; ++vector)
        nb_read_field(reader, system, vector, nb_member(group, vector->name, text));
    if (nb_reader_has(reader, nb_member(group, "coupling", text)))
        read_coupling(reader, text, rows, system);
    if (dofs == 0) {
        free(system->momentum);
        system->momentum = NULL;
    }
}

/* Systems are numbered without gaps, so the first name that is missing ends the count. */
static int count_systems(struct nb_reader *reader)
{
    char group[NB_MEMBER];
    int count = 0;
    if (!nb_reader_has(reader, "newton_systems"))
        return 0;
    while (nb_reader_has(reader, group_of(count, group)))
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
    if (!reader->status && count == 0)
        nb_reader_fail(reader, NB_BAD_INPUT, "newton_systems", "there are none in it; `ncpbench export SCENE "
                       "--newton-systems` writes a step with those of its solution");
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
