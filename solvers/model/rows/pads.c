/* Pads of soft contacts: nodes behind all others that stand for C = diag(e_n, e_t, e_t)/h^2 of U = J u + w + C R. A pad
 * moves by s, of which the contact's rows see k s, and has the mass m = h^2/e, e the larger of both compliances:
 *
 *     m s = k R,   U = J u + k s + w,   k^2/m = C,   k = (1, sqrt(e_t/e_n), sqrt(e_t/e_n)) where e_n is the larger.
 *
 * It starts at rest and nothing else moves it, so that J H^-1 J^T has C on the diagonal of these rows. */
#include "solvers/model/rows/nonlinear.h"

#include <math.h>
#include <string.h>

static enum nb_status start_pad(struct nb_model *model, int contact, int pad, struct nb_error *error)
{
    struct nb_contact_points *contacts = &model->nonlinear->contacts;
    const double *e = model->problem->contacts.compliance + 2 * (size_t)contact, most = fmax(e[0], e[1]);
    const double h = model->problem->time_step;
    const nb_real mass = (nb_real)(h * h / most);
    if (!(isnormal(mass) && isnormal(1 / mass)))
        return nb_fail(error, NB_UNSUPPORTED, "contacts/compliance: entry %d, %g m/N, is none that this precision can "
                       "hold: h^2 over it is %g kg", contact, most, h * h / most);
    contacts->pad[contact] = model->nodes - model->pads + pad;
    for (int k = 0; k < 2; ++k)
        contacts->pad_slope[2 * (size_t)contact + (size_t)k] = (nb_real)sqrt(e[k] / most);
    model->particle_mass[model->particles - model->pads + pad] = mass;
    return NB_OK;
}

enum nb_status NB(nb_pads_start)(struct nb_model *model, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (int i = 0, pad = 0; i < model->nonlinear->contacts.count && model->pads > 0 && !status; ++i)
        if (nb_contact_is_soft(model->problem, i))
            status = start_pad(model, i, pad++, error);
        else
            model->nonlinear->contacts.pad[i] = -1;
    return status;
}

void NB(nb_pads_evaluate)(struct nb_model *model, const nb_real *u)
{
    const struct nb_contact_points *contacts = &model->nonlinear->contacts;
    for (int i = 0; i < contacts->count && model->pads > 0; ++i) {
        if (contacts->pad[i] < 0)
            continue;
        const size_t row = (size_t)(model->bilateral_blocks + i);
        nb_matrix *block = nb_block_of(model, (int)row, contacts->pad[i]);
        memset(block, 0, 9 * sizeof *block);
        for (size_t k = 0; k < 3; ++k) {
            const nb_real slope = contacts->pad_slope[2 * (size_t)i + (k > 0)];
            block[4 * k] = (nb_matrix)slope;
            model->violation[3 * row + k] += slope * u[3 * (size_t)contacts->pad[i] + k];
        }
    }
}

void nb_model_settle_pads(const struct nb_model *model, const nb_real *lambda, nb_real *u)
{
    for (int i = 0; model->pads > 0 && i < model->nonlinear->contacts.count; ++i) {
        const struct nb_contact_points *contacts = &model->nonlinear->contacts;
        const size_t row = 3 * (size_t)(model->bilateral_blocks + i), node = 3 * (size_t)contacts->pad[i];
        for (size_t k = 0; contacts->pad[i] >= 0 && k < 3; ++k)
            u[node + k] = model->inverse_mass[3 * node + 4 * k] * contacts->pad_slope[2 * (size_t)i + (k > 0)] *
                          model->time_step * lambda[row + k];
    }
}
