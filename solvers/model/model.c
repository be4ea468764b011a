/* What all kinds of step share: storage, J^T, H^-1 J^T and the conversion of unknowns. */
#include "solvers/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/block/block3.h"
#include "solvers/sparse/factor.h"

enum { PARALLEL_NODES = 4000 };

static void set_sizes(struct nb_model *model, const struct nb_problem *problem)
{
    model->problem = problem;
    model->contacts = nb_problem_contacts(problem);
    model->bilaterals = nb_problem_bilaterals(problem);
    model->dofs = nb_problem_dofs(problem);
    model->bilateral_blocks = (model->bilaterals + 2) / 3;
    if (problem->form == NB_NONLINEAR)
        model->bilateral_blocks = nb_bilateral_block_count(problem, model->axis_rows);
    model->blocks = model->bilateral_blocks + model->contacts;
    model->pads = nb_problem_soft_contacts(problem);
    model->nodes = problem->form == NB_LINEAR_LOCAL ? model->blocks : (model->dofs + 2) / 3 + model->pads;
    model->particles = problem->form == NB_NONLINEAR ? problem->particles.count + model->pads : 0;
    model->constant = problem->form != NB_NONLINEAR;
    model->inertia_kind = problem->form == NB_LINEAR_LOCAL ? NB_INERTIA_DELASSUS
                                                           : NB_INERTIA_BLOCKS;
    model->time_step = (nb_real)problem->time_step;
}

/* Of a linear step M as given and f are kept, of a nonlinear one the units of its multipliers. */
static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_model *model = data;
    const struct nb_csr *mass = &model->problem->linear.mass;
    const size_t nodes = (size_t)model->nodes, rows = 3 * (size_t)model->blocks;
    NB_ARRAY(arena, model->inverse_mass, 9 * nodes);
    NB_ARRAY(arena, model->inverse_root, 9 * nodes);
    NB_ARRAY(arena, model->free_velocity, 3 * nodes);
    NB_ARRAY(arena, model->node_start, nodes + 2);
    NB_ARRAY(arena, model->particle_mass, model->particles);
    NB_ARRAY(arena, model->mass_ratio, 3 * (size_t)model->particles);
    NB_ARRAY(arena, model->friction, model->contacts);
    NB_ARRAY(arena, model->bilateral_compliance, 9 * (size_t)model->bilateral_blocks);
    NB_ARRAY(arena, model->is_axis, model->bilateral_blocks);
    NB_ARRAY(arena, model->bilateral_entry, model->bilaterals);
    NB_ARRAY(arena, model->violation, rows);
    if (model->problem->form == NB_NONLINEAR)
        NB_ARRAY(arena, model->multiplier_unit, model->bilaterals);
    else
        NB_ARRAY(arena, model->offset, rows);
    if (model->problem->form != NB_LINEAR_GLOBAL)
        return;
    NB_ARRAY(arena, model->mass_values, mass->start[mass->rows]);
    NB_ARRAY(arena, model->force, 3 * nodes);
}

/* Column by column from the largest pivot left, so that what rounding leaves of a pivot that should vanish
 * is no larger than the rounding of a: it is dropped. Column p belongs to pivot p: a diagonal a has a
 * diagonal root. */
static void root_of_block(const nb_real *a, nb_real *root)
{
    double left[9];
    int done[3] = {0, 0, 0};
    for (int k = 0; k < 9; ++k)
        left[k] = (double)a[k];
    for (int step = 0; step < 3; ++step) {
        int p = -1;
        for (int k = 0; k < 3; ++k)
            if (!done[k] && (p < 0 || left[4 * k] > left[4 * p]))
                p = k;
        const double pivot = left[4 * p] > 0 ? sqrt(left[4 * p]) : 0;
        double column[3] = {0, 0, 0};
        for (int r = 0; r < 3; ++r)
            if (!done[r] && pivot > 0)
                column[r] = left[3 * r + p] / pivot;
        for (int r = 0; r < 3; ++r) {
            root[3 * r + p] = (nb_real)column[r];
            for (int c = 0; c < 3; ++c)
                left[3 * r + c] -= column[r] * column[c];
        }
        done[p] = 1;
    }
}

