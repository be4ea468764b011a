/* The numbers of a picture (NAME.dat) and the variables that its gnuplot file uses (NAME.gp).
 *
 * NAME.dat holds one block a polygon, series of discs or series of triangles, farthest first, then the
 * lines of the ground's grid, the contact points and the forces. Lengths on the picture plane are in metres. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/figures/picture.h"
#include "harness/figures/plot.h"
#include "problems/base/rotation.h"
#include "problems/base/sorted.h"
#include "problems/base/vec3.h"
#include "problems/collide/matchstick.h"
#include "problems/surface.h"

static const struct nb_picture_box EMPTY = {{DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX}};

static void include(struct nb_picture_box *box, const double *xy)
{
    for (int k = 0; k < 2; ++k) {
        box->low[k] = fmin(box->low[k], xy[k]);
        box->high[k] = fmax(box->high[k], xy[k]);
    }
}

static struct nb_picture_box solid_box(const struct nb_solid *solid, const struct nb_camera *camera)
{
    struct nb_picture_box box;
    nb_solid_range(solid, camera->right, &box.low[0], &box.high[0]);
    nb_solid_range(solid, camera->up, &box.low[1], &box.high[1]);
    return box;
}

static void write_point(struct nb_picture *picture, const double *point)
{
    double xy[2];
    nb_camera_project(&picture->camera, point, xy);
    include(&picture->box, xy);
    fprintf(picture->data, "%.9g %.9g\n", xy[0], xy[1]);
}

/* Lambert's law with light from the upper left and some from everywhere; tint is 0xRRGGBB. */
static unsigned shade(const struct nb_camera *camera, const double *normal, unsigned tint)
{
    static const double LIGHT[3] = {-0.42, 0.80, 0.43}; /* right, up, toward */
    const double lit = LIGHT[0] * nb_dot3(camera->right, normal) +
                       LIGHT[1] * nb_dot3(camera->up, normal) +
                       LIGHT[2] * nb_dot3(camera->toward, normal);
    return nb_picture_tone(tint, 0.80 + 0.20 * fmax(0, lit));
}

static void write_face(struct nb_picture *picture, const struct nb_solid *solid, int face)
{
    const struct nb_shape *shape = solid->shape;
    const int start = shape->face_start[face], end = shape->face_start[face + 1];
    const unsigned tint = shape->body < 0 ? 0xDADEE4 : 0xFFF3DC;
    fprintf(picture->data, "# body %d, face %d\n", shape->body, face);
    for (int i = start; i <= end; ++i)
        write_point(picture, solid->vertex + 3 * shape->face_vertex[i < end ? i : start]);
    fputs("\n\n", picture->data);
    fprintf(picture->variables, "colour[%d] = 0x%06X\n", ++picture->polygons,
            shade(&picture->camera, solid->normal + 3 * face, tint));
}

struct seen_face {
    double depth; /* of its middle, away from the viewer [m] */
    int face;
};

static int compare_seen(const void *left, const void *right)
{
    const struct seen_face *a = left, *b = right;
    if (a->depth != b->depth)
        return a->depth > b->depth ? -1 : 1;
    return (a->face > b->face) - (a->face < b->face);
}

/* Faces that are turned to the viewer; those of a field, which need not be convex, farthest first. */
static enum nb_status write_polyhedron(struct nb_picture *picture, const struct nb_solid *solid, struct nb_error *error)
{
    const struct nb_shape *shape = solid->shape;
    struct seen_face *seen = malloc(((size_t)solid->face_count + 1) * sizeof *seen);
    int count = 0;
    if (!seen)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to draw %d faces", solid->face_count);
    for (int f = 0; f < solid->face_count; ++f) {
        if (!(nb_dot3(solid->normal + 3 * f, picture->camera.toward) > 1e-6))
            continue;
        const int start = shape->face_start[f], end = shape->face_start[f + 1];
        seen[count] = (struct seen_face){0, f};
        for (int i = start; i < end; ++i)
            seen[count].depth -= nb_dot3(picture->camera.toward, solid->vertex + 3 * shape->face_vertex[i]) /
                                 (end - start);
        ++count;
    }
    if (nb_solid_is_field(solid))
        nb_sort(seen, count, sizeof *seen, compare_seen);
    for (int i = 0; i < count; ++i)
        write_face(picture, solid, seen[i].face);
    free(seen);
    return NB_OK;
}

