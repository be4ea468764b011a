/* Inflating fingers (problems/scenes/build/scene_finger.h).
 *
 * Lattice axes: along the finger from its root, across it, and away from the layer. The layer is the
 * sides of the lattice's lowest triangles, as distances. */
#include "problems/scenes/build/scene_finger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/sorted.h"

enum { LONG = 20, WIDE = 5, HIGH = 2, PERIOD = 2 };

/* Where the lattice of a finger goes. */
struct place {
    int refinement;
    const double *centre;
    double radius, outwards[2]; /* x, y */
};

/* A lattice and what is found in it. */
struct layout {
    struct nb_mesh mesh;
    int root_count, edge_count;
    int *root; /* [root_count]    nodes at the root                            */
    int *edge; /* [2 edge_count]  of the layer, without those between two roots */
};

static int is_in_finger(const void *context, const int *cell)
{
    const int refinement = *(const int *)context;
    return cell[2] < refinement || cell[0] / refinement % PERIOD != PERIOD - 1;
}

static int is_root(const void *context, const double *node)
{
    (void)context;
    return node[0] == 0;
}

/* edge [6 face_count] is filled with the sides of the layer's triangles, each once. */
static int find_layer(const struct nb_mesh *mesh, int *edge)
{
    int sides = 0;
    for (int i = 0; i < 3 * mesh->face_count; ++i) {
        const int *face = mesh->face + i - i % 3;
        const int a = mesh->face[i], b = face[(i + 1) % 3], c = face[(i + 2) % 3];
        const double *p = mesh->node + 3 * a, *q = mesh->node + 3 * b, *r = mesh->node + 3 * c;
        if (p[2] != 0 || q[2] != 0 || r[2] != 0 || (p[0] == 0 && q[0] == 0))
            continue;
        edge[2 * sides] = a;
        edge[2 * sides++ + 1] = b;
    }
    return nb_sort_pairs(edge, sides);
}

static void free_layout(struct layout *layout)
{
    nb_mesh_free(&layout->mesh);
    free(layout->root);
    free(layout->edge);
}

static enum nb_status make_layout(struct layout *layout, int refinement, struct nb_error *error)
{
    const int r = refinement;
    const struct nb_lattice lattice = {{LONG * r, WIDE * r, HIGH * r}, is_in_finger, &r};
    memset(layout, 0, sizeof *layout);
    const enum nb_status status = nb_mesh_create(&layout->mesh, &lattice, error);
    if (status)
        return status;
    layout->root = malloc(((size_t)layout->mesh.node_count + 1) * sizeof *layout->root);
    layout->edge = malloc((6 * (size_t)layout->mesh.face_count + 1) * sizeof *layout->edge);
    if (!layout->root || !layout->edge)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a finger of %d nodes",
                       layout->mesh.node_count);
    layout->root_count = nb_mesh_select(&layout->mesh, is_root, NULL, layout->root);
    layout->edge_count = find_layer(&layout->mesh, layout->edge);
    return NB_OK;
}

static double azimuth_of(int index, int fingers)
{
    return 2 * M_PI * index / fingers;
}

/* Down along the finger, across it, and outwards: a right-handed frame. */
static void place_node(const void *context, double *node)
{
    const struct place *place = context;
    const double r = place->refinement, up = node[2] / r;
    const double along = node[0] * NB_FINGER_LENGTH / (LONG * r);
    const double across = (node[1] / (WIDE * r) - 0.5) * NB_FINGER_WIDTH;
    const double height = up < 1 ? up * NB_FINGER_FLOOR
                                 : NB_FINGER_FLOOR + (up - 1) / (HIGH - 1) * NB_FINGER_ARCH;
    const double out = place->radius + height;
    node[0] = place->centre[0] + out * place->outwards[0] - across * place->outwards[1];
    node[1] = place->centre[1] + out * place->outwards[1] + across * place->outwards[0];
    node[2] = place->centre[2] - along;
}

