/* Contacts of spheres and capsules: of the segment in their middle, at the distance of the radius.
 *
 * With p and q the closest points of the two solids' cores, n = (p - q)/|p - q| and
 * C_n = |p - q| - r_a - r_b. Contact points lie on the surfaces, p - r_a n and q + r_b n: of these p
 * and q are fixed in the bodies, the radii in the contact (struct nb_contacts). Were the surface points
 * fixed in the bodies, the normal force at q+ would act r h omega behind a rolling ball's centre, and
 * its speed would grow at the rate 5 g h/(7 r), which for small balls is fast.
 *
 * A segment beside another segment, an edge or a face touches along a line: where they are parallel
 * the contacts are at both ends of the common part, each with the distance there; where they cross
 * there is one. Closest points of segments: Ericson 2005, Real-Time Collision Detection, 5.1.9. */
#include <float.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/collide/face.h"
#include "problems/collide/solid.h"

/* Sine of the angle up to which a segment counts as parallel. */
static const double parallel_sine = 0.01;

/* Of crossing segments the ends of the common part may be farther apart than the middle by this
 * fraction of the radii; else there is one contact, in the middle. */
static const double parallel_fraction = 1e-3;

static double clamp(double x)
{
    return fmin(fmax(x, 0), 1);
}

static int has_length(const double *ends)
{
    return ends[0] != ends[3] || ends[1] != ends[4] || ends[2] != ends[5];
}

double nb_nearest_on_segments(const double *first, const double *second, double *on_first,
                              double *on_second)
{
    double u[3], v[3], w[3];
    nb_subtract3(first + 3, first, u);
    nb_subtract3(second + 3, second, v);
    nb_subtract3(first, second, w);
    const double uu = nb_dot3(u, u), vv = nb_dot3(v, v), uv = nb_dot3(u, v);
    const double uw = nb_dot3(u, w), vw = nb_dot3(v, w), det = uu * vv - uv * uv;
    double s = 0, t = 0;
    if (vv > 0) {
        s = det > DBL_EPSILON * uu * vv ? clamp((uv * vw - uw * vv) / det) : 0;
        t = (uv * s + vw) / vv;
    }
    if (uu > 0 && !(t >= 0 && t <= 1 && vv > 0)) {
        t = clamp(t);
        s = clamp((uv * t - uw) / uu);
    }
    nb_add_scaled3(first, s, u, on_first);
    nb_add_scaled3(second, clamp(t), v, on_second);
    nb_subtract3(on_first, on_second, w);
    return nb_norm3(w);
}

/* Contact where the cores are nearest at p and q; fallback is the normal where they meet. */
static void add_near(struct nb_manifold *manifold, const double *p, double radius_a,
                     const double *q, double radius_b, const double *fallback, double margin)
{
    double normal[3], on_a[3], on_b[3];
    nb_subtract3(p, q, normal);
    const double distance = nb_norm3(normal);
    if (distance - radius_a - radius_b > margin)
        return;
    if (distance > DBL_EPSILON * (radius_a + radius_b))
        nb_normalise3(normal);
    else
        memcpy(normal, fallback, sizeof normal);
    nb_add_scaled3(p, -radius_a, normal, on_a);
    nb_add_scaled3(q, radius_b, normal, on_b);
    nb_manifold_add(manifold, normal, on_a, on_b);
}

/* The part of a segment that lies between the ends of another, parallel one: 1 where it has a
 * length, which needs both to have one. */
static int common_part(const double *first, const double *second, double *part)
{
    double u[3], v[3], cross[3], between[3], end[2];
    nb_subtract3(first + 3, first, u);
    nb_subtract3(second + 3, second, v);
    nb_cross3(u, v, cross);
    const double uu = nb_dot3(u, u), lengths = nb_norm3(u) * nb_norm3(v);
    if (!(lengths > 0) || nb_norm3(cross) > parallel_sine * lengths)
        return 0;
    for (int k = 0; k < 2; ++k) {
        nb_subtract3(second + 3 * k, first, between);
        end[k] = nb_dot3(between, u) / uu;
    }
    part[0] = fmax(fmin(end[0], end[1]), 0);
    part[1] = fmin(fmax(end[0], end[1]), 1);
    return part[1] - part[0] > sqrt(DBL_EPSILON);
}

