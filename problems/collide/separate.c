/* The separating axis test for two convex polyhedra: the gap along the normals of all faces and the
 * cross products of all pairs of edges that can touch.
 *
 * Two edges can touch only where the arcs between their faces' normals cross on the sphere
 * (Gregorius 2013, "The separating axis test between convex polyhedra"), so that a pair of edges
 * needs no loop over vertices. */
#include <float.h>

#include "problems/base/vec3.h"
#include "problems/collide/solid.h"

/* A face of a is kept unless a face of b, and a face unless a pair of edges, is better by this
 * fraction of the smaller solid: faces that lie on each other give equal gaps up to rounding, and
 * the manifold must not change from step to step. */
static const double feature_bias = 1e-3;

/* Gap of the other solid above one face: that of its lowest vertex. */
static double face_gap(const struct nb_solid *solid, int face, const struct nb_solid *other)
{
    double lowest = DBL_MAX;
    for (int i = 0; i < other->shape->vertex_count; ++i)
        lowest = fmin(lowest, nb_dot3(solid->normal + 3 * face, other->vertex + 3 * i));
    return lowest - solid->offset[face];
}

static double best_face(const struct nb_solid *solid, const struct nb_solid *other, int *index)
{
    double best = -DBL_MAX;
    *index = 0;
    for (int face = 0; face < solid->face_count; ++face) {
        const double gap = face_gap(solid, face, other);
        if (gap > best) {
            best = gap;
            *index = face;
        }
    }
    return best;
}

/* Whether the arc of normals of edge p crosses that of edge q of the other solid, turned round. */
static int arcs_cross(const struct nb_solid *a, const struct nb_edge *p, const struct nb_solid *b,
                      const struct nb_edge *q)
{
    const double *a0 = a->normal + 3 * p->face[0], *a1 = a->normal + 3 * p->face[1];
    const double *b0 = b->normal + 3 * q->face[0], *b1 = b->normal + 3 * q->face[1];
    double pole_a[3], pole_b[3];
    nb_cross3(a1, a0, pole_a);
    nb_cross3(b1, b0, pole_b);
    /* Turned round: b0 and b1 change sign, their cross product does not. */
    const double b0_side = -nb_dot3(b0, pole_a), b1_side = -nb_dot3(b1, pole_a);
    const double a0_side = nb_dot3(a0, pole_b), a1_side = nb_dot3(a1, pole_b);
    return b0_side * b1_side < 0 && a0_side * a1_side < 0 && b0_side * a1_side > 0;
}

/* Gap along the common normal of two edges; -DBL_MAX where they cannot touch or are parallel. The
 * normal points from a to b. */
static double edge_gap(const struct nb_solid *a, const struct nb_edge *p, const struct nb_solid *b,
                       const struct nb_edge *q, double *normal)
{
    const double *p0 = a->vertex + 3 * p->vertex[0], *q0 = b->vertex + 3 * q->vertex[0];
    double along_p[3], along_q[3], between[3];
    if (!arcs_cross(a, p, b, q))
        return -DBL_MAX;
    nb_subtract3(a->vertex + 3 * p->vertex[1], p0, along_p);
    nb_subtract3(b->vertex + 3 * q->vertex[1], q0, along_q);
    nb_cross3(along_p, along_q, normal);
    /* Of nearly parallel edges the cross product keeps too few digits for a direction. */
    if (nb_norm3(normal) <= cbrt(DBL_EPSILON) * nb_norm3(along_p) * nb_norm3(along_q))
        return -DBL_MAX;
    nb_normalise3(normal);
    if (nb_dot3(normal, a->normal + 3 * p->face[0]) + nb_dot3(normal, a->normal + 3 * p->face[1]) <
        0)
        for (int k = 0; k < 3; ++k)
            normal[k] = -normal[k];
    nb_subtract3(q0, p0, between);
    return nb_dot3(normal, between);
}

static double best_edges(const struct nb_solid *a, const struct nb_solid *b,
                         struct nb_separation *result)
{
    double best = -DBL_MAX;
    for (int i = 0; i < a->edge_count; ++i) {
        for (int j = 0; j < b->edge_count; ++j) {
            double normal[3] = {0};
            const double gap = edge_gap(a, &a->edge[i], b, &b->edge[j], normal);
            if (gap > best) {
                best = gap;
                result->index_a = i;
                result->index_b = j;
                nb_add_scaled3(normal, -2, normal, result->normal); /* from b to a */
            }
        }
    }
    return best;
}

int nb_separate(const struct nb_solid *a, const struct nb_solid *b, double margin, int steady,
                struct nb_separation *result)
{
    const double bias = steady ? feature_bias * fmin(a->size, b->size) : 0;
    struct nb_separation edges = {.feature = NB_FEATURE_EDGES};
    int face_a, face_b;
    const double gap_a = best_face(a, b, &face_a);
    if (gap_a > margin)
        return 0;
    const double gap_b = best_face(b, a, &face_b);
    if (gap_b > margin)
        return 0;
    edges.gap = best_edges(a, b, &edges);
    if (edges.gap > margin)
        return 0;
    *result = (struct nb_separation){NB_FEATURE_FACE_A, face_a, -1, {0}, gap_a};
    nb_add_scaled3(result->normal, -1, a->normal + 3 * face_a, result->normal);
    if (gap_b > gap_a + bias) {
        *result = (struct nb_separation){NB_FEATURE_FACE_B, -1, face_b, {0}, gap_b};
        nb_add_scaled3(result->normal, 1, b->normal + 3 * face_b, result->normal);
    }
    if (edges.gap > result->gap + bias)
        *result = edges;
    return 1;
}