/* A rope's, as a band of its width that faces the viewer, as bright as a face whose normal does. */
static void write_segment(struct nb_picture *picture, const struct nb_triangle *segment)
{
    const unsigned colour = shade(&picture->camera, picture->camera.toward, 0x8FB5C4);
    double ends[2][2];
    for (int k = 0; k < 2; ++k)
        nb_camera_project(&picture->camera, segment->corner + 3 * k, ends[k]);
    const double along[2] = {ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]}, length = hypot(along[0], along[1]);
    for (int k = 0; length > 0 && k < 5; ++k) {
        const int end = k % 4 == 1 || k % 4 == 2, side = k % 4 < 2 ? 1 : -1;
        const double reach = side * segment->radius / length;
        const double xy[2] = {ends[end][0] - reach * along[1], ends[end][1] + reach * along[0]};
        include(&picture->box, xy);
        fprintf(picture->data, "%.7g %.7g %u 0\n", xy[0], xy[1], colour);
    }
    fputc('\n', picture->data);
}

static void write_triangle(struct nb_picture *picture, const struct nb_triangle *triangle)
{
    const double facing = nb_dot3(triangle->normal, picture->camera.toward);
    if (facing < 1e-6 && !triangle->two_sided)
        return;
    double normal[3] = {0};
    nb_add_scaled3(normal, facing < 0 ? -1 : 1, triangle->normal, normal);
    const unsigned colour = shade(&picture->camera, normal, 0xD3E6EC);
    for (int k = 0; k < 4; ++k) {
        double xy[2];
        nb_camera_project(&picture->camera, triangle->corner + 3 * (k % 3), xy);
        include(&picture->box, xy);
        fprintf(picture->data, "%.7g %.7g %u %.7g\n", xy[0], xy[1], colour, triangle->strain);
    }
    fputc('\n', picture->data);
}

/* Those before that place among the solids, in a block of their own whose colour is -2. next: the
 * first that is not yet written. */
static void write_triangles(struct nb_picture *picture, int slot, int *next)
{
    const struct nb_stage *stage = &picture->stage;
    if (*next == stage->triangle_count || stage->triangles[*next].slot > slot)
        return;
    fputs("# triangles: x [m], y [m], colour, volume strain\nNaN NaN NaN NaN\n\n", picture->data);
    fprintf(picture->variables, "colour[%d] = -2\n", ++picture->polygons);
    for (; *next < stage->triangle_count && stage->triangles[*next].slot <= slot; ++*next)
        if (stage->triangles[*next].radius > 0)
            write_segment(picture, &stage->triangles[*next]);
        else
            write_triangle(picture, &stage->triangles[*next]);
    fputs("\n", picture->data);
}

/* Round solids that are drawn one after the other share a block of discs, whose colour is -1. */
static enum nb_status write_solids(struct nb_picture *picture, struct nb_error *error)
{
    const struct nb_stage *stage = &picture->stage;
    int discs = 0, triangle = 0;
    enum nb_status status = NB_OK;
    for (int i = 0; !status && i < stage->solid_count; ++i) {
        const struct nb_solid *solid = &stage->solids[stage->order[i]];
        const int round = nb_solid_is_round(solid);
        if (discs && triangle < stage->triangle_count && stage->triangles[triangle].slot <= i) {
            fputs("\n\n", picture->data);
            discs = 0;
        }
        write_triangles(picture, i, &triangle);
        const struct nb_picture_box box = solid_box(solid, &picture->camera);
        include(&picture->box, box.low);
        include(&picture->box, box.high);
        if (discs && !round)
            fputs("\n\n", picture->data);
        if (round && !discs) {
            fputs("# discs: x [m], y [m], radius [m], colour\n", picture->data);
            fprintf(picture->variables, "colour[%d] = -1\n", ++picture->polygons);
        }
        discs = round;
        if (round)
            nb_picture_round(picture, solid);
        else
            status = write_polyhedron(picture, solid, error);
    }
    if (discs)
        fputs("\n\n", picture->data);
    write_triangles(picture, stage->solid_count, &triangle);
    return status;
}

