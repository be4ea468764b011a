/* Block rows of a nonlinear step: where each row is, and which nodes it meets. The bilateral rows come
 * in groups, one a joint, attachment, distance, tie and tetrahedron, in this order. */
#include "solvers/model/rows/nonlinear.h"

enum { ROW_NODES = 8 };

/* Rows of a group or contact, the block rows that they and their elements' axis rows take, and their
 * nodes in ascending order without repeats. */
struct group {
    int rows, blocks, nodes, node[ROW_NODES];
};

static struct group make_group(int rows)
{
    return (struct group){.rows = rows, .blocks = (rows + 2) / 3};
}

static void add_node(struct group *group, int node)
{
    int at = group->nodes;
    while (at > 0 && group->node[at - 1] > node)
        --at;
    if (at > 0 && group->node[at - 1] == node)
        return;
    for (int k = group->nodes++; k > at; --k)
        group->node[k] = group->node[k - 1];
    group->node[at] = node;
}

static void add_body(struct group *group, int body)
{
    if (body < 0)
        return;
    add_node(group, 2 * body);
    add_node(group, 2 * body + 1);
}

static void add_particle(struct group *group, const struct nb_problem *problem, int particle)
{
    if (particle >= 0)
        add_node(group, 2 * problem->bodies.count + particle);
}

static int group_count(const struct nb_problem *problem)
{
    return problem->joints.count + problem->attachments.count + problem->distances.count +
           problem->ties.count + problem->tetrahedra.count;
}

static struct group joint_group(const struct nb_problem *problem, int i)
{
    struct group group =
        make_group(nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i]));
    add_body(&group, problem->joints.body[2 * i]);
    add_body(&group, problem->joints.body[2 * i + 1]);
    return group;
}

static struct group attachment_group(const struct nb_problem *problem, int i)
{
    struct group group = make_group(3);
    add_body(&group, problem->attachments.body[i]);
    add_particle(&group, problem, problem->attachments.particle[i]);
    return group;
}

static struct group distance_group(const struct nb_problem *problem, int i)
{
    struct group group = make_group(1);
    for (int k = 0; k < 2; ++k)
        add_particle(&group, problem, problem->distances.particle[2 * i + k]);
    return group;
}

static struct group tie_group(const struct nb_problem *problem, int i)
{
    struct group group = make_group(3);
    for (int k = 0; k < NB_TIED; ++k)
        add_particle(&group, problem, problem->ties.particle[NB_TIED * i + k]);
    return group;
}

static struct group tetrahedron_group(const struct nb_problem *problem, int i, int axis_rows)
{
    const struct nb_tetrahedra *tetrahedra = &problem->tetrahedra;
    const enum nb_material material = (enum nb_material)tetrahedra->material[i];
    struct group group = make_group(nb_tetrahedron_rows(material));
    if (axis_rows)
        group.blocks = 3;
    for (int k = 0; k < 4; ++k)
        add_particle(&group, problem, tetrahedra->particle[4 * i + k]);
    return group;
}

static struct group bilateral_group(const struct nb_problem *problem, int i, int axis_rows)
{
    if (i < problem->joints.count)
        return joint_group(problem, i);
    i -= problem->joints.count;
    if (i < problem->attachments.count)
        return attachment_group(problem, i);
    i -= problem->attachments.count;
    if (i < problem->distances.count)
        return distance_group(problem, i);
    i -= problem->distances.count;
    if (i < problem->ties.count)
        return tie_group(problem, i);
    return tetrahedron_group(problem, i - problem->ties.count, axis_rows);
}

static struct group contact_group(const struct nb_problem *problem, int i)
{
    const struct nb_contacts *contacts = &problem->contacts;
    struct group group = make_group(3);
    for (int k = 0; k < 2; ++k)
        add_body(&group, contacts->body[2 * i + k]);
    for (int k = 0; contacts->particle && k < 6; ++k)
        add_particle(&group, problem, contacts->particle[6 * (size_t)i + (size_t)k]);
    return group;
}

/* A limit measures what its joint does. */
static struct group limit_group(const struct nb_problem *problem, int i)
{
    struct group group = joint_group(problem, problem->limits.joint[i]);
    group.rows = 3;
    group.blocks = 1;
    return group;
}

int nb_bilateral_block_count(const struct nb_problem *problem, int axis_rows)
{
    int blocks = 0;
    for (int i = 0; i < group_count(problem); ++i)
        blocks += bilateral_group(problem, i, axis_rows).blocks;
    return blocks;
}

/* Every group begins a block; what it leaves of its blocks is padding. */
static void number_rows(struct nb_model *model)
{
    const struct nb_problem *problem = model->problem;
    int next = 0, place = 0;
    for (int i = 0; i < group_count(problem); ++i) {
        const struct group group = bilateral_group(problem, i, model->axis_rows);
        const int end = place + 3 * group.blocks;
        for (int k = 0; k < group.rows; ++k) {
            model->multiplier_unit[next] = 1;
            model->bilateral_entry[next++] = place++;
        }
        for (; place < end; ++place)
            model->bilateral_compliance[3 * (size_t)place + (size_t)(place % 3)] = 1;
    }
}

/* The group's columns in each of its block rows; returns the next free place. Where the pattern is
 * only counted, column is NULL. */
static int add_rows(const struct group *group, struct nb_bsr *jacobian, int *row, int at)
{
    for (int k = 0; k < group->blocks; ++k) {
        for (int n = 0; n < group->nodes; ++n, ++at)
            if (jacobian)
                jacobian->column[at] = group->node[n];
        ++*row;
        if (jacobian)
            jacobian->start[*row] = at;
    }
    return at;
}

static int fill_pattern(const struct nb_model *model, struct nb_bsr *jacobian)
{
    const struct nb_problem *problem = model->problem;
    int at = 0, row = 0;
    for (int i = 0; i < group_count(problem); ++i) {
        const struct group group = bilateral_group(problem, i, model->axis_rows);
        at = add_rows(&group, jacobian, &row, at);
    }
    for (int i = 0, pad = model->nodes - model->pads; i < problem->contacts.count; ++i) {
        struct group group = contact_group(problem, i);
        if (nb_contact_is_soft(problem, i))
            add_node(&group, pad++);
        at = add_rows(&group, jacobian, &row, at);
    }
    for (int i = 0; i < problem->limits.count; ++i) {
        const struct group group = limit_group(problem, i);
        at = add_rows(&group, jacobian, &row, at);
    }
    return at;
}

enum nb_status NB(nb_rows_create)(struct nb_model *model, struct nb_error *error)
{
    number_rows(model);
    const enum nb_status status = nb_bsr_allocate(&model->jacobian, model->blocks, model->nodes,
                                                  fill_pattern(model, NULL), error);
    if (!status)
        fill_pattern(model, &model->jacobian);
    return status;
}
