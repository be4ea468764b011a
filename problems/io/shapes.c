/* Shapes as flat ragged arrays: vertices and faces of all shapes one after the other, with the
 * place where each shape's begin. In memory each shape has arrays of its own. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "problems/io/parts.h"

/* The arrays as the file has them. */
struct flat_shapes {
    int count, vertices, faces, corners, values, angles;
    int *kind, *body;
    double *position, *orientation, *friction, *structure, *across, *radius, *half_length;
    int *first_vertex, *first_face; /* [count + 1] */
    double *vertex;                 /* [3 vertices] */
    int *face_start;                /* [faces + 1] into face_vertex */
    int *face_vertex;               /* [corners], index within the shape */
    int *field, *nodes;             /* [count], [3 count]                */
    double *size, *distance;        /* [4 count], [values]               */
    int *map_nodes;                 /* [2 count]                         */
    double *map_corner, *map_spacing, *map_angle; /* [2 count] twice, [angles] */
};

#define ARRAY(member, counted) \
    .name = "shapes/" #member, .array = offsetof(struct flat_shapes, member), \
    .count = offsetof(struct flat_shapes, counted)

static const struct nb_field fields[] = {
    {ARRAY(kind, count), .whole = 1,
     .meaning = "0: plane with normal z, infinite; 1: convex polyhedron; 2: sphere; 3: capsule; "
                "4: surface of particles; 5: distance field"},
    {ARRAY(body, count), .whole = 1, .meaning = "index into bodies, or -1: fixed to the world"},
    {ARRAY(position, count), .width = 3, .unit = "m",
     .meaning = "of the shape's frame in its body's (or the world's)"},
    {ARRAY(orientation, count), .width = 4, .unit = "1",
     .meaning = "unit quaternion w, x, y, z: shape to body (or world)"},
    {ARRAY(friction, count), .unit = "1", .meaning = "mu"},
    {ARRAY(structure, count), .width = 3, .need = NB_FIELD_MAYBE, .unit = "1",
     .meaning = "unit vector in the shape's frame along which mu is friction; 0: isotropic"},
    {ARRAY(across, count), .need = NB_FIELD_MAYBE, .unit = "1", .meaning = "mu across it; 0: isotropic"},
    {ARRAY(radius, count), .unit = "m",
     .meaning = "of a sphere or capsule, or the thickness of a surface; 0 otherwise"},
    {ARRAY(half_length, count), .unit = "m",
     .meaning = "a capsule's axis runs from -half_length to half_length on z; 0 otherwise"},
    {ARRAY(first_vertex, count), .more = 1, .whole = 1,
     .meaning = "shape i has the vertices first_vertex[i] to first_vertex[i + 1] - 1"},
    {ARRAY(vertex, vertices), .width = 3, .unit = "m", .meaning = "in the shape's frame"},
    {ARRAY(first_face, count), .more = 1, .whole = 1,
     .meaning = "shape i has the faces first_face[i] to first_face[i + 1] - 1"},
    {ARRAY(face_start, faces), .more = 1, .whole = 1,
     .meaning = "face k has the corners face_start[k] to face_start[k + 1] - 1"},
    {ARRAY(face_vertex, corners), .whole = 1,
     .meaning = "corners, counter-clockwise from outside: index of a vertex of the same shape, of "
                "a surface's of a particle"},
    {ARRAY(field, count), .whole = 1, .need = NB_FIELD_MAYBE,
     .meaning = "-1: none; 0: sphere; 1: box; 2: capsule; 3: torus; 4: cylinder; 5: cone; 6: spool; 7: grid"},
    {ARRAY(size, count), .width = 4, .need = NB_FIELD_MAYBE, .unit = "m", .meaning = "sizes of a field"},
    {ARRAY(nodes, count), .width = 3, .whole = 1, .need = NB_FIELD_MAYBE, .meaning = "of a grid along x, y, z"},
    {ARRAY(distance, values), .need = NB_FIELD_MAYBE, .unit = "m",
     .meaning = "at the nodes of all grids, one after the other, x changing fastest"},
    {ARRAY(map_nodes, count), .width = 2, .whole = 1, .need = NB_FIELD_MAYBE,
     .meaning = "of the grid that turns structure, along x, y; 0: the same everywhere"},
    {ARRAY(map_corner, count), .width = 2, .need = NB_FIELD_MAYBE, .unit = "m", .meaning = "x, y of its first node"},
    {ARRAY(map_spacing, count), .width = 2, .need = NB_FIELD_MAYBE, .unit = "m", .meaning = "of its nodes along x, y"},
    {ARRAY(map_angle, angles), .need = NB_FIELD_MAYBE, .unit = "rad",
     .meaning = "by which structure is turned about z of the shape's frame, at the nodes of all maps, one after the "
                "other, x changing fastest"},
    {.name = NULL},
};

