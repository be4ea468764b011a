/* Deformable bodies on a picture, as triangles: the boundary faces of tetrahedra, seen from outside, and
 * those triangles of surfaces that have a corner which no tetrahedron has, seen from both sides. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/picture.h"
#include "problems/base/sorted.h"
#include "problems/base/vec3.h"
#include "problems/elements.h"

/* A face of a tetrahedron: its corners counter-clockwise from outside, and in ascending order. */
struct face {
    int corner[3], key[3], tetrahedron;
};

static int compare_faces(const void *left, const void *right)
{
    const struct face *a = left, *b = right;
    for (int k = 0; k < 3; ++k)
        if (a->key[k] != b->key[k])
            return a->key[k] < b->key[k] ? -1 : 1;
    return 0;
}

static void swap_if(int *a, int *b)
{
    const int lower = *a < *b ? *a : *b, upper = *a < *b ? *b : *a;
    *a = lower;
    *b = upper;
}

static void fill_face(const int *particle, int index, struct face *face)
{
    static const int corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    face->tetrahedron = index / 4;
    index %= 4;
    for (int k = 0; k < 3; ++k)
        face->key[k] = face->corner[k] = particle[corners[index][k]];
    swap_if(&face->key[0], &face->key[1]);
    swap_if(&face->key[1], &face->key[2]);
    swap_if(&face->key[0], &face->key[1]);
}

/* det F - 1: its volume now over that at rest. */
static double volume_strain(const struct nb_problem *problem, int tetrahedron)
{
    const int *corner = problem->tetrahedra.particle + 4 * tetrahedron;
    const double *x = problem->particles.position;
    double edge[3][3], cross[3];
    for (int k = 0; k < 3; ++k)
        nb_subtract3(x + 3 * corner[k + 1], x + 3 * corner[0], edge[k]);
    nb_cross3(edge[1], edge[2], cross);
    return nb_dot3(edge[0], cross) / (6 * nb_element_volume(&problem->tetrahedra, tetrahedron)) - 1;
}

static void add_triangle(struct nb_stage *stage, const struct nb_problem *problem,
                         const int *corner, int two_sided, double strain)
{
    struct nb_triangle *triangle = &stage->triangles[stage->triangle_count];
    double edge[2][3];
    for (int k = 0; k < 3; ++k)
        memcpy(triangle->corner + 3 * k, problem->particles.position + 3 * corner[k],
               3 * sizeof(double));
    nb_subtract3(triangle->corner + 3, triangle->corner, edge[0]);
    nb_subtract3(triangle->corner + 6, triangle->corner, edge[1]);
    nb_cross3(edge[0], edge[1], triangle->normal);
    triangle->two_sided = two_sided;
    triangle->strain = strain;
    if (!(nb_norm3(triangle->normal) > 0))
        return; /* it has no area to draw */
    nb_normalise3(triangle->normal);
    stage->triangle_count++;
}

/* Faces that no second tetrahedron has. */
static void add_boundary(struct nb_stage *stage, const struct nb_problem *problem,
                         struct face *faces)
{
    const int count = 4 * problem->tetrahedra.count;
    for (int i = 0; i < count; ++i)
        fill_face(problem->tetrahedra.particle + 4 * (i / 4), i, &faces[i]);
    nb_sort(faces, count, sizeof *faces, compare_faces);
    for (int i = 0; i < count; ++i)
        if ((i == 0 || compare_faces(&faces[i], &faces[i - 1]) != 0) &&
            (i + 1 == count || compare_faces(&faces[i], &faces[i + 1]) != 0))
            add_triangle(stage, problem, faces[i].corner, 0,
                         volume_strain(problem, faces[i].tetrahedron));
}

static void add_surfaces(struct nb_stage *stage, const struct nb_problem *problem,
                         const char *massive)
{
    for (int i = 0; i < problem->shape_count; ++i) {
        const struct nb_shape *shape = &problem->shapes[i];
        for (int f = 0; shape->kind == NB_SHAPE_SURFACE && f < shape->face_count; ++f) {
            const int *corner = shape->face_vertex + shape->face_start[f];
            if (!massive[corner[0]] || !massive[corner[1]] || !massive[corner[2]])
                add_triangle(stage, problem, corner, 1, 0);
        }
    }
}

