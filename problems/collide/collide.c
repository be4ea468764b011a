/* Contact generation: the pairs whose boxes are near (broad_phase.h), the manifold of each
 * (solid.h), its points moved into the bodies' frames.
 *
 * The narrow phases are our own, although libccd and ODE are at hand. A benchmark of solvers wants
 * every corner of a face as a contact, redundant as they are, for this is what makes its systems
 * singular; it wants them at the same places from step to step, for a manifold that flickers shows as
 * a solver's noise; it wants the same bits on every run, and gaps good to the last digits of a
 * double, since runs are judged at 1e-14 m. libccd iterates, to a
 * tolerance, towards one point of deepest penetration; ODE thins its manifolds to a given number of
 * points. */
#include "problems/collide/collide.h"

#include <stdlib.h>
#include <string.h>

#include "problems/collide/broad_phase.h"
#include "problems/collide/solid.h"
#include "problems/joints.h"
#include "problems/rotation.h"
#include "problems/vec3.h"

/* Leaves out pairs whose bodies share a joint: their shapes overlap there by construction. */
static enum nb_status drop_joined(const struct nb_problem *problem, struct nb_pair_list *list,
                                  struct nb_error *error)
{
    int *joined = NULL, count = 0, kept = 0;
    if (problem->joints.count == 0)
        return NB_OK;
    const enum nb_status status = nb_joint_pairs(&problem->joints, &joined, &count, error);
    for (int i = 0; !status && i < list->count; ++i) {
        const struct nb_pair pair = list->pair[i];
        if (!nb_joint_has_pair(joined, count, problem->shapes[pair.first].body,
                               problem->shapes[pair.second].body))
            list->pair[kept++] = pair;
    }
    list->count = kept;
    free(joined);
    return status;
}

static void clear_contacts(struct nb_contacts *contacts)
{
    free(contacts->body);
    free(contacts->point);
    free(contacts->radius);
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
        grow_array(&contacts->radius, 2 * room) || grow_array(&contacts->frame, 9 * room) ||
        grow_array(&contacts->thickness, room) || grow_array(&contacts->friction, room))
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

/* One side's point, in its body's frame: on the surface, or of a round shape in its middle. */
static void store_side(struct nb_problem *problem, int contact, int side,
                       const struct nb_shape *shape, const double *surface, const double *normal)
{
    struct nb_contacts *contacts = &problem->contacts;
    const int round = shape->kind == NB_SHAPE_SPHERE || shape->kind == NB_SHAPE_CAPSULE;
    const double radius = round ? shape->radius : 0;
    double middle[3];
    nb_add_scaled3(surface, side == 0 ? radius : -radius, normal, middle);
    contacts->body[2 * contact + side] = shape->body;
    contacts->radius[2 * contact + side] = radius;
    to_body_frame(&problem->bodies, shape->body, middle, contacts->point + 6 * contact + 3 * side);
}

/* Room is there already. */
static void append_manifold(struct nb_problem *problem, const struct nb_manifold *manifold,
                            const struct nb_shape *a, const struct nb_shape *b)
{
    struct nb_contacts *contacts = &problem->contacts;
    for (int k = 0; k < manifold->count; ++k) {
        const int i = contacts->count++;
        store_side(problem, i, 0, a, manifold->on_a + 3 * k, manifold->normal + 3 * k);
        store_side(problem, i, 1, b, manifold->on_b + 3 * k, manifold->normal + 3 * k);
        nb_contact_frame(manifold->normal + 3 * k, contacts->frame + 9 * i);
        contacts->thickness[i] = 0;
        contacts->friction[i] = a->friction > b->friction ? a->friction : b->friction;
    }
}

/* A plane is side b; else the world is where the other is a body; else the second. */
static int is_swapped(const struct nb_solid *first, const struct nb_solid *second)
{
    if (first->shape->kind == NB_SHAPE_PLANE || second->shape->kind == NB_SHAPE_PLANE)
        return first->shape->kind == NB_SHAPE_PLANE;
    return first->shape->body < 0 && second->shape->body >= 0;
}

static enum nb_status collide_pairs(struct nb_problem *problem, const struct nb_solid *solids,
                                    const struct nb_pair_list *list, double margin,
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
        nb_manifold_find(manifold, a, b, margin);
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
    struct nb_pair_list list = {0};
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
        status = nb_broad_phase(&list, solids, count, margin, error);
    if (!status)
        status = drop_joined(problem, &list, error);
    if (!status)
        status = collide_pairs(problem, solids, &list, margin, &manifold, error);
    if (status)
        clear_contacts(&problem->contacts);
    nb_manifold_free(&manifold);
    nb_pair_list_free(&list);
    for (int i = 0; i < count; ++i)
        nb_solid_free(&solids[i]);
    free(solids);
    return status;
}
