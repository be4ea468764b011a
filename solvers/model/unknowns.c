/* Unknowns between the problem's numbering (double) and the model's (padded, present precision). */
#include "solvers/model/model.h"

/* Model entry of the problem's velocity i: local problems list contacts before bilateral rows. */
static int velocity_entry(const struct nb_model *model, int i)
{
    if (model->problem->form != NB_LINEAR_LOCAL)
        return i;
    const int contact_rows = 3 * model->contacts;
    return i < contact_rows ? 3 * model->bilateral_blocks + i : i - contact_rows;
}

static int multiplier_entry(const struct nb_model *model, int i)
{
    return i < model->bilaterals ? model->bilateral_entry[i]
                                 : i - model->bilaterals + 3 * model->bilateral_blocks;
}

static nb_real multiplier_unit(const struct nb_model *model, int i)
{
    return model->multiplier_unit && i < model->bilaterals ? model->multiplier_unit[i] : 1;
}

void nb_model_widen_velocity(const struct nb_model *model, const nb_real *u, double *out)
{
    for (int i = 0; i < model->dofs; ++i)
        out[i] = (double)u[velocity_entry(model, i)];
}

void nb_model_widen_multiplier(const struct nb_model *model, const nb_real *lambda, double *out)
{
    for (int i = 0; i < model->bilaterals + 3 * model->contacts; ++i)
        out[i] = (double)lambda[multiplier_entry(model, i)] * (double)multiplier_unit(model, i);
}

void nb_model_narrow_velocity(const struct nb_model *model, const double *u, nb_real *out)
{
    for (int i = 0; i < 3 * model->nodes; ++i)
        out[i] = 0;
    for (int i = 0; i < model->dofs; ++i)
        out[velocity_entry(model, i)] = (nb_real)u[i];
}

void nb_model_narrow_multiplier(const struct nb_model *model, const double *lambda, nb_real *out)
{
    for (int i = 0; i < 3 * model->blocks; ++i)
        out[i] = 0;
    for (int i = 0; i < model->bilaterals + 3 * model->contacts; ++i)
        out[multiplier_entry(model, i)] = (nb_real)(lambda[i] / (double)multiplier_unit(model, i));
}
