/* A solver in another program, in any language, which lives through the repetitions and speaks lines on its standard
 * input and output (docs/guide/external_solver.md):
 *
 *     load FILE    -> ready NAME VERSION    the step, as FCLIB's group or in it; set-up, once the program has started
 *     solve TOL    -> solved ITERATIONS     from zero
 *     write        -> written               the answer into FILE, as FCLIB's /solution
 *     quit
 *
 * All of a solve is one iteration here, of which the answer is judged as any other. Its time goes from `load` to
 * `ready`, since a program may set up whatever it likes, and from `solve` to `written`, since it may queue its work
 * until the answer is asked for. Files are no part of that: as long as the step took us to write is taken off `load`,
 * and off `write` what a second one takes, of the same answer, but no longer than that. Before each FILE holds no
 * answer. Before a timed run FILE is another step, which the program loads, solves and writes, untimed: what it has
 * kept is the answer to another question, and its code is warm. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clock.h"
#include "problems/io/problem_file.h"
#include "problems/io/regular_file.h"
#include "problems/io/replace_file.h"
#include "solvers/aside.h"
#include "solvers/external_process.h"
#include "solvers/model/model.h"
#include "solvers/strategy.h"

enum { COMMAND, TOLERANCE, LIMIT, SETTINGS };
static const struct nb_setting settings[] = {
    [COMMAND] = {.name = "command", .text = 1, .meaning = "the program and its arguments, separated by blanks"},
    [TOLERANCE] = {.name = "tol", .value = 1e-8, .minimum = 0, .maximum = 1,
                   .meaning = "that the program is asked for, in a measure of its own"},
    [LIMIT] = {.name = "limit", .value = 600, .minimum = 0, .maximum = 86400, .above_minimum = 1,
               .meaning = "seconds that each of its answers may take"},
    [SETTINGS] = {.name = NULL},
};

struct external {
    const struct nb_model *model;
    struct nb_external_process *process;
    double tolerance;
    struct nb_content step, other; /* FILE without an answer */
    double writing;                /* [s] that it took */
    char file[NB_EXTERNAL_LINE - 8];
    char version[NB_EXTERNAL_LINE];
};

static void release(void *self)
{
    struct external *external = self;
    if (!external)
        return;
    nb_external_end(external->process);
    nb_content_free(&external->step);
    nb_content_free(&external->other);
    if (external->file[0])
        nb_external_leave_folder();
    free(external);
}

/* values [count] times a factor; NULL: no memory. */
static double *scale(const double *values, size_t count, double factor)
{
    double *changed = malloc((count + 1) * sizeof *changed);
    for (size_t i = 0; changed && i < count; ++i)
        changed[i] = factor * values[i];
    return changed;
}

/* A step of the same size that has a solution if this has one: what drives it is halved, which leaves the velocities
 * that meet all contacts or halves them, and friction is three quarters, which adds to them. */
static enum nb_status write_other(struct external *external, struct nb_error *error)
{
    const struct nb_problem_extras nothing = {0};
    struct nb_problem other = *external->model->problem; /* borrows the other arrays */
    struct nb_linear_step *linear = &other.linear;
    const int contacts = nb_problem_contacts(&other);
    double *friction = NULL, *driving = NULL, *driven = NULL;
    other.motion = (struct nb_free_motion){0};
    if (other.form == NB_NONLINEAR) {
        other.free_velocity = driving = scale(other.free_velocity, (size_t)nb_problem_dofs(&other), 0.5);
        other.contacts.friction = friction = scale(other.contacts.friction, (size_t)other.contacts.count, 0.75);
    } else {
        linear->friction = friction = scale(linear->friction, (size_t)contacts, 0.75);
        if (other.form == NB_LINEAR_GLOBAL) {
            linear->force = driving = scale(linear->force, (size_t)linear->dofs, 0.5);
        } else {
            linear->contact_velocity = driving = scale(linear->contact_velocity, 3 * (size_t)contacts, 0.5);
            linear->bilateral_velocity = driven = scale(linear->bilateral_velocity, (size_t)linear->bilaterals, 0.5);
        }
    }
    const bool whole = friction && driving && (driven || other.form != NB_LINEAR_LOCAL);
    enum nb_status status = whole ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "external: no memory");
    if (!status)
        status = nb_problem_write(external->file, &other, &nothing, error);
    if (!status)
        status = nb_content_add(&external->other, external->file, error);
    free(friction);
    free(driving);
    free(driven);
    return status;
}