enum nb_status nb_stage_add_triangles(struct nb_stage *stage, const struct nb_problem *problem,
                                      struct nb_error *error)
{
    const size_t faces = 4 * (size_t)problem->tetrahedra.count;
    size_t most = faces;
    for (int i = 0; i < problem->shape_count; ++i)
        if (problem->shapes[i].kind == NB_SHAPE_SURFACE)
            most += (size_t)problem->shapes[i].face_count;
    struct face *list = malloc((faces + 1) * sizeof *list);
    char *massive = calloc((size_t)problem->particles.count + 1, 1);
    stage->triangles = calloc(most + 1, sizeof *stage->triangles);
    enum nb_status status = NB_OK;
    if (!list || !massive || !stage->triangles) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to draw %zu triangles", most);
        goto done;
    }
    for (size_t i = 0; i < faces; ++i)
        massive[problem->tetrahedra.particle[i]] = 1;
    add_boundary(stage, problem, list);
    add_surfaces(stage, problem, massive);
done:
    free(list);
    free(massive);
    return status;
}

static double depth(const struct nb_triangle *triangle, const struct nb_camera *camera)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum -= nb_dot3(camera->toward, triangle->corner + 3 * k);
    return sum / 3;
}

static void middle_of(const struct nb_triangle *triangle, double *middle)
{
    for (int k = 0; k < 3; ++k)
        middle[k] = (triangle->corner[k] + triangle->corner[3 + k] + triangle->corner[6 + k]) / 3;
}

static int compare_triangles(const void *left, const void *right)
{
    const struct nb_triangle *a = left, *b = right;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return a->depth == b->depth ? 0 : a->depth > b->depth ? -1 : 1;
}

void nb_stage_sort_triangles(struct nb_stage *stage, const struct nb_camera *camera)
{
    for (int i = 0; i < stage->triangle_count; ++i) {
        struct nb_triangle *triangle = &stage->triangles[i];
        double middle[3];
        middle_of(triangle, middle);
        triangle->depth = depth(triangle, camera);
        triangle->slot = 0;
        while (triangle->slot < stage->solid_count &&
               !nb_solid_hides(&stage->solids[stage->order[triangle->slot]], camera, middle))
            triangle->slot++;
    }
    if (stage->triangle_count > 0)
        nb_sort(stage->triangles, stage->triangle_count, sizeof *stage->triangles,
              compare_triangles);
}

/* Whether the ray from the point towards the viewer meets the triangle, farther away than a tenth of
 * its size: a contact point lies on the surface itself (Moeller and Trumbore 1997). */
static bool triangle_hides(const struct nb_triangle *triangle, const double *toward,
                           const double *point)
{
    double edge[2][3], arm[3], across[3], along[3];
    nb_subtract3(triangle->corner + 3, triangle->corner, edge[0]);
    nb_subtract3(triangle->corner + 6, triangle->corner, edge[1]);
    nb_subtract3(point, triangle->corner, arm);
    nb_cross3(toward, edge[1], across);
    nb_cross3(arm, edge[0], along);
    const double determinant = nb_dot3(edge[0], across);
    if (determinant == 0)
        return false;
    const double u = nb_dot3(arm, across) / determinant;
    const double v = nb_dot3(toward, along) / determinant;
    const double distance = nb_dot3(edge[1], along) / determinant;
    return u >= 0 && v >= 0 && u + v <= 1 && distance > 0.1 * nb_norm3(edge[0]);
}

int nb_triangles_hide(const struct nb_stage *stage, const struct nb_camera *camera,
                      const double *point)
{
    for (int i = 0; i < stage->triangle_count; ++i)
        if (triangle_hides(&stage->triangles[i], camera->toward, point))
            return 1;
    return 0;
}

enum nb_status nb_deformable_bodies(const struct nb_problem *problem, struct nb_islands *bodies,
                                    struct nb_error *error)
{
    struct nb_problem alone = *problem;
    alone.contacts.count = alone.joints.count = alone.attachments.count = 0;
    return nb_islands_find(bodies, &alone, error);
}
