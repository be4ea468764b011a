// A whole time step by the nonsmooth Newton method (solvers/outer/newton.c with step=constant) without a
// return to the host, in the stages
//
//     state      bodies and particles at q+
//     rows       J, violation, E; NCP functions, friction compliance
//     bilateral  their part of C and h; J H^-1
//     matrix     A = L J H^-1 J^T L + C, or L J and C; P^-1;  H^-1 g by nodes
//     right side b = L J H^-1 g - h
//     (PCR, PCG or a relaxation of pcr_stages.cuh, pcg_stages.cuh, relaxation_stages.cuh)
//     impulse    lambda += t (h dlambda)/h
//     velocity   u += t (H^-1 J^T L h dlambda - H^-1 g)
//
// with a barrier after each. A team of threads, the grid or a block, works on a part of the step: all of
// it, or an island, whose Newton systems are apart and stop apart. What one body, contact, joint, link or
// element does is the CPU's source (solvers/model/rows/*_rows.h, solvers/contact/*_contact.h). Compiled once a
// precision.
#ifndef NB_CUDA_STEP_STAGES_CUH
#define NB_CUDA_STEP_STAGES_CUH

#include "solvers/cuda/step/step_system.cuh"

inline namespace NB(nb_cuda) {

__device__ inline void step_state(const step_system &s, const step_team &team)
{
    NB(nb_model) *model = step_model(s);
    for (int k = step_begin(s.bodies, team); k < step_end(s.bodies, team); k += team.threads)
        NB(nb_evaluate_body)(model, s.bodies.index[k], s.u);
    const NB(nb_particle_state) *particles = &model->nonlinear->particles;
    for (int k = step_begin(s.particles, team); k < step_end(s.particles, team); k += team.threads) {
        const size_t i = 3 * (size_t)s.particles.index[k];
        const nb_real *v = s.u + 3 * (size_t)particles->first_node + i;
        for (int c = 0; c < 3; ++c)
            particles->position[i + c] = particles->start_position[i + c] + model->time_step * v[c];
    }
}

// (44), (54), as linearise_normal of solvers/model/newton_system.c.
__device__ inline void step_normal(const step_system &s, int contact, int row)
{
    const nb_real h = s.model.time_step, r = s.r_normal[contact];
    const nb_real gap = h * s.model.violation[row], force = r * s.lambda[row];
    nb_real phi, alpha, beta;
    if (s.minimum)
        NB(nb_minimum_normal)(gap, force, &phi, &alpha, &beta);
    else
        NB(nb_fischer_normal)(gap, force, &phi, &alpha, &beta);
    const nb_real divisor = s.true_form ? nb_max(alpha, NB_REAL(1e-10)) : 1;
    s.row_scale[row] = s.true_form ? 1 : alpha;
    s.diagonal[row] = r * beta / (h * h * divisor) + s.shift;
    s.constraint[row] = phi / (h * divisor);
}

__device__ inline void step_friction(const step_system &s, int contact, int row)
{
    const nb_real *u = s.model.violation + row, *f = s.lambda + row;
    const nb_real limit = s.model.friction[contact] * f[0], h = s.model.time_step;
    const bool active = limit > 0;
    nb_real w = 1;
    if (active) {
        const nb_real slip = nb_sqrt(u[1] * u[1] + u[2] * u[2]);
        const nb_real force = nb_sqrt(f[1] * f[1] + f[2] * f[2]);
        w = s.minimum ? NB(nb_minimum_friction)(slip, force, limit, s.r_friction[contact])
                      : NB(nb_fischer_friction)(slip, force, limit, s.r_friction[contact]);
    }
    for (int k = 1; k < 3; ++k) {
        s.row_scale[row + k] = active ? NB_REAL(1) : NB_REAL(0);
        s.diagonal[row + k] = w / h + s.shift;
        s.constraint[row + k] = (active ? u[k] : 0) + w * f[k];
    }
}

// A contact or, after the contacts, a limit of a joint: its rows, and their NCP functions.
STEP_APART void step_unilateral(const step_system &s, int contact)
{
    NB(nb_model) *model = step_model(s);
    const int row = 3 * (model->bilateral_blocks + contact);
    const int limit = contact - model->nonlinear->contacts.count;
    if (limit < 0)
        NB(nb_evaluate_contact)(model, contact, s.u);
    else
        NB(nb_evaluate_limit)(model, limit, s.u);
    step_normal(s, contact, row);
    step_friction(s, contact, row);
    for (int c = 0; c < 3; ++c)
        s.impulse[row + c] = s.row_scale[row + c] * model->time_step * s.lambda[row + c];
}

STEP_APART void step_element(const step_system &s, int i)
{
    NB(nb_evaluate_element)(step_model(s), i, s.u);
}

STEP_APART void step_joint(const step_system &s, int i)
{
    NB(nb_evaluate_joint)(step_model(s), i);
}

__device__ inline void step_rows(const step_system &s, const step_team &team)
{
    NB(nb_model) *model = step_model(s);
    for (int k = step_begin(s.tetrahedra, team); k < step_end(s.tetrahedra, team); k += team.threads)
        step_element(s, s.tetrahedra.index[k]);
    for (int k = step_begin(s.attachments, team); k < step_end(s.attachments, team); k += team.threads)
        NB(nb_evaluate_attachment)(model, s.attachments.index[k], s.u);
    for (int k = step_begin(s.distances, team); k < step_end(s.distances, team); k += team.threads)
        NB(nb_evaluate_distance)(model, s.distances.index[k], s.u);
    for (int k = step_begin(s.ties, team); k < step_end(s.ties, team); k += team.threads)
        NB(nb_evaluate_tie)(model, s.ties.index[k], s.u);
    for (int k = step_begin(s.joints, team); k < step_end(s.joints, team); k += team.threads)
        step_joint(s, s.joints.index[k]);
    for (int k = step_begin(s.contacts, team); k < step_end(s.contacts, team); k += team.threads)
        step_unilateral(s, s.contacts.index[k]);
}

// Bilateral rows: c/h + E/h^2 (h lambda); and J H^-1 of every row.
__device__ inline void step_bilateral(const step_system &s, const step_team &team)
{
    const NB(nb_model) &model = s.model;
    for (int k = step_begin(s.rows, team); k < step_end(s.rows, team); k += team.threads) {
        const int i = s.rows.index[k];
        for (int m = model.jacobian.start[i]; m < model.jacobian.start[i + 1]; ++m)
            NB(nb_block_multiply)(model.jacobian.value + 9 * (size_t)m,
                                  model.inverse_mass + 9 * (size_t)model.jacobian.column[m],
                                  s.weighted + 9 * (size_t)m);
        if (i >= model.bilateral_blocks)
            continue;
        const nb_real *block = model.bilateral_compliance + 9 * (size_t)i;
        nb_real force[3], yield[3];
        for (int c = 0; c < 3; ++c)
            force[c] = model.time_step * s.lambda[3 * i + c];
        NB(nb_block_apply)(block, force, yield);
        for (int c = 0; c < 3; ++c) {
            s.row_scale[3 * i + c] = 1;
            s.diagonal[3 * i + c] = block[4 * c] + s.shift;
            s.constraint[3 * i + c] = model.violation[3 * i + c] + yield[c];
            s.impulse[3 * i + c] = force[c];
        }
    }
}

// out [3] = H^-1 J^T impulse of a node.
__device__ inline void step_response(const step_system &s, int node, nb_real *out)
{
    const NB(nb_model) &model = s.model;
    nb_real sum[3] = {0, 0, 0};
    for (int k = model.node_start[node]; k < model.node_start[node + 1]; ++k) {
        const int block = model.node_block[k];
        NB(nb_block_apply_transposed_add)(model.jacobian.value + 9 * (size_t)block,
                                          s.impulse + 3 * (size_t)model.block_row[block], sum);
    }
    NB(nb_block_apply)(model.inverse_mass + 9 * (size_t)node, sum, out);
}

__device__ inline void step_defect(const step_system &s, const step_team &team)
{
    for (int k = step_begin(s.nodes, team); k < step_end(s.nodes, team); k += team.threads) {
        const size_t node = (size_t)s.nodes.index[k];
        nb_real moved[3];
        step_response(s, (int)node, moved);
        for (size_t i = 3 * node; i < 3 * node + 3; ++i)
            s.defect[i] = s.u[i] - s.model.free_velocity[i] - moved[i - 3 * node];
    }
}

// One 3x3 block of A = L J H^-1 J^T L, without C.
__device__ inline void step_block(const step_system &s, int entry, int i, int j, nb_real *out)
{
    const bool mirrored = s.source[entry] < 0;
    const int block = mirrored ? ~s.source[entry] : s.source[entry];
    const nb_real *left = s.row_scale + 3 * (size_t)(mirrored ? j : i);
    const nb_real *right = s.row_scale + 3 * (size_t)(mirrored ? i : j);
    nb_real sum[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (int m = s.product_start[block]; m < s.product_start[block + 1]; ++m)
        NB(nb_block_add_product)(s.weighted + 9 * (size_t)s.product[2 * m],
                                 s.model.jacobian.value + 9 * (size_t)s.product[2 * m + 1], sum);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            out[mirrored ? 3 * c + r : 3 * r + c] = left[r] * sum[3 * r + c] * right[c];
}

// P^-1 and D^-1 of a row from its diagonal block of A. False where it has no inverse.
__device__ inline bool step_precondition(const step_system &s, int row, const nb_real *block)
{
    nb_real *inverse = const_cast<nb_real *>(s.linear.inverse);
    nb_real *weight = const_cast<nb_real *>(s.linear.weight) + 3 * (size_t)row;
    bool positive = true;
    for (int c = 0; c < 3; ++c)
        weight[c] = 1 / block[4 * c];
    if (s.linear.wide)
        return NB(nb_block_invert_spd)(block, inverse + 9 * (size_t)row) != 0;
    for (int c = 0; c < 3; ++c) {
        positive = positive && block[4 * c] > 0;
        inverse[3 * (size_t)row + c] = weight[c];
    }
    return positive;
}

// C [9] of block row i.
__device__ inline void step_compliance(const step_system &s, int i, nb_real *out)
{
    for (int k = 0; k < 9; ++k)
        out[k] = k % 4 == 0                      ? s.diagonal[3 * (size_t)i + k / 4]
                 : i < s.model.bilateral_blocks ? s.model.bilateral_compliance[9 * (size_t)i + k]
                                                : 0;
}

// Block `entry` of A, or of L J, as it is kept.
__device__ inline void step_store(const step_system &s, int entry, const nb_real *block)
{
    const void *const value = s.linear.value;
    for (size_t k = 0, at = 9 * (size_t)entry; k < 9; ++k)
        if (s.linear.storage == STORED_AS_IS)
            ((nb_real *)value)[at + k] = block[k];
        else
            ((unsigned short *)value)[at + k] = half_narrow((float)block[k], s.linear.storage);
}

__device__ inline void step_matrix(const step_system &s, const step_team &team)
{
    const int first = s.rows.start[team.part], last = s.rows.start[team.part + 1];
    const int end = s.linear.start[last];
    for (int e = s.linear.start[first] + team.thread; e < end; e += team.threads) {
        const int row = s.entry_row[e], i = s.rows.index[row];
        const int column = first + s.linear.column[e], j = s.rows.index[column];
        nb_real block[9], own[9];
        step_block(s, e, i, j, block);
        if (row == column) {
            step_compliance(s, i, own);
            for (int k = 0; k < 9; ++k)
                block[k] += own[k];
            if (!step_precondition(s, row, block))
                s.results[team.part].failure = STEP_DIAGONAL;
        }
        step_store(s, e, block);
    }
}

// C and P^-1 of one row where A is not assembled.
__device__ inline bool step_factored_row(const step_system &s, int row)
{
    const NB(nb_model) &model = s.model;
    const int i = s.rows.index[row];
    const nb_real *scale = s.row_scale + 3 * (size_t)i;
    nb_real *compliance = const_cast<nb_real *>(s.linear.factors.compliance) + 9 * (size_t)row;
    nb_real block[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (int m = model.jacobian.start[i]; m < model.jacobian.start[i + 1]; ++m)
        NB(nb_block_add_product)(s.weighted + 9 * (size_t)m, model.jacobian.value + 9 * (size_t)m, block);
    step_compliance(s, i, compliance);
    for (int k = 0; k < 9; ++k)
        block[k] = scale[k / 3] * block[k] * scale[k % 3] + compliance[k];
    return step_precondition(s, row, block);
}

// L J, C and P^-1.
__device__ inline void step_factors(const step_system &s, const step_team &team)
{
    const int first = s.rows.start[team.part], last = s.rows.start[team.part + 1];
    const int end = s.linear.start[last];
    for (int e = s.linear.start[first] + team.thread; e < end; e += team.threads) {
        const nb_real *scale = s.row_scale + 3 * (size_t)s.rows.index[s.entry_row[e]];
        const nb_matrix *block = s.model.jacobian.value + 9 * (size_t)s.source[e];
        nb_real scaled[9];
        for (int k = 0; k < 9; ++k)
            scaled[k] = scale[k / 3] * block[k];
        step_store(s, e, scaled);
    }
    for (int row = first + team.thread; row < last; row += team.threads)
        if (!step_factored_row(s, row))
            s.results[team.part].failure = STEP_DIAGONAL;
}

__device__ inline void step_right_side(const step_system &s, const step_team &team)
{
    const NB(nb_model) &model = s.model;
    nb_real *b = const_cast<nb_real *>(s.linear.b);
    for (int k = step_begin(s.rows, team); k < step_end(s.rows, team); k += team.threads) {
        const int i = s.rows.index[k];
        nb_real sum[3] = {0, 0, 0};
        for (int m = model.jacobian.start[i]; m < model.jacobian.start[i + 1]; ++m)
            NB(nb_block_apply_add)(model.jacobian.value + 9 * (size_t)m,
                                   s.defect + 3 * (size_t)model.jacobian.column[m], sum);
        for (int c = 0; c < 3; ++c) {
            b[3 * k + c] = s.row_scale[3 * i + c] * sum[c] - s.constraint[3 * i + c];
            s.linear.x[3 * k + c] = 0;
        }
    }
}

__device__ inline void step_impulse(const step_system &s, const step_team &team, nb_real t)
{
    const nb_real force_step = t / s.model.time_step;
    for (int k = step_begin(s.rows, team); k < step_end(s.rows, team); k += team.threads) {
        const int i = s.rows.index[k];
        for (int c = 0; c < 3; ++c) {
            const nb_real x = s.linear.x[3 * k + c];
            s.impulse[3 * i + c] = s.row_scale[3 * i + c] * x;
            s.lambda[3 * i + c] += force_step * x;
        }
    }
}

__device__ inline void step_velocity(const step_system &s, const step_team &team, nb_real t)
{
    for (int k = step_begin(s.nodes, team); k < step_end(s.nodes, team); k += team.threads) {
        const size_t node = (size_t)s.nodes.index[k];
        nb_real moved[3];
        step_response(s, (int)node, moved);
        for (size_t i = 3 * node; i < 3 * node + 3; ++i)
            s.u[i] += t * (moved[i - 3 * node] - s.defect[i]);
    }
}

} // namespace

#endif