static void point_on(const double *ends, double part, double *point)
{
    for (int k = 0; k < 3; ++k)
        point[k] = (1 - part) * ends[k] + part * ends[3 + k];
}

/* Two segments with radii. */
static void add_segments(struct nb_manifold *manifold, const double *first, double radius_a,
                         const double *second, double radius_b, const double *fallback,
                         double margin)
{
    double part[2], ends[2][6], same[3], p[3], q[3], nearest = DBL_MAX;
    const double distance = nb_nearest_on_segments(first, second, p, q);
    const int common = common_part(first, second, part);
    for (int k = 0; common && k < 2; ++k) {
        point_on(first, part[k], ends[k]);
        memcpy(ends[k] + 3, ends[k], 3 * sizeof *ends[k]);
        nearest = fmin(nearest, nb_nearest_on_segments(ends[k], second, same, q));
    }
    if (nearest > distance + parallel_fraction * (radius_a + radius_b)) {
        nb_nearest_on_segments(first, second, p, q);
        add_near(manifold, p, radius_a, q, radius_b, fallback, margin);
        return;
    }
    for (int k = 0; k < 2; ++k) {
        nb_nearest_on_segments(ends[k], second, same, q);
        add_near(manifold, same, radius_a, q, radius_b, fallback, margin);
    }
}

/* A unit vector across both segments: the normal where they meet each other. */
static void across(const double *first, const double *second, double *normal)
{
    double u[3], v[3], frame[9];
    nb_subtract3(first + 3, first, u);
    nb_subtract3(second + 3, second, v);
    nb_cross3(u, v, normal);
    const double lengths = nb_norm3(u) * nb_norm3(v);
    if (nb_norm3(normal) > sqrt(DBL_EPSILON) * lengths) {
        nb_normalise3(normal);
        return;
    }
    const double *along = nb_norm3(u) > nb_norm3(v) ? u : v;
    if (nb_norm3(along) > 0) {
        memcpy(normal, along, 3 * sizeof *normal);
        nb_normalise3(normal);
        nb_contact_frame(normal, frame);
        memcpy(normal, frame + 3, 3 * sizeof *normal);
        return;
    }
    memcpy(normal, (const double[3]){0, 0, 1}, 3 * sizeof *normal);
}

void nb_manifold_round(struct nb_manifold *manifold, const struct nb_solid *a,
                       const struct nb_solid *b, double margin)
{
    double fallback[3];
    across(a->ends, b->ends, fallback);
    manifold->count = 0;
    add_segments(manifold, a->ends, a->shape->radius, b->ends, b->shape->radius, fallback, margin);
}

/* Contact of a point of the core above a face or plane, along its normal. */
static void add_above(struct nb_manifold *manifold, const double *point, double radius,
                      const double *normal, double offset, double margin)
{
    const double height = nb_dot3(normal, point) - offset;
    double on_a[3], foot[3];
    if (height - radius > margin)
        return;
    nb_add_scaled3(point, -radius, normal, on_a);
    nb_add_scaled3(point, -height, normal, foot);
    nb_manifold_add(manifold, normal, on_a, foot);
}

void nb_manifold_round_plane(struct nb_manifold *manifold, const struct nb_solid *a,
                             const struct nb_solid *b, double margin)
{
    manifold->count = 0;
    for (int k = 0; k < 1 + has_length(a->ends); ++k)
        add_above(manifold, a->ends + 3 * k, a->shape->radius, b->normal, b->offset[0], margin);
}

/* Height of the segment's lower end above a face. */
static double height_above(const struct nb_solid *b, int face, const double *ends)
{
    const double *normal = b->normal + 3 * face;
    return fmin(nb_dot3(normal, ends), nb_dot3(normal, ends + 3)) - b->offset[face];
}

static double highest_face(const struct nb_solid *b, const double *ends, int *index)
{
    double best = -DBL_MAX;
    *index = 0;
    for (int face = 0; face < b->face_count; ++face) {
        const double height = height_above(b, face, ends);
        if (height > best) {
            best = height;
            *index = face;
        }
    }
    return best;
}

