/* Arrays of the table in problems/fields.h as datasets, and sparse matrices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/parts.h"

const char *nb_member(const char *group, const char *member, char text[NB_MEMBER])
{
    snprintf(text, NB_MEMBER, "%s/%s", group, member);
    return text;
}

void nb_write_sparse(struct nb_writer *writer, const char *group, const struct nb_csr *matrix, const char *format,
                     const char *unit)
{
    static const int no_rows[1];
    char text[NB_MEMBER];
    const int shape[2] = {matrix->rows, matrix->columns}, *start = matrix->rows > 0 ? matrix->start : no_rows;
    const int entries = start[matrix->rows];
    nb_write_group(writer, group);
    if (format)
        nb_write_text_attribute(writer, group, "format", format);
    nb_write_int_attribute(writer, group, "shape", 2, shape);
    nb_write_doubles(writer, nb_member(group, "data", text), entries, 0, 0, matrix->value, unit, NULL);
    nb_write_ints(writer, nb_member(group, "indices", text), entries, 0, matrix->column, NULL);
    nb_write_ints(writer, nb_member(group, "indptr", text), matrix->rows + 1, 0, start, NULL);
}

/* The first files know no round shapes: they have none of these, which are zero. */
static int is_radius_before_any(struct nb_reader *reader, const char *name)
{
    static const char *const radii[] = {"contacts/radius", "shapes/radius", "shapes/half_length"};
    for (int i = 0; i < 3; ++i)
        if (strcmp(name, radii[i]) == 0)
            return !nb_reader_has(reader, radii[0]) && !nb_reader_has(reader, radii[1]) &&
                   !nb_reader_has(reader, radii[2]);
    return 0;
}

void nb_read_field(struct nb_reader *reader, void *owner, const struct nb_field *field, const char *name)
{
    const int count = nb_field_entries(owner, field), width = field->width, depth = field->depth;
    if (field->need == NB_FIELD_MAYBE && !nb_reader_has(reader, name))
        return;
    if (is_radius_before_any(reader, name)) {
        void *zeros = calloc((size_t)count + 1, nb_field_bytes(field));
        if (!zeros)
            nb_reader_fail(reader, NB_OUT_OF_MEMORY, name, "no memory");
        nb_field_set(owner, field, zeros);
        return;
    }
    nb_field_set(owner, field,
                 field->whole ? (void *)nb_read_ints(reader, name, count, width)
                              : (void *)nb_read_doubles(reader, name, count, width, depth));
}

void nb_write_field(struct nb_writer *writer, const void *owner, const struct nb_field *field, const char *name)
{
    const int count = nb_field_entries(owner, field);
    const void *values = nb_field_array(owner, field);
    void *zeros = NULL;
    if (!values && field->need == NB_FIELD_MAYBE)
        return;
    if (!values && field->need == NB_FIELD_ZERO && !(values = zeros = calloc((size_t)count + 1, nb_field_bytes(field))))
        nb_writer_fail(writer, NB_OUT_OF_MEMORY, name, "no memory");
    if (field->whole)
        nb_write_ints(writer, name, count, field->width, values, field->meaning);
    else
        nb_write_doubles(writer, name, count, field->width, field->depth, values, field->unit,
                         field->meaning);
    free(zeros);
}

void nb_read_group(struct nb_reader *reader, struct nb_problem *problem, enum nb_field_groups which)
{
    const struct nb_field_group *group = &nb_field_groups[which];
    if (group->optional && !nb_reader_has(reader, group->name))
        return;
    nb_field_set_count(problem, group->field, nb_read_count(reader, group->counted));
    for (const struct nb_field *field = group->field; field->name; ++field)
        nb_read_field(reader, problem, field, field->name);
}

void nb_write_group_fields(struct nb_writer *writer, const struct nb_problem *problem, enum nb_field_groups which)
{
    const struct nb_field_group *group = &nb_field_groups[which];
    if (group->optional && nb_field_entries(problem, group->field) == 0)
        return;
    nb_write_group(writer, group->name);
    for (const struct nb_field *field = group->field; field->name; ++field)
        nb_write_field(writer, problem, field, field->name);
}
