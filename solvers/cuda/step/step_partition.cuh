// How a step is partitioned among teams of threads, and what they did together. Host code.
#ifndef NB_CUDA_STEP_PARTITION_CUH
#define NB_CUDA_STEP_PARTITION_CUH

#include <algorithm>
#include <vector>

#include "solvers/cuda/step/step_stages.cuh"

extern "C" {
#include "problems/islands.h"
#include "solvers/cuda/step/step.h"
}

inline namespace NB(nb_cuda) {

struct step_members {
    std::vector<int> start, index; // [parts + 1], members part by part, ascending in each
};

struct step_partition {
    int parts = 1;
    bool factored = false;                                // A is not assembled
    step_members bodies, particles, nodes, rows, contacts, joints, attachments, distances, ties, tetrahedra;
    std::vector<int> start, column, entry_row, source;    // of the matrix, or of L J
    std::vector<int> node_start, node_entry, node_row;    // L J by nodes; empty where A is assembled
};

// part_of [count] sorted into parts; a member of none belongs to the first.
inline step_members step_sort(int parts, const std::vector<int> &part_of)
{
    step_members out;
    out.start.assign((size_t)parts + 1, 0);
    for (int part : part_of)
        out.start[(size_t)(part < 0 ? 0 : part) + 1]++;
    for (int p = 0; p < parts; ++p)
        out.start[(size_t)p + 1] += out.start[(size_t)p];
    std::vector<int> next(out.start);
    out.index.resize(part_of.size());
    for (size_t i = 0; i < part_of.size(); ++i)
        out.index[(size_t)next[(size_t)(part_of[i] < 0 ? 0 : part_of[i])]++] = (int)i;
    return out;
}

// What holds particles belongs to the part of its first one.
inline step_members step_by_particle(int parts, const std::vector<int> &part_of, const int *particle,
                                     int stride, int count)
{
    std::vector<int> part((size_t)count);
    for (size_t i = 0; i < part.size(); ++i)
        part[i] = part_of[(size_t)particle[(size_t)stride * i]];
    return step_sort(parts, part);
}

// The matrix in the order of the rows, columns counted from their part's first row.
inline void step_order_matrix(step_partition &division, const NB(nb_delassus) &delassus)
{
    const NB(nb_bsr) &matrix = delassus.matrix;
    std::vector<int> position((size_t)matrix.rows);
    for (size_t k = 0; k < position.size(); ++k)
        position[(size_t)division.rows.index[k]] = (int)k;
    division.start.push_back(0);
    for (int part = 0; part < division.parts; ++part)
        for (int k = division.rows.start[(size_t)part]; k < division.rows.start[(size_t)part + 1]; ++k) {
            const int i = division.rows.index[(size_t)k];
            for (int m = matrix.start[i]; m < matrix.start[i + 1]; ++m) {
                const int j = matrix.column[m];
                division.column.push_back(position[(size_t)j] - division.rows.start[(size_t)part]);
                division.entry_row.push_back(k);
                division.source.push_back(j <= i ? m : ~delassus.mirror[m]);
            }
            division.start.push_back((int)division.column.size());
        }
}

// L J in the order of the rows and of the nodes, columns and rows counted from their part's first.
inline void step_order_factors(step_partition &division, const NB(nb_model) &model)
{
    const NB(nb_bsr) &jacobian = model.jacobian;
    std::vector<int> position((size_t)model.nodes);
    for (size_t k = 0; k < position.size(); ++k)
        position[(size_t)division.nodes.index[k]] = (int)k;
    division.start.push_back(0);
    for (int part = 0; part < division.parts; ++part)
        for (int k = division.rows.start[(size_t)part]; k < division.rows.start[(size_t)part + 1]; ++k) {
            const int i = division.rows.index[(size_t)k];
            for (int m = jacobian.start[i]; m < jacobian.start[i + 1]; ++m) {
                division.column.push_back(position[(size_t)jacobian.column[m]] - division.nodes.start[(size_t)part]);
                division.entry_row.push_back(k);
                division.source.push_back(m);
            }
            division.start.push_back((int)division.column.size());
        }
    division.node_start.assign(position.size() + 1, 0);
    for (size_t e = 0; e < division.source.size(); ++e)
        division.node_start[(size_t)position[(size_t)jacobian.column[division.source[e]]] + 1]++;
    for (size_t k = 0; k < position.size(); ++k)
        division.node_start[k + 1] += division.node_start[k];
    std::vector<int> next(division.node_start);
    division.node_entry.resize(division.source.size());
    division.node_row.resize(division.source.size());
    for (int part = 0, e = 0; part < division.parts; ++part)
        for (; e < division.start[(size_t)division.rows.start[(size_t)part + 1]]; ++e) {
            const int node = position[(size_t)jacobian.column[division.source[(size_t)e]]];
            const size_t at = (size_t)next[(size_t)node]++;
            division.node_entry[at] = e;
            division.node_row[at] = division.entry_row[(size_t)e] - division.rows.start[(size_t)part];
        }
}

// Without islands, one part; without the Delassus operator, by factors. Throws std::bad_alloc.
inline step_partition make_step_partition(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                             const nb_islands *islands)
{
    const nb_problem *problem = model.problem;
    const size_t bodies = (size_t)problem->bodies.count;
    step_partition division;
    std::vector<int> body(bodies), particle((size_t)problem->particles.count),
        contact((size_t)model.contacts), joint((size_t)problem->joints.count),
        node((size_t)model.nodes), row((size_t)model.blocks);
    if (islands) {
        division.parts = islands->count > 0 ? islands->count : 1;
        body.assign(islands->body, islands->body + body.size());
        particle.assign(islands->particle, islands->particle + particle.size());
        joint.assign(islands->joint, islands->joint + joint.size());
        std::copy(islands->contact, islands->contact + problem->contacts.count, contact.begin());
        for (int i = 0; i < problem->limits.count; ++i)
            contact[(size_t)(problem->contacts.count + i)] = joint[(size_t)problem->limits.joint[i]];
    }
    for (size_t i = 0; i < node.size(); ++i)
        node[i] = i < 2 * bodies ? body[i / 2] : particle[i - 2 * bodies];
    for (size_t i = 0; i < row.size(); ++i) {
        const int at = model.jacobian.start[i];
        row[i] = at < model.jacobian.start[i + 1] ? node[(size_t)model.jacobian.column[at]] : 0;
    }
    division.bodies = step_sort(division.parts, body);
    division.particles = step_sort(division.parts, particle);
    division.nodes = step_sort(division.parts, node);
    division.contacts = step_sort(division.parts, contact);
    division.joints = step_sort(division.parts, joint);
    division.attachments = step_by_particle(division.parts, particle, problem->attachments.particle, 1,
                                        problem->attachments.count);
    division.distances = step_by_particle(division.parts, particle, problem->distances.particle, 2,
                                      problem->distances.count);
    division.ties = step_by_particle(division.parts, particle, problem->ties.particle, NB_TIED, problem->ties.count);
    division.tetrahedra = step_by_particle(division.parts, particle, problem->tetrahedra.particle, 4,
                                       problem->tetrahedra.count);
    division.rows = step_sort(division.parts, row);
    division.factored = !delassus;
    if (delassus)
        step_order_matrix(division, *delassus);
    else
        step_order_factors(division, model);
    return division;
}

// What the parts did, together.
inline nb_cuda_step_report step_report(const step_result *results, size_t parts, const char *team)
{
    static const char *const failures[] = {nullptr, "a diagonal entry of the operator is not positive",
                                           "the linear solve is not finite"};
    nb_cuda_step_report out = {0, 0, NB_LINEAR_CONVERGED, nullptr, team};
    for (size_t p = 0; p < parts; ++p) {
        const step_result &one = results[p];
        out.newton_iterations = std::max(out.newton_iterations, one.newton_iterations);
        out.linear_iterations = std::max(out.linear_iterations, one.linear_iterations);
        out.ending = (nb_linear_ending)std::max((int)out.ending, one.ending);
        out.failure = one.failure ? failures[one.failure] : out.failure;
    }
    return out;
}

// Shared memory that the largest part's linear system takes.
inline size_t step_most_room(const step_partition &division, const NB(nb_cuda_step_options) &options)
{
    size_t most = 0;
    for (size_t p = 0; p < (size_t)division.parts; ++p) {
        const size_t first = (size_t)division.rows.start[p], end = (size_t)division.rows.start[p + 1];
        linear_system<nb_real> part = {};
        part.rows = (int)(end - first);
        part.wide = options.wide;
        part.storage = options.storage;
        part.factored = division.factored;
        part.factors.nodes = division.factored ? division.nodes.start[p + 1] - division.nodes.start[p] : 0;
        const size_t entries = (size_t)(division.start[end] - division.start[first]);
        most = std::max(most, lay_out_system(nullptr, entries, 1, part));
    }
    return most;
}

} // namespace

#endif
