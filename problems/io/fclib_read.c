/* The groups fclib_global and fclib_local (Acary et al.; docs/reference/formats.md):
 *
 *     M v = H r + G l + f,  u = H^T v + w,  G^T v + b = 0        global
 *     u = W r + V l + q,    V^T r + R l + s = 0                  local
 *
 * with H, G and V as the file has them; in memory the transposes of H and G are kept, and W, V, R
 * as one matrix, and a problem of the plane as one in space (fclib_planar.h). Sizes come from the
 * vectors, whose extents are real; every matrix must fit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/fclib_planar.h"

/* Contacts, mu and the contacts' velocity: the same in both groups but for the latter's name. */
static void read_contact_vectors(struct nb_reader *reader, int dimension, const char *mu,
                                 const char *velocity, struct nb_linear_step *step)
{
    const int contacts = nb_read_vector_count(reader, mu);
    step->contacts = contacts;
    step->friction = nb_read_doubles(reader, mu, contacts, 0, 0);
    step->contact_velocity = nb_read_contact_rows(reader, velocity, dimension, contacts);
}

/* An optional vector whose length is the number of bilateral rows; the matrix that goes with it
 * must be there too, unless there are none. */
static void read_bilateral_vector(struct nb_reader *reader, const char *vector, const char *matrix,
                                  struct nb_linear_step *step)
{
    const int has_matrix = nb_reader_has(reader, matrix);
    if (nb_reader_has(reader, vector) || has_matrix)
        step->bilaterals = nb_read_vector_count(reader, vector);
    if (!reader->status && step->bilaterals > 0 && !has_matrix)
        nb_reader_fail(reader, NB_BAD_INPUT, matrix, "missing, though %s has %d entries", vector,
                       step->bilaterals);
    if (step->bilaterals > 0)
        step->bilateral_velocity = nb_read_doubles(reader, vector, step->bilaterals, 0, 0);
    else
        step->bilateral_velocity = calloc(1, sizeof *step->bilateral_velocity);
}

/* Entries as compressed rows, or their transpose; frees them. */
static void compress(struct nb_reader *reader, struct nb_triplets *entries, int rows, int columns,
                     int transposed, struct nb_csr *matrix)
{
    if (transposed) {
        int *swap = entries->row;
        entries->row = entries->column;
        entries->column = swap;
    }
    nb_entries_compress(reader, entries, transposed ? columns : rows, transposed ? rows : columns,
                        matrix);
    nb_triplets_free(entries);
}

static void make_empty(struct nb_reader *reader, int columns, struct nb_csr *matrix)
{
    if (!reader->status)
        reader->status = nb_csr_allocate(matrix, 0, columns, 0, reader->error);
}

/* M and H, in a problem of the plane with a mass for each contact's second tangent. */
static void read_mass_and_contacts(struct nb_reader *reader, int dimension,
                                   struct nb_linear_step *step)
{
    struct nb_triplets mass = {0}, h = {0};
    const int contacts = step->contacts, dofs = step->dofs;
    nb_read_fclib_matrix(reader, "fclib_global/M", dofs, dofs, &mass);
    nb_read_fclib_matrix(reader, "fclib_global/H", dofs, dimension * contacts, &h);
    if (dimension == 2) {
        nb_planar_move(h.count, h.column);
        nb_planar_add_masses(reader, &mass, &h, dofs, contacts);
        step->dofs = dofs + contacts;
    }
    compress(reader, &mass, step->dofs, step->dofs, 0, &step->mass);
    compress(reader, &h, step->dofs, 3 * contacts, 1, &step->contact_jacobian);
}

static void read_global(struct nb_reader *reader, struct nb_linear_step *step)
{
    const int dimension = nb_read_dimension(reader, NB_LINEAR_GLOBAL);
    const int dofs = nb_read_vector_count(reader, "fclib_global/vectors/f");
    struct nb_triplets g = {0};
    step->dofs = dofs;
    read_contact_vectors(reader, dimension, "fclib_global/vectors/mu", "fclib_global/vectors/w",
                         step);
    read_bilateral_vector(reader, "fclib_global/vectors/b", "fclib_global/G", step);
    read_mass_and_contacts(reader, dimension, step);
    step->force = nb_read_velocities(reader, "fclib_global/vectors/f", dimension, step->dofs,
                                     step->contacts);
    if (step->bilaterals > 0) {
        nb_read_fclib_matrix(reader, "fclib_global/G", dofs, step->bilaterals, &g);
        compress(reader, &g, step->dofs, step->bilaterals, 1, &step->bilateral_jacobian);
    } else {
        make_empty(reader, step->dofs, &step->bilateral_jacobian);
    }
    make_empty(reader, 0, &step->delassus);
}

/* W in its place in [W V; V^T R]. */
static void add_delassus(struct nb_reader *reader, int dimension, int contacts,
                         struct nb_triplets *all)
{
    struct nb_triplets w = {0};
    nb_read_fclib_matrix(reader, "fclib_local/W", dimension * contacts, dimension * contacts, &w);
    if (dimension == 2) {
        nb_planar_move(w.count, w.row);
        nb_planar_move(w.count, w.column);
        nb_planar_add_delassus(reader, &w, contacts);
    }
    nb_entries_add(reader, all, &w, 0, 0, 0);
    nb_triplets_free(&w);
}

/* V, V^T and R in theirs. */
static void add_bilaterals(struct nb_reader *reader, int dimension, int contacts, int p,
                           struct nb_triplets *all)
{
    struct nb_triplets v = {0}, r = {0};
    nb_read_fclib_matrix(reader, "fclib_local/V", dimension * contacts, p, &v);
    if (dimension == 2)
        nb_planar_move(v.count, v.row);
    nb_entries_add(reader, all, &v, 0, 3 * contacts, 0);
    nb_entries_add(reader, all, &v, 3 * contacts, 0, 1);
    nb_read_fclib_matrix(reader, "fclib_local/R", p, p, &r);
    nb_entries_add(reader, all, &r, 3 * contacts, 3 * contacts, 0);
    nb_triplets_free(&v);
    nb_triplets_free(&r);
}

static void read_local(struct nb_reader *reader, struct nb_linear_step *step)
{
    struct nb_triplets all = {0};
    const int dimension = nb_read_dimension(reader, NB_LINEAR_LOCAL);
    read_contact_vectors(reader, dimension, "fclib_local/vectors/mu", "fclib_local/vectors/q",
                         step);
    read_bilateral_vector(reader, "fclib_local/vectors/s", "fclib_local/R", step);
    const int n = 3 * step->contacts, p = step->bilaterals;
    if (!reader->status && p == 0 && nb_reader_has(reader, "fclib_local/V"))
        nb_reader_fail(reader, NB_BAD_INPUT, "fclib_local/R", "missing, though there is a V");
    add_delassus(reader, dimension, step->contacts, &all);
    if (p > 0)
        add_bilaterals(reader, dimension, step->contacts, p, &all);
    nb_entries_compress(reader, &all, n + p, n + p, &step->delassus);
    nb_triplets_free(&all);
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
