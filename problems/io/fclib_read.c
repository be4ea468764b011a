/* The groups fclib_global and fclib_local (Acary et al.; data/FORMAT.md):
 *
 *     M v = H r + G l + f,  u = H^T v + w,  G^T v + b = 0        global
 *     u = W r + V l + q,    V^T r + R l + s = 0                  local
 *
 * with H, G and V as the file has them; in memory the transposes of H and G are kept, and W, V, R
 * as one matrix. Sizes come from the vectors, whose extents are real; every matrix must fit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/parts.h"

static void check_spacedim(struct nb_reader *reader, const char *name)
{
    const int dimension = nb_read_int(reader, name);
    if (reader->status)
        return;
    if (dimension == 2)
        nb_reader_fail(reader, NB_UNSUPPORTED, name,
                       "is 2, and only three-dimensional problems are solved");
    else if (dimension != 3)
        nb_reader_fail(reader, NB_BAD_INPUT, name, "is %d, must be 3", dimension);
}

/* Contacts, mu and the contacts' velocity: the same in both groups but for the latter's name. */
static void read_contact_vectors(struct nb_reader *reader, const char *mu, const char *velocity,
                                 struct nb_linear_step *step)
{
    const int contacts = nb_read_count(reader, mu);
    step->contacts = contacts;
    step->friction = nb_read_doubles(reader, mu, contacts, 0, 0);
    step->contact_velocity = nb_read_doubles(reader, velocity, 3 * contacts, 0, 0);
}

/* An optional vector whose length is the number of bilateral rows; the matrix that goes with it
 * must be there too, unless there are none. */
static void read_bilateral_vector(struct nb_reader *reader, const char *vector, const char *matrix,
                                  struct nb_linear_step *step)
{
    const int has_matrix = nb_reader_has(reader, matrix);
    if (nb_reader_has(reader, vector) || has_matrix)
        step->bilaterals = nb_read_count(reader, vector);
    if (!reader->status && step->bilaterals > 0 && !has_matrix)
        nb_reader_fail(reader, NB_BAD_INPUT, matrix, "missing, though %s has %d entries", vector,
                       step->bilaterals);
    if (step->bilaterals > 0)
        step->bilateral_velocity = nb_read_doubles(reader, vector, step->bilaterals, 0, 0);
    else
        step->bilateral_velocity = calloc(1, sizeof *step->bilateral_velocity);
}

/* One matrix of the group as compressed rows, or its transpose. */
static void read_matrix(struct nb_reader *reader, const char *group, int rows, int columns,
                        int transposed, struct nb_csr *matrix)
{
    struct nb_entries entries = {0};
    nb_read_fclib_matrix(reader, group, rows, columns, &entries);
    if (transposed) {
        int *swap = entries.row;
        entries.row = entries.column;
        entries.column = swap;
    }
    nb_entries_compress(reader, &entries, transposed ? columns : rows, transposed ? rows : columns,
                        matrix);
    nb_entries_free(&entries);
}

static void make_empty(struct nb_reader *reader, int columns, struct nb_csr *matrix)
{
    if (!reader->status)
        reader->status = nb_csr_allocate(matrix, 0, columns, 0, reader->error);
}

static void read_global(struct nb_reader *reader, struct nb_linear_step *step)
{
    check_spacedim(reader, "fclib_global/spacedim");
    const int dofs = nb_read_count(reader, "fclib_global/vectors/f");
    step->dofs = dofs;
    step->force = nb_read_doubles(reader, "fclib_global/vectors/f", dofs, 0, 0);
    read_contact_vectors(reader, "fclib_global/vectors/mu", "fclib_global/vectors/w", step);
    read_bilateral_vector(reader, "fclib_global/vectors/b", "fclib_global/G", step);
    read_matrix(reader, "fclib_global/M", dofs, dofs, 0, &step->mass);
    read_matrix(reader, "fclib_global/H", dofs, 3 * step->contacts, 1, &step->contact_jacobian);
    if (step->bilaterals > 0)
        read_matrix(reader, "fclib_global/G", dofs, step->bilaterals, 1,
                    &step->bilateral_jacobian);
    else
        make_empty(reader, dofs, &step->bilateral_jacobian);
    make_empty(reader, 0, &step->delassus);
}

/* Adds a matrix to the entries of [W V; V^T R]; mirrored: and its transpose on the other side. */
static void add_block(struct nb_reader *reader, const char *group, int rows, int columns, int row0,
                      int column0, int mirrored, struct nb_entries *all)
{
    struct nb_entries entries = {0};
    nb_read_fclib_matrix(reader, group, rows, columns, &entries);
    nb_entries_add(reader, all, &entries, row0, column0, 0);
    if (mirrored)
        nb_entries_add(reader, all, &entries, column0, row0, 1);
    nb_entries_free(&entries);
}

static void read_local(struct nb_reader *reader, struct nb_linear_step *step)
{
    struct nb_entries all = {0};
    check_spacedim(reader, "fclib_local/spacedim");
    read_contact_vectors(reader, "fclib_local/vectors/mu", "fclib_local/vectors/q", step);
    read_bilateral_vector(reader, "fclib_local/vectors/s", "fclib_local/R", step);
    const int n = 3 * step->contacts, p = step->bilaterals;
    if (!reader->status && p == 0 && nb_reader_has(reader, "fclib_local/V"))
        nb_reader_fail(reader, NB_BAD_INPUT, "fclib_local/R", "missing, though there is a V");
    add_block(reader, "fclib_local/W", n, n, 0, 0, 0, &all);
    if (p > 0) {
        add_block(reader, "fclib_local/V", n, p, 0, n, 1, &all);
        add_block(reader, "fclib_local/R", p, p, n, n, 0, &all);
    }
    nb_entries_compress(reader, &all, n + p, n + p, &step->delassus);
    nb_entries_free(&all);
    make_empty(reader, 0, &step->mass);
    make_empty(reader, 0, &step->contact_jacobian);
    make_empty(reader, 0, &step->bilateral_jacobian);
    step->force = calloc(1, sizeof *step->force);
}

void nb_read_fclib(struct nb_reader *reader, enum nb_form form, struct nb_problem *problem)
{
    const int local = form == NB_LINEAR_LOCAL;
    const char *title = local ? "fclib_local/info/title" : "fclib_global/info/title";
    const char *group = local ? "fclib_local" : "fclib_global";
    problem->form = form;
    if (!reader->status && !nb_reader_has(reader, group))
        nb_reader_fail(reader, NB_BAD_INPUT, group, "missing");
    if (local)
        read_local(reader, &problem->linear);
    else
        read_global(reader, &problem->linear);
    if (!reader->status &&
        (!problem->linear.bilateral_velocity || !problem->linear.force))
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, NULL, "no memory");
    char info[32];
    snprintf(info, sizeof info, "%s/info", group);
    if (nb_reader_has(reader, info) && nb_reader_has(reader, title))
        nb_read_text(reader, title, problem->source, sizeof problem->source);
}
