/* Deformable bodies on a picture, as triangles: the boundary faces of tetrahedra, seen from outside, and
 * those triangles of surfaces that have a corner which no tetrahedron has, seen from both sides, and the segments of
 * ropes. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/picture.h"
#include "problems/base/sorted.h"
#include "problems/base/vec3.h"
#include "problems/elements.h"
#include "problems/surface.h"

/* Spheres and capsules on a picture, as discs: in orthographic projection a sphere is one, and a
 * capsule the union of those along its axis. Discs within each other, each lighter and nearer to the
 * light than the one before, stand for the shading; a darker one behind them for the outline. */

/* Discs along a capsule's axis are this far apart, in radii: scallops stay below r/300, or r/30 on a
 * rod so thin that they are not seen. */
static const double disc_spacing = 0.15, rod_spacing = 0.5;

static int is_rod(const struct nb_shape *shape)
{
    return shape->half_length > 10 * shape->radius;
}

/* Towards the light on the picture, as far as the lightest spot of a sphere, in radii. */
static const double light[2] = {-0.36, 0.44};

/* Fewer where many are drawn, or on a thin rod, whose discs are many and whose shading is not seen:
 * the picture would be a large file. */
static int levels_for(int solids, const struct nb_shape *shape)
{
    return solids > 5000 ? 2 : is_rod(shape) ? 3 : solids > 500 ? 4 : 10;
}

unsigned nb_picture_tone(unsigned tint, double brightness)
{
    unsigned colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8)
        colour |= (unsigned)lround(brightness * (double)(tint >> shift & 255)) << shift;
    return colour;
}

/* Discs of one size along the axis. */
static void write_row(struct nb_picture *picture, const double *from, const double *to,
                      double radius, double spacing, const double *shift, unsigned colour)
{
    const double length = hypot(to[0] - from[0], to[1] - from[1]);
    const int pieces = (int)ceil(length / (spacing * radius));
    for (int i = 0; i <= pieces; ++i) {
        const double part = pieces ? (double)i / pieces : 0;
        fprintf(picture->data, "%.7g %.7g %.7g %u\n",
                from[0] + part * (to[0] - from[0]) + shift[0],
                from[1] + part * (to[1] - from[1]) + shift[1], radius, colour);
    }
}

void nb_picture_round(struct nb_picture *picture, const struct nb_solid *solid)
{
    const unsigned tint = solid->shape->body < 0 ? 0xDADEE4 : 0xFFF3DC, outline = 0x6A655C;
    const double radius = solid->shape->radius, none[2] = {0, 0};
    const int levels = levels_for(picture->stage.solid_count, solid->shape);
    const double spacing = is_rod(solid->shape) ? rod_spacing : disc_spacing;
    double from[2], to[2];
    nb_camera_project(&picture->camera, solid->ends, from);
    nb_camera_project(&picture->camera, solid->ends + 3, to);
    write_row(picture, from, to, radius, spacing, none, outline);
    for (int k = 0; k < levels; ++k) {
        /* The first is the rim: the outline shows around it. Lambert's cosine over a sphere. */
        const double part = (double)k / levels, size = 0.97 * radius * (1 - part);
        const double shift[2] = {part * radius * light[0], part * radius * light[1]};
        const double brightness = 0.72 + 0.28 * sqrt(1 - (1 - part) * (1 - part));
        write_row(picture, from, to, size, spacing, shift, nb_picture_tone(tint, fmin(brightness, 1)));
    }
}

/* Contact points and contact forces on a picture. Each contact point is marked by whether something hides it. A
 * contact's force F = lambda_n n + lambda_t1 t1 + lambda_t2 t2 is an arrow from the contact point; of many
 * contacts those of two bodies are added up, and the arrow begins at their centre of pressure
 * sum lambda_n x / sum lambda_n. */

/* Adds F = lambda_n n + lambda_t1 t1 + lambda_t2 t2 [N], which acts on side a, and the point of
 * contact i weighted by lambda_n; returns lambda_n. */