/* 1, 2 or 5 times a power of ten, at most x. */
static double round_down(double x)
{
    const double power = pow(10, floor(log10(x)));
    return power * (x >= 5 * power ? 5 : x >= 2 * power ? 2 : 1);
}

/* A piece of a plane under the scene: its frame in the world, and the grid's range. */
struct patch {
    double origin[3], axis[2][3], spacing;
    int first[2], last[2]; /* lines, in units of the spacing */
};

/* Covers the projection of all solids onto the plane, with a margin; NAN spacing where the viewer
 * is on the plane's other side. */
static struct patch plane_patch(const struct nb_picture *picture, const struct nb_solid *plane)
{
    struct patch patch;
    double frame[9];
    struct nb_picture_box box;
    nb_contact_frame(plane->normal, frame);
    for (int k = 0; k < 3; ++k) {
        patch.origin[k] = plane->offset[0] * plane->normal[k];
        patch.axis[0][k] = frame[3 + k];
        patch.axis[1][k] = frame[6 + k];
    }
    for (int k = 0; k < 2; ++k)
        nb_stage_range(&picture->stage, patch.axis[k], &box.low[k], &box.high[k]);
    const double size = fmax(box.high[0] - box.low[0], box.high[1] - box.low[1]);
    patch.spacing = round_down(size / 4);
    for (int k = 0; k < 2; ++k) {
        patch.first[k] = (int)floor(box.low[k] / patch.spacing - 0.3);
        patch.last[k] = (int)ceil(box.high[k] / patch.spacing + 0.3);
    }
    return patch;
}

static void grid_point(const struct patch *patch, double i, double j, double *point)
{
    nb_add_scaled3(patch->origin, i * patch->spacing, patch->axis[0], point);
    nb_add_scaled3(point, j * patch->spacing, patch->axis[1], point);
}

/* A point of a line of that colour. */
static void write_line_point(struct nb_picture *picture, const double *point, unsigned colour)
{
    double xy[2];
    nb_camera_project(&picture->camera, point, xy);
    include(&picture->box, xy);
    fprintf(picture->data, "%.9g %.9g %u\n", xy[0], xy[1], colour);
}

static void write_grid_point(struct nb_picture *picture, const struct patch *patch, int i, int j)
{
    double point[3];
    grid_point(patch, i, j, point);
    write_line_point(picture, point, 0xD4D4D4);
}

/* Strokes along the plane's structure, STROKES a square of the grid along either axis. */
static void write_structure(struct nb_picture *picture, const struct nb_solid *plane, const struct patch *patch)
{
    enum { STROKES = 3 };
    const int *first = patch->first, *last = patch->last;
    const double half = 0.35 * patch->spacing / STROKES;
    fputs("# directions of structure\nNaN NaN NaN\n\n", picture->data);
    for (int i = STROKES * first[0]; i < STROKES * last[0]; ++i)
        for (int j = STROKES * first[1]; j < STROKES * last[1]; ++j) {
            double middle[3], direction[3], end[3];
            grid_point(patch, (i + 0.5) / STROKES, (j + 0.5) / STROKES, middle);
            if (!nb_structure_direction(picture->problem, plane->shape, middle, plane->normal, direction))
                continue;
            for (int side = -1; side <= 1; side += 2) {
                nb_add_scaled3(middle, side * half, direction, end);
                write_line_point(picture, end, 0x9FB8A0);
            }
            fputc('\n', picture->data);
        }
    fputc('\n', picture->data);
    ++picture->lines;
}

/* The patch's edge and within it the lines of its grid or, where the plane has structure, its directions. */
static void write_patch(struct nb_picture *picture, const struct nb_solid *plane, const struct patch *patch)
{
    const int *first = patch->first, *last = patch->last;
    fputs("# a piece of a plane\n", picture->data);
    write_grid_point(picture, patch, first[0], first[1]);
    write_grid_point(picture, patch, last[0], first[1]);
    write_grid_point(picture, patch, last[0], last[1]);
    write_grid_point(picture, patch, first[0], last[1]);
    write_grid_point(picture, patch, first[0], first[1]);
    fputs("\n\n", picture->data);
    ++picture->lines;
    if (plane->shape->across > 0) {
        write_structure(picture, plane, patch);
        return;
    }
    for (int k = 0; k < 2; ++k)
        for (int i = first[k] + 1; i < last[k]; ++i) {
            write_grid_point(picture, patch, k == 0 ? i : first[0], k == 1 ? i : first[1]);
            write_grid_point(picture, patch, k == 0 ? i : last[0], k == 1 ? i : last[1]);
            fputs("\n\n", picture->data);
            ++picture->lines;
        }
}