static void read_flat(struct nb_reader *reader, struct flat_shapes *flat)
{
    flat->count = nb_read_count(reader, "shapes/kind");
    flat->vertices = nb_read_count(reader, "shapes/vertex");
    flat->faces = nb_read_count(reader, "shapes/face_start") - 1;
    flat->corners = nb_read_count(reader, "shapes/face_vertex");
    if (nb_reader_has(reader, "shapes/distance"))
        flat->values = nb_read_count(reader, "shapes/distance");
    if (nb_reader_has(reader, "shapes/map_angle"))
        flat->angles = nb_read_count(reader, "shapes/map_angle");
    if (flat->faces < 0)
        nb_reader_fail(reader, NB_BAD_INPUT, "shapes/face_start", "is empty, must start with 0");
    for (const struct nb_field *field = fields; field->name; ++field)
        nb_read_field(reader, flat, field, field->name);
    nb_reader_check_offsets(reader, "shapes/first_vertex", flat->first_vertex, flat->count,
                            flat->vertices);
    nb_reader_check_offsets(reader, "shapes/first_face", flat->first_face, flat->count,
                            flat->faces);
    nb_reader_check_offsets(reader, "shapes/face_start", flat->face_start, flat->faces,
                            flat->corners);
}

/* Copies entries of a flat array into one of the shape's own. */
static void *slice(struct nb_reader *reader, const void *values, int first, int count, size_t entry)
{
    void *copy = calloc((size_t)count + 1, entry);
    if (!copy)
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, "shapes", "no memory");
    else
        memcpy(copy, (const char *)values + (size_t)first * entry, (size_t)count * entry);
    return copy;
}

/* *first: of the values of the grids before; moved on past this one's. */
static void split_field(struct nb_reader *reader, const struct flat_shapes *flat, int i, int *first,
                        struct nb_distance *field)
{
    long long count = 1;
    if (!flat->field || !flat->size || !flat->nodes || flat->field[i] < 0)
        return;
    field->kind = (enum nb_distance_kind)flat->field[i];
    memcpy(field->size, flat->size + 4 * i, sizeof field->size);
    for (int k = 0; k < 3; ++k) {
        const int nodes = flat->nodes[3 * i + k];
        count = nodes < 0 || count > flat->values ? -1 : count * nodes;
    }
    if (count < 0 || count > flat->values - *first) {
        nb_reader_fail(reader, NB_BAD_INPUT, "shapes/nodes", "counts other values than shapes/distance has");
        return;
    }
    memcpy(field->nodes, flat->nodes + 3 * i, sizeof field->nodes);
    if (count > 0)
        field->value = slice(reader, flat->distance, *first, (int)count, sizeof *field->value);
    *first += (int)count;
}

/* The same for a map of structure. */
static void split_map(struct nb_reader *reader, const struct flat_shapes *flat, int i, int *first,
                      struct nb_structure_map *map)
{
    if (!flat->map_nodes || !flat->map_corner || !flat->map_spacing || !flat->map_angle)
        return;
    const int *nodes = flat->map_nodes + 2 * i;
    const long long count = nodes[0] < 0 || nodes[1] < 0 ? -1 : (long long)nodes[0] * nodes[1];
    if (count < 0 || count > flat->angles - *first) {
        nb_reader_fail(reader, NB_BAD_INPUT, "shapes/map_nodes", "counts other angles than shapes/map_angle has");
        return;
    }
    memcpy(map->nodes, nodes, sizeof map->nodes);
    memcpy(map->corner, flat->map_corner + 2 * i, sizeof map->corner);
    memcpy(map->spacing, flat->map_spacing + 2 * i, sizeof map->spacing);
    if (count > 0)
        map->angle = slice(reader, flat->map_angle, *first, (int)count, sizeof *map->angle);
    *first += (int)count;
}

