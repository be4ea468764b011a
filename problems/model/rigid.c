/* Rigid bodies in maximal coordinates with joints and contacts: storage, the Jacobian's pattern, and
 * the order of evaluation. Block rows are those of the joints, then one a contact. */
#include <stdlib.h>

#include "problems/joints.h"
#include "problems/model/rigid.h"

void NB(nb_rigid_free)(struct NB(nb_rigid) *rigid)
{
    if (!rigid)
        return;
    NB(nb_bodies_free)(&rigid->bodies);
    NB(nb_contacts_free)(&rigid->contacts);
    NB(nb_joint_frames_free)(&rigid->joints);
    free(rigid);
}

/* Columns of the nodes of two sides in ascending order; returns the next free place. */
static int fill_sides(const int *body, int *column, int at)
{
    const int swap = body[0] >= 0 && body[1] >= 0 && body[0] > body[1];
    for (int side = 0; side < 2; ++side) {
        const int b = body[swap ? 1 - side : side];
        if (b < 0)
            continue;
        column[at++] = 2 * b;
        column[at++] = 2 * b + 1;
    }
    return at;
}

/* Two nodes for each body of a joint, in each of its block rows, and of a contact. */
static void fill_pattern(struct NB(nb_model) *model)
{
    const struct nb_problem *problem = model->problem;
    struct NB(nb_bsr) *jacobian = &model->jacobian;
    int at = 0, row = 0;
    for (int i = 0; i < problem->joints.count; ++i)
        for (int k = 0; k < nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i]); k += 3) {
            at = fill_sides(problem->joints.body + 2 * (size_t)i, jacobian->column, at);
            jacobian->start[++row] = at;
        }
    for (int i = 0; i < model->contacts; ++i) {
        at = fill_sides(problem->contacts.body + 2 * (size_t)i, jacobian->column, at);
        jacobian->start[++row] = at;
    }
}

/* Bodies that the block rows meet, counted with repeats. */
static int count_sides(const struct nb_problem *problem)
{
    const struct nb_joints *joints = &problem->joints;
    int sides = 0;
    for (int i = 0; i < 2 * problem->contacts.count; ++i)
        sides += problem->contacts.body[i] >= 0;
    for (int i = 0; i < 2 * joints->count; ++i)
        if (joints->body[i] >= 0)
            sides += (nb_joint_rows((enum nb_joint_kind)joints->kind[i / 2]) + 2) / 3;
    return sides;
}

enum nb_status NB(nb_rigid_create)(struct NB(nb_model) *model, struct nb_error *error)
{
    model->rigid = calloc(1, sizeof *model->rigid);
    if (!model->rigid)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the rigid bodies");
    enum nb_status status = NB(nb_bodies_create)(model, error);
    if (!status)
        status = NB(nb_contacts_create)(model, error);
    if (!status)
        status = NB(nb_joints_create)(model, error);
    if (!status)
        status = NB(nb_bsr_allocate)(&model->jacobian, model->blocks, model->nodes,
                                     2 * count_sides(model->problem), error);
    if (!status)
        fill_pattern(model);
    return status;
}

void NB(nb_rigid_evaluate)(struct NB(nb_model) *model, const nb_real *u)
{
    NB(nb_bodies_evaluate)(model, u);
    NB(nb_joints_evaluate)(model);
    NB(nb_contacts_evaluate)(model, u);
}
