/* The dual problem U = W p + q of a step, 0 in bilateral rows and by Signorini and Coulomb in contacts: its
 * linearisation at the motion u(p), its products, and its residual, the projected (natural) map
 *
 *     || p - P(p - U / diag W) ||   in the norm of diag W,
 *
 * which is an impulse times the root of a compliance whatever the units of a row. */
#include "solvers/outer/dual/dual.h"

#include <math.h>
#include <string.h>

#include "solvers/contact/coulomb.h"

void nb_dual_respond(struct nb_dual *dual, nb_real *u)
{
    struct nb_step_rows *step = &dual->step;
    if (!nb_unsymmetric_respond(&dual->given, step->model, dual->p, u))
        nb_model_respond(step->model, dual->p, step->momentum, step->defect, u);
}

/* out = W x, counted */
static void apply(struct nb_dual *dual, const nb_real *x, nb_real *out)
{
    struct nb_operator *op = &dual->step.op;
    if (!dual->given.matrix.value) {
        nb_operator_apply(op, x, out);
        return;
    }
    nb_bsr_multiply(&dual->given.matrix, x, out, op->threads);
    op->applications++;
}

void nb_dual_velocity(struct nb_dual *dual, const nb_real *x, nb_real *out)
{
    apply(dual, x, out);
    for (size_t i = 0; i < dual->step.size; ++i)
        out[i] += dual->q[i];
}

/* U(u') = U(u) + J (u' - u), in which u' is u(p) again, now by the new J. */
void nb_dual_linearise(struct nb_dual *dual, int first)
{
    struct nb_step_rows *step = &dual->step;
    struct nb_model *model = step->model;
    nb_dual_respond(dual, step->u);
    nb_model_evaluate(model, step->u);
    if ((first || !model->constant) && !dual->given.matrix.value) {
        nb_step_rows_assemble(step);
        dual->updates++;
    }
    memcpy(dual->velocity, model->violation, step->size * sizeof *dual->velocity);
    if (!model->constant) {
        nb_dual_respond(dual, dual->moved);
        for (size_t i = 0; i < 3 * (size_t)model->nodes; ++i)
            dual->moved[i] -= step->u[i];
        nb_bsr_multiply(&model->jacobian, dual->moved, dual->q, model->threads);
        for (size_t i = 0; i < step->size; ++i)
            dual->velocity[i] += dual->q[i];
    }
    nb_model_add_compliance(model, dual->p, dual->velocity);
    apply(dual, dual->p, dual->q);
    for (size_t i = 0; i < step->size; ++i)
        dual->q[i] = dual->velocity[i] - dual->q[i];
}

/* One contact's p - P(p - U/W) by its bounds; w [3] its diagonal. */
static void contact_residual(const nb_real *p, const nb_real *velocity, const nb_real *w, nb_real mu,
                             const struct nb_dual *dual, nb_real *out)
{
    const enum nb_friction_bounds bounds = dual->bounds;
    const nb_real tangent = nb_max(w[1], w[2]);
    nb_real z[3] = {p[0] - velocity[0] / w[0], p[1] - velocity[1] / tangent,
                    p[2] - velocity[2] / tangent};
    if (bounds == NB_FRICTION_ASSOCIATED) {
        for (int r = 0; r < 3; ++r)
            z[r] = p[r] - velocity[r] / nb_max(w[0], tangent);
        nb_project_cone(z, mu);
    } else {
        const nb_real radius = mu * nb_max(0, p[0]);
        z[0] = nb_max(0, z[0]);
        if (bounds == NB_FRICTION_BOX) {
            z[1] = nb_clamp(z[1], radius);
            z[2] = nb_clamp(z[2], radius);
        } else if (bounds == NB_FRICTION_PYRAMID) {
            nb_project_pyramid(z + 1, &dual->pyramid, dual->pyramid.bound * radius);
        } else {
            nb_project_disc(z + 1, radius);
        }
    }
    for (int r = 0; r < 3; ++r)
        out[r] = p[r] - z[r];
}

double nb_dual_residual(const struct nb_dual *dual)
{
    double sum = 0;
    for (size_t i = 0; i < dual->step.size; i += 3) {
        nb_real w[3], out[3];
        for (size_t r = 0; r < 3; ++r) {
            const nb_real diagonal = dual->step.op.diagonal[i + r];
            w[r] = diagonal > 0 ? diagonal : 1;
            out[r] = dual->velocity[i + r] / w[r];
        }
        if (i >= dual->step.bilateral)
            contact_residual(dual->p + i, dual->velocity + i, w, nb_dual_friction(dual, i),
                             dual, out);
        for (size_t r = 0; r < 3; ++r)
            sum += (double)w[r] * (double)out[r] * (double)out[r];
    }
    return sqrt(sum);
}
