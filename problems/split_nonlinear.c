/* The islands of bodies and particles, with their contacts, joints, limits and elements (problems/islands.h). */
#include <stdlib.h>
#include <string.h>

#include "problems/fields.h"
#include "problems/islands.h"
#include "problems/split_private.h"

static const enum nb_field_groups groups[] = {NB_BODIES, NB_PARTICLES, NB_CONTACTS, NB_LIMITS,
                                              NB_JOINTS, NB_ATTACHMENTS, NB_DISTANCES, NB_TIES, NB_TETRAHEDRA};
enum { GROUPS = sizeof groups / sizeof *groups };

struct lists {
    struct nb_split_list of[NB_FIELD_GROUPS];
};

static int things(const struct nb_problem *problem, enum nb_field_groups group)
{
    return nb_field_entries(problem, nb_field_groups[group].field);
}

/* Nodes are the bodies, then the particles; label is the island of each, as is node_of. */
static void find_worth(const struct nb_problem *problem, const struct nb_islands *islands, int *worth)
{
    for (int i = 0; i < islands->count; ++i)
        worth[i] = islands->contacts[i] + islands->joints[i] > 0;
    for (int i = 0; i < problem->attachments.count; ++i)
        worth[islands->particle[problem->attachments.particle[i]]] = 1;
    for (int i = 0; i < problem->distances.count; ++i)
        worth[islands->particle[problem->distances.particle[2 * i]]] = 1;
    for (int i = 0; i < problem->ties.count; ++i)
        worth[islands->particle[problem->ties.particle[NB_TIED * i]]] = 1;
    for (int i = 0; i < problem->tetrahedra.count; ++i)
        worth[islands->particle[problem->tetrahedra.particle[4 * i]]] = 1;
}

/* The part of each thing of a group by those of the nodes; what is between the world's own points goes to the first. */
static void find_parts(const struct nb_problem *problem, const struct nb_islands *islands, enum nb_field_groups group,
                       const int *node, const int *of_island, int *part)
{
    const int bodies = problem->bodies.count;
    for (int i = 0; i < things(problem, group); ++i)
        switch (group) {
        case NB_BODIES:
            part[i] = node[i];
            break;
        case NB_PARTICLES:
            part[i] = node[bodies + i];
            break;
        case NB_CONTACTS:
            part[i] = islands->contact[i] < 0 ? 0 : of_island[islands->contact[i]];
            break;
        case NB_JOINTS:
            part[i] = islands->joint[i] < 0 ? 0 : of_island[islands->joint[i]];
            break;
        case NB_LIMITS: {
            const int island = islands->joint[problem->limits.joint[i]];
            part[i] = island < 0 ? 0 : of_island[island];
            break;
        }
        case NB_ATTACHMENTS:
            part[i] = node[bodies + problem->attachments.particle[i]];
            break;
        case NB_DISTANCES:
            part[i] = node[bodies + problem->distances.particle[2 * i]];
            break;
        case NB_TIES:
            part[i] = node[bodies + problem->ties.particle[NB_TIED * i]];
            break;
        default:
            part[i] = node[bodies + problem->tetrahedra.particle[4 * i]];
            break;
        }
}

/* Whether there was memory. part [2 nodes + things of any group] is scratch. */
static int sort_groups(const struct nb_problem *problem, const struct nb_islands *islands, int count, const int *node,
                       int *scratch, struct lists *lists)
{
    const int bodies = problem->bodies.count, nodes = bodies + problem->particles.count;
    int *of_island = scratch, *part = scratch + nodes;
    for (int i = 0; i < nodes; ++i)
        of_island[i < bodies ? islands->body[i] : islands->particle[i - bodies]] = node[i];
    for (int g = 0; g < GROUPS; ++g) {
        find_parts(problem, islands, groups[g], node, of_island, part);
        if (!nb_split_sort(&lists->of[groups[g]], count, things(problem, groups[g]), part))
            return 0;
    }
    return 1;
}

static void renumber(int *index, int count, const struct nb_split_list *list)
{
    for (int i = 0; i < count; ++i)
        index[i] = index[i] < 0 ? index[i] : list->local[index[i]];
}

static void renumber_all(struct nb_problem *problem, const struct lists *lists)
{
    const struct nb_split_list *body = &lists->of[NB_BODIES], *particle = &lists->of[NB_PARTICLES];
    renumber(problem->contacts.body, 2 * problem->contacts.count, body);
    renumber(problem->joints.body, 2 * problem->joints.count, body);
    renumber(problem->limits.joint, problem->limits.count, &lists->of[NB_JOINTS]);
    renumber(problem->attachments.body, problem->attachments.count, body);
    renumber(problem->attachments.particle, problem->attachments.count, particle);
    renumber(problem->distances.particle, 2 * problem->distances.count, particle);
    renumber(problem->ties.particle, NB_TIED * problem->ties.count, particle);
    renumber(problem->tetrahedra.particle, 4 * problem->tetrahedra.count, particle);
    if (problem->contacts.particle)
        renumber(problem->contacts.particle, 6 * problem->contacts.count, particle);
}

/* first [things + 1]: where the rows of each thing begin, after `row`; returns where they end. */
static int number_rows(const struct nb_problem *problem, enum nb_field_groups group, int row, int *first)
{
    const int count = things(problem, group);
    for (int i = 0; i < count; ++i) {
        first[i] = row;
        row += group == NB_JOINTS       ? nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i])
               : group == NB_DISTANCES  ? 1
               : group == NB_TETRAHEDRA ? nb_tetrahedron_rows((enum nb_material)problem->tetrahedra.material[i])
                                        : 3;
    }
    first[count] = row;
    return row;
}

