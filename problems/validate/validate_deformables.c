/* What solvers and the time-step loop rely on in particles, tetrahedra, attachments, distances, ties
 * and the deformable sides of contacts. Names are the datasets of docs/reference/formats.md. */
#include <float.h>
#include <math.h>

#include "problems/base/vec3.h"
#include "problems/elements.h"
#include "problems/validate/validate_parts.h"

/* A volume of rounding size, compared with the edges, has no sign to speak of. */
static enum nb_status check_rest(const struct nb_tetrahedra *tetrahedra, struct nb_error *error)
{
    for (int i = 0; i < tetrahedra->count; ++i) {
        const double *rest = tetrahedra->rest + 9 * i;
        const double volume = nb_element_volume(tetrahedra, i);
        double edges = 1;
        for (int a = 0; a < 3; ++a) {
            const double edge[3] = {rest[a], rest[3 + a], rest[6 + a]};
            edges *= nb_norm3(edge);
        }
        if (!(volume > DBL_EPSILON * edges && isfinite(volume)))
            return nb_fail(error, NB_BAD_INPUT,
                           "tetrahedra/rest: entry %d has a volume of %g m^3, must be positive", i,
                           volume);
    }
    return NB_OK;
}

static enum nb_status check_material(const struct nb_tetrahedra *tetrahedra, struct nb_error *error)
{
    for (int i = 0; i < tetrahedra->count; ++i) {
        const double *lame = tetrahedra->lame + 2 * i;
        const int material = tetrahedra->material[i];
        if (material < NB_MATERIAL_HOOKE || material > NB_MATERIAL_NEO_HOOKEAN)
            return nb_fail(error, NB_BAD_INPUT,
                           "tetrahedra/material: entry %d is %d, must be %d to %d", i, material,
                           NB_MATERIAL_HOOKE, NB_MATERIAL_NEO_HOOKEAN);
        if (!(lame[0] >= 0 && lame[1] > 0))
            return nb_fail(error, NB_BAD_INPUT,
                           "tetrahedra/lame: entry %d is lambda = %g Pa, mu = %g Pa, must be 0 or "
                           "more and positive", i, lame[0], lame[1]);
    }
    return NB_OK;
}

/* width particles an entry, no two of them the same. */
static enum nb_status check_distinct(const char *name, const int *particle, int count, int width,
                                     struct nb_error *error)
{
    for (int i = 0; i < count; ++i)
        for (int a = 1; a < width; ++a)
            for (int b = 0; b < a; ++b)
                if (particle[width * i + a] == particle[width * i + b])
                    return nb_fail(error, NB_BAD_INPUT, "%s: entry %d has particle %d twice", name,
                                   i, particle[width * i + a]);
    return NB_OK;
}

static enum nb_status check_tetrahedra(const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_tetrahedra *tetrahedra = &problem->tetrahedra;
    enum nb_status status = nb_check_group(problem, NB_TETRAHEDRA, error);
    if (!status)
        status = check_distinct("tetrahedra/particle", tetrahedra->particle, tetrahedra->count, 4, error);
    if (!status)
        status = check_rest(tetrahedra, error);
    return status ? status : check_material(tetrahedra, error);
}

static enum nb_status check_attachments(const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_attachments *attachments = &problem->attachments;
    enum nb_status status = nb_check_group(problem, NB_ATTACHMENTS, error);
    for (int i = 0; !status && i < 3 * attachments->count; ++i)
        if (attachments->body[i / 3] >= 0 && attachments->drift[i] != 0)
            status = nb_fail(error, NB_BAD_INPUT, "attachments/drift: entry %d is %g, must be 0 on a body", i / 3,
                             attachments->drift[i]);
    return status;
}

static enum nb_status check_distances(const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_distances *distances = &problem->distances;
    const enum nb_status status = nb_check_group(problem, NB_DISTANCES, error);
    return status ? status
                  : check_distinct("distances/particle", distances->particle, distances->count, 2, error);
}

/* Particles first, all different, then -1; weights of these are 0. */
static enum nb_status check_tie(const struct nb_ties *ties, int tie, int particles, struct nb_error *error)
{
    const int *particle = ties->particle + NB_TIED * tie;
    const double *weight = ties->weight + NB_TIED * tie;
    for (int k = 0; k < NB_TIED; ++k) {
        if (particle[k] < -1 || particle[k] >= particles || (k == 0 && particle[k] < 0))
            return nb_fail(error, NB_BAD_INPUT, "ties/particle: entry %d has particle %d, must be %s0 to %d", tie,
                           particle[k], k ? "-1 (none) or " : "", particles - 1);
        for (int l = 0; l < k; ++l)
            if (particle[k] >= 0 && (particle[l] < 0 || particle[l] == particle[k]))
                return nb_fail(error, NB_BAD_INPUT, "ties/particle: entry %d has particle %d %s", tie, particle[k],
                               particle[l] < 0 ? "behind a -1" : "twice");
        if (particle[k] < 0 && weight[k] != 0)
            return nb_fail(error, NB_BAD_INPUT, "ties/weight: entry %d is %g, must be 0 without a particle", tie,
                           weight[k]);
    }
    return NB_OK;
}

