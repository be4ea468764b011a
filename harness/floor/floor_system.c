/* The whole Newton system (53) of Macklin et al. 2019 at a given point, in double:
 *
 *     A = [ M   -(L J)^T ]      x = (u, h lambda),    b = (f; the constant part of the rows)
 *         [ L J     C    ]
 *
 *     contacts  as floor_system.c has them
 *     bilateral L = 1, C = E/h^2;  of a tetrahedron L = l = (6 V)^(1/3), C = l^2 E/h^2 in blocks of
 *               3 x 3 or 6 x 6, and h lambda / l for h lambda, as solvers have them
 *
 * and for a local problem, whose velocities are unknowns beside the forces,
 *
 *     A = [ I  -W L ]   x = ([U; bilateral velocity], p),  p with the bilateral rows first.
 *         [ L    C  ] */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/floor/floor.h"
#include "harness/floor/floor_private.h"
#include "problems/base/arena.h"
#include "solvers/precision/f64.h"
#include "solvers/strategy.h"

/* The contact rows of the Newton system (53) at x*, by the NCP function and the scaling of the run:
 *
 *     normal    scaled: L = alpha, C = r beta / h^2            residual phi / h
 *               true:   L = 1,     C = r beta / (alpha h^2)    residual phi / (alpha h)
 *     friction  L = 1, C = Gamma / h where mu lambda_n > 0;  L = 0, C = 1 / h elsewhere
 *
 * with phi, alpha = dphi/da and beta = dphi/db at (C_n, r lambda_n). They are those of the registry's rows
 * in float64, whatever the run's precision, so that a new NCP function or scaling has its floors: a floor says
 * what rounding does to the system that the run solves. What the floor is compared with, the errors, the judge
 * computes by its own code. */

/* Below this the true form divides by it instead (docs/theory/design.md, section 1). */
static const double smallest_alpha = 1e-10;

struct contact_terms {
    const struct NB(nb_ncp) *ncp;
    int true_form;
    double largest_force;           /* the largest component of a contact force [N] */
    double *r_normal, *r_friction;  /* [contacts], the scaling's [m/N], [m/(s N)] */
};

static void normal_row(struct nb_floor_system *system, const struct nb_judge *judge,
                       const struct contact_terms *terms, int i)
{
    const double h = judge->time_step, r = terms->r_normal[i];
    const double b = r * judge->impulse[3 * i] / h;
    const int row = system->bilaterals + 3 * i, at = system->dofs + row;
    double phi, alpha, beta;
    terms->ncp->normal(1, &judge->gap[i], &b, &phi, &alpha, &beta);
    const double divisor = terms->true_form ? fmax(alpha, smallest_alpha) : 1;
    system->divisor[row] = 1;
    system->row_scale[row] = terms->true_form ? 1 : alpha;
    system->compliance[row] = r * beta / (divisor * h * h) +
                              nb_judge_softness(judge, i, 0) * system->row_scale[row] * system->row_scale[row];
    system->residual[at] = phi / (divisor * h);
    system->constant[at] =
        system->row_scale[row] * (system->form == NB_NONLINEAR ? judge->gap_terms[i] / h
                                                               : judge->constant[3 * i]);
}

static void friction_rows(struct nb_floor_system *system, const struct nb_judge *judge,
                          const struct contact_terms *terms, int i)
{
    const double h = judge->time_step, *velocity = judge->velocity + 3 * i;
    const double *impulse = judge->impulse + 3 * i;
    const double slip = hypot(velocity[1], velocity[2]), force = hypot(impulse[1], impulse[2]) / h;
    const double limit = judge->friction[i] * impulse[0] / h;
    const int active = limit > DBL_EPSILON * terms->largest_force; /* below: zero but for rounding */
    double gamma = 1;
    if (active)
        terms->ncp->friction(1, &slip, &force, &limit, &terms->r_friction[i], &gamma);
    for (int k = 1; k < 3; ++k) {
        const int row = system->bilaterals + 3 * i + k, at = system->dofs + row;
        system->row_scale[row] = active;
        system->compliance[row] = gamma / h + active * nb_judge_softness(judge, i, k);
        system->divisor[row] = fmax(1, gamma);
        system->residual[at] = active * velocity[k] + gamma / h * impulse[k];
        system->constant[at] = active * judge->constant[3 * i + k];
    }
}