static enum nb_status write_step(struct external *external, struct nb_error *error)
{
    const struct nb_problem_extras nothing = {0};
    enum nb_status status = nb_external_make_folder(external->file, sizeof external->file, error);
    if (status) {
        external->file[0] = '\0';
        return status;
    }
    const double first = nb_seconds();
    status = write_other(external, error);
    const double begin = nb_seconds();
    status = status ? status : nb_problem_write(external->file, external->model->problem, &nothing, error);
    external->writing = nb_seconds() - begin;
    status = status ? status : nb_content_add(&external->step, external->file, error);
    nb_aside_add(nb_seconds() - first);
    return status;
}

/* The version text of the answer is kept. The seconds are without those until the program has started. */
static enum nb_status load(struct external *external, const struct nb_content *content, double *seconds,
                           struct nb_error *error)
{
    char line[NB_EXTERNAL_LINE];
    snprintf(line, sizeof line, "load %s", external->file);
    enum nb_status status = nb_place_file(external->file, content->bytes, content->size, error);
    const double begin = nb_seconds(), aside = nb_aside_seconds();
    status = status ? status : nb_external_ask(external->process, line, "ready", external->version, error);
    *seconds = nb_seconds() - begin - (nb_aside_seconds() - aside);
    return status;
}

static enum nb_status setup(void **self, struct nb_model *model, const struct nb_options *options,
                            struct nb_error *error)
{
    double value[SETTINGS];
    char command[NB_EXTERNAL_LINE];
    *self = NULL;
    enum nb_status status = nb_settings_read(settings, options->solver, value, error);
    if (status)
        return status;
    nb_settings_text(options->solver, "command", command, sizeof command);
    if (!command[0])
        return nb_fail(error, NB_UNSUPPORTED, "external: which program? external:command=PROGRAM");
    if (sizeof(nb_real) != sizeof(double))
        return nb_fail(error, NB_UNSUPPORTED, "external: the program's precision is its own; here it is f64, not %s",
                       NB_TEXT(NB_PRECISION));
    struct external *external = calloc(1, sizeof *external);
    if (!external)
        return nb_fail(error, NB_OUT_OF_MEMORY, "external: no memory");
    external->model = model;
    external->tolerance = value[TOLERANCE];
    status = write_step(external, error);
    if (!status)
        status = nb_external_start(&external->process, command, value[LIMIT], error);
    if (status) {
        release(external);
        return status;
    }
    *self = external;
    return NB_OK;
}

/* The file's path is another each time, and says nothing to who reads the record. */
static void leave_path_out(const struct external *external, struct nb_error *error)
{
    char rest[sizeof error->text];
    const size_t length = strlen(external->file);
    if (!error || strncmp(error->text, external->file, length) != 0)
        return;
    snprintf(rest, sizeof rest, "%s", error->text + length);
    snprintf(error->text, sizeof error->text, "external: the answer%.400s", rest);
}

/* The answer in the file, whose bytes are others now. */
static enum nb_status read_answer(const struct external *external, const struct nb_method_task *task,
                                  struct nb_error *error)
{
    struct nb_problem problem = *external->model->problem; /* borrows the arrays */
    double *u = NULL, *lambda = NULL;
    problem.hash[0] = '\0';
    const enum nb_status status = nb_solution_read(external->file, &problem, &u, &lambda, error);
    if (!status && u && lambda) {
        nb_model_narrow_velocity(external->model, u, task->u);
        nb_model_narrow_multiplier(external->model, lambda, task->lambda);
    }
    const bool whole = u && lambda;
    free(u);
    free(lambda);
    if (status)
        leave_path_out(external, error);
    return status || whole ? status : nb_fail(error, NB_BREAKDOWN, "external: the program wrote no whole /solution");
}

