/* The states of contacts at a solution, and the transposed system there (gradient.h). */
#include "solvers/precision/f64.h" /* the model in float64 */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <umfpack.h>

#include "harness/gradient/gradient_private.h"
#include "problems/base/random.h"

const char *nb_gradient_name(int to)
{
    static const char *const names[] = {
#define ROW(name) #name,
        NB_GRADIENT_ROWS(ROW, ROW)
#undef ROW
    };
    return to >= 0 && to < NB_GRADIENT_KINDS ? names[to] : NULL;
}

static int element_rows(const struct nb_problem *problem)
{
    int rows = 0;
    for (int i = 0; i < problem->tetrahedra.count; ++i)
        rows += nb_tetrahedron_rows((enum nb_material)problem->tetrahedra.material[i]);
    return rows;
}

int nb_gradient_size(const struct nb_problem *problem, enum nb_gradient_to to)
{
    const bool nonlinear = problem->form == NB_NONLINEAR;
    switch (to) {
    case NB_GRADIENT_velocity:
        return nonlinear ? nb_problem_dofs(problem) : 0;
    case NB_GRADIENT_position:
        return nonlinear ? 3 * (problem->bodies.count + problem->particles.count) : 0;
    case NB_GRADIENT_mass:
        return nonlinear ? problem->bodies.count + problem->particles.count : 0;
    case NB_GRADIENT_friction:
        return nonlinear ? problem->contacts.count : problem->linear.contacts;
    case NB_GRADIENT_force:
        return nb_problem_dofs(problem);
    case NB_GRADIENT_compliance:
        return nonlinear ? nb_problem_bilaterals(problem) - element_rows(problem) + nb_problem_contacts(problem) : 0;
    default:
        return nonlinear ? problem->tetrahedra.count : 0;
    }
}

int nb_gradient_model_row(const struct nb_gradient *g, int row)
{
    return row < g->bilaterals ? g->model->bilateral_entry[row]
                               : 3 * g->model->bilateral_blocks + row - g->bilaterals;
}

bool nb_gradient_is_closed(const struct nb_gradient *g, int row)
{
    if (row < g->bilaterals)
        return true;
    const int contact = (row - g->bilaterals) / 3, k = (row - g->bilaterals) % 3;
    return g->state[contact] == NB_CONTACT_STICKS || (g->state[contact] == NB_CONTACT_SLIDES && k == 0);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct nb_gradient *g = data;
    const int most = g->dofs + g->rows;
    NB_ARRAY(arena, g->u, g->dofs);
    NB_ARRAY(arena, g->particle, 3 * (size_t)g->problem->particles.count);
    NB_ARRAYS(arena, g->rows, g->impulse, g->velocity, g->inverse_mass);
    NB_ARRAY(arena, g->direction, 2 * (size_t)g->contacts);
    NB_ARRAY(arena, g->state, g->contacts);
    NB_ARRAYS(arena, g->rows, g->entry, g->row_of, g->shared);
    NB_ARRAYS(arena, most, g->scale_in, g->scale_out, g->weight, g->adjoint, g->left, g->change);
}

/* Impulses, and the rows' velocities and w at u. */
static enum nb_status evaluate(struct nb_gradient *g, const double *u, const double *lambda, struct nb_error *error)
{
    struct NB(nb_model) *model = g->model;
    double *padded = calloc(3 * (size_t)(model->nodes + model->blocks) + 1, sizeof *padded);
    if (!padded)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the gradient's rows");
    double *diagonal = padded + 3 * (size_t)model->nodes;
    memcpy(g->u, u, (size_t)g->dofs * sizeof *u);
    for (int i = 0; i < 3 * g->problem->particles.count; ++i)
        g->particle[i] = g->problem->particles.position[i] + g->time_step * u[6 * g->problem->bodies.count + i];
    NB(nb_model_narrow_velocity)(model, u, padded);
    NB(nb_model_evaluate)(model, padded);
    NB(nb_model_diagonal)(model, diagonal);
    for (int row = 0; row < g->rows; ++row) {
        const int at = nb_gradient_model_row(g, row);
        g->impulse[row] = g->time_step * lambda[row];
        g->velocity[row] = model->violation[at];
        g->inverse_mass[row] = diagonal[at];
    }
    free(padded);
    return NB_OK;
}

