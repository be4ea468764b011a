/* Clamped and pulled (problems/scenes/build/scene_stretch.h). */
#include "problems/scenes/build/scene_stretch.h"

#include <math.h>

#include "problems/elements.h"
#include "problems/scenes/build/scene_build.h"

/* The nodes at an end, whose place along x the mesh gives exactly. */
static int is_at_end(const void *context, const double *node)
{
    return node[0] == *(const double *)context;
}

static enum nb_status clamp_ends(struct nb_problem *problem, const struct nb_stretch *stretch,
                                 const struct nb_mesh *mesh, struct nb_error *error)
{
    const int nodes = (stretch->cells[1] + 1) * (stretch->cells[2] + 1);
    const double ends[2] = {0, stretch->cells[0] * (stretch->sides[0] / stretch->cells[0])};
    const enum nb_status status = nb_group_allocate(problem, NB_ATTACHMENTS, 2 * nodes, error);
    int index = 0;
    for (int end = 0; !status && end < 2; ++end)
        for (int i = 0; i < mesh->node_count; ++i)
            if (is_at_end(&ends[end], mesh->node + 3 * i))
                nb_scene_attach(problem, index++, i, -1, 0);
    return status;
}

enum nb_status nb_scene_clamp(struct nb_problem *problem, const struct nb_stretch *stretch,
                              struct nb_error *error)
{
    const double *sides = stretch->sides, lower[3] = {0, -sides[1] / 2, -sides[2] / 2};
    struct nb_mesh mesh = {0};
    enum nb_status status =
        nb_mesh_box(&mesh, stretch->cells, lower, sides, error);
    if (!status)
        status = nb_scene_allocate(problem, 0, 1, error);
    if (!status)
        status = nb_group_allocate(problem, NB_PARTICLES, mesh.node_count, error);
    if (!status)
        status = nb_group_allocate(problem, NB_TETRAHEDRA, mesh.tetra_count, error);
    if (!status)
        status = nb_shape_surface(&problem->shapes[0], &mesh, 0, 0, error);
    if (!status) {
        nb_scene_make_mesh(problem, 0, 0, &mesh, &stretch->elastic);
        status = clamp_ends(problem, stretch, &mesh, error);
    }
    nb_mesh_free(&mesh);
    return status;
}

void nb_scene_pull(struct nb_problem *problem)
{
    struct nb_attachments *attachments = &problem->attachments;
    const double h = problem->time_step, rise = nb_problem_parameter(problem, "rise", 1);
    const double way = nb_problem_parameter(problem, "length", 0) *
                       (nb_problem_parameter(problem, "stretch", 1) - 1);
    const double before = fmin(problem->step * h / rise, 1);
    const double after = fmin((problem->step + 1) * h / rise, 1);
    for (int i = attachments->count / 2; i < attachments->count; ++i)
        attachments->drift[3 * i] = way * (after - before) / h;
}

double nb_scene_volume_ratio(const struct nb_problem *problem)
{
    const struct nb_tetrahedra *tetra = &problem->tetrahedra;
    double rest = 0;
    for (int t = 0; t < tetra->count; ++t)
        rest += nb_element_volume(tetra, t);
    return nb_scene_volume(problem, 0, tetra->count) / rest;
}