static void find_roots(struct nb_model *model)
{
    for (size_t node = 0; node < (size_t)model->nodes; ++node)
        root_of_block(model->inverse_mass + 9 * node, model->inverse_root + 9 * node);
}

/* The transpose of the Jacobian's pattern: which blocks meet each node, in block-row order. */
static enum nb_status transpose_pattern(struct nb_model *model, struct nb_error *error)
{
    const struct nb_bsr *jacobian = &model->jacobian;
    const size_t blocks = (size_t)jacobian->start[jacobian->rows];
    model->node_block = malloc((blocks + 1) * sizeof *model->node_block);
    model->block_row = malloc((blocks + 1) * sizeof *model->block_row);
    if (!model->node_block || !model->block_row)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the Jacobian's transpose");
    int *next = model->node_start + 1; /* shifted, so that filling turns counts into starts */
    for (size_t k = 0; k < blocks; ++k)
        next[jacobian->column[k] + 1]++;
    for (int i = 0; i < model->nodes; ++i)
        next[i + 1] += next[i];
    for (int i = 0; i < jacobian->rows; ++i)
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
            model->node_block[next[jacobian->column[k]]++] = k;
            model->block_row[k] = i;
        }
    return NB_OK;
}

enum nb_status nb_model_create(struct nb_model **out, const struct nb_problem *problem,
                               int threads, struct nb_error *error)
{
    static const struct nb_elasticity complete;
    return nb_model_create_with(out, problem, &complete, threads, error);
}

enum nb_status nb_model_create_with(struct nb_model **out, const struct nb_problem *problem,
                                    const struct nb_elasticity *elasticity, int threads,
                                    struct nb_error *error)
{
    struct nb_model *model = calloc(1, sizeof *model);
    *out = NULL;
    if (!model)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a step");
    model->axis_rows = !elasticity->no_axis_rows;
    model->diagonal_compliance = elasticity->diagonal_compliance;
    model->from_last_step = elasticity->from_last_step;
    model->absolute_shift = elasticity->absolute_shift;
    set_sizes(model, problem);
    model->threads = threads;
    model->memory = nb_arena_allocate(lay_out, model);
    enum nb_status status = NB_OK;
    if (!model->memory)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a step of %d block rows", model->blocks);
    if (!status)
        status = problem->form == NB_NONLINEAR ? nb_nonlinear_create(model, error)
                                               : nb_linear_step_create(model, error);
    if (!status)
        status = transpose_pattern(model, error);
    if (status) {
        nb_model_free(model);
        return status;
    }
    find_roots(model);
    *out = model;
    return NB_OK;
}

void nb_model_free(struct nb_model *model)
{
    if (!model)
        return;
    nb_bsr_free(&model->jacobian);
    nb_bsr_free(&model->delassus);
    nb_bsr_free(&model->delassus_as_given);
    nb_factor_free(model->factor);
    nb_block_sets_free(&model->components);
    nb_block_sets_free(&model->touched);
    nb_nonlinear_free(model->nonlinear);
    free(model->node_block);
    free(model->block_row);
    free(model->memory);
    free(model);
}

void nb_model_evaluate(struct nb_model *model, const nb_real *u)
{
    if (!model->constant) {
        nb_nonlinear_evaluate(model, u);
        return;
    }
    nb_bsr_multiply(&model->jacobian, u, model->violation, model->threads);
    for (int i = 0; i < 3 * model->blocks; ++i)
        model->violation[i] += model->offset[i];
}

void nb_model_add_compliance(const struct nb_model *model, const nb_real *impulse, nb_real *out)
{
    for (size_t i = 0; i < (size_t)model->bilateral_blocks; ++i) {
        nb_real sum[3];
        nb_block_apply(model->bilateral_compliance + 9 * i, impulse + 3 * i, sum);
        for (size_t r = 0; r < 3; ++r)
            out[3 * i + r] += sum[r];
    }
}

void nb_model_curvature(const struct nb_model *model, const nb_real *u,
                        const nb_real *impulse, const int *pair_start, nb_real *slope,
                        nb_real *pairs)
{
    const struct nb_bsr *jacobian = &model->jacobian;
    for (int k = 0; k < 9 * jacobian->start[jacobian->rows]; ++k)
        slope[k] = (nb_real)jacobian->value[k];
    memset(pairs, 0, 9 * (size_t)pair_start[model->bilateral_blocks] * sizeof *pairs);
    nb_nonlinear_curvature(model, u, impulse, pair_start, slope, pairs);
}

