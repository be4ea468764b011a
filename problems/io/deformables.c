/* The groups particles, tetrahedra, attachments and distances of a nonlinear step, and the
 * deformable sides of its contacts; a file without one of them has none. Every dataset is described
 * in data/FORMAT.md. */
#include <stdlib.h>
#include <string.h>

#include "problems/io/parts.h"

static void read_particles(struct nb_reader *reader, struct nb_particles *particles)
{
    if (!nb_reader_has(reader, "particles"))
        return;
    const int count = nb_read_count(reader, "particles/mass");
    particles->count = count;
    particles->position = nb_read_doubles(reader, "particles/position", count, 3, 0);
    particles->velocity = nb_read_doubles(reader, "particles/velocity", count, 3, 0);
    particles->mass = nb_read_doubles(reader, "particles/mass", count, 0, 0);
}

static void read_tetrahedra(struct nb_reader *reader, struct nb_tetrahedra *tetrahedra)
{
    if (!nb_reader_has(reader, "tetrahedra"))
        return;
    const int count = nb_read_count(reader, "tetrahedra/material");
    tetrahedra->count = count;
    tetrahedra->particle = nb_read_ints(reader, "tetrahedra/particle", count, 4);
    tetrahedra->rest = nb_read_doubles(reader, "tetrahedra/rest", count, 3, 3);
    tetrahedra->material = nb_read_ints(reader, "tetrahedra/material", count, 0);
    tetrahedra->lame = nb_read_doubles(reader, "tetrahedra/lame", count, 2, 0);
    tetrahedra->inflation = nb_read_doubles(reader, "tetrahedra/inflation", count, 0, 0);
}

static void read_attachments(struct nb_reader *reader, struct nb_attachments *attachments)
{
    if (!nb_reader_has(reader, "attachments"))
        return;
    const int count = nb_read_count(reader, "attachments/particle");
    attachments->count = count;
    attachments->particle = nb_read_ints(reader, "attachments/particle", count, 0);
    attachments->body = nb_read_ints(reader, "attachments/body", count, 0);
    attachments->point = nb_read_doubles(reader, "attachments/point", count, 3, 0);
    attachments->compliance = nb_read_doubles(reader, "attachments/compliance", count, 0, 0);
    attachments->drift = nb_read_doubles(reader, "attachments/drift", count, 3, 0);
}

static void read_distances(struct nb_reader *reader, struct nb_distances *distances)
{
    if (!nb_reader_has(reader, "distances"))
        return;
    const int count = nb_read_count(reader, "distances/length");
    distances->count = count;
    distances->particle = nb_read_ints(reader, "distances/particle", count, 2);
    distances->length = nb_read_doubles(reader, "distances/length", count, 0, 0);
    distances->compliance = nb_read_doubles(reader, "distances/compliance", count, 0, 0);
}

void nb_read_deformables(struct nb_reader *reader, struct nb_problem *problem)
{
    struct nb_contacts *contacts = &problem->contacts;
    read_particles(reader, &problem->particles);
    read_tetrahedra(reader, &problem->tetrahedra);
    read_attachments(reader, &problem->attachments);
    read_distances(reader, &problem->distances);
    if (!nb_reader_has(reader, "contacts/particle") && !nb_reader_has(reader, "contacts/weight"))
        return;
    contacts->particle = nb_read_ints(reader, "contacts/particle", contacts->count, 6);
    contacts->weight = nb_read_doubles(reader, "contacts/weight", contacts->count, 2, 3);
}

void nb_read_free_velocity(struct nb_reader *reader, struct nb_problem *problem)
{
    const size_t of_bodies = 6 * (size_t)problem->bodies.count;
    const size_t of_particles = 3 * (size_t)problem->particles.count;
    double *u = nb_read_doubles(reader, "free_velocity", problem->bodies.count, 6, 0);
    problem->free_velocity = u;
    if (!u || of_particles == 0)
        return;
    double *v = nb_read_doubles(reader, "particles/free_velocity", problem->particles.count, 3, 0);
    double *all = v ? realloc(u, (of_bodies + of_particles + 1) * sizeof *all) : NULL;
    if (all) {
        memcpy(all + of_bodies, v, of_particles * sizeof *v);
        problem->free_velocity = all;
    } else if (v) {
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, "free_velocity", "no memory");
    }
    free(v);
}