/* The smallest body, where one is at least six times as large and none is deformable; else NULL. */
static const struct nb_solid *small_body(const struct nb_stage *stage)
{
    const struct nb_solid *best = NULL;
    double largest = 0;
    for (int i = 0; stage->triangle_count == 0 && i < stage->solid_count; ++i) {
        const struct nb_solid *solid = &stage->solids[i];
        if (solid->shape->body < 0)
            continue;
        largest = fmax(largest, solid->size);
        if (!best || solid->size < best->size)
            best = solid;
    }
    return best && 6 * best->size <= largest ? best : NULL;
}

static int overlap(const struct nb_picture_box *a, const struct nb_picture_box *b)
{
    return a->low[0] < b->high[0] && b->low[0] < a->high[0] && a->low[1] < b->high[1] &&
           b->low[1] < a->high[1];
}

/* A square of that side in a corner of the picture that no solid covers, lower ones first; its
 * side is 0 where there is none. */
static struct nb_picture_box free_corner(const struct nb_picture *picture, double side)
{
    for (int corner = 0; corner < 4; ++corner) {
        const struct nb_picture_box *all = &picture->box;
        const double x = corner % 2 == 0 ? all->high[0] - side : all->low[0];
        const double y = corner / 2 == 0 ? all->low[1] : all->high[1] - side;
        const struct nb_picture_box place = {{x, y}, {x + side, y + side}};
        int taken = 0;
        for (int i = 0; i < picture->stage.solid_count && !taken; ++i) {
            const struct nb_picture_box box = solid_box(&picture->stage.solids[i],
                                                        &picture->camera);
            taken = overlap(&place, &box);
        }
        if (!taken)
            return place;
    }
    return (struct nb_picture_box){{0, 0}, {0, 0}};
}

static void write_box(FILE *file, const char *name, const struct nb_picture_box *box)
{
    const double bounds[4] = {box->low[0], box->high[0], box->low[1], box->high[1]};
    nb_text_array(file, name, bounds, 4);
}

/* An inset shows a small body and its surroundings, three times its size, where a corner of the
 * picture is free. */
static void write_inset(const struct nb_picture *picture)
{
    const struct nb_solid *body = small_body(&picture->stage);
    const double width = picture->box.high[0] - picture->box.low[0];
    const double height = picture->box.high[1] - picture->box.low[1];
    struct nb_picture_box window = {{0, 0}, {0, 0}}, place = window;
    if (body) {
        const struct nb_picture_box seen = solid_box(body, &picture->camera);
        const double side = 1.5 * fmax(seen.high[0] - seen.low[0], seen.high[1] - seen.low[1]);
        for (int k = 0; k < 2; ++k) {
            window.low[k] = (seen.low[k] + seen.high[k]) / 2 - side;
            window.high[k] = (seen.low[k] + seen.high[k]) / 2 + side;
        }
        place = free_corner(picture, 0.3 * fmin(width, height));
    }
    write_box(picture->variables, "inset_window", &window);
    write_box(picture->variables, "inset_place", &place);
    fprintf(picture->variables, "inset = %d\n", place.high[0] > place.low[0]);
}

void nb_picture_window(const struct nb_figure *figure, const struct nb_picture_box *box, double longest, FILE *file)
{
    const double x = box->high[0] - box->low[0], y = box->high[1] - box->low[1];
    write_box(file, "shown", box);
    fprintf(file, "longest = %.17g\n", longest);
    fprintf(file, "force_bar = %.17g\n", longest > 0 ? round_down(longest) : 0);
    /* A quarter of the figure's width, which a tall picture does not fill. */
    fprintf(file, "bar = %.17g\n", round_down(fmax(x, y * figure->size[0] / figure->size[1]) / 4));
    /* As high as the picture needs with a strip for its scales, up to what the figure allows. */
    const double strip = 10;
    fprintf(file, "width = %.17g\nheight = %.17g\n", figure->size[0],
            fmin(figure->size[1], figure->size[0] * y / x + strip));
}

