/* A step of rigid bodies as MJCF, for MuJoCo: masses, inertias, poses, velocities, shapes and friction as they are;
 * what touches, MuJoCo finds anew, within the same margin.
 *
 * MJCF has generalised coordinates, so joints make trees of bodies (mjcf.h). A joint that closes a loop becomes
 * equality constraints: connect of a ball, weld of a fixed one, two connects on the axis of a hinge. Joint values at
 * the start (ref) are our coordinates, so that limits mean the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/io/foreign/foreign.h"
#include "problems/io/foreign/mjcf.h"
#include "problems/io/replace_file.h"
#include "problems/joints.h"

static const double no_position[3] = {0, 0, 0}, no_rotation[4] = {1, 0, 0, 0};

/* The text, and velocities in the order in which MuJoCo counts them. */
struct model {
    const struct nb_problem *problem;
    struct nb_mjcf_tree tree;
    FILE *stream;
    double *speed;
    int speeds, moves; /* how many, and whether one is not 0 */
    int *pairs, pair_count; /* of bodies with a joint */
};

static const double *position_of(const struct nb_problem *problem, int body)
{
    return body < 0 ? no_position : problem->bodies.position + 3 * body;
}

static const double *orientation_of(const struct nb_problem *problem, int body)
{
    return body < 0 ? no_rotation : problem->bodies.orientation + 4 * body;
}

static void velocity_of(const struct nb_problem *problem, int body, double v[6])
{
    memset(v, 0, 6 * sizeof *v);
    if (body >= 0)
        memcpy(v, problem->bodies.velocity + 6 * body, 6 * sizeof *v);
}

static void print_numbers(FILE *stream, const char *name, const double *values, int count)
{
    fprintf(stream, " %s=\"", name);
    for (int i = 0; i < count; ++i)
        fprintf(stream, "%s%.17g", i ? " " : "", values[i]);
    fprintf(stream, "\"");
}

/* Pose of the body in its parent's frame. */
static void print_pose(const struct model *model, int body)
{
    const struct nb_problem *problem = model->problem;
    const double *parent = orientation_of(problem, model->tree.parent[body]);
    const double inverse[4] = {parent[0], -parent[1], -parent[2], -parent[3]};
    double matrix[9], apart[3], position[3], orientation[4];
    nb_subtract3(position_of(problem, body), position_of(problem, model->tree.parent[body]), apart);
    nb_quaternion_matrix(parent, matrix);
    nb_rotate_back(matrix, apart, position);
    nb_quaternion_product(inverse, orientation_of(problem, body), orientation);
    print_numbers(model->stream, "pos", position, 3);
    print_numbers(model->stream, "quat", orientation, 4);
}

/* A box, whose eight corners are all at the same distances from its middle; its half sides. */
static int is_box(const struct nb_shape *shape, double half[3])
{
    if (shape->kind != NB_SHAPE_CONVEX || shape->vertex_count != 8 || shape->face_count != 6)
        return 0;
    for (int k = 0; k < 3; ++k)
        half[k] = fabs(shape->vertex[k]);
    int corners = 0;
    for (int i = 0; i < 8; ++i) {
        int corner = 0;
        for (int k = 0; k < 3; ++k) {
            if (fabs(shape->vertex[3 * i + k]) != half[k])
                return 0;
            corner |= (shape->vertex[3 * i + k] > 0) << k;
        }
        corners |= 1 << corner;
    }
    return corners == 0xff;
}

