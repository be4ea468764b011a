// How a step is divided among teams of threads, and what they did together. Host code.
#ifndef NB_CUDA_STEP_PLAN_CUH
#define NB_CUDA_STEP_PLAN_CUH

#include <algorithm>
#include <vector>

#include "solvers/cuda/dense_stages.cuh"
#include "solvers/cuda/step/step_stages.cuh"

extern "C" {
#include "problems/islands.h"
#include "solvers/cuda/step/step.h"
#include "solvers/sparse/factor.h"
}

inline namespace NB(nb_cuda) {

struct step_members {
    std::vector<int> start, index; // [parts + 1], members part by part, ascending in each
};

struct step_plan {
    int parts = 1;
    bool factored = false;                                // A is not assembled
    step_members bodies, particles, nodes, rows, contacts, joints, attachments, distances, tetrahedra;
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
inline void step_order_matrix(step_plan &plan, const NB(nb_delassus) &delassus)
{
    const NB(nb_bsr) &matrix = delassus.matrix;
    std::vector<int> place((size_t)matrix.rows);
    for (size_t k = 0; k < place.size(); ++k)
        place[(size_t)plan.rows.index[k]] = (int)k;
    plan.start.push_back(0);
    for (int part = 0; part < plan.parts; ++part)
        for (int k = plan.rows.start[(size_t)part]; k < plan.rows.start[(size_t)part + 1]; ++k) {
            const int i = plan.rows.index[(size_t)k];
            for (int m = matrix.start[i]; m < matrix.start[i + 1]; ++m) {
                const int j = matrix.column[m];
                plan.column.push_back(place[(size_t)j] - plan.rows.start[(size_t)part]);
                plan.entry_row.push_back(k);
                plan.source.push_back(j <= i ? m : ~delassus.mirror[m]);
            }
            plan.start.push_back((int)plan.column.size());
        }
}

// L J in the order of the rows and of the nodes, columns and rows counted from their part's first.
inline void step_order_factors(step_plan &plan, const NB(nb_model) &model)
{
    const NB(nb_bsr) &jacobian = model.jacobian;
    std::vector<int> place((size_t)model.nodes);
    for (size_t k = 0; k < place.size(); ++k)
        place[(size_t)plan.nodes.index[k]] = (int)k;
    plan.start.push_back(0);
    for (int part = 0; part < plan.parts; ++part)
        for (int k = plan.rows.start[(size_t)part]; k < plan.rows.start[(size_t)part + 1]; ++k) {
            const int i = plan.rows.index[(size_t)k];
            for (int m = jacobian.start[i]; m < jacobian.start[i + 1]; ++m) {
                plan.column.push_back(place[(size_t)jacobian.column[m]] - plan.nodes.start[(size_t)part]);
                plan.entry_row.push_back(k);
                plan.source.push_back(m);
            }
            plan.start.push_back((int)plan.column.size());
        }
    plan.node_start.assign(place.size() + 1, 0);
    for (size_t e = 0; e < plan.source.size(); ++e)
        plan.node_start[(size_t)place[(size_t)jacobian.column[plan.source[e]]] + 1]++;
    for (size_t k = 0; k < place.size(); ++k)
        plan.node_start[k + 1] += plan.node_start[k];
    std::vector<int> next(plan.node_start);
    plan.node_entry.resize(plan.source.size());
    plan.node_row.resize(plan.source.size());
    for (int part = 0, e = 0; part < plan.parts; ++part)
        for (; e < plan.start[(size_t)plan.rows.start[(size_t)part + 1]]; ++e) {
            const int node = place[(size_t)jacobian.column[plan.source[(size_t)e]]];
            const size_t at = (size_t)next[(size_t)node]++;
            plan.node_entry[at] = e;
            plan.node_row[at] = plan.entry_row[(size_t)e] - plan.rows.start[(size_t)part];
        }
}

// Without islands, one part; without the Delassus operator, by factors. Throws std::bad_alloc.
inline step_plan step_divide(const NB(nb_model) &model, const NB(nb_delassus) *delassus,
                             const nb_islands *islands)
{
    const nb_problem *problem = model.problem;
    const size_t bodies = (size_t)problem->bodies.count;
    step_plan plan;
    std::vector<int> body(bodies), particle((size_t)problem->particles.count),
        contact((size_t)model.contacts), joint((size_t)problem->joints.count),
        node((size_t)model.nodes), row((size_t)model.blocks);
    if (islands) {
        plan.parts = islands->count > 0 ? islands->count : 1;
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
    plan.bodies = step_sort(plan.parts, body);
    plan.particles = step_sort(plan.parts, particle);
    plan.nodes = step_sort(plan.parts, node);
    plan.contacts = step_sort(plan.parts, contact);
    plan.joints = step_sort(plan.parts, joint);
    plan.attachments = step_by_particle(plan.parts, particle, problem->attachments.particle, 1,
                                        problem->attachments.count);
    plan.distances = step_by_particle(plan.parts, particle, problem->distances.particle, 2,
                                      problem->distances.count);
    plan.tetrahedra = step_by_particle(plan.parts, particle, problem->tetrahedra.particle, 4,
                                       problem->tetrahedra.count);
    plan.rows = step_sort(plan.parts, row);
    plan.factored = !delassus;
    if (delassus)
        step_order_matrix(plan, *delassus);
    else
        step_order_factors(plan, model);
    return plan;
}

// The rows that each row meets, itself among them, by the rows of its part: the pattern of A. By factors a row that
// shares several nodes is there as often.
struct step_neighbours {
    std::vector<int> start, column;
};

inline step_neighbours step_find_neighbours(const step_plan &plan)
{
    step_neighbours out;
    if (!plan.factored)
        return {plan.start, plan.column};
    out.start.push_back(0);
    for (size_t part = 0; part < (size_t)plan.parts; ++part)
        for (size_t row = (size_t)plan.rows.start[part]; row < (size_t)plan.rows.start[part + 1]; ++row) {
            for (size_t k = (size_t)plan.start[row]; k < (size_t)plan.start[row + 1]; ++k) {
                const size_t node = (size_t)(plan.nodes.start[part] + plan.column[k]);
                out.column.insert(out.column.end(), plan.node_row.begin() + plan.node_start[node],
                                  plan.node_row.begin() + plan.node_start[node + 1]);
            }
            out.start.push_back((int)out.column.size());
        }
    return out;
}

// What the parts did, together.
inline nb_cuda_step_report step_report(const step_result *results, size_t parts, const char *place)
{
    static const char *const failures[] = {nullptr, "a diagonal entry of the operator is not positive",
                                           "the linear solve is not finite",
                                           "Cholesky failed: not positive definite"};
    nb_cuda_step_report out = {0, 0, 0, NB_LINEAR_CONVERGED, nullptr, -1, place};
    for (size_t p = 0; p < parts; ++p) {
        const step_result &one = results[p];
        out.newton_iterations = std::max(out.newton_iterations, one.newton_iterations);
        out.linear_iterations = std::max(out.linear_iterations, one.linear_iterations);
        out.rounds = std::max(out.rounds, one.rounds);
        out.ending = (nb_linear_ending)std::max((int)out.ending, one.ending);
        out.failure = one.failure ? failures[one.failure] : out.failure;
        out.row = one.failure == STEP_INDEFINITE ? one.row : out.row;
    }
    return out;
}

// How the matrix that the linear solves multiply is stored.
inline int step_storage(const NB(nb_cuda_step_options) &options)
{
    switch (options.format) {
    case NB_SOLVE_F16: return NB_CUDA_F16;
    case NB_SOLVE_BF16: return NB_CUDA_BF16;
    case NB_SOLVE_SAME: return options.storage;
    default: return NB_CUDA_SAME;
    }
}

// What decides on how much memory a part's linear system takes, in the type of its solves; no addresses.
template <class T>
pcr_system<T> step_shape(const step_plan &plan, const NB(nb_cuda_step_options) &options, size_t p)
{
    pcr_system<T> part = {};
    part.rows = plan.rows.start[p + 1] - plan.rows.start[p];
    part.wide = options.wide;
    part.storage = step_storage(options);
    part.factored = plan.factored;
    if (plan.factored)
        part.factors.nodes = plan.nodes.start[p + 1] - plan.nodes.start[p];
    return part;
}

template <class T> size_t step_room_of(const step_plan &plan, const NB(nb_cuda_step_options) &options)
{
    size_t most = 0;
    for (size_t p = 0; p < (size_t)plan.parts; ++p) {
        const size_t first = (size_t)plan.rows.start[p], end = (size_t)plan.rows.start[p + 1];
        pcr_system<T> part = step_shape<T>(plan, options, p);
        const size_t entries = (size_t)(plan.start[end] - plan.start[first]);
        const size_t bytes = pcr_place((char *)nullptr, part.rows, entries, step_operand(options.method), part);
        most = bytes > most ? bytes : most;
    }
    return most;
}

// Of a part, at most; in blocks.
inline int step_most_rows(const step_plan &plan)
{
    int most = 0;
    for (size_t p = 0; p < (size_t)plan.parts; ++p)
        most = std::max(most, plan.rows.start[p + 1] - plan.rows.start[p]);
    return most;
}

// Warps that a grid has work for: a row each, or, where the matrix is factorised, a block for each tile.
inline int step_grid_warps(const step_plan &plan, nb_cuda_method method, int threads)
{
    const int rows = std::max(1, plan.rows.start.back());
    const int tiles = (std::min(3 * rows, (int)NB_DENSE_LIMIT) + DENSE_TILE - 1) / DENSE_TILE;
    return method == NB_CUDA_CHOLESKY ? tiles * (tiles + 1) / 2 * (threads / PCR_WARP) : rows;
}

// Shared memory that the largest part's linear system takes.
inline size_t step_most_room(const step_plan &plan, const NB(nb_cuda_step_options) &options)
{
    if (options.method == NB_CUDA_CHOLESKY)
        return dense_size(3 * (size_t)step_most_rows(plan)) * (options.format ? sizeof(float) : sizeof(nb_real));
    return options.format ? step_room_of<float>(plan, options) : step_room_of<nb_real>(plan, options);
}

} // namespace

#endif
