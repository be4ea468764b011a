/* Meshes of OBJ and STL (mesh_file.h). Of OBJ the lines v and f are read, with v/vt/vn and indices from the end; all
 * else is about looks. An STL file is binary where its length says so, 84 + 50 n bytes of n triangles.
 *
 * Debian's readers repair what is damaged without a word (admesh) or are in C++ and large (tinyobjloader, assimp);
 * here a file is refused at the first line or byte that cannot be meant. */
#include "problems/scenes/build/mesh_file.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "problems/base/numbers.h"
#include "problems/base/vec3.h"
#include "problems/io/regular_file.h"
#include "problems/scenes/build/scene_build.h"

enum { LARGEST = 3 * NB_MESH_TRIANGLES };
static const size_t header = 84, record_size = 50;

struct mesh {
    const char *path;
    struct nb_content content;
    double *vertex; /* [3 vertices]  */
    int *corner;    /* [3 triangles] */
    int vertices, triangles;
    size_t vertex_room, corner_room; /* in bytes */
    enum nb_status status;
    struct nb_error *error;
};

/* The array with room for so many bytes more; NULL, and it is as it was, without memory. */
static void *grow(struct mesh *mesh, void *array, size_t *room, size_t needed)
{
    if (needed <= *room)
        return array;
    void *larger = realloc(array, 2 * needed + 4096);
    if (larger)
        *room = 2 * needed + 4096;
    else
        mesh->status = nb_fail(mesh->error, NB_OUT_OF_MEMORY, "%s: no memory for the mesh", mesh->path);
    return larger;
}

static void add_vertex(struct mesh *mesh, const double *x)
{
    double *larger = grow(mesh, mesh->vertex, &mesh->vertex_room, 3 * sizeof *x * ((size_t)mesh->vertices + 1));
    if (!larger)
        return;
    mesh->vertex = larger;
    if (mesh->vertices == LARGEST)
        mesh->status = nb_fail(mesh->error, NB_BAD_INPUT, "%s: more than %d vertices", mesh->path, LARGEST);
    else if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
        mesh->status = nb_fail(mesh->error, NB_BAD_INPUT, "%s: vertex %d is not finite", mesh->path, mesh->vertices);
    else
        memcpy(mesh->vertex + 3 * (size_t)mesh->vertices++, x, 3 * sizeof *x);
}

static void add_triangle(struct mesh *mesh, int a, int b, int c)
{
    int *larger = grow(mesh, mesh->corner, &mesh->corner_room, 3 * sizeof a * ((size_t)mesh->triangles + 1));
    if (!larger)
        return;
    mesh->corner = larger;
    if (mesh->triangles == NB_MESH_TRIANGLES) {
        mesh->status = nb_fail(mesh->error, NB_BAD_INPUT, "%s: more than %d triangles", mesh->path, NB_MESH_TRIANGLES);
        return;
    }
    const int corner[3] = {a, b, c};
    memcpy(mesh->corner + 3 * (size_t)mesh->triangles++, corner, sizeof corner);
}

static void refuse_line(struct mesh *mesh, int line, const char *expected)
{
    mesh->status = nb_fail(mesh->error, NB_BAD_INPUT, "%s: line %d: %s must stand here", mesh->path, line, expected);
}

/* Skips blanks of the line. */
static const char *skip(const char *at)
{
    return at + strspn(at, " \t\r");
}

/* Three numbers after `at`; returns what is behind them, or NULL. */
static const char *read_three(const char *at, double *x)
{
    for (int k = 0; k < 3; ++k) {
        char *after;
        at = skip(at);
        if (!strchr("+-.0123456789", *at) || !*at)
            return NULL;
        x[k] = strtod(at, &after);
        if (after == at || (*after && !isspace((unsigned char)*after)))
            return NULL;
        at = after;
    }
    return at;
}

/* The corners of a face: its first two are kept, each further one makes a triangle. */
static void read_face(struct mesh *mesh, const char *at, int line)
{
    int corner[3] = {0}, count = 0;
    for (at = skip(at); *at && *at != '\n' && *at != '#' && !mesh->status; at = skip(at)) {
        char *after;
        const long given = strtol(at, &after, 10), index = given < 0 ? mesh->vertices + given : given - 1;
        if (after == at || given == 0 || index < 0 || index >= mesh->vertices) {
            refuse_line(mesh, line, "the number of a vertex above");
            return;
        }
        corner[count < 2 ? count : 2] = (int)index;
        at = after + strcspn(after, " \t\r\n");
        if (++count < 3)
            continue;
        add_triangle(mesh, corner[0], corner[1], corner[2]);
        corner[1] = corner[2];
    }
    if (!mesh->status && count < 3)
        refuse_line(mesh, line, "a face of at least three corners");
}