/* What is not known in float64, as a plugin for float32 alone, has no floor. */
static enum nb_status find_strategies(const struct nb_options *options, struct contact_terms *terms,
                                      const struct NB(nb_scaling) **scaling, struct nb_error *error)
{
    terms->ncp = NB(nb_find_ncp)(options->ncp);
    *scaling = NB(nb_find_scaling)(options->scaling);
    terms->true_form = strcmp(options->newton_form, "true") == 0;
    if (!terms->ncp)
        return nb_fail(error, NB_UNSUPPORTED, "no accuracy floor: no NCP function %s in float64", options->ncp);
    if (!*scaling)
        return nb_fail(error, NB_UNSUPPORTED, "no accuracy floor: no scaling %s in float64", options->scaling);
    if (!terms->true_form && strcmp(options->newton_form, "scaled") != 0)
        return nb_fail(error, NB_UNSUPPORTED, "accuracy floors know the Newton forms scaled and true, not %s",
                       options->newton_form);
    return NB_OK;
}

/* r of the scaling into terms, whose r_normal owns the memory. */
static enum nb_status find_scaling(const struct nb_judge *judge, const struct NB(nb_scaling) *scaling,
                                   struct contact_terms *terms, struct nb_error *error)
{
    const size_t contacts = (size_t)judge->contacts;
    enum nb_status status = NB_OK;
    terms->r_normal = calloc(5 * contacts + 1, sizeof *terms->r_normal);
    if (!terms->r_normal)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the scaling of %d contacts", judge->contacts);
    terms->r_friction = terms->r_normal + contacts;
    double *diagonal = terms->r_friction + contacts;
    memcpy(diagonal, judge->diagonal, 3 * contacts * sizeof *diagonal);
    if (scaling->refine)
        status = scaling->refine(judge->problem, diagonal, error);
    const struct NB(nb_scaling_input) input = {contacts, judge->time_step, diagonal};
    if (!status)
        scaling->compute(&input, terms->r_normal, terms->r_friction);
    return status;
}

/* The contact rows of row_scale, compliance, divisor, residual and constant. judge: updated to x*. NB_UNSUPPORTED
 * where the NCP function or the scaling has no row in float64. */
static enum nb_status floor_fill_contacts(struct nb_floor_system *system, const struct nb_judge *judge,
                                          const struct nb_options *options, struct nb_error *error)
{
    const struct NB(nb_scaling) *scaling;
    struct contact_terms terms = {0};
    enum nb_status status = find_strategies(options, &terms, &scaling, error);
    status = status ? status : find_scaling(judge, scaling, &terms, error);
    if (status) {
        free(terms.r_normal);
        return status;
    }
    for (int i = 0; i < 3 * judge->contacts; ++i)
        terms.largest_force = fmax(terms.largest_force, judge->impulse[i] / judge->time_step);
    for (int i = 0; i < judge->contacts; ++i) {
        normal_row(system, judge, &terms, i);
        friction_rows(system, judge, &terms, i);
    }
    free(terms.r_normal);
    return NB_OK;
}

int nb_floor_velocity_index(const struct nb_floor_system *system, int i)
{
    return i < system->bilaterals ? system->rows - system->bilaterals + i
                                  : i - system->bilaterals;
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_floor_system *system = data;
    NB_ARRAYS(arena, system->rows, system->row_scale, system->compliance, system->divisor, system->velocity_terms,
              system->exact);
    NB_ARRAYS(arena, system->size, system->solution, system->constant, system->residual, system->step_scale,
              system->left, system->right);
}

/* The forces of x* obey Coulomb's law; those of the best known solution do so but for rounding,
 * and Gamma of a force of rounding size outside its cone has no meaning. So x* is clipped first. */
static void clip_to_cone(struct nb_judge *judge, int i)
{
    double *impulse = judge->impulse + 3 * i;
    const double force = hypot(impulse[1], impulse[2]);
    if (impulse[0] < 0)
        impulse[0] = 0;
    const double limit = judge->friction[i] * impulse[0];
    for (int k = 1; k < 3 && force > limit; ++k)
        impulse[k] *= limit / force;
}

