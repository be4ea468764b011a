/* Soft contacts of the step linearised at q-: U = J u + w + C R with C = diag(e_n, e_t, e_t)/h^2. FCLIB has no place
 * for C, but for more velocities: each soft contact has three of its own behind all others, s with M_s = C^-1 and
 * nothing else that moves them, so that M_s s = R says s = C R, and
 *
 *     U = (J 1) (u, s) + w,   M' = diag(M, C^-1),   f' = (f, 0),   W' = J M^-1 J^T + C.
 *
 * A row without compliance has no entry of its velocity, which stays 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/linearize/linearize_rows.h"

int nb_contact_is_soft(const struct nb_problem *problem, int contact)
{
    const double *e = problem->contacts.compliance;
    return problem->form == NB_NONLINEAR && e && contact < problem->contacts.count &&
           (e[2 * contact] > 0 || e[2 * contact + 1] > 0);
}

void nb_contact_compliance(const struct nb_problem *problem, int contact, double compliance[3])
{
    const double h = problem->time_step;
    for (int k = 0; k < 3; ++k)
        compliance[k] = nb_contact_is_soft(problem, contact)
                            ? problem->contacts.compliance[2 * contact + (k > 0)] / (h * h)
                            : 0;
}

int nb_problem_soft_contacts(const struct nb_problem *problem)
{
    int soft = 0;
    for (int i = 0; i < problem->contacts.count; ++i)
        soft += nb_contact_is_soft(problem, i);
    return soft;
}

int nb_problem_linear_dofs(const struct nb_problem *problem)
{
    return nb_problem_dofs(problem) + 3 * nb_problem_soft_contacts(problem);
}

void nb_problem_linear_velocities(const struct nb_problem *problem, const double *u, const double *lambda, double *out)
{
    const int first = nb_problem_bilaterals(problem);
    int at = nb_problem_dofs(problem);
    if (at > 0)
        memmove(out, u, (size_t)at * sizeof *out);
    for (int i = 0; i < problem->contacts.count; ++i) {
        double compliance[3];
        if (!nb_contact_is_soft(problem, i))
            continue;
        nb_contact_compliance(problem, i, compliance);
        for (int k = 0; k < 3; ++k)
            out[at++] = compliance[k] * problem->time_step * lambda[first + 3 * i + k];
    }
}

/* Whether C^-1 is a number. */
static enum nb_status check_compliance(const struct nb_problem *problem, int contact, const double compliance[3],
                                       struct nb_error *error)
{
    for (int k = 0; k < 2; ++k)
        if (compliance[k] > 0 && !isnormal(1 / compliance[k]))
            return nb_fail(error, NB_UNSUPPORTED, "contacts/compliance: h^2 over entry %d, %g m/N, is no number",
                           contact, problem->contacts.compliance[2 * contact + k]);
    return NB_OK;
}

/* The matrix with further columns and what was collected. */
static enum nb_status extend(struct nb_csr *matrix, int rows, int columns, struct nb_triplets *more,
                             struct nb_error *error)
{
    struct nb_csr extended;
    int held = 1;
    for (int row = 0; row < matrix->rows && held; ++row)
        for (int k = matrix->start[row]; k < matrix->start[row + 1] && held; ++k)
            held = nb_triplets_add(more, row, matrix->column[k], matrix->value[k]);
    if (!held)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the velocities of soft contacts");
    const enum nb_status status = nb_csr_from_triplets(&extended, rows, columns, more->count, more->row, more->column,
                                                       more->value, error);
    if (status)
        return status;
    nb_csr_free(matrix);
    *matrix = extended;
    return NB_OK;
}

/* The entries of the pads; rigid rows, which their velocity does not meet, give it the other rows' mass. */
static enum nb_status collect_pads(const struct nb_problem *problem, int at, struct nb_triplets *mass,
                                   struct nb_triplets *jacobian, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    int held = 1;
    for (int i = 0; i < problem->contacts.count && !status && held; ++i) {
        double compliance[3];
        if (!nb_contact_is_soft(problem, i))
            continue;
        nb_contact_compliance(problem, i, compliance);
        status = check_compliance(problem, i, compliance, error);
        for (int k = 0; k < 3 && held; ++k, ++at) {
            const int soft = compliance[k] > 0;
            held = nb_triplets_add(mass, at, at, 1 / (soft ? compliance[k] : fmax(compliance[0], compliance[1])));
            if (held && soft)
                held = nb_triplets_add(jacobian, 3 * i + k, at, 1);
        }
    }
    return status || held ? status : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the velocities of soft contacts");
}

enum nb_status nb_linearize_compliance(const struct nb_problem *problem, struct nb_linear_step *step,
                                       struct nb_error *error)
{
    struct nb_triplets mass = {0}, jacobian = {0};
    const int first = step->dofs, dofs = nb_problem_linear_dofs(problem);
    if (dofs == first)
        return NB_OK;
    enum nb_status status = collect_pads(problem, first, &mass, &jacobian, error);
    if (!status)
        status = extend(&step->mass, dofs, dofs, &mass, error);
    if (!status)
        status = extend(&step->contact_jacobian, step->contact_jacobian.rows, dofs, &jacobian, error);
    nb_triplets_free(&mass);
    nb_triplets_free(&jacobian);
    double *force = status ? NULL : realloc(step->force, ((size_t)dofs + 1) * sizeof *force);
    if (status || !force)
        return status ? status : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the velocities of soft contacts");
    memset(force + first, 0, (size_t)(dofs - first) * sizeof *force);
    step->force = force;
    step->bilateral_jacobian.columns = step->dofs = dofs;
    return NB_OK;
}
