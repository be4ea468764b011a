/* Contact generation: bounding boxes swept along x, then the manifold of every pair that is near
 * (solid.h), its points moved into the bodies' frames. */
#include "problems/collide/collide.h"

#include <stdlib.h>
#include <string.h>

#include "problems/collide/solid.h"
#include "problems/rotation.h"
#include "problems/vec3.h"

struct pair {
    int first, second; /* shapes, first < second */
};

struct pair_list {
    int count, capacity;
    struct pair *pair;
};

static int append_pair(struct pair_list *list, int i, int j)
{
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 64;
        struct pair *pair = realloc(list->pair, (size_t)capacity * sizeof *pair);
        if (!pair)
            return 1;
        list->pair = pair;
        list->capacity = capacity;
    }
    list->pair[list->count++] = i < j ? (struct pair){i, j} : (struct pair){j, i};
    return 0;
}

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    return a->first != b->first ? (a->first < b->first ? -1 : 1)
                                : (a->second > b->second) - (a->second < b->second);
}

static int can_touch(const struct nb_solid *a, const struct nb_solid *b)
{
    return a->shape->body != b->shape->body;
}

static int boxes_near(const struct nb_solid *a, const struct nb_solid *b, double margin)
{
    for (int k = 0; k < 3; ++k)
        if (a->lower[k] > b->upper[k] + margin || b->lower[k] > a->upper[k] + margin)
            return 0;
    return 1;
}

struct start {
    double lower;
    int shape;
};

static int compare_starts(const void *left, const void *right)
{
    const struct start *a = left, *b = right;
    if (a->lower != b->lower)
        return a->lower < b->lower ? -1 : 1;
    return (a->shape > b->shape) - (a->shape < b->shape);
}

/* Pairs of convex solids whose boxes are within the margin of each other. */
static int sweep(const struct nb_solid *solids, int count, double margin, struct pair_list *list)
{
    struct start *start = malloc(((size_t)count + 1) * sizeof *start);
    int boxes = 0, failed = !start;
    for (int i = 0; !failed && i < count; ++i)
        if (solids[i].shape->kind == NB_SHAPE_CONVEX)
            start[boxes++] = (struct start){solids[i].lower[0], i};
    if (boxes > 1)
        qsort(start, (size_t)boxes, sizeof *start, compare_starts);
    for (int i = 0; !failed && i < boxes; ++i) {
        const struct nb_solid *a = &solids[start[i].shape];
        for (int j = i + 1; !failed && j < boxes && start[j].lower <= a->upper[0] + margin; ++j) {
            const struct nb_solid *b = &solids[start[j].shape];
            if (can_touch(a, b) && boxes_near(a, b, margin))
                failed = append_pair(list, start[i].shape, start[j].shape);
        }
    }
    free(start);
    return failed;
}

/* Pairs of a plane, which has no end, and a convex solid. */
static int pair_planes(const struct nb_solid *solids, int count, struct pair_list *list)
{
    int failed = 0;
    for (int i = 0; i < count; ++i)
        for (int j = 0; solids[i].shape->kind == NB_SHAPE_PLANE && !failed && j < count; ++j)
            if (solids[j].shape->kind == NB_SHAPE_CONVEX && can_touch(&solids[i], &solids[j]))
                failed = append_pair(list, i, j);
    return failed;
}

/* Near pairs in the order of shapes. */
static enum nb_status find_pairs(const struct nb_solid *solids, int count, double margin,
                                 struct pair_list *list, struct nb_error *error)
{
    if (sweep(solids, count, margin, list) || pair_planes(solids, count, list))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for pairs of %d shapes", count);
    if (list->count > 1)
        qsort(list->pair, (size_t)list->count, sizeof *list->pair, compare_pairs);
    return NB_OK;
}

static void clear_contacts(struct nb_contacts *contacts)
{
    free(contacts->body);
    free(contacts->point);
    free(contacts->frame);
    free(contacts->thickness);
    free(contacts->friction);
    memset(contacts, 0, sizeof *contacts);
}

static int grow_array(double **array, size_t entries)
{
    double *grown = realloc(*array, entries * sizeof *grown);
    if (grown)
        *array = grown;
    return !grown;
}

static enum nb_status reserve(struct nb_contacts *contacts, int *capacity, int wanted,
                              struct nb_error *error)
{
    if (wanted <= *capacity)
        return NB_OK;
    const size_t room = 2 * (size_t)wanted + 16;
    int *body = realloc(contacts->body, 2 * room * sizeof *body);
    if (body)
        contacts->body = body;
    if (!body || grow_array(&contacts->point, 6 * room) ||
        grow_array(&contacts->frame, 9 * room) || grow_array(&contacts->thickness, room) ||
        grow_array(&contacts->friction, room))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d contacts", wanted);
    *capacity = (int)room;
    return NB_OK;
}