/* The point x*: its velocities, its clipped forces, and what the velocities of a linear step are made up of. */
static enum nb_status read_point(struct nb_floor_system *system, struct nb_judge *judge, const double *u,
                                 const double *lambda, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    double *terms = calloc((size_t)system->rows + 1, sizeof *terms);
    if (!terms)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the terms of %d rows", system->rows);
    nb_judge_update(judge, u, lambda);
    for (int i = 0; i < judge->contacts; ++i)
        clip_to_cone(judge, i);
    if (system->form == NB_LINEAR_GLOBAL)
        status = nb_floor_velocity_terms(judge, terms, error);
    for (int i = 0; i < system->rows; ++i)
        system->velocity_terms[i] = terms[nb_floor_velocity_index(system, i)];
    free(terms);
    return status;
}

/* The next tetrahedron of a nonlinear step: its block of C and its rows, from *row on. */
static const double *next_block(const struct nb_judge *judge, int i, int *row, int *rows)
{
    const struct nb_tetrahedra *tetrahedra = &judge->problem->tetrahedra;
    *row = i == 0 ? judge->first_strain : *row + *rows;
    *rows = nb_tetrahedron_rows((enum nb_material)tetrahedra->material[i]);
    return judge->element_compliance + 36 * i;
}

/* A run sums in another order, where as much may round several times: where a fourth of the sizes rounds, all counts.
 * Limits of joints, the last contacts, have angles, which always round. */
static void find_exact(struct nb_floor_system *system, const struct nb_judge *judge, const double *u)
{
    for (int i = 0; system->form == NB_NONLINEAR && i < judge->problem->contacts.count; ++i) {
        const int row = system->bilaterals + 3 * i;
        const double terms = judge->gap_terms[i], rounds = 4 * nb_floor_gap_roundings(judge, u, i) / 0x1p-53;
        system->exact[row] = system->row_scale[row] / judge->time_step * fmax(0, terms - rounds);
    }
}

static enum nb_status fill_vectors(struct nb_floor_system *system, struct nb_judge *judge,
                                   const struct nb_options *options, const double *u, struct nb_error *error)
{
    const int contact_rows = 3 * judge->contacts;
    for (int i = 0; i < system->dofs; ++i) {
        system->solution[i] = u[i];
        system->constant[i] = judge->force          ? judge->force[i]
                              : i < contact_rows ? judge->constant[i]
                                                 : judge->bilateral_constant[i - contact_rows];
    }
    for (int i = 0; i < contact_rows; ++i)
        system->mean_diagonal += judge->diagonal[i] / contact_rows;
    for (int i = 0; i < contact_rows; ++i)
        system->solution[system->dofs + system->bilaterals + i] = judge->impulse[i];
    for (int i = 0; i < system->bilaterals; ++i) {
        const double length = i < judge->first_strain ? 1 : judge->row_length[i];
        system->solution[system->dofs + i] = judge->impulse[contact_rows + i] / length;
        system->row_scale[i] = length;
        system->divisor[i] = 1;
        system->residual[system->dofs + i] = length * judge->velocity[contact_rows + i];
        system->compliance[i] = judge->bilateral_compliance ? judge->bilateral_compliance[i] : 0;
        if (judge->force)
            system->constant[system->dofs + i] = system->form == NB_NONLINEAR
                                                     ? length * judge->bilateral_terms[i] /
                                                           judge->time_step
                                                     : judge->bilateral_constant[i];
    }
    for (int i = 0, row = 0, rows = 0; i < judge->problem->tetrahedra.count; ++i) {
        const double *block = next_block(judge, i, &row, &rows);
        for (int k = 0; k < rows; ++k)
            system->compliance[row + k] = pow(judge->row_length[row], 2) * block[rows * k + k];
    }
    const enum nb_status status = floor_fill_contacts(system, judge, options, error);
    find_exact(system, judge, u);
    /* A local problem holds q in its velocity rows. */
    if (!judge->force)
        memset(system->constant + system->dofs, 0,
               (size_t)system->rows * sizeof *system->constant);
    return status;
}