/* The state of a contact, the direction in which it slides, and its distance from another state [m/s]. */
static double find_state(struct nb_gradient *g, int contact)
{
    const int row = g->bilaterals + 3 * contact;
    const double *p = g->impulse + row, *v = g->velocity + row, mu = g->model->friction[contact];
    const double w = fmax(g->inverse_mass[row + 1], g->inverse_mass[row + 2]), normal = g->inverse_mass[row] * p[0];
    const double room = w * (mu * p[0] - hypot(p[1], p[2])), speed = hypot(v[1], v[2]);
    double *direction = g->direction + 2 * contact;
    direction[0] = direction[1] = 0;
    if (!(normal > v[0])) {
        g->state[contact] = NB_CONTACT_OPEN;
        return v[0] - fmax(normal, 0);
    }
    const double closed = normal - fmax(v[0], 0);
    g->state[contact] = mu > 0 && room > speed ? NB_CONTACT_STICKS : NB_CONTACT_SLIDES;
    if (g->state[contact] == NB_CONTACT_STICKS)
        return fmin(closed, room - speed);
    for (int k = 0; k < 2 && speed > 0; ++k)
        direction[k] = v[1 + k] / speed;
    return mu > 0 ? fmin(closed, speed - fmax(room, 0)) : closed;
}

/* The largest velocity that a contact's state is told by. */
static double scale_of(const struct nb_gradient *g, int contact)
{
    double largest = 0;
    for (int k = 0; k < 3; ++k) {
        const int row = g->bilaterals + 3 * contact + k;
        largest = fmax(largest, fmax(fabs(g->velocity[row]), fabs(g->inverse_mass[row] * g->impulse[row])));
    }
    return largest;
}

static void find_states(struct nb_gradient *g)
{
    double scale = 0;
    g->margin = INFINITY;
    g->margin_contact = -1;
    for (int i = 0; i < g->contacts; ++i) {
        const double distance = find_state(g, i);
        scale = fmax(scale, scale_of(g, i));
        if (!(distance >= g->margin)) {
            g->margin = distance;
            g->margin_contact = i;
        }
    }
    if (g->margin_contact >= 0)
        g->margin = scale > 0 ? g->margin / scale : 0;
}

/* A row takes part unless it is an element's or an open contact's. */
static void number_rows(struct nb_gradient *g)
{
    g->size = g->dofs;
    for (int row = 0; row < g->rows; ++row) {
        const bool takes_part = row < g->bilaterals
                                    ? row < g->plain
                                    : g->state[(row - g->bilaterals) / 3] != NB_CONTACT_OPEN;
        g->entry[row] = takes_part ? g->size : -1;
        if (takes_part)
            g->row_of[g->size++ - g->dofs] = row;
    }
}

static enum nb_status check_margin(const struct nb_gradient *g, struct nb_error *error)
{
    static const char *const names[] = {"open", "sticking", "sliding"};
    if (g->margin > NB_GRADIENT_MARGIN)
        return NB_OK;
    return nb_fail(error, NB_UNSUPPORTED,
                   "%s: no gradient, contact %d is on the border between two states (%s by %.2g of the largest "
                   "velocity, must be above %.2g)",
                   g->problem->name, g->margin_contact, names[g->state[g->margin_contact]], g->margin,
                   NB_GRADIENT_MARGIN);
}

/* Right-hand sides at random in the rows cannot all be met where some are redundant: what is left lies in these. */
static void find_redundant(struct nb_gradient *g)
{
    uint64_t chance = 1;
    memset(g->weight, 0, (size_t)g->size * sizeof *g->weight);
    for (int i = g->dofs; i < g->size; ++i)
        g->weight[i] = nb_random_signed(&chance) / g->scale_in[i];
    nb_gradient_correct(g, g->weight, g->adjoint, g->left);
    g->redundant = 0;
    for (int i = g->dofs; i < g->size; ++i) {
        const int row = g->row_of[i - g->dofs];
        const bool counted = row < g->bilaterals || (row - g->bilaterals) % 3 == 0;
        g->shared[row] = fabs(g->left[i]) > sqrt(NB_GRADIENT_MARGIN);
        g->redundant += g->shared[row] && counted;
    }
    memset(g->weight, 0, (size_t)g->size * sizeof *g->weight);
}

