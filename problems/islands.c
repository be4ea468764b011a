/* Connected components by disjoint sets: trees that point to their lowest node, with paths halved on
 * the way (Tarjan and van Leeuwen 1984). Nodes are the bodies, then the particles. */
#include "problems/islands.h"

#include <stdlib.h>
#include <string.h>

static int find_root(int *parent, int node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

/* Nodes below 0 are the world. */
static void join(int *parent, int first, int second)
{
    if (first < 0 || second < 0)
        return;
    const int a = find_root(parent, first), b = find_root(parent, second);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

/* The first particle of one side of a contact as a node, else its body; -1 for the world. */
static int node_of_side(const struct nb_problem *problem, int contact, int side)
{
    const struct nb_contacts *contacts = &problem->contacts;
    const int particle = contacts->particle ? contacts->particle[6 * contact + 3 * side] : -1;
    return particle >= 0 ? problem->bodies.count + particle : contacts->body[2 * contact + side];
}

static void join_contacts(int *parent, const struct nb_problem *problem)
{
    const struct nb_contacts *contacts = &problem->contacts;
    for (int i = 0; i < contacts->count; ++i) {
        join(parent, node_of_side(problem, i, 0), node_of_side(problem, i, 1));
        for (int k = 0; contacts->particle && k < 6; ++k)
            if (contacts->particle[6 * i + k] >= 0)
                join(parent, node_of_side(problem, i, k / 3),
                     problem->bodies.count + contacts->particle[6 * i + k]);
    }
}

static void join_particles(int *parent, const struct nb_problem *problem)
{
    const int first = problem->bodies.count;
    for (int i = 0; i < problem->attachments.count; ++i)
        join(parent, problem->attachments.body[i], first + problem->attachments.particle[i]);
    for (int i = 0; i < problem->distances.count; ++i)
        join(parent, first + problem->distances.particle[2 * i],
             first + problem->distances.particle[2 * i + 1]);
    for (int i = 0; i < 4 * problem->tetrahedra.count; ++i)
        join(parent, first + problem->tetrahedra.particle[i - i % 4],
             first + problem->tetrahedra.particle[i]);
}

/* Roots are the lowest nodes of their islands, so that a root is labelled before its members. */
static void label_nodes(struct nb_islands *islands, int *parent, int bodies, int particles)
{
    for (int i = 0; i < bodies + particles; ++i) {
        const int root = find_root(parent, i);
        const int *known = root < bodies ? &islands->body[root] : &islands->particle[root - bodies];
        const int label = root == i ? islands->count++ : *known;
        if (i < bodies) {
            islands->body[i] = label;
            islands->bodies[label]++;
        } else {
            islands->particle[i - bodies] = label;
            islands->particles[label]++;
        }
    }
}

static int label_of(const struct nb_islands *islands, int bodies, int node)
{
    return node < 0 ? -1 : node < bodies ? islands->body[node] : islands->particle[node - bodies];
}

/* The islands of contacts and joints, and how many of them each island has. */
static void label_links(const struct nb_islands *islands, const struct nb_problem *problem)
{
    const int bodies = problem->bodies.count;
    for (int i = 0; i < problem->contacts.count; ++i) {
        const int a = node_of_side(problem, i, 0), b = node_of_side(problem, i, 1);
        islands->contact[i] = label_of(islands, bodies, a >= 0 ? a : b);
        if (islands->contact[i] >= 0)
            islands->contacts[islands->contact[i]]++;
    }
    for (int i = 0; i < problem->joints.count; ++i) {
        const int *side = problem->joints.body + 2 * i;
        islands->joint[i] = label_of(islands, bodies, side[0] >= 0 ? side[0] : side[1]);
        if (islands->joint[i] >= 0)
            islands->joints[islands->joint[i]]++;
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
    const int particles = linear ? 0 : problem->particles.count, nodes = bodies + particles;
    int failed = 0, *parent = allocate(nodes, &failed);
    memset(islands, 0, sizeof *islands);
    islands->body = allocate(bodies, &failed);
    islands->particle = allocate(particles, &failed);
    islands->contact = allocate(linear ? 0 : problem->contacts.count, &failed);
    islands->joint = allocate(linear ? 0 : problem->joints.count, &failed);
    islands->bodies = allocate(nodes, &failed);
    islands->particles = allocate(nodes, &failed);
    islands->contacts = allocate(nodes, &failed);
    islands->joints = allocate(nodes, &failed);
    if (!failed && !linear) {
        for (int i = 0; i < nodes; ++i)
            parent[i] = i;
        join_contacts(parent, problem);
        for (int i = 0; i < problem->joints.count; ++i)
            join(parent, problem->joints.body[2 * i], problem->joints.body[2 * i + 1]);
        join_particles(parent, problem);
        label_nodes(islands, parent, bodies, particles);
        label_links(islands, problem);
    }
    free(parent);
    return failed ? nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the islands of %d bodies and "
                            "particles", nodes) : NB_OK;
}

void nb_islands_free(struct nb_islands *islands)
{
    if (!islands)
        return;
    free(islands->body);
    free(islands->particle);
    free(islands->contact);
    free(islands->joint);
    free(islands->bodies);
    free(islands->particles);
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