static void write_particles(struct nb_writer *writer, const struct nb_problem *problem,
                            const int *island)
{
    const struct nb_particles *particles = &problem->particles;
    const int count = particles->count;
    if (count == 0)
        return;
    nb_write_group(writer, "particles");
    nb_write_doubles(writer, "particles/position", count, 3, 0, particles->position, "m",
                     "world frame");
    nb_write_doubles(writer, "particles/velocity", count, 3, 0, particles->velocity, "m/s", "u-");
    nb_write_doubles(writer, "particles/mass", count, 0, 0, particles->mass, "kg", "lumped");
    nb_write_doubles(writer, "particles/free_velocity", count, 3, 0,
                     problem->free_velocity + 6 * problem->bodies.count, "m/s", "u~");
    nb_write_ints(writer, "particles/island", count, 0, island, "as bodies/island");
}

static void write_tetrahedra(struct nb_writer *writer, const struct nb_tetrahedra *tetrahedra)
{
    const int count = tetrahedra->count;
    if (count == 0)
        return;
    nb_write_group(writer, "tetrahedra");
    nb_write_ints(writer, "tetrahedra/particle", count, 4, tetrahedra->particle,
                  "corners 0 to 3, positively oriented at rest");
    nb_write_doubles(writer, "tetrahedra/rest", count, 3, 3, tetrahedra->rest, "m",
                     "columns: the edges from corner 0 to 1, 2, 3 at rest");
    nb_write_ints(writer, "tetrahedra/material", count, 0, tetrahedra->material,
                  "0: co-rotational Hooke; 1: stable neo-Hookean");
    nb_write_doubles(writer, "tetrahedra/lame", count, 2, 0, tetrahedra->lame, "Pa",
                     "Lame's lambda, mu");
    nb_write_doubles(writer, "tetrahedra/inflation", count, 0, 0, tetrahedra->inflation, "Pa",
                     "pressure, taken from the normal stresses");
}

static void write_attachments(struct nb_writer *writer, const struct nb_attachments *attachments)
{
    const int count = attachments->count;
    if (count == 0)
        return;
    nb_write_group(writer, "attachments");
    nb_write_ints(writer, "attachments/particle", count, 0, attachments->particle, NULL);
    nb_write_ints(writer, "attachments/body", count, 0, attachments->body,
                  "index into bodies, or -1 for the world");
    nb_write_doubles(writer, "attachments/point", count, 3, 0, attachments->point, "m",
                     "from the centre of mass in the body's frame; in the world frame at the end "
                     "of the step where the body is -1");
    nb_write_doubles(writer, "attachments/compliance", count, 0, 0, attachments->compliance,
                     "m/N", "of all three rows");
    nb_write_doubles(writer, "attachments/drift", count, 3, 0, attachments->drift, "m/s",
                     "prescribed velocity of the world's point");
}

static void write_distances(struct nb_writer *writer, const struct nb_distances *distances)
{
    const int count = distances->count;
    if (count == 0)
        return;
    nb_write_group(writer, "distances");
    nb_write_ints(writer, "distances/particle", count, 2, distances->particle, NULL);
    nb_write_doubles(writer, "distances/length", count, 0, 0, distances->length, "m", NULL);
    nb_write_doubles(writer, "distances/compliance", count, 0, 0, distances->compliance, "m/N",
                     NULL);
}

void nb_write_deformables(struct nb_writer *writer, const struct nb_problem *problem,
                          const int *island)
{
    const struct nb_contacts *contacts = &problem->contacts;
    write_particles(writer, problem, island);
    write_tetrahedra(writer, &problem->tetrahedra);
    write_attachments(writer, &problem->attachments);
    write_distances(writer, &problem->distances);
    if (!contacts->particle)
        return;
    nb_write_ints(writer, "contacts/particle", contacts->count, 6, contacts->particle,
                  "up to three particles of side a, then b; -1: no more");
    nb_write_doubles(writer, "contacts/weight", contacts->count, 2, 3, contacts->weight, "1",
                     "their barycentric weights");
}
