/* A skin against a rigid solid.
 *
 * Every vertex of the skin is a contact, as a ball of the skin's radius (or a point) against the solid:
 * that is where the deformable body has its freedoms, and a grid of them on a flat face is redundant
 * as rigid corners are. Between the vertices the solid may still be nearer, where it is round or has
 * corners, so that there are further contacts:
 *   - against a sphere, or an end of a capsule, at the point of a face that is nearest to it, where it
 *     lies within the face or on an edge;
 *   - against a capsule, at the points of an edge and of the capsule's segment that are nearest to each
 *     other, where that lies within the edge;
 *   - of each corner of a polyhedron with the point of the skin that is nearest to it, if not a vertex,
 *     and with the faces beside that one that rise towards the corner.
 * Edges of a polyhedron across edges of a skin are left out. No scene needs them: the skins of pneunet,
 * the only ones with contacts, meet a ball and a plane, where vertices, and the points of edges and
 * faces nearest to the ball, are all there is. Two crossing edges with no vertex within the margin
 * would pass through each other.
 *
 * A contact counts only where some face at its point looks towards the solid: else the solid would be
 * felt through a thin body from behind. A corner of a polyhedron that is behind the skin counts up to
 * the depth. */
#include <float.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/collide/skin.h"

/* What one search needs. */
struct meeting {
    struct nb_skins *skins;
    struct nb_skin *skin;
    const struct nb_solid *solid;
    double margin, depth;
    struct nb_manifold *manifold;
    struct nb_contact_list *list;
    struct nb_error *error;
};

static enum nb_status add(const struct meeting *m, int face, const struct nb_nearest *nearest,
                          const double *normal, const double *on_solid)
{
    const double outward[3] = {-normal[0], -normal[1], -normal[2]};
    double surface[3];
    const struct nb_contact_side a = nb_skin_side(m->skin, face, nearest, outward, surface);
    const struct nb_contact_side b = {m->solid->shape, on_solid, {-1, -1, -1}, {0}};
    return nb_contact_list_add(m->list, &a, &b, normal, m->error);
}

/* Corner k of a face, unless another face has shown it to the solid already. */
static enum nb_status try_vertex(const struct meeting *m, int face, int k)
{
    const int particle = m->skin->shape->face_vertex[3 * face + k];
    const double *x = m->skins->problem->particles.position + 3 * particle;
    struct nb_nearest here = {.corners = 1, .index = k};
    const struct nb_shape ball = {.kind = NB_SHAPE_SPHERE, .radius = m->skin->shape->radius};
    struct nb_solid point = {.shape = &ball, .size = 2 * ball.radius};
    if (m->skins->seen[particle] == m->skins->stamp)
        return NB_OK;
    memcpy(point.ends, x, 3 * sizeof *x);
    memcpy(point.ends + 3, x, 3 * sizeof *x);
    nb_manifold_find(m->manifold, &point, m->solid, m->margin);
    if (m->manifold->count == 0 ||
        !nb_skin_faces_against(m->skin->normal + 3 * face, m->manifold->normal))
        return NB_OK;
    m->skins->seen[particle] = m->skins->stamp;
    here.weight[k] = 1;
    memcpy(here.point, x, 3 * sizeof *x);
    return add(m, face, &here, m->manifold->normal, m->manifold->on_b);
}

/* A point of a face and one of a round solid's core, nearest to each other; on an edge that no other
 * face has shown already. */
static enum nb_status try_round(const struct meeting *m, int face,
                                const struct nb_nearest *nearest, const double *core)
{
    int *edge = &m->skins->seen_edge[m->skin->edge[3 * face + nearest->index]];
    double normal[3], on_solid[3];
    if (nearest->corners == 1 || (nearest->corners == 2 && *edge == m->skins->stamp))
        return NB_OK;
    nb_subtract3(nearest->point, core, normal);
    const double distance = nb_norm3(normal), reach = m->solid->shape->radius;
    if (!(distance > DBL_EPSILON * reach) ||
        distance - reach - m->skin->shape->radius > m->margin)
        return NB_OK;
    nb_normalise3(normal);
    if (!nb_skin_faces_against(m->skin->normal + 3 * face, normal))
        return NB_OK;
    if (nearest->corners == 2)
        *edge = m->skins->stamp;
    nb_add_scaled3(core, reach, normal, on_solid);
    return add(m, face, nearest, normal, on_solid);
}

/* The edge from corner k of a face beside a capsule's segment. */
static enum nb_status try_edge(const struct meeting *m, int face, int k)
{
    const int *vertex = m->skin->shape->face_vertex + 3 * face;
    const double *position = m->skins->problem->particles.position;
    struct nb_nearest nearest = {.corners = 2, .index = k};
    double ends[6], core[3], along[3], from[3];
    memcpy(ends, position + 3 * vertex[k], 3 * sizeof *ends);
    memcpy(ends + 3, position + 3 * vertex[(k + 1) % 3], 3 * sizeof *ends);
    nb_nearest_on_segments(ends, m->solid->ends, nearest.point, core);
    nb_subtract3(ends + 3, ends, along);
    nb_subtract3(nearest.point, ends, from);
    const double part = nb_dot3(from, along) / nb_dot3(along, along);
    if (!(part > 0 && part < 1))
        return NB_OK;
    nearest.weight[k] = 1 - part;
    nearest.weight[(k + 1) % 3] = part;
    return try_round(m, face, &nearest, core);
}

