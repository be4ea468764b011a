/* Skins: their boxes, normals and edges, and the nearest point of a triangle (Ericson 2005, Real-Time
 * Collision Detection, 5.1.5). */
#include "problems/collide/skin.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/vec3.h"

/* Cosine below which a normal counts as against a direction: sides of a box do not face what its front
 * faces. */
static const double facing_cosine = 0.1;

int nb_skin_faces(const struct nb_problem *problem)
{
    int faces = 0;
    for (int i = 0; i < problem->shape_count; ++i)
        if (problem->shapes[i].kind == NB_SHAPE_SURFACE)
            faces += problem->shapes[i].face_count;
    return faces;
}

int nb_skin_faces_against(const double *normal, const double *direction)
{
    const double length = nb_norm3(normal);
    return length == 0 || nb_dot3(normal, direction) < -facing_cosine * length;
}

/* An edge as it is found in a face, its lower particle first. */
struct half_edge {
    int low, high, place;
};

static int compare_edges(const void *left, const void *right)
{
    const struct half_edge *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Numbers the edges in the order of their particles. */
static int number_edges(struct nb_skin *skin)
{
    const int corners = 3 * skin->shape->face_count;
    struct half_edge *half = malloc(((size_t)corners + 1) * sizeof *half);
    if (!half)
        return 1;
    for (int i = 0; i < corners; ++i) {
        const int from = skin->shape->face_vertex[i];
        const int to = skin->shape->face_vertex[i - i % 3 + (i + 1) % 3];
        half[i] = (struct half_edge){from < to ? from : to, from < to ? to : from, i};
    }
    qsort(half, (size_t)corners, sizeof *half, compare_edges);
    for (int i = 0; i < corners; ++i) {
        if (i == 0 || half[i].low != half[i - 1].low || half[i].high != half[i - 1].high)
            skin->edge_count++;
        skin->edge[half[i].place] = skin->edge_count - 1;
    }
    free(half);
    return 0;
}

/* Normal and box of a face; its normal by area goes to the vertices. A segment of a rope has none: what rounding leaves
 * of the product of two equal edges, whose terms are contracted, is no direction. */
static void place_face(struct nb_skins *skins, struct nb_skin *skin, int face,
                       struct nb_solid *solid)
{
    const int *corner = skin->shape->face_vertex + 3 * face;
    const double *position = skins->problem->particles.position;
    double u[3], v[3], *normal = skin->normal + 3 * face;
    nb_subtract3(position + 3 * corner[1], position + 3 * corner[0], u);
    nb_subtract3(position + 3 * corner[2], position + 3 * corner[0], v);
    nb_cross3(u, v, normal);
    if (nb_norm3(normal) <= 4 * DBL_EPSILON * nb_norm3(u) * nb_norm3(v))
        memset(normal, 0, 3 * sizeof *normal);
    for (int k = 0; k < 3; ++k) {
        const double x[3] = {position[3 * corner[0] + k], position[3 * corner[1] + k],
                             position[3 * corner[2] + k]};
        solid->lower[k] = fmin(x[0], fmin(x[1], x[2])) - skin->shape->radius;
        solid->upper[k] = fmax(x[0], fmax(x[1], x[2])) + skin->shape->radius;
        nb_add_scaled3(skins->vertex_normal + 3 * corner[k], 1, normal,
                       skins->vertex_normal + 3 * corner[k]);
    }
    if (nb_norm3(normal) > 0)
        nb_normalise3(normal);
}

static int create_skin(struct nb_skins *skins, int index, struct nb_solid *solid)
{
    struct nb_skin *skin = &skins->skin[index];
    const int faces = skin->shape->face_count;
    skin->normal = malloc((3 * (size_t)faces + 1) * sizeof *skin->normal);
    skin->edge = malloc((3 * (size_t)faces + 1) * sizeof *skin->edge);
    if (!skin->normal || !skin->edge || number_edges(skin))
        return 1;
    for (int face = 0; face < faces; ++face) {
        solid[face].shape = skin->shape;
        solid[face].face = face;
        solid[face].skin = index;
        solid[face].group = -2 - index;
        place_face(skins, skin, face, &solid[face]);
        for (int k = 0; k < 3; ++k) {
            const int particle = skin->shape->face_vertex[3 * face + k];
            if (skins->skin_of[particle] != index)
                skins->owner[particle] = face;
            skins->skin_of[particle] = index;
        }
    }
    return 0;
}

static int allocate(struct nb_skins *skins)
{
    const size_t particles = (size_t)skins->problem->particles.count;
    skins->skin = calloc((size_t)skins->problem->shape_count + 1, sizeof *skins->skin);
    skins->skin_of = malloc((particles + 1) * sizeof *skins->skin_of);
    skins->owner = calloc(particles + 1, sizeof *skins->owner);
    skins->vertex_normal = calloc(3 * particles + 1, sizeof *skins->vertex_normal);
    skins->seen = calloc(particles + 1, sizeof *skins->seen);
    for (size_t i = 0; skins->skin_of && i < particles; ++i)
        skins->skin_of[i] = -1;
    return !skins->skin || !skins->skin_of || !skins->owner || !skins->vertex_normal ||
           !skins->seen;
}

enum nb_status nb_skins_create(struct nb_skins *skins, const struct nb_problem *problem,
                               struct nb_solid *solid, struct nb_error *error)
{
    int edges = 0;
    *skins = (struct nb_skins){.problem = problem};
    if (nb_skin_faces(problem) == 0)
        return NB_OK;
    int failed = allocate(skins);
    for (int i = 0; !failed && i < problem->shape_count; ++i) {
        if (problem->shapes[i].kind != NB_SHAPE_SURFACE)
            continue;
        struct nb_skin *skin = &skins->skin[skins->count];
        *skin = (struct nb_skin){.shape = &problem->shapes[i]};
        failed = create_skin(skins, skins->count++, solid);
        solid += skin->shape->face_count;
        edges = skin->edge_count > edges ? skin->edge_count : edges;
    }
    if (!failed)
        skins->seen_edge = calloc((size_t)edges + 1, sizeof *skins->seen_edge);
    if (failed || !skins->seen_edge)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for skins of %d faces",
                       nb_skin_faces(problem));
    return NB_OK;
}