static double add_force(const struct nb_picture *picture, int i, double *force, double *moment)
{
    const double *frame = nb_contact_axes(picture->problem, i);
    const double *lambda = picture->lambda + nb_problem_bilaterals(picture->problem) + 3 * i;
    double point[3];
    for (int k = 0; k < 3; ++k)
        nb_add_scaled3(force, lambda[k], frame + 3 * k, force);
    nb_contact_point(picture->problem, i, 0, point);
    nb_add_scaled3(moment, fmax(lambda[0], 0), point, moment);
    return fmax(lambda[0], 0);
}

/* More contacts than this would cover the picture; neither they nor their forces are drawn. */
static const int most_contacts = 5000;

static int drawn_contacts(const struct nb_picture *picture)
{
    const int count = nb_contacts_placed(picture->problem);
    return count > most_contacts ? 0 : count;
}

void nb_picture_contacts(struct nb_picture *picture)
{
    fputs("# contact points: x [m], y [m], hidden\n", picture->data);
    for (int i = 0; i < drawn_contacts(picture); ++i) {
        double point[3], xy[2];
        nb_contact_point(picture->problem, i, 0, point);
        nb_camera_project(&picture->camera, point, xy);
        fprintf(picture->data, "%.9g %.9g %d\n", xy[0], xy[1],
                nb_stage_hides(&picture->stage, &picture->camera, point));
    }
    fputs("NaN NaN NaN\n\n\n", picture->data);
}

/* More single forces than this hide each other. */
static const int most_single_forces = 60;

/* The body of a side, rigid or deformable; -1 for the world. */
static int body_of(const struct nb_picture *picture, int contact, int side)
{
    const struct nb_contacts *contacts = &picture->problem->contacts;
    if (picture->problem->drawing.count > 0)
        return picture->problem->drawing.body[2 * contact + side];
    const int particle = contacts->particle ? contacts->particle[6 * contact + 3 * side] : -1;
    return particle < 0 ? contacts->body[2 * contact + side]
                        : picture->problem->bodies.count + picture->deformable.particle[particle];
}

/* Whether contact j belongs to the arrow of contact i: to the same two bodies, or, where forces are
 * drawn one by one, is the same. */
static int same_arrow(const struct nb_picture *picture, int i, int j)
{
    return i == j || (nb_contacts_placed(picture->problem) > most_single_forces &&
                      body_of(picture, i, 0) == body_of(picture, j, 0) &&
                      body_of(picture, i, 1) == body_of(picture, j, 1));
}

/* The arrow that begins with contact i: force on side a, or its reaction on side b where that
 * points up, so that arrows show what carries; at the centre of pressure. */
static void write_arrow(struct nb_picture *picture, int i)
{
    double force[3] = {0}, centre[3] = {0}, xy[2], shown[2], pressure = 0;
    for (int j = i; j < nb_contacts_placed(picture->problem); ++j)
        if (same_arrow(picture, i, j))
            pressure += add_force(picture, j, force, centre);
    if (pressure <= 0)
        return;
    const double sign = nb_dot3(force, picture->problem->gravity) > 0 ? -1 : 1;
    for (int k = 0; k < 3; ++k) {
        centre[k] /= pressure;
        force[k] *= sign;
    }
    nb_camera_project(&picture->camera, centre, xy);
    nb_camera_project(&picture->camera, force, shown);
    picture->longest = fmax(picture->longest, nb_norm3(force));
    fprintf(picture->data, "%.9g %.9g %.9g %.9g %.9g\n", xy[0], xy[1], shown[0], shown[1],
            nb_norm3(force));
}

void nb_picture_forces(struct nb_picture *picture)
{
    const int joined = nb_contacts_placed(picture->problem) > most_single_forces;
    fprintf(picture->variables, "joined = %d\n", joined);
    fprintf(picture->data, "# forces, one for each %s: x [m], y [m], their picture Fx [N], Fy [N], "
            "length |F| [N]\n", joined ? "pair of bodies" : "contact");
    for (int i = 0; picture->lambda && i < drawn_contacts(picture); ++i) {
        int first = 1;
        for (int j = 0; j < i && first; ++j)
            first = !same_arrow(picture, i, j);
        if (first)
            write_arrow(picture, i);
    }
    fputs("NaN NaN NaN NaN NaN\n", picture->data);
}

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
    triangle->grazed = 0.1 * nb_norm3(edge[0]);
    nb_normalise3(triangle->normal);
    stage->triangle_count++;
}

