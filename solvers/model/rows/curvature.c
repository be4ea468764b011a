/* Derivatives of a nonlinear step of rigid bodies by the velocity u, at the state evaluated last.
 * With k = h omega/2, a change of omega turns the body at q+ (Macklin et al. 2019, 89, normalised)
 * by
 *
 *     dtheta = h T domega,   T = (1 + [k]x) / (1 + k . k).
 *
 * A contact's force P = sum_k p_k f_k acts at r = R p -+ rho n, of which only R p turns; a joint's
 * F = sum p_k f_k and m = R_B (q_0 s + v x s), s its rotational impulses, turn with B:
 *
 *     d(r x P) = (dtheta x R p) x P,   d(f . (omega x r)) by r = f . (omega x (dtheta x R p)),
 *     dF = dtheta_B x F,   dm = dtheta_B x m + N (dtheta_A - dtheta_B),
 *     N  = -(s v^T + [s]x (q_0 - [v]x))/2         (s and v in the world's axes).
 *
 * A slider's limit is a force F alone; a hinge's is m = p R_B g with the gradient g of its angle
 * (limit.c), for which N = p R_B (dg/dv (q_0 1 - [v]x) - dg/dq_0 v^T) R_B^T/2. */
#include <string.h>

#include "problems/joints.h"
#include "solvers/model/rows/limit_rows.h"

/* c += scale [a]x [b]x with [a]x [b]x = b a^T - (a . b) 1 */
static void add_double_cross(const nb_real *a, const nb_real *b, nb_real scale, nb_real *c)
{
    const nb_real inner = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] += scale * (b[i] * a[j] - (i == j) * inner);
}

/* c += scale [a]x */
static void add_cross(const nb_real *a, nb_real scale, nb_real *c)
{
    c[1] -= scale * a[2], c[2] += scale * a[1];
    c[3] += scale * a[2], c[5] -= scale * a[0];
    c[6] -= scale * a[1], c[7] += scale * a[0];
}

