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

enum nb_status nb_check_positive(const char *name, const double *values, int count,
                                 const char *unit, struct nb_error *error)
{
    const enum nb_status status = nb_check_finite(name, values, count, 1, error);
    if (status)
        return status;
    for (int i = 0; i < count; ++i)
        if (!(values[i] > 0))
            return nb_fail(error, NB_BAD_INPUT, "%s: entry %d is %g %s, must be positive", name, i,
                           values[i], unit);
    return NB_OK;
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

enum nb_status nb_check_quaternions(const char *name, const double *values, int count,
                                    struct nb_error *error)
{
    enum nb_status status = nb_check_finite(name, values, count, 4, error);
    for (int i = 0; i < count && !status; ++i)
        status = nb_check_quaternion(name, i, values + 4 * i, error);
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

enum nb_status nb_check_particles(const char *name, const int *values, int count, int width,
                                  int limit, struct nb_error *error)
{
    if (!values && count > 0)
        return nb_fail(error, NB_BAD_INPUT, "%s is missing", name);
    for (int i = 0; i < count * width; ++i)
        if (values[i] < 0 || values[i] >= limit)
            return nb_fail(error, NB_BAD_INPUT, "%s: entry %d is particle %d, must be 0 to %d", name,
                           i / width, values[i], limit - 1);
    return NB_OK;
}
