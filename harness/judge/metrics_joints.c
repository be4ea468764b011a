/* Joints for the judge. With A and B the frames of the two sides, P their origins and q their
 * orientations in the world, n_j the world's axes:
 *
 *     x = R_B^T (P_A - P_B),    e = 2 s vec(conj(q_B) q_A),   s = +-1 with the scalar part >= 0 at
 * q-,
 *
 * and the columns of J are what these change by when one velocity is one: by v, +- R_B^T n_j; by
 * omega of A, R_B^T (n_j x r_A) and s vec(conj(q_B) (0, n_j) q_A), r_A from A's centre of mass; by
 * omega of B, the opposite with the arm from B's centre of mass to P_A (Macklin et al. 2019, 89).
 *
 * A limit measures x_z, or the angle 2 atan2(s q_3, s q_0) with q = conj(q_B) q_A, whose change is
 * (q_0 p_3 - q_3 p_0)/(q_0^2 + q_3^2) for p = conj(q_B) (0, n_j) q_A; of a ball the angle 2 acos(s q_0), by |vec q|
 * and s q_0, whose change is -2 times that of s q_0, s p_0/2, over the sine |vec q|; its tangents are those of
 * problems/problem.h, which the step does not turn.
 *
 * Written apart from solvers/ and problems/ so that one mistake cannot hide in all. */
#include <math.h>
#include <string.h>

#include "harness/judge/metrics_private.h"

/* Quantities in row order: 0 to 2 are x, 3 to 5 are e. */
static int quantities(int kind, int out[6])
{
    static const int fixed[6] = {0, 1, 2, 3, 4, 5}, slider[5] = {0, 1, 3, 4, 5};
    const int count = kind == NB_JOINT_FIXED ? 6 : kind == NB_JOINT_BALL ? 3 : 5;
    memcpy(out, kind == NB_JOINT_SLIDER ? slider : fixed, (size_t)count * sizeof *out);
    return count;
}

static void multiply(const double *a, const double *b, double out[4])
{
    const double product[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                               a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                               a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                               a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, product, sizeof product);
}

/* conj(a) v a as a vector: v in the frame that a turns into the world; the length is kept. */
static void into_frame(const double *a, const double *v, double out[3])
{
    const double back[4] = {a[0], -a[1], -a[2], -a[3]}, pure[4] = {0, v[0], v[1], v[2]};
    double half[4], whole[4];
    multiply(back, pure, half);
    multiply(half, a, whole);
    memcpy(out, whole + 1, 3 * sizeof *out);
}

static void out_of_frame(const double *a, const double *v, double out[3])
{
    const double back[4] = {a[0], -a[1], -a[2], -a[3]};
    into_frame(back, v, out);
}