void nb_model_contact_pairs(const struct nb_model *model, int i, const nb_real *u, const nb_real *impulse,
                            nb_real *pairs)
{
    const int nodes = model->jacobian.start[i + 1] - model->jacobian.start[i];
    memset(pairs, 0, 9 * (size_t)(nodes * nodes) * sizeof *pairs);
    nb_nonlinear_contact_pairs(model, i, u, impulse + 3 * (size_t)i, pairs);
}

static void gather_node(const struct nb_model *model, const nb_real *impulse, int node, nb_real *momentum)
{
    nb_real sum[3] = {0, 0, 0};
    for (int k = model->node_start[node]; k < model->node_start[node + 1]; ++k) {
        const int block = model->node_block[k];
        nb_block_apply_transposed_add(model->jacobian.value + 9 * (size_t)block,
                                      impulse + 3 * (size_t)model->block_row[block], sum);
    }
    memcpy(momentum + 3 * (size_t)node, sum, sizeof sum);
}

void nb_model_gather(const struct nb_model *model, const nb_real *impulse, nb_real *momentum)
{
    /* Even an inactive parallel region costs as much as a small step. */
    if (model->threads <= 1 || model->nodes <= PARALLEL_NODES) {
        for (int node = 0; node < model->nodes; ++node)
            gather_node(model, impulse, node, momentum);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(model->threads)
    for (int node = 0; node < model->nodes; ++node)
        gather_node(model, impulse, node, momentum);
}

enum nb_status nb_model_solve_mass(const struct nb_model *model, const nb_real *momentum,
                                   nb_real *velocity, struct nb_error *error)
{
    if (model->inertia_kind == NB_INERTIA_BLOCKS) {
        for (int i = 0; i < model->nodes; ++i) {
            nb_real p[3];
            memcpy(p, momentum + 3 * (size_t)i, sizeof p);
            nb_block_apply(model->inverse_mass + 9 * (size_t)i, p, velocity + 3 * (size_t)i);
        }
        return NB_OK;
    }
    const void *b = momentum;
    void *x = velocity;
    return sizeof(nb_real) == sizeof(float) ? nb_factor_solve_single(model->factor, b, x, error)
                                            : nb_factor_solve(model->factor, b, x, error);
}

void nb_model_response(const struct nb_model *model, const nb_real *impulse,
                       nb_real *momentum, nb_real *velocity)
{
    if (model->inertia_kind == NB_INERTIA_DELASSUS) {
        nb_bsr_multiply(&model->delassus, impulse, velocity, model->threads);
        return;
    }
    nb_model_gather(model, impulse, momentum);
    nb_model_solve_mass(model, momentum, velocity, NULL);
}

/* H^-1 (M u - f - J^T impulse) with M as given. */
static void global_defect(const struct nb_model *model, const nb_real *u,
                          const nb_real *impulse, nb_real *momentum, nb_real *defect)
{
    const struct nb_csr *mass = &model->problem->linear.mass;
    nb_model_gather(model, impulse, momentum);
    for (int i = 0; i < mass->rows; ++i) {
        nb_sum sum = 0;
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            sum += (nb_sum)(model->mass_values[k] * u[mass->column[k]]);
        momentum[i] = ((nb_real)sum - model->force[i]) - momentum[i];
    }
    nb_model_solve_mass(model, momentum, defect, NULL);
}

void nb_model_defect(const struct nb_model *model, const nb_real *u,
                     const nb_real *impulse, nb_real *momentum, nb_real *defect)
{
    if (model->mass_values) {
        global_defect(model, u, impulse, momentum, defect);
        return;
    }
    if (model->inertia_kind == NB_INERTIA_DELASSUS)
        nb_bsr_multiply(&model->delassus_as_given, impulse, defect, model->threads);
    else
        nb_model_response(model, impulse, momentum, defect);
    const size_t end = 3 * (size_t)model->nodes, first = end - 3 * (size_t)model->particles;
    for (size_t i = 0; i < first && model->body_ratio; i += 3) {
        nb_real moved[3], own[3];
        for (size_t r = 0; r < 3; ++r)
            moved[r] = u[i + r] - model->free_velocity[i + r];
        nb_block_apply(model->body_ratio + 3 * i, moved, own);
        for (size_t r = 0; r < 3; ++r)
            defect[i + r] = own[r] - defect[i + r];
    }
    for (size_t i = 0; i < first && !model->body_ratio; ++i)
        defect[i] = (u[i] - model->free_velocity[i]) - defect[i];
    for (size_t i = first; i < end; ++i)
        defect[i] = model->mass_ratio[i - first] * (u[i] - model->free_velocity[i]) - defect[i];
}

void nb_correct(int most, nb_real (*take_defect)(void *), nb_real (*subtract_defect)(void *), void *context)
{
    nb_real before = 0;
    for (int k = 0; k < most; ++k) {
        const nb_real norm = take_defect(context);
        if (k > 0 && !(norm < before / 2))
            return;
        const nb_real size = subtract_defect(context);
        if (k > 0 && norm <= NB_REAL(NB_UNIT_ROUNDOFF) * size * (before / norm))
            return;
        before = norm;
    }
}

struct correction {
    const struct nb_model *model;
    const nb_real *impulse;
    nb_real *momentum, *defect, *u;
};

static nb_real take_defect(void *context)
{
    const struct correction *self = context;
    const struct nb_model *model = self->model;
    nb_model_defect(model, self->u, self->impulse, self->momentum, self->defect);
    return nb_norm(3 * (size_t)model->nodes, self->defect, model->threads);
}

static nb_real subtract_defect(void *context)
{
    const struct correction *self = context;
    const size_t nodes = 3 * (size_t)self->model->nodes;
    for (size_t i = 0; i < nodes; ++i)
        self->u[i] -= self->defect[i];
    return nb_norm(nodes, self->u, self->model->threads);
}

/* The factor of a general M may be of its symmetric part. */
void nb_model_correct(const struct nb_model *model, const nb_real *impulse,
                      nb_real *momentum, nb_real *defect, nb_real *u)
{
    struct correction self = {model, impulse, momentum, defect, u};
    nb_correct(model->mass_values ? NB_CORRECTIONS : 1, take_defect, subtract_defect, &self);
}

void nb_model_respond(const struct nb_model *model, const nb_real *impulse,
                      nb_real *momentum, nb_real *defect, nb_real *u)
{
    memset(u, 0, 3 * (size_t)model->nodes * sizeof *u);
    nb_model_correct(model, impulse, momentum, defect, u);
}

void nb_model_clear_axes(const struct nb_model *model, nb_real *impulse)
{
    for (size_t i = 0; i < (size_t)model->bilateral_blocks; ++i)
        if (model->is_axis[i])
            memset(impulse + 3 * i, 0, 3 * sizeof *impulse);
}

void nb_model_set_inertia(struct nb_model *model, size_t i, nb_real inertia)
{
    const size_t entry = 9 * (i / 3) + 4 * (i % 3);
    const size_t particle = i / 3 - (size_t)(model->nodes - model->particles);
    model->inverse_mass[entry] = 1 / inertia;
    model->inverse_root[entry] = nb_sqrt(1 / inertia);
    model->mass_ratio[3 * particle + i % 3] = model->particle_mass[particle] / inertia;
}

void nb_model_set_block(struct nb_model *model, size_t node, const nb_real *mass, const nb_real *shift,
                        nb_real *ratio)
{
    nb_real block[9], inverse[9];
    for (size_t k = 0; k < 9; ++k)
        block[k] = mass[k] + (k % 4 == 0 ? shift[k / 4] : 0);
    if (!nb_block_invert_spd(block, inverse))
        return;
    memcpy(model->inverse_mass + 9 * node, inverse, sizeof inverse);
    root_of_block(inverse, model->inverse_root + 9 * node);
    nb_block_times(inverse, mass, ratio);
}

void nb_model_reset_inertia(struct nb_model *model)
{
    const size_t first = (size_t)(model->nodes - model->particles);
    for (size_t i = 0; i < 3 * (size_t)model->particles; ++i)
        nb_model_set_inertia(model, 3 * first + i, model->particle_mass[i / 3]);
}
