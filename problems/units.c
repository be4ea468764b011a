/* Units by the table of fields (problems/fields.h), whose `unit` says what every array counts. What depends on the
 * kind of a joint is told apart here: rows of positions and of angles, bounds of limits. */
#include "problems/units.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problems/fields.h"
#include "problems/joints.h"

/* kg^mass m^length s^time */
struct unit {
    const char *name;
    int mass, length, time;
};

static const struct unit number = {"1", 0, 0, 0}, metre = {"m", 0, 1, 0}, second = {"s", 0, 0, 1},
                         kilogram = {"kg", 1, 0, 0}, inertia = {"kg m^2", 1, 2, 0}, speed = {"m/s", 0, 1, -1},
                         rate = {"rad/s", 0, 0, -1}, acceleration = {"m/s^2", 0, 1, -2},
                         momentum = {"N s", 1, 1, -1}, force = {"N", 1, 1, -2}, torque = {"N m", 1, 2, -2},
                         pressure = {"Pa", 1, -1, -2}, compliance = {"m/N", -1, 0, 2},
                         turning_compliance = {"1/(N m)", -1, -2, 2}, mobility = {"1/kg", -1, 0, 0},
                         viscosity = {"N s/m", 1, 0, -1};

static const struct unit *const units[] = {&number, &metre, &kilogram, &inertia, &speed, &rate, &pressure, &compliance,
                                           &turning_compliance, &force, &viscosity};

/* A change of units under way. */
struct change {
    const struct nb_units *factor;
    int lost; /* a number has left the range */
};

static double power(double x, int exponent)
{
    double y = 1;
    for (int k = 0; k < (exponent < 0 ? -exponent : exponent); ++k)
        y *= x;
    return exponent < 0 ? 1 / y : y;
}

/* One unit after the other, so that no product of factors leaves the range where the number does not. */
static void change_all(struct change *change, double *value, size_t count, const struct unit *unit)
{
    const double mass = power(change->factor->mass, unit->mass), time = power(change->factor->time, unit->time);
    const double length = power(change->factor->length, unit->length);
    for (size_t i = 0; value && i < count; ++i) {
        const double x = value[i] * mass * length * time;
        if (!isfinite(x) || (value[i] != 0 && fabs(x) < DBL_MIN))
            change->lost = 1;
        value[i] = x;
    }
}

static const struct unit *find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
        if (strlen(units[i]->name) == length && strncmp(units[i]->name, name, length) == 0)
            return units[i];
    return NULL;
}

/* An array of one unit, or of two: each entry's first half counts the first, its second half the other. Those whose
 * unit depends on a joint are left. */
static void change_field(struct change *change, void *owner, const struct nb_field *field)
{
    if (field->whole || !field->unit)
        return;
    const char *comma = strchr(field->unit, ',');
    const size_t length = comma ? (size_t)(comma - field->unit) : strlen(field->unit);
    const struct unit *first = find(field->unit, length), *last = comma ? find(comma + 2, strlen(comma + 2)) : first;
    const size_t width = nb_field_bytes(field) / sizeof(double), entries = (size_t)nb_field_entries(owner, field);
    double *value = nb_field_array(owner, field);
    if (!value || !first || !last || (comma && (last == &turning_compliance || width < 2)))
        return;
    for (size_t i = 0; i < entries; ++i, value += width) {
        change_all(change, value, comma ? width / 2 : width, first);
        change_all(change, value + width / 2, comma ? width - width / 2 : 0, last);
    }
}

static enum nb_joint_kind kind_of(const struct nb_problem *problem, int joint)
{
    return (enum nb_joint_kind)problem->joints.kind[joint];
}

static void change_joints(struct change *change, struct nb_problem *problem)
{
    for (int j = 0; j < problem->joints.count; ++j) {
        const int *axes = nb_joint_axes(kind_of(problem, j));
        for (int r = 0; r < nb_joint_rows(kind_of(problem, j)); ++r)
            change_all(change, &problem->joints.compliance[6 * j + r], 1,
                       axes[r] < 3 ? &compliance : &turning_compliance);
    }
    for (int i = 0; i < problem->limits.count; ++i)
        if (kind_of(problem, problem->limits.joint[i]) == NB_JOINT_SLIDER)
            change_all(change, &problem->limits.bound[i], 1, &metre);
}

