/* Sizes, copies and the end of a problem. */
#include "problems/problem.h"

#include <stdlib.h>
#include <string.h>

#include "problems/joints.h"

int nb_problem_contacts(const struct nb_problem *problem)
{
    return problem->form == NB_NONLINEAR ? problem->contacts.count + problem->limits.count
                                         : problem->linear.contacts;
}

int nb_problem_bilaterals(const struct nb_problem *problem)
{
    int rows = 0;
    if (problem->form != NB_NONLINEAR)
        return problem->linear.bilaterals;
    for (int i = 0; i < problem->joints.count; ++i)
        rows += nb_joint_rows((enum nb_joint_kind)problem->joints.kind[i]);
    rows += 3 * problem->attachments.count + problem->distances.count;
    for (int i = 0; i < problem->tetrahedra.count; ++i)
        rows += nb_tetrahedron_rows((enum nb_material)problem->tetrahedra.material[i]);
    return rows;
}

int nb_tetrahedron_rows(enum nb_material material)
{
    return material == NB_MATERIAL_HOOKE ? 6 : 3;
}

int nb_problem_dofs(const struct nb_problem *problem)
{
    switch (problem->form) {
    case NB_NONLINEAR: return 6 * problem->bodies.count + 3 * problem->particles.count;
    case NB_LINEAR_GLOBAL: return problem->linear.dofs;
    case NB_LINEAR_LOCAL: return 3 * problem->linear.contacts + problem->linear.bilaterals;
    }
    return 0;
}

int nb_problem_multipliers(const struct nb_problem *problem)
{
    return nb_problem_bilaterals(problem) + 3 * nb_problem_contacts(problem);
}

double nb_problem_parameter(const struct nb_problem *problem, const char *name, double otherwise)
{
    for (int i = 0; i < problem->parameter_count; ++i)
        if (strcmp(problem->parameters[i].name, name) == 0)
            return problem->parameters[i].value;
    return otherwise;
}

static void free_shapes(struct nb_problem *problem)
{
    for (int i = 0; i < problem->shape_count; ++i) {
        free(problem->shapes[i].vertex);
        free(problem->shapes[i].face_start);
        free(problem->shapes[i].face_vertex);
    }
    free(problem->shapes);
}

static void free_deformables(struct nb_problem *problem)
{
    free(problem->particles.position);
    free(problem->particles.velocity);
    free(problem->particles.mass);
    free(problem->attachments.particle);
    free(problem->attachments.body);
    free(problem->attachments.point);
    free(problem->attachments.compliance);
    free(problem->attachments.drift);
    free(problem->distances.particle);
    free(problem->distances.length);
    free(problem->distances.compliance);
    free(problem->tetrahedra.particle);
    free(problem->tetrahedra.rest);
    free(problem->tetrahedra.material);
    free(problem->tetrahedra.lame);
    free(problem->tetrahedra.inflation);
}

void nb_contacts_free(struct nb_contacts *contacts)
{
    free(contacts->body);
    free(contacts->point);
    free(contacts->radius);
    free(contacts->particle);
    free(contacts->weight);
    free(contacts->frame);
    free(contacts->thickness);
    free(contacts->friction);
    memset(contacts, 0, sizeof *contacts);
}

void nb_problem_free(struct nb_problem *problem)
{
    if (!problem)
        return;
    struct nb_bodies *bodies = &problem->bodies;
    struct nb_linear_step *linear = &problem->linear;
    free(bodies->position);
    free(bodies->orientation);
    free(bodies->velocity);
    free(bodies->mass);
    free(bodies->inertia);
    free_deformables(problem);
    free_shapes(problem);
    nb_contacts_free(&problem->contacts);
    nb_joints_free(&problem->joints);
    free(problem->limits.joint);
    free(problem->limits.side);
    free(problem->limits.bound);
    free(problem->free_velocity);
    nb_csr_free(&linear->mass);
    nb_csr_free(&linear->contact_jacobian);
    nb_csr_free(&linear->bilateral_jacobian);
    nb_csr_free(&linear->delassus);
    free(linear->force);
    free(linear->contact_velocity);
    free(linear->bilateral_velocity);
    free(linear->friction);
    free(problem->parameters);
    memset(problem, 0, sizeof *problem);
}

/* A copy of count bytes in *to. NULL stays NULL. Sets *failed instead of returning, so that a long
 * copy reads as a list. */
static void duplicate(void *to, const void *from, size_t bytes, int *failed)
{
    void *copy = NULL;
    if (from) {
        copy = malloc(bytes ? bytes : 1);
        if (copy)
            memcpy(copy, from, bytes);
        else
            *failed = 1;
    }
    memcpy(to, &copy, sizeof copy);
}

#define DUPLICATE(member, count) \
    duplicate(&copy->member, problem->member, (size_t)(count) * sizeof *problem->member, &failed)