static void write_sizes(const struct nb_figure *figure, const struct nb_picture *picture)
{
    fprintf(picture->variables, "polygons = %d\nlines = %d\ncontacts = %d\n", picture->polygons, picture->lines,
            nb_contacts_placed(picture->problem));
    nb_picture_window(figure, &picture->box, picture->longest, picture->variables);
}

static enum nb_status write_all(const struct nb_figure *figure, struct nb_picture *picture,
                                const char *name, struct nb_error *error)
{
    const struct nb_problem *problem = picture->problem;
    fprintf(picture->data, "# %s: step %d; orthographic view towards (%.6f, %.6f, %.6f)\n", name,
            problem->step, -picture->camera.toward[0], -picture->camera.toward[1],
            -picture->camera.toward[2]);
    int faces = 2;
    for (int i = 0; i < picture->stage.solid_count; ++i)
        faces += picture->stage.solids[i].face_count + 2; /* and a block of triangles */
    fprintf(picture->variables, "data = ");
    nb_text_quote(picture->variables, name);
    fprintf(picture->variables, ".'.dat'\narray colour[%d]\nproblem = ", faces);
    nb_text_quote(picture->variables, problem->name);
    fputc('\n', picture->variables);
    enum nb_status status = nb_stage_sort(&picture->stage, &picture->camera, error);
    if (!status)
        status = write_solids(picture, error);
    if (status)
        return status;
    for (int i = 0; i < picture->stage.plane_count; ++i) {
        const struct nb_solid *plane = &picture->stage.planes[i];
        const struct patch patch = plane_patch(picture, plane);
        if (nb_dot3(plane->normal, picture->camera.toward) > 1e-6)
            write_patch(picture, plane, &patch);
    }
    nb_picture_contacts(picture);
    nb_picture_forces(picture);
    write_inset(picture);
    write_sizes(figure, picture);
    return NB_OK;
}

static enum nb_status write_files(const struct nb_figure *figure, struct nb_picture *picture,
                                  const char *folder, const char *name, struct nb_error *error)
{
    char data[4096], variables[4096];
    enum nb_status status = nb_text_open(folder, name, "dat", data, sizeof data, &picture->data,
                                         error);
    if (status)
        return status;
    status = nb_text_open(folder, name, "gp", variables, sizeof variables, &picture->variables,
                          error);
    if (status) {
        fclose(picture->data);
        return status;
    }
    status = write_all(figure, picture, name, error);
    const enum nb_status closed[2] = {
        nb_text_close(picture->data, data, status ? NULL : error),
        nb_text_close(picture->variables, variables, status ? NULL : error)};
    return status ? status : closed[0] ? closed[0] : closed[1];
}

enum nb_status nb_picture_write(const struct nb_figure *figure, const struct nb_problem *problem,
                                const double *lambda, const char *folder, const char *name,
                                struct nb_error *error)
{
    struct nb_film_window window = {.box = EMPTY};
    return nb_picture_write_seen(figure, problem, lambda, &window, folder, name, error);
}

enum nb_status nb_picture_write_seen(const struct nb_figure *figure, const struct nb_problem *problem,
                                     const double *lambda, struct nb_film_window *window, const char *folder,
                                     const char *name, struct nb_error *error)
{
    struct nb_picture picture = {.problem = problem, .lambda = lambda, .box = EMPTY};
    enum nb_status status = nb_deformable_bodies(problem, &picture.deformable, error);
    status = status ? status : nb_stage_create(&picture.stage, problem, error);
    if (!status) {
        if (window->frames == 0)
            window->camera = isfinite(figure->view[0])
                                 ? nb_camera_at(problem->gravity, figure->view[0], figure->view[1])
                                 : nb_stage_view(&picture.stage, problem);
        picture.camera = window->camera;
        status = write_files(figure, &picture, folder, name, error);
        if (window->frames++ == 0)
            window->box = picture.box;
        include(&window->box, picture.box.low);
        include(&window->box, picture.box.high);
        window->longest = fmax(window->longest, picture.longest);
    }
    nb_stage_free(&picture.stage);
    nb_islands_free(&picture.deformable);
    return status;
}
