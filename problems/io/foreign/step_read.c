/* A step's parts from an HDF5 file, whose vectors tell the sizes: their extents are real, and every matrix must fit. */
#include <stdio.h>
#include <stdlib.h>

#include "problems/io/foreign/step_parts.h"

static const char *label(const char *place, const char *part, char text[64])
{
    snprintf(text, 64, "%s%s", place, part);
    return text;
}

static int count_of(struct nb_reader *reader, const struct nb_step_place *place, const char *vector)
{
    char text[64];
    return nb_read_vector_count(reader, label(place->vectors, vector, text));
}

/* A matrix that only bilateral rows need is there with their vector, or neither is. */
static void check_bilateral(struct nb_reader *reader, const struct nb_step_place *place, const char *matrix,
                            const char *vector, int rows)
{
    char of_matrix[64], of_vector[64];
    const int there = nb_reader_has(reader, label(place->matrices, matrix, of_matrix));
    label(place->vectors, vector, of_vector);
    if (there && rows == 0 && !nb_reader_has(reader, of_vector))
        nb_reader_fail(reader, NB_BAD_INPUT, of_vector, "missing, though there is a %s", matrix);
    else if (!there && rows > 0)
        nb_reader_fail(reader, NB_BAD_INPUT, of_matrix, "missing, though %s has %d entries", of_vector, rows);
}

static void measure(struct nb_reader *reader, const struct nb_step_place *place, const struct nb_step_form *form,
                    struct nb_step_parts *parts)
{
    char text[64];
    const char *velocity = form->vector[NB_PART_VELOCITY].name, *bilateral = form->vector[NB_PART_BILATERAL].name;
    parts->contacts = count_of(reader, place, form->vector[NB_PART_FRICTION].name);
    if (parts->dimension == 0)
        nb_step_parts_measure(reader, label(place->vectors, velocity, text), parts->contacts,
                              count_of(reader, place, velocity), parts);
    if (parts->form == NB_LINEAR_GLOBAL)
        parts->dofs = count_of(reader, place, form->vector[NB_PART_FORCE].name);
    if (nb_reader_has(reader, label(place->vectors, bilateral, text)))
        parts->bilaterals = count_of(reader, place, bilateral);
    for (int i = 1; i < NB_STEP_MATRICES; ++i)
        if (nb_step_part_is_bilateral(parts->form, i))
            check_bilateral(reader, place, form->matrix[i].name, bilateral, parts->bilaterals);
}

/* Vectors of contacts may be tables, a row a contact: columns of contacts would be read as others. */
static double *read_vector(struct nb_reader *reader, const char *name, const struct nb_step_parts *parts,
                           enum nb_extent extent)
{
    if (extent == NB_EXTENT_ROWS && nb_reader_has_table(reader, name))
        return nb_read_doubles(reader, name, parts->contacts, parts->dimension, 0);
    return nb_read_doubles(reader, name, nb_step_extent(parts, extent), 0, 0);
}

void nb_step_parts_read(struct nb_reader *reader, const struct nb_step_place *place, struct nb_notes *notes,
                        struct nb_step_parts *parts, struct nb_problem *problem)
{
    const struct nb_step_form *form = nb_step_form(parts->form);
    char text[64];
    measure(reader, place, form, parts);
    for (int i = 0; i < NB_STEP_VECTORS; ++i)
        if (form->vector[i].name && (i != NB_PART_BILATERAL || parts->bilaterals > 0))
            parts->vector[i] = read_vector(reader, label(place->vectors, form->vector[i].name, text), parts,
                                           form->vector[i].rows);
    for (int i = 0; i < NB_STEP_MATRICES; ++i)
        if (!reader->status && (parts->bilaterals > 0 || !nb_step_part_is_bilateral(parts->form, i)))
            place->read_matrix(reader, label(place->matrices, form->matrix[i].name, text),
                               nb_step_extent(parts, form->matrix[i].rows),
                               nb_step_extent(parts, form->matrix[i].columns), &parts->entries[i]);
    if (parts->dimension == 5) {
        double *rolling = nb_read_doubles(reader, label(place->vectors, "mu_r", text), parts->contacts, 0, 0);
        nb_step_leave_rolling(reader, notes, rolling, parts->contacts);
        free(rolling);
    }
    nb_step_parts_build(reader, parts, problem);
}
