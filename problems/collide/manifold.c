/* The contact points of two solids.
 *
 * Face against face: corners of the incident face inside the reference face, corners of the
 * reference face inside the incident one, and the crossings of their outlines, which come from
 * clipping one by the sides of the other (Sutherland and Hodgman 1974). Each within the margin is a
 * contact between the incident face and its projection on the reference face. Corners in the middle
 * of an edge are kept, since faces may have them on purpose; crossings between other points are
 * not: where two outlines all but coincide, crossings move along them with the last digits.
 * Edge against edge: the closest points of the two edges.
 * Vertex against plane: every vertex within the margin. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/vec3.h"
#include "problems/collide/face.h"
#include "problems/collide/solid.h"

/* Points closer than this fraction of the incident face's extent are one contact. */
static const double merge_fraction = 1e-3;

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_manifold *manifold = data;
    const size_t room = (size_t)manifold->capacity + 1;
    NB_ARRAY(arena, manifold->normal, 3 * room);
    NB_ARRAY(arena, manifold->on_a, 3 * room);
    NB_ARRAY(arena, manifold->on_b, 3 * room);
    NB_ARRAY(arena, manifold->polygon, 6 * room);
}

enum nb_status nb_manifold_allocate(struct nb_manifold *manifold, int capacity,
                                    struct nb_error *error)
{
    *manifold = (struct nb_manifold){.capacity = capacity};
    manifold->memory = nb_arena_allocate(lay_out, manifold);
    return manifold->memory ? NB_OK
                            : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d contact points", capacity);
}

void nb_manifold_free(struct nb_manifold *manifold)
{
    if (!manifold)
        return;
    free(manifold->memory);
    memset(manifold, 0, sizeof *manifold);
}

void nb_manifold_add(struct nb_manifold *manifold, const double *normal, const double *on_a,
                     const double *on_b)
{
    if (manifold->count == manifold->capacity)
        return;
    memcpy(manifold->normal + 3 * manifold->count, normal, 3 * sizeof *normal);
    memcpy(manifold->on_a + 3 * manifold->count, on_a, 3 * sizeof *on_a);
    memcpy(manifold->on_b + 3 * manifold->count, on_b, 3 * sizeof *on_b);
    manifold->count++;
}

/* Exchanges a and b. */
static void swap_sides(struct nb_manifold *manifold)
{
    double *swap = manifold->on_a;
    manifold->on_a = manifold->on_b;
    manifold->on_b = swap;
    for (int k = 0; k < 3 * manifold->count; ++k)
        manifold->normal[k] = -manifold->normal[k];
}

static double face_extent(const struct nb_face *face)
{
    double extent = 0;
    for (int i = 1; i < face->count; ++i) {
        double between[3];
        nb_subtract3(nb_face_corner(face, i), nb_face_corner(face, 0), between);
        extent = fmax(extent, nb_norm3(between));
    }
    return extent;
}

/* One side's cut: from [count] to out [room]; a corner above the side by no more than slack stays.
 * A convex polygon gains one corner at most; rounding on a side full of corners could give more. */
static int clip(const double *from, int count, const double *normal, double offset, double slack,
                double *out, int room)
{
    int kept = 0;
    for (int i = 0; i < count && kept + 2 <= room; ++i) {
        const double *p = from + 3 * i, *q = from + 3 * ((i + 1) % count);
        const double above_p = nb_dot3(normal, p) - offset, above_q = nb_dot3(normal, q) - offset;
        if (above_p <= slack)
            memcpy(out + 3 * kept++, p, 3 * sizeof *p);
        if ((above_p <= slack) != (above_q <= slack)) {
            double along[3];
            const double part = fmin(fmax(above_p / (above_p - above_q), 0), 1);
            nb_subtract3(q, p, along);
            nb_add_scaled3(p, part, along, out + 3 * kept++);
        }
    }
    return kept;
}

/* Leaves the clipped incident face in the working space and returns its corners. */
static int clip_incident(struct nb_manifold *manifold, const struct nb_face *reference,
                         const struct nb_face *incident, double slack, const double **polygon)
{
    double *from = manifold->polygon, *to = manifold->polygon + 3 * manifold->capacity;
    int count = incident->count;
    for (int i = 0; i < count; ++i)
        memcpy(from + 3 * i, nb_face_corner(incident, i), 3 * sizeof *from);
    for (int side = 0; side < reference->count && count > 0; ++side) {
        double normal[3], offset;
        if (!nb_face_side(reference, side, normal, &offset))
            continue;
        count = clip(from, count, normal, offset, slack, to, manifold->capacity);
        double *swap = from;
        from = to;
        to = swap;
    }
    *polygon = from;
    return count;
}

