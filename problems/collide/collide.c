/* Contact generation: the pairs whose boxes are near (broad_phase.h), the manifold of each (solid.h,
 * skin.h), its points moved into the bodies' frames. The skin of a deformable body takes part in the
 * search for pairs face by face.
 *
 * The narrow phases are our own, although libccd and ODE are at hand. A benchmark of solvers wants
 * every corner of a face as a contact, redundant as they are, for this is what makes its systems
 * singular; it wants them at the same places from step to step, for a manifold that flickers shows as
 * a solver's noise; it wants the same bits on every run, and gaps good to the last digits of a
 * double, since runs are judged at 1e-14 m. libccd iterates, to a
 * tolerance, towards one point of deepest penetration; ODE thins its manifolds to a given number of
 * points. A deformable side needs its point as barycentric weights of particles, which neither of them
 * tells, and the skin as a set of vertices, edges and faces that each appear once: libraries for
 * triangle meshes take every triangle as a body of its own and find a shared edge or vertex as often
 * as there are triangles round it. */
#include "problems/collide/collide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/collide/broad_phase.h"
#include "problems/collide/contact_list.h"
#include "problems/collide/motion.h"
#include "problems/collide/skin.h"
#include "problems/collide/solid.h"
#include "problems/joints.h"

/* What a detection works with. */
struct detection {
    struct nb_problem *problem;
    double margin;
    int rigid, count;        /* solids: the rigid shapes, then the faces of skins */
    struct nb_solid *solid;  /* [count]                                           */
    struct nb_skins skins;
    struct nb_pair_list pairs;
    struct nb_motion motion;
    struct nb_manifold manifold;
    struct nb_contact_list contacts;
    int *face;               /* [count] of a skin near one solid                  */
};

/* Leaves out pairs whose bodies share a joint: their shapes overlap there by construction. */
static enum nb_status drop_joined(struct detection *d, struct nb_error *error)
{
    int *joined = NULL, count = 0, kept = 0;
    if (d->problem->joints.count == 0)
        return NB_OK;
    const enum nb_status status = nb_joint_pairs(&d->problem->joints, &joined, &count, error);
    for (int i = 0; !status && i < d->pairs.count; ++i) {
        const struct nb_pair pair = d->pairs.pair[i];
        if (pair.second >= d->rigid ||
            !nb_joint_has_pair(joined, count, d->solid[pair.first].group,
                               d->solid[pair.second].group))
            d->pairs.pair[kept++] = pair;
    }
    if (!status)
        d->pairs.count = kept;
    free(joined);
    return status;
}

/* Whether the body holds particles of the skin. */
static int is_attached(const struct nb_problem *problem, const struct nb_skins *skins, int skin,
                       int body)
{
    const struct nb_attachments *attachments = &problem->attachments;
    for (int i = 0; body >= 0 && i < attachments->count; ++i)
        if (attachments->body[i] == body && skins->skin_of[attachments->particle[i]] == skin)
            return 1;
    return 0;
}

static enum nb_status add_manifold(struct detection *d, const struct nb_shape *a,
                                   const struct nb_shape *b, struct nb_error *error)
{
    const struct nb_manifold *manifold = &d->manifold;
    enum nb_status status = NB_OK;
    for (int k = 0; !status && k < manifold->count; ++k) {
        const struct nb_contact_side of_a = {a, manifold->on_a + 3 * k, {-1, -1, -1}, {0}};
        const struct nb_contact_side of_b = {b, manifold->on_b + 3 * k, {-1, -1, -1}, {0}};
        status = nb_contact_list_add(&d->contacts, &of_a, &of_b, manifold->normal + 3 * k, error);
    }
    if ((a->kind == NB_SHAPE_FIELD || b->kind == NB_SHAPE_FIELD) && b->kind != NB_SHAPE_PLANE) {
        d->contacts.culling.faces += manifold->faces;
        d->contacts.culling.near += manifold->near;
        d->contacts.culling.contacts += manifold->count;
    }
    return status;
}

/* A plane is side b; else the world is where the other is a body; else the second. */
static int is_swapped(const struct nb_solid *first, const struct nb_solid *second)
{
    if (first->shape->kind == NB_SHAPE_PLANE || second->shape->kind == NB_SHAPE_PLANE)
        return first->shape->kind == NB_SHAPE_PLANE;
    return first->shape->body < 0 && second->shape->body >= 0;
}

/* At the configuration that the solids are placed in, which the problem's bodies have. */
static enum nb_status collide_at(struct detection *d, struct nb_pair pair, double margin, struct nb_error *error)
{
    const struct nb_solid *a = &d->solid[pair.first], *b = &d->solid[pair.second];
    const int swapped = is_swapped(a, b);
    nb_manifold_find(&d->manifold, swapped ? b : a, swapped ? a : b, margin);
    return add_manifold(d, swapped ? b->shape : a->shape, swapped ? a->shape : b->shape, error);
}

/* Where a body stood. */
struct pose {
    double position[3], orientation[4];
};