void nb_skins_free(struct nb_skins *skins)
{
    if (!skins)
        return;
    for (int i = 0; i < skins->count; ++i) {
        free(skins->skin[i].normal);
        free(skins->skin[i].edge);
    }
    free(skins->skin);
    free(skins->skin_of);
    free(skins->owner);
    free(skins->vertex_normal);
    free(skins->seen);
    free(skins->seen_edge);
    free(skins->noted);
    memset(skins, 0, sizeof *skins);
}

/* Nearest point at weight t of the edge from corner k to the next. */
static void set_on_edge(struct nb_nearest *nearest, int k, double t)
{
    memset(nearest->weight, 0, sizeof nearest->weight);
    nearest->weight[k] = 1 - t;
    nearest->weight[(k + 1) % 3] = t;
    nearest->corners = 2;
    nearest->index = k;
}

static void set_at_corner(struct nb_nearest *nearest, int k)
{
    memset(nearest->weight, 0, sizeof nearest->weight);
    nearest->weight[k] = 1;
    nearest->corners = 1;
    nearest->index = k;
}

/* The regions in which a corner, an edge or the middle is nearest. */
static void find_region(const double *const *corner, const double *x, struct nb_nearest *nearest)
{
    double side[3][3], from[3][3], ahead[3], behind[3], normal[3], cross[3], area[3];
    for (int k = 0; k < 3; ++k) {
        nb_subtract3(corner[(k + 1) % 3], corner[k], side[k]);
        nb_subtract3(x, corner[k], from[k]);
    }
    for (int k = 0; k < 3; ++k) { /* how far x is past the ends of the edge from corner k */
        ahead[k] = nb_dot3(side[k], from[k]);
        behind[k] = -nb_dot3(side[k], from[(k + 1) % 3]);
    }
    for (int k = 0; k < 3; ++k)
        if (ahead[k] <= 0 && behind[(k + 2) % 3] <= 0) {
            set_at_corner(nearest, k);
            return;
        }
    nb_cross3(side[0], side[1], normal);
    for (int k = 0; k < 3; ++k) {
        nb_cross3(side[k], from[k], cross);
        area[k] = nb_dot3(normal, cross);
    }
    for (int k = 0; k < 3; ++k)
        if (area[k] <= 0 && ahead[k] > 0 && behind[k] > 0) {
            set_on_edge(nearest, k, ahead[k] / (ahead[k] + behind[k]));
            return;
        }
    const double sum = fmax(area[0], 0) + fmax(area[1], 0) + fmax(area[2], 0);
    nearest->corners = 3;
    nearest->index = 0;
    for (int k = 0; k < 3; ++k)
        nearest->weight[k] = fmax(area[(k + 1) % 3], 0) / sum;
    if (!(sum > 0))
        set_at_corner(nearest, 0); /* a triangle without area */
}

void nb_nearest_on_triangle(const double *const *corner, const double *x,
                            struct nb_nearest *nearest)
{
    find_region(corner, x, nearest);
    for (int k = 0; k < 3; ++k)
        nearest->point[k] = nearest->weight[0] * corner[0][k] + nearest->weight[1] * corner[1][k] +
                            nearest->weight[2] * corner[2][k];
}

void nb_skin_nearest(const struct nb_skins *skins, const struct nb_skin *skin, int face,
                     const double *x, struct nb_nearest *nearest)
{
    const int *vertex = skin->shape->face_vertex + 3 * face;
    const double *position = skins->problem->particles.position;
    const double *corner[3] = {position + 3 * vertex[0], position + 3 * vertex[1],
                               position + 3 * vertex[2]};
    nb_nearest_on_triangle(corner, x, nearest);
}

struct nb_contact_side nb_skin_side(const struct nb_skin *skin, int face,
                                    const struct nb_nearest *nearest, const double *outward,
                                    double *surface)
{
    struct nb_contact_side side = {skin->shape, surface, {-1, -1, -1}, {0}};
    int count = 0;
    for (int k = 0; k < 3; ++k)
        if (nearest->weight[k] > 0) {
            side.particle[count] = skin->shape->face_vertex[3 * face + k];
            side.weight[count++] = nearest->weight[k];
        }
    nb_add_scaled3(nearest->point, skin->shape->radius, outward, surface);
    return side;
}