/* A contact at a point of the incident face, unless it is open beyond the margin or known. */
static void add_face_point(struct nb_manifold *manifold, const struct nb_face *reference,
                           const double *point, double margin, double merge)
{
    double foot[3], between[3];
    const double gap = nb_dot3(reference->normal, point) - reference->offset;
    if (gap > margin)
        return;
    for (int i = 0; i < manifold->count; ++i) {
        nb_subtract3(point, manifold->on_a + 3 * i, between);
        if (nb_norm3(between) < merge)
            return;
    }
    nb_add_scaled3(point, -gap, reference->normal, foot);
    nb_manifold_add(manifold, reference->normal, point, foot);
}

/* Distance of x from the segment between p and q. */
static double segment_distance(const double *x, const double *p, const double *q)
{
    double along[3], from[3];
    nb_subtract3(q, p, along);
    nb_subtract3(x, p, from);
    const double square = nb_dot3(along, along);
    const double part = square > 0 ? fmin(fmax(nb_dot3(from, along) / square, 0), 1) : 0;
    nb_add_scaled3(from, -part, along, from);
    return nb_norm3(from);
}

static int lies_between(const struct nb_manifold *manifold, int index, double slack)
{
    const double *point = manifold->on_a;
    for (int i = 0; i < manifold->count; ++i)
        for (int j = i + 1; i != index && j < manifold->count; ++j)
            if (j != index && segment_distance(point + 3 * index, point + 3 * i, point + 3 * j) <
                                  slack)
                return 1;
    return 0;
}

/* Removes the points from `first` on that lie between two others. */
static void prune(struct nb_manifold *manifold, int first, double slack)
{
    for (int i = first; i < manifold->count;) {
        if (!lies_between(manifold, i, slack)) {
            ++i;
            continue;
        }
        const size_t rest = 3 * (size_t)(manifold->count - i - 1) * sizeof *manifold->on_a;
        memmove(manifold->on_a + 3 * i, manifold->on_a + 3 * i + 3, rest);
        memmove(manifold->on_b + 3 * i, manifold->on_b + 3 * i + 3, rest);
        manifold->count--;
    }
}

/* Corners of the incident face over the reference face. */
static void add_incident_corners(struct nb_manifold *manifold, const struct nb_face *reference,
                                 const struct nb_face *incident, double margin, double merge,
                                 double slack)
{
    for (int i = 0; i < incident->count; ++i)
        if (nb_face_holds(reference, nb_face_corner(incident, i), slack))
            add_face_point(manifold, reference, nb_face_corner(incident, i), margin, merge);
}

/* Corners of the reference face, moved along its normal, inside the incident face. */
static void add_reference_corners(struct nb_manifold *manifold, const struct nb_face *reference,
                                  const struct nb_face *incident, double margin, double merge,
                                  double slack)
{
    const double facing = nb_dot3(incident->normal, reference->normal);
    if (!(facing < -sqrt(DBL_EPSILON)))
        return; /* seen edge-on: nothing can be projected */
    for (int i = 0; i < reference->count; ++i) {
        const double *corner = nb_face_corner(reference, i);
        const double height = (incident->offset - nb_dot3(incident->normal, corner)) / facing;
        double point[3];
        nb_add_scaled3(corner, height, reference->normal, point);
        if (nb_face_holds(incident, point, slack))
            add_face_point(manifold, reference, point, margin, merge);
    }
}

/* The face of a solid that looks most against a direction. */
static int incident_face(const struct nb_solid *solid, const double *direction)
{
    int best = 0;
    for (int face = 1; face < solid->face_count; ++face)
        if (nb_dot3(solid->normal + 3 * face, direction) <
            nb_dot3(solid->normal + 3 * best, direction))
            best = face;
    return best;
}

static void add_faces(struct nb_manifold *manifold, const struct nb_solid *holder, int index,
                      const struct nb_solid *other, int holder_is_a, double margin)
{
    const struct nb_face reference = nb_solid_face(holder, index);
    const struct nb_face incident = nb_solid_face(other, incident_face(other, reference.normal));
    const double extent = face_extent(&incident), merge = merge_fraction * extent;
    const double slack = sqrt(DBL_EPSILON) * extent;
    const double *polygon;
    add_incident_corners(manifold, &reference, &incident, margin, merge, slack);
    add_reference_corners(manifold, &reference, &incident, margin, merge, slack);
    const int corners = manifold->count;
    const int count = clip_incident(manifold, &reference, &incident, slack, &polygon);
    for (int i = 0; i < count; ++i)
        add_face_point(manifold, &reference, polygon + 3 * i, margin, merge);
    prune(manifold, corners, merge);
    if (holder_is_a) /* so far the incident side was a */
        swap_sides(manifold);
}