static void to_body_frame(const struct nb_bodies *bodies, int body, const double *world,
                          double *local)
{
    double rotation[9], arm[3];
    memcpy(local, world, 3 * sizeof *local);
    if (body < 0)
        return;
    nb_quaternion_matrix(bodies->orientation + 4 * body, rotation);
    nb_subtract3(world, bodies->position + 3 * body, arm);
    nb_rotate_back(rotation, arm, local);
}

/* Room is there already. */
static void append_manifold(struct nb_problem *problem, const struct nb_manifold *manifold,
                            const struct nb_shape *a, const struct nb_shape *b)
{
    struct nb_contacts *contacts = &problem->contacts;
    for (int k = 0; k < manifold->count; ++k) {
        const int i = contacts->count++;
        contacts->body[2 * i] = a->body;
        contacts->body[2 * i + 1] = b->body;
        to_body_frame(&problem->bodies, a->body, manifold->on_a + 3 * k, contacts->point + 6 * i);
        to_body_frame(&problem->bodies, b->body, manifold->on_b + 3 * k,
                      contacts->point + 6 * i + 3);
        nb_contact_frame(manifold->normal, contacts->frame + 9 * i);
        contacts->thickness[i] = 0;
        contacts->friction[i] = a->friction > b->friction ? a->friction : b->friction;
    }
}

/* Side a is the convex one of a plane and a convex solid, else the body where the other is the
 * world, else the first. */
static int is_swapped(const struct nb_solid *first, const struct nb_solid *second)
{
    if (first->shape->kind != second->shape->kind)
        return first->shape->kind == NB_SHAPE_PLANE;
    return first->shape->body < 0 && second->shape->body >= 0;
}

static enum nb_status collide_pairs(struct nb_problem *problem, const struct nb_solid *solids,
                                    const struct pair_list *list, double margin,
                                    struct nb_manifold *manifold, struct nb_error *error)
{
    int capacity = 0;
    enum nb_status status = NB_OK;
    for (int i = 0; !status && i < list->count; ++i) {
        const struct nb_solid *a = &solids[list->pair[i].first];
        const struct nb_solid *b = &solids[list->pair[i].second];
        if (is_swapped(a, b)) {
            const struct nb_solid *swap = a;
            a = b;
            b = swap;
        }
        if (b->shape->kind == NB_SHAPE_PLANE)
            nb_manifold_plane(manifold, a, b, margin);
        else
            nb_manifold_convex(manifold, a, b, margin);
        status = reserve(&problem->contacts, &capacity, problem->contacts.count + manifold->count,
                         error);
        if (!status)
            append_manifold(problem, manifold, a->shape, b->shape);
    }
    return status;
}

/* Points that a manifold of these shapes may have: all vertices of one against a plane, or the
 * clipped corners of one face and the corners of another. */
static int manifold_capacity(const struct nb_problem *problem)
{
    int capacity = 0;
    for (int i = 0; i < problem->shape_count; ++i) {
        const struct nb_shape *shape = &problem->shapes[i];
        if (shape->kind == NB_SHAPE_PLANE)
            continue;
        capacity = shape->vertex_count > capacity ? shape->vertex_count : capacity;
        for (int face = 0; face < shape->face_count; ++face) {
            const int corners = shape->face_start[face + 1] - shape->face_start[face];
            capacity = 4 * corners > capacity ? 4 * corners : capacity;
        }
    }
    return capacity + 8;
}

enum nb_status nb_collide(struct nb_problem *problem, double margin, struct nb_error *error)
{
    const int count = problem->shape_count;
    struct nb_manifold manifold = {0};
    struct pair_list list = {0};
    enum nb_status status = NB_OK;
    struct nb_solid *solids = calloc((size_t)count + 1, sizeof *solids);
    clear_contacts(&problem->contacts);
    if (!solids)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d shapes", count);
    for (int i = 0; !status && i < count; ++i)
        status = nb_solid_create(&solids[i], problem, &problem->shapes[i], error);
    if (!status)
        status = nb_manifold_allocate(&manifold, manifold_capacity(problem), error);
    if (!status)
        status = find_pairs(solids, count, margin, &list, error);
    if (!status)
        status = collide_pairs(problem, solids, &list, margin, &manifold, error);
    if (status)
        clear_contacts(&problem->contacts);
    nb_manifold_free(&manifold);
    free(list.pair);
    for (int i = 0; i < count; ++i)
        nb_solid_free(&solids[i]);
    free(solids);
    return status;
}