/* Boxes have no margin: within one, MuJoCo 2.2.2 takes two that are apart for deep in each other. */
static void print_geoms(const struct model *model, int body)
{
    static const double plane[3] = {0, 0, 1};
    const double margin = nb_problem_parameter(model->problem, "margin", 0.01);
    for (int i = 0; i < model->problem->shape_count; ++i) {
        const struct nb_shape *shape = &model->problem->shapes[i];
        const double capsule[2] = {shape->radius, shape->half_length};
        double half[3];
        if (shape->body != body)
            continue;
        fprintf(model->stream, "<geom name=\"shape%d\"", i);
        if (shape->kind == NB_SHAPE_CONVEX && !is_box(shape, half))
            fprintf(model->stream, " type=\"mesh\" mesh=\"mesh%d\"", i);
        else
            fprintf(model->stream, " type=\"%s\"", shape->kind == NB_SHAPE_PLANE     ? "plane"
                                                   : shape->kind == NB_SHAPE_SPHERE  ? "sphere"
                                                   : shape->kind == NB_SHAPE_CAPSULE ? "capsule"
                                                                                     : "box");
        if (shape->kind == NB_SHAPE_PLANE)
            print_numbers(model->stream, "size", plane, 3);
        else if (shape->kind != NB_SHAPE_CONVEX)
            print_numbers(model->stream, "size", capsule, shape->kind == NB_SHAPE_SPHERE ? 1 : 2);
        else if (is_box(shape, half))
            print_numbers(model->stream, "size", half, 3);
        print_numbers(model->stream, "pos", shape->position, 3);
        print_numbers(model->stream, "quat", shape->orientation, 4);
        print_numbers(model->stream, "friction", &shape->friction, 1);
        if (!is_box(shape, half)) {
            print_numbers(model->stream, "margin", &margin, 1);
            print_numbers(model->stream, "gap", &margin, 1);
        }
        fprintf(model->stream, "/>\n");
    }
}

/* The joint's frame on the side of the body, in the body's frame: point, axis z, and whether it is side b. */
static int side_of(const struct nb_joints *joints, int joint, int body, double axis[3])
{
    const int side = joints->body[2 * joint] == body ? 0 : 1;
    double matrix[9];
    nb_quaternion_matrix(joints->orientation + 8 * joint + 4 * side, matrix);
    for (int k = 0; k < 3; ++k)
        axis[k] = matrix[3 * k + 2];
    return side;
}

/* Limits of the coordinate; one that is not bounded on a side is so far away there. */
static void print_limits(const struct model *model, int joint)
{
    const struct nb_limits *limits = &model->problem->limits;
    double range[2] = {-1e6, 1e6};
    int found = 0;
    for (int i = 0; i < limits->count; ++i)
        if (limits->joint[i] == joint) {
            range[limits->side[i] == NB_LIMIT_UPPER] = limits->bound[i];
            found = 1;
        }
    if (found) {
        fprintf(model->stream, " limited=\"true\"");
        print_numbers(model->stream, "range", range, 2);
    }
}

static void add_speed(struct model *model, double value)
{
    model->speed[model->speeds++] = value;
    model->moves |= value != 0;
}

/* Velocity of the body against its parent, at a point of the body, in the world's axes. */
static void relative_velocity(const struct model *model, int body, const double *point, double v[6])
{
    const struct nb_problem *problem = model->problem;
    double own[6], parent[6], matrix[9], arm[3], parent_arm[3], turned[3];
    velocity_of(problem, body, own);
    velocity_of(problem, model->tree.parent[body], parent);
    nb_quaternion_matrix(orientation_of(problem, body), matrix);
    nb_rotate(matrix, point, arm);
    nb_subtract3(position_of(problem, body), position_of(problem, model->tree.parent[body]), parent_arm);
    nb_add_scaled3(parent_arm, 1, arm, parent_arm);
    for (int k = 0; k < 3; ++k)
        v[k] = own[k] - parent[k];
    nb_cross3(own + 3, arm, turned);
    nb_add_scaled3(v, 1, turned, v);
    nb_cross3(parent + 3, parent_arm, turned);
    nb_add_scaled3(v, -1, turned, v);
    for (int k = 3; k < 6; ++k)
        v[k] = own[k] - parent[k];
}

