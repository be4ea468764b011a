/* Lattice meshes (problems/scenes/build/scene_mesh.h).
 *
 * Corners of a cell are numbered by bits: 1 for x, 2 for y, 4 for z. Five tetrahedra: one regular
 * between the corners with an even number of bits, four at the others; the division of every other
 * cell is mirrored, so that two neighbours cut the face between them along the same diagonal. */
#include "problems/scenes/build/scene_mesh.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/vec3.h"

static const int five[5][4] = {{0, 3, 6, 5}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 6, 5, 0}, {7, 5, 6, 3}};

/* Faces of a positively oriented tetrahedron, seen from outside. */
static const int faces_of[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

/* A side of a tetrahedron, found again from the other side by its nodes in ascending order. */
struct side {
    int key[3];
    int tetra, index;
};

static int is_kept(const struct nb_lattice *lattice, const int *cell)
{
    return !lattice->keep || lattice->keep(lattice->context, cell);
}

/* The next cell in order; cell begins as {-1, 0, 0}. Returns 0 after the last one. */
static int next_cell(const struct nb_lattice *lattice, int *cell)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (++cell[axis] < lattice->cells[axis])
            return 1;
        cell[axis] = 0;
    }
    return 0;
}

static size_t lattice_point(const struct nb_lattice *lattice, const int *cell, int corner)
{
    const size_t x = (size_t)(cell[0] + (corner & 1)), y = (size_t)(cell[1] + (corner >> 1 & 1));
    const size_t z = (size_t)(cell[2] + (corner >> 2));
    const size_t nx = (size_t)lattice->cells[0] + 1, ny = (size_t)lattice->cells[1] + 1;
    return (z * ny + y) * nx + x;
}

/* Corner k of tetrahedron t. A mirror, along x, turns it over, which exchanging two corners undoes. */
static int corner_of(const int *cell, int t, int k)
{
    const int mirror = (cell[0] + cell[1] + cell[2]) & 1;
    return five[t][mirror && k >= 2 ? 5 - k : k] ^ mirror;
}

/* number [lattice points]: of each node that a kept cell has, -1 elsewhere. */
static void number_nodes(const struct nb_lattice *lattice, int *number, size_t points,
                         struct nb_mesh *mesh)
{
    int cell[3] = {-1, 0, 0};
    for (size_t i = 0; i < points; ++i)
        number[i] = -1;
    while (next_cell(lattice, cell)) {
        if (!is_kept(lattice, cell))
            continue;
        mesh->tetra_count += NB_PER_CELL;
        for (int corner = 0; corner < 8; ++corner)
            number[lattice_point(lattice, cell, corner)] = 0;
    }
    for (size_t i = 0; i < points; ++i)
        if (number[i] == 0)
            number[i] = mesh->node_count++;
}

static void place_nodes(const struct nb_lattice *lattice, const int *number, struct nb_mesh *mesh)
{
    size_t i = 0;
    for (int z = 0; z <= lattice->cells[2]; ++z)
        for (int y = 0; y <= lattice->cells[1]; ++y)
            for (int x = 0; x <= lattice->cells[0]; ++x, ++i) {
                const double place[3] = {x, y, z};
                if (number[i] >= 0)
                    memcpy(mesh->node + 3 * (size_t)number[i], place, sizeof place);
            }
}

static void divide_cells(const struct nb_lattice *lattice, const int *number, struct nb_mesh *mesh)
{
    int cell[3] = {-1, 0, 0}, tetra = 0;
    while (next_cell(lattice, cell)) {
        for (int t = 0; t < NB_PER_CELL && is_kept(lattice, cell); ++t, ++tetra)
            for (int k = 0; k < 4; ++k)
                mesh->tetra[4 * tetra + k] = number[lattice_point(lattice, cell, corner_of(cell, t, k))];
    }
}

static int compare_sides(const void *left, const void *right)
{
    const struct side *a = left, *b = right;
    for (int k = 0; k < 3; ++k)
        if (a->key[k] != b->key[k])
            return a->key[k] < b->key[k] ? -1 : 1;
    return 0;
}

static int compare_places(const void *left, const void *right)
{
    const struct side *a = left, *b = right;
    return a->tetra != b->tetra ? (a->tetra > b->tetra) - (a->tetra < b->tetra)
                                : a->index - b->index;
}

static void sort3(int *key)
{
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k + 1 < 3; ++k)
            if (key[k] > key[k + 1]) {
                const int swap = key[k];
                key[k] = key[k + 1];
                key[k + 1] = swap;
            }
}

/* Sides that no second tetrahedron has. side [4 tetra_count]. */
static int keep_boundary(const struct nb_mesh *mesh, struct side *side)
{
    const int count = 4 * mesh->tetra_count;
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        side[i] = (struct side){{0}, i / 4, i % 4};
        for (int k = 0; k < 3; ++k)
            side[i].key[k] = mesh->tetra[4 * (i / 4) + faces_of[i % 4][k]];
        sort3(side[i].key);
    }
    qsort(side, (size_t)count, sizeof *side, compare_sides);
    for (int i = 0; i < count; ++i) {
        const int shared = i + 1 < count && compare_sides(&side[i], &side[i + 1]) == 0;
        if (shared)
            ++i;
        else
            side[kept++] = side[i];
    }
    qsort(side, (size_t)kept, sizeof *side, compare_places);
    return kept;
}