/* -(L J)^T above the diagonal and L J below it, J's first row being constraint row `first`. */
static void add_coupling(const struct nb_floor_system *system, const struct nb_csr *jacobian,
                         int first, struct nb_triplets *list)
{
    for (int i = 0; jacobian && i < jacobian->rows; ++i) {
        for (int k = jacobian->start[i]; k < jacobian->start[i + 1]; ++k) {
            const double value = system->row_scale[first + i] * jacobian->value[k];
            nb_triplets_add(list, jacobian->column[k], system->dofs + first + i, -value);
            nb_triplets_add(list, system->dofs + first + i, jacobian->column[k], value);
        }
    }
}

/* What C has beside its diagonal. */
static void add_blocks(const struct nb_floor_system *system, const struct nb_judge *judge,
                       struct nb_triplets *list)
{
    for (int i = 0, row = 0, rows = 0; i < judge->problem->tetrahedra.count; ++i) {
        const double *block = next_block(judge, i, &row, &rows);
        for (int k = 0; k < rows * rows; ++k)
            if (k / rows != k % rows)
                nb_triplets_add(list, system->dofs + row + k / rows, system->dofs + row + k % rows,
                                system->row_scale[row] * system->row_scale[row] * block[k]);
    }
}

static void add_global(const struct nb_floor_system *system, const struct nb_judge *judge,
                       struct nb_triplets *list)
{
    const struct nb_csr *mass = judge->mass;
    for (int i = 0; i < mass->rows; ++i)
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            nb_triplets_add(list, i, mass->column[k], mass->value[k]);
    add_coupling(system, judge->bilateral, 0, list);
    add_coupling(system, judge->jacobian, system->bilaterals, list);
    add_blocks(system, judge, list);
}

static void add_local(const struct nb_floor_system *system, const struct nb_csr *delassus,
                      struct nb_triplets *list)
{
    const int contact_rows = system->rows - system->bilaterals;
    for (int i = 0; i < system->rows; ++i) {
        nb_triplets_add(list, i, i, 1);
        for (int k = delassus->start[i]; k < delassus->start[i + 1]; ++k) {
            const int c = delassus->column[k];
            const int p = c < contact_rows ? system->bilaterals + c : c - contact_rows;
            nb_triplets_add(list, i, system->dofs + p, -delassus->value[k] * system->row_scale[p]);
        }
        nb_triplets_add(list, system->dofs + i, nb_floor_velocity_index(system, i), system->row_scale[i]);
    }
}

static enum nb_status assemble(struct nb_floor_system *system, const struct nb_judge *judge,
                               struct nb_error *error)
{
    struct nb_triplets list = {0};
    if (system->form == NB_LINEAR_LOCAL)
        add_local(system, &judge->problem->linear.delassus, &list);
    else
        add_global(system, judge, &list);
    for (int i = 0; i < system->rows; ++i)
        nb_triplets_add(&list, system->dofs + i, system->dofs + i, system->compliance[i]);
    return nb_csr_take_triplets(&system->matrix, system->size, system->size, &list, error);
}

static double root_or_one(double square)
{
    return square > 0 ? sqrt(square) : 1;
}

/* Constraint rows are measured by their Schur diagonal, velocities by their mass. */
static enum nb_status equilibrate(struct nb_floor_system *system, const struct nb_judge *judge,
                                  struct nb_error *error)
{
    const struct nb_csr *base = judge->mass ? judge->mass : &judge->problem->linear.delassus;
    for (int i = 0; i < system->dofs; ++i) {
        system->left[i] = 1 / root_or_one(nb_csr_diagonal(base, i));
        system->right[i] = judge->mass ? system->left[i] : 1 / system->left[i];
    }
    double *tail = system->left + system->dofs;
    if (judge->bilateral) {
        enum nb_status status = nb_mass_factor_diagonal(judge->factor, judge->bilateral, tail, error);
        if (status)
            return status;
        for (int i = 0; judge->contacts == 0 && i < system->bilaterals; ++i)
            system->mean_diagonal += pow(system->row_scale[i], 2) * tail[i] / system->bilaterals;
    }
    for (int i = 0; i < system->rows; ++i) {
        if (!judge->mass)
            tail[i] = pow(system->right[nb_floor_velocity_index(system, i)], 2);
        else if (i >= system->bilaterals)
            tail[i] = judge->diagonal[i - system->bilaterals];
        const double schur = pow(system->row_scale[i], 2) * tail[i] + system->compliance[i];
        tail[i] = 1 / root_or_one(schur);
        system->right[system->dofs + i] = tail[i];
    }
    return NB_OK;
}

