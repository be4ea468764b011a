/* Reads and writes whole problems: which parts a file has, see parts.h and docs/reference/formats.md. */
#include "problems/io/problem_file.h"

#include <string.h>

#include "problems/base/numbers.h"
#include "problems/io/parts.h"

/* The file's name without folder and suffix. */
static void name_after_path(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    if (length > size - 1)
        length = size - 1;
    memcpy(name, base, length);
    name[length] = 0;
}

static void read_own(struct nb_reader *reader, struct nb_problem *problem)
{
    problem->form = nb_read_form(reader);
    if (problem->form == NB_NONLINEAR)
        nb_read_nonlinear(reader, problem);
    else
        nb_read_fclib(reader, problem->form, problem);
    nb_read_provenance(reader, problem);
}

static void read_foreign(struct nb_reader *reader, struct nb_problem *problem)
{
    const int global = nb_reader_has(reader, "fclib_global");
    const int local = !global && nb_reader_has(reader, "fclib_local");
    if (!global && !local)
        nb_reader_fail(reader, NB_BAD_INPUT, NULL,
                       "holds no problem: neither the attribute format = \"%s\" nor a group "
                       "fclib_global or fclib_local", NB_FORMAT_NAME);
    if (reader->status)
        return;
    problem->time_step = 1;
    name_after_path(reader->path, problem->name, sizeof problem->name);
    nb_read_fclib(reader, global ? NB_LINEAR_GLOBAL : NB_LINEAR_LOCAL, problem);
}

static void validate(struct nb_reader *reader, const struct nb_problem *problem)
{
    struct nb_error inner = {{0}};
    if (reader->status)
        return;
    const enum nb_status status = nb_problem_validate(problem, &inner);
    if (status)
        nb_reader_fail(reader, status, NULL, "%s", inner.text);
}

static void read_problem(struct nb_reader *reader, void *context)
{
    struct nb_problem *problem = context;
    const int own = nb_is_own_file(reader);
    if (!reader->status && own)
        read_own(reader, problem);
    else if (!reader->status)
        read_foreign(reader, problem);
    validate(reader, problem);
}

enum nb_status nb_problem_read(const char *path, struct nb_problem *problem,
                               struct nb_error *error)
{
    memset(problem, 0, sizeof *problem);
    const enum nb_status status = nb_read_file(path, read_problem, problem, problem->hash, error);
    if (status)
        nb_problem_free(problem);
    return status;
}

static void write_parts(struct nb_writer *writer, const struct nb_problem *problem,
                        const struct nb_problem *linear, const struct nb_problem_extras *extras)
{
    const int nonlinear = problem->form == NB_NONLINEAR;
    nb_write_provenance(writer, problem);
    if (nonlinear)
        nb_write_nonlinear(writer, problem);
    nb_write_fclib(writer, linear, nonlinear);
    if (extras && extras->u && extras->lambda)
        nb_write_solution(writer, problem, linear, extras->u, extras->lambda);
    if (extras && extras->system_count > 0)
        nb_write_newton_systems(writer, extras);
    if (extras && extras->simulation)
        nb_write_simulation(writer, extras->simulation);
}

enum nb_status nb_problem_write(const char *path, const struct nb_problem *problem,
                                const struct nb_problem_extras *extras, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    struct nb_writer writer;
    struct nb_problem linear;
    struct nb_error inner = {{0}};
    enum nb_status status = nb_problem_validate(problem, &inner);
    if (status)
        return nb_fail(error, status, "%s: not written: %s", path, inner.text);
    if (extras && !extras->u != !extras->lambda)
        return nb_fail(error, NB_BAD_INPUT, "%s: not written: a solution needs u and lambda", path);
    status = nb_problem_linearize(problem, &linear, error);
    if (status)
        return status;
    nb_writer_open(&writer, path, error);
    write_parts(&writer, problem, &linear, extras);
    status = nb_writer_commit(&writer);
    nb_problem_free(&linear);
    return status;
}