/* Writes finger `index`, whose layout has been moved to its place. */
static void store_finger(struct nb_problem *problem, int index, const struct layout *layout,
                         const struct nb_finger *finger, int body)
{
    const int first = index * layout->mesh.node_count;
    nb_scene_make_mesh(problem, first, index * layout->mesh.tetra_count, &layout->mesh,
                       &finger->elastic);
    for (int i = 0; i < layout->root_count; ++i)
        nb_scene_attach(problem, index * layout->root_count + i, first + layout->root[i], body, 0);
    for (int i = 0; i < layout->edge_count; ++i)
        nb_scene_keep_distance(problem, index * layout->edge_count + i,
                               first + layout->edge[2 * i], first + layout->edge[2 * i + 1],
                               finger->compliance);
}

static enum nb_status allocate(struct nb_problem *problem, int fingers,
                               const struct layout *layout, struct nb_error *error)
{
    enum nb_status status =
        nb_group_allocate(problem, NB_PARTICLES, fingers * layout->mesh.node_count, error);
    if (!status)
        status = nb_group_allocate(problem, NB_TETRAHEDRA, fingers * layout->mesh.tetra_count, error);
    if (!status)
        status = nb_group_allocate(problem, NB_ATTACHMENTS, fingers * layout->root_count, error);
    if (!status)
        status = nb_group_allocate(problem, NB_DISTANCES, fingers * layout->edge_count, error);
    return status;
}

enum nb_status nb_scene_make_fingers(struct nb_problem *problem, int fingers,
                                     struct nb_shape *shapes, const struct nb_finger *finger,
                                     const double *centre, double radius, int body,
                                     struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int i = 0; !status && i < fingers; ++i) {
        const double azimuth = azimuth_of(i, fingers);
        const struct place place = {finger->refinement, centre, radius,
                                    {cos(azimuth), sin(azimuth)}};
        struct layout layout;
        status = make_layout(&layout, finger->refinement, error);
        if (!status && i == 0)
            status = allocate(problem, fingers, &layout, error);
        if (!status)
            status = nb_mesh_map(&layout.mesh, place_node, &place, error);
        if (!status)
            status = nb_shape_surface(&shapes[i], &layout.mesh, i * layout.mesh.node_count, 0,
                                      error);
        if (!status)
            store_finger(problem, i, &layout, finger, body);
        free_layout(&layout);
    }
    return status;
}

void nb_scene_inflate(struct nb_problem *problem, int fingers, double pressure)
{
    struct nb_tetrahedra *tetra = &problem->tetrahedra;
    const int arches = (LONG - LONG / PERIOD) * (HIGH - 1), each = tetra->count / fingers;
    const int of_floor = (int)((double)each * LONG / (LONG + arches) + 0.5);
    for (int t = 0; t < tetra->count; ++t)
        tetra->inflation[t] = t % each < of_floor ? 0 : pressure;
}

/* The mean direction of the layer's last cells, from the nodes of the lattice's lowest rows. */
double nb_scene_finger_angle(const struct nb_problem *problem, int fingers, int index)
{
    const int refinement = (int)nb_problem_parameter(problem, "refinement", 1);
    const int each = problem->particles.count / fingers, row = LONG * refinement + 1;
    const int rows = WIDE * refinement + 1;
    const double azimuth = azimuth_of(index, fingers);
    double way[3] = {0};
    if (refinement < 1 || refinement > 100 || row * rows > each)
        return NAN; /* some other problem of that name */
    for (int j = 0; j < rows; ++j) {
        const double *end =
            problem->particles.position + 3 * (index * each + (j + 1) * row - 1);
        for (int k = 0; k < 3; ++k)
            way[k] += end[k] - end[k - 3 * refinement];
    }
    return atan2(0 - way[0] * cos(azimuth) - way[1] * sin(azimuth), -way[2]);
}