static void cross(const nb_real *a, const nb_real *b, nb_real *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* T of a body at velocity u. */
static void turn_rate(const nb_real *u, int body, nb_real h, nb_real *t)
{
    const nb_real *omega = u + 6 * (size_t)body + 3;
    const nb_real k[3] = {h / 2 * omega[0], h / 2 * omega[1], h / 2 * omega[2]};
    const nb_real scale = 1 / (1 + k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    memset(t, 0, 9 * sizeof *t);
    t[0] = t[4] = t[8] = scale;
    add_cross(k, scale, t);
}

/* block = scale block T */
static void times_turn(const nb_real *t, nb_real scale, nb_real *block)
{
    for (int i = 0; i < 3; ++i) {
        nb_real row[3] = {0, 0, 0};
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 3; ++j)
                row[j] += scale * block[3 * i + k] * t[3 * k + j];
        memcpy(block + 3 * i, row, sizeof row);
    }
}

/* The place of a node among those of a row. */
static int node_of(const struct nb_model *model, int row, int node)
{
    return nb_block_at(&model->jacobian, row, node) - model->jacobian.start[row];
}

static nb_real *pair_block(const struct nb_model *model, int row, int a, int b, nb_real *pairs)
{
    const int nodes = model->jacobian.start[row + 1] - model->jacobian.start[row];
    return pairs + 9 * (size_t)(a * nodes + b);
}

/* Of the body on one side of a contact T and the arm R p; returns the place of its rotation among the row's nodes, -1
 * where there is no body. */
static int turning_side(const struct nb_model *model, int i, int side, const nb_real *u, nb_real *t, nb_real *r)
{
    const struct nb_contact_points *contacts = &model->nonlinear->contacts;
    const int body = contacts->body[2 * i + side];
    if (body < 0)
        return -1;
    turn_rate(u, body, model->time_step, t);
    nb_block_apply(model->nonlinear->bodies.rotation + 9 * (size_t)body,
                   contacts->point + 6 * (size_t)i + 3 * side, r);
    return node_of(model, model->bilateral_blocks + i, 2 * body + 1);
}

/* The rows of a contact's violation get the part of tangential motion that turns with the body of one side. */
static void contact_slope(const struct nb_model *model, int i, int side, const nb_real *u, nb_real *slope)
{
    const struct nb_contact_points *contacts = &model->nonlinear->contacts;
    const nb_real h = model->time_step, sign = side == 0 ? 1 : -1;
    const nb_real *frame = contacts->frame + 9 * (size_t)i;
    nb_real r[3], t[9], normal[3];
    const int node = turning_side(model, i, side, u, t, r);
    if (node < 0)
        return;
    const nb_real *omega = u + 6 * (size_t)contacts->body[2 * i + side] + 3;
    nb_real *rows = slope + 9 * (size_t)(model->jacobian.start[model->bilateral_blocks + i] + node);
    for (int c = 0; c < 3; ++c) /* the normal row measures the gap itself */
        normal[c] = rows[0] * t[c] + rows[1] * t[3 + c] + rows[2] * t[6 + c];
    memcpy(rows, normal, sizeof normal);
    for (int k = 1; k < 3; ++k) {
        nb_real turned[3], arm[3];
        cross(frame + 3 * k, omega, turned);
        cross(r, turned, arm);
        for (int c = 0; c < 3; ++c)
            rows[3 * k + c] += sign * h * (arm[0] * t[c] + arm[1] * t[3 + c] + arm[2] * t[6 + c]);
    }
}

/* How the torque of impulse p on one side of a contact turns with the body. */
static void contact_pairs(const struct nb_model *model, int i, int side, const nb_real *u, const nb_real *p,
                          nb_real *pairs)
{
    const nb_real *frame = model->nonlinear->contacts.frame + 9 * (size_t)i;
    nb_real r[3], t[9], force[3];
    const int node = turning_side(model, i, side, u, t, r);
    if (node < 0)
        return;
    nb_real *torque = pair_block(model, model->bilateral_blocks + i, node, node, pairs);
    for (int k = 0; k < 3; ++k)
        force[k] = p[0] * frame[k] + p[1] * frame[3 + k] + p[2] * frame[6 + k];
    add_double_cross(force, r, side == 0 ? 1 : -1, torque);
    times_turn(t, model->time_step, torque);
}

/* F and the rotational impulses s of `rows` rows of a joint, in the world's axes. */
static void joint_impulses(const struct nb_joint_state *state, const int *axes, int rows,
                           const nb_real *p, nb_real *force, nb_real *turning)
{
    for (int k = 0; k < rows; ++k) {
        const int axis = axes[k];
        nb_real *out = axis < 3 ? force : turning;
        for (int j = 0; j < 3; ++j)
            out[j] += p[k] * state->axis[3 * (axis % 3) + j];
    }
}

/* Columns of d(momentum)/dtheta of A and B, in the world's axes: row node x column node. */
static void fill_joint_pairs(const struct nb_joint_state *state, const nb_real *force,
                             const nb_real *turning, nb_real block[4][4][9])
{
    enum { XA, TA, XB, TB };
    nb_real v[3] = {0, 0, 0}, moment[3], n[9] = {0}, inner[9] = {0};
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            v[j] += state->vector[k] * state->axis[3 * k + j];
    cross(v, turning, moment);
    for (int k = 0; k < 3; ++k)
        moment[k] += state->scalar * turning[k];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            n[3 * i + j] = -turning[i] * v[j] / 2;
    add_cross(turning, -state->scalar / 2, n);
    add_double_cross(turning, v, NB_REAL(0.5), n);
    memset(block, 0, 16 * 9 * sizeof(nb_real));
    add_cross(force, -1, block[XA][TB]);
    add_cross(force, 1, block[XB][TB]);
    add_double_cross(force, state->arm[0], 1, block[TA][TA]);
    add_double_cross(state->arm[0], force, -1, block[TA][TB]);
    add_cross(force, 1, block[TB][XA]);
    add_cross(force, -1, block[TB][XB]);
    add_double_cross(force, state->arm[0], -1, block[TB][TA]);
    add_double_cross(state->arm[1], force, 1, block[TB][TB]);
    add_cross(moment, -1, inner);
    for (int k = 0; k < 9; ++k) {
        block[TA][TA][k] += n[k];
        block[TA][TB][k] += inner[k] - n[k];
        block[TB][TA][k] -= n[k];
        block[TB][TB][k] -= inner[k] - n[k];
    }
}

/* Derivatives by the turns and displacements of both bodies, into the pairs of their nodes. */
static void spread_pairs(const struct nb_model *model, const int *body, int row,
                         nb_real block[4][4][9], const nb_real *u, nb_real *pairs)
{
    const nb_real h = model->time_step;
    for (int b = 0; b < 2; ++b) {
        nb_real t[9];
        if (body[b] < 0)
            continue;
        const int column = node_of(model, row, 2 * body[b]);
        turn_rate(u, body[b], h, t);
        for (int a = 0; a < 2; ++a)
            for (int k = 0; k < 2 && body[a] >= 0; ++k) {
                const int line = node_of(model, row, 2 * body[a] + k);
                nb_real *moved = pair_block(model, row, line, column, pairs);
                nb_real *turned = pair_block(model, row, line, column + 1, pairs);
                for (int j = 0; j < 9; ++j)
                    moved[j] = h * block[2 * a + k][2 * b][j];
                memcpy(turned, block[2 * a + k][2 * b + 1], 9 * sizeof *turned);
                times_turn(t, h, turned);
            }
    }
}

/* One block row of joint i: the slope's rotation blocks are turned, and its impulses' pairs. */
static void joint_block(const struct nb_model *model, const struct nb_joint_state *state, int i,
                        int row, const int *axes, int rows, const nb_real *u, const nb_real *p,
                        nb_real *slope, nb_real *pairs)
{
    const int *body = model->nonlinear->joints.body + 2 * i;
    const nb_real h = model->time_step;
    nb_real force[3] = {0, 0, 0}, turning[3] = {0, 0, 0}, block[4][4][9], t[9];
    joint_impulses(state, axes, rows, p, force, turning);
    fill_joint_pairs(state, force, turning, block);
    spread_pairs(model, body, row, block, u, pairs);
    for (int b = 0; b < 2; ++b) {
        if (body[b] < 0)
            continue;
        const int column = node_of(model, row, 2 * body[b]);
        turn_rate(u, body[b], h, t);
        times_turn(t, 1, slope + 9 * (size_t)(model->jacobian.start[row] + column + 1));
    }
}

static void joint_curvature(const struct nb_model *model, int i, const nb_real *u,
                            const nb_real *impulse, nb_real *slope, nb_real *pairs,
                            const int *pair_start)
{
    const struct nb_joint_frames *joints = &model->nonlinear->joints;
    const enum nb_joint_kind kind = (enum nb_joint_kind)joints->kind[i];
    const int rows = nb_joint_rows(kind), *axes = nb_joint_axes(kind);
    struct nb_joint_state state;
    nb_joint_place(model->nonlinear, i, &state);
    for (int first = 0, row = joints->first_block[i]; first < rows; first += 3, ++row)
        joint_block(model, &state, i, row, axes + first, rows - first < 3 ? rows - first : 3, u,
                    impulse + 3 * (size_t)row, slope, pairs + 9 * (size_t)pair_start[row]);
}

/* dg/d(q_0, v) of a hinge's angle, rows x and y; z is constant. */
static void hinge_slope(const struct nb_joint_state *state, nb_real slope[3][4])
{
    const nb_real *v = state->vector, q = state->scalar;
    const nb_real s = nb_max(q * q + v[2] * v[2], NB_REAL(NB_UNIT_ROUNDOFF));
    const nb_real x = (q * v[1] + v[2] * v[0]) / s, y = (v[2] * v[1] - q * v[0]) / s;
    const nb_real by_x[4] = {v[1] - 2 * q * x, v[2], q, v[0] - 2 * v[2] * x};
    const nb_real by_y[4] = {-v[0] - 2 * q * y, -q, v[2], v[1] - 2 * v[2] * y};
    for (int k = 0; k < 4; ++k) {
        slope[0][k] = by_x[k] / s;
        slope[1][k] = by_y[k] / s;
    }
}

/* The same of a ball's, v/|v|: three rows. Without a rotation there is no slope, and no limit near. */
static void ball_slope(const struct nb_joint_state *state, nb_real slope[3][4])
{
    const nb_real *v = state->vector, size = NB(nb_rotation_size)(state);
    for (int r = 0; r < 3; ++r) {
        slope[r][0] = 0;
        for (int c = 0; c < 3; ++c)
            slope[r][1 + c] = size > 0 ? ((nb_real)(r == c) - v[r] / size * (v[c] / size)) / size : 0;
    }
}

/* N of the limit of a hinge or a ball at a unit impulse, world axes. */
static void angle_turn(const struct nb_joint_state *state, int kind, nb_real *n)
{
    const nb_real *v = state->vector, q = state->scalar;
    const nb_real turn[9] = {q, v[2], -v[1], -v[2], q, v[0], v[1], -v[0], q}; /* q_0 1 - [v]x */
    nb_real slope[3][4] = {{0}};
    if (kind == NB_JOINT_BALL)
        ball_slope(state, slope);
    else
        hinge_slope(state, slope);
    memset(n, 0, 9 * sizeof *n);
    for (int r = 0; r < 3; ++r) {
        nb_real row[3], world[3] = {0, 0, 0};
        for (int c = 0; c < 3; ++c)
            row[c] = (slope[r][1] * turn[c] + slope[r][2] * turn[3 + c] +
                      slope[r][3] * turn[6 + c] - slope[r][0] * v[c]) / 2;
        for (int c = 0; c < 3; ++c)
            for (int j = 0; j < 3; ++j)
                world[j] += row[c] * state->axis[3 * c + j];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                n[3 * i + j] += state->axis[3 * r + i] * world[j];
    }
}

static void fill_angle_pairs(const struct nb_joint_state *state, int kind, nb_real p, nb_real block[4][4][9])
{
    enum { XA, TA, XB, TB };
    nb_real moment[3], n[9], turned[9];
    NB(nb_angle_gradient)
    (state, kind, moment);
    angle_turn(state, kind, n);
    memset(block, 0, 16 * 9 * sizeof(nb_real));
    memset(turned, 0, sizeof turned);
    add_cross(moment, -p, turned);
    for (int k = 0; k < 9; ++k) {
        block[TA][TA][k] = p * n[k];
        block[TA][TB][k] = turned[k] - p * n[k];
        block[TB][TA][k] = -p * n[k];
        block[TB][TB][k] = p * n[k] - turned[k];
    }
}

/* Only the normal row measures what turns; the tangents are constant. */
static void limit_slope(const struct nb_model *model, int i, const nb_real *u, nb_real *slope)
{
    const int row = model->bilateral_blocks + model->nonlinear->contacts.count + i;
    const int *body = model->nonlinear->joints.body + 2 * model->nonlinear->limits.joint[i];
    for (int b = 0; b < 2; ++b) {
        nb_real t[9], turned[3];
        if (body[b] < 0)
            continue;
        const int node = node_of(model, row, 2 * body[b] + 1);
        nb_real *normal = slope + 9 * (size_t)(model->jacobian.start[row] + node);
        turn_rate(u, body[b], model->time_step, t);
        for (int c = 0; c < 3; ++c)
            turned[c] = normal[0] * t[c] + normal[1] * t[3 + c] + normal[2] * t[6 + c];
        memcpy(normal, turned, sizeof turned);
    }
}

static void limit_pairs(const struct nb_model *model, int i, const nb_real *u, const nb_real *impulse, nb_real *pairs)
{
    const struct nb_limit_rows *limits = &model->nonlinear->limits;
    const struct nb_joint_frames *joints = &model->nonlinear->joints;
    const int row = model->bilateral_blocks + model->nonlinear->contacts.count + i, joint = limits->joint[i];
    const nb_real p = (limits->side[i] == NB_LIMIT_LOWER ? 1 : -1) * impulse[0];
    struct nb_joint_state state;
    nb_real block[4][4][9];
    nb_joint_place(model->nonlinear, joint, &state);
    if (joints->kind[joint] == NB_JOINT_SLIDER) {
        const nb_real *axis = state.axis + 6, force[3] = {p * axis[0], p * axis[1], p * axis[2]};
        fill_joint_pairs(&state, force, (const nb_real[3]){0, 0, 0}, block);
    } else {
        fill_angle_pairs(&state, joints->kind[joint], p, block);
    }
    spread_pairs(model, joints->body + 2 * joint, row, block, u, pairs);
}

/* An attachment pulls its body at r with -p. */
static void attachment_curvature(const struct nb_model *model, int i, const nb_real *u,
                                 const nb_real *impulse, nb_real *slope, nb_real *pairs,
                                 const int *pair_start)
{
    const struct nb_links *links = &model->nonlinear->links;
    const int row = links->first_attachment + i, body = links->body[i];
    const nb_real h = model->time_step;
    nb_real r[3], t[9];
    if (body < 0)
        return;
    const int node = node_of(model, row, 2 * body + 1);
    nb_real *torque = pair_block(model, row, node, node, pairs + 9 * (size_t)pair_start[row]);
    turn_rate(u, body, h, t);
    nb_block_apply(model->nonlinear->bodies.rotation + 9 * (size_t)body, links->point + 3 * (size_t)i, r);
    add_double_cross(impulse + 3 * (size_t)row, r, -1, torque);
    times_turn(t, h, torque);
    times_turn(t, 1, slope + 9 * (size_t)(model->jacobian.start[row] + node));
}

/* A distance's direction n turns: dn = (1 - n n^T) h (dv_a - dv_b)/|x_a - x_b|. */
static void distance_curvature(const struct nb_model *model, int i, const nb_real *u,
                               const nb_real *impulse, nb_real *pairs, const int *pair_start)
{
    const struct nb_links *links = &model->nonlinear->links;
    const int row = links->first_distance + i, particle = model->nonlinear->particles.first_node;
    const int ends[2] = {particle + links->pair[2 * i], particle + links->pair[2 * i + 1]};
    const nb_real h = model->time_step;
    nb_real between[3], square = 0;
    for (size_t k = 0; k < 3; ++k) {
        between[k] = links->between[3 * (size_t)i + k] +
                     h * (u[3 * (size_t)ends[0] + k] - u[3 * (size_t)ends[1] + k]);
        square += between[k] * between[k];
    }
    if (!(square > 0))
        return;
    const nb_real pull = h * impulse[3 * (size_t)row] / nb_sqrt(square);
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
            nb_real *block = pair_block(model, row, node_of(model, row, ends[a]),
                                        node_of(model, row, ends[b]),
                                        pairs + 9 * (size_t)pair_start[row]);
            for (int k = 0; k < 9; ++k)
                block[k] = (a == b ? pull : -pull) *
                           ((nb_real)(k % 4 == 0) - between[k / 3] * between[k % 3] / square);
        }
}

