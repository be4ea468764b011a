/* Particles held by bodies, by the world and by each other (problems/problem.h), at q+:
 *
 *     attachment   c = x - (x_B + R_B p)      dc/dt = v - v_B - omega_B x R_B p
 *     distance     c = |x_a - x_b| - length   dc/dt = n . (v_a - v_b),  n = (x_a - x_b)/|x_a - x_b|
 *
 * violation = c/h; the Jacobian is that of joints, velocities at q+. */
#include <stdlib.h>

#include "solvers/model/rows/link_rows.h"

/* E/h^2 in the first `rows` diagonal entries of a block. */
static void set_compliance(struct nb_model *model, int block, int rows, double compliance)
{
    const double h = model->problem->time_step;
    for (int k = 0; k < rows; ++k)
        model->bilateral_compliance[9 * (size_t)block + 4 * (size_t)k] =
            (nb_real)(compliance / (h * h));
}

static void start_attachments(struct nb_model *model, struct nb_links *links)
{
    const struct nb_problem *problem = model->problem;
    const struct nb_attachments *given = &problem->attachments;
    for (int i = 0; i < given->count; ++i) {
        const double *x = problem->particles.position + 3 * (size_t)given->particle[i];
        const double *from = given->body[i] < 0
                                 ? given->point + 3 * (size_t)i
                                 : problem->bodies.position + 3 * (size_t)given->body[i];
        for (size_t k = 0; k < 3; ++k) {
            links->offset[3 * (size_t)i + k] = (nb_real)(x[k] - from[k]);
            if (given->body[i] < 0)
                links->point[3 * (size_t)i + k] = 0;
        }
        set_compliance(model, links->first_attachment + i, 3, given->compliance[i]);
    }
}

static void start_distances(struct nb_model *model, struct nb_links *links)
{
    const struct nb_problem *problem = model->problem;
    for (int i = 0; i < problem->distances.count; ++i) {
        const int *pair = problem->distances.particle + 2 * (size_t)i;
        for (size_t k = 0; k < 3; ++k)
            links->between[3 * (size_t)i + k] =
                (nb_real)(problem->particles.position[3 * (size_t)pair[0] + k] -
                          problem->particles.position[3 * (size_t)pair[1] + k]);
        set_compliance(model, links->first_distance + i, 1, problem->distances.compliance[i]);
    }
}

void NB(nb_links_start)(struct nb_model *model)
{
    const struct nb_problem *problem = model->problem;
    struct nb_links *links = &model->nonlinear->links;
    for (int i = 0; i < problem->joints.count; ++i)
        links->first_attachment +=
            (nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i]) + 2) / 3;
    links->first_distance = links->first_attachment + links->attachments;
    nb_narrow(links->point, problem->attachments.point, 3 * (size_t)links->attachments);
    nb_narrow(links->length, problem->distances.length, (size_t)links->distances);
    start_attachments(model, links);
    start_distances(model, links);
}

void NB(nb_links_evaluate)(struct nb_model *model, const nb_real *u)
{
    for (int i = 0; i < model->nonlinear->links.attachments; ++i)
        NB(nb_evaluate_attachment)(model, i, u);
    for (int i = 0; i < model->nonlinear->links.distances; ++i)
        NB(nb_evaluate_distance)(model, i, u);
}
