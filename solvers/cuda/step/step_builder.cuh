// A step's data brought where the threads can read them: onto a device, or, in tests, into ordinary memory. Host code.
#ifndef NB_CUDA_STEP_BUILDER_CUH
#define NB_CUDA_STEP_BUILDER_CUH

#include <algorithm>
#include <vector>

#include "solvers/cuda/step/step_colours.cuh"
#include "solvers/cuda/step/step_plan.cuh"

inline namespace NB(nb_cuda) {

// Memory has copy(from, count) and zeros<E>(count), which answer null where there is no more.
template <class Memory> class step_builder {
public:
    step_builder(Memory &where, const NB(nb_model) &from, const step_plan &division)
        : memory(where), model(from), plan(division)
    {
    }

    // `sums`: blocks of the grid, or of all parts' teams. delassus as for step_divide.
    step_system build(const NB(nb_cuda_step_options) &options, const NB(nb_delassus) *delassus,
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
        s.attachments = bring(plan.attachments);
        s.distances = bring(plan.distances);
        s.tetrahedra = bring(plan.tetrahedra);
        s.rows = bring(plan.rows);
        s.minimum = options.minimum;
        s.true_form = options.true_form;
        s.method = options.method;
        s.linear_iterations = options.linear_iterations;
        s.omega = options.omega > 0 ? options.omega : 1;
        s.shift = options.shift;
        s.damping = model.blocks > 0 ? options.damping : NB_REAL(1); // free motion is linear
        s.tolerance = options.tolerance;
        s.stop = options.stop;
        s.floor = options.floor;
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
        if (delassus) {
            s.product_start = memory.copy(delassus->product_start, entries + 1);
            s.product = memory.copy(delassus->product, 2 * (size_t)delassus->product_start[entries]);
        }
        s.linear = linear(options, sums);
        if (options.method == NB_CUDA_GAUSS_SEIDEL)
            colour(s, options.symmetric);
        if (!(options.omega > 0))
            s.spectra = spectra();
        if (options.method == NB_CUDA_CHOLESKY)
            s.dense = dense(options.format);
        if (options.diagonal_stiffness)
            s.geometry = geometry(sums);
        if (!delassus)
            s.linear.factors = factors(options);
        if (options.format)
            s.lower = lower(options, s.linear, sums);
        s.states = memory.template zeros<pcr_state<nb_real>>((size_t)plan.parts);
        s.results = memory.template zeros<step_result>((size_t)plan.parts);
        s.norms = memory.template zeros<step_norms>((size_t)plan.parts);
        return s;
    }

private:
    const int *bring(const std::vector<int> &from)
    {
        return memory.copy(from.data(), from.size());
    }
    step_list bring(const step_members &from) { return {bring(from.start), bring(from.index)}; }

    void colour(step_system &s, int symmetric)
    {
        const step_neighbours near = step_find_neighbours(plan);
        const step_colours colours = step_colour(plan.parts, plan.rows.start, near.start, near.column);
        s.linear.symmetric = symmetric;
        s.linear.colours = colours.most; // of the whole, a graph has to know
        s.linear.order = bring(colours.order);
        s.linear.colour_start = bring(colours.start);
        s.first_colour = bring(colours.first);
    }

    step_spectrum *spectra()
    {
        std::vector<step_spectrum> out((size_t)plan.parts);
        for (size_t p = 0; p < out.size(); ++p)
            out[p].size = 3 * (plan.rows.start[p + 1] - plan.rows.start[p]);
        return memory.copy(out.data(), out.size());
    }

    pcr_system<nb_real> linear(const NB(nb_cuda_step_options) &options, size_t sums)
    {
        pcr_system<nb_real> out = {};
        out.rows = model.blocks;
        out.wide = options.wide;
        out.storage = options.storage;
        out.factored = plan.factored;
        out.start = bring(plan.start);
        out.column = bring(plan.column);
        take(out, sums);
        return out;
    }

    // Values and vectors of a system whose rows, width and storage are known.
    template <class T> void take(pcr_system<T> &out, size_t sums)
    {
        const size_t n = 3 * (size_t)out.rows, entries = plan.column.size();
        if (out.storage)
            out.value = memory.template zeros<unsigned short>(9 * entries);
        else
            out.value = memory.template zeros<T>(9 * entries);
        out.inverse = memory.template zeros<T>(out.wide ? 3 * n : n);
        out.b = memory.template zeros<T>(n);
        T **const vectors[] = {&out.x, &out.r, &out.z, &out.p, &out.q, &out.w};
        for (T **one : vectors)
            *one = memory.template zeros<T>(n);
        out.guess = out.x; // known to the host, which asks for operands when it builds a graph
        T **const partial[] = {&out.sum_rr, &out.sum_bb, &out.sum_zw, &out.sum_ww, &out.sum_wq};
        for (T **one : partial)
            *one = memory.template zeros<T>(sums);
    }

    step_geometry geometry(size_t sums)
    {
        const size_t nodes = 3 * (size_t)model.nodes;
        const std::vector<nb_real> ones(nodes, NB_REAL(1));
        step_geometry out = {};
        nb_real **const vectors[] = {&out.u, &out.before, &out.after};
        for (nb_real **one : vectors)
            *one = memory.template zeros<nb_real>(nodes);
        out.mass = memory.copy(model.particle_mass, (size_t)model.particles);
        out.ratio = memory.copy(ones.data(), nodes);
        out.partial = memory.template zeros<nb_real>(4 * sums); // a graph has twice the blocks for its stages
        return out;
    }

    step_dense dense(int format)
    {
        std::vector<size_t> first;
        size_t count = 0;
        for (size_t p = 0; p < (size_t)plan.parts; ++p) {
            first.push_back(count);
            count += dense_size(3 * (size_t)(plan.rows.start[p + 1] - plan.rows.start[p]));
        }
        void *const matrix = format ? (void *)memory.template zeros<float>(count)
                                    : (void *)memory.template zeros<nb_real>(count);
        return {matrix, memory.copy(first.data(), first.size()), memory.template zeros<int>(first.size()),
                memory.template zeros<nb_real>(DENSE_TILE * DENSE_STRIDE)};
    }

    step_lower lower(const NB(nb_cuda_step_options) &options, const pcr_system<nb_real> &upper, size_t sums)
    {
        step_lower out = {};
        out.format = options.format;
        out.system.rows = upper.rows;
        out.system.wide = upper.wide;
        out.system.storage = step_storage(options);
        out.system.factored = upper.factored;
        out.system.start = upper.start;
        out.system.column = upper.column;
        take(out.system, sums);
        if (upper.factored)
            out.system.factors = lower_factors(upper.factors);
        out.states = memory.template zeros<pcr_state<float>>((size_t)plan.parts);
        out.scale = memory.template zeros<nb_real>(3 * (size_t)model.blocks);
        out.partial = memory.template zeros<nb_real>(2 * sums);
        out.refinement = memory.template zeros<step_refinement>(1);
        return out;
    }

    pcr_factors<nb_real> factors(const NB(nb_cuda_step_options) &options)
    {
        pcr_factors<nb_real> out = {};
        const size_t nodes = (size_t)model.nodes;
        std::vector<nb_real> inverse(9 * nodes);
        for (size_t k = 0; k < 9 * nodes; ++k)
            inverse[k] = model.inverse_mass[9 * (size_t)plan.nodes.index[k / 9] + k % 9];
        out.nodes = model.nodes;
        out.node_start = bring(plan.node_start);
        out.node_entry = bring(plan.node_entry);
        out.node_row = bring(plan.node_row);
        out.inverse_mass = memory.copy(inverse.data(), inverse.size());
        out.compliance = memory.template zeros<nb_real>(9 * (size_t)model.blocks);
        out.velocity = memory.template zeros<nb_real>(3 * nodes);
        if (options.method == NB_CUDA_GAUSS_SEIDEL || options.format)
            out.diagonal = memory.template zeros<nb_real>(9 * (size_t)model.blocks);
        return out;
    }

    // Of the lower system: the pattern is the same.
    pcr_factors<float> lower_factors(const pcr_factors<nb_real> &upper)
    {
        pcr_factors<float> out = {};
        out.nodes = upper.nodes;
        out.node_start = upper.node_start;
        out.node_entry = upper.node_entry;
        out.node_row = upper.node_row;
        out.inverse_mass = memory.template zeros<float>(9 * (size_t)model.nodes);
        out.compliance = memory.template zeros<float>(9 * (size_t)model.blocks);
        out.velocity = memory.template zeros<float>(3 * (size_t)model.nodes);
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
        out.bodies.position = memory.template zeros<nb_real>(3 * bodies);
        out.bodies.orientation = memory.template zeros<nb_real>(4 * bodies);
        out.bodies.rotation = memory.template zeros<nb_real>(9 * bodies);
        out.particles.start_position = memory.copy(out.particles.start_position, 3 * particles);
        out.particles.position = memory.template zeros<nb_real>(3 * particles);
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

    Memory &memory;
    const NB(nb_model) &model;
    const step_plan &plan;
};

} // namespace

#endif