static void edge_ends(const struct nb_solid *b, const struct nb_edge *edge, double *ends)
{
    memcpy(ends, b->vertex + 3 * edge->vertex[0], 3 * sizeof *ends);
    memcpy(ends + 3, b->vertex + 3 * edge->vertex[1], 3 * sizeof *ends);
}

/* The edge on which the segment crosses the solid least deep, where that is less deep than face
 * `best` is high. Its normal is across both and lies between those of its faces. */
static int shallow_edge(const struct nb_solid *b, const double *ends, double best, double *normal)
{
    int index = -1;
    double along[3];
    nb_subtract3(ends + 3, ends, along);
    for (int i = 0; i < b->edge_count; ++i) {
        const struct nb_edge *edge = &b->edge[i];
        const double *n0 = b->normal + 3 * edge->face[0], *n1 = b->normal + 3 * edge->face[1];
        double side[6], direction[3], axis[3], from[3];
        if (!(nb_dot3(n0, along) * nb_dot3(n1, along) < 0))
            continue;
        edge_ends(b, edge, side);
        nb_subtract3(side + 3, side, direction);
        nb_cross3(direction, along, axis);
        if (!(nb_norm3(axis) > parallel_sine * nb_norm3(direction) * nb_norm3(along)))
            continue;
        nb_normalise3(axis);
        const double turn = nb_dot3(axis, n0) + nb_dot3(axis, n1) < 0 ? -1 : 1;
        nb_subtract3(ends, side, from);
        const double height = turn * nb_dot3(axis, from);
        if (height > best) {
            best = height;
            index = i;
            for (int k = 0; k < 3; ++k)
                normal[k] = turn * axis[k];
        }
    }
    return index;
}

/* Along a face: the ends of the segment's part over it, each with the lowest point of its ball. Where
 * the segment is inclined this holds for its own ends only; where none of them serves, the lower end
 * of the part. */
static void add_over_face(struct nb_manifold *manifold, const struct nb_solid *a,
                          const struct nb_face *face, double margin)
{
    double part[2], point[3], along[3];
    const double radius = a->shape->radius, slack = sqrt(DBL_EPSILON) * radius;
    nb_subtract3(a->ends + 3, a->ends, along);
    const double length = nb_norm3(along), rise = nb_dot3(face->normal, along);
    const int inclined = fabs(rise) > parallel_sine * length;
    if (!nb_face_clip_segment(face, a->ends, slack, part))
        part[0] = part[1] = rise < 0;
    for (int k = 0; k < 1 + (part[1] > part[0] && length > 0); ++k) {
        if (inclined && part[k] > 0 && part[k] < 1)
            continue;
        point_on(a->ends, part[k], point);
        add_above(manifold, point, radius, face->normal, face->offset, margin);
    }
    if (manifold->count > 0)
        return;
    point_on(a->ends, part[rise < 0], point);
    add_above(manifold, point, radius, face->normal, face->offset, margin);
}

/* The core reaches into the solid: the least way out decides. */
static void add_deep(struct nb_manifold *manifold, const struct nb_solid *a,
                     const struct nb_solid *b, int face, double height, double margin)
{
    const struct nb_face deepest = nb_solid_face(b, face);
    double normal[3], side[6], p[3], q[3];
    const double bias = 1e-3 * fmin(a->size, b->size); /* as between polyhedra: faces are stable */
    const int edge = has_length(a->ends) ? shallow_edge(b, a->ends, height + bias, normal) : -1;
    if (edge < 0) {
        add_over_face(manifold, a, &deepest, margin);
        return;
    }
    edge_ends(b, &b->edge[edge], side);
    nb_nearest_on_segments(a->ends, side, p, q);
    nb_add_scaled3(p, -a->shape->radius, normal, p);
    nb_manifold_add(manifold, normal, p, q);
}

/* Nearest of an end over a face and of the segment beside an edge. */
struct nearest {
    double distance;
    int face, edge; /* the other is -1 */
};

