/* The step linearised at q-, as an FCLIB global problem:
 *
 *     M v = H r + f,  U = H^T v + w,   f = M u~,  w = (C_n(q-)/h, 0, 0) a contact,
 *
 * H^T's rows being d . (v_a + omega_a x r_a - v_b - omega_b x r_b) for d = n, t1, t2 and r the arm
 * from a centre of mass to the contact's point (docs/theory/design.md, section 7; Macklin et al. 2019, 9, 45); a
 * deformable side has d . sum_k w_k v_k instead. Limits of joints follow as contacts with mu = 0,
 * with the rows of nb_limit_evaluate. Bilateral rows add to it what linearize_bilaterals.c says, soft contacts what
 * linearize_compliance.c says. */
#include <stdlib.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/joints.h"
#include "problems/linearize/linearize_rows.h"

static void append(struct nb_csr *matrix, int *entries, int column, double value)
{
    matrix->column[*entries] = column;
    matrix->value[(*entries)++] = value;
}

static void fill_mass(const struct nb_problem *problem, struct nb_csr *mass)
{
    const struct nb_bodies *bodies = &problem->bodies;
    const int rows = 6 * bodies->count;
    int entries = 0;
    for (int body = 0; body < bodies->count; ++body) {
        double rotation[9], inertia[9];
        nb_quaternion_matrix(bodies->orientation + 4 * body, rotation);
        nb_world_inertia(rotation, bodies->inertia + 9 * body, inertia);
        for (int row = 0; row < 3; ++row) {
            append(mass, &entries, 6 * body + row, bodies->mass[body]);
            mass->start[6 * body + row + 1] = entries;
        }
        for (int row = 0; row < 3; ++row) {
            for (int k = 0; k < 3; ++k)
                append(mass, &entries, 6 * body + 3 + k, inertia[3 * row + k]);
            mass->start[6 * body + 3 + row + 1] = entries;
        }
    }
    for (int i = 0; i < 3 * problem->particles.count; ++i) {
        append(mass, &entries, rows + i, problem->particles.mass[i / 3]);
        mass->start[rows + i + 1] = entries;
    }
}

enum nb_status nb_problem_mass(const struct nb_problem *problem, struct nb_csr *mass,
                               struct nb_error *error)
{
    const int n = 6 * problem->bodies.count, m = 3 * problem->particles.count;
    const enum nb_status status = nb_csr_allocate(mass, n + m, n + m, 2 * n + m, error);
    if (!status)
        fill_mass(problem, mass);
    return status;
}

/* The particles of a deformable side, 0 of any other. */
static int side_particles(const struct nb_contacts *contacts, int contact, int side)
{
    int count = 0;
    while (contacts->particle && count < 3 &&
           contacts->particle[6 * contact + 3 * side + count] >= 0)
        ++count;
    return count;
}

/* World position of one side's point, and its arm from the body's centre of mass. */
static void side_point(const struct nb_problem *problem, int contact, int side, double *point,
                       double *arm)
{
    const struct nb_bodies *bodies = &problem->bodies;
    const struct nb_contacts *contacts = &problem->contacts;
    const int body = contacts->body[2 * contact + side];
    const int at = 6 * contact + 3 * side, corners = side_particles(contacts, contact, side);
    const double *local = contacts->point + at;
    const double radius = contacts->radius ? contacts->radius[2 * contact + side] : 0;
    memcpy(arm, local, 3 * sizeof *arm);
    if (body >= 0) {
        double rotation[9];
        nb_quaternion_matrix(bodies->orientation + 4 * body, rotation);
        nb_rotate(rotation, local, arm);
    }
    nb_add_scaled3(arm, side == 0 ? -radius : radius, contacts->frame + 9 * contact, arm);
    memcpy(point, arm, 3 * sizeof *point);
    if (body >= 0)
        nb_add_scaled3(point, 1, bodies->position + 3 * body, point);
    for (int k = 0; k < corners; ++k)
        nb_add_scaled3(point, contacts->weight[at + k],
                       problem->particles.position + 3 * contacts->particle[at + k], point);
}

/* C_n, and the arms of both sides. */
static double gap_and_arms(const struct nb_problem *problem, int contact, double arm[2][3])
{
    double point[2][3], between[3];
    for (int side = 0; side < 2; ++side)
        side_point(problem, contact, side, point[side], arm[side]);
    nb_subtract3(point[0], point[1], between);
    return nb_dot3(problem->contacts.frame + 9 * contact, between) - problem->contacts.thickness[contact];
}

double nb_contact_gap(const struct nb_problem *problem, int contact)
{
    double arm[2][3];
    return gap_and_arms(problem, contact, arm);
}

