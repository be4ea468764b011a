/* Skins against each other: each vertex with the place of the other skin that is nearest to it, once.
 *
 * Only faces count that the vertex's normal is against: else the two sides of a thin body, or the skin
 * round a corner, would meet. A vertex behind the nearest face is in the other body, up to the margin's
 * depth. Edges across edges are left out: between two skins of like size there are vertices of either
 * near them. Where vertices of both coincide, they meet both ways, which is redundant on purpose.
 * pneunet's fingers meet under a small ball or under more pressure than they have by default. */
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/base/sorted.h"
#include "problems/collide/skin.h"

static enum nb_status note(struct nb_skins *skins, int particle, int skin, int face, double margin,
                           struct nb_error *error)
{
    if (skins->noted_count == skins->noted_capacity) {
        const int capacity = skins->noted_capacity ? 2 * skins->noted_capacity : 64;
        struct nb_noted *grown = skins->noted_capacity > INT_MAX / 2
                                     ? NULL
                                     : realloc(skins->noted, (size_t)capacity * sizeof *grown);
        if (!grown)
            return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d pairs of skins",
                           skins->noted_count);
        skins->noted = grown;
        skins->noted_capacity = capacity;
    }
    skins->noted[skins->noted_count++] = (struct nb_noted){particle, skin, face, margin};
    return NB_OK;
}

enum nb_status nb_skins_note(struct nb_skins *skins, const struct nb_solid *a,
                             const struct nb_solid *b, double margin, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    const int *of_a = a->shape->face_vertex + 3 * a->face;
    const int *of_b = b->shape->face_vertex + 3 * b->face;
    for (int k = 0; !status && k < 3; ++k)
        if (skins->owner[of_a[k]] == a->face)
            status = note(skins, of_a[k], b->skin, b->face, margin, error);
    for (int k = 0; !status && k < 3; ++k)
        if (skins->owner[of_b[k]] == b->face)
            status = note(skins, of_b[k], a->skin, a->face, margin, error);
    return status;
}

static int compare_notes(const void *left, const void *right)
{
    const struct nb_noted *a = left, *b = right;
    if (a->particle != b->particle)
        return a->particle < b->particle ? -1 : 1;
    if (a->skin != b->skin)
        return a->skin < b->skin ? -1 : 1;
    return (a->face > b->face) - (a->face < b->face);
}

/* A vertex and the place of a face that is nearest to it so far. */
struct encounter {
    struct nb_nearest nearest;
    int face; /* -1: none yet */
    double distance, height;
    double margin; /* the largest of all faces */
};

/* Keeps the noted face as the best where it is nearer, and of equally near ones where the vertex is further off its
 * plane. */
static void keep_nearer_face(const struct nb_skins *skins, const struct nb_noted *noted, struct encounter *best)
{
    const struct nb_skin *other = &skins->skin[noted->skin];
    const double *x = skins->problem->particles.position + 3 * noted->particle;
    const double *outward = other->normal + 3 * noted->face;
    struct encounter here = {.face = noted->face, .margin = fmax(best->margin, noted->margin)};
    best->margin = here.margin;
    double way[3];
    if (!nb_skin_faces_against(skins->vertex_normal + 3 * noted->particle, outward))
        return;
    nb_skin_nearest(skins, other, noted->face, x, &here.nearest);
    nb_subtract3(x, here.nearest.point, way);
    here.distance = nb_norm3(way);
    here.height = nb_dot3(way, outward);
    const double slack = 64 * DBL_EPSILON * (fabs(x[0]) + fabs(x[1]) + fabs(x[2]));
    if (best->face < 0 || here.distance < best->distance - slack ||
        (here.distance <= best->distance + slack && fabs(here.height) > fabs(best->height)))
        *best = here;
}

/* From the face to the vertex; 0 where they do not meet. */
static int find_normal(const struct nb_skin *other, const struct encounter *e, const double *x,
                       double reach, double margin, double depth, double *normal)
{
    const double *outward = other->normal + 3 * e->face;
    if (!(e->distance > 0) && nb_norm3(outward) == 0)
        return 0; /* two ropes that cross have no direction to part in */
    if (e->height < 0 ? e->distance > depth : e->distance - reach > margin)
        return 0;
    nb_subtract3(x, e->nearest.point, normal);
    for (int k = 0; k < 3; ++k)
        normal[k] = e->nearest.corners == 3 || !(e->distance > 0)
                        ? outward[k]
                        : (e->height < 0 ? -1 : 1) * normal[k] / e->distance;
    return 1;
}

static enum nb_status meet(struct nb_skins *skins, const struct nb_noted *noted,
                           const struct encounter *e, double depth, struct nb_contact_list *list,
                           struct nb_error *error)
{
    const struct nb_skin *skin = &skins->skin[skins->skin_of[noted->particle]];
    const struct nb_skin *other = &skins->skin[noted->skin];
    const double *x = skins->problem->particles.position + 3 * noted->particle;
    const double reach = skin->shape->radius + other->shape->radius;
    double normal[3], on_a[3], on_b[3];
    if (!find_normal(other, e, x, reach, e->margin, depth, normal) ||
        !nb_skin_faces_against(skins->vertex_normal + 3 * noted->particle, normal))
        return NB_OK;
    nb_add_scaled3(x, -skin->shape->radius, normal, on_a);
    const struct nb_contact_side a = {skin->shape, on_a, {noted->particle, -1, -1}, {1, 0, 0}};
    const struct nb_contact_side b = nb_skin_side(other, e->face, &e->nearest, normal, on_b);
    return nb_contact_list_add(list, &a, &b, normal, error);
}

enum nb_status nb_skins_meet(struct nb_skins *skins, double depth, struct nb_contact_list *list,
                             struct nb_error *error)
{
    enum nb_status status = NB_OK;
    struct encounter best = {.face = -1};
    if (skins->noted_count == 0)
        return NB_OK;
    nb_sort(skins->noted, skins->noted_count, sizeof *skins->noted, compare_notes);
    for (int i = 0; !status && i < skins->noted_count; ++i) {
        const struct nb_noted *noted = &skins->noted[i];
        keep_nearer_face(skins, noted, &best);
        if (i + 1 < skins->noted_count && noted[1].particle == noted->particle &&
            noted[1].skin == noted->skin)
            continue;
        if (best.face >= 0)
            status = meet(skins, noted, &best, depth, list, error);
        best = (struct encounter){.face = -1};
    }
    return status;
}
