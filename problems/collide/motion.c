/* Reaches of solids (motion.h). Pairs are found with swept boxes; where the two may move against each other by more
 * than the margin, each may get the other's velocity, which widens its box. This is repeated until no box grows: a
 * column that falls is stopped from below within one step. */
#include "problems/collide/motion.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/vec3.h"
#include "problems/collide/skin.h"

static struct nb_reach reach_of(const double *v, double h)
{
    struct nb_reach reach = {.spin = 0};
    for (int k = 0; k < 3; ++k)
        reach.lower[k] = reach.upper[k] = h * v[k];
    return reach;
}

/* Whether anything changed. */
static int widen(struct nb_reach *reach, const struct nb_reach *by)
{
    int changed = 0;
    for (int k = 0; k < 3; ++k) {
        changed |= by->lower[k] < reach->lower[k] || by->upper[k] > reach->upper[k];
        reach->lower[k] = fmin(reach->lower[k], by->lower[k]);
        reach->upper[k] = fmax(reach->upper[k], by->upper[k]);
    }
    return changed;
}

/* Distance of the solid's farthest point from its body's centre that turning moves: a ball's surface is not. */
static double arm_of(const struct nb_solid *solid, const double *centre)
{
    const int round = nb_solid_is_round(solid), count = round ? 2 : solid->shape->vertex_count;
    double arm = 0;
    for (int i = 0; i < count; ++i) {
        double from[3];
        nb_subtract3((round ? solid->ends : solid->vertex) + 3 * i, centre, from);
        arm = fmax(arm, nb_norm3(from));
    }
    return arm;
}

static void set_rigid(struct nb_motion *motion, const struct nb_problem *problem, const struct nb_solid *solid,
                      int index)
{
    const int body = solid->shape->body;
    motion->owner[index] = body;
    if (body < 0 || solid->shape->kind == NB_SHAPE_PLANE)
        return;
    const double spin = problem->time_step * nb_norm3(motion->u + 6 * body + 3);
    struct nb_reach *own = &motion->own[body];
    own->spin = fmax(own->spin, spin > 0 ? spin * arm_of(solid, problem->bodies.position + 3 * body) : 0);
}

static void set_face(struct nb_motion *motion, const struct nb_problem *problem, const struct nb_solid *solid,
                     int index, int place)
{
    const int *corner = solid->shape->face_vertex + 3 * solid->face;
    const double *v = motion->u + 6 * problem->bodies.count;
    struct nb_reach *own = &motion->own[place];
    motion->owner[index] = place;
    *own = reach_of(v + 3 * corner[0], problem->time_step);
    for (int k = 1; k < 3; ++k) {
        const struct nb_reach other = reach_of(v + 3 * corner[k], problem->time_step);
        widen(own, &other);
    }
}

enum nb_status nb_motion_create(struct nb_motion *motion, const struct nb_problem *problem,
                                const struct nb_solid *solids, int count, int rigid, const double *u,
                                double margin, struct nb_error *error)
{
    const int bodies = problem->bodies.count;
    const size_t room = (size_t)bodies + (size_t)(count - rigid) + 1;
    double largest = 0;
    *motion = (struct nb_motion){.u = u, .margin = margin, .bodies = bodies};
    if (!u)
        return NB_OK;
    motion->owner = malloc(((size_t)count + 1) * sizeof *motion->owner);
    motion->own = calloc(room, sizeof *motion->own);
    motion->reach = malloc(room * sizeof *motion->reach);
    if (!motion->owner || !motion->own || !motion->reach)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the motion of %d shapes", count);
    for (int i = 0; i < bodies; ++i)
        motion->own[i] = reach_of(u + 6 * i, problem->time_step);
    for (int i = 0; i < rigid; ++i)
        set_rigid(motion, problem, &solids[i], i);
    for (int i = rigid; i < count; ++i)
        set_face(motion, problem, &solids[i], i, bodies + i - rigid);
    memcpy(motion->reach, motion->own, room * sizeof *motion->reach);
    for (int i = 0; i < count; ++i) {
        const struct nb_reach *own = motion->owner[i] < 0 ? NULL : &motion->own[motion->owner[i]];
        for (int k = 0; own && k < 3; ++k)
            largest = fmax(largest, fmax(-own->lower[k], own->upper[k]) + own->spin);
    }
    if (!(4 * largest > margin)) /* two of them, each by at most sqrt(3) of its largest component */
        motion->u = NULL;
    return NB_OK;
}

