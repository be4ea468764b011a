/* Places the shapes of a problem, chooses a view and finds the order in which a painter draws them. Of two convex
 * solids that overlap on the picture one lies behind the plane that separates them, and is drawn first; the
 * order follows these pairs and, among solids that wait for nothing, the distance. Where thousands are to be
 * drawn only distances are compared. */
#include "harness/figures/picture.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/sorted.h"
#include "problems/base/vec3.h"

struct nb_camera nb_camera_at(const double *gravity, double azimuth, double elevation)
{
    const double a = azimuth * M_PI / 180, e = elevation * M_PI / 180;
    double vertical[3] = {0, 0, 1}, east[3], north[3];
    if (nb_norm3(gravity) > 0)
        for (int k = 0; k < 3; ++k)
            vertical[k] = -gravity[k] / nb_norm3(gravity);
    /* East is the world's x made horizontal, or y where x is nearly vertical. */
    const double x[3] = {fabs(vertical[0]) < 0.9, fabs(vertical[0]) >= 0.9, 0};
    nb_add_scaled3(x, -nb_dot3(x, vertical), vertical, east);
    nb_normalise3(east);
    nb_cross3(vertical, east, north);
    struct nb_camera camera;
    for (int k = 0; k < 3; ++k) {
        camera.right[k] = cos(a) * east[k] + sin(a) * north[k];
        camera.toward[k] = cos(e) * (sin(a) * east[k] - cos(a) * north[k]) + sin(e) * vertical[k];
    }
    nb_cross3(camera.toward, camera.right, camera.up);
    return camera;
}

void nb_camera_project(const struct nb_camera *camera, const double *point, double *xy)
{
    xy[0] = nb_dot3(camera->right, point);
    xy[1] = nb_dot3(camera->up, point);
}

static size_t count_shapes(const struct nb_problem *problem, enum nb_shape_kind kind)
{
    size_t count = 0;
    for (int i = 0; i < problem->shape_count; ++i)
        count += problem->shapes[i].kind == kind;
    return count;
}

enum nb_status nb_stage_create(struct nb_stage *stage, const struct nb_problem *problem,
                               struct nb_error *error)
{
    const size_t planes = count_shapes(problem, NB_SHAPE_PLANE);
    const size_t solids =
        (size_t)problem->shape_count - planes - count_shapes(problem, NB_SHAPE_SURFACE);
    memset(stage, 0, sizeof *stage);
    const enum nb_status triangles = nb_stage_add_triangles(stage, problem, error);
    if (triangles)
        return triangles;
    if (solids == 0 && stage->triangle_count == 0)
        return nb_fail(error, NB_UNSUPPORTED, "problem %s has no shapes to draw", problem->name);
    stage->solids = calloc(solids + 1, sizeof *stage->solids);
    stage->planes = calloc(planes + 1, sizeof *stage->planes);
    stage->order = calloc(solids + 1, sizeof *stage->order);
    if (!stage->solids || !stage->planes || !stage->order)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to draw problem %s", problem->name);
    for (int i = 0; i < problem->shape_count; ++i) {
        const struct nb_shape *shape = &problem->shapes[i];
        if (shape->kind == NB_SHAPE_SURFACE)
            continue;
        struct nb_solid *solid = shape->kind == NB_SHAPE_PLANE
                                     ? &stage->planes[stage->plane_count++]
                                     : &stage->solids[stage->solid_count++];
        const enum nb_status status = nb_solid_create(solid, problem, shape, error);
        if (status)
            return status;
    }
    return NB_OK;
}

void nb_stage_free(struct nb_stage *stage)
{
    for (int i = 0; i < stage->solid_count; ++i)
        nb_solid_free(&stage->solids[i]);
    for (int i = 0; i < stage->plane_count; ++i)
        nb_solid_free(&stage->planes[i]);
    free(stage->solids);
    free(stage->planes);
    free(stage->order);
    free(stage->triangles);
    memset(stage, 0, sizeof *stage);
}

/* Whether the bounding boxes are apart on the picture, along one of its axes. */
static bool apart(const struct nb_solid *a, const struct nb_solid *b, const double *axis)
{
    double between = 0, reach = 0;
    for (int k = 0; k < 3; ++k) {
        between += axis[k] * (a->lower[k] + a->upper[k] - b->lower[k] - b->upper[k]) / 2;
        reach += fabs(axis[k]) * (a->upper[k] - a->lower[k] + b->upper[k] - b->lower[k]) / 2;
    }
    return fabs(between) > reach;
}