/* Of edges that are equally near, which they are at a common corner, a parallel one is taken. */
static struct nearest find_nearest(const struct nb_solid *b, const double *ends, double slack)
{
    struct nearest best = {DBL_MAX, -1, -1};
    double side[6], p[3], q[3], part[2];
    for (int face = 0; face < b->face_count; ++face) {
        const struct nb_face polygon = nb_solid_face(b, face);
        for (int k = 0; k < 1 + has_length(ends); ++k) {
            const double height = nb_dot3(polygon.normal, ends + 3 * k) - polygon.offset;
            if (height >= 0 && height < best.distance && nb_face_holds(&polygon, ends + 3 * k, 0))
                best = (struct nearest){height, face, -1};
        }
    }
    int parallel = 0;
    for (int i = 0; i < b->edge_count; ++i) {
        edge_ends(b, &b->edge[i], side);
        const double distance = nb_nearest_on_segments(ends, side, p, q);
        const double gain = best.distance - distance;
        const int along = gain >= -slack && common_part(ends, side, part);
        if (gain > (parallel ? slack : 0) || (along && best.face < 0 && !parallel)) {
            best = (struct nearest){distance, -1, i};
            parallel = along;
        }
    }
    return best;
}

/* Whether the core passes through the solid, though both ends may be outside: it is cut by all
 * half-spaces of the faces in turn. */
static int core_inside(const struct nb_solid *b, const double *ends)
{
    double enter = 0, leave = 1;
    for (int face = 0; face < b->face_count && enter <= leave; ++face) {
        const double first = nb_dot3(b->normal + 3 * face, ends) - b->offset[face];
        const double last = nb_dot3(b->normal + 3 * face, ends + 3) - b->offset[face];
        if (first > 0 && last > 0)
            return 0;
        if (first > 0)
            enter = fmax(enter, first / (first - last));
        else if (last > 0)
            leave = fmin(leave, first / (first - last));
    }
    return enter <= leave;
}

/* The face that the segment lies along where an edge is nearest, or -1: parallel to it, and the way
 * to the edge almost the face's normal. */
static int face_along(const struct nb_solid *b, const double *ends, const double *way)
{
    double along[3];
    nb_subtract3(ends + 3, ends, along);
    for (int face = 0; face < b->face_count; ++face) {
        const double *normal = b->normal + 3 * face;
        if (fabs(nb_dot3(normal, along)) <= parallel_sine * nb_norm3(along) &&
            nb_dot3(normal, way) >= (1 - parallel_sine * parallel_sine) * nb_norm3(way))
            return face;
    }
    return -1;
}

/* Beside an edge, or along one of the faces that meet there. */
static void add_beside_edge(struct nb_manifold *manifold, const struct nb_solid *a,
                            const struct nb_solid *b, const struct nb_edge *edge, double slack,
                            double margin)
{
    double side[6], p[3], q[3], way[3], part[2];
    edge_ends(b, edge, side);
    nb_nearest_on_segments(a->ends, side, p, q);
    nb_subtract3(p, q, way);
    const int face = has_length(a->ends) ? face_along(b, a->ends, way) : -1;
    if (face >= 0) {
        const struct nb_face polygon = nb_solid_face(b, face);
        if (nb_face_clip_segment(&polygon, a->ends, slack, part) && part[1] > part[0]) {
            add_over_face(manifold, a, &polygon, margin);
            return;
        }
    }
    add_segments(manifold, a->ends, a->shape->radius, side, 0, b->normal + 3 * edge->face[0],
                 margin);
}

static void add_shallow(struct nb_manifold *manifold, const struct nb_solid *a,
                        const struct nb_solid *b, double margin)
{
    const double slack = sqrt(DBL_EPSILON) * a->shape->radius;
    const struct nearest nearest = find_nearest(b, a->ends, slack);
    if (nearest.face >= 0) {
        const struct nb_face polygon = nb_solid_face(b, nearest.face);
        add_over_face(manifold, a, &polygon, margin);
    } else if (nearest.edge >= 0) {
        add_beside_edge(manifold, a, b, &b->edge[nearest.edge], slack, margin);
    }
}

void nb_manifold_round_convex(struct nb_manifold *manifold, const struct nb_solid *a,
                              const struct nb_solid *b, double margin)
{
    int face;
    const double height = highest_face(b, a->ends, &face);
    manifold->count = 0;
    if (height - a->shape->radius > margin)
        return;
    if (core_inside(b, a->ends))
        add_deep(manifold, a, b, face, height, margin);
    else
        add_shallow(manifold, a, b, margin);
}