/* Closest points of two edges that are not parallel: where the common normal meets both. */
static void add_edges(struct nb_manifold *manifold, const struct nb_solid *a,
                      const struct nb_solid *b, const struct nb_separation *separation)
{
    const struct nb_edge *p = &a->edge[separation->index_a], *q = &b->edge[separation->index_b];
    const double *p0 = a->vertex + 3 * p->vertex[0], *q0 = b->vertex + 3 * q->vertex[0];
    double u[3], v[3], w[3], on_a[3], on_b[3];
    nb_subtract3(a->vertex + 3 * p->vertex[1], p0, u);
    nb_subtract3(b->vertex + 3 * q->vertex[1], q0, v);
    nb_subtract3(p0, q0, w);
    const double uu = nb_dot3(u, u), uv = nb_dot3(u, v), vv = nb_dot3(v, v);
    const double uw = nb_dot3(u, w), vw = nb_dot3(v, w), det = uu * vv - uv * uv;
    const double s = fmin(fmax((uv * vw - vv * uw) / det, 0), 1);
    const double t = fmin(fmax((uu * vw - uv * uw) / det, 0), 1);
    nb_add_scaled3(p0, s, u, on_a);
    nb_add_scaled3(q0, t, v, on_b);
    nb_manifold_add(manifold, separation->normal, on_a, on_b);
}

static void add_feature(struct nb_manifold *manifold, const struct nb_solid *a, const struct nb_solid *b,
                        const struct nb_separation *separation, double margin)
{
    switch (separation->feature) {
    case NB_FEATURE_FACE_A:
        add_faces(manifold, a, separation->index_a, b, 1, margin);
        break;
    case NB_FEATURE_FACE_B:
        add_faces(manifold, b, separation->index_b, a, 0, margin);
        break;
    case NB_FEATURE_EDGES:
        add_edges(manifold, a, b, separation);
        break;
    }
}

/* Over a face that is taken for steadiness alone nothing may lie, if solids touch beside its edge: then it is the
 * feature along which they lie farthest apart. */
static void find_convex(struct nb_manifold *manifold, const struct nb_solid *a,
                        const struct nb_solid *b, double margin)
{
    manifold->count = 0;
    for (int steady = 1; steady >= 0 && manifold->count == 0; --steady) {
        struct nb_separation separation;
        if (!nb_separate(a, b, margin, steady, &separation))
            return;
        add_feature(manifold, a, b, &separation, margin);
    }
}

/* a convex, b a plane. */
static void find_plane(struct nb_manifold *manifold, const struct nb_solid *a,
                       const struct nb_solid *b, double margin)
{
    manifold->count = 0;
    for (int i = 0; i < a->shape->vertex_count; ++i) {
        const double *vertex = a->vertex + 3 * i;
        const double gap = nb_dot3(b->normal, vertex) - b->offset[0];
        double foot[3];
        if (gap > margin)
            continue;
        nb_add_scaled3(vertex, -gap, b->normal, foot);
        nb_manifold_add(manifold, b->normal, vertex, foot);
    }
}

/* Planes come last, round solids first. */
static int rank(const struct nb_solid *solid)
{
    return nb_solid_is_round(solid) ? 0 : solid->shape->kind == NB_SHAPE_PLANE ? 2 : 1;
}

void nb_manifold_find(struct nb_manifold *manifold, const struct nb_solid *a,
                      const struct nb_solid *b, double margin)
{
    if ((nb_solid_is_field(a) && rank(b) < 2) || (nb_solid_is_field(b) && rank(a) < 2)) {
        nb_manifold_field(manifold, a, b, margin);
        return;
    }
    const int swapped = rank(a) > rank(b);
    const struct nb_solid *first = swapped ? b : a, *second = swapped ? a : b;
    const int round = nb_solid_is_round(first);
    switch (rank(second)) {
    case 0: nb_manifold_round(manifold, first, second, margin); break;
    case 1:
        (round ? nb_manifold_round_convex : find_convex)(manifold, first, second, margin);
        break;
    default:
        (round ? nb_manifold_round_plane : find_plane)(manifold, first, second, margin);
    }
    if (swapped)
        swap_sides(manifold);
}
