/* The joints' rows of the step linearised at q- (problems/joints.h has them, linearize_bilaterals.c
 * says what becomes of them). */
#include "problems/joints.h"
#include "problems/linearize/linearize_rows.h"

void nb_linearize_joints(const struct nb_problem *problem, struct nb_bilaterals *bilaterals)
{
    const struct nb_joints *joints = &problem->joints;
    for (int i = 0; !bilaterals->status && i < joints->count; ++i) {
        const int rows = nb_joint_rows((enum nb_joint_kind)joints->kind[i]);
        const int *body = joints->body + 2 * i;
        double value[NB_JOINT_ROWS], jacobian[12 * NB_JOINT_ROWS];
        nb_joint_evaluate(problem, i, value, jacobian);
        for (int k = 0; k < rows; ++k) {
            struct nb_sparse_row row = {0};
            for (int side = 0; side < 2; ++side)
                if (body[side] >= 0)
                    nb_row_add(&row, 6 * body[side], 6, jacobian + 12 * k + 6 * side);
            nb_bilaterals_add(bilaterals, &row, value[k], joints->compliance[NB_JOINT_ROWS * i + k],
                              "joints/compliance", i, k);
        }
    }
}
