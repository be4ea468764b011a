// How a step is divided among teams of threads, and its data brought where they can read them: onto a
// device, or, in tests, into ordinary memory. Host code.
#ifndef NB_CUDA_STEP_PLAN_CUH
#define NB_CUDA_STEP_PLAN_CUH

#include <vector>

#include "solvers/cuda/step/step_stages.cuh"

extern "C" {
#include "problems/islands.h"
#include "solvers/cuda/step/step.h"
}

struct step_members {
    std::vector<int> start, index; // [parts + 1], members part by part, ascending in each
};

struct step_plan {
    int parts = 1;
    step_members bodies, particles, nodes, contacts, joints, rows;
    std::vector<int> start, column, entry_row, source; // of the matrix
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

// Without islands, one part. Throws std::bad_alloc.
inline step_plan step_divide(const NB(nb_model) &model, const NB(nb_delassus) &delassus,
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
        contact.assign(islands->contact, islands->contact + contact.size());
        joint.assign(islands->joint, islands->joint + joint.size());
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
    plan.rows = step_sort(plan.parts, row);
    step_order_matrix(plan, delassus);
    return plan;
}

// Shared memory that the largest part's linear system takes.
inline size_t step_most_room(const step_plan &plan, bool wide)
{
    size_t most = 0;
    for (size_t p = 0; p < (size_t)plan.parts; ++p) {
        const int first = plan.rows.start[p], end = plan.rows.start[p + 1];
        pcr_system<nb_real> part = {};
        part.rows = end - first;
        part.wide = wide;
        const size_t entries = (size_t)(plan.start[(size_t)end] - plan.start[(size_t)first]);
        const size_t bytes = pcr_place((char *)nullptr, part.rows, entries, false, part);
        most = bytes > most ? bytes : most;
    }
    return most;
}

// Memory has copy(from, count) and zeros<E>(count), which answer null where there is no more.
template <class Memory> class step_builder {
public:
    step_builder(Memory &where, const NB(nb_model) &from, const step_plan &division)
        : memory(where), model(from), plan(division)
    {
    }

    // `sums`: blocks of the grid, or parts.
    step_system build(const NB(nb_cuda_step_options) &options, const NB(nb_delassus) &delassus,
                      size_t sums)
    {
        step_system s = {};
        const size_t n = 3 * (size_t)model.blocks, contacts = (size_t)model.contacts;
        const size_t blocks = (size_t)model.jacobian.start[model.blocks];
        s.model = mirror();
        s.parts = plan.parts;
        s.bodies = bring(plan.bodies);
        s.particles = bring(plan.particles);
        s.nodes = bring(plan.nodes);
        s.contacts = bring(plan.contacts);
        s.joints = bring(plan.joints);
        s.rows = bring(plan.rows);
        s.minimum = options.minimum;
        s.true_form = options.true_form;
        s.gradients = options.gradients;
        s.linear_iterations = options.linear_iterations;
        s.shift = options.shift;
        s.damping = options.damping;
        s.tolerance = options.tolerance;
        s.stop = options.stop;
        s.r_normal = memory.copy(options.r_normal, contacts);
        s.r_friction = memory.copy(options.r_friction, contacts);
        nb_real **const rows[] = {&s.row_scale, &s.diagonal, &s.constraint, &s.impulse, &s.lambda};
        for (nb_real **one : rows)
            *one = memory.template zeros<nb_real>(n);
        s.defect = memory.template zeros<nb_real>(3 * (size_t)model.nodes);
        s.u = memory.template zeros<nb_real>(3 * (size_t)model.nodes);
        s.weighted = memory.template zeros<nb_matrix>(9 * blocks);
        s.entry_row = bring(plan.entry_row);
        s.source = bring(plan.source);
        const size_t entries = plan.column.size();
        s.product_start = memory.copy(delassus.product_start, entries + 1);
        s.product = memory.copy(delassus.product, 2 * (size_t)delassus.product_start[entries]);
        s.linear = linear(options, sums);
        s.states = memory.template zeros<pcr_state<nb_real>>((size_t)plan.parts);
        s.results = memory.template zeros<step_result>((size_t)plan.parts);
        s.norm = memory.template zeros<nb_real>(2 * (size_t)plan.parts);
        return s;
    }

private:
    const int *bring(const std::vector<int> &from)
    {
        return memory.copy(from.data(), from.size());
    }
    step_list bring(const step_members &from) { return {bring(from.start), bring(from.index)}; }

    pcr_system<nb_real> linear(const NB(nb_cuda_step_options) &options, size_t sums)
    {
        pcr_system<nb_real> out = {};
        const size_t n = 3 * (size_t)model.blocks, entries = plan.column.size();
        out.rows = model.blocks;
        out.wide = options.wide;
        out.start = bring(plan.start);
        out.column = bring(plan.column);
        out.value = memory.template zeros<nb_real>(9 * entries);
        out.inverse = memory.template zeros<nb_real>(out.wide ? 3 * n : n);
        out.b = memory.template zeros<nb_real>(n);
        nb_real **const vectors[] = {&out.x, &out.r, &out.z, &out.p, &out.q, &out.w};
        for (nb_real **one : vectors)
            *one = memory.template zeros<nb_real>(n);
        nb_real **const partial[] = {&out.sum_rr, &out.sum_bb, &out.sum_zw, &out.sum_qq};
        for (nb_real **one : partial)
            *one = memory.template zeros<nb_real>(sums);
        return out;
    }

    // The arrays that the stages read or write; what else a model has stays as it is and is not looked at.
    NB(nb_model) mirror()
    {
        NB(nb_model) out = model;
        const size_t nodes = (size_t)model.nodes, rows = (size_t)model.blocks;
        const size_t blocks = (size_t)model.jacobian.start[rows];
        out.jacobian.start = memory.copy(model.jacobian.start, rows + 1);
        out.jacobian.column = memory.copy(model.jacobian.column, blocks);
        out.jacobian.value = memory.copy(model.jacobian.value, 9 * blocks);
        out.node_start = memory.copy(model.node_start, nodes + 1);
        out.node_block = memory.copy(model.node_block, blocks);
        out.block_row = memory.copy(model.block_row, blocks);
        out.inverse_mass = memory.copy(model.inverse_mass, 9 * nodes);
        out.free_velocity = memory.copy(model.free_velocity, 3 * nodes);
        out.friction = memory.copy(model.friction, (size_t)model.contacts);
        out.bilateral_compliance =
            memory.copy(model.bilateral_compliance, 9 * (size_t)model.bilateral_blocks);
        out.violation = memory.copy(model.violation, 3 * rows);
        const NB(nb_nonlinear) near = mirror_parts();
        out.nonlinear = memory.copy(&near, 1);
        return out;
    }

    NB(nb_nonlinear) mirror_parts()
    {
        NB(nb_nonlinear) out = *model.nonlinear;
        const size_t bodies = (size_t)out.bodies.count, particles = (size_t)out.particles.count;
        const size_t contacts = (size_t)model.contacts, joints = (size_t)out.joints.count;
        out.bodies.start_position = memory.copy(out.bodies.start_position, 3 * bodies);
        out.bodies.start_orientation = memory.copy(out.bodies.start_orientation, 4 * bodies);
        out.bodies.position = memory.template zeros<nb_real>(3 * bodies);
        out.bodies.orientation = memory.template zeros<nb_real>(4 * bodies);
        out.bodies.rotation = memory.template zeros<nb_real>(9 * bodies);
        out.particles.start_position = memory.copy(out.particles.start_position, 3 * particles);
        out.particles.position = memory.template zeros<nb_real>(3 * particles);
        out.contacts.body = memory.copy(out.contacts.body, 2 * contacts);
        out.contacts.particle =
            out.contacts.particle ? memory.copy(out.contacts.particle, 6 * contacts) : nullptr;
        out.contacts.weight =
            out.contacts.weight ? memory.copy(out.contacts.weight, 6 * contacts) : nullptr;
        out.contacts.point = memory.copy(out.contacts.point, 6 * contacts);
        out.contacts.radius = memory.copy(out.contacts.radius, 2 * contacts);
        out.contacts.frame = memory.copy(out.contacts.frame, 9 * contacts);
        out.contacts.thickness = memory.copy(out.contacts.thickness, contacts);
        out.joints.kind = memory.copy(out.joints.kind, joints);
        out.joints.body = memory.copy(out.joints.body, 2 * joints);
        out.joints.first_block = memory.copy(out.joints.first_block, joints);
        out.joints.point = memory.copy(out.joints.point, 6 * joints);
        out.joints.orientation = memory.copy(out.joints.orientation, 8 * joints);
        out.joints.sign = memory.copy(out.joints.sign, joints);
        return out;
    }

    Memory &memory;
    const NB(nb_model) &model;
    const step_plan &plan;
};

#endif
