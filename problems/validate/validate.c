/* What a solver relies on, checked once: see nb_problem_validate in problem.h. Names in messages
 * are the datasets of docs/reference/formats.md, and FCLIB's for a linear step. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "problems/base/rotation.h"
#include "problems/base/vec3.h"
#include "problems/problem.h"
#include "problems/validate/validate_parts.h"

static enum nb_status check_inertia(const struct nb_bodies *bodies, struct nb_error *error)
{
    for (int i = 0; i < bodies->count; ++i) {
        const double *inertia = bodies->inertia + 9 * i, zero[3] = {0};
        double unused[3];
        const double scale = fabs(inertia[0]) + fabs(inertia[4]) + fabs(inertia[8]);
        for (int k = 0; k < 3; ++k)
            if (fabs(inertia[3 * k + (k + 1) % 3] - inertia[3 * ((k + 1) % 3) + k]) >
                NB_UNIT_TOLERANCE * scale)
                return nb_fail(error, NB_BAD_INPUT, "bodies/inertia: tensor %d is not symmetric", i);
        if (nb_solve_spd3(inertia, zero, unused))
            return nb_fail(error, NB_BAD_INPUT, "bodies/inertia: tensor %d is not positive definite", i);
    }
    return NB_OK;
}

static enum nb_status check_bodies(const struct nb_problem *problem, struct nb_error *error)
{
    const enum nb_status status = nb_check_group(problem, NB_BODIES, error);
    return status ? status : check_inertia(&problem->bodies, error);
}

/* The frame with tangents of unit length; 0 where one is too short or too long. */
static int take_lengths(const double *frame, double *unit)
{
    memcpy(unit, frame, 9 * sizeof *unit);
    for (int row = 1; row < 3; ++row) {
        const double length = sqrt(nb_dot3(frame + 3 * row, frame + 3 * row));
        if (!(length >= (1 - NB_UNIT_TOLERANCE) / NB_ANISOTROPY && length <= (1 + NB_UNIT_TOLERANCE) * NB_ANISOTROPY))
            return 0;
        for (int k = 0; k < 3; ++k)
            unit[3 * row + k] /= length;
    }
    return 1;
}

static enum nb_status check_frames(const struct nb_contacts *contacts, struct nb_error *error)
{
    for (int i = 0; i < contacts->count; ++i) {
        double frame[9], third[3], worst = 0;
        if (!take_lengths(contacts->frame + 9 * i, frame))
            return nb_fail(error, NB_BAD_INPUT, "contacts/frame: a tangent of frame %d has a length outside %g to %g",
                           i, 1 / NB_ANISOTROPY, NB_ANISOTROPY);
        nb_cross3(frame, frame + 3, third);
        for (int row = 0; row < 3; ++row) {
            worst = fmax(worst, fabs(nb_dot3(frame + 3 * row, frame + 3 * row) - 1));
            worst = fmax(worst, fabs(third[row] - frame[6 + row]));
        }
        if (!(worst <= NB_UNIT_TOLERANCE))
            return nb_fail(error, NB_BAD_INPUT,
                           "contacts/frame: frame %d is not right-handed orthogonal to %g (off by %.3g)", i,
                           NB_UNIT_TOLERANCE, worst);
    }
    return NB_OK;
}

static enum nb_status check_contacts(const struct nb_problem *problem, struct nb_error *error)
{
    enum nb_status status = nb_check_group(problem, NB_CONTACTS, error);
    if (!status)
        status = nb_validate_sides(problem, error);
    return status ? status : check_frames(&problem->contacts, error);
}

static enum nb_status check_row(const char *name, const struct nb_csr *matrix, int row,
                                struct nb_error *error)
{
    const int begin = matrix->start[row], end = matrix->start[row + 1];
    for (int k = begin; k < end; ++k) {
        if (matrix->column[k] < 0 || matrix->column[k] >= matrix->columns)
            return nb_fail(error, NB_BAD_INPUT, "%s: row %d has column %d, must be 0 to %d", name,
                           row, matrix->column[k], matrix->columns - 1);
        if (k > begin && matrix->column[k] <= matrix->column[k - 1])
            return nb_fail(error, NB_BAD_INPUT,
                           "%s: columns of row %d do not ascend (%d after %d)", name, row,
                           matrix->column[k], matrix->column[k - 1]);
        if (!isfinite(matrix->value[k]))
            return nb_fail(error, NB_BAD_INPUT,
                           "%s: row %d, column %d is %g, not a finite number", name, row,
                           matrix->column[k], matrix->value[k]);
    }
    return NB_OK;
}

