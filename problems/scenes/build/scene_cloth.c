/* Cloth (problems/scenes/build/scene_cloth.h): particle (i, j) is number i + (cells + 1) j. */
#include "problems/scenes/build/scene_cloth.h"

#include <math.h>
#include <stdlib.h>

#include "problems/fields.h"
#include "problems/scenes/build/scene_deform.h"

static int node(const struct nb_cloth *cloth, int i, int j)
{
    return i + (cloth->cells + 1) * j;
}

static int on_edge(const struct nb_cloth *cloth, int i)
{
    return i == 0 || i == cloth->cells;
}

static int is_held(const struct nb_cloth *cloth, int i, int j)
{
    if (cloth->held == NB_CLOTH_FREE)
        return 0;
    return cloth->held == NB_CLOTH_CORNERS ? on_edge(cloth, i) && on_edge(cloth, j)
                                           : on_edge(cloth, i) || on_edge(cloth, j);
}

/* A particle has a quarter of each square that it is a corner of. */
static void place(struct nb_problem *problem, const struct nb_cloth *cloth)
{
    const int n = cloth->cells;
    const double width = cloth->side / n, quarter = cloth->density * width * width / 4;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) {
            double *x = problem->particles.position + 3 * node(cloth, i, j);
            x[0] = (i - n / 2.) * width;
            x[1] = (j - n / 2.) * width;
            problem->particles.mass[node(cloth, i, j)] =
                quarter * (on_edge(cloth, i) ? 1 : 2) * (on_edge(cloth, j) ? 1 : 2);
        }
}

static void hold(struct nb_problem *problem, const struct nb_cloth *cloth)
{
    int next = 0;
    for (int j = 0; j <= cloth->cells; ++j)
        for (int i = 0; i <= cloth->cells; ++i)
            if (is_held(cloth, i, j))
                nb_scene_attach(problem, next++, node(cloth, i, j), -1, 0);
}

static void keep_distances(struct nb_problem *problem, const struct nb_cloth *cloth)
{
    const double compliance = cloth->stiffness > 0 ? 1 / cloth->stiffness : 0;
    int next = 0;
    for (int j = 0; j <= cloth->cells; ++j)
        for (int i = 0; i <= cloth->cells; ++i) {
            const int here = node(cloth, i, j);
            const int falling = (i + j) % 2;
            if (i < cloth->cells)
                nb_scene_keep_distance(problem, next++, here, node(cloth, i + 1, j), compliance);
            if (j < cloth->cells)
                nb_scene_keep_distance(problem, next++, here, node(cloth, i, j + 1), compliance);
            if (i < cloth->cells && j < cloth->cells)
                nb_scene_keep_distance(problem, next++, node(cloth, i + falling, j),
                                       node(cloth, i + 1 - falling, j + 1), compliance);
        }
}

/* Two triangles a square, counter-clockwise from above. */
static enum nb_status make_skin(const struct nb_cloth *cloth, struct nb_shape *skin, struct nb_error *error)
{
    struct nb_mesh mesh = {.face_count = 2 * cloth->cells * cloth->cells};
    mesh.face = malloc(3 * (size_t)mesh.face_count * sizeof *mesh.face);
    if (!mesh.face)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a cloth of %d triangles", mesh.face_count);
    for (int j = 0, *face = mesh.face; j < cloth->cells; ++j)
        for (int i = 0; i < cloth->cells; ++i, face += 6) {
            const int corner[4] = {node(cloth, i, j), node(cloth, i + 1, j), node(cloth, i + 1, j + 1),
                                   node(cloth, i, j + 1)};
            const int first = (i + j) % 2; /* the diagonal goes from here */
            for (int k = 0; k < 3; ++k) {
                face[k] = corner[(first + k) % 4];
                face[3 + k] = corner[(first + (k ? k + 1 : 0)) % 4];
            }
        }
    const enum nb_status status = nb_shape_surface(skin, &mesh, 0, cloth->radius, error);
    skin->friction = cloth->friction;
    free(mesh.face);
    return status;
}

enum nb_status nb_scene_make_cloth(struct nb_problem *problem, const struct nb_cloth *cloth, struct nb_shape *skin,
                                   struct nb_error *error)
{
    const int n = cloth->cells;
    const int held[] = {[NB_CLOTH_CORNERS] = 4, [NB_CLOTH_BORDER] = 4 * n, [NB_CLOTH_FREE] = 0};
    enum nb_status status = nb_group_allocate(problem, NB_PARTICLES, (n + 1) * (n + 1), error);
    if (!status)
        status = nb_group_allocate(problem, NB_DISTANCES, 2 * n * (n + 1) + n * n, error);
    if (!status)
        status = nb_group_allocate(problem, NB_ATTACHMENTS, held[cloth->held], error);
    if (!status)
        status = make_skin(cloth, skin, error);
    if (status)
        return status;
    place(problem, cloth);
    hold(problem, cloth);
    keep_distances(problem, cloth);
    return NB_OK;
}

double nb_scene_sag(const struct nb_problem *problem)
{
    double lowest = 0;
    for (int i = 0; i < problem->particles.count; ++i)
        lowest = fmin(lowest, problem->particles.position[3 * i + 2]);
    return -lowest;
}