static void cross(const double *a, const double *b, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

struct side {
    int body;
    double centre[3], arm[3], origin[3], turn[4]; /* turn: the frame's orientation */
};

static void locate(const struct nb_joints *joints, int i, int which,
                   const struct nb_configuration *at, struct side *side)
{
    const double *point = joints->point + 6 * i + 3 * which;
    const double *turn = joints->orientation + 8 * i + 4 * which;
    memset(side, 0, sizeof *side);
    side->body = joints->body[2 * i + which];
    if (side->body < 0) {
        memcpy(side->origin, point, sizeof side->origin);
        memcpy(side->turn, turn, sizeof side->turn);
        return;
    }
    memcpy(side->centre, at->position + 3 * side->body, sizeof side->centre);
    out_of_frame(at->orientation + 4 * side->body, point, side->arm);
    for (int k = 0; k < 3; ++k)
        side->origin[k] = side->centre[k] + side->arm[k];
    multiply(at->orientation + 4 * side->body, turn, side->turn);
}

/* What both sides together measure: x and e, and e's scalar part for its sign. */
static double measure(const struct side *a, const struct side *b, double out[6])
{
    const double back[4] = {b->turn[0], -b->turn[1], -b->turn[2], -b->turn[3]};
    double between[3], q[4];
    for (int k = 0; k < 3; ++k)
        between[k] = a->origin[k] - b->origin[k];
    into_frame(b->turn, between, out);
    multiply(back, a->turn, q);
    for (int k = 0; k < 3; ++k)
        out[3 + k] = 2 * q[1 + k];
    return q[0];
}

/* conj(q_B) (0, n_j) q_A */
static void relative_rate(const struct side *a, const struct side *b, int j, double out[4])
{
    const double back[4] = {b->turn[0], -b->turn[1], -b->turn[2], -b->turn[3]};
    const double pure[4] = {0, j == 0, j == 1, j == 2};
    double half[4];
    multiply(back, pure, half);
    multiply(half, a->turn, out);
}

/* Column j of omega: the change of x and e with omega = n_j on a side whose arm to P_A is given. */
static void turning(const struct side *a, const struct side *b, const double *arm, int j,
                    double out[6])
{
    const double axis[3] = {j == 0, j == 1, j == 2};
    double velocity[3], rate[4];
    cross(axis, arm, velocity);
    into_frame(b->turn, velocity, out);
    relative_rate(a, b, j, rate);
    memcpy(out + 3, rate + 1, 3 * sizeof *out);
}

/* columns [side][dof][quantity] */
static void differentiate(const struct side *a, const struct side *b, double columns[2][6][6])
{
    double arm_b[3];
    for (int k = 0; k < 3; ++k)
        arm_b[k] = a->origin[k] - b->centre[k];
    for (int side = 0; side < 2; ++side)
        for (int j = 0; j < 3; ++j) {
            const double axis[3] = {j == 0, j == 1, j == 2};
            memset(columns[side][j], 0, sizeof columns[side][j]);
            into_frame(b->turn, axis, columns[side][j]);
            turning(a, b, side ? arm_b : a->arm, j, columns[side][3 + j]);
        }
    for (int j = 0; j < 6; ++j)
        for (int k = 0; k < 6; ++k)
            columns[1][j][k] = -columns[1][j][k];
}

static int first_side(const int *body)
{
    return body[1] < body[0];
}

/* Columns of J_b's first rows. */
static void joints_pattern(const struct nb_problem *problem, struct nb_csr *jacobian)
{
    const struct nb_joints *joints = &problem->joints;
    int at = 0, row = 0, unused[6];
    for (int i = 0; i < joints->count; ++i) {
        const int *body = joints->body + 2 * i, first = first_side(body);
        for (int end = row + quantities(joints->kind[i], unused); row < end; ++row) {
            for (int turn = 0; turn < 2; ++turn)
                for (int k = 0; body[(first + turn) % 2] >= 0 && k < 6; ++k)
                    jacobian->column[at++] = 6 * body[(first + turn) % 2] + k;
            jacobian->start[row + 1] = at;
        }
    }
}

void nb_joints_signs(const struct nb_problem *problem, const struct nb_configuration *at,
                     double *sign)
{
    for (int i = 0; i < problem->joints.count; ++i) {
        struct side a, b;
        double unused[6];
        locate(&problem->joints, i, 0, at, &a);
        locate(&problem->joints, i, 1, at, &b);
        sign[i] = measure(&a, &b, unused) < 0 ? -1 : 1;
    }
}

void nb_joints_evaluate(const struct nb_problem *problem, const struct nb_configuration *at,
                        const double *sign, double *value, struct nb_csr *jacobian)
{
    const struct nb_joints *joints = &problem->joints;
    int row = 0;
    for (int i = 0; i < joints->count; ++i) {
        const int *body = joints->body + 2 * i, first = first_side(body);
        struct side a, b;
        double all[6], columns[2][6][6];
        int which[6];
        locate(joints, i, 0, at, &a);
        locate(joints, i, 1, at, &b);
        measure(&a, &b, all);
        differentiate(&a, &b, columns);
        const int count = quantities(joints->kind[i], which);
        for (int k = 0; k < count; ++k, ++row) {
            const double factor = which[k] < 3 ? 1 : sign[i];
            int entry = jacobian->start[row];
            value[row] = factor * all[which[k]];
            for (int turn = 0; turn < 2; ++turn) {
                const int side = (first + turn) % 2;
                for (int j = 0; body[side] >= 0 && j < 6; ++j)
                    jacobian->value[entry++] = factor * columns[side][j][which[k]];
            }
        }
    }
}

/* The lengths that rounding sees where the positions of a joint's sides are subtracted. */
static double reach(const struct nb_problem *problem, int joint, const struct nb_configuration *at)
{
    double length = 0;
    for (int s = 0; s < 2; ++s) {
        struct side side;
        locate(&problem->joints, joint, s, at, &side);
        const double *part[2] = {side.centre, side.body < 0 ? side.origin : side.arm};
        for (int k = 0; k < 2; ++k)
            length += sqrt(part[k][0] * part[k][0] + part[k][1] * part[k][1] +
                           part[k][2] * part[k][2]);
    }
    return length;
}

/* As for gaps: the magnitudes of what is subtracted; of a quaternion product, its unit factors. */
/* terms [rows of joints]: a bound of the magnitudes of which c_b is made up. */
static void joints_terms(const struct nb_problem *problem, const struct nb_configuration *at,
                         double *terms)
{
    const struct nb_joints *joints = &problem->joints;
    int row = 0, which[6];
    for (int i = 0; i < joints->count; ++i) {
        const double length = reach(problem, i, at);
        const int count = quantities(joints->kind[i], which);
        for (int k = 0; k < count; ++k)
            terms[row++] = which[k] < 3 ? length : 2;
    }
}

/* The angle of a hinge, and its change [3] with omega = n_j of A. */
static double angle_of(const struct side *a, const struct side *b, double sign, double rate[3])
{
    const double back[4] = {b->turn[0], -b->turn[1], -b->turn[2], -b->turn[3]};
    double q[4], p[4];
    multiply(back, a->turn, q);
    for (int j = 0; j < 3; ++j) {
        relative_rate(a, b, j, p);
        rate[j] = (q[0] * p[3] - q[3] * p[0]) / (q[0] * q[0] + q[3] * q[3]);
    }
    return 2 * atan2(sign * q[3], sign * q[0]);
}

/* The whole angle of a ball, and its change with omega = n_j of A: -2 d(s q_0)/sin(angle/2), d(s q_0) = s p_0/2. At no
 * rotation it begins about z of B. */
static double ball_angle_of(const struct side *a, const struct side *b, double sign, double rate[3])
{
    const double back[4] = {b->turn[0], -b->turn[1], -b->turn[2], -b->turn[3]}, z[3] = {0, 0, 1};
    double q[4], p[4];
    multiply(back, a->turn, q);
    const double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    out_of_frame(b->turn, z, rate);
    for (int j = 0; j < 3 && sine > 0; ++j) {
        relative_rate(a, b, j, p);
        rate[j] = -sign * p[0] / sine;
    }
    return 2 * atan2(sine, sign * q[0]);
}

/* The axis of B at q- after which the tangents follow in turn: the one about which a ball is turned most. */
static int turned_most(const struct nb_problem *problem, int joint, const struct nb_configuration *start)
{
    struct side a, b;
    double all[6];
    int most = 5;
    locate(&problem->joints, joint, 0, start, &a);
    locate(&problem->joints, joint, 1, start, &b);
    measure(&a, &b, all);
    for (int k = 3; k < 5 && problem->joints.kind[joint] == NB_JOINT_BALL; ++k)
        most = fabs(all[k]) > fabs(all[most]) ? k : most;
    return most;
}

/* The coordinate that a limit bounds and its row [side][dof], then the tangents' rows. */
static double limited(const struct nb_problem *problem, int joint,
                      const struct nb_configuration *at, double sign, double rows[3][2][6])
{
    const struct nb_configuration start = {problem->bodies.position, problem->bodies.orientation,
                                           NULL};
    const int kind = problem->joints.kind[joint], slider = kind == NB_JOINT_SLIDER;
    const int most = turned_most(problem, joint, &start);
    struct side a, b, b_start;
    double all[6], columns[2][6][6], rate[3], value;
    memset(rows, 0, 36 * sizeof(double));
    locate(&problem->joints, joint, 0, at, &a);
    locate(&problem->joints, joint, 1, at, &b);
    locate(&problem->joints, joint, 1, &start, &b_start);
    measure(&a, &b, all);
    differentiate(&a, &b, columns);
    value = slider ? all[2] : (kind == NB_JOINT_BALL ? ball_angle_of : angle_of)(&a, &b, sign, rate);
    for (int side = 0; side < 2; ++side) {
        for (int j = 0; j < 6 && slider; ++j)
            rows[0][side][j] = columns[side][j][2];
        for (int j = 0; j < 3 && !slider; ++j)
            rows[0][side][3 + j] = side ? -rate[j] : rate[j];
        for (int k = 0; k < 2; ++k) {
            const double axis[3] = {(most + 1 + k) % 3 == 0, (most + 1 + k) % 3 == 1, (most + 1 + k) % 3 == 2};
            double world[3];
            out_of_frame(b_start.turn, axis, world);
            for (int j = 0; j < 3; ++j)
                rows[1 + k][side][(slider ? 0 : 3) + j] = side ? -world[j] : world[j];
        }
    }
    return value;
}

void nb_limits_evaluate(const struct nb_problem *problem, const struct nb_configuration *at,
                        const double *sign, double *gap, struct nb_csr *jacobian)
{
    const struct nb_limits *limits = &problem->limits;
    for (int i = 0; i < limits->count; ++i) {
        const int joint = limits->joint[i], *body = problem->joints.body + 2 * joint;
        const double outward = limits->side[i] == NB_LIMIT_LOWER ? 1 : -1;
        double rows[3][2][6];
        gap[i] = outward * (limited(problem, joint, at, sign[joint], rows) - limits->bound[i]);
        for (int k = 0; k < 3; ++k) {
            int entry = jacobian->start[3 * (problem->contacts.count + i) + k];
            for (int turn = 0; turn < 2; ++turn) {
                const int side = (first_side(body) + turn) % 2;
                for (int j = 0; body[side] >= 0 && j < 6; ++j)
                    jacobian->value[entry++] = (k == 0 ? outward : 1) * rows[k][side][j];
            }
        }
    }
}

void nb_limits_terms(const struct nb_problem *problem, const struct nb_configuration *at,
                     double *terms)
{
    const struct nb_limits *limits = &problem->limits;
    for (int i = 0; i < limits->count; ++i) {
        const int joint = limits->joint[i];
        const int slider = problem->joints.kind[joint] == NB_JOINT_SLIDER;
        terms[i] = fabs(limits->bound[i]) + (slider ? reach(problem, joint, at) : M_PI);
    }
}

/* All bilateral rows of a nonlinear step for the judge: those of joints, then those of attachments,
 * distances, ties and tetrahedra. */

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
    joints_pattern(problem, jacobian);
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
                          problem->distances.count + 3 * problem->ties.count;
    nb_judge_evaluate_bilaterals(judge);
    joints_terms(problem, &judge->at, judge->bilateral_terms);
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