static void split_shape(struct nb_reader *reader, const struct flat_shapes *flat, int i,
                        struct nb_shape *shape)
{
    const int face = flat->first_face[i], corner = flat->face_start[face];
    const int corners = flat->face_start[flat->first_face[i + 1]] - corner;
    shape->kind = (enum nb_shape_kind)flat->kind[i];
    shape->body = flat->body[i];
    memcpy(shape->position, flat->position + 3 * i, sizeof shape->position);
    memcpy(shape->orientation, flat->orientation + 4 * i, sizeof shape->orientation);
    shape->friction = flat->friction[i];
    if (flat->structure && flat->across) {
        memcpy(shape->structure, flat->structure + 3 * i, sizeof shape->structure);
        shape->across = flat->across[i];
    }
    shape->radius = flat->radius[i];
    shape->half_length = flat->half_length[i];
    shape->vertex_count = flat->first_vertex[i + 1] - flat->first_vertex[i];
    shape->face_count = flat->first_face[i + 1] - face;
    shape->vertex = slice(reader, flat->vertex, flat->first_vertex[i], shape->vertex_count,
                          3 * sizeof *shape->vertex);
    shape->face_start = slice(reader, flat->face_start, face, shape->face_count + 1,
                              sizeof *shape->face_start);
    shape->face_vertex = slice(reader, flat->face_vertex, corner, corners,
                               sizeof *shape->face_vertex);
    for (int k = 0; shape->face_start && k <= shape->face_count; ++k)
        shape->face_start[k] -= corner;
}

void nb_read_shapes(struct nb_reader *reader, struct nb_problem *problem)
{
    struct flat_shapes flat = {0};
    int first = 0, first_angle = 0; /* of a grid's values, of a map's */
    read_flat(reader, &flat);
    if (!reader->status) {
        problem->shapes = calloc((size_t)flat.count + 1, sizeof *problem->shapes);
        if (problem->shapes)
            problem->shape_count = flat.count;
        else
            nb_reader_fail(reader, NB_OUT_OF_MEMORY, "shapes", "no memory");
    }
    for (int i = 0; i < problem->shape_count && !reader->status; ++i) {
        split_shape(reader, &flat, i, &problem->shapes[i]);
        split_field(reader, &flat, i, &first, &problem->shapes[i].field);
        if (!reader->status)
            split_map(reader, &flat, i, &first_angle, &problem->shapes[i].map);
    }
    nb_fields_free(&flat, fields);
}

static int corners_of(const struct nb_shape *shape)
{
    return shape->face_count > 0 ? shape->face_start[shape->face_count] : 0;
}

/* How many of everything; 0 where an int cannot count them. */
static int count_flat(const struct nb_problem *problem, struct flat_shapes *flat)
{
    long long vertices = 0, faces = 0, corners = 0, values = 0, angles = 0;
    for (int i = 0; i < problem->shape_count; ++i) {
        vertices += problem->shapes[i].vertex_count;
        faces += problem->shapes[i].face_count;
        corners += corners_of(&problem->shapes[i]);
        values += (long long)nb_distance_nodes(&problem->shapes[i].field);
        angles += (long long)nb_structure_map_nodes(&problem->shapes[i].map);
    }
    const long long largest = INT_MAX / 64;
    if (vertices > largest || faces > largest || corners > largest || values > largest || angles > largest)
        return 0;
    flat->count = problem->shape_count;
    flat->vertices = (int)vertices;
    flat->faces = (int)faces;
    flat->corners = (int)corners;
    flat->values = (int)values;
    flat->angles = (int)angles;
    return 1;
}

/* Room for structure where a shape has one; nonzero where there is memory. */
static int allocate_structure(const struct nb_problem *problem, struct flat_shapes *flat)
{
    int structured = 0;
    for (int i = 0; i < problem->shape_count; ++i)
        structured |= problem->shapes[i].across > 0;
    if (!structured)
        return 1;
    flat->structure = calloc(3 * (size_t)flat->count + 1, sizeof *flat->structure);
    flat->across = calloc((size_t)flat->count + 1, sizeof *flat->across);
    return flat->structure && flat->across;
}

/* The same for maps. */
static int allocate_maps(struct flat_shapes *flat)
{
    if (!flat->angles)
        return 1;
    flat->map_nodes = calloc(2 * (size_t)flat->count, sizeof *flat->map_nodes);
    flat->map_corner = calloc(2 * (size_t)flat->count, sizeof *flat->map_corner);
    flat->map_spacing = calloc(2 * (size_t)flat->count, sizeof *flat->map_spacing);
    flat->map_angle = malloc((size_t)flat->angles * sizeof *flat->map_angle);
    return flat->map_nodes && flat->map_corner && flat->map_spacing && flat->map_angle;
}

