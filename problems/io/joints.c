/* The group joints of a nonlinear step; a file without it has none. Every dataset is described in
 * data/FORMAT.md. */
#include "problems/io/parts.h"

void nb_read_joints(struct nb_reader *reader, struct nb_joints *joints)
{
    if (!nb_reader_has(reader, "joints"))
        return;
    const int count = nb_read_count(reader, "joints/kind");
    joints->count = count;
    joints->kind = nb_read_ints(reader, "joints/kind", count, 0);
    joints->body = nb_read_ints(reader, "joints/body", count, 2);
    joints->point = nb_read_doubles(reader, "joints/point", count, 2, 3);
    joints->orientation = nb_read_doubles(reader, "joints/orientation", count, 2, 4);
    joints->compliance = nb_read_doubles(reader, "joints/compliance", count, 6, 0);
    joints->drift = nb_read_doubles(reader, "joints/drift", count, 6, 0);
}

void nb_write_joints(struct nb_writer *writer, const struct nb_joints *joints)
{
    const int count = joints->count;
    if (count == 0)
        return;
    nb_write_group(writer, "joints");
    nb_write_ints(writer, "joints/kind", count, 0, joints->kind,
                  "0: fixed; 1: ball; 2: hinge about z; 3: slider along z");
    nb_write_ints(writer, "joints/body", count, 2, joints->body,
                  "side a, side b: index into bodies, or -1 for the world");
    nb_write_doubles(writer, "joints/point", count, 2, 3, joints->point, "m",
                     "origin of side a's frame, then b's, from the centre of mass in its body's "
                     "frame; in the world frame at the end of the step where the body is -1");
    nb_write_doubles(writer, "joints/orientation", count, 2, 4, joints->orientation, "1",
                     "of side a's frame, then b's, likewise: unit quaternion w, x, y, z");
    nb_write_doubles(writer, "joints/compliance", count, 6, 0, joints->compliance,
                     "m/N, 1/(N m)", "of the joint's rows in their order; 0 beyond them");
    nb_write_doubles(writer, "joints/drift", count, 6, 0, joints->drift, "m/s, rad/s",
                     "prescribed velocity of the world's frame, then its angular velocity");
}