/* Moves a solid's body by its free motion over the part t of the step, from where it stood. */
static void move_body(struct detection *d, struct nb_solid *solid, const struct pose *from, double t)
{
    struct nb_bodies *bodies = &d->problem->bodies;
    const int body = solid->shape->body;
    if (body < 0)
        return;
    const double *u = d->motion.u + 6 * body, h = t * d->problem->time_step;
    nb_add_scaled3(from->position, h, u, bodies->position + 3 * body);
    memcpy(bodies->orientation + 4 * body, from->orientation, sizeof from->orientation);
    if (t > 0)
        nb_quaternion_advance(bodies->orientation + 4 * body, h, u + 3);
    nb_solid_place(solid, d->problem);
}

static struct pose pose_of(const struct detection *d, const struct nb_solid *solid)
{
    const struct nb_bodies *bodies = &d->problem->bodies;
    struct pose pose = {{0}, {0}};
    if (solid->shape->body >= 0) {
        memcpy(pose.position, bodies->position + 3 * solid->shape->body, sizeof pose.position);
        memcpy(pose.orientation, bodies->orientation + 4 * solid->shape->body, sizeof pose.orientation);
    }
    return pose;
}

/* More are not looked at, however fast a body is. */
enum { INSTANTS = 100 };

/* Two solids that move by more than the margin. They are moved along their free motion, by the margin at a time, until
 * they come within it: their contacts are found there, with the margin of what motion is left, and stored in the
 * bodies' frames. Those that do not meet in this way may still be driven against each other by others: where they
 * stand, the margin is what others may add. */
static enum nb_status collide_moving(struct detection *d, struct nb_pair pair, double own, double all,
                                     struct nb_error *error)
{
    struct nb_solid *a = &d->solid[pair.first], *b = &d->solid[pair.second];
    const struct pose of_a = pose_of(d, a), of_b = pose_of(d, b);
    const int instants = own > d->margin * INSTANTS ? INSTANTS : (int)ceil(own / d->margin);
    double t = 0;
    int found = 0;
    for (int i = 0; own > d->margin && i <= instants && !found; ++i) {
        t = (double)i / instants;
        if (i > 0) {
            move_body(d, a, &of_a, t);
            move_body(d, b, &of_b, t);
        }
        nb_manifold_find(&d->manifold, a, b, d->margin);
        found = d->manifold.count > 0;
    }
    if (!found && t > 0) {
        move_body(d, a, &of_a, 0);
        move_body(d, b, &of_b, 0);
        t = 0;
        all -= own;
    }
    const enum nb_status status = collide_at(d, pair, fmax(d->margin, all - t * own), error);
    if (t > 0) {
        move_body(d, a, &of_a, 0);
        move_body(d, b, &of_b, 0);
    }
    return status;
}

static enum nb_status collide_rigid(struct detection *d, struct nb_pair pair, struct nb_error *error)
{
    const double all = nb_motion_of(&d->motion, pair.first, pair.second);
    if (!(all > d->margin))
        return collide_at(d, pair, d->margin, error);
    return collide_moving(d, pair, nb_motion_own(&d->motion, pair.first, pair.second), all, error);
}

/* The margin of a pair that is looked at where it stands. */
static double margin_of(const struct detection *d, struct nb_pair pair)
{
    return fmax(d->margin, nb_motion_of(&d->motion, pair.first, pair.second));
}

/* A solid with the faces of one skin from pair `first` on, which follow each other in the list. Sets
 * *next to the pair after them. */
static enum nb_status collide_skin(struct detection *d, int first, int *next,
                                   struct nb_error *error)
{
    const struct nb_pair *pair = d->pairs.pair;
    const int solid = pair[first].first, skin = d->solid[pair[first].second].skin;
    double margin = d->margin;
    int count = 0, i = first;
    for (; i < d->pairs.count && pair[i].first == solid &&
           d->solid[pair[i].second].skin == skin; ++i) {
        d->face[count++] = d->solid[pair[i].second].face;
        margin = fmax(margin, margin_of(d, pair[i]));
    }
    *next = i;
    if (is_attached(d->problem, &d->skins, skin, d->solid[solid].group))
        return NB_OK;
    if (nb_solid_is_field(&d->solid[solid]))
        return nb_skin_meets_field(&d->skins, &d->skins.skin[skin], d->face, count, &d->solid[solid], margin,
                                   &d->contacts, error);
    return nb_skin_meets_solid(&d->skins, &d->skins.skin[skin], d->face, count, &d->solid[solid],
                               margin, d->margin, &d->manifold, &d->contacts, error);
}

static enum nb_status collide_pairs(struct detection *d, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int i = 0; !status && i < d->pairs.count;) {
        const struct nb_pair pair = d->pairs.pair[i];
        if (pair.second < d->rigid) {
            status = collide_rigid(d, pair, error);
            ++i;
        } else if (pair.first < d->rigid) {
            status = collide_skin(d, i, &i, error);
        } else {
            status = nb_skins_note(&d->skins, &d->solid[pair.first], &d->solid[pair.second],
                                   margin_of(d, pair), error);
            ++i;
        }
    }
    return status ? status : nb_skins_meet(&d->skins, d->margin, &d->contacts, error);
}