static void change_shapes(struct change *change, struct nb_problem *problem)
{
    for (int i = 0; i < problem->shape_count; ++i) {
        struct nb_shape *shape = &problem->shapes[i];
        change_all(change, shape->position, 3, &metre);
        change_all(change, &shape->radius, 1, &metre);
        change_all(change, &shape->half_length, 1, &metre);
        change_all(change, shape->vertex, 3 * (size_t)shape->vertex_count, &metre);
        change_all(change, shape->map.corner, 2, &metre);
        change_all(change, shape->map.spacing, 2, &metre);
        change_all(change, shape->field.size, 4, &metre);
        change_all(change, shape->field.value, nb_distance_nodes(&shape->field), &metre);
    }
}

static void change_matrix(struct change *change, struct nb_csr *matrix, const struct unit *unit)
{
    change_all(change, matrix->value, matrix->start ? (size_t)matrix->start[matrix->rows] : 0, unit);
}

/* Generalised coordinates are lengths: H and G have no unit. */
static void change_linear(struct change *change, struct nb_linear_step *linear)
{
    change_matrix(change, &linear->mass, &kilogram);
    change_matrix(change, &linear->delassus, &mobility);
    change_all(change, linear->force, (size_t)linear->dofs, &momentum);
    change_all(change, linear->contact_velocity, 3 * (size_t)linear->contacts, &speed);
    change_all(change, linear->bilateral_velocity, (size_t)linear->bilaterals, &speed);
}

/* Velocities of any form: 6 a body, then 3 a particle, or those of a linear step. */
static void change_velocity(struct change *change, const struct nb_problem *problem, double *u)
{
    const int bodies = problem->form == NB_NONLINEAR ? problem->bodies.count : 0;
    for (int b = 0; u && b < bodies; ++b, u += 6) {
        change_all(change, u, 3, &speed);
        change_all(change, u + 3, 3, &rate);
    }
    change_all(change, u, (size_t)(nb_problem_dofs(problem) - 6 * bodies), &speed);
}

int nb_problem_change_units(struct nb_problem *problem, double mass, double length, double time)
{
    const struct nb_units factor = {mass, length, time};
    struct change change = {&factor, 0};
    change_all(&change, &problem->time_step, 1, &second);
    change_velocity(&change, problem, problem->free_velocity);
    if (problem->form != NB_NONLINEAR)
        change_linear(&change, &problem->linear);
    change_all(&change, problem->gravity, 3, &acceleration);
    for (int group = 0; group < NB_FIELD_GROUPS; ++group)
        for (const struct nb_field *field = nb_field_groups[group].field; field->name; ++field)
            change_field(&change, problem, field);
    change_joints(&change, problem);
    change_shapes(&change, problem);
    return !change.lost;
}

/* Multipliers of a nonlinear step's bilateral rows, in their order. Returns how many. */
static size_t change_bilaterals(struct change *change, const struct nb_problem *problem, double *lambda)
{
    const double *first = lambda;
    for (int j = 0; j < problem->joints.count; ++j) {
        const int *axes = nb_joint_axes(kind_of(problem, j));
        for (int r = 0; r < nb_joint_rows(kind_of(problem, j)); ++r)
            change_all(change, lambda++, 1, axes[r] < 3 ? &force : &torque);
    }
    const size_t held = 3 * ((size_t)problem->attachments.count + (size_t)problem->ties.count) +
                        (size_t)problem->distances.count;
    change_all(change, lambda, held, &force);
    lambda += held;
    const size_t elastic = (size_t)nb_problem_bilaterals(problem) - (size_t)(lambda - first);
    change_all(change, lambda, elastic, &torque);
    return (size_t)(lambda - first) + elastic;
}

void nb_solution_change_units(const struct nb_problem *problem, const struct nb_units *factor, double *u,
                              double *lambda)
{
    struct change change = {factor, 0};
    change_velocity(&change, problem, u);
    if (!lambda)
        return;
    if (problem->form != NB_NONLINEAR) {
        change_all(&change, lambda, (size_t)nb_problem_multipliers(problem), &force);
        return;
    }
    lambda += change_bilaterals(&change, problem, lambda);
    change_all(&change, lambda, 3 * (size_t)problem->contacts.count, &force);
    lambda += 3 * (size_t)problem->contacts.count;
    for (int i = 0; i < problem->limits.count; ++i, lambda += 3)
        change_all(&change, lambda, 3,
                   kind_of(problem, problem->limits.joint[i]) == NB_JOINT_SLIDER ? &force : &torque);
}

struct nb_units nb_units_inverse(const struct nb_units *factor)
{
    return (struct nb_units){1 / factor->mass, 1 / factor->length, 1 / factor->time};
}