static enum nb_status check_csr(const char *name, const struct nb_csr *matrix, int rows,
                                int columns, struct nb_error *error)
{
    if (matrix->rows != rows || (rows > 0 && matrix->columns != columns))
        return nb_fail(error, NB_BAD_INPUT, "%s is %d x %d, must be %d x %d", name, matrix->rows,
                       matrix->columns, rows, columns);
    if (rows == 0)
        return NB_OK;
    if (!matrix->start || !matrix->column || !matrix->value)
        return nb_fail(error, NB_BAD_INPUT, "%s is missing", name);
    if (matrix->start[0] != 0)
        return nb_fail(error, NB_BAD_INPUT, "%s: row starts begin with %d, must be 0", name,
                       matrix->start[0]);
    for (int row = 0; row < rows; ++row)
        if (matrix->start[row + 1] < matrix->start[row])
            return nb_fail(error, NB_BAD_INPUT, "%s: row starts fall at row %d", name, row);
    enum nb_status status = NB_OK;
    for (int row = 0; !status && row < rows; ++row)
        status = check_row(name, matrix, row, error);
    return status;
}

static enum nb_status check_mass_diagonal(const char *name, const struct nb_csr *mass,
                                          struct nb_error *error)
{
    for (int row = 0; row < mass->rows; ++row) {
        const double diagonal = nb_csr_entry(mass, row, row);
        if (!(diagonal > 0))
            return nb_fail(error, NB_BAD_INPUT, "%s: diagonal entry %d is %g, must be positive",
                           name, row, diagonal);
    }
    return NB_OK;
}

/* Of J M^-1 J^T, whose first rows are W, and the others R: an impulse moves its own point its own way, or not at all;
 * but for what rounding leaves beside the largest entry. */
static enum nb_status check_response_diagonal(const struct nb_csr *response, int contact_rows, struct nb_error *error)
{
    double largest = 0;
    for (int row = 0; row < response->rows; ++row)
        largest = fmax(largest, nb_csr_entry(response, row, row));
    for (int row = 0; row < response->rows; ++row) {
        const double diagonal = nb_csr_entry(response, row, row);
        if (diagonal < -NB_SYMMETRIC_WITHIN * largest)
            return nb_fail(error, NB_BAD_INPUT, "%s: diagonal entry %d is %g, must not be negative: an impulse would "
                                                "move its point the other way",
                           row < contact_rows ? "fclib_local/W" : "fclib_local/R", row, diagonal);
    }
    return NB_OK;
}

/* M, W and R are symmetric but for what contradicts it in numbers; a half of one, as programs for symmetric matrices
 * take it, would be solved as another problem. */
static enum nb_status check_halves(const char *name, const struct nb_csr *matrix, int begin, int end,
                                   struct nb_error *error)
{
    int row, column;
    if (!nb_csr_is_triangle(matrix, begin, end, &row, &column))
        return NB_OK;
    return nb_fail(error, NB_BAD_INPUT, "%s: is a triangle of a symmetric matrix: row %d has an entry in column %d, "
                                        "but row %d none in column %d; both halves must be there",
                   name, row, column, column, row);
}

/* M and W have no negative eigenvalue, so that no entry is larger than what lies on the diagonal beside and below it
 * allows: one that is, by more than 1e-3 of it and 1e-6 of the largest, is no rounding of text of six digits. A matrix
 * that passes may still be indefinite. */
static enum nb_status check_minors(const char *name, const struct nb_csr *matrix, int end, struct nb_error *error)
{
    double largest = 0;
    for (int row = 0; row < end; ++row)
        largest = fmax(largest, fabs(nb_csr_entry(matrix, row, row)));
    for (int row = 0; row < end; ++row) {
        const double diagonal = nb_csr_entry(matrix, row, row);
        for (int k = matrix->start[row]; k < matrix->start[row + 1] && matrix->column[k] < row; ++k) {
            const int column = matrix->column[k];
            const double mean = 0.5 * (matrix->value[k] + nb_csr_entry(matrix, column, row));
            const double allowed = sqrt(fmax(0, diagonal) * fmax(0, nb_csr_entry(matrix, column, column)));
            if (fabs(mean) > 1.001 * allowed + 1e-6 * largest)
                return nb_fail(error, NB_BAD_INPUT, "%s: is not positive semidefinite: entry %d, %d is %g, at most %g "
                                                    "beside the diagonal's",
                               name, row, column, mean, allowed);
        }
    }
    return NB_OK;
}

static enum nb_status check_linear_global(const struct nb_linear_step *step,
                                          struct nb_error *error)
{
    const int n = step->dofs, contacts = step->contacts, p = step->bilaterals;
    enum nb_status status = check_csr("fclib_global/M", &step->mass, n, n, error);
    if (!status)
        status = check_mass_diagonal("fclib_global/M", &step->mass, error);
    if (!status)
        status = check_halves("fclib_global/M", &step->mass, 0, n, error);
    if (!status)
        status = check_minors("fclib_global/M", &step->mass, n, error);
    if (!status)
        status = check_csr("fclib_global/H", &step->contact_jacobian, 3 * contacts, n, error);
    if (!status)
        status = check_csr("fclib_global/G", &step->bilateral_jacobian, p, n, error);
    if (!status)
        status = nb_check_finite("fclib_global/vectors/f", step->force, n, 1, error);
    if (!status)
        status = nb_check_finite("fclib_global/vectors/w", step->contact_velocity, contacts, 3, error);
    if (!status)
        status = nb_check_finite("fclib_global/vectors/b", step->bilateral_velocity, p, 1, error);
    if (!status)
        status = nb_check_not_negative("fclib_global/vectors/mu", step->friction, contacts, error);
    return status;
}

