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
#include "solvers/precision/f64.h" /* the rows in float64 */

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/floor/floor_private.h"
#include "solvers/strategy.h"

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
    system->compliance[row] = r * beta / (divisor * h * h);
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
        system->compliance[row] = gamma / h;
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

enum nb_status nb_floor_fill_contacts(struct nb_floor_system *system, const struct nb_judge *judge,
                                      const struct nb_options *options, struct nb_error *error)
{
    const struct NB(nb_scaling) *scaling;
    struct contact_terms terms = {0};
    enum nb_status status = find_strategies(options, &terms, &scaling, error);
    if (!status)
        status = find_scaling(judge, scaling, &terms, error);
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