static enum nb_status try_face(const struct meeting *m, int face)
{
    const int capsule = m->solid->shape->kind == NB_SHAPE_CAPSULE;
    enum nb_status status = NB_OK;
    for (int end = 0; !status && end < 1 + capsule; ++end) {
        struct nb_nearest nearest;
        nb_skin_nearest(m->skins, m->skin, face, m->solid->ends + 3 * end, &nearest);
        if (!capsule || nearest.corners == 3)
            status = try_round(m, face, &nearest, m->solid->ends + 3 * end);
    }
    for (int k = 0; capsule && !status && k < 3; ++k)
        status = try_edge(m, face, k);
    return status;
}

/* The face nearest to a corner; of faces that are equally near, the one that looks at it most. */
static int nearest_face(const struct meeting *m, const int *faces, int count, const double *x,
                        struct nb_nearest *best)
{
    double least = DBL_MAX, most = -1;
    int index = -1;
    for (int i = 0; i < count; ++i) {
        struct nb_nearest nearest;
        double way[3];
        nb_skin_nearest(m->skins, m->skin, faces[i], x, &nearest);
        nb_subtract3(x, nearest.point, way);
        const double distance = nb_norm3(way);
        const double slack = 64 * DBL_EPSILON * (fabs(x[0]) + fabs(x[1]) + fabs(x[2]));
        const double height = fabs(nb_dot3(m->skin->normal + 3 * faces[i], way));
        if (distance < least - slack || (distance <= least + slack && height > most)) {
            least = distance;
            most = height;
            index = faces[i];
            *best = nearest;
        }
    }
    return index;
}

/* The contact of a corner at that point of a face or an edge, in front of it or behind it. */
static enum nb_status add_corner(const struct meeting *m, int face, const struct nb_nearest *nearest, const double *x)
{
    const double *outward = m->skin->normal + 3 * face;
    double normal[3];
    nb_subtract3(nearest->point, x, normal);
    const double distance = nb_norm3(normal);
    const int behind = nb_dot3(normal, outward) > 0;
    if (!(distance > 0) && nb_norm3(outward) == 0)
        return NB_OK; /* on a rope's middle, which has no side */
    if ((behind ? 0 : distance) - m->skin->shape->radius > m->margin ||
        (behind && distance > m->depth))
        return NB_OK;
    const int straight = nearest->corners == 3 || !(distance > 0);
    for (int k = 0; k < 3; ++k)
        normal[k] = straight ? -outward[k] : (behind ? -1 : 1) * normal[k] / distance;
    if (!nb_skin_faces_against(outward, normal))
        return NB_OK;
    return add(m, face, nearest, normal, x);
}

/* Has a face a vertex in common with another, in front of which its middle is? */
static int rises_beside(const struct meeting *m, int face, int other)
{
    const int *a = m->skin->shape->face_vertex + 3 * other, *b = m->skin->shape->face_vertex + 3 * face;
    const double *position = m->skins->problem->particles.position, *outward = m->skin->normal + 3 * other;
    int common = 0;
    double height = 0;
    for (int k = 0; k < 9; ++k)
        common |= a[k / 3] == b[k % 3];
    for (int k = 0; k < 3; ++k)
        height += nb_dot3(outward, position + 3 * b[k]) - nb_dot3(outward, position + 3 * a[k]);
    return face != other && common && height > 0;
}

/* A polyhedron's corner at the skin's nearest point, and in a valley at the other faces beside it: with one of them
 * alone it would go into the others, of which the next step had the nearest. */
static enum nb_status try_corner(const struct meeting *m, const int *faces, int count, const double *x)
{
    struct nb_nearest nearest;
    const int face = nearest_face(m, faces, count, x, &nearest);
    if (face < 0 || nearest.corners == 1)
        return NB_OK;
    enum nb_status status = add_corner(m, face, &nearest, x);
    for (int i = 0; i < count && !status; ++i) {
        if (!rises_beside(m, faces[i], face))
            continue;
        nb_skin_nearest(m->skins, m->skin, faces[i], x, &nearest);
        if (nearest.corners == 3)
            status = add_corner(m, faces[i], &nearest, x);
    }
    return status;
}

enum nb_status nb_skin_meets_solid(struct nb_skins *skins, struct nb_skin *skin, const int *faces,
                                   int count, const struct nb_solid *solid, double margin, double depth,
                                   struct nb_manifold *manifold, struct nb_contact_list *list,
                                   struct nb_error *error)
{
    const struct meeting m = {skins, skin, solid, margin, depth, manifold, list, error};
    enum nb_status status = NB_OK;
    skins->stamp++;
    for (int i = 0; i < count; ++i)
        for (int k = 0; !status && k < 3; ++k)
            status = try_vertex(&m, faces[i], k);
    for (int i = 0; nb_solid_is_round(solid) && !status && i < count; ++i)
        status = try_face(&m, faces[i]);
    for (int i = 0; solid->shape->kind == NB_SHAPE_CONVEX && !status &&
                    i < solid->shape->vertex_count; ++i)
        status = try_corner(&m, faces, count, solid->vertex + 3 * i);
    return status;
}
