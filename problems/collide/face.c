/* Faces as polygons: sides, what lies over them. */
#include "problems/collide/face.h"

#include "problems/base/vec3.h"

struct nb_face nb_solid_face(const struct nb_solid *solid, int index)
{
    const int *start = solid->shape->face_start;
    return (struct nb_face){solid->normal + 3 * index, solid->offset[index], solid->vertex,
                            solid->shape->face_vertex + start[index],
                            start[index + 1] - start[index]};
}

const double *nb_face_corner(const struct nb_face *face, int index)
{
    return face->vertex + 3 * face->corner[index % face->count];
}

int nb_face_side(const struct nb_face *face, int index, double *normal, double *offset)
{
    double along[3];
    nb_subtract3(nb_face_corner(face, index + 1), nb_face_corner(face, index), along);
    nb_cross3(along, face->normal, normal);
    if (!(nb_norm3(normal) > 0))
        return 0;
    nb_normalise3(normal);
    *offset = nb_dot3(normal, nb_face_corner(face, index));
    return 1;
}

int nb_face_holds(const struct nb_face *face, const double *point, double slack)
{
    for (int side = 0; side < face->count; ++side) {
        double normal[3], offset;
        if (nb_face_side(face, side, normal, &offset) && nb_dot3(normal, point) - offset > slack)
            return 0;
    }
    return 1;
}

int nb_face_clip_segment(const struct nb_face *face, const double *ends, double slack, double *part)
{
    part[0] = 0;
    part[1] = 1;
    for (int side = 0; side < face->count; ++side) {
        double normal[3], offset;
        if (!nb_face_side(face, side, normal, &offset))
            continue;
        const double first = nb_dot3(normal, ends) - offset;
        const double last = nb_dot3(normal, ends + 3) - offset;
        if (first > slack && last > slack)
            return 0;
        if (first > slack)
            part[0] = fmax(part[0], first / (first - last));
        else if (last > slack)
            part[1] = fmin(part[1], first / (first - last));
    }
    return part[0] <= part[1];
}
