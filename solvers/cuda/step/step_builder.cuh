// A step's data brought to the device. Host code.
#ifndef NB_CUDA_STEP_BUILDER_CUH
#define NB_CUDA_STEP_BUILDER_CUH

#include <algorithm>
#include <vector>

#include "solvers/cuda/colouring.cuh"
#include "solvers/cuda/step/step_partition.cuh"

inline namespace NB(nb_cuda) {

// The colours of each part's rows, for Gauss-Seidel. The pattern does not change within a step, so that they are found
// once.
struct step_colouring {
    std::vector<int> order; // [rows] by colour, counted from their part's first
    std::vector<int> start; // of the colours in their part's order, one more than it has colours for each part
    std::vector<int> first; // where a part's are in start [parts + 1]
};

inline step_colouring colour_parts(const step_partition &plan)
{
    step_colouring out;
    for (size_t p = 0; p < (size_t)plan.parts; ++p) {
        const int first = plan.rows.start[p];
        const nb_cuda_colouring part =
            nb_cuda_colour_rows(plan.rows.start[p + 1] - first, plan.start.data() + first, plan.column.data());
        out.first.push_back((int)out.start.size());
        out.order.insert(out.order.end(), part.order.begin(), part.order.end());
        out.start.insert(out.start.end(), part.start.begin(), part.start.end());
    }
    out.first.push_back((int)out.start.size());
    return out;
}

// Device memory. It keeps what failed first; nothing is done after that.
class device_memory {
public:
    ~device_memory()
    {
        for (void *one : owned)
            cudaFree(one);
        cudaGetLastError();
    }
    template <class E> E *zeros(size_t count)
    {
        owned.push_back(nullptr);
        void *&to = owned.back();
        answer = answer ? answer : cudaMalloc(&to, (count + 1) * sizeof(E));
        answer = answer ? answer : cudaMemset(to, 0, (count + 1) * sizeof(E));
        return (E *)to;
    }
    template <class E> E *copy(const E *from, size_t count)
    {
        E *to = zeros<E>(count);
        fill(to, from, count);
        return to;
    }
    template <class E> void fill(const E *to, const E *from, size_t count)
    {
        if (answer == cudaSuccess && count > 0)
            answer = cudaMemcpy((void *)to, from, count * sizeof(E), cudaMemcpyHostToDevice);
    }
    cudaError_t answer = cudaSuccess;

private:
    std::vector<void *> owned;
};

class step_builder {
public:
    step_builder(device_memory &where, const NB(nb_model) &from, const step_partition &division)
        : memory(where), model(from), plan(division)
    {
    }

    // `sums`: blocks of the grid, or of all parts' teams. delassus as for make_step_partition.
    step_system build(const NB(nb_cuda_step_options) &options, const NB(nb_delassus) *delassus,
                      size_t sums)
    {
        step_system s = {};
        const size_t n = 3 * (size_t)model.blocks, contacts = (size_t)model.contacts;
        const size_t blocks = (size_t)model.jacobian.start[model.blocks];
        s.model = mirror();
        s.parts = plan.parts;
        s.bodies = upload(plan.bodies);
        s.particles = upload(plan.particles);
        s.nodes = upload(plan.nodes);
        s.contacts = upload(plan.contacts);
        s.joints = upload(plan.joints);
        s.attachments = upload(plan.attachments);
        s.distances = upload(plan.distances);
        s.ties = upload(plan.ties);
        s.tetrahedra = upload(plan.tetrahedra);
        s.rows = upload(plan.rows);
        s.minimum = options.minimum;
        s.true_form = options.true_form;
        s.method = options.method;
        s.linear_iterations = options.linear_iterations;
        s.shift = options.shift;
        s.damping = model.blocks > 0 ? options.damping : NB_REAL(1); // free motion is linear
        s.r_normal = memory.copy(options.r_normal, contacts);
        s.r_friction = memory.copy(options.r_friction, contacts);
        nb_real **const rows[] = {&s.row_scale, &s.diagonal, &s.constraint, &s.impulse, &s.lambda};
        for (nb_real **one : rows)
            *one = memory.zeros<nb_real>(n);
        s.defect = memory.zeros<nb_real>(3 * (size_t)model.nodes);
        s.u = memory.zeros<nb_real>(3 * (size_t)model.nodes);
        s.weighted = memory.zeros<nb_matrix>(9 * blocks);
        s.entry_row = upload(plan.entry_row);
        s.source = upload(plan.source);
        const size_t entries = plan.column.size();
        if (delassus) {
            s.product_start = memory.copy(delassus->product_start, entries + 1);
            s.product = memory.copy(delassus->product, 2 * (size_t)delassus->product_start[entries]);
        }
        s.linear = linear(options, sums);
        if (options.method == NB_CUDA_GAUSS_SEIDEL) {
            const step_colouring colours = colour_parts(plan);
            s.linear.order = upload(colours.order);
            s.linear.colour_start = upload(colours.start);
            s.first_colour = upload(colours.first);
        }
        s.states = memory.zeros<solve_state<nb_real>>((size_t)plan.parts);
        s.results = memory.zeros<step_result>((size_t)plan.parts);
        return s;
    }

private:
    const int *upload(const std::vector<int> &from)
    {
        return memory.copy(from.data(), from.size());
    }
    step_list upload(const step_members &from) { return {upload(from.start), upload(from.index)}; }

    void fill(const int *to, const std::vector<int> &from) { memory.fill(to, from.data(), from.size()); }

    linear_system<nb_real> linear(const NB(nb_cuda_step_options) &options, size_t sums)
    {
        linear_system<nb_real> out = {};
        const size_t entries = plan.column.size(), nodes = (size_t)model.nodes;
        out.rows = model.blocks;
        out.wide = options.wide;
        out.storage = options.storage;
        out.factored = plan.factored;
        out.factors.nodes = plan.factored ? model.nodes : 0;
        const size_t bytes = lay_out_system(nullptr, entries, sums, out);
        lay_out_system(memory.zeros<char>(bytes), entries, sums, out);
        fill(out.start, plan.start);
        fill(out.column, plan.column);
        if (!plan.factored)
            return out;
        fill(out.factors.node_start, plan.node_start);
        fill(out.factors.node_entry, plan.node_entry);
        fill(out.factors.node_row, plan.node_row);
        std::vector<nb_real> inverse(9 * nodes);
        for (size_t k = 0; k < 9 * nodes; ++k)
            inverse[k] = model.inverse_mass[9 * (size_t)plan.nodes.index[k / 9] + k % 9];
        memory.fill(out.factors.inverse_mass, inverse.data(), inverse.size());
        return out;
    }

    // What the stages read or write. All else is null: an address of the host's would be found out on a card only.
    NB(nb_model) mirror()
    {
        NB(nb_model) out = {};
        out.nodes = model.nodes;
        out.blocks = model.blocks;
        out.bilateral_blocks = model.bilateral_blocks;
        out.contacts = model.contacts;
        out.time_step = model.time_step;
        out.axis_rows = model.axis_rows;
        out.diagonal_compliance = model.diagonal_compliance;
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
        mirror_state(out);
        mirror_contacts(out);
        mirror_joints(out);
        mirror_links(out.links);
        mirror_tetrahedra(out.tetrahedra);
        return out;
    }

    void mirror_state(NB(nb_nonlinear) &out)
    {
        const size_t bodies = (size_t)out.bodies.count, particles = (size_t)out.particles.count;
        out.bodies.start_position = memory.copy(out.bodies.start_position, 3 * bodies);
        out.bodies.start_orientation = memory.copy(out.bodies.start_orientation, 4 * bodies);
        out.bodies.position = memory.zeros<nb_real>(3 * bodies);
        out.bodies.orientation = memory.zeros<nb_real>(4 * bodies);
        out.bodies.rotation = memory.zeros<nb_real>(9 * bodies);
        out.particles.start_position = memory.copy(out.particles.start_position, 3 * particles);
        out.particles.position = memory.zeros<nb_real>(3 * particles);
    }

    void mirror_contacts(NB(nb_nonlinear) &out)
    {
        NB(nb_contact_points) &points = out.contacts;
        const size_t count = (size_t)points.count;
        points.body = memory.copy(points.body, 2 * count);
        points.particle = points.particle ? memory.copy(points.particle, 6 * count) : nullptr;
        points.weight = points.weight ? memory.copy(points.weight, 6 * count) : nullptr;
        points.point = memory.copy(points.point, 6 * count);
        points.radius = memory.copy(points.radius, 2 * count);
        points.frame = memory.copy(points.frame, 9 * count);
        points.thickness = memory.copy(points.thickness, count);
        points.place = nullptr;
    }

    void mirror_joints(NB(nb_nonlinear) &out)
    {
        const size_t joints = (size_t)out.joints.count, limits = (size_t)out.limits.count;
        out.joints.kind = memory.copy(out.joints.kind, joints);
        out.joints.body = memory.copy(out.joints.body, 2 * joints);
        out.joints.first_block = memory.copy(out.joints.first_block, joints);
        out.joints.point = memory.copy(out.joints.point, 6 * joints);
        out.joints.orientation = memory.copy(out.joints.orientation, 8 * joints);
        out.joints.sign = memory.copy(out.joints.sign, joints);
        out.limits.joint = memory.copy(out.limits.joint, limits);
        out.limits.side = memory.copy(out.limits.side, limits);
        out.limits.bound = memory.copy(out.limits.bound, limits);
        out.limits.tangent = memory.copy(out.limits.tangent, 6 * limits);
    }

    void mirror_links(NB(nb_links) &links)
    {
        const size_t attachments = (size_t)links.attachments, distances = (size_t)links.distances;
        links.particle = memory.copy(links.particle, attachments);
        links.body = memory.copy(links.body, attachments);
        links.point = memory.copy(links.point, 3 * attachments);
        links.offset = memory.copy(links.offset, 3 * attachments);
        links.pair = memory.copy(links.pair, 2 * distances);
        links.length = memory.copy(links.length, distances);
        links.between = memory.copy(links.between, 3 * distances);
        const size_t ties = (size_t)links.ties;
        links.tied = memory.copy(links.tied, NB_TIED * ties);
        links.weight = memory.copy(links.weight, NB_TIED * ties);
        links.start = memory.copy(links.start, 3 * ties);
    }

    void mirror_tetrahedra(NB(nb_tetrahedron_rows) &rows)
    {
        const size_t count = (size_t)rows.count;
        rows.material = memory.copy(rows.material, count);
        rows.particle = memory.copy(rows.particle, 4 * count);
        rows.block = memory.copy(rows.block, count);
        rows.gradient = memory.copy(rows.gradient, 9 * count);
        rows.start = memory.copy(rows.start, 9 * count);
        rows.lame = memory.copy(rows.lame, 2 * count);
        rows.inflation = memory.copy(rows.inflation, count);
        rows.volume = memory.copy(rows.volume, count);
        rows.length = memory.copy(rows.length, count);
    }

    device_memory &memory;
    const NB(nb_model) &model;
    const step_partition &plan;
};

} // namespace

#endif