static void flatten_maps(const struct nb_problem *problem, struct flat_shapes *flat)
{
    size_t first = 0;
    for (int i = 0; flat->angles && i < flat->count; ++i) {
        const struct nb_structure_map *map = &problem->shapes[i].map;
        const size_t angles = nb_structure_map_nodes(map);
        memcpy(flat->map_nodes + 2 * i, map->nodes, sizeof map->nodes);
        memcpy(flat->map_corner + 2 * i, map->corner, sizeof map->corner);
        memcpy(flat->map_spacing + 2 * i, map->spacing, sizeof map->spacing);
        if (angles)
            memcpy(flat->map_angle + first, map->angle, angles * sizeof *map->angle);
        first += angles;
    }
}

/* The same for fields. */
static int allocate_fields(const struct nb_problem *problem, struct flat_shapes *flat)
{
    int some = 0;
    for (int i = 0; i < problem->shape_count; ++i)
        some |= problem->shapes[i].kind == NB_SHAPE_FIELD;
    if (!some)
        return 1;
    flat->field = malloc((size_t)flat->count * sizeof *flat->field);
    flat->size = calloc(4 * (size_t)flat->count, sizeof *flat->size);
    flat->nodes = calloc(3 * (size_t)flat->count, sizeof *flat->nodes);
    flat->distance = flat->values ? malloc((size_t)flat->values * sizeof *flat->distance) : NULL;
    return flat->field && flat->size && flat->nodes && (flat->distance || !flat->values);
}

static void flatten_fields(const struct nb_problem *problem, struct flat_shapes *flat)
{
    size_t first = 0;
    for (int i = 0; flat->field && i < flat->count; ++i) {
        const struct nb_shape *shape = &problem->shapes[i];
        const size_t values = nb_distance_nodes(&shape->field);
        flat->field[i] = shape->kind == NB_SHAPE_FIELD ? (int)shape->field.kind : -1;
        memcpy(flat->size + 4 * i, shape->field.size, sizeof shape->field.size);
        memcpy(flat->nodes + 3 * i, shape->field.nodes, sizeof shape->field.nodes);
        if (values)
            memcpy(flat->distance + first, shape->field.value, values * sizeof *flat->distance);
        first += values;
    }
}

static void flatten(const struct nb_problem *problem, struct flat_shapes *flat)
{
    int vertex = 0, face = 0, corner = 0;
    for (int i = 0; i < flat->count; ++i) {
        const struct nb_shape *shape = &problem->shapes[i];
        flat->kind[i] = (int)shape->kind;
        flat->body[i] = shape->body;
        memcpy(flat->position + 3 * i, shape->position, sizeof shape->position);
        memcpy(flat->orientation + 4 * i, shape->orientation, sizeof shape->orientation);
        flat->friction[i] = shape->friction;
        if (flat->structure) {
            memcpy(flat->structure + 3 * i, shape->structure, sizeof shape->structure);
            flat->across[i] = shape->across;
        }
        flat->radius[i] = shape->radius;
        flat->half_length[i] = shape->half_length;
        if (shape->vertex_count > 0)
            memcpy(flat->vertex + 3 * vertex, shape->vertex,
                   3 * (size_t)shape->vertex_count * sizeof *shape->vertex);
        if (corners_of(shape) > 0)
            memcpy(flat->face_vertex + corner, shape->face_vertex,
                   (size_t)corners_of(shape) * sizeof *shape->face_vertex);
        for (int k = 1; k <= shape->face_count; ++k)
            flat->face_start[face + k] = corner + shape->face_start[k];
        vertex += shape->vertex_count;
        face += shape->face_count;
        corner += corners_of(shape);
        flat->first_vertex[i + 1] = vertex;
        flat->first_face[i + 1] = face;
    }
}

static void write_flat(struct nb_writer *writer, const struct flat_shapes *flat)
{
    nb_write_group(writer, "shapes");
    for (const struct nb_field *field = fields; field->name; ++field)
        nb_write_field(writer, flat, field, field->name);
}

void nb_write_shapes(struct nb_writer *writer, const struct nb_problem *problem)
{
    struct flat_shapes flat = {0};
    if (writer->status)
        return;
    if (!count_flat(problem, &flat))
        nb_writer_fail(writer, NB_BAD_INPUT, "shapes", "there are too many vertices or faces");
    else if (!nb_fields_allocate(&flat, fields) || !allocate_structure(problem, &flat) ||
             !allocate_fields(problem, &flat) || !allocate_maps(&flat))
        nb_writer_fail(writer, NB_OUT_OF_MEMORY, "shapes", "no memory");
    else {
        flatten(problem, &flat);
        flatten_fields(problem, &flat);
        flatten_maps(problem, &flat);
        write_flat(writer, &flat);
    }
    nb_fields_free(&flat, fields);
}