void nb_nonlinear_curvature(const struct nb_model *model, const nb_real *u,
                            const nb_real *impulse, const int *pair_start, nb_real *slope,
                            nb_real *pairs)
{
    for (int i = 0; i < model->nonlinear->joints.count; ++i)
        joint_curvature(model, i, u, impulse, slope, pairs, pair_start);
    for (int i = 0; i < model->nonlinear->links.attachments; ++i)
        attachment_curvature(model, i, u, impulse, slope, pairs, pair_start);
    for (int i = 0; i < model->nonlinear->links.distances; ++i)
        distance_curvature(model, i, u, impulse, pairs, pair_start);
    NB(nb_tetrahedra_curvature)(model, u, pair_start, pairs);
    for (int i = 0; i < model->nonlinear->limits.count; ++i)
        limit_slope(model, i, u, slope);
    for (int i = 0; i < model->nonlinear->contacts.count; ++i)
        for (int side = 0; side < 2; ++side)
            contact_slope(model, i, side, u, slope);
}

void nb_nonlinear_contact_pairs(const struct nb_model *model, int row, const nb_real *u, const nb_real *impulse,
                                nb_real *pairs)
{
    const int i = row - model->bilateral_blocks, contacts = model->nonlinear->contacts.count;
    if (i >= contacts)
        limit_pairs(model, i - contacts, u, impulse, pairs);
    for (int side = 0; i < contacts && side < 2; ++side)
        contact_pairs(model, i, side, u, impulse, pairs);
}
