/* The joints of the step linearised at q-: c_b + E lambda_b = 0 becomes, with l = h lambda_b and
 * C = E/h^2,
 *
 *     G^T v + b = 0,   b = c_b(q-)/h                     rows without compliance,
 *     l = -C^-1 (J v + c_b(q-)/h)                        rows with compliance,
 *
 * and the latter put into M v = H r + G l + f: (M + J^T C^-1 J) v = H r + G l + f - J^T C^-1 c_b/h.
 * So v is the same as with these rows kept, and FCLIB, which knows no compliance, can hold the step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/joints.h"

static int is_rigid(const struct nb_joints *joints, int joint, int row)
{
    return joints->compliance[NB_JOINT_ROWS * joint + row] == 0;
}

static int joint_rows(const struct nb_joints *joints, int joint)
{
    return nb_joint_rows((enum nb_joint_kind)joints->kind[joint]);
}

static int count_rigid(const struct nb_joints *joints)
{
    int count = 0;
    for (int i = 0; i < joints->count; ++i)
        for (int row = 0; row < joint_rows(joints, i); ++row)
            count += is_rigid(joints, i, row);
    return count;
}

void nb_problem_linear_multipliers(const struct nb_problem *problem, const double *lambda,
                                   double *out)
{
    const struct nb_joints *joints = &problem->joints;
    const int contact_rows = 3 * nb_problem_contacts(problem);
    int from = 0, to = 0;
    if (problem->form != NB_NONLINEAR)
        for (; from < nb_problem_bilaterals(problem); ++from)
            out[to++] = lambda[from];
    else
        for (int i = 0; i < joints->count; ++i)
            for (int row = 0; row < joint_rows(joints, i); ++row, ++from)
                if (is_rigid(joints, i, row))
                    out[to++] = lambda[from];
    for (int i = 0; i < contact_rows; ++i)
        out[to++] = lambda[from++];
}

/* The body-ordered sides of a joint, so that columns ascend; the world is left out. */
static int moving_sides(const int *body, int *sides)
{
    const int first = body[0] < body[1] ? 0 : 1;
    int count = 0;
    for (int turn = 0; turn < 2; ++turn) {
        const int side = turn ? 1 - first : first;
        if (body[side] >= 0)
            sides[count++] = side;
    }
    return count;
}

static void append_rigid(const double *row, const int *body, struct nb_csr *matrix, int *entries,
                         int at)
{
    int sides[2];
    const int count = moving_sides(body, sides);
    for (int s = 0; s < count; ++s)
        for (int k = 0; k < 6; ++k) {
            matrix->column[*entries] = 6 * body[sides[s]] + k;
            matrix->value[(*entries)++] = row[6 * sides[s] + k];
        }
    matrix->start[at + 1] = *entries;
}

struct triplets {
    int count, *row, *column;
    double *value;
};

/* J^T C^-1 J of one row, and f -= J^T C^-1 c_b/h. */
static void fold_row(const double *row, const int *body, double stiffness, double violation,
                     struct triplets *list, double *force)
{
    int index[12];
    for (int k = 0; k < 12; ++k)
        index[k] = body[k / 6] < 0 ? -1 : 6 * body[k / 6] + k % 6;
    for (int i = 0; i < 12; ++i) {
        if (index[i] < 0)
            continue;
        force[index[i]] -= row[i] * stiffness * violation;
        for (int k = 0; k < 12; ++k) {
            const double value = row[i] * row[k] * stiffness;
            if (index[k] < 0 || value == 0)
                continue;
            list->row[list->count] = index[i];
            list->column[list->count] = index[k];
            list->value[list->count++] = value;
        }
    }
}

static enum nb_status fill_rows(const struct nb_problem *problem, struct nb_linear_step *step,
                                struct triplets *list, struct nb_error *error)
{
    const struct nb_joints *joints = &problem->joints;
    const double h = problem->time_step;
    int entries = 0, rigid = 0;
    for (int i = 0; i < joints->count; ++i) {
        const int *body = joints->body + 2 * i;
        double value[NB_JOINT_ROWS], jacobian[12 * NB_JOINT_ROWS];
        nb_joint_evaluate(problem, i, value, jacobian);
        for (int row = 0; row < joint_rows(joints, i); ++row) {
            const double compliance = joints->compliance[NB_JOINT_ROWS * i + row];
            const double stiffness = h * h / compliance;
            if (is_rigid(joints, i, row)) {
                step->bilateral_velocity[rigid] = value[row] / h;
                append_rigid(jacobian + 12 * row, body, &step->bilateral_jacobian, &entries,
                             rigid++);
            } else if (!isfinite(stiffness)) {
                return nb_fail(error, NB_BAD_INPUT,
                               "joints/compliance: row %d of entry %d is %g, too small for the "
                               "linearised step; 0 makes the row rigid", row, i, compliance);
            } else {
                fold_row(jacobian + 12 * row, body, stiffness, value[row] / h, list, step->force);
            }
        }
    }
    return NB_OK;
}

/* M + the folded rows. */
static enum nb_status replace_mass(struct nb_csr *mass, struct triplets *list,
                                   struct nb_error *error)
{
    struct nb_csr folded;
    for (int row = 0; row < mass->rows; ++row)
        for (int k = mass->start[row]; k < mass->start[row + 1]; ++k) {
            list->row[list->count] = row;
            list->column[list->count] = mass->column[k];
            list->value[list->count++] = mass->value[k];
        }
    const enum nb_status status = nb_csr_from_triplets(&folded, mass->rows, mass->columns,
                                                       list->count, list->row, list->column,
                                                       list->value, error);
    if (status)
        return status;
    nb_csr_free(mass);
    *mass = folded;
    return NB_OK;
}

enum nb_status nb_linearize_joints(const struct nb_problem *problem, struct nb_linear_step *step,
                                   struct nb_error *error)
{
    const int rigid = count_rigid(&problem->joints), soft = nb_problem_bilaterals(problem) - rigid;
    const size_t room = 144 * (size_t)soft + (size_t)step->mass.start[step->mass.rows] + 1;
    struct triplets list = {0, malloc(room * sizeof(int)), malloc(room * sizeof(int)),
                            malloc(room * sizeof(double))};
    step->bilaterals = rigid;
    step->bilateral_velocity = calloc((size_t)rigid + 1, sizeof *step->bilateral_velocity);
    enum nb_status status = nb_csr_allocate(&step->bilateral_jacobian, rigid, step->dofs,
                                            12 * rigid, error);
    if (!status && (!list.row || !list.column || !list.value || !step->bilateral_velocity))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to linearise problem %s",
                         problem->name);
    if (!status)
        status = fill_rows(problem, step, &list, error);
    if (!status && soft > 0)
        status = replace_mass(&step->mass, &list, error);
    free(list.row);
    free(list.column);
    free(list.value);
    return status;
}
