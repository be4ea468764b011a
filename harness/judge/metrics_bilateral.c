/* All bilateral rows of a nonlinear step for the judge: those of joints, then those of attachments,
 * distances and tetrahedra. */
#include "harness/judge/metrics_private.h"

static int joint_rows(const struct nb_problem *problem, int i)
{
    return nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i]);
}

static int count_joint_rows(const struct nb_problem *problem)
{
    int rows = 0;
    for (int i = 0; i < problem->joints.count; ++i)
        rows += joint_rows(problem, i);
    return rows;
}

enum nb_status nb_bilaterals_allocate(const struct nb_problem *problem, struct nb_csr *jacobian,
                                      struct nb_error *error)
{
    const int rows = nb_problem_bilaterals(problem); /* none has more than 12 entries */
    const enum nb_status status =
        nb_csr_allocate(jacobian, rows, nb_problem_dofs(problem), 12 * rows, error);
    if (status)
        return status;
    nb_joints_pattern(problem, jacobian);
    nb_deformables_pattern(problem, count_joint_rows(problem), jacobian);
    return NB_OK;
}

void nb_judge_evaluate_bilaterals(struct nb_judge *judge)
{
    if (judge->bilaterals == 0)
        return;
    nb_joints_evaluate(judge->problem, &judge->at, judge->joint_sign, judge->bilateral_value,
                       &judge->own_bilateral);
    nb_deformables_evaluate(judge->problem, &judge->at, judge->first_deformable,
                            judge->bilateral_value, judge->element_compliance,
                            &judge->own_bilateral);
}

/* C = E/h^2, the lengths of the rows, and what c_b is at q-. */
enum nb_status nb_judge_prepare_bilaterals(struct nb_judge *judge, struct nb_error *error)
{
    const struct nb_problem *problem = judge->problem;
    const struct nb_joints *joints = &problem->joints;
    const double h = problem->time_step;
    int row = 0;
    const enum nb_status status = nb_bilaterals_allocate(problem, &judge->own_bilateral, error);
    if (status)
        return status;
    judge->first_deformable = count_joint_rows(problem);
    judge->first_strain = judge->first_deformable + 3 * problem->attachments.count +
                          problem->distances.count;
    nb_judge_evaluate_bilaterals(judge);
    nb_joints_terms(problem, &judge->at, judge->bilateral_terms);
    nb_deformables_terms(problem, &judge->at, judge->first_deformable, &judge->own_bilateral,
                         judge->bilateral_terms);
    for (int i = 0; i < joints->count; ++i)
        for (int k = 0; k < joint_rows(problem, i); ++k, ++row)
            judge->own_compliance[row] = joints->compliance[6 * i + k] / (h * h);
    for (int i = 0; i < judge->bilaterals; ++i) {
        judge->own_bilateral_constant[i] = judge->bilateral_value[i] / h;
        judge->row_length[i] = 1;
    }
    nb_deformables_constants(problem, judge->first_deformable, judge->own_compliance,
                             judge->row_length);
    judge->bilateral = &judge->own_bilateral;
    judge->bilateral_constant = judge->own_bilateral_constant;
    judge->bilateral_compliance = judge->own_compliance;
    return NB_OK;
}

void nb_judge_bilateral_velocity(struct nb_judge *judge)
{
    const double *impulse = judge->impulse + 3 * judge->contacts;
    double *velocity = judge->velocity + 3 * judge->contacts;
    for (int i = 0; i < judge->bilaterals; ++i)
        velocity[i] = judge->bilateral_value[i] / judge->time_step +
                      judge->bilateral_compliance[i] * impulse[i];
    nb_deformables_add_compliance(judge->problem, judge->first_deformable,
                                  judge->element_compliance, impulse, velocity);
}

void nb_judge_add_compliance(const struct nb_judge *judge, double *diagonal)
{
    for (int i = 0; i < judge->bilaterals; ++i)
        diagonal[i] += judge->bilateral_compliance[i];
    nb_deformables_add_diagonal(judge->problem, judge->first_deformable, judge->element_compliance, diagonal);
}