static enum nb_status take_mass(struct nb_gradient *g, struct nb_error *error)
{
    const struct nb_csr *from = &g->problem->linear.mass;
    if (g->problem->form == NB_NONLINEAR)
        return nb_problem_mass(g->problem, &g->mass, error);
    const int entries = from->start[from->rows];
    const enum nb_status status = nb_csr_allocate(&g->mass, from->rows, from->columns, entries, error);
    if (!status) {
        memcpy(g->mass.start, from->start, ((size_t)from->rows + 1) * sizeof *from->start);
        memcpy(g->mass.column, from->column, (size_t)entries * sizeof *from->column);
        memcpy(g->mass.value, from->value, (size_t)entries * sizeof *from->value);
    }
    return status;
}

static enum nb_status set_up(struct nb_gradient *g, const double *u, const double *lambda, struct nb_error *error)
{
    enum nb_status status = NB(nb_model_create)(&g->model, g->problem, 1, error);
    if (status)
        return status;
    g->memory = nb_arena_allocate(lay_out, g);
    if (!g->memory)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the gradient of %d rows", g->rows);
    if ((status = evaluate(g, u, lambda, error)))
        return status;
    find_states(g);
    number_rows(g);
    if ((status = check_margin(g, error)) || (status = take_mass(g, error)) ||
        (status = nb_gradient_assemble(g, error)))
        return status;
    find_redundant(g);
    return NB_OK;
}

enum nb_status nb_gradient_create(struct nb_gradient **gradient, const struct nb_problem *problem, const double *u,
                                  const double *lambda, struct nb_error *error)
{
    *gradient = NULL;
    if (problem->form == NB_LINEAR_LOCAL)
        return nb_fail(error, NB_UNSUPPORTED, "%s: a local step has no velocities of bodies, and no gradients of them",
                       problem->name);
    if (nb_problem_soft_contacts(problem) > 0)
        return nb_fail(error, NB_UNSUPPORTED, "%s: gradients know hard contacts only, and of this step %d are soft "
                       "(contacts/compliance)", problem->name, nb_problem_soft_contacts(problem));
    struct nb_gradient *g = calloc(1, sizeof *g);
    if (!g)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a gradient");
    g->problem = problem;
    g->dofs = nb_problem_dofs(problem);
    g->bilaterals = nb_problem_bilaterals(problem);
    g->contacts = nb_problem_contacts(problem);
    g->rows = g->bilaterals + 3 * g->contacts;
    g->plain = g->bilaterals - (problem->form == NB_NONLINEAR ? element_rows(problem) : 0);
    g->time_step = problem->time_step;
    const enum nb_status status = set_up(g, u, lambda, error);
    if (status) {
        nb_gradient_free(g);
        return status;
    }
    *gradient = g;
    return NB_OK;
}

void nb_gradient_free(struct nb_gradient *g)
{
    if (!g)
        return;
    umfpack_di_free_numeric(&g->numeric);
    nb_csr_free(&g->mass);
    nb_csr_free(&g->transposed);
    nb_csr_free(&g->scaled);
    NB(nb_model_free)(g->model);
    free(g->memory);
    free(g);
}

double nb_gradient_margin(const struct nb_gradient *gradient, int *contact)
{
    *contact = gradient->margin_contact;
    return gradient->margin;
}

enum nb_contact_state nb_gradient_state(const struct nb_gradient *gradient, int contact)
{
    return (enum nb_contact_state)gradient->state[contact];
}

enum nb_status nb_gradient_solve(struct nb_gradient *g, const double *weight, struct nb_error *error)
{
    memcpy(g->weight, weight, (size_t)g->dofs * sizeof *weight);
    g->residual = nb_gradient_correct(g, g->weight, g->adjoint, g->left);
    if (g->residual <= NB_GRADIENT_LEFT)
        return NB_OK;
    return nb_fail(error, NB_BREAKDOWN, "%s: the step does not determine how this velocity answers (%.2g is left of "
                   "the transposed system, must be at most %.2g)", g->problem->name, g->residual, NB_GRADIENT_LEFT);
}

double nb_gradient_residual(const struct nb_gradient *gradient)
{
    return gradient->residual;
}

int nb_gradient_redundant(const struct nb_gradient *gradient)
{
    return gradient->redundant;
}

const struct nb_csr *nb_gradient_system(const struct nb_gradient *gradient, const double **right_side)
{
    *right_side = gradient->weight;
    return &gradient->transposed;
}