static enum nb_status find_boundary(struct nb_mesh *mesh, struct nb_error *error)
{
    struct side *side = malloc((4 * (size_t)mesh->tetra_count + 1) * sizeof *side);
    const int count = side ? keep_boundary(mesh, side) : 0;
    mesh->face = malloc((3 * (size_t)count + 1) * sizeof *mesh->face);
    const int failed = !side || !mesh->face;
    for (int i = 0; !failed && i < count; ++i)
        for (int k = 0; k < 3; ++k)
            mesh->face[3 * i + k] = mesh->tetra[4 * side[i].tetra + faces_of[side[i].index][k]];
    mesh->face_count = count;
    free(side);
    if (failed)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the skin of %d tetrahedra",
                       mesh->tetra_count);
    return NB_OK;
}

static enum nb_status allocate(struct nb_mesh *mesh, struct nb_error *error)
{
    const size_t nodes = (size_t)mesh->node_count, tetra = (size_t)mesh->tetra_count;
    mesh->node = malloc((3 * nodes + 1) * sizeof *mesh->node);
    mesh->tetra = malloc((4 * tetra + 1) * sizeof *mesh->tetra);
    if (mesh->node && mesh->tetra)
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d tetrahedra", mesh->tetra_count);
}

enum nb_status nb_mesh_create(struct nb_mesh *mesh, const struct nb_lattice *lattice,
                              struct nb_error *error)
{
    const int *cells = lattice->cells;
    memset(mesh, 0, sizeof *mesh);
    if (cells[0] < 1 || cells[1] < 1 || cells[2] < 1 || 6. * cells[0] * cells[1] * cells[2] > 1e8)
        return nb_fail(error, NB_BAD_INPUT, "a mesh of %d x %d x %d cells: needs at least 1 and at most 16 million",
                       cells[0], cells[1], cells[2]);
    const size_t points = lattice_point(lattice, (int[3]){cells[0], cells[1], cells[2]}, 0) + 1;
    int *number = malloc(points * sizeof *number);
    if (!number)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a mesh of %zu nodes", points);
    number_nodes(lattice, number, points, mesh);
    enum nb_status status = allocate(mesh, error);
    if (!status) {
        place_nodes(lattice, number, mesh);
        divide_cells(lattice, number, mesh);
        status = find_boundary(mesh, error);
    }
    free(number);
    return status;
}

void nb_mesh_free(struct nb_mesh *mesh)
{
    if (!mesh)
        return;
    free(mesh->node);
    free(mesh->tetra);
    free(mesh->face);
    memset(mesh, 0, sizeof *mesh);
}

double nb_mesh_tetra_volume(const struct nb_mesh *mesh, int tetra)
{
    const int *corner = mesh->tetra + 4 * tetra;
    double edge[3][3], cross[3];
    for (int k = 0; k < 3; ++k)
        nb_subtract3(mesh->node + 3 * corner[k + 1], mesh->node + 3 * corner[0], edge[k]);
    nb_cross3(edge[1], edge[2], cross);
    return nb_dot3(edge[0], cross) / 6;
}

enum nb_status nb_mesh_map(struct nb_mesh *mesh, void (*map)(const void *context, double *node),
                           const void *context, struct nb_error *error)
{
    for (int i = 0; i < mesh->node_count; ++i)
        map(context, mesh->node + 3 * i);
    for (int t = 0; t < mesh->tetra_count; ++t) {
        const double volume = nb_mesh_tetra_volume(mesh, t);
        if (!(volume > 0))
            return nb_fail(error, NB_BAD_INPUT,
                           "a mesh's mapping gives tetrahedron %d the volume %g m^3", t, volume);
    }
    return NB_OK;
}

/* Places of a box: lowest corner, cells' sides. */
struct box {
    double lower[3], step[3];
};

static void place_in_box(const void *context, double *node)
{
    const struct box *box = context;
    for (int k = 0; k < 3; ++k)
        node[k] = box->lower[k] + node[k] * box->step[k];
}

enum nb_status nb_mesh_box(struct nb_mesh *mesh, const int *cells, const double *lower, const double *sides,
                           struct nb_error *error)
{
    struct nb_lattice lattice = {.keep = NULL};
    struct box box;
    for (int k = 0; k < 3; ++k) {
        lattice.cells[k] = cells[k];
        box.lower[k] = lower[k];
        box.step[k] = sides[k] / cells[k];
    }
    const enum nb_status status = nb_mesh_create(mesh, &lattice, error);
    return status ? status : nb_mesh_map(mesh, place_in_box, &box, error);
}

int nb_mesh_select(const struct nb_mesh *mesh,
                   int (*chosen)(const void *context, const double *node), const void *context,
                   int *nodes)
{
    int count = 0;
    for (int i = 0; i < mesh->node_count; ++i)
        if (chosen(context, mesh->node + 3 * i))
            nodes[count++] = i;
    return count;
}