static enum nb_status check_linear_local(const struct nb_linear_step *step, struct nb_error *error)
{
    const int contacts = step->contacts, p = step->bilaterals, size = 3 * contacts + p;
    if (step->dofs != 0)
        return nb_fail(error, NB_BAD_INPUT, "fclib_local: %d velocities where there can be none",
                       step->dofs);
    enum nb_status status = check_csr("fclib_local/W", &step->delassus, size, size, error);
    if (!status)
        status = check_response_diagonal(&step->delassus, 3 * contacts, error);
    if (!status)
        status = check_halves("fclib_local/W", &step->delassus, 0, 3 * contacts, error);
    if (!status)
        status = check_minors("fclib_local/W", &step->delassus, 3 * contacts, error);
    if (!status)
        status = check_halves("fclib_local/R", &step->delassus, 3 * contacts, size, error);
    if (!status)
        status = nb_check_finite("fclib_local/vectors/q", step->contact_velocity, contacts, 3, error);
    if (!status)
        status = nb_check_finite("fclib_local/vectors/s", step->bilateral_velocity, p, 1, error);
    if (!status)
        status = nb_check_not_negative("fclib_local/vectors/mu", step->friction, contacts, error);
    return status;
}

static enum nb_status check_shapes(const struct nb_problem *problem, struct nb_error *error)
{
    enum nb_status status = nb_check_count("shapes", problem->shape_count, error);
    if (!status && problem->shape_count > 0 && !problem->shapes)
        status = nb_fail(error, NB_BAD_INPUT, "shapes is missing");
    for (int i = 0; !status && i < problem->shape_count; ++i)
        status = nb_validate_shape(problem, i, error);
    return status;
}

static enum nb_status check_motion(const struct nb_problem *problem, struct nb_error *error)
{
    const int count = problem->motion.count, dofs = problem->linear.dofs;
    if (count != 0 && count != dofs)
        return nb_fail(error, NB_BAD_INPUT, "motion/velocity: %d velocities, the step has %d", count, dofs);
    return nb_check_group(problem, NB_MOTION, error);
}

static enum nb_status check_drawing(const struct nb_problem *problem, struct nb_error *error)
{
    enum nb_status status = nb_check_finite("gravity", problem->gravity, 1, 3, error);
    if (!status)
        status = check_shapes(problem, error);
    if (!status)
        status = nb_check_group(problem, NB_DRAWING, error);
    if (!status && problem->drawing.count > problem->linear.contacts)
        status = nb_fail(error, NB_BAD_INPUT, "drawing/body: %d contacts, the step has %d",
                         problem->drawing.count, problem->linear.contacts);
    for (int i = 0; i < 2 * problem->drawing.count && !status; ++i)
        status = nb_check_body("drawing/body", i / 2, problem->drawing.body[i], INT_MAX / 64, error);
    return status;
}

static enum nb_status check_linear(const struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_linear_step *step = &problem->linear;
    const int local = problem->form == NB_LINEAR_LOCAL;
    const char *group = local ? "fclib_local" : "fclib_global";
    enum nb_status status = nb_check_count(group, step->contacts, error);
    if (!status)
        status = nb_check_count(group, step->dofs, error);
    if (!status)
        status = nb_check_count(group, step->bilaterals, error);
    if (!status)
        status = local ? check_linear_local(step, error) : check_linear_global(step, error);
    if (!status)
        status = check_motion(problem, error);
    return status ? status : check_drawing(problem, error);
}

static enum nb_status check_nonlinear(const struct nb_problem *problem, struct nb_error *error)
{
    enum nb_status status = nb_check_finite("gravity", problem->gravity, 1, 3, error);
    if (!status)
        status = check_bodies(problem, error);
    if (!status)
        status = nb_validate_deformables(problem, error);
    if (!status)
        status = check_shapes(problem, error);
    if (!status)
        status = check_contacts(problem, error);
    if (!status)
        status = nb_validate_joints(problem, error);
    if (!status)
        status = nb_validate_limits(problem, error);
    const double *u = problem->free_velocity;
    if (!status)
        status = nb_check_finite("free_velocity", u, problem->bodies.count, 6, error);
    if (!status)
        status = nb_check_finite("particles/free_velocity",
                                 u ? u + 6 * problem->bodies.count : NULL, problem->particles.count,
                                 3, error);
    return status;
}

enum nb_status nb_problem_validate(const struct nb_problem *problem, struct nb_error *error)
{
    if (!(problem->time_step > 0) || !isfinite(problem->time_step))
        return nb_fail(error, NB_BAD_INPUT, "time_step is %g s, must be positive and finite",
                       problem->time_step);
    switch (problem->form) {
    case NB_NONLINEAR: return check_nonlinear(problem, error);
    case NB_LINEAR_GLOBAL:
    case NB_LINEAR_LOCAL: return check_linear(problem, error);
    }
    return nb_fail(error, NB_BAD_INPUT, "form is %d, which is none of the known ones",
                   (int)problem->form);
}
