/* Reads and writes whole problems: which parts a file has, see parts.h and docs/reference/formats.md. */
#include "problems/io/problem_file.h"

#include <stdio.h>
#include <string.h>

#include "problems/base/numbers.h"
#include "problems/io/foreign/foreign.h"
#include "problems/io/matrix_market.h"
#include "problems/io/regular_file.h"

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
    if (problem->form != NB_NONLINEAR)
        nb_read_beside(reader, problem);
    nb_read_provenance(reader, problem);
}

static void read_foreign(struct nb_reader *reader, struct nb_notes *notes, struct nb_problem *problem)
{
    problem->time_step = 1;
    name_after_path(reader->path, problem->name, sizeof problem->name);
    if (nb_reader_has(reader, "fclib_global"))
        nb_read_fclib(reader, NB_LINEAR_GLOBAL, problem);
    else if (nb_reader_has(reader, "fclib_local"))
        nb_read_fclib(reader, NB_LINEAR_LOCAL, problem);
    else if (nb_reader_has(reader, "fclib_global_rolling"))
        nb_read_rolling(reader, notes, problem);
    else if (nb_has_arrays(reader))
        nb_read_arrays(reader, notes, problem);
    else
        nb_reader_fail(reader, NB_BAD_INPUT, NULL,
                       "holds no problem: neither the attribute format = \"%s\" nor a group "
                       "fclib_global or fclib_local, nor arrays W or M and H", NB_FORMAT_NAME);
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

struct reading {
    struct nb_problem *problem;
    struct nb_notes *notes; /* NULL: what they would say is refused */
};

static void read_problem(struct nb_reader *reader, void *context)
{
    const struct reading *reading = context;
    const int own = nb_is_own_file(reader);
    if (!reader->status && own)
        read_own(reader, reading->problem);
    else if (!reader->status)
        read_foreign(reader, reading->notes, reading->problem);
    validate(reader, reading->problem);
}

/* *.dat that does not begin as HDF5 does. */
static int is_siconos(const char *path)
{
    char begin[4] = {0};
    FILE *file;
    const size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".dat") != 0 || nb_open_regular(path, &file, NULL))
        return 0;
    const size_t count = fread(begin, 1, sizeof begin, file);
    fclose(file);
    return count < sizeof begin || memcmp(begin + 1, "HDF", 3) != 0;
}

int nb_is_problem_text(const char *path)
{
    return nb_is_market_step(path) || is_siconos(path);
}

static enum nb_status read_siconos(const char *path, struct nb_reader *reader, const struct reading *reading)
{
    struct nb_problem *problem = reading->problem;
    reader->status = nb_content_add(&reader->content, path, reader->error);
    if (!reader->status)
        reader->status = nb_hash(reader->content.bytes, reader->content.size, problem->hash, sizeof problem->hash,
                                 reader->error);
    if (!reader->status)
        nb_read_siconos(reader, reading->notes, problem);
    nb_content_free(&reader->content);
    return reader->status;
}

static enum nb_status read_text(const char *path, const struct reading *reading, struct nb_error *error)
{
    struct nb_reader reader = {.path = path, .error = error};
    struct nb_problem *problem = reading->problem;
    const int market = nb_is_matrix_market(path), alone = market && !nb_is_market_step(path);
    if (alone && (reader.status = nb_check_no_pointer(path, error)))
        return reader.status;
    if (alone)
        return nb_fail(error, NB_BAD_FILE, "%s: is no step in Matrix Market text, whose files are NAME.mu.mtx and "
                       "NAME.W.mtx or NAME.M.mtx, ..., all named by NAME.mtx", path);
    problem->time_step = 1;
    name_after_path(path, problem->name, sizeof problem->name);
    reader.status = market ? nb_read_market_step(path, problem, error) : read_siconos(path, &reader, reading);
    validate(&reader, problem);
    return reader.status;
}

static enum nb_status read_any(const char *path, struct reading *reading, struct nb_error *error)
{
    memset(reading->problem, 0, sizeof *reading->problem);
    const enum nb_status status =
        (reading->notes && nb_is_matrix_market(path)) || is_siconos(path) ? read_text(path, reading, error)
        : nb_is_market_step(path)                                         ? nb_refuse_market_step(path, error)
                           : nb_read_file(path, read_problem, reading, reading->problem->hash, error);
    if (status)
        nb_problem_free(reading->problem);
    return status;
}

enum nb_status nb_problem_read(const char *path, struct nb_problem *problem,
                               struct nb_error *error)
{
    return read_any(path, &(struct reading){problem, NULL}, error);
}

enum nb_status nb_problem_convert_read(const char *path, struct nb_problem *problem, struct nb_notes *notes,
                                       struct nb_error *error)
{
    return read_any(path, &(struct reading){problem, notes}, error);
}

enum nb_status nb_problem_exchange(const char *path, enum nb_exchange format, const struct nb_problem *problem,
                                   struct nb_notes *notes, struct nb_error *error)
{
    static enum nb_status (*const write[])(const char *, const struct nb_problem *, struct nb_error *) = {
        [NB_EXCHANGE_ARRAYS] = nb_write_arrays, [NB_EXCHANGE_SICONOS] = nb_write_siconos,
        [NB_EXCHANGE_MATRIX_MARKET] = nb_write_market_step};
    struct nb_problem linear;
    if (format == NB_EXCHANGE_MJCF) {
        nb_note(notes, "contacts are left out: MuJoCo finds its own");
        return nb_write_mjcf(path, problem, error);
    }
    enum nb_status status = nb_problem_linearize(problem, &linear, error);
    if (status)
        return status;
    status = write[format](path, &linear, error);
    if (problem->form == NB_NONLINEAR)
        nb_note(notes, "the step is linearised at its start, bodies and shapes are left out");
    else if (problem->motion.count || problem->bodies.count || problem->shape_count)
        nb_note(notes, "what stands beside the linear step, its drawing and motion, is left out");
    if (format != NB_EXCHANGE_ARRAYS && linear.time_step != 1)
        nb_note(notes, "the time step, %.10g s, is left out: r are impulses", linear.time_step);
    nb_problem_free(&linear);
    return status;
}

static void write_parts(struct nb_writer *writer, const struct nb_problem *problem,
                        const struct nb_problem *linear, const struct nb_problem_extras *extras)
{
    const int nonlinear = problem->form == NB_NONLINEAR;
    nb_write_provenance(writer, problem);
    if (nonlinear)
        nb_write_nonlinear(writer, problem);
    else
        nb_write_beside(writer, problem);
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
    writer.uncompressed = extras && extras->uncompressed;
    write_parts(&writer, problem, &linear, extras);
    status = nb_writer_commit(&writer);
    nb_problem_free(&linear);
    return status;
}
