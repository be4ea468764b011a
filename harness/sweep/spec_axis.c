/* The axes of a sweep: how one value of each is read and compared. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/backend.h"
#include "harness/case/lasting_name.h"
#include "harness/records/values.h"
#include "harness/sweep/spec.h"
#include "solvers/registry.h"

enum axis_type { AXIS_PROBLEM, AXIS_MODE, AXIS_NAME, AXIS_FORM, AXIS_INTEGER, AXIS_NUMBER,
                 AXIS_FLAG, AXIS_BACKEND, AXIS_TOLERANCE };

#define AT(member) offsetof(struct nb_case, member)

static const struct axis {
    const char *key;
    enum axis_type type;
    size_t offset;
    const char *kind;  /* of the registry, for AXIS_NAME       */
    const char *range; /* see nb_range_find, for numbers        */
} axes[NB_AXES] = {
    [NB_AXIS_PROBLEM] = {"problem", AXIS_PROBLEM, 0, NULL, NULL},
    [NB_AXIS_OPTIONAL_PROBLEM] = {"optional_problem", AXIS_PROBLEM, 0, NULL, NULL},
    [NB_AXIS_MODE] = {"mode", AXIS_MODE, AT(mode), NULL, NULL},
    [NB_AXIS_SYSTEM] = {"system", AXIS_INTEGER, AT(system), NULL, "system"},
    [NB_AXIS_SOLVER] = {"solver", AXIS_NAME, AT(options.solver), "solver", NULL},
    [NB_AXIS_LINEARIZED] = {"linearized", AXIS_FLAG, AT(linearized), NULL, NULL},
    [NB_AXIS_TOL] = {"tol", AXIS_TOLERANCE, AT(tolerance), NULL, "tol"},
    [NB_AXIS_DAMPING] = {"damping", AXIS_NUMBER, AT(options.damping), NULL, "damping"},
    [NB_AXIS_SHIFT] = {"shift", AXIS_NUMBER, AT(options.shift), NULL, "shift"},
    [NB_AXIS_NEWTON_FORM] = {"newton_form", AXIS_FORM, AT(options.newton_form), NULL, NULL},
    [NB_AXIS_NCP] = {"ncp", AXIS_NAME, AT(options.ncp), "ncp", NULL},
    [NB_AXIS_SCALING] = {"scaling", AXIS_NAME, AT(options.scaling), "scaling", NULL},
    [NB_AXIS_LINEAR] = {"linear", AXIS_NAME, AT(options.linear), "linear", NULL},
    [NB_AXIS_NEWTON_ITERS] = {"newton_iters", AXIS_INTEGER, AT(options.newton_iterations), NULL,
                              "newton-iters"},
    [NB_AXIS_LINEAR_ITERS] = {"linear_iters", AXIS_INTEGER, AT(options.linear_iterations), NULL,
                              "linear-iters"},
    [NB_AXIS_PRECOND] = {"precond", AXIS_NAME, AT(options.precond), "precond", NULL},
    [NB_AXIS_OPERATOR] = {"operator", AXIS_NAME, AT(options.operator_form), "operator", NULL},
    [NB_AXIS_BACKEND] = {"backend", AXIS_BACKEND, AT(on_device), NULL, NULL},
    [NB_AXIS_THREADS] = {"threads", AXIS_INTEGER, AT(options.threads), NULL, "threads"},
    [NB_AXIS_PRECISION] = {"precision", AXIS_NAME, AT(options.precision), "precision", NULL},
};

const char *const *nb_axis_names(void)
{
    static const char *names[NB_AXES + 1];
    for (int i = 0; i < NB_AXES; ++i)
        names[i] = axes[i].key;
    return names;
}

enum nb_axis nb_axis_find(const char *key)
{
    int axis = 0;
    while (axis < NB_AXES && strcmp(axes[axis].key, key))
        ++axis;
    return axis;
}

static enum nb_status set_name(const struct axis *axis, const char *name, const char **target,
                               struct nb_error *error)
{
    char what[32];
    snprintf(what, sizeof what, "%s: ", axis->key);
    const enum nb_status status = nb_registry_check(what, axis->kind, name, error);
    if (status)
        return status;
    const char *text = nb_lasting_name(axis->kind, name);
    if (!text)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", axis->key);
    *target = text;
    return NB_OK;
}

