/* Contacts of a body given by its distance field with another rigid one.
 *
 * A mesh meets a field at its vertices, and at the point of each edge and face that is nearest to it where that lies
 * within the edge or the face (Macklin 2020, thesis, 6.4.2): sharp parts of the field between the vertices, and edges
 * across edges, are found. A ball meets it at its middle, a capsule at its ends and at the nearest point of its axis
 * between them. Of two fields each one's mesh meets the other; the mesh of a field meets a polyhedron by its
 * vertices. The nearest points are searched by the default method (problems/distance/closest.h). */
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/collide/solid.h"
#include "problems/distance/closest.h"

/* What meets a field: the manifold's normal is from the field to it, or, turned, from it to the field. */
struct meeting {
    struct nb_manifold *manifold;
    const struct nb_solid *field;
    double margin;
    int turned;
};

static void add_turned(const struct meeting *m, const double *normal, const double *on_other, const double *on_field)
{
    const double back[3] = {-normal[0], -normal[1], -normal[2]};
    if (m->turned)
        nb_manifold_add(m->manifold, back, on_field, on_other);
    else
        nb_manifold_add(m->manifold, normal, on_other, on_field);
}

/* A ball about x. */
static void add(const struct meeting *m, const double *x, double radius)
{
    double normal[3], on_field[3], on_other[3];
    const double distance = nb_solid_distance(m->field, x, normal);
    if (distance - radius > m->margin)
        return;
    nb_add_scaled3(x, -distance, normal, on_field);
    nb_add_scaled3(x, -radius, normal, on_other);
    add_turned(m, normal, on_other, on_field);
}

/* The nearest point within a segment, or within a triangle or, where its last two corners end at a diagonal of a
 * larger face, on that: the vertices and edges are looked at by themselves. */
static void add_within(const struct meeting *m, const double *const *corner, int corners, int diagonal, double radius)
{
    struct nb_element element = {.field = &m->field->shape->field, .corners = corners};
    struct nb_closest best;
    int between = 0;
    double x[3] = {0, 0, 0};
    for (int k = 0; k < corners; ++k)
        nb_solid_to_field(m->field, corner[k], element.corner + 3 * k);
    m->manifold->faces += corners == 3;
    if (nb_element_is_far(&element, radius + m->margin))
        return;
    m->manifold->near += corners == 3;
    nb_closest_find(nb_closest_numbered(NB_CLOSEST_DEFAULT), &element, NB_CLOSEST_ITERATIONS, &best, NULL);
    for (int k = 0; k < corners; ++k) {
        between += best.weight[k] > 0;
        nb_add_scaled3(x, best.weight[k], corner[k], x);
    }
    if (between == corners || (diagonal && between == 2 && best.weight[1] == 0))
        add(m, x, radius);
}

static void meet_mesh(const struct meeting *m, const struct nb_solid *mesh)
{
    const struct nb_shape *shape = mesh->shape;
    for (int i = 0; i < shape->vertex_count; ++i)
        add(m, mesh->vertex + 3 * i, 0);
    for (int i = 0; i < mesh->edge_count; ++i) {
        const double *ends[2] = {mesh->vertex + 3 * mesh->edge[i].vertex[0],
                                 mesh->vertex + 3 * mesh->edge[i].vertex[1]};
        add_within(m, ends, 2, 0, 0);
    }
    for (int face = 0; face < shape->face_count; ++face) {
        const int *corner = shape->face_vertex + shape->face_start[face];
        const int count = shape->face_start[face + 1] - shape->face_start[face];
        for (int k = 1; k + 1 < count; ++k) {
            const double *triangle[3] = {mesh->vertex + 3 * corner[0], mesh->vertex + 3 * corner[k],
                                         mesh->vertex + 3 * corner[k + 1]};
            add_within(m, triangle, 3, k + 2 < count, 0);
        }
    }
}

static void meet_round(const struct meeting *m, const struct nb_solid *round)
{
    const double *ends[2] = {round->ends, round->ends + 3};
    const int capsule = round->shape->kind == NB_SHAPE_CAPSULE;
    for (int k = 0; k < 1 + capsule; ++k)
        add(m, ends[k], round->shape->radius);
    if (capsule)
        add_within(m, ends, 2, 0, round->shape->radius);
}

/* The field's own vertices and a polyhedron. */
static void meet_convex(const struct meeting *m, const struct nb_solid *convex)
{
    double normal[3 * 4], on_point[3 * 4], on_convex[3 * 4], polygon[6 * 4];
    struct nb_manifold found = {.capacity = 4, .normal = normal, .on_a = on_point, .on_b = on_convex,
                                .polygon = polygon};
    const struct nb_shape ball = {.kind = NB_SHAPE_SPHERE};
    struct nb_solid point = {.shape = &ball};
    for (int i = 0; i < m->field->shape->vertex_count; ++i) {
        const double *x = m->field->vertex + 3 * i;
        memcpy(point.ends, x, 3 * sizeof *x);
        memcpy(point.ends + 3, x, 3 * sizeof *x);
        nb_manifold_round_convex(&found, &point, convex, m->margin);
        for (int k = 0; k < found.count; ++k) {
            const double back[3] = {-normal[3 * k], -normal[3 * k + 1], -normal[3 * k + 2]};
            add_turned(m, back, on_convex + 3 * k, x);
        }
    }
}

static void meet(struct nb_manifold *manifold, const struct nb_solid *other, const struct nb_solid *field,
                 double margin, int turned)
{
    const struct meeting m = {manifold, field, margin, turned};
    if (nb_solid_is_round(other)) {
        meet_round(&m, other);
        return;
    }
    meet_mesh(&m, other);
    if (!nb_solid_is_field(other))
        meet_convex(&m, other);
}

void nb_manifold_field(struct nb_manifold *manifold, const struct nb_solid *a, const struct nb_solid *b, double margin)
{
    manifold->count = manifold->faces = manifold->near = 0;
    if (nb_solid_is_field(b))
        meet(manifold, a, b, margin, 0);
    if (nb_solid_is_field(a))
        meet(manifold, b, a, margin, 1);
}