/* Side b turns, or moves, against side a about or along the opposite axis. */
static void print_joint(struct model *model, int body)
{
    static const char *const kinds[] = {[NB_JOINT_BALL] = "ball", [NB_JOINT_HINGE] = "hinge",
                                        [NB_JOINT_SLIDER] = "slide"};
    const struct nb_joints *joints = &model->problem->joints;
    const int joint = model->tree.joint[body];
    const enum nb_joint_kind kind = (enum nb_joint_kind)joints->kind[joint];
    double axis[3], v[6], matrix[9], local[3], world[3];
    const int side = side_of(joints, joint, body, axis);
    const double *point = joints->point + 6 * joint + 3 * side;
    for (int k = 0; k < 3 && side; ++k)
        axis[k] = -axis[k];
    if (kind == NB_JOINT_FIXED)
        return;
    fprintf(model->stream, "<joint name=\"joint%d\" type=\"%s\"", joint, kinds[kind]);
    print_numbers(model->stream, "pos", point, 3);
    relative_velocity(model, body, point, v);
    nb_quaternion_matrix(orientation_of(model->problem, body), matrix);
    if (kind == NB_JOINT_BALL) {
        nb_rotate_back(matrix, v + 3, local);
        for (int k = 0; k < 3; ++k)
            add_speed(model, local[k]);
    } else {
        const double start = nb_joint_coordinate(model->problem, joint);
        nb_rotate(matrix, axis, world);
        add_speed(model, nb_dot3(world, kind == NB_JOINT_HINGE ? v + 3 : v));
        print_numbers(model->stream, "axis", axis, 3);
        print_numbers(model->stream, "ref", &start, 1);
        print_limits(model, joint);
    }
    fprintf(model->stream, "/>\n");
}

/* Free: velocity in the world's axes, angular velocity in the body's. */
static void print_free(struct model *model, int body)
{
    double v[6], matrix[9], local[3];
    velocity_of(model->problem, body, v);
    nb_quaternion_matrix(orientation_of(model->problem, body), matrix);
    nb_rotate_back(matrix, v + 3, local);
    for (int k = 0; k < 6; ++k)
        add_speed(model, k < 3 ? v[k] : local[k - 3]);
    fprintf(model->stream, "<freejoint/>\n");
}

