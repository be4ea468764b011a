/* Particles held by bodies, by the world and by each other (problems/problem.h), at q+:
 *
 *     attachment   c = x - (x_B + R_B p)      dc/dt = v - v_B - omega_B x R_B p
 *     distance     c = |x_a - x_b| - length   dc/dt = n . (v_a - v_b),  n = (x_a - x_b)/|x_a - x_b|
 *     tie          c = sum_k w_k x_k          dc/dt = sum_k w_k v_k
 *
 * violation = c/h; the Jacobian is that of joints, velocities at q+. Of rows with damping, of the share s (problem.h),
 * c - s c(q-) takes the place of c, as a distance's longer length or a tie's other start, and (1 - s) E that of E. */
#include <stdlib.h>

#include "problems/deformables.h"
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
        const double compliance = problem->distances.compliance[i];
        const double share = nb_damped_share(problem->distances.damping, i, compliance, problem->time_step);
        if (share > 0) {
            double direction[3];
            links->length[i] = (nb_real)(problem->distances.length[i] +
                                         share * nb_distance_evaluate(problem, i, direction));
        }
        set_compliance(model, links->first_distance + i, 1, (1 - share) * compliance);
    }
}

static void start_ties(struct nb_model *model, struct nb_links *links)
{
    const struct nb_problem *problem = model->problem;
    const struct nb_ties *ties = &problem->ties;
    for (int i = 0; i < ties->count; ++i) {
        const double share = nb_damped_share(ties->damping, i, ties->compliance[i], problem->time_step);
        double value[3];
        nb_tie_evaluate(problem, i, value);
        for (size_t k = 0; k < 3; ++k)
            links->start[3 * (size_t)i + k] = (nb_real)((1 - share) * value[k]);
        set_compliance(model, links->first_tie + i, 3, (1 - share) * ties->compliance[i]);
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
    links->first_tie = links->first_distance + links->distances;
    nb_narrow(links->length, problem->distances.length, (size_t)links->distances);
    nb_narrow(links->weight, problem->ties.weight, NB_TIED * (size_t)links->ties);
    start_attachments(model, links);
    start_distances(model, links);
    start_ties(model, links);
}

void NB(nb_links_evaluate)(struct nb_model *model, const nb_real *u)
{
    for (int i = 0; i < model->nonlinear->links.attachments; ++i)
        NB(nb_evaluate_attachment)(model, i, u);
    for (int i = 0; i < model->nonlinear->links.distances; ++i)
        NB(nb_evaluate_distance)(model, i, u);
    for (int i = 0; i < model->nonlinear->links.ties; ++i)
        NB(nb_evaluate_tie)(model, i, u);
}
