/* Sizes, copies and the end of a problem. */
#include "problems/problem.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/fields.h"

void nb_to_body_frame(const struct nb_bodies *bodies, int body, const double *world, double *local)
{
    double rotation[9], arm[3];
    memmove(local, world, 3 * sizeof *local);
    if (body < 0)
        return;
    nb_quaternion_matrix(bodies->orientation + 4 * body, rotation);
    nb_subtract3(world, bodies->position + 3 * body, arm);
    nb_rotate_back(rotation, arm, local);
}

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
    rows += 3 * problem->attachments.count + problem->distances.count + 3 * problem->ties.count;
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

/* What a linear step has beside its matrices. */
static const struct nb_field linear_vectors[] = {
#define VECTOR(member, counted) .name = #member, .array = offsetof(struct nb_linear_step, member), \
                                .count = offsetof(struct nb_linear_step, counted)
    {VECTOR(force, dofs)},
    {VECTOR(contact_velocity, contacts), .width = 3},
    {VECTOR(bilateral_velocity, bilaterals)},
    {VECTOR(friction, contacts)},
    {.name = NULL},
};

int nb_linear_vectors_allocate(struct nb_linear_step *step, int dofs, int contacts, int bilaterals)
{
    step->dofs = dofs;
    step->contacts = contacts;
    step->bilaterals = bilaterals;
    step->force = calloc((size_t)dofs + 1, sizeof *step->force);
    step->contact_velocity = calloc(3 * (size_t)contacts + 1, sizeof *step->contact_velocity);
    step->bilateral_velocity = calloc((size_t)bilaterals + 1, sizeof *step->bilateral_velocity);
    step->friction = calloc((size_t)contacts + 1, sizeof *step->friction);
    return step->force && step->contact_velocity && step->bilateral_velocity && step->friction;
}

void nb_shape_free(struct nb_shape *shape)
{
    free(shape->vertex);
    free(shape->face_start);
    free(shape->face_vertex);
    free(shape->field.value);
    free(shape->map.angle);
}

static void free_shapes(struct nb_problem *problem)
{
    for (int i = 0; i < problem->shape_count; ++i)
        nb_shape_free(&problem->shapes[i]);
    free(problem->shapes);
}

void nb_problem_free(struct nb_problem *problem)
{
    if (!problem)
        return;
    for (int group = 0; group < NB_FIELD_GROUPS; ++group)
        nb_fields_free(problem, nb_field_groups[group].field);
    free_shapes(problem);
    free(problem->free_velocity);
    nb_csr_free(&problem->linear.mass);
    nb_csr_free(&problem->linear.contact_jacobian);
    nb_csr_free(&problem->linear.bilateral_jacobian);
    nb_csr_free(&problem->linear.delassus);
    nb_fields_free(&problem->linear, linear_vectors);
    free(problem->parameters);
    memset(problem, 0, sizeof *problem);
}

static int copy_csr(const struct nb_csr *from, struct nb_csr *to)
{
    const size_t rows = (size_t)from->rows, entries = from->start ? (size_t)from->start[rows] : 0;
    int failed = 0;
    to->start = nb_repeat(from->start, (rows + 1) * sizeof *from->start, 1, &failed);
    to->column = nb_repeat(from->column, entries * sizeof *from->column, 1, &failed);
    to->value = nb_repeat(from->value, entries * sizeof *from->value, 1, &failed);
    return !failed;
}

int nb_shape_copy(const struct nb_shape *from, struct nb_shape *to)
{
    const size_t corners = from->face_start ? (size_t)from->face_start[from->face_count] : 0;
    const size_t vertices = (size_t)from->vertex_count, faces = (size_t)from->face_count;
    int failed = 0;
    *to = *from;
    to->vertex = nb_repeat(from->vertex, 3 * vertices * sizeof *from->vertex, 1, &failed);
    to->face_start = nb_repeat(from->face_start, (faces + 1) * sizeof *from->face_start, 1, &failed);
    to->face_vertex = nb_repeat(from->face_vertex, corners * sizeof *from->face_vertex, 1, &failed);
    to->field.value = nb_repeat(from->field.value, nb_distance_nodes(&from->field) * sizeof(double), 1, &failed);
    to->map.angle = nb_repeat(from->map.angle, nb_structure_map_nodes(&from->map) * sizeof(double), 1, &failed);
    return !failed;
}

static int copy_shapes(const struct nb_problem *problem, struct nb_problem *copy)
{
    int done = 1;
    copy->shape_count = 0;
    copy->shapes = problem->shapes ? calloc((size_t)problem->shape_count + 1, sizeof *copy->shapes) : NULL;
    for (; copy->shapes && done && copy->shape_count < problem->shape_count; ++copy->shape_count)
        done = nb_shape_copy(&problem->shapes[copy->shape_count], &copy->shapes[copy->shape_count]);
    return done && !problem->shapes == !copy->shapes;
}

int nb_problem_keep_provenance(const struct nb_problem *problem, struct nb_problem *other)
{
    int failed = 0;
    other->time_step = problem->time_step;
    memcpy(other->name, problem->name, sizeof other->name);
    memcpy(other->source, problem->source, sizeof other->source);
    memcpy(other->generator, problem->generator, sizeof other->generator);
    memcpy(other->hash, problem->hash, sizeof other->hash);
    other->step = problem->step;
    other->parameters = nb_repeat(problem->parameters, (size_t)problem->parameter_count * sizeof *other->parameters,
                                  1, &failed);
    other->parameter_count = other->parameters ? problem->parameter_count : 0;
    return !failed;
}

/* All parts are copied even after a failure, so that the copy shares no array with the problem. */
enum nb_status nb_problem_copy(const struct nb_problem *problem, struct nb_problem *copy,
                               struct nb_error *error)
{
    const struct nb_linear_step *linear = &problem->linear;
    int failed = 0;
    *copy = *problem;
    for (int group = 0; group < NB_FIELD_GROUPS; ++group)
        failed |= !nb_fields_repeat(problem, copy, nb_field_groups[group].field, 1);
    failed |= !copy_shapes(problem, copy);
    copy->free_velocity = nb_repeat(problem->free_velocity, (size_t)nb_problem_dofs(problem) * sizeof(double), 1,
                                    &failed);
    failed |= !copy_csr(&linear->mass, &copy->linear.mass);
    failed |= !copy_csr(&linear->contact_jacobian, &copy->linear.contact_jacobian);
    failed |= !copy_csr(&linear->bilateral_jacobian, &copy->linear.bilateral_jacobian);
    failed |= !copy_csr(&linear->delassus, &copy->linear.delassus);
    failed |= !nb_fields_repeat(linear, &copy->linear, linear_vectors, 1);
    failed |= !nb_problem_keep_provenance(problem, copy);
    if (!failed)
        return NB_OK;
    nb_problem_free(copy);
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a copy of problem %s", problem->name);
}