/* The groups that have rows, in the order of the multipliers (problem.h). */
static const enum nb_field_groups with_rows[] = {NB_JOINTS, NB_ATTACHMENTS, NB_DISTANCES, NB_TIES,
                                                 NB_TETRAHEDRA, NB_CONTACTS, NB_LIMITS};
enum { WITH_ROWS = sizeof with_rows / sizeof *with_rows };

static void map_multipliers(const struct lists *lists, int *const *first, int k, int *map)
{
    for (int g = 0; g < WITH_ROWS; ++g) {
        const struct nb_split_list *list = &lists->of[with_rows[g]];
        const int *member = nb_split_members(list, k);
        for (int i = 0; i < nb_split_things(list, k); ++i)
            for (int row = first[g][member[i]]; row < first[g][member[i] + 1]; ++row)
                *map++ = row;
    }
}

static void map_velocities(const struct nb_problem *whole, const struct lists *lists, int k, int *map)
{
    const struct nb_split_list *bodies = &lists->of[NB_BODIES], *particles = &lists->of[NB_PARTICLES];
    for (int i = 0; i < nb_split_things(bodies, k); ++i)
        for (int c = 0; c < 6; ++c)
            *map++ = 6 * nb_split_members(bodies, k)[i] + c;
    for (int i = 0; i < nb_split_things(particles, k); ++i)
        for (int c = 0; c < 3; ++c)
            *map++ = 6 * whole->bodies.count + 3 * nb_split_members(particles, k)[i] + c;
}

static enum nb_status make_part(const struct nb_problem *whole, const struct lists *lists, int *const *first, int k,
                                struct nb_split_part *part, struct nb_error *error)
{
    struct nb_problem *problem = &part->problem;
    int done = nb_problem_keep_provenance(whole, problem);
    problem->form = NB_NONLINEAR;
    memcpy(problem->gravity, whole->gravity, sizeof problem->gravity);
    for (int g = 0; g < GROUPS; ++g) {
        const struct nb_split_list *list = &lists->of[groups[g]];
        done &= nb_fields_pick(whole, problem, nb_field_groups[groups[g]].field, nb_split_things(list, k),
                               nb_split_members(list, k));
    }
    if (!done)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for island %d of %s", k, whole->name);
    renumber_all(problem, lists);
    const int dofs = nb_problem_dofs(problem), multipliers = nb_problem_multipliers(problem);
    const enum nb_status status = nb_split_allocate_maps(part, dofs, multipliers, error);
    problem->free_velocity = malloc(((size_t)dofs + 1) * sizeof *problem->free_velocity);
    if (status || !problem->free_velocity)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for island %d of %s", k, whole->name);
    map_velocities(whole, lists, k, part->dof);
    map_multipliers(lists, first, k, part->multiplier);
    for (int i = 0; i < dofs; ++i)
        problem->free_velocity[i] = whole->free_velocity[part->dof[i]];
    return NB_OK;
}

static enum nb_status make_parts(const struct nb_problem *problem, const struct lists *lists, int count,
                                 struct nb_split *split, struct nb_error *error)
{
    int *first[WITH_ROWS], *memory = NULL, row = 0;
    size_t room = 0;
    for (int g = 0; g < WITH_ROWS; ++g)
        room += (size_t)things(problem, with_rows[g]) + 1;
    memory = malloc(room * sizeof *memory);
    enum nb_status status = memory ? nb_split_allocate(split, count, error)
                                   : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the islands of %s", problem->name);
    room = 0;
    for (int g = 0; !status && g < WITH_ROWS; ++g) {
        first[g] = memory + room;
        row = number_rows(problem, with_rows[g], row, first[g]);
        room += (size_t)things(problem, with_rows[g]) + 1;
    }
    for (int k = 0; k < count && !status; ++k)
        status = make_part(problem, lists, first, k, &split->part[k], error);
    free(memory);
    return status;
}

enum nb_status nb_split_nonlinear(const struct nb_problem *problem, struct nb_split *split, struct nb_error *error)
{
    const int bodies = problem->bodies.count, nodes = bodies + problem->particles.count;
    struct nb_islands islands;
    struct lists lists = {0};
    int most = 0;
    for (int g = 0; g < GROUPS; ++g)
        most = things(problem, groups[g]) > most ? things(problem, groups[g]) : most;
    enum nb_status status = nb_islands_find(&islands, problem, error);
    int *node = calloc(4 * (size_t)nodes + (size_t)most + 1, sizeof *node), *worth = node + nodes;
    if (!status && !node)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the islands of %s", problem->name);
    if (!status) {
        for (int i = 0; i < nodes; ++i)
            node[i] = i < bodies ? islands.body[i] : islands.particle[i - bodies];
        find_worth(problem, &islands, worth);
        const int count = nb_split_number(nodes, node, worth, worth + nodes);
        if (count > 1)
            status = sort_groups(problem, &islands, count, node, worth + nodes, &lists)
                         ? make_parts(problem, &lists, count, split, error)
                         : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d islands", count);
    }
    for (int g = 0; g < NB_FIELD_GROUPS; ++g)
        nb_split_list_free(&lists.of[g]);
    free(node);
    nb_islands_free(&islands);
    return status;
}
