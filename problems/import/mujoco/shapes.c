/* Geoms as shapes that stand in the world: planes, spheres, capsules and boxes as they are; cylinders and ellipsoids as
 * polyhedra; meshes as the convex hulls that MuJoCo collides. Of a body the geoms that can collide are drawn, or all
 * where none can: models often have fine meshes to look at, and others to touch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/import/mujoco/mujoco.h"
#include "problems/scenes/build/scene_build.h"

enum { AROUND = 24,
       RINGS = 11 }; /* corners on a circle; of an ellipsoid, between its poles */

static int collides(const mjModel *model, int geom)
{
    return model->geom_contype[geom] || model->geom_conaffinity[geom];
}

static int is_drawn(const mjModel *model, int geom)
{
    const int body = model->geom_bodyid[geom], first = model->body_geomadr[body];
    int others = 0;
    for (int i = first; i < first + model->body_geomnum[body]; ++i)
        others |= collides(model, i);
    return collides(model, geom) || !others;
}

/* Corner k of ring r is r AROUND + k, rings from the lower pole up; the poles are the last two. */
static enum nb_status make_ellipsoid(struct nb_shape *shape, const mjtNum *half, struct nb_error *error)
{
    const int poles = RINGS * AROUND, faces = (RINGS + 1) * AROUND;
    const enum nb_status status =
        nb_shape_allocate(shape, poles + 2, faces, (RINGS - 1) * AROUND * 4 + 2 * AROUND * 3, error);
    if (status)
        return status;
    for (int i = 0; i < poles; ++i) {
        const double angle = 2 * M_PI * (i % AROUND) / AROUND, height = M_PI * (i / AROUND + 1) / (RINGS + 1);
        shape->vertex[3 * i] = half[0] * sin(height) * cos(angle);
        shape->vertex[3 * i + 1] = half[1] * sin(height) * sin(angle);
        shape->vertex[3 * i + 2] = -half[2] * cos(height);
    }
    shape->vertex[3 * poles + 2] = -half[2];
    shape->vertex[3 * (poles + 1) + 2] = half[2];
    for (int face = 0, at = 0; face < faces; ++face) {
        const int ring = face / AROUND, k = face % AROUND, next = (k + 1) % AROUND;
        const int lower = (ring - 1) * AROUND, upper = ring * AROUND;
        if (ring == 0)
            shape->face_vertex[at++] = poles;
        else
            shape->face_vertex[at++] = lower + k, shape->face_vertex[at++] = lower + next;
        if (ring == RINGS)
            shape->face_vertex[at++] = poles + 1;
        else
            shape->face_vertex[at++] = upper + next, shape->face_vertex[at++] = upper + k;
        shape->face_start[face + 1] = at;
    }
    return NB_OK;
}

/* MuJoCo's graph of a hull (mjModel.mesh_graph): the numbers V and F of its vertices and faces, V places of edges, V
 * vertices of the mesh, V + 3 F ends of edges, F triangles of the mesh's vertices. */
static enum nb_status make_hull(const mjModel *model, int mesh, struct nb_shape *shape, struct nb_error *error)
{
    const int *graph = model->mesh_graph + model->mesh_graphadr[mesh], vertices = graph[0], faces = graph[1];
    const int *of_mesh = graph + 2 + vertices, *corner = of_mesh + 2 * vertices + 3 * faces;
    const float *point = model->mesh_vert + 3 * model->mesh_vertadr[mesh];
    int *of_hull = calloc((size_t)model->mesh_vertnum[mesh] + 1, sizeof *of_hull);
    enum nb_status status = nb_shape_allocate(shape, vertices, faces, 3 * faces, error);
    if (!status && !of_hull)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a hull of %d vertices", vertices);
    for (int i = 0; i < vertices && !status; ++i) {
        of_hull[of_mesh[i]] = i;
        for (int k = 0; k < 3; ++k)
            shape->vertex[3 * i + k] = point[3 * of_mesh[i] + k];
    }
    for (int i = 0; i < 3 * faces && !status; ++i)
        shape->face_vertex[i] = of_hull[corner[i]];
    for (int i = 0; i < faces && !status; ++i)
        shape->face_start[i + 1] = 3 * (i + 1);
    free(of_hull);
    return status;
}

/* *made: whether there is such a shape. */
static enum nb_status make_shape(const mjModel *model, int geom, struct nb_shape *shape, int *made,
                                 struct nb_error *error)
{
    const mjtNum *size = model->geom_size + 3 * geom, sides[3] = {2 * size[0], 2 * size[1], 2 * size[2]};
    const int mesh = model->geom_dataid[geom];
    *made = 1;
    switch (model->geom_type[geom]) {
    case mjGEOM_PLANE:
        shape->kind = NB_SHAPE_PLANE;
        return NB_OK;
    case mjGEOM_BOX:
        return nb_shape_box(shape, sides, error);
    case mjGEOM_CYLINDER:
        return nb_shape_cylinder(shape, size[0], 2 * size[1], AROUND, 0, error);
    case mjGEOM_ELLIPSOID:
        return make_ellipsoid(shape, size, error);
    case mjGEOM_SPHERE:
    case mjGEOM_CAPSULE:
        shape->kind = model->geom_type[geom] == mjGEOM_SPHERE ? NB_SHAPE_SPHERE : NB_SHAPE_CAPSULE;
        shape->radius = size[0];
        shape->half_length = shape->kind == NB_SHAPE_CAPSULE ? size[1] : 0;
        return NB_OK;
    case mjGEOM_MESH:
        *made = model->mesh_graphadr[mesh] >= 0;
        return *made ? make_hull(model, mesh, shape, error) : NB_OK;
    default:
        *made = 0;
        return NB_OK;
    }
}

enum nb_status nb_mujoco_shapes(const struct nb_simulator *simulator, struct nb_problem *problem,
                                struct nb_import_report *report, struct nb_error *error)
{
    const mjModel *model = simulator->model;
    enum nb_status status = NB_OK;
    problem->shapes = calloc((size_t)model->ngeom + 1, sizeof *problem->shapes);
    if (!problem->shapes)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for %d shapes", simulator->path, model->ngeom);
    for (int geom = 0; geom < model->ngeom && !status; ++geom) {
        struct nb_shape *shape = &problem->shapes[problem->shape_count];
        int made;
        if (!is_drawn(model, geom))
            continue;
        shape->body = -1;
        shape->friction = model->geom_friction[3 * geom];
        memcpy(shape->position, simulator->data->geom_xpos + 3 * geom, sizeof shape->position);
        mju_mat2Quat(shape->orientation, simulator->data->geom_xmat + 9 * geom);
        status = make_shape(model, geom, shape, &made, error);
        report->shapes_dropped += !made;
        if (made)
            ++problem->shape_count;
        else
            memset(shape, 0, sizeof *shape);
    }
    return status;
}
