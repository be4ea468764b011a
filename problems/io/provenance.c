/* Where a problem comes from: root attributes, the time step and the scene's parameters. They make
 * a file ours; readers of FCLIB overlook them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clean_text.h"
#include "problems/base/vec3.h"
#include "problems/io/hdf5_private.h"
#include "problems/io/parts.h"
#include "problems/validate/validate_parts.h"

enum { MOST_PARAMETERS = 1000 }; /* HDF5 looks at all of them to find one */

static const char *const form_names[] = {
    [NB_NONLINEAR] = "nonlinear",
    [NB_LINEAR_GLOBAL] = "linear_global",
    [NB_LINEAR_LOCAL] = "linear_local",
};

int nb_is_own_file(struct nb_reader *reader)
{
    char format[sizeof NB_FORMAT_NAME + 1];
    if (!nb_reader_has_attribute(reader, "/", "format"))
        return 0;
    nb_read_text_attribute(reader, "/", "format", format, sizeof format);
    if (reader->status || strcmp(format, NB_FORMAT_NAME))
        return 0;
    const int version = nb_read_int_attribute(reader, "/", "version");
    if (!reader->status && version > NB_FORMAT_VERSION)
        nb_reader_fail(reader, NB_UNSUPPORTED, NULL,
                       "version %d is newer than the %d this program reads", version,
                       NB_FORMAT_VERSION);
    if (!reader->status && version < 1)
        nb_reader_fail(reader, NB_BAD_INPUT, NULL, "version %d does not exist, the first is 1",
                       version);
    return !reader->status;
}

enum nb_form nb_read_form(struct nb_reader *reader)
{
    char form[32];
    nb_read_text_attribute(reader, "/", "form", form, sizeof form);
    for (int i = 0; i <= NB_LINEAR_LOCAL; ++i)
        if (strcmp(form, form_names[i]) == 0)
            return (enum nb_form)i;
    nb_reader_fail(reader, NB_BAD_INPUT, "root: attribute form",
                   "is '%s', must be nonlinear, linear_global or linear_local", form);
    return NB_NONLINEAR;
}

struct parameters {
    struct nb_reader *reader;
    struct nb_problem *problem;
};

static void read_parameter(void *context, const char *name)
{
    const struct parameters *of = context;
    struct nb_problem *problem = of->problem;
    struct nb_parameter *parameter = &problem->parameters[problem->parameter_count];
    if (problem->parameter_count == MOST_PARAMETERS)
        nb_reader_fail(of->reader, NB_BAD_INPUT, "parameters", "there are more than it claims");
    else if (!name[0] || strlen(name) >= sizeof parameter->name)
        nb_reader_fail(of->reader, NB_BAD_INPUT, "parameters", "a name has %zu characters, 1 to %zu are allowed",
                       strlen(name), sizeof parameter->name - 1);
    if (of->reader->status)
        return;
    strcpy(parameter->name, name);
    parameter->value = nb_read_double_attribute(of->reader, "parameters", name);
    nb_clean_text(parameter->name);
    ++problem->parameter_count;
}

static void read_parameters(struct nb_reader *reader, struct nb_problem *problem)
{
    struct parameters of = {reader, problem};
    const int count = nb_read_attribute_count(reader, "parameters", MOST_PARAMETERS);
    if (reader->status || count == 0)
        return;
    problem->parameters = calloc(MOST_PARAMETERS, sizeof *problem->parameters);
    if (!problem->parameters)
        nb_reader_fail(reader, NB_OUT_OF_MEMORY, "parameters", "no memory for %d of them", count);
    nb_read_attribute_names(reader, "parameters", read_parameter, &of);
}

void nb_read_provenance(struct nb_reader *reader, struct nb_problem *problem)
{
    nb_read_text_attribute(reader, "/", "name", problem->name, sizeof problem->name);
    nb_read_text_attribute(reader, "/", "source", problem->source, sizeof problem->source);
    nb_read_text_attribute(reader, "/", "generator", problem->generator,
                           sizeof problem->generator);
    problem->step = nb_read_int_attribute(reader, "/", "step");
    problem->time_step = nb_read_double(reader, "time_step");
    read_parameters(reader, problem);
}

static void check_parameter_names(struct nb_writer *writer, const struct nb_problem *problem)
{
    if (problem->parameter_count > MOST_PARAMETERS)
        nb_writer_fail(writer, NB_BAD_INPUT, "parameters", "there are %d, at most %d are read",
                       problem->parameter_count, MOST_PARAMETERS);
    for (int i = 0; i < problem->parameter_count; ++i) {
        const char *name = problem->parameters[i].name;
        if (!name[0])
            nb_writer_fail(writer, NB_BAD_INPUT, "parameters", "number %d has no name", i);
        for (int j = 0; j < i; ++j)
            if (strcmp(name, problem->parameters[j].name) == 0)
                nb_writer_fail(writer, NB_BAD_INPUT, "parameters", "there are two named %s", name);
    }
}

/* The first that knows all parts: 2 has limits, 3 tangents of other lengths and structure, 4 maps of structure, 5 soft
 * contacts, 6 ties and damping. */
static int version_of(const struct nb_problem *problem)
{
    if (problem->ties.count > 0 || problem->distances.damping)
        return 6;
    if (problem->contacts.compliance)
        return 5;
    for (int i = 0; i < problem->shape_count; ++i)
        if (problem->shapes[i].map.angle)
            return 4;
    for (int i = 0; i < problem->shape_count; ++i)
        if (problem->shapes[i].across > 0)
            return 3;
    for (int i = 0; i < problem->contacts.count; ++i)
        for (int row = 1; row < 3; ++row) {
            const double *tangent = problem->contacts.frame + 9 * i + 3 * row;
            if (fabs(nb_dot3(tangent, tangent) - 1) > NB_UNIT_TOLERANCE)
                return 3;
        }
    return problem->limits.count > 0 ? 2 : 1;
}

void nb_write_provenance(struct nb_writer *writer, const struct nb_problem *problem)
{
    const int version = version_of(problem);
    nb_write_text_attribute(writer, "/", "format", NB_FORMAT_NAME);
    nb_write_int_attribute(writer, "/", "version", 1, &version);
    nb_write_text_attribute(writer, "/", "form", form_names[problem->form]);
    nb_write_text_attribute(writer, "/", "name", problem->name);
    nb_write_text_attribute(writer, "/", "source", problem->source);
    nb_write_text_attribute(writer, "/", "generator", problem->generator);
    nb_write_int_attribute(writer, "/", "step", 1, &problem->step);
    nb_write_double(writer, "time_step", problem->time_step, "s", "h, length of the step");
    check_parameter_names(writer, problem);
    nb_write_group(writer, "parameters");
    for (int i = 0; i < problem->parameter_count; ++i)
        nb_write_double_attribute(writer, "parameters", problem->parameters[i].name,
                                  problem->parameters[i].value);
}