static void duplicate_csr(struct nb_csr *to, const struct nb_csr *from, int *failed)
{
    *to = *from;
    const size_t entries = from->start ? (size_t)from->start[from->rows] : 0;
    duplicate(&to->start, from->start, ((size_t)from->rows + 1) * sizeof *from->start, failed);
    duplicate(&to->column, from->column, entries * sizeof *from->column, failed);
    duplicate(&to->value, from->value, entries * sizeof *from->value, failed);
}

static void duplicate_shapes(struct nb_problem *copy, const struct nb_problem *problem, int *out)
{
    int failed = 0;
    DUPLICATE(shapes, problem->shape_count);
    if (failed)
        copy->shape_count = 0;
    for (int i = 0; i < copy->shape_count; ++i) {
        const struct nb_shape *shape = &problem->shapes[i];
        const int corners = shape->face_start ? shape->face_start[shape->face_count] : 0;
        DUPLICATE(shapes[i].vertex, 3 * shape->vertex_count);
        DUPLICATE(shapes[i].face_start, shape->face_count + 1);
        DUPLICATE(shapes[i].face_vertex, corners);
    }
    *out |= failed;
}

static void duplicate_deformables(struct nb_problem *copy, const struct nb_problem *problem,
                                  int *out)
{
    int failed = 0;
    DUPLICATE(particles.position, 3 * problem->particles.count);
    DUPLICATE(particles.velocity, 3 * problem->particles.count);
    DUPLICATE(particles.mass, problem->particles.count);
    DUPLICATE(attachments.particle, problem->attachments.count);
    DUPLICATE(attachments.body, problem->attachments.count);
    DUPLICATE(attachments.point, 3 * problem->attachments.count);
    DUPLICATE(attachments.compliance, problem->attachments.count);
    DUPLICATE(attachments.drift, 3 * problem->attachments.count);
    DUPLICATE(distances.particle, 2 * problem->distances.count);
    DUPLICATE(distances.length, problem->distances.count);
    DUPLICATE(distances.compliance, problem->distances.count);
    DUPLICATE(tetrahedra.particle, 4 * problem->tetrahedra.count);
    DUPLICATE(tetrahedra.rest, 9 * problem->tetrahedra.count);
    DUPLICATE(tetrahedra.material, problem->tetrahedra.count);
    DUPLICATE(tetrahedra.lame, 2 * problem->tetrahedra.count);
    DUPLICATE(tetrahedra.inflation, problem->tetrahedra.count);
    *out |= failed;
}

enum nb_status nb_problem_copy(const struct nb_problem *problem, struct nb_problem *copy,
                               struct nb_error *error)
{
    int failed = 0;
    *copy = *problem;
    DUPLICATE(bodies.position, 3 * problem->bodies.count);
    DUPLICATE(bodies.orientation, 4 * problem->bodies.count);
    DUPLICATE(bodies.velocity, 6 * problem->bodies.count);
    DUPLICATE(bodies.mass, problem->bodies.count);
    DUPLICATE(bodies.inertia, 9 * problem->bodies.count);
    duplicate_deformables(copy, problem, &failed);
    duplicate_shapes(copy, problem, &failed);
    DUPLICATE(contacts.body, 2 * problem->contacts.count);
    DUPLICATE(contacts.point, 6 * problem->contacts.count);
    DUPLICATE(contacts.radius, 2 * problem->contacts.count);
    DUPLICATE(contacts.particle, 6 * problem->contacts.count);
    DUPLICATE(contacts.weight, 6 * problem->contacts.count);
    DUPLICATE(contacts.frame, 9 * problem->contacts.count);
    DUPLICATE(contacts.thickness, problem->contacts.count);
    DUPLICATE(contacts.friction, problem->contacts.count);
    DUPLICATE(joints.kind, problem->joints.count);
    DUPLICATE(joints.body, 2 * problem->joints.count);
    DUPLICATE(joints.point, 6 * problem->joints.count);
    DUPLICATE(joints.orientation, 8 * problem->joints.count);
    DUPLICATE(joints.compliance, 6 * problem->joints.count);
    DUPLICATE(joints.drift, 6 * problem->joints.count);
    DUPLICATE(limits.joint, problem->limits.count);
    DUPLICATE(limits.side, problem->limits.count);
    DUPLICATE(limits.bound, problem->limits.count);
    DUPLICATE(free_velocity, nb_problem_dofs(problem));
    duplicate_csr(&copy->linear.mass, &problem->linear.mass, &failed);
    duplicate_csr(&copy->linear.contact_jacobian, &problem->linear.contact_jacobian, &failed);
    duplicate_csr(&copy->linear.bilateral_jacobian, &problem->linear.bilateral_jacobian, &failed);
    duplicate_csr(&copy->linear.delassus, &problem->linear.delassus, &failed);
    DUPLICATE(linear.force, problem->linear.dofs);
    DUPLICATE(linear.contact_velocity, 3 * problem->linear.contacts);
    DUPLICATE(linear.bilateral_velocity, problem->linear.bilaterals);
    DUPLICATE(linear.friction, problem->linear.contacts);
    DUPLICATE(parameters, problem->parameter_count);
    if (!failed)
        return NB_OK;
    nb_problem_free(copy);
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a copy of problem %s", problem->name);
}