static enum nb_status set_choice(const char *key, const char *const *choices, const char *value,
                                 int *index, struct nb_error *error)
{
    char known[160];
    for (*index = 0; choices[*index]; ++*index)
        if (!strcmp(choices[*index], value))
            return NB_OK;
    nb_suggest(choices, value, known, sizeof known);
    return nb_fail(error, NB_BAD_INPUT, "%s: unknown value \"%s\"; %s", key, value, known);
}

static enum nb_status set_number(const struct axis *axis, const char *value, double *target,
                                 struct nb_error *error)
{
    const struct nb_range *range = nb_range_find(axis->range);
    return nb_parse_number(axis->key, value, range->minimum, range->maximum, range->above_minimum,
                           target, error);
}

static enum nb_status set_integer(const struct axis *axis, const char *value, int *target,
                                  struct nb_error *error)
{
    const struct nb_range *range = nb_range_find(axis->range);
    return nb_parse_integer(axis->key, value, range->minimum, range->maximum, target, error);
}

enum nb_status nb_axis_set(enum nb_axis which, const char *value, struct nb_case *setting,
                           struct nb_error *error)
{
    static const char *const modes[] = {"step", "linear_system", NULL};
    static const char *const forms[] = {"scaled", "true", NULL};
    static const char *const flags[] = {"no", "yes", NULL};
    const struct axis *axis = &axes[which];
    char *member = (char *)setting + axis->offset;
    enum nb_status status;
    int index;
    switch (axis->type) {
    case AXIS_PROBLEM:
        setting->optional_problem = which == NB_AXIS_OPTIONAL_PROBLEM;
        return nb_case_set_problem(setting, value, error);
    case AXIS_MODE:
        if (!(status = set_choice(axis->key, modes, value, &index, error)))
            setting->mode = index ? NB_CASE_LINEAR_SYSTEM : NB_CASE_STEP;
        return status;
    case AXIS_NAME:
        return set_name(axis, value, (const char **)(void *)member, error);
    case AXIS_FORM:
        if (!(status = set_choice(axis->key, forms, value, &index, error)))
            setting->options.newton_form = forms[index];
        return status;
    case AXIS_FLAG:
    case AXIS_BACKEND:
        if (!(status = set_choice(axis->key, axis->type == AXIS_FLAG ? flags : nb_backends(), value, &index,
                                  error)))
            *(bool *)(void *)member = index;
        return status;
    case AXIS_INTEGER:
        return set_integer(axis, value, (int *)(void *)member, error);
    case AXIS_TOLERANCE:
        if (!strcmp(value, "none")) {
            setting->tolerance = NAN;
            return NB_OK;
        }
        return set_number(axis, value, &setting->tolerance, error);
    case AXIS_NUMBER:
        return set_number(axis, value, (double *)(void *)member, error);
    }
    return NB_OK;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool nb_axis_equal(enum nb_axis which, const struct nb_case *a, const struct nb_case *b)
{
    const struct axis *axis = &axes[which];
    const char *x = (const char *)a + axis->offset, *y = (const char *)b + axis->offset;
    switch (axis->type) {
    case AXIS_PROBLEM: return !strcmp(a->problem, b->problem);
    case AXIS_MODE: return a->mode == b->mode;
    case AXIS_NAME:
    case AXIS_FORM:
        return !strcmp(*(const char *const *)(const void *)x,
                       *(const char *const *)(const void *)y);
    case AXIS_FLAG:
    case AXIS_BACKEND: return *(const bool *)(const void *)x == *(const bool *)(const void *)y;
    case AXIS_INTEGER: return *(const int *)(const void *)x == *(const int *)(const void *)y;
    case AXIS_TOLERANCE:
    case AXIS_NUMBER:
        return same_number(*(const double *)(const void *)x, *(const double *)(const void *)y);
    }
    return false;
}

int nb_list_next(const char **list, char *value, size_t size)
{
    const char *start = *list + strspn(*list, " \t");
    if (!*start)
        return 0;
    const size_t span = strcspn(start, ",");
    size_t length = span;
    while (length && strchr(" \t", start[length - 1]))
        --length;
    *list = start + span;
    if (**list == ',') {
        ++*list;
        if (!(*list)[strspn(*list, " \t")])
            return -1; /* a comma with nothing after it */
    }
    if (!length || length >= size)
        return -1;
    memcpy(value, start, length);
    value[length] = 0;
    return 1;
}