/* A side's velocities in the row of a direction. */
static void add_side(const struct nb_problem *problem, int contact, int side,
                     const double *direction, const double *arm, struct nb_sparse_row *row)
{
    const struct nb_contacts *contacts = &problem->contacts;
    const int body = contacts->body[2 * contact + side];
    const int at = 6 * contact + 3 * side, corners = side_particles(contacts, contact, side);
    const double sign = side ? -1 : 1, zero[3] = {0};
    double force[3], moment[3];
    nb_add_scaled3(zero, sign, direction, force);
    nb_cross3(arm, force, moment);
    if (body >= 0) {
        nb_row_add(row, 6 * body, 3, force);
        nb_row_add(row, 6 * body + 3, 3, moment);
    }
    for (int k = 0; k < corners; ++k) {
        nb_add_scaled3(zero, contacts->weight[at + k], force, moment);
        nb_row_add(row, 6 * problem->bodies.count + 3 * contacts->particle[at + k], 3, moment);
    }
}

static void fill_contacts(const struct nb_problem *problem, struct nb_linear_step *step)
{
    const struct nb_contacts *contacts = &problem->contacts;
    int entries = 0;
    for (int i = 0; i < contacts->count; ++i) {
        const double *frame = contacts->frame + 9 * i;
        double arm[2][3];
        step->contact_velocity[3 * i] = gap_and_arms(problem, i, arm) / problem->time_step;
        for (int k = 0; k < 3; ++k) {
            struct nb_sparse_row row = {0};
            for (int side = 0; side < 2; ++side)
                add_side(problem, i, side, frame + 3 * k, arm[side], &row);
            nb_row_append(&row, &step->contact_jacobian, 3 * i + k, &entries);
        }
    }
}

/* Limits of joints, after the contacts. */
static void fill_limits(const struct nb_problem *problem, struct nb_linear_step *step)
{
    const struct nb_limits *limits = &problem->limits;
    const int first = problem->contacts.count;
    int entries = step->contact_jacobian.start[3 * first];
    for (int i = 0; i < limits->count; ++i) {
        const int *body = problem->joints.body + 2 * limits->joint[i];
        double gap, jacobian[36];
        nb_limit_evaluate(problem, i, &gap, jacobian);
        step->contact_velocity[3 * (first + i)] = gap / problem->time_step;
        for (int k = 0; k < 3; ++k) {
            struct nb_sparse_row row = {0};
            for (int side = 0; side < 2; ++side)
                if (body[side] >= 0)
                    nb_row_add(&row, 6 * body[side], 6, jacobian + 12 * k + 6 * side);
            nb_row_append(&row, &step->contact_jacobian, 3 * (first + i) + k, &entries);
        }
    }
}

/* Room for the matrices of bodies and contacts, the empty one, and the vectors. */
static enum nb_status allocate(const struct nb_problem *problem, struct nb_linear_step *step,
                               struct nb_error *error)
{
    const int n = nb_problem_dofs(problem), contacts = nb_problem_contacts(problem);
    int entries = 36 * problem->limits.count;
    for (int i = 0; i < 2 * problem->contacts.count; ++i)
        entries += 3 * (problem->contacts.body[i] >= 0
                            ? 6
                            : 3 * side_particles(&problem->contacts, i / 2, i % 2));
    enum nb_status status = nb_problem_mass(problem, &step->mass, error);
    if (!status)
        status = nb_csr_allocate(&step->contact_jacobian, 3 * contacts, n, entries, error);
    if (!status)
        status = nb_csr_allocate(&step->delassus, 0, 0, 0, error);
    if (status)
        return status;
    return nb_linear_vectors_allocate(step, n, contacts, nb_count_rigid(problem))
               ? NB_OK
               : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to linearise problem %s", problem->name);
}

enum nb_status nb_problem_linearize(const struct nb_problem *problem, struct nb_problem *linear,
                                    struct nb_error *error)
{
    return nb_problem_linearize_in(problem, 0, linear, error);
}

enum nb_status nb_problem_linearize_in(const struct nb_problem *problem, double unit_roundoff,
                                       struct nb_problem *linear, struct nb_error *error)
{
    if (problem->form != NB_NONLINEAR)
        return nb_problem_copy(problem, linear, error);
    memset(linear, 0, sizeof *linear);
    linear->form = NB_LINEAR_GLOBAL;
    enum nb_status status = nb_problem_keep_provenance(problem, linear)
                                ? allocate(problem, &linear->linear, error)
                                : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to linearise problem %s", problem->name);
    if (status) {
        nb_problem_free(linear);
        return status;
    }
    fill_contacts(problem, &linear->linear);
    fill_limits(problem, &linear->linear);
    nb_csr_multiply(&linear->linear.mass, problem->free_velocity, linear->linear.force, 0);
    for (int i = 0; i < problem->contacts.count; ++i)
        linear->linear.friction[i] = problem->contacts.friction[i];
    status = nb_linearize_bilaterals(problem, unit_roundoff, &linear->linear, error);
    if (!status)
        status = nb_linearize_compliance(problem, &linear->linear, error);
    if (status)
        nb_problem_free(linear);
    return status;
}
