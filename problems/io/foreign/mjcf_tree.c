/* Bodies as trees: joints lead from what has its place, first the world, to what has none; a body that none leads to
 * is free and begins a tree of its own. */
#include "problems/io/foreign/mjcf.h"

#include <stdio.h>
#include <stdlib.h>

/* tinyxml2, by which MuJoCo reads, nests 99 elements: two around all bodies, one in the last. */
enum { DEEPEST = 96 };

static enum nb_status refuse(const char *path, const char *reason, int number, struct nb_error *error)
{
    char text[160];
    snprintf(text, sizeof text, reason, number);
    return nb_fail(error, NB_UNSUPPORTED, "%.200s: not written: %s", path, text);
}

static int has_any(const double *values, int count)
{
    for (int i = 0; i < count; ++i)
        if (values[i] != 0)
            return 1;
    return 0;
}

/* What MJCF has no place for. */
static enum nb_status check(const char *path, const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_joints *joints = &problem->joints;
    if (problem->form != NB_NONLINEAR)
        return nb_fail(error, NB_UNSUPPORTED, "%.200s: not written: a linear step has no bodies, as MJCF does", path);
    if (problem->particles.count)
        return refuse(path, "it has soft bodies, of %d particles, and only rigid ones are written as MJCF",
                      problem->particles.count, error);
    for (int i = 0; i < problem->shape_count; ++i)
        if (problem->shapes[i].kind == NB_SHAPE_FIELD)
            return refuse(path, "shape %d is a distance field, and a mesh of MJCF is taken as convex", i, error);
    for (int i = 0; i < problem->shape_count; ++i)
        if (problem->shapes[i].across > 0)
            return refuse(path, "shape %d has structure, and the friction of a geom is isotropic", i, error);
    for (int i = 0; i < joints->count; ++i)
        if (has_any(joints->compliance + 6 * i, 6))
            return refuse(path, "joint %d is compliant, for which MJCF has no place", i, error);
        else if (has_any(joints->drift + 6 * i, 6))
            return refuse(path, "joint %d moves by itself, for which MJCF has no place", i, error);
    for (int i = 0; i < problem->shape_count; ++i)
        if (problem->shapes[i].kind == NB_SHAPE_PLANE && problem->shapes[i].body >= 0)
            return refuse(path, "shape %d is a plane on a body, and MuJoCo's stand still", i, error);
    return NB_OK;
}

static void place(struct nb_mjcf_tree *tree, int body, int parent, int joint)
{
    tree->parent[body] = parent;
    tree->joint[body] = joint;
    if (joint >= 0)
        tree->in_tree[joint] = 1;
}

/* Joints that lead from what is placed to what is not, until there is none. */
static void grow_trees(struct nb_mjcf_tree *tree)
{
    const struct nb_joints *joints = &tree->problem->joints;
    for (int grown = 1; grown;) {
        grown = 0;
        for (int j = 0; j < joints->count; ++j)
            for (int side = 0; side < 2; ++side) {
                const int body = joints->body[2 * j + side], other = joints->body[2 * j + 1 - side];
                if (body < 0 || tree->parent[body] != -2 || (other >= 0 && tree->parent[other] == -2))
                    continue;
                place(tree, body, other, j);
                grown = 1;
            }
    }
}

static void plant_trees(struct nb_mjcf_tree *tree)
{
    const int bodies = tree->problem->bodies.count;
    for (int b = 0; b < bodies; ++b)
        tree->parent[b] = -2;
    grow_trees(tree);
    for (int b = 0; b < bodies; ++b)
        if (tree->parent[b] == -2) {
            place(tree, b, -1, -1);
            grow_trees(tree);
        }
    for (int b = -1; b < bodies; ++b)
        tree->first[b + 1] = -1;
    for (int b = bodies; b-- > 0;) {
        tree->next[b] = tree->first[tree->parent[b] + 1];
        tree->first[tree->parent[b] + 1] = b;
    }
}

static int is_too_deep(const struct nb_mjcf_tree *tree, int body)
{
    int depth = 0;
    for (; body >= 0 && depth <= DEEPEST; body = tree->parent[body])
        ++depth;
    return depth > DEEPEST;
}

static enum nb_status check_trees(const char *path, const struct nb_mjcf_tree *tree, struct nb_error *error)
{
    const struct nb_problem *problem = tree->problem;
    for (int i = 0; i < problem->bodies.count; ++i)
        if (is_too_deep(tree, i))
            return refuse(path, "more than %d bodies hang on each other in a row, and MuJoCo reads no more", DEEPEST,
                          error);
    for (int i = 0; i < problem->joints.count; ++i)
        if (!tree->in_tree[i] && problem->joints.kind[i] == NB_JOINT_SLIDER)
            return refuse(path, "slider %d closes a loop of joints, for which MJCF has no constraint", i, error);
    for (int i = 0; i < problem->limits.count; ++i)
        if (!tree->in_tree[problem->limits.joint[i]])
            return refuse(path, "joint %d closes a loop of joints, and has limits there, for which MJCF has no place",
                          problem->limits.joint[i], error);
        else if (problem->joints.kind[problem->limits.joint[i]] == NB_JOINT_BALL)
            return refuse(path, "joint %d is a ball with a limit, which MJCF counts from where the step begins",
                          problem->limits.joint[i], error);
    return NB_OK;
}

static int allocate(struct nb_mjcf_tree *tree)
{
    const size_t bodies = (size_t)tree->problem->bodies.count, joints = (size_t)tree->problem->joints.count;
    tree->parent = calloc(4 * (bodies + 1), sizeof *tree->parent);
    tree->in_tree = calloc(joints + 1, 1);
    if (!tree->parent || !tree->in_tree)
        return 0;
    tree->joint = tree->parent + bodies + 1;
    tree->first = tree->joint + bodies + 1;
    tree->next = tree->first + bodies + 1;
    return 1;
}

enum nb_status nb_mjcf_tree_make(const char *path, const struct nb_problem *problem, struct nb_mjcf_tree *tree,
                                 struct nb_error *error)
{
    *tree = (struct nb_mjcf_tree){.problem = problem};
    enum nb_status status = check(path, problem, error);
    if (!status && !allocate(tree))
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%.300s: no memory for %d bodies", path, problem->bodies.count);
    if (!status) {
        plant_trees(tree);
        status = check_trees(path, tree, error);
    }
    if (status)
        nb_mjcf_tree_free(tree);
    return status;
}

void nb_mjcf_tree_free(struct nb_mjcf_tree *tree)
{
    free(tree->parent);
    free(tree->in_tree);
    *tree = (struct nb_mjcf_tree){.problem = NULL};
}