/* The direction from b to a along which the two lie farthest apart. */
static void separating_normal(const struct nb_solid *a, const struct nb_solid *b, double *normal)
{
    double values[3][3], working[6];
    struct nb_separation separation;
    struct nb_manifold manifold = {.capacity = 1, .normal = normal, .on_a = values[0],
                                   .on_b = values[1], .polygon = working};
    if (!nb_solid_is_round(a) && !nb_solid_is_round(b)) {
        nb_separate(a, b, DBL_MAX, 1, &separation);
        memcpy(normal, separation.normal, sizeof separation.normal);
        return;
    }
    memset(normal, 0, 3 * sizeof *normal);
    nb_manifold_find(&manifold, a, b, DBL_MAX); /* the first contact will do */
}

/* Whether a must be drawn before b. The separating plane's normal points from b to a: b is in front
 * where it lies on the viewer's side. A plane seen edge-on separates them on the picture too. */
static bool behind(const struct nb_solid *a, const struct nb_solid *b,
                   const struct nb_camera *camera)
{
    double normal[3];
    if (apart(a, b, camera->right) || apart(a, b, camera->up))
        return false;
    separating_normal(a, b, normal);
    return nb_dot3(normal, camera->toward) < -sqrt(DBL_EPSILON);
}

static double distance(const struct nb_solid *solid, const struct nb_camera *camera)
{
    const int round = nb_solid_is_round(solid), count = round ? 2 : solid->shape->vertex_count;
    const double *point = round ? solid->ends : solid->vertex;
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum -= nb_dot3(camera->toward, point + 3 * i);
    return sum / count;
}

/* The farthest of the solids not yet drawn that have the fewest undrawn ones behind them. */
static int next_solid(const struct nb_stage *stage, const struct nb_camera *camera,
                      const int *waiting)
{
    int best = -1;
    for (int i = 0; i < stage->solid_count; ++i) {
        if (waiting[i] < 0)
            continue;
        if (best < 0 || waiting[i] < waiting[best] ||
            (waiting[i] == waiting[best] &&
             distance(&stage->solids[i], camera) > distance(&stage->solids[best], camera)))
            best = i;
    }
    return best;
}

/* A solid and its distance from the viewer. */
struct depth {
    double distance;
    int solid;
};

static int compare_depths(const void *left, const void *right)
{
    const struct depth *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance > b->distance ? -1 : 1;
    return (a->solid > b->solid) - (a->solid < b->solid);
}

/* Farthest first by their middle, which is near enough where solids are many and small. */
static enum nb_status sort_by_distance(struct nb_stage *stage, const struct nb_camera *camera,
                                       struct nb_error *error)
{
    struct depth *depth = malloc(((size_t)stage->solid_count + 1) * sizeof *depth);
    if (!depth)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to sort %d shapes by depth",
                       stage->solid_count);
    for (int i = 0; i < stage->solid_count; ++i)
        depth[i] = (struct depth){distance(&stage->solids[i], camera), i};
    nb_sort(depth, stage->solid_count, sizeof *depth, compare_depths);
    for (int i = 0; i < stage->solid_count; ++i)
        stage->order[i] = depth[i].solid;
    free(depth);
    return NB_OK;
}

/* More than this many are not compared one by one. */
static const int most_compared = 3000;

static enum nb_status sort_by_planes(struct nb_stage *stage, const struct nb_camera *camera,
                                     struct nb_error *error)
{
    const int count = stage->solid_count;
    bool *before = calloc((size_t)count * (size_t)count + 1, sizeof *before);
    int *waiting = calloc((size_t)count + 1, sizeof *waiting);
    enum nb_status status = NB_OK;
    if (!before || !waiting) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to sort %d shapes by depth", count);
        goto done;
    }
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            before[i * count + j] = i != j && behind(&stage->solids[i], &stage->solids[j], camera);
            waiting[j] += before[i * count + j];
        }
    for (int drawn = 0; drawn < count; ++drawn) {
        const int next = next_solid(stage, camera, waiting);
        stage->order[drawn] = next;
        waiting[next] = -1;
        for (int j = 0; j < count; ++j)
            if (waiting[j] >= 0)
                waiting[j] -= before[next * count + j];
    }
done:
    free(before);
    free(waiting);
    return status;
}

enum nb_status nb_stage_sort(struct nb_stage *stage, const struct nb_camera *camera,
                             struct nb_error *error)
{
    const enum nb_status status = stage->solid_count > most_compared
                                      ? sort_by_distance(stage, camera, error)
                                      : sort_by_planes(stage, camera, error);
    return status ? status : nb_stage_sort_triangles(stage, camera, error);
}

