/* The nonlinear step in our own layout: gravity, bodies/, contacts/, free_velocity; shapes/ is in
 * shapes.c, joints/ and limits/ in joints.c, particles and what is made of them in deformables.c.
 * Every dataset is described in data/FORMAT.md. */
#include <stdlib.h>
#include <string.h>

#include "problems/io/parts.h"
#include "problems/islands.h"

static void read_bodies(struct nb_reader *reader, struct nb_bodies *bodies)
{
    const int count = nb_read_count(reader, "bodies/mass");
    bodies->count = count;
    bodies->position = nb_read_doubles(reader, "bodies/position", count, 3, 0);
    bodies->orientation = nb_read_doubles(reader, "bodies/orientation", count, 4, 0);
    bodies->velocity = nb_read_doubles(reader, "bodies/velocity", count, 6, 0);
    bodies->mass = nb_read_doubles(reader, "bodies/mass", count, 0, 0);
    bodies->inertia = nb_read_doubles(reader, "bodies/inertia", count, 3, 3);
}

static void read_contacts(struct nb_reader *reader, struct nb_contacts *contacts)
{
    const int count = nb_read_count(reader, "contacts/friction");
    contacts->count = count;
    contacts->body = nb_read_ints(reader, "contacts/body", count, 2);
    contacts->point = nb_read_doubles(reader, "contacts/point", count, 2, 3);
    contacts->radius = nb_read_doubles(reader, "contacts/radius", count, 2, 0);
    contacts->frame = nb_read_doubles(reader, "contacts/frame", count, 3, 3);
    contacts->thickness = nb_read_doubles(reader, "contacts/thickness", count, 0, 0);
    contacts->friction = nb_read_doubles(reader, "contacts/friction", count, 0, 0);
}

void nb_read_nonlinear(struct nb_reader *reader, struct nb_problem *problem)
{
    double *gravity = nb_read_doubles(reader, "gravity", 3, 0, 0);
    if (gravity)
        memcpy(problem->gravity, gravity, sizeof problem->gravity);
    free(gravity);
    read_bodies(reader, &problem->bodies);
    nb_read_shapes(reader, problem);
    read_contacts(reader, &problem->contacts);
    nb_read_joints(reader, &problem->joints);
    nb_read_limits(reader, &problem->limits);
    nb_read_deformables(reader, problem);
    nb_read_free_velocity(reader, problem);
}

static void write_bodies(struct nb_writer *writer, const struct nb_bodies *bodies)
{
    const int count = bodies->count;
    nb_write_group(writer, "bodies");
    nb_write_doubles(writer, "bodies/position", count, 3, 0, bodies->position, "m",
                     "centre of mass, world frame");
    nb_write_doubles(writer, "bodies/orientation", count, 4, 0, bodies->orientation, "1",
                     "unit quaternion w, x, y, z: body to world");
    nb_write_doubles(writer, "bodies/velocity", count, 6, 0, bodies->velocity, "m/s, rad/s",
                     "u-: velocity of the centre of mass, then angular velocity, world frame");
    nb_write_doubles(writer, "bodies/mass", count, 0, 0, bodies->mass, "kg", NULL);
    nb_write_doubles(writer, "bodies/inertia", count, 3, 3, bodies->inertia, "kg m^2",
                     "about the centre of mass, body frame");
}

static void write_radii(struct nb_writer *writer, const struct nb_contacts *contacts)
{
    double *zero = contacts->radius ? NULL : calloc(2 * (size_t)contacts->count + 1, sizeof *zero);
    if (!contacts->radius && !zero)
        nb_writer_fail(writer, NB_OUT_OF_MEMORY, "contacts/radius", "no memory");
    nb_write_doubles(writer, "contacts/radius", contacts->count, 2, 0,
                     zero ? zero : contacts->radius, "m",
                     "rho of side a, then b: the side's point is moved by -rho n (a), rho n (b)");
    free(zero);
}

static void write_contacts(struct nb_writer *writer, const struct nb_contacts *contacts)
{
    const int count = contacts->count;
    nb_write_group(writer, "contacts");
    nb_write_ints(writer, "contacts/body", count, 2, contacts->body,
                  "side a, side b: index into bodies, or -1 for the world");
    nb_write_doubles(writer, "contacts/point", count, 2, 3, contacts->point, "m",
                     "of side a, then b, from the centre of mass in its body's frame; in the world "
                     "frame where the body is -1");
    write_radii(writer, contacts);
    nb_write_doubles(writer, "contacts/frame", count, 3, 3, contacts->frame, "1",
                     "rows: normal from b to a, two tangents; world frame, fixed over the step");
    nb_write_doubles(writer, "contacts/thickness", count, 0, 0, contacts->thickness, "m",
                     "d in C_n = n . (a - b) - d");
    nb_write_doubles(writer, "contacts/friction", count, 0, 0, contacts->friction, "1", "mu");
}

/* Islands follow from what connects bodies and particles; they are written for other programs and
 * not read. */
static void write_islands(struct nb_writer *writer, const struct nb_problem *problem,
                          const struct nb_islands *islands)
{
    nb_write_ints(writer, "bodies/island", problem->bodies.count, 0, islands->body,
                  "connected component of bodies and particles through contacts, joints, "
                  "tetrahedra, attachments and distances");
    nb_write_ints(writer, "contacts/island", problem->contacts.count, 0, islands->contact,
                  "of its bodies and particles");
}

void nb_write_nonlinear(struct nb_writer *writer, const struct nb_problem *problem)
{
    struct nb_islands islands;
    if (writer->status)
        return;
    if (nb_islands_find(&islands, problem, NULL))
        nb_writer_fail(writer, NB_OUT_OF_MEMORY, "bodies/island", "no memory");
    nb_write_doubles(writer, "gravity", 3, 0, 0, problem->gravity, "m/s^2", NULL);
    write_bodies(writer, &problem->bodies);
    nb_write_shapes(writer, problem);
    write_contacts(writer, &problem->contacts);
    nb_write_joints(writer, &problem->joints);
    nb_write_limits(writer, &problem->limits);
    nb_write_deformables(writer, problem, islands.particle);
    write_islands(writer, problem, &islands);
    nb_write_doubles(writer, "free_velocity", problem->bodies.count, 6, 0, problem->free_velocity,
                     "m/s, rad/s", "u~ = u- + h M^-1 f");
    nb_islands_free(&islands);
}
