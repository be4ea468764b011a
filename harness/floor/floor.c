/* Tisseur's accuracy floors for one problem (the equations are in floor.h). The Newton system is built at the best
 * solution known; its rows give ||A*|| and the component-wise sums, and its inverse's norm comes from a dense
 * inverse of up to 3000 rows or from an estimate. Where A* is singular the shift is added. */
#include "harness/floor/floor.h"

#include <math.h>

#include "harness/floor/floor_private.h"

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

/* Norms by row: ||A||, the component-wise sums (|A||x| + |b|)_i, and what velocities are sums of. */
static void measure_rows(const struct nb_floor_system *system,
                         struct nb_floor_reference *reference)
{
    const struct nb_csr *a = &system->matrix;
    const int local = system->form == NB_LINEAR_LOCAL;
    reference->matrix_norm = reference->component_all = reference->component_constraint = 0;
    reference->velocity_terms = reference->step_error = 0;
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
            reference->step_error = nb_worst(reference->step_error, nb_step_relative(terms, system->step_scale[i]));
        }
        reference->matrix_norm = nb_worst(reference->matrix_norm, sum);
        reference->component_all = nb_worst(reference->component_all, component);
        if (constraint >= 0 || local)
            reference->component_constraint = nb_worst(reference->component_constraint, component);
        reference->step_error = nb_worst(reference->step_error, nb_step_relative(component, system->step_scale[i]));
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
        .step_error = reference->step_error * unit_roundoff};
    return floor;
}