static enum nb_status check_ties(const struct nb_problem *problem, struct nb_error *error)
{
    enum nb_status status = nb_check_group(problem, NB_TIES, error);
    for (int i = 0; i < problem->ties.count && !status; ++i)
        status = check_tie(&problem->ties, i, problem->particles.count, error);
    return status;
}

enum nb_status nb_validate_deformables(const struct nb_problem *problem, struct nb_error *error)
{
    enum nb_status status = nb_check_group(problem, NB_PARTICLES, error);
    if (!status)
        status = check_tetrahedra(problem, error);
    if (!status)
        status = check_attachments(problem, error);
    if (!status)
        status = check_distances(problem, error);
    return status ? status : check_ties(problem, error);
}

/* Particles first, then -1; their weights, then 0. */
static enum nb_status check_side_particles(const int *particle, const double *weight, int contact,
                                           int particles, struct nb_error *error)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        if (particle[k] < -1 || particle[k] >= particles)
            return nb_fail(error, NB_BAD_INPUT,
                           "contacts/particle: entry %d is particle %d, must be -1 (none) to %d",
                           contact, particle[k], particles - 1);
        for (int l = 0; l < k; ++l)
            if (particle[k] >= 0 && (particle[l] < 0 || particle[l] == particle[k]))
                return nb_fail(error, NB_BAD_INPUT,
                               "contacts/particle: entry %d names particle %d %s", contact,
                               particle[k], particle[l] < 0 ? "behind a -1" : "twice on a side");
        if (!isfinite(weight[k]) || weight[k] < 0 || (particle[k] < 0 && weight[k] != 0))
            return nb_fail(error, NB_BAD_INPUT, "contacts/weight: entry %d is %g, must be %s",
                           contact, weight[k], particle[k] < 0 ? "0 without a particle"
                                                               : "0 or more and finite");
        sum += weight[k];
    }
    if (particle[0] >= 0 && !(fabs(sum - 1) <= NB_UNIT_TOLERANCE))
        return nb_fail(error, NB_BAD_INPUT,
                       "contacts/weight: a side of entry %d has the sum %.9g, must be 1 to %g",
                       contact, sum, NB_UNIT_TOLERANCE);
    return NB_OK;
}

/* A deformable side has no body, and its point is where its particles are. */
static enum nb_status check_side(const struct nb_contacts *contacts, int contact, int side,
                                 int particles, struct nb_error *error)
{
    const int at = 6 * contact + 3 * side, body = contacts->body[2 * contact + side];
    const enum nb_status status = check_side_particles(
        contacts->particle + at, contacts->weight + at, contact, particles, error);
    if (status || contacts->particle[at] < 0)
        return status;
    if (body != -1)
        return nb_fail(error, NB_BAD_INPUT,
                       "contacts/body: entry %d has body %d and particles on one side", contact,
                       body);
    for (int k = 0; k < 3; ++k)
        if (contacts->point[at + k] != 0)
            return nb_fail(error, NB_BAD_INPUT,
                           "contacts/point: entry %d is %g m, must be 0 on a side of particles",
                           contact, contacts->point[at + k]);
    return NB_OK;
}

static int is_deformable(const struct nb_contacts *contacts, int contact)
{
    return contacts->particle && (contacts->particle[6 * contact] >= 0 ||
                                  contacts->particle[6 * contact + 3] >= 0);
}

enum nb_status nb_validate_sides(const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_contacts *contacts = &problem->contacts;
    if (!contacts->particle != !contacts->weight)
        return nb_fail(error, NB_BAD_INPUT, "contacts/%s is missing",
                       contacts->particle ? "weight" : "particle");
    for (int s = 0; contacts->particle && s < 2 * contacts->count; ++s) {
        const enum nb_status status =
            check_side(contacts, s / 2, s % 2, problem->particles.count, error);
        if (status)
            return status;
    }
    for (int i = 0; i < contacts->count; ++i)
        if (contacts->body[2 * i] == contacts->body[2 * i + 1] && !is_deformable(contacts, i))
            return nb_fail(error, NB_BAD_INPUT, "contacts/body: entry %d has body %d on both sides",
                           i, contacts->body[2 * i]);
    return NB_OK;
}