/* In plain digits: "0x10" and "1e9" are no numbers of iterations. */
static bool read_count(const char *text, int *count)
{
    const size_t digits = strspn(text, "0123456789");
    const bool whole = digits && digits <= 9 && !text[digits + strspn(text + digits, " \t")];
    *count = whole ? atoi(text) : 0;
    return whole;
}

/* Into the step as it was loaded: an answer from before is none. */
static enum nb_status write_answer(const struct external *external, const struct nb_content *loaded, double *seconds,
                                   struct nb_error *error)
{
    enum nb_status status = nb_place_file(external->file, loaded->bytes, loaded->size, error);
    const double begin = nb_seconds();
    if (!status)
        status = nb_external_ask(external->process, "write", "written", NULL, error);
    *seconds = nb_seconds() - begin;
    return status;
}

static enum nb_status ask_to_solve(const struct external *external, char *iterations, double *seconds,
                                   struct nb_error *error)
{
    char line[NB_EXTERNAL_LINE];
    snprintf(line, sizeof line, "solve %.17g", external->tolerance);
    const double begin = nb_seconds();
    const enum nb_status status = nb_external_ask(external->process, line, "solved", iterations, error);
    *seconds = nb_seconds() - begin;
    return status;
}

/* By the other step. Whether it is solved is no matter. */
static void warm_up(struct external *external)
{
    char iterations[NB_EXTERNAL_LINE];
    double seconds;
    if (!load(external, &external->other, &seconds, NULL) && !ask_to_solve(external, iterations, &seconds, NULL))
        write_answer(external, &external->other, &seconds, NULL);
}

static enum nb_status solve(struct external *external, const struct nb_method_task *task, double *seconds,
                            struct nb_error *error)
{
    char iterations[NB_EXTERNAL_LINE];
    double loading, first, second = 0;
    if (!task->observer)
        warm_up(external);
    enum nb_status status = load(external, &external->step, &loading, error);
    if (!status)
        status = ask_to_solve(external, iterations, seconds, error);
    if (status)
        return status;
    if (!read_count(iterations, &task->run->newton_iterations))
        return nb_fail(error, NB_BREAKDOWN, "external: \"solved %.40s\" has no number of iterations (digits alone)",
                       iterations);
    status = write_answer(external, &external->step, &first, error);
    if (!status)
        status = read_answer(external, task, error);
    if (!status && !task->observer)
        status = write_answer(external, &external->step, &second, error);
    *seconds += fmax(0, loading - external->writing) + fmax(0, first - fmin(second, external->writing));
    return status;
}

static enum nb_status run(void *self, const struct nb_method_task *task, struct nb_error *error)
{
    struct external *external = self;
    struct nb_error reason;
    double seconds = 0;
    (void)error;
    const double begin = nb_seconds();
    if (task->report(task, 0, NULL) || task->iterations < 1)
        return NB_OK;
    const enum nb_status status = solve(external, task, &seconds, &reason);
    *task->untimed = nb_seconds() - begin - seconds;
    snprintf(task->run->detail, sizeof task->run->detail, "%.150s", status ? reason.text : external->version);
    if (status)
        task->run->broke_down = true;
    else
        task->report(task, 1, NULL);
    return NB_OK;
}

/* The file is in the problem's units. */
static int own_units(const struct nb_options *options)
{
    (void)options;
    return 1;
}

const struct nb_solver_strategy NB(nb_solver_external) = {
    .name = "external",
    .title = "a solver in another program",
    .source = "docs/guide/external_solver.md",
    .self_contained = 1,
    .together = 1, /* the program gets the step as its file holds it */
    .alone = 1,
    .fresh = 1,
    .iterations = 1,
    .settings = settings,
    .own_units = own_units,
    .setup = setup,
    .run = run,
    .free = release,
};
