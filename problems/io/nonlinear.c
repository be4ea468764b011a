/* The nonlinear step in our own layout, and what a linear one is drawn by: gravity, the groups of problems/fields.h
 * with shapes/ among them (shapes.c), the islands, and u~ of the bodies and of the particles. Every dataset is
 * described in docs/reference/formats.md. */
#include <stdlib.h>
#include <string.h>

#include "problems/io/parts.h"
#include "problems/islands.h"

static const char of_particles[] = "particles/free_velocity";

/* u~ of the bodies, and behind it that of the particles. */
static void read_free_velocity(struct nb_reader *reader, struct nb_problem *problem)
{
    const size_t bodies = 6 * (size_t)problem->bodies.count;
    const size_t particles = 3 * (size_t)problem->particles.count;
    double *u = nb_read_doubles(reader, "free_velocity", problem->bodies.count, 6, 0);
    problem->free_velocity = u;
    if (!u || particles == 0)
        return;
    double *v = nb_read_doubles(reader, of_particles, problem->particles.count, 3, 0);
    double *all = v ? realloc(u, (bodies + particles + 1) * sizeof *all) : NULL;
    if (all) {
        memcpy(all + bodies, v, particles * sizeof *v);
        problem->free_velocity = all;
    } else if (v) {
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, "free_velocity", "no memory");
    }
    free(v);
}

static void read_gravity(struct nb_reader *reader, struct nb_problem *problem)
{
    double *gravity = nb_read_doubles(reader, "gravity", 3, 0, 0);
    if (gravity)
        memcpy(problem->gravity, gravity, sizeof problem->gravity);
    free(gravity);
}

void nb_read_beside(struct nb_reader *reader, struct nb_problem *problem)
{
    nb_read_group(reader, problem, NB_MOTION);
    if (nb_reader_has(reader, "shapes")) {
        read_gravity(reader, problem);
        nb_read_shapes(reader, problem);
    }
    nb_read_group(reader, problem, NB_DRAWING);
}

void nb_read_nonlinear(struct nb_reader *reader, struct nb_problem *problem)
{
    read_gravity(reader, problem);
    for (int group = 0; group < NB_FIELD_GROUPS; ++group) {
        nb_read_group(reader, problem, (enum nb_field_groups)group);
        if (group == NB_BODIES)
            nb_read_shapes(reader, problem);
    }
    read_free_velocity(reader, problem);
}

/* Islands follow from what connects bodies and particles; they are written for other programs and
 * not read. */
static void write_islands(struct nb_writer *writer, const struct nb_problem *problem)
{
    struct nb_islands islands;
    if (writer->status)
        return;
    if (nb_islands_find(&islands, problem, NULL)) {
        nb_writer_fail(writer, NB_OUT_OF_MEMORY, "bodies/island", "no memory");
        return;
    }
    if (problem->particles.count > 0)
        nb_write_ints(writer, "particles/island", problem->particles.count, 0, islands.particle,
                      "as bodies/island");
    nb_write_ints(writer, "bodies/island", problem->bodies.count, 0, islands.body,
                  problem->ties.count ? "connected component of bodies and particles through contacts, joints, "
                                        "tetrahedra, attachments, distances and ties"
                                      : "connected component of bodies and particles through contacts, joints, "
                                        "tetrahedra, attachments and distances");
    nb_write_ints(writer, "contacts/island", problem->contacts.count, 0, islands.contact,
                  "of its bodies and particles");
    nb_islands_free(&islands);
}

static void write_gravity(struct nb_writer *writer, const struct nb_problem *problem)
{
    nb_write_doubles(writer, "gravity", 3, 0, 0, problem->gravity, "m/s^2", NULL);
}

void nb_write_beside(struct nb_writer *writer, const struct nb_problem *problem)
{
    nb_write_group_fields(writer, problem, NB_MOTION);
    if (problem->shape_count > 0) {
        write_gravity(writer, problem);
        nb_write_shapes(writer, problem);
    }
    nb_write_group_fields(writer, problem, NB_DRAWING);
}

void nb_write_nonlinear(struct nb_writer *writer, const struct nb_problem *problem)
{
    const double *u = problem->free_velocity;
    write_gravity(writer, problem);
    for (int group = 0; group < NB_FIELD_GROUPS; ++group) {
        nb_write_group_fields(writer, problem, (enum nb_field_groups)group);
        if (group == NB_BODIES)
            nb_write_shapes(writer, problem);
    }
    if (problem->particles.count > 0)
        nb_write_doubles(writer, of_particles, problem->particles.count, 3, 0, u + 6 * problem->bodies.count, "m/s",
                         "u~");
    write_islands(writer, problem);
    nb_write_doubles(writer, "free_velocity", problem->bodies.count, 6, 0, u, "m/s, rad/s",
                     "u~ = u- + h M^-1 f");
}
