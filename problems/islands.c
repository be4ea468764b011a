/* Connected components by disjoint sets: trees that point to their lowest body, with paths halved on
 * the way (Tarjan and van Leeuwen 1984). */
#include "problems/islands.h"

#include <stdlib.h>
#include <string.h>

static int find_root(int *parent, int body)
{
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

/* The two sides of contacts or joints. */
static void join(int *parent, const int *side, int count)
{
    for (int i = 0; i < count; ++i) {
        if (side[2 * i] < 0 || side[2 * i + 1] < 0)
            continue;
        const int a = find_root(parent, side[2 * i]), b = find_root(parent, side[2 * i + 1]);
        if (a < b)
            parent[b] = a;
        else
            parent[a] = b;
    }
}

/* Roots are the lowest bodies of their islands, so that a root is labelled before its members. */
static void label_bodies(struct nb_islands *islands, int *parent, int count)
{
    for (int i = 0; i < count; ++i) {
        const int root = find_root(parent, i);
        islands->body[i] = root == i ? islands->count++ : islands->body[root];
        islands->bodies[islands->body[i]]++;
    }
}

/* The island of each contact or joint, and how many each island has. */
static void label_links(const struct nb_islands *islands, const int *side, int count, int *label,
                        int *members)
{
    for (int i = 0; i < count; ++i) {
        const int body = side[2 * i] >= 0 ? side[2 * i] : side[2 * i + 1];
        label[i] = body >= 0 ? islands->body[body] : -1;
        if (body >= 0)
            members[label[i]]++;
    }
}

static int *allocate(int count, int *failed)
{
    int *array = calloc((size_t)count + 1, sizeof *array);
    *failed |= !array;
    return array;
}

enum nb_status nb_islands_find(struct nb_islands *islands, const struct nb_problem *problem,
                               struct nb_error *error)
{
    const int linear = problem->form != NB_NONLINEAR;
    const int bodies = linear ? 0 : problem->bodies.count;
    const int contacts = linear ? 0 : problem->contacts.count;
    const int joints = linear ? 0 : problem->joints.count;
    int failed = 0, *parent = allocate(bodies, &failed);
    memset(islands, 0, sizeof *islands);
    islands->body = allocate(bodies, &failed);
    islands->contact = allocate(contacts, &failed);
    islands->joint = allocate(joints, &failed);
    islands->bodies = allocate(bodies, &failed);
    islands->contacts = allocate(bodies, &failed);
    islands->joints = allocate(bodies, &failed);
    if (failed) {
        free(parent);
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the islands of %d bodies", bodies);
    }
    for (int i = 0; i < bodies; ++i)
        parent[i] = i;
    join(parent, problem->contacts.body, contacts);
    join(parent, problem->joints.body, joints);
    label_bodies(islands, parent, bodies);
    label_links(islands, problem->contacts.body, contacts, islands->contact, islands->contacts);
    label_links(islands, problem->joints.body, joints, islands->joint, islands->joints);
    free(parent);
    return NB_OK;
}

void nb_islands_free(struct nb_islands *islands)
{
    if (!islands)
        return;
    free(islands->body);
    free(islands->contact);
    free(islands->joint);
    free(islands->bodies);
    free(islands->contacts);
    free(islands->joints);
    memset(islands, 0, sizeof *islands);
}

int nb_islands_largest(const struct nb_islands *islands)
{
    int best = -1;
    for (int i = 0; i < islands->count; ++i)
        if (best < 0 || islands->contacts[i] > islands->contacts[best])
            best = i;
    return best;
}
