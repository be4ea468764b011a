/* Arrays of the table in problems/fields.h as datasets. */
#include <stdlib.h>

#include "problems/io/parts.h"

void nb_read_field(struct nb_reader *reader, void *owner, const struct nb_field *field)
{
    const int count = nb_field_entries(owner, field), width = field->width, depth = field->depth;
    if (field->need == NB_FIELD_MAYBE && !nb_reader_has(reader, field->name))
        return;
    nb_field_set(owner, field,
                 field->whole ? (void *)nb_read_ints(reader, field->name, count, width)
                              : (void *)nb_read_doubles(reader, field->name, count, width, depth));
}

void nb_write_field(struct nb_writer *writer, const void *owner, const struct nb_field *field)
{
    const int count = nb_field_entries(owner, field);
    const void *values = nb_field_array(owner, field);
    void *zeros = NULL;
    if (!values && field->need == NB_FIELD_MAYBE)
        return;
    if (!values && field->need == NB_FIELD_ZERO && !(values = zeros = calloc((size_t)count + 1, nb_field_bytes(field))))
        nb_writer_fail(writer, NB_OUT_OF_MEMORY, field->name, "no memory");
    if (field->whole)
        nb_write_ints(writer, field->name, count, field->width, values, field->meaning);
    else
        nb_write_doubles(writer, field->name, count, field->width, field->depth, values, field->unit,
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
        nb_read_field(reader, problem, field);
}

void nb_write_group_fields(struct nb_writer *writer, const struct nb_problem *problem, enum nb_field_groups which)
{
    const struct nb_field_group *group = &nb_field_groups[which];
    if (group->optional && nb_field_entries(problem, group->field) == 0)
        return;
    nb_write_group(writer, group->name);
    for (const struct nb_field *field = group->field; field->name; ++field)
        nb_write_field(writer, problem, field);
}