static void read_obj(struct mesh *mesh)
{
    const char *at = (const char *)mesh->content.bytes, *end = at + mesh->content.size;
    for (int line = 1; at < end && !mesh->status; ++line) {
        const char *word = skip(at), *next = memchr(at, '\n', (size_t)(end - at));
        double x[3];
        if (word[0] == 'v' && isblank((unsigned char)word[1])) {
            if (read_three(word + 1, x))
                add_vertex(mesh, x);
            else
                refuse_line(mesh, line, "three coordinates");
        } else if (word[0] == 'f' && isblank((unsigned char)word[1])) {
            read_face(mesh, word + 1, line);
        }
        at = next ? next + 1 : end;
    }
}

static void add_corners(struct mesh *mesh, const double *x)
{
    const int first = mesh->vertices;
    for (int k = 0; k < 3 && !mesh->status; ++k)
        add_vertex(mesh, x + 3 * k);
    if (!mesh->status)
        add_triangle(mesh, first, first + 1, first + 2);
}

static uint32_t little(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Each triangle: its normal, three corners as 32 bits, two bytes of no meaning. */
static void read_binary(struct mesh *mesh, uint32_t count)
{
    for (uint32_t i = 0; i < count && !mesh->status; ++i) {
        const unsigned char *record = mesh->content.bytes + header + (size_t)i * record_size + 12;
        double x[9];
        for (int k = 0; k < 9; ++k) {
            const uint32_t bits = little(record + 4 * k);
            float value;
            memcpy(&value, &bits, sizeof value);
            x[k] = value;
        }
        add_corners(mesh, x);
    }
}

/* The lines `vertex x y z`, three a facet. */
static void read_facets(struct mesh *mesh)
{
    const char *at = (const char *)mesh->content.bytes, *end = at + mesh->content.size;
    double x[9];
    int corners = 0, line = 1;
    for (; at < end && !mesh->status; ++line) {
        const char *word = skip(at), *next = memchr(at, '\n', (size_t)(end - at));
        if (!strncmp(word, "vertex", 6)) {
            if (corners == 3 || !read_three(word + 6, x + 3 * corners++))
                refuse_line(mesh, line, "three coordinates of one of three corners");
        } else if (!strncmp(word, "endfacet", 8)) {
            if (corners == 3)
                add_corners(mesh, x);
            else
                refuse_line(mesh, line, "the third corner of a facet");
            corners = 0;
        }
        at = next ? next + 1 : end;
    }
    if (!mesh->status && corners)
        refuse_line(mesh, line, "endfacet");
}

static void read_stl(struct mesh *mesh)
{
    const unsigned char *bytes = mesh->content.bytes;
    const size_t size = mesh->content.size;
    const uint32_t count = size >= header ? little(bytes + 80) : 0;
    if (size >= header && size == header + (size_t)count * record_size)
        read_binary(mesh, count);
    else if (size >= 5 && !memcmp(bytes, "solid", 5) && !memchr(bytes, 0, size))
        read_facets(mesh);
    else if (size < header)
        mesh->status = nb_fail(mesh->error, NB_BAD_INPUT, "%s: %zu bytes, an STL file has %zu at least", mesh->path,
                               size, header);
    else
        mesh->status = nb_fail(mesh->error, NB_BAD_INPUT, "%s: %zu bytes, but its %u triangles make %zu", mesh->path,
                               size, count, header + (size_t)count * record_size);
}

struct place {
    double x[3];
    int index;
};

static int by_place(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    for (int k = 0; k < 3; ++k)
        if (a->x[k] != b->x[k])
            return a->x[k] < b->x[k] ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Vertices at one place become one, those of no triangle go, and triangles with two equal corners. */
static void weld(struct mesh *mesh)
{
    struct place *place = malloc(((size_t)mesh->vertices + 1) * sizeof *place);
    int *to = calloc((size_t)mesh->vertices + 1, sizeof *to);
    if (!place || !to) {
        mesh->status = nb_fail(mesh->error, NB_OUT_OF_MEMORY, "%s: no memory for the mesh", mesh->path);
    } else {
        for (int i = 0; i < 3 * mesh->triangles; ++i)
            to[mesh->corner[i]] = 1;
        int used = 0, count = 0, kept = 0;
        for (int i = 0; i < mesh->vertices; ++i)
            if (to[i]) {
                memcpy(place[used].x, mesh->vertex + 3 * (size_t)i, sizeof place->x);
                place[used++].index = i;
            }
        qsort(place, (size_t)used, sizeof *place, by_place);
        for (int i = 0; i < used; ++i) {
            const double *x = place[i].x, *before = mesh->vertex + 3 * (size_t)(count ? count - 1 : 0);
            if (!count || x[0] != before[0] || x[1] != before[1] || x[2] != before[2])
                memcpy(mesh->vertex + 3 * (size_t)count++, x, sizeof place->x);
            to[place[i].index] = count - 1;
        }
        for (int i = 0; i < mesh->triangles; ++i) {
            const int *old = mesh->corner + 3 * (size_t)i, corner[3] = {to[old[0]], to[old[1]], to[old[2]]};
            if (corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0])
                memcpy(mesh->corner + 3 * (size_t)kept++, corner, sizeof corner);
        }
        mesh->vertices = count;
        mesh->triangles = kept;
    }
    free(place);
    free(to);
}

struct edge {
    int low, high, turn; /* 1 from low to high, -1 back */
};

static int by_ends(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    return a->low != b->low ? (a->low > b->low) - (a->low < b->low) : (a->high > b->high) - (a->high < b->high);
}

static void check_closed(struct mesh *mesh)
{
    const size_t count = 3 * (size_t)mesh->triangles;
    struct edge *edge = malloc((count + 1) * sizeof *edge);
    if (!edge) {
        mesh->status = nb_fail(mesh->error, NB_OUT_OF_MEMORY, "%s: no memory for the mesh", mesh->path);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        const int from = mesh->corner[i], to = mesh->corner[i % 3 == 2 ? i - 2 : i + 1];
        edge[i] = from < to ? (struct edge){from, to, 1} : (struct edge){to, from, -1};
    }
    qsort(edge, count, sizeof *edge, by_ends);
    size_t open = 0, first = 0;
    for (size_t i = 0, next; i < count; i = next) {
        int sum = 0;
        for (next = i; next < count && by_ends(edge + i, edge + next) == 0; ++next)
            sum += edge[next].turn;
        first = sum && !open ? i : first;
        open += sum != 0;
    }
    if (open) {
        const double *a = mesh->vertex + 3 * (size_t)edge[first].low, *b = mesh->vertex + 3 * (size_t)edge[first].high;
        mesh->status =
            nb_fail(mesh->error, NB_BAD_INPUT,
                    "%s: the mesh is not closed: %zu of its edges do not have one face on either side, turned alike, "
                    "such as that from %g, %g, %g to %g, %g, %g",
                    mesh->path, open, a[0], a[1], a[2], b[0], b[1], b[2]);
    }
    free(edge);
}

static void make_shape(struct mesh *mesh, struct nb_shape *shape)
{
    double volume, centroid[3], inertia[9];
    mesh->status = nb_shape_allocate(shape, mesh->vertices, mesh->triangles, 3 * mesh->triangles, mesh->error);
    if (mesh->status)
        return;
    memcpy(shape->vertex, mesh->vertex, 3 * (size_t)mesh->vertices * sizeof *shape->vertex);
    memcpy(shape->face_vertex, mesh->corner, 3 * (size_t)mesh->triangles * sizeof *shape->face_vertex);
    for (int i = 0; i <= mesh->triangles; ++i)
        shape->face_start[i] = 3 * i;
    nb_shape_integrals(shape, &volume, centroid, inertia);
    if (!(volume > 0))
        mesh->status = nb_fail(mesh->error, NB_BAD_INPUT,
                               "%s: the mesh has the volume %g: faces must be counter-clockwise from outside",
                               mesh->path, volume);
}

enum nb_status nb_mesh_read(const char *path, struct nb_shape *shape, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct mesh mesh = {.path = path, .error = error};
    const char *dot = strrchr(path, '.');
    const int obj = dot && !strcasecmp(dot, ".obj"), stl = dot && !strcasecmp(dot, ".stl");
    if (!obj && !stl)
        return nb_fail(error, NB_BAD_INPUT, "%s: a mesh is a file with the name *.obj or *.stl", path);
    mesh.status = nb_content_add(&mesh.content, path, error);
    if (!mesh.status)
        (obj ? read_obj : read_stl)(&mesh);
    if (!mesh.status)
        weld(&mesh);
    if (!mesh.status && !mesh.triangles)
        mesh.status = nb_fail(error, NB_BAD_INPUT, "%s: there are no faces in it", path);
    if (!mesh.status)
        check_closed(&mesh);
    if (!mesh.status)
        make_shape(&mesh, shape);
    nb_content_free(&mesh.content);
    free(mesh.vertex);
    free(mesh.corner);
    return mesh.status;
}