/* Length of the line from the point to the viewer inside the solid: the intersection of the
 * half-spaces of its faces. */
static double length_inside(const struct nb_solid *solid, const double *point,
                            const double *direction)
{
    double enter = 0, leave = DBL_MAX;
    for (int f = 0; f < solid->face_count; ++f) {
        const double speed = nb_dot3(solid->normal + 3 * f, direction);
        const double depth = solid->offset[f] - nb_dot3(solid->normal + 3 * f, point);
        if (fabs(speed) < sqrt(DBL_EPSILON))
            leave = depth < 0 ? -1 : leave;
        else if (speed > 0)
            leave = fmin(leave, depth / speed);
        else
            enter = fmax(enter, depth / speed);
    }
    return leave - enter;
}

/* Whether the ray from the point, begun a little outside, meets the core of a round solid within a
 * little less than its radius. */
static bool round_hides(const struct nb_solid *solid, const double *point, const double *toward,
                        double grazed)
{
    const double radius = solid->shape->radius;
    double nearest = DBL_MAX;
    const int pieces = 32; /* of a capsule's axis: it is drawn as discs along it, too */
    for (int i = 0; i <= pieces; ++i) {
        double arm[3];
        for (int k = 0; k < 3; ++k)
            arm[k] = solid->ends[k] + i / (double)pieces * (solid->ends[3 + k] - solid->ends[k]) -
                     point[k];
        const double along = fmax(nb_dot3(arm, toward), grazed * radius);
        nb_add_scaled3(arm, -along, toward, arm);
        nearest = fmin(nearest, nb_norm3(arm));
    }
    return nearest < (1 - grazed) * radius;
}

/* The same inside a field, which need not be convex: no step is longer than the distance from its surface, or than a
 * quarter of what is grazed. */
static bool field_hides(const struct nb_solid *solid, const double *point, const double *toward, double grazed)
{
    double low, high, inside = 0, x[3], gradient[3];
    nb_solid_range(solid, toward, &low, &high);
    const double end = high - nb_dot3(toward, point);
    for (double way = 0; way < end && inside <= grazed;) {
        nb_add_scaled3(point, way, toward, x);
        const double distance = nb_solid_distance(solid, x, gradient), step = fmax(fabs(distance), grazed / 4);
        inside += distance < 0 ? step : 0;
        way += step;
    }
    return inside > grazed;
}

int nb_solid_hides(const struct nb_solid *solid, const struct nb_camera *camera,
                   const double *point)
{
    /* Contact points lie on two surfaces, up to the gap: what the line merely grazes does not
     * count. */
    const double grazed = 0.02;
    if (nb_solid_is_field(solid))
        return field_hides(solid, point, camera->toward, grazed * solid->size);
    return nb_solid_is_round(solid)
               ? round_hides(solid, point, camera->toward, grazed)
               : length_inside(solid, point, camera->toward) > grazed * solid->size;
}

int nb_stage_hides(const struct nb_stage *stage, const struct nb_camera *camera,
                   const double *point)
{
    for (int i = 0; i < stage->solid_count; ++i)
        if (nb_solid_hides(&stage->solids[i], camera, point))
            return 1;
    return nb_triangles_hide(stage, camera, point);
}

void nb_stage_range(const struct nb_stage *stage, const double *direction, double *low,
                    double *high)
{
    *low = DBL_MAX;
    *high = -DBL_MAX;
    for (int i = 0; i < stage->solid_count; ++i) {
        double lowest, highest;
        nb_solid_range(&stage->solids[i], direction, &lowest, &highest);
        *low = fmin(*low, lowest);
        *high = fmax(*high, highest);
    }
    for (int i = 0; i < 3 * stage->triangle_count; ++i) {
        const double at = nb_dot3(stage->triangles[i / 3].corner + 3 * (i % 3), direction);
        *low = fmin(*low, at);
        *high = fmax(*high, at);
    }
}

static double extent(const struct nb_stage *stage, const double *direction)
{
    double low, high;
    nb_stage_range(stage, direction, &low, &high);
    return high - low;
}

struct nb_camera nb_stage_view(const struct nb_stage *stage, const struct nb_problem *problem)
{
    const struct nb_camera level = nb_camera_at(problem->gravity, 0, 0);
    const double across = extent(stage, level.right), deep = extent(stage, level.toward);
    if (across > 2 * deep)
        return nb_camera_at(problem->gravity, 12, 10);
    if (deep > 2 * across)
        return nb_camera_at(problem->gravity, 102, 10);
    return nb_camera_at(problem->gravity, 30, 12);
}
