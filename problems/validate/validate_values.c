/* Checks of single arrays that the parts of nb_problem_validate share (problems/validate/validate_parts.h). */
#include <math.h>

#include "problems/base/vec3.h"
#include "problems/validate/validate_parts.h"

enum nb_status nb_check_count(const char *name, int count, struct nb_error *error)
{
    if (count < 0 || count > NB_LARGEST_COUNT)
        return nb_fail(error, NB_BAD_INPUT, "%s: count %d is outside 0 to %d", name, count,
                       NB_LARGEST_COUNT);
    return NB_OK;
}

enum nb_status nb_check_finite_entry(const char *name, int entry, const double *values, int width,
                                     struct nb_error *error)
{
    for (int k = 0; k < width; ++k)
        if (!isfinite(values[k]))
            return nb_fail(error, NB_BAD_INPUT, "%s: entry %d is %g, not a finite number", name, entry,
                           values[k]);
    return NB_OK;
}

enum nb_status nb_check_finite(const char *name, const double *values, int count, int width,
                               struct nb_error *error)
{
    if (!values && count > 0)
        return nb_fail(error, NB_BAD_INPUT, "%s is missing", name);
    enum nb_status status = NB_OK;
    for (int i = 0; i < count && !status; ++i)
        status = nb_check_finite_entry(name, i, values + i * width, width, error);
    return status;
}

enum nb_status nb_check_not_negative_entry(const char *name, int entry, double value,
                                           struct nb_error *error)
{
    const enum nb_status status = nb_check_finite_entry(name, entry, &value, 1, error);
    if (!status && value < 0)
        return nb_fail(error, NB_BAD_INPUT, "%s: entry %d is %g, must not be negative", name, entry,
                       value);
    return status;
}

enum nb_status nb_check_not_negative(const char *name, const double *values, int count,
                                     struct nb_error *error)
{
    enum nb_status status = nb_check_finite(name, values, count, 1, error);
    for (int i = 0; i < count && !status; ++i)
        status = nb_check_not_negative_entry(name, i, values[i], error);
    return status;
}

enum nb_status nb_check_quaternion(const char *name, int entry, const double q[4],
                                   struct nb_error *error)
{
    const enum nb_status status = nb_check_finite_entry(name, entry, q, 4, error);
    const double norm = sqrt(q[0] * q[0] + nb_dot3(q + 1, q + 1));
    if (!status && !(fabs(norm - 1) <= NB_UNIT_TOLERANCE))
        return nb_fail(error, NB_BAD_INPUT, "%s: quaternion %d has length %.9g, must be 1 to %g", name,
                       entry, norm, NB_UNIT_TOLERANCE);
    return status;
}

enum nb_status nb_check_body(const char *name, int entry, int body, int bodies,
                             struct nb_error *error)
{
    if (body < -1 || body >= bodies)
        return nb_fail(error, NB_BAD_INPUT,
                       "%s: entry %d is body %d, must be -1 (the world) to %d", name, entry, body,
                       bodies - 1);
    return NB_OK;
}

static enum nb_status check_particle(const char *name, int entry, int particle, int particles,
                                     struct nb_error *error)
{
    if (particle < 0 || particle >= particles)
        return nb_fail(error, NB_BAD_INPUT, "%s: entry %d is particle %d, must be 0 to %d", name, entry,
                       particle, particles - 1);
    return NB_OK;
}

/* Indices, width an entry. */
static enum nb_status check_indices(const struct nb_problem *problem, const struct nb_field *field,
                                    const int *index, int count, struct nb_error *error)
{
    const int width = field->width ? field->width : 1;
    enum nb_status status = NB_OK;
    for (int i = 0; i < count * width && !status; ++i) {
        if (field->rule == NB_FIELD_BODY)
            status = nb_check_body(field->name, i / width, index[i], problem->bodies.count, error);
        else if (field->rule == NB_FIELD_PARTICLE)
            status = check_particle(field->name, i / width, index[i], problem->particles.count, error);
    }
    return status;
}

/* Numbers, `width` an entry. */
static enum nb_status check_numbers(const struct nb_field *field, const double *values, int count,
                                    struct nb_error *error)
{
    const int width = (int)(nb_field_bytes(field) / sizeof *values);
    enum nb_status status = nb_check_finite(field->name, values, count, width, error);
    for (int i = 0; i < count * width && !status; ++i) {
        if (field->rule == NB_FIELD_POSITIVE && !(values[i] > 0))
            status = nb_fail(error, NB_BAD_INPUT, "%s: entry %d is %g %s, must be positive", field->name,
                             i / width, values[i], field->unit);
        else if (field->rule == NB_FIELD_NOT_NEGATIVE)
            status = nb_check_not_negative_entry(field->name, i / width, values[i], error);
        else if (field->rule == NB_FIELD_QUATERNION && i % 4 == 0)
            status = nb_check_quaternion(field->name, i / 4, values + i, error);
    }
    return status;
}

enum nb_status nb_check_group(const struct nb_problem *problem, enum nb_field_groups which,
                              struct nb_error *error)
{
    const struct nb_field_group *group = &nb_field_groups[which];
    const int count = nb_field_entries(problem, group->field);
    enum nb_status status = nb_check_count(group->name, count, error);
    for (const struct nb_field *field = group->field; field->name && !status; ++field) {
        const void *array = nb_field_array(problem, field);
        if (!array && count > 0 && field->need == NB_FIELD_NEEDED)
            status = nb_fail(error, NB_BAD_INPUT, "%s is missing", field->name);
        else if (array && field->whole)
            status = check_indices(problem, field, array, count, error);
        else if (array)
            status = check_numbers(field, array, count, error);
    }
    return status;
}
