/* Starts a step from the solution of the step before. Contacts are kept sorted by their bodies and particles; a
 * contact takes the force of the nearest one of the same pair, measured in the bodies' own frames, where that lies
 * within the contact margin. The force is turned into the new frame and projected onto the cone. */
#include "harness/simulate/warm_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/sorted.h"
#include "problems/base/vec3.h"

void nb_warm_start_free(struct nb_warm_start *warm)
{
    free(warm->contact);
    free(warm->bilateral);
    free(warm->u);
    memset(warm, 0, sizeof *warm);
}

/* What identifies contact i, without its force. */
static struct nb_kept_contact identify_contact(const struct nb_contacts *contacts, int i)
{
    struct nb_kept_contact out = {.particle = {-1, -1, -1, -1, -1, -1}};
    memcpy(out.body, contacts->body + 2 * i, sizeof out.body);
    memcpy(out.point, contacts->point + 6 * i, sizeof out.point);
    if (contacts->particle)
        memcpy(out.particle, contacts->particle + 6 * i, sizeof out.particle);
    return out;
}

static int compare_pairs(const struct nb_kept_contact *a, const struct nb_kept_contact *b)
{
    for (int k = 0; k < 2; ++k)
        if (a->body[k] != b->body[k])
            return a->body[k] < b->body[k] ? -1 : 1;
    for (int k = 0; k < 6; ++k)
        if (a->particle[k] != b->particle[k])
            return a->particle[k] < b->particle[k] ? -1 : 1;
    return 0;
}

/* Within a pair by the points, so that the order does not depend on the sorting algorithm. */
static int compare_contacts(const void *first, const void *second)
{
    const struct nb_kept_contact *a = first, *b = second;
    const int pairs = compare_pairs(a, b);
    for (int k = 0; k < 6 && !pairs; ++k)
        if (a->point[k] != b->point[k])
            return a->point[k] < b->point[k] ? -1 : 1;
    return pairs;
}

enum nb_status nb_warm_start_keep(struct nb_warm_start *warm, const struct nb_problem *problem,
                                  const double *u, const double *lambda, struct nb_error *error)
{
    const struct nb_contacts *contacts = &problem->contacts;
    nb_warm_start_free(warm);
    warm->dofs = nb_problem_dofs(problem);
    warm->bilaterals = nb_problem_bilaterals(problem);
    warm->contact = calloc((size_t)contacts->count + 1, sizeof *warm->contact);
    warm->bilateral = calloc((size_t)warm->bilaterals + 1, sizeof *warm->bilateral);
    warm->u = calloc((size_t)warm->dofs + 1, sizeof *warm->u);
    if (!warm->contact || !warm->bilateral || !warm->u) {
        nb_warm_start_free(warm);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the forces of %d contacts",
                       contacts->count);
    }
    warm->contacts = contacts->count;
    memcpy(warm->u, u, (size_t)warm->dofs * sizeof *u);
    memcpy(warm->bilateral, lambda, (size_t)warm->bilaterals * sizeof *lambda);
    for (int i = 0; i < contacts->count; ++i) {
        const double *force = lambda + warm->bilaterals + 3 * i, *frame = contacts->frame + 9 * i;
        warm->contact[i] = identify_contact(contacts, i);
        for (int r = 0; r < 3; ++r)
            nb_add_scaled3(warm->contact[i].force, force[r], frame + 3 * r, warm->contact[i].force);
    }
    nb_sort(warm->contact, warm->contacts, sizeof *warm->contact, compare_contacts);
    return NB_OK;
}

/* The first kept contact of a pair, or where it would stand. */
static int first_of_pair(const struct nb_warm_start *warm, const struct nb_kept_contact *wanted)
{
    int low = 0, high = warm->contacts;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (compare_pairs(&warm->contact[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How far the point has moved in that body which it moved less in. */
static double shift_of(const struct nb_kept_contact *a, const struct nb_kept_contact *b)
{
    double least = INFINITY;
    for (int side = 0; side < 2; ++side) {
        double difference[3];
        for (int k = 0; k < 3; ++k)
            difference[k] = a->point[3 * side + k] - b->point[3 * side + k];
        least = fmin(least, sqrt(nb_dot3(difference, difference)));
    }
    return least;
}

static struct nb_kept_contact *find_nearest(struct nb_warm_start *warm, const struct nb_kept_contact *wanted,
                                    double distance)
{
    struct nb_kept_contact *best = NULL;
    for (int i = first_of_pair(warm, wanted); i < warm->contacts; ++i) {
        struct nb_kept_contact *kept = &warm->contact[i];
        if (compare_pairs(kept, wanted))
            break;
        const double shift = shift_of(kept, wanted);
        if (!kept->used && shift <= distance) {
            best = kept;
            distance = nextafter(shift, 0);
        }
    }
    return best;
}

/* Into the frame's axes, which need not have unit length, and into the cone. */
static void project_force(const double *force, const double *frame, double friction, double *lambda)
{
    for (int r = 0; r < 3; ++r)
        lambda[r] = nb_dot3(force, frame + 3 * r) / nb_dot3(frame + 3 * r, frame + 3 * r);
    lambda[0] = fmax(lambda[0], 0);
    const double tangential = hypot(lambda[1], lambda[2]), limit = friction * lambda[0];
    for (int r = 1; r < 3 && tangential > limit; ++r)
        lambda[r] *= limit / tangential;
}

int nb_warm_start_guess(struct nb_warm_start *warm, const struct nb_problem *problem, double distance,
                        double *u, double *lambda)
{
    const struct nb_contacts *contacts = &problem->contacts;
    const int bilaterals = nb_problem_bilaterals(problem), dofs = nb_problem_dofs(problem);
    int found = 0;
    memset(u, 0, (size_t)dofs * sizeof *u);
    memset(lambda, 0, (size_t)nb_problem_multipliers(problem) * sizeof *lambda);
    if (warm->dofs == dofs && dofs > 0)
        memcpy(u, warm->u, (size_t)dofs * sizeof *u);
    if (warm->bilaterals == bilaterals && bilaterals > 0)
        memcpy(lambda, warm->bilateral, (size_t)bilaterals * sizeof *lambda);
    for (int i = 0; i < contacts->count; ++i) {
        const struct nb_kept_contact wanted = identify_contact(contacts, i);
        struct nb_kept_contact *kept = find_nearest(warm, &wanted, distance);
        if (!kept)
            continue;
        kept->used = 1;
        ++found;
        project_force(kept->force, contacts->frame + 9 * i, contacts->friction[i],
                lambda + bilaterals + 3 * i);
    }
    return found;
}