static void add_segment(struct nb_stage *stage, const struct nb_problem *problem, const int *corner, double radius)
{
    struct nb_triangle *segment = &stage->triangles[stage->triangle_count++];
    for (int k = 0; k < 3; ++k)
        memcpy(segment->corner + 3 * k, problem->particles.position + 3 * corner[k], 3 * sizeof(double));
    segment->radius = radius;
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
            if (corner[1] == corner[2] && shape->radius > 0)
                add_segment(stage, problem, corner, shape->radius);
            else if (!massive[corner[0]] || !massive[corner[1]] || !massive[corner[2]])
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

/* The first solid that hides the point, the number of solids where none does. */
static int slot_of(const struct nb_stage *stage, const struct nb_camera *camera, const double *point)
{
    int slot = 0;
    while (slot < stage->solid_count && !nb_solid_hides(&stage->solids[stage->order[slot]], camera, point))
        slot++;
    return slot;
}

/* Whether other solids hide it near its corners than in its middle. */
static bool hidden_in_part(const struct nb_stage *stage, const struct nb_camera *camera,
                           const struct nb_triangle *triangle, const double *middle)
{
    for (int k = 0; k < 3; ++k) {
        double point[3];
        for (int c = 0; c < 3; ++c)
            point[c] = middle[c] + 0.8 * (triangle->corner[3 * k + c] - middle[c]);
        if (slot_of(stage, camera, point) != triangle->slot)
            return true;
    }
    return false;
}

/* In four by the middles of its sides; three are appended. Returns 0 without memory. */
static int divide(struct nb_stage *stage, int index)
{
    struct nb_triangle *grown = realloc(stage->triangles, ((size_t)stage->triangle_count + 4) * sizeof *grown);
    if (!grown)
        return 0;
    stage->triangles = grown;
    const struct nb_triangle whole = grown[index];
    double middle[9];
    for (int c = 0; c < 9; ++c)
        middle[c] = (whole.corner[c] + whole.corner[(c + 3) % 9]) / 2; /* of side c/3 */
    for (int part = 0; part < 3; ++part) {
        struct nb_triangle *corner = &grown[stage->triangle_count++];
        *corner = whole;
        memcpy(corner->corner + 3 * ((part + 1) % 3), middle + 3 * part, 3 * sizeof(double));
        memcpy(corner->corner + 3 * ((part + 2) % 3), middle + 3 * ((part + 2) % 3), 3 * sizeof(double));
    }
    memcpy(grown[index].corner, middle, sizeof middle);
    return 1;
}

enum nb_status nb_stage_sort_triangles(struct nb_stage *stage, const struct nb_camera *camera, struct nb_error *error)
{
    enum { TIMES = 3 }; /* a side becomes eight */
    for (int pass = 0; pass <= TIMES; ++pass) {
        const int end = stage->triangle_count;
        for (int i = 0; i < end; ++i) {
            double middle[3];
            if (pass > 0 && stage->triangles[i].slot >= 0)
                continue;
            middle_of(&stage->triangles[i], middle);
            stage->triangles[i].slot = slot_of(stage, camera, middle);
            if (pass == TIMES || stage->triangles[i].radius > 0 ||
                !hidden_in_part(stage, camera, &stage->triangles[i], middle))
                continue;
            stage->triangles[i].slot = -1;
            if (!divide(stage, i))
                return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to draw %d triangles", stage->triangle_count);
        }
    }
    for (int i = 0; i < stage->triangle_count; ++i)
        stage->triangles[i].depth = depth(&stage->triangles[i], camera);
    if (stage->triangle_count > 0)
        nb_sort(stage->triangles, stage->triangle_count, sizeof *stage->triangles,
              compare_triangles);
    return NB_OK;
}

/* Whether the ray from the point towards the viewer meets the triangle, farther away than a tenth of
 * the size that it had before it was divided: a contact point lies on the surface itself (Moeller and Trumbore
 * 1997). */
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
    return u >= 0 && v >= 0 && u + v <= 1 && distance > triangle->grazed;
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
