/* Deformable bodies for scenes (problems/scenes/build/scene_deform.h). */
#include "problems/scenes/build/scene_deform.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/vec3.h"

/* R: the edges at rest are its columns. */
static void store_rest(const struct nb_mesh *mesh, int tetra, double *rest)
{
    const int *corner = mesh->tetra + 4 * tetra;
    for (int column = 0; column < 3; ++column)
        for (int row = 0; row < 3; ++row)
            rest[3 * row + column] =
                mesh->node[3 * corner[column + 1] + row] - mesh->node[3 * corner[0] + row];
}

void nb_scene_make_mesh(struct nb_problem *problem, int first_particle, int first_tetra,
                        const struct nb_mesh *mesh, const struct nb_elastic *elastic)
{
    struct nb_tetrahedra *tetra = &problem->tetrahedra;
    double *mass = problem->particles.mass + first_particle;
    const double young = elastic->young, poisson = elastic->poisson;
    memcpy(problem->particles.position + 3 * first_particle, mesh->node,
           3 * (size_t)mesh->node_count * sizeof *mesh->node);
    for (int t = 0; t < mesh->tetra_count; ++t) {
        const int i = first_tetra + t;
        const double share = elastic->density * nb_mesh_tetra_volume(mesh, t) / 4;
        for (int k = 0; k < 4; ++k) {
            const int node = mesh->tetra[4 * t + k];
            tetra->particle[4 * i + k] = first_particle + node;
            mass[node] += share;
        }
        store_rest(mesh, t, tetra->rest + 9 * i);
        tetra->material[i] = elastic->material;
        tetra->lame[2 * i] = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
        tetra->lame[2 * i + 1] = young / (2 * (1 + poisson));
    }
}

enum nb_status nb_shape_surface(struct nb_shape *shape, const struct nb_mesh *mesh,
                                int first_particle, double radius, struct nb_error *error)
{
    const int faces = mesh->face_count;
    shape->kind = NB_SHAPE_SURFACE;
    shape->radius = radius;
    shape->face_start = calloc((size_t)faces + 1, sizeof *shape->face_start);
    shape->face_vertex = calloc(3 * (size_t)faces + 1, sizeof *shape->face_vertex);
    if (!shape->face_start || !shape->face_vertex)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a skin of %d triangles", faces);
    shape->face_count = faces;
    for (int i = 0; i <= faces; ++i)
        shape->face_start[i] = 3 * i;
    for (int i = 0; i < 3 * faces; ++i)
        shape->face_vertex[i] = first_particle + mesh->face[i];
    return NB_OK;
}

void nb_scene_attach(struct nb_problem *problem, int index, int particle, int body,
                     double compliance)
{
    struct nb_attachments *attachments = &problem->attachments;
    attachments->particle[index] = particle;
    attachments->body[index] = body;
    attachments->compliance[index] = compliance;
    nb_to_body_frame(&problem->bodies, body, problem->particles.position + 3 * particle,
                     attachments->point + 3 * index);
}

void nb_scene_keep_distance(struct nb_problem *problem, int index, int a, int b,
                            double compliance)
{
    struct nb_distances *distances = &problem->distances;
    const double *position = problem->particles.position;
    double between[3];
    nb_subtract3(position + 3 * a, position + 3 * b, between);
    distances->particle[2 * index] = a;
    distances->particle[2 * index + 1] = b;
    distances->length[index] = nb_norm3(between);
    distances->compliance[index] = compliance;
}

double nb_scene_volume(const struct nb_problem *problem, int first, int count)
{
    const double *position = problem->particles.position;
    double volume = 0;
    for (int t = first; t < first + count; ++t) {
        const int *corner = problem->tetrahedra.particle + 4 * t;
        double edge[3][3], cross[3];
        for (int k = 0; k < 3; ++k)
            nb_subtract3(position + 3 * corner[k + 1], position + 3 * corner[0], edge[k]);
        nb_cross3(edge[1], edge[2], cross);
        volume += nb_dot3(edge[0], cross) / 6;
    }
    return volume;
}
