/* Problems in the plane; see the header. */
#include "problems/io/fclib_planar.h"

#include <stdlib.h>

#include "problems/io/foreign/step_parts.h"

static int planar_row(int i)
{
    return 3 * (i / 2) + i % 2;
}

void nb_planar_move(int count, int *index)
{
    for (int k = 0; k < count; ++k)
        index[k] = planar_row(index[k]);
}

int nb_read_dimension(struct nb_reader *reader, enum nb_form form)
{
    const char *name =
        form == NB_LINEAR_LOCAL ? "fclib_local/spacedim" : "fclib_global/spacedim";
    if (form == NB_NONLINEAR)
        return 3;
    const int dimension = nb_read_int(reader, name);
    if (!reader->status && dimension != 2 && dimension != 3)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "is %d, must be 2 or 3", dimension);
    return dimension;
}

/* rows x width numbers of the file as rows x more. */
static double *read_widened(struct nb_reader *reader, const char *name, int rows, int width, int more)
{
    double *stored = nb_read_doubles(reader, name, rows * width, 0, 0);
    double *all = stored ? nb_step_widen(reader, stored, rows, width, more) : NULL;
    free(stored);
    return all;
}

double *nb_read_contact_rows(struct nb_reader *reader, const char *name, int dimension,
                             int contacts)
{
    return read_widened(reader, name, contacts, dimension, 3);
}

double *nb_read_velocities(struct nb_reader *reader, const char *name, int dimension, int dofs,
                           int contacts)
{
    return read_widened(reader, name, 1, dimension == 2 ? dofs - contacts : dofs, dofs);
}

/* A place for each contact c: first + stride c. */
struct places {
    int first, stride;
};

static void add_entries(struct nb_reader *reader, struct nb_triplets *to, int contacts,
                        struct places rows, struct places columns, const double *value)
{
    for (int c = 0; c < contacts && !reader->status; ++c)
        if (!nb_triplets_add(to, rows.first + rows.stride * c, columns.first + columns.stride * c, value[c]))
            nb_reader_fail(reader, NB_OUT_OF_MEMORY, NULL, "no memory for %d contacts", contacts);
}

void nb_planar_add_delassus(struct nb_reader *reader, struct nb_triplets *delassus, int contacts)
{
    const struct places tangent = {2, 3};
    double *value = calloc((size_t)contacts + 1, sizeof *value);
    if (!value)
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, NULL, "no memory for %d contacts", contacts);
    if (reader->status) {
        free(value);
        return;
    }
    for (int k = 0; k < delassus->count; ++k)
        if (delassus->row[k] == delassus->column[k] && delassus->row[k] % 3 == 1)
            value[delassus->row[k] / 3] += delassus->value[k];
    for (int c = 0; c < contacts; ++c)
        if (!(value[c] > 0))
            value[c] = 1;
    add_entries(reader, delassus, contacts, tangent, tangent, value);
    free(value);
}

void nb_planar_add_masses(struct nb_reader *reader, struct nb_triplets *mass, struct nb_triplets *h,
                          int dofs, int contacts)
{
    const struct places tangent = {2, 3}, own = {dofs, 1};
    double *diagonal = calloc((size_t)dofs + 1, sizeof *diagonal);
    double *value = calloc((size_t)contacts + 1, sizeof *value);
    if (!diagonal || !value)
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, NULL, "no memory for %d contacts", contacts);
    if (reader->status)
        goto done;
    for (int k = 0; k < mass->count; ++k)
        if (mass->row[k] == mass->column[k])
            diagonal[mass->row[k]] += mass->value[k];
    for (int k = 0; k < h->count; ++k)
        if (h->column[k] % 3 == 1 && diagonal[h->row[k]] > 0)
            value[h->column[k] / 3] += h->value[k] * h->value[k] / diagonal[h->row[k]];
    for (int c = 0; c < contacts; ++c)
        value[c] = value[c] > 0 ? 1 / value[c] : 1;
    add_entries(reader, mass, contacts, own, own, value);
    for (int c = 0; c < contacts; ++c)
        value[c] = 1;
    add_entries(reader, h, contacts, own, tangent, value);
done:
    free(diagonal);
    free(value);
}