static void print_body(struct model *model, int body)
{
    const double *I = model->problem->bodies.inertia + 9 * body;
    const double inertia[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
    fprintf(model->stream, "<body name=\"body%d\"", body);
    print_pose(model, body);
    fprintf(model->stream, ">\n");
    if (model->tree.joint[body] < 0)
        print_free(model, body);
    else
        print_joint(model, body);
    fprintf(model->stream, "<inertial pos=\"0 0 0\"");
    print_numbers(model->stream, "mass", model->problem->bodies.mass + body, 1);
    print_numbers(model->stream, "fullinertia", inertia, 6);
    fprintf(model->stream, "/>\n");
    print_geoms(model, body);
    for (int child = model->tree.first[body + 1]; child >= 0; child = model->tree.next[child])
        print_body(model, child);
    fprintf(model->stream, "</body>\n");
}

/* "body1=... body2=..."; the world is left out. Returns the side that is body1. */
static int print_pair(const struct model *model, int joint)
{
    const int *sides = model->problem->joints.body + 2 * joint;
    const int one = sides[0] < 0;
    fprintf(model->stream, " body1=\"body%d\"", sides[one]);
    if (sides[1 - one] >= 0)
        fprintf(model->stream, " body2=\"body%d\"", sides[1 - one]);
    return one;
}

static void print_loop(const struct model *model, int joint)
{
    const struct nb_joints *joints = &model->problem->joints;
    const int hinge = joints->kind[joint] == NB_JOINT_HINGE;
    double axis[3], anchor[3];
    if (joints->kind[joint] == NB_JOINT_FIXED) {
        fprintf(model->stream, "<weld");
        print_pair(model, joint);
        fprintf(model->stream, "/>\n");
        return;
    }
    for (int end = 0; end <= hinge; ++end) {
        fprintf(model->stream, "<connect");
        const int side = print_pair(model, joint);
        side_of(joints, joint, joints->body[2 * joint + side], axis);
        memcpy(anchor, joints->point + 6 * joint + 3 * side, sizeof anchor);
        nb_add_scaled3(anchor, end, axis, anchor);
        print_numbers(model->stream, "anchor", anchor, 3);
        fprintf(model->stream, "/>\n");
    }
}

/* The text as the value of an attribute. */
static void print_escaped(FILE *stream, const char *text)
{
    for (; *text; ++text)
        fputc(strchr("<>&\"", *text) ? '_' : *text, stream);
}

static void print_head(const struct model *model)
{
    const struct nb_problem *problem = model->problem;
    const int contacts = 2 * problem->contacts.count + 100; /* rooms that MuJoCo 2 makes beforehand: it may find more */
    const int rows = 3 * contacts + NB_JOINT_ROWS * problem->joints.count + problem->limits.count;
    fprintf(model->stream, "<mujoco model=\"");
    print_escaped(model->stream, problem->name);
    fprintf(model->stream, "\">\n<compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n<option cone=\"elliptic\"");
    print_numbers(model->stream, "timestep", &problem->time_step, 1);
    print_numbers(model->stream, "gravity", problem->gravity, 3);
    fprintf(model->stream, "/>\n<size nconmax=\"%d\" njmax=\"%d\"/>\n", contacts, rows);
    fprintf(model->stream, "<default><geom condim=\"3\"/></default>\n<asset>\n");
    for (int i = 0; i < problem->shape_count; ++i) {
        const struct nb_shape *shape = &problem->shapes[i];
        double half[3];
        if (shape->kind != NB_SHAPE_CONVEX || is_box(shape, half))
            continue;
        fprintf(model->stream, "<mesh name=\"mesh%d\"", i);
        print_numbers(model->stream, "vertex", shape->vertex, 3 * shape->vertex_count);
        fprintf(model->stream, "/>\n");
    }
    fprintf(model->stream, "</asset>\n");
}

/* Constraints that close loops, pairs of bodies with a joint, which do not collide, and velocities, where something
 * moves. */
static void print_tail(const struct model *model)
{
    fprintf(model->stream, "<equality>\n");
    for (int i = 0; i < model->problem->joints.count; ++i)
        if (!model->tree.in_tree[i])
            print_loop(model, i);
    fprintf(model->stream, "</equality>\n<contact>\n");
    for (int i = 0; i < model->pair_count; ++i)
        fprintf(model->stream, "<exclude body1=\"body%d\" body2=\"body%d\"/>\n", model->pairs[2 * i],
                model->pairs[2 * i + 1]);
    fprintf(model->stream, "</contact>\n");
    if (model->moves) {
        fprintf(model->stream, "<keyframe><key name=\"start\"");
        print_numbers(model->stream, "qvel", model->speed, model->speeds);
        fprintf(model->stream, "/></keyframe>\n<custom><text name=\"import_key\" data=\"start\"/></custom>\n");
    }
    fprintf(model->stream, "</mujoco>\n");
}

static int print_model(FILE *stream, const void *context)
{
    struct model model = *(const struct model *)context;
    model.stream = stream;
    print_head(&model);
    fprintf(stream, "<worldbody>\n");
    print_geoms(&model, -1);
    for (int body = model.tree.first[0]; body >= 0; body = model.tree.next[body])
        print_body(&model, body);
    fprintf(stream, "</worldbody>\n");
    print_tail(&model);
    return 0;
}

enum nb_status nb_write_mjcf(const char *path, const struct nb_problem *problem, struct nb_error *error)
{
    struct model model = {.problem = problem};
    enum nb_status status = nb_mjcf_tree_make(path, problem, &model.tree, error);
    if (!status)
        status = nb_joint_pairs(&problem->joints, &model.pairs, &model.pair_count, error);
    if (!status && !(model.speed = calloc(6 * (size_t)problem->bodies.count + 1, sizeof *model.speed)))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%.300s: no memory for its text", path);
    if (!status)
        status = nb_replace_text(path, print_model, &model, error);
    free(model.pairs);
    free(model.speed);
    nb_mjcf_tree_free(&model.tree);
    return status;
}
