/* Connected components by disjoint sets. Nodes are the bodies, then the particles. */
#include "problems/islands.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "problems/base/disjoint_sets.h"

/* Nodes below 0 are the world. */
static void join(int *parent, int first, int second)
{
    if (first >= 0 && second >= 0)
        nb_set_join(parent, first, second);
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
    for (int i = 0; i < NB_TIED * problem->ties.count; ++i)
        if (problem->ties.particle[i] >= 0)
            join(parent, first + problem->ties.particle[i - i % NB_TIED], first + problem->ties.particle[i]);
    for (int i = 0; i < 4 * problem->tetrahedra.count; ++i)
        join(parent, first + problem->tetrahedra.particle[i - i % 4],
             first + problem->tetrahedra.particle[i]);
}

/* Roots are the lowest nodes of their islands, so that a root is labelled before its members. */
static void label_nodes(struct nb_islands *islands, int *parent, int bodies, int particles)
{
    for (int i = 0; i < bodies + particles; ++i) {
        const int root = nb_set_root(parent, i);
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

/* The search, whose problem is an empty one where the step is linear. */
struct search {
    const struct nb_problem *problem;
    struct nb_islands *islands;
    int *parent;
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct search *search = data;
    struct nb_islands *islands = search->islands;
    const int bodies = search->problem->bodies.count, particles = search->problem->particles.count;
    int **of_nodes[] = {&search->parent, &islands->bodies, &islands->particles, &islands->contacts, &islands->joints};
    for (int i = 0; i < 5; ++i)
        NB_ARRAY(arena, *of_nodes[i], bodies + particles);
    NB_ARRAY(arena, islands->body, bodies);
    NB_ARRAY(arena, islands->particle, particles);
    NB_ARRAY(arena, islands->contact, search->problem->contacts.count);
    NB_ARRAY(arena, islands->joint, search->problem->joints.count);
}

static void label(const struct search *search)
{
    const struct nb_problem *problem = search->problem;
    const int bodies = problem->bodies.count, particles = problem->particles.count;
    int *parent = search->parent;
    for (int i = 0; i < bodies + particles; ++i)
        parent[i] = i;
    join_contacts(parent, problem);
    for (int i = 0; i < problem->joints.count; ++i)
        join(parent, problem->joints.body[2 * i], problem->joints.body[2 * i + 1]);
    join_particles(parent, problem);
    label_nodes(search->islands, parent, bodies, particles);
    label_links(search->islands, problem);
}

enum nb_status nb_islands_find(struct nb_islands *islands, const struct nb_problem *problem,
                               struct nb_error *error)
{
    static const struct nb_problem none;
    struct search search = {problem->form == NB_NONLINEAR ? problem : &none, islands, NULL};
    memset(islands, 0, sizeof *islands);
    islands->memory = nb_arena_allocate(lay_out, &search);
    if (!islands->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the islands of %d bodies and %d particles",
                       problem->bodies.count, problem->particles.count);
    label(&search);
    return NB_OK;
}

/* The node of a row of constraints of a linear step: of H^T and then G^T, or of W. */
static int node_of_row(const struct nb_problem *problem, int row)
{
    const int contacts = problem->linear.contacts;
    return nb_linear_velocities(problem) + (row < 3 * contacts ? row / 3 : row - 2 * contacts);
}

static void join_entries(int *label, const struct nb_problem *problem, const struct nb_csr *matrix, int first_row)
{
    const int mass = matrix == &problem->linear.mass, local = matrix == &problem->linear.delassus;
    for (int r = 0; r < matrix->rows; ++r)
        for (int k = matrix->start[r]; k < matrix->start[r + 1]; ++k)
            if (matrix->value[k] != 0)
                nb_set_join(label, mass ? r : node_of_row(problem, first_row + r),
                            local ? node_of_row(problem, matrix->column[k]) : matrix->column[k]);
}

int nb_linear_velocities(const struct nb_problem *problem)
{
    return problem->form == NB_LINEAR_LOCAL ? 0 : problem->linear.dofs;
}

void nb_linear_label(const struct nb_problem *problem, int *label)
{
    const struct nb_linear_step *step = &problem->linear;
    const int nodes = nb_linear_velocities(problem) + step->contacts + step->bilaterals;
    for (int i = 0; i < nodes; ++i)
        label[i] = i;
    if (problem->form == NB_LINEAR_LOCAL) {
        join_entries(label, problem, &step->delassus, 0);
    } else {
        join_entries(label, problem, &step->mass, 0);
        join_entries(label, problem, &step->contact_jacobian, 0);
        join_entries(label, problem, &step->bilateral_jacobian, 3 * step->contacts);
    }
    for (int i = 0; i < nodes; ++i)
        label[i] = nb_set_root(label, i);
}

enum nb_status nb_linear_islands(const struct nb_problem *problem, int *count, int *largest, struct nb_error *error)
{
    const struct nb_linear_step *step = &problem->linear;
    const int first = nb_linear_velocities(problem), nodes = first + step->contacts + step->bilaterals;
    int *label = malloc(2 * ((size_t)nodes + 1) * sizeof *label), *contacts = label + nodes + 1;
    *count = *largest = 0;
    if (!label)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the islands of %d rows", nodes);
    nb_linear_label(problem, label);
    for (int i = 0; i < nodes; ++i)
        contacts[i] = -1;
    for (int i = first; i < nodes; ++i) {
        int *met = &contacts[label[i]];
        *count += *met < 0;
        *met = (*met < 0 ? 0 : *met) + (i < first + step->contacts);
        *largest = *met > *largest ? *met : *largest;
    }
    free(label);
    return NB_OK;
}

void nb_islands_free(struct nb_islands *islands)
{
    if (!islands)
        return;
    free(islands->memory);
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