void nb_motion_free(struct nb_motion *motion)
{
    free(motion->owner);
    free(motion->own);
    free(motion->reach);
    memset(motion, 0, sizeof *motion);
}

static double relative(const struct nb_motion *motion, const struct nb_reach *reach, int first, int second)
{
    static const struct nb_reach rest = {{0}, {0}, 0};
    if (!motion->u)
        return 0;
    const int i = motion->owner[first], j = motion->owner[second];
    const struct nb_reach *a = i < 0 ? &rest : &reach[i], *b = j < 0 ? &rest : &reach[j];
    double difference[3];
    for (int k = 0; k < 3; ++k)
        difference[k] = fmax(fabs(a->upper[k] - b->lower[k]), fabs(b->upper[k] - a->lower[k]));
    return nb_norm3(difference) + a->spin + b->spin;
}

double nb_motion_own(const struct nb_motion *motion, int first, int second)
{
    return relative(motion, motion->own, first, second);
}

double nb_motion_of(const struct nb_motion *motion, int first, int second)
{
    return relative(motion, motion->reach, first, second);
}

/* sign 1 sweeps the boxes, from where they are stored [6 count]; 0 brings them back. */
static void sweep(const struct nb_motion *motion, struct nb_solid *solids, int count, double *stored, int swept)
{
    for (int i = 0; i < count; ++i) {
        double *box = stored + 6 * i;
        const struct nb_reach *reach = motion->owner[i] < 0 ? NULL : &motion->reach[motion->owner[i]];
        if (swept) {
            memcpy(box, solids[i].lower, 3 * sizeof *box);
            memcpy(box + 3, solids[i].upper, 3 * sizeof *box);
        }
        for (int k = 0; k < 3; ++k) {
            solids[i].lower[k] = box[k] + (swept && reach ? fmin(reach->lower[k], 0) - reach->spin : 0);
            solids[i].upper[k] = box[3 + k] + (swept && reach ? fmax(reach->upper[k], 0) + reach->spin : 0);
        }
    }
}

/* One pass over the pairs; whether a reach grew. */
static int pass_on(struct nb_motion *motion, const struct nb_pair_list *pairs)
{
    static const struct nb_reach rest = {{0}, {0}, 0};
    int changed = 0;
    for (int n = 0; n < pairs->count; ++n) {
        const struct nb_pair pair = pairs->pair[n];
        const int i = motion->owner[pair.first], j = motion->owner[pair.second];
        if (!(nb_motion_of(motion, pair.first, pair.second) > motion->margin))
            continue;
        if (i >= 0)
            changed |= widen(&motion->reach[i], j < 0 ? &rest : &motion->reach[j]);
        if (j >= 0)
            changed |= widen(&motion->reach[j], i < 0 ? &rest : &motion->reach[i]);
    }
    return changed;
}

enum nb_status nb_motion_pairs(struct nb_motion *motion, struct nb_pair_list *pairs, struct nb_solid *solids,
                               int count, struct nb_error *error)
{
    if (!motion->u)
        return nb_broad_phase(pairs, solids, count, motion->margin, error);
    double *stored = malloc((6 * (size_t)count + 1) * sizeof *stored);
    enum nb_status status = NB_OK;
    int changed = 1, kept = 0;
    if (!stored)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the motion of %d shapes", count);
    while (!status && changed) {
        nb_pair_list_free(pairs);
        sweep(motion, solids, count, stored, 1);
        status = nb_broad_phase(pairs, solids, count, motion->margin, error);
        sweep(motion, solids, count, stored, 0);
        for (changed = 0; !status && pass_on(motion, pairs); changed = 1)
            ;
    }
    free(stored);
    for (int i = 0; !status && i < pairs->count; ++i) { /* of those at rest against each other, the near ones */
        const struct nb_pair pair = pairs->pair[i];
        if (nb_motion_of(motion, pair.first, pair.second) > motion->margin ||
            nb_solids_near(&solids[pair.first], &solids[pair.second], motion->margin))
            pairs->pair[kept++] = pair;
    }
    pairs->count = status ? pairs->count : kept;
    return status;
}
