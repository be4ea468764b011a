/* A skin, or a rope, against a distance field (Macklin 2020, thesis, 6.2 to 6.4): each vertex within the margin is a
 * contact, and each face, or segment of a rope, has one more at its point that is nearest to the field, where that is
 * no vertex; on an edge once, whichever face shows it. Faces are left out whose bounding sphere is away from the field.
 * The method is that of the problem's parameters `search` and `iterations`: with `corners` the vertices are all.
 *
 * A field tells inside from outside, so that either side of a skin meets it. */
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/collide/skin.h"
#include "problems/distance/closest.h"

struct meeting {
    struct nb_skins *skins;
    struct nb_skin *skin;
    const struct nb_solid *solid;
    double margin;
    const struct nb_closest_method *method;
    int iterations;
    struct nb_contact_list *list;
    struct nb_error *error;
};

static enum nb_status add(const struct meeting *m, int face, struct nb_nearest *nearest)
{
    double normal[3], on_field[3], surface[3];
    const double distance = nb_solid_distance(m->solid, nearest->point, normal);
    if (distance - m->skin->shape->radius > m->margin)
        return NB_OK;
    const double inward[3] = {-normal[0], -normal[1], -normal[2]};
    const struct nb_contact_side a = nb_skin_side(m->skin, face, nearest, inward, surface);
    nb_add_scaled3(nearest->point, -distance, normal, on_field);
    const struct nb_contact_side b = {m->solid->shape, on_field, {-1, -1, -1}, {0}};
    m->list->culling.contacts++;
    return nb_contact_list_add(m->list, &a, &b, normal, m->error);
}

static enum nb_status try_vertex(const struct meeting *m, int face, int k)
{
    const int particle = m->skin->shape->face_vertex[3 * face + k];
    struct nb_nearest here = {.corners = 1, .index = k};
    if (m->skins->seen[particle] == m->skins->stamp)
        return NB_OK;
    m->skins->seen[particle] = m->skins->stamp;
    here.weight[k] = 1;
    memcpy(here.point, m->skins->problem->particles.position + 3 * particle, sizeof here.point);
    return add(m, face, &here);
}

static enum nb_status try_face(const struct meeting *m, int face)
{
    const int *vertex = m->skin->shape->face_vertex + 3 * face;
    const double *position = m->skins->problem->particles.position;
    struct nb_element element = {.field = &m->solid->shape->field, .corners = vertex[1] == vertex[2] ? 2 : 3};
    struct nb_nearest nearest = {.corners = 0};
    struct nb_closest best;
    for (int k = 0; k < element.corners; ++k)
        nb_solid_to_field(m->solid, position + 3 * vertex[k], element.corner + 3 * k);
    m->list->culling.faces++;
    if (nb_element_is_far(&element, m->margin + m->skin->shape->radius))
        return NB_OK;
    m->list->culling.near++;
    nb_closest_find(m->method, &element, m->iterations, &best, NULL);
    for (int k = 0; k < element.corners; ++k) {
        nearest.corners += best.weight[k] > 0;
        nearest.weight[k] = best.weight[k];
        nb_add_scaled3(nearest.point, best.weight[k], position + 3 * vertex[k], nearest.point);
    }
    if (nearest.corners == 1)
        return NB_OK;
    if (nearest.corners == 2) {
        const int k = best.weight[0] == 0 ? 1 : best.weight[1] == 0 ? 2 : 0; /* where that edge begins */
        int *edge = &m->skins->seen_edge[m->skin->edge[3 * face + k]];
        if (*edge == m->skins->stamp)
            return NB_OK;
        *edge = m->skins->stamp;
    }
    return add(m, face, &nearest);
}

enum nb_status nb_skin_meets_field(struct nb_skins *skins, struct nb_skin *skin, const int *faces, int count,
                                   const struct nb_solid *solid, double margin, struct nb_contact_list *list,
                                   struct nb_error *error)
{
    struct meeting m = {skins, skin, solid, margin, NULL, 0, list, error};
    enum nb_status status = nb_closest_of(skins->problem, &m.method, &m.iterations, error);
    skins->stamp++;
    for (int i = 0; i < count; ++i)
        for (int k = 0; !status && k < 3; ++k)
            status = try_vertex(&m, faces[i], k);
    for (int i = 0; !status && i < count; ++i)
        status = try_face(&m, faces[i]);
    return status;
}