/* The velocity rows are linear in x: r = A x - b. */
static void velocity_residual(struct nb_floor_system *system)
{
    const struct nb_csr *a = &system->matrix;
    for (int i = 0; i < system->dofs; ++i) {
        double sum = -system->constant[i];
        for (int k = a->start[i]; k < a->start[i + 1]; ++k)
            sum += a->value[k] * system->solution[a->column[k]];
        system->residual[i] = sum;
    }
}

/* The scale of the velocity at that index of judge->velocity, of a strain in the unit of its row. */
static double velocity_scale(const struct nb_judge *judge, int index)
{
    const int bilateral = index - 3 * judge->contacts;
    if (bilateral < 0)
        return nb_step_scale_of(judge, index / 3, index % 3);
    return judge->scale.velocity[judge->contacts + bilateral] * nb_judge_length(judge, bilateral);
}

/* A momentum row's error e is an energy of about e^2 / M_ii. */
static void fill_step_scales(struct nb_floor_system *system, const struct nb_judge *judge)
{
    const int first_dof = judge->contacts + judge->bilaterals;
    for (int i = 0; i < system->dofs; ++i)
        if (system->form == NB_LINEAR_LOCAL)
            system->step_scale[i] = velocity_scale(judge, i);
    for (int i = 0; judge->mass && i < system->dofs; ++i)
        system->step_scale[i] =
            sqrt(nb_csr_diagonal(judge->mass, i) * judge->scale.energy[judge->scale.island[first_dof + i]]);
    for (int i = 0; i < system->rows; ++i)
        system->step_scale[system->dofs + i] = velocity_scale(judge, nb_floor_velocity_index(system, i));
}

enum nb_status nb_floor_system_build(struct nb_floor_system *system,
                                     const struct nb_problem *problem,
                                     const struct nb_options *options, const double *u,
                                     const double *lambda, struct nb_error *error)
{
    struct nb_judge *judge = NULL;
    memset(system, 0, sizeof *system);
    system->form = problem->form;
    system->dofs = nb_problem_dofs(problem);
    system->rows = nb_problem_multipliers(problem);
    system->bilaterals = nb_problem_bilaterals(problem);
    system->size = system->dofs + system->rows;
    system->memory = nb_arena_allocate(lay_out, system);
    enum nb_status status = system->memory ? nb_judge_create(&judge, problem, error)
                                           : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a system of %d rows",
                                                     system->size);
    status = status ? status : read_point(system, judge, u, lambda, error);
    status = status ? status : fill_vectors(system, judge, options, u, error);
    status = status ? status : assemble(system, judge, error);
    status = status ? status : equilibrate(system, judge, error);
    if (!status) {
        velocity_residual(system);
        fill_step_scales(system, judge);
    }
    nb_judge_free(judge);
    if (status)
        nb_floor_system_free(system);
    return status;
}

void nb_floor_system_free(struct nb_floor_system *system)
{
    nb_csr_free(&system->matrix);
    free(system->memory);
    memset(system, 0, sizeof *system);
}

/* Tisseur's accuracy floors for one problem (the equations are in floor.h). The Newton system is built at the best
 * solution known; its rows give ||A*|| and the component-wise sums, and its inverse's norm comes from a dense
 * inverse of up to 3000 rows or from an estimate. Where A* is singular the shift is added. */

static const int largest_exact = 3000;

static double largest(int n, const double *x)
{
    double norm = 0;
    for (int i = 0; i < n; ++i)
        norm = nb_worst(norm, fabs(x[i]));
    return norm;
}

