/* A nonlinear step of bodies, particles, joints, elements and contacts: the order of set-up and
 * evaluation. */
#include "solvers/model/rows/nonlinear.h"

#include <stdlib.h>

void nb_nonlinear_free(struct nb_nonlinear *step)
{
    if (!step)
        return;
    NB(nb_bodies_free)(&step->bodies);
    NB(nb_particles_free)(&step->particles);
    NB(nb_contacts_free)(&step->contacts);
    NB(nb_joint_frames_free)(&step->joints);
    NB(nb_limits_free)(&step->limits);
    NB(nb_links_free)(&step->links);
    NB(nb_tetrahedra_free)(&step->tetrahedra);
    free(step);
}

enum nb_status nb_nonlinear_create(struct nb_model *model, struct nb_error *error)
{
    static enum nb_status (*const parts[])(struct nb_model *, struct nb_error *) = {
        NB(nb_rows_create),   NB(nb_bodies_create), NB(nb_particles_create),
        NB(nb_joints_create), NB(nb_links_create),  NB(nb_tetrahedra_create),
        NB(nb_contacts_create), NB(nb_limits_create)};
    enum nb_status status = NB_OK;
    model->nonlinear = calloc(1, sizeof *model->nonlinear);
    if (!model->nonlinear)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a nonlinear step");
    for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; ++i)
        status = parts[i](model, error);
    return status;
}

void nb_nonlinear_evaluate(struct nb_model *model, const nb_real *u)
{
    NB(nb_bodies_evaluate)(model, u);
    NB(nb_particles_evaluate)(model, u);
    NB(nb_joints_evaluate)(model);
    NB(nb_links_evaluate)(model, u);
    NB(nb_tetrahedra_evaluate)(model, u);
    NB(nb_contacts_evaluate)(model, u);
    NB(nb_limits_evaluate)(model, u);
}
