/* The groups joints and limits of a nonlinear step; a file without one of them has none. Every
 * dataset is described in data/FORMAT.md. */
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

void nb_read_limits(struct nb_reader *reader, struct nb_limits *limits)
{
    if (!nb_reader_has(reader, "limits"))
        return;
    const int count = nb_read_count(reader, "limits/bound");
    limits->count = count;
    limits->joint = nb_read_ints(reader, "limits/joint", count, 0);
    limits->side = nb_read_ints(reader, "limits/side", count, 0);
    limits->bound = nb_read_doubles(reader, "limits/bound", count, 0, 0);
}

void nb_write_limits(struct nb_writer *writer, const struct nb_limits *limits)
{
    const int count = limits->count;
    if (count == 0)
        return;
    nb_write_group(writer, "limits");
    nb_write_ints(writer, "limits/joint", count, 0, limits->joint, "index of a hinge or a slider");
    nb_write_ints(writer, "limits/side", count, 0, limits->side, "0: lower; 1: upper");
    nb_write_doubles(writer, "limits/bound", count, 0, 0, limits->bound, "rad, m",
                     "of a hinge's angle, or of a slider's displacement");
}