static enum nb_status inverse_norm(const struct nb_floor_system *system, double shift,
                                   struct nb_floor_reference *reference, struct nb_error *error)
{
    reference->inverse_exact = system->size <= largest_exact;
    return reference->inverse_exact
               ? nb_floor_inverse_exact(system, shift, &reference->inverse_norm, error)
               : nb_floor_inverse_estimate(system, shift, &reference->inverse_norm, error);
}

/* A row's terms, and what of them does not round in float64. */
static void take_step_error(const struct nb_floor_system *system, int row, double terms, double exact,
                            struct nb_floor_reference *reference)
{
    const double scale = system->step_scale[row];
    reference->step_error = nb_worst(reference->step_error, nb_step_relative(terms, scale));
    reference->step_error_double = nb_worst(reference->step_error_double, nb_step_relative(terms - exact, scale));
}

/* Norms by row: ||A||, the component-wise sums (|A||x| + |b|)_i, and what velocities are sums of. */
static void measure_rows(const struct nb_floor_system *system,
                         struct nb_floor_reference *reference)
{
    const struct nb_csr *a = &system->matrix;
    const int local = system->form == NB_LINEAR_LOCAL;
    reference->matrix_norm = reference->component_all = reference->component_constraint = 0;
    reference->velocity_terms = reference->step_error = reference->step_error_double = 0;
    for (int i = 0; i < a->rows; ++i) {
        const int constraint = i - system->dofs;
        double sum = 0, component = fabs(system->constant[i]);
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            sum += fabs(a->value[k]);
            component += fabs(a->value[k] * system->solution[a->column[k]]);
        }
        if (constraint >= 0) {
            sum /= system->divisor[constraint];
            const double terms = system->row_scale[constraint] * system->velocity_terms[constraint];
            reference->velocity_terms = nb_worst(reference->velocity_terms, terms);
            take_step_error(system, i, terms, 0, reference);
        }
        reference->matrix_norm = nb_worst(reference->matrix_norm, sum);
        reference->component_all = nb_worst(reference->component_all, component);
        if (constraint >= 0 || local)
            reference->component_constraint = nb_worst(reference->component_constraint, component);
        take_step_error(system, i, component, constraint < 0 ? 0 : system->exact[constraint], reference);
    }
}

enum nb_status nb_floor_reference_compute(const struct nb_problem *problem,
                                          const struct nb_options *options, const double *u,
                                          const double *lambda,
                                          struct nb_floor_reference *reference,
                                          struct nb_error *error)
{
    struct nb_floor_system system;
    enum nb_status status = nb_floor_system_build(&system, problem, options, u, lambda, error);
    if (status)
        return status;
    measure_rows(&system, reference);
    reference->solution_norm = largest(system.size, system.solution);
    reference->residual_norm = largest(system.size, system.residual);
    if (!isfinite(reference->component_all) || !isfinite(reference->solution_norm)) {
        status = nb_fail(error, NB_BAD_INPUT,
                         "the solution given for the accuracy floor is not finite");
        goto done;
    }
    status = inverse_norm(&system, 0, reference, error);
    if (!status && isinf(reference->inverse_norm) && options->shift > 0)
        status = inverse_norm(&system, options->shift * system.mean_diagonal, reference, error);
done:
    nb_floor_system_free(&system);
    return status;
}

struct nb_floor nb_floor_at(const struct nb_floor_reference *reference, double unit_roundoff)
{
    /* A singular matrix bounds no step, not even where the residual is zero. */
    const double step = isinf(reference->inverse_norm)
                            ? INFINITY
                            : reference->inverse_norm * unit_roundoff * reference->residual_norm +
                                  reference->solution_norm * unit_roundoff;
    const struct nb_floor floor = {
        .residual = reference->matrix_norm * reference->solution_norm * unit_roundoff,
        .step = step,
        .component_all = reference->component_all * unit_roundoff,
        .component_constraint = reference->component_constraint * unit_roundoff,
        .velocity_terms = reference->velocity_terms * unit_roundoff,
        .step_error = unit_roundoff * (unit_roundoff > 0x1p-53 ? reference->step_error : reference->step_error_double)};
    return floor;
}