/* Points that a manifold of these shapes may have: all vertices of one against a plane, the clipped corners of one face
 * and the corners of another, or, beside a field, the vertices, edges and triangles of both. */
static int manifold_capacity(const struct nb_problem *problem)
{
    int capacity = 0, fields = 0, most = 0;
    for (int i = 0; i < problem->shape_count; ++i) {
        const struct nb_shape *shape = &problem->shapes[i];
        if (shape->kind == NB_SHAPE_PLANE)
            continue;
        capacity = shape->vertex_count > capacity ? shape->vertex_count : capacity;
        fields |= shape->kind == NB_SHAPE_FIELD;
        const int features = shape->vertex_count + (shape->face_count ? 2 * shape->face_start[shape->face_count] : 0);
        most = features > most ? features : most;
        for (int face = 0; face < shape->face_count; ++face) {
            const int corners = shape->face_start[face + 1] - shape->face_start[face];
            capacity = 4 * corners > capacity ? 4 * corners : capacity;
        }
    }
    return (fields && 2 * most > capacity ? 2 * most : capacity) + 8;
}

/* Rigid shapes in their order, then the faces of skins. */
static enum nb_status place_solids(struct detection *d, struct nb_error *error)
{
    const int faces = nb_skin_faces(d->problem);
    const size_t room = (size_t)d->problem->shape_count + (size_t)faces + 1;
    enum nb_status status = NB_OK;
    d->solid = calloc(room, sizeof *d->solid);
    d->face = malloc(((size_t)faces + 1) * sizeof *d->face);
    if (!d->solid || !d->face)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d shapes",
                       d->problem->shape_count);
    for (int i = 0; !status && i < d->problem->shape_count; ++i)
        if (d->problem->shapes[i].kind != NB_SHAPE_SURFACE)
            status = nb_solid_create(&d->solid[d->rigid++], d->problem, &d->problem->shapes[i],
                                     error);
    d->count = d->rigid + faces;
    return status ? status
                  : nb_skins_create(&d->skins, d->problem, d->solid + d->rigid, error);
}

enum nb_status nb_collide(struct nb_problem *problem, double margin, struct nb_error *error)
{
    return nb_collide_moving(problem, margin, NULL, error);
}

enum nb_status nb_collide_moving(struct nb_problem *problem, double margin, const double *u, struct nb_error *error)
{
    struct nb_culling culling;
    return nb_collide_counted(problem, margin, u, &culling, error);
}

/* The compliance of all contacts, where the problem's parameters have one. */
static enum nb_status soften(struct nb_problem *problem, struct nb_error *error)
{
    const double e[2] = {nb_problem_parameter(problem, NB_CONTACT_COMPLIANCE, 0),
                         nb_problem_parameter(problem, NB_FRICTION_COMPLIANCE, 0)};
    const int count = problem->contacts.count;
    if (!(e[0] > 0 || e[1] > 0))
        return NB_OK;
    problem->contacts.compliance = malloc((2 * (size_t)count + 1) * sizeof *problem->contacts.compliance);
    if (!problem->contacts.compliance)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d soft contacts", count);
    for (int i = 0; i < 2 * count; ++i)
        problem->contacts.compliance[i] = e[i % 2];
    return NB_OK;
}

int nb_culling_faces(const struct nb_problem *problem)
{
    int triangles = 0, fields = 0;
    for (int i = 0; i < problem->shape_count; ++i) {
        const struct nb_shape *shape = &problem->shapes[i];
        fields += shape->kind == NB_SHAPE_FIELD;
        if (shape->body >= 0 && (shape->kind == NB_SHAPE_FIELD || shape->kind == NB_SHAPE_CONVEX))
            triangles += shape->face_start[shape->face_count] - 2 * shape->face_count;
    }
    return nb_skin_faces(problem) + (fields ? triangles : 0);
}

enum nb_status nb_collide_counted(struct nb_problem *problem, double margin, const double *u,
                                  struct nb_culling *culling, struct nb_error *error)
{
    struct detection d = {.problem = problem, .margin = margin,
                          .contacts = {.problem = problem}};
    nb_contact_list_clear(&d.contacts);
    enum nb_status status = place_solids(&d, error);
    d.contacts.deformable = d.skins.count > 0;
    if (!status)
        status = nb_manifold_allocate(&d.manifold, manifold_capacity(problem), error);
    if (!status)
        status = nb_motion_create(&d.motion, problem, d.solid, d.count, d.rigid, u, margin, error);
    if (!status)
        status = nb_motion_pairs(&d.motion, &d.pairs, d.solid, d.count, error);
    if (!status)
        status = drop_joined(&d, error);
    if (!status)
        status = collide_pairs(&d, error);
    if (!status)
        status = soften(problem, error);
    *culling = d.contacts.culling;
    if (status)
        nb_contact_list_clear(&d.contacts);
    nb_manifold_free(&d.manifold);
    nb_pair_list_free(&d.pairs);
    nb_motion_free(&d.motion);
    nb_skins_free(&d.skins);
    for (int i = 0; d.solid && i < d.rigid; ++i)
        nb_solid_free(&d.solid[i]);
    free(d.solid);
    free(d.face);
    return status;
}
