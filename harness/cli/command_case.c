/* Runs one case in this process, as `solve` and `linear` do: the observed run, whose entries it prints as they come,
 * then the timed repetitions. It prints a summary or the record, and writes the solution, its forces and its drawing
 * where asked. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/case/case.h"
#include "harness/case/case_record.h"
#include "harness/case/case_run.h"
#include "harness/case/case_settings.h"
#include "harness/case/judged_vtkhdf.h"
#include "harness/case/reference.h"
#include "harness/cli/case_print.h"
#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/cli/supervise.h"
#include "harness/records/json.h"
#include "harness/records/output.h"
#include "harness/records/provenance.h"
#include "harness/records/store.h"
#include "problems/base/rotation.h"
#include "problems/io/matrix_market.h"
#include "problems/io/problem_file.h"
#include "problems/problem.h"
#include "solvers/external_process.h"
#include "solvers/registry.h"

struct nb_case_request {
    struct nb_case setting;
    const char *floor;     /* auto | yes | no        */
    const char *output;    /* -o, or NULL            */
    const char *vtkhdf;    /* --vtkhdf, or NULL      */
    const char *forces;    /* --forces, or NULL      */
    bool redistribute;     /* share forces evenly before anything is written */
    bool json;
    bool stored;           /* no solver runs: the file's own solution is judged */
};

/* The record of a solution's contact forces: normal and friction force and, on a rigid body, where it acts. */

enum { CONTACT, NORMAL, FRICTION, X, Y, Z, COLUMNS };
static const char *const column_name[COLUMNS] = {"contact", "normal_force", "friction_force",
                                                 "x", "y", "z"};

/* The contact's point on a rigid body in the world at q-; left as it is where there is none, or where the
 * form does not tell. */
static void contact_point(const struct nb_problem *problem, int contact, double *out)
{
    const struct nb_contacts *contacts = &problem->contacts;
    if (problem->form != NB_NONLINEAR)
        return;
    for (int side = 0; side < 2; ++side) {
        const int place = 2 * contact + side, body = contacts->body[place];
        if (body < 0)
            continue;
        double matrix[9], turned[3];
        nb_quaternion_matrix(problem->bodies.orientation + 4 * body, matrix);
        nb_rotate(matrix, contacts->point + 3 * place, turned);
        for (int k = 0; k < 3; ++k)
            out[k] = problem->bodies.position[3 * body + k] + turned[k];
        return;
    }
}

static void fill_columns(const struct nb_problem *problem, const double *lambda, int count, double *value)
{
    const double *force = lambda + nb_problem_bilaterals(problem);
    for (int i = 0; i < count; ++i) {
        double point[3] = {NAN, NAN, NAN};
        contact_point(problem, i, point);
        const double row[COLUMNS] = {i, force[3 * i], hypot(force[3 * i + 1], force[3 * i + 2]),
                                     point[0], point[1], point[2]};
        for (int c = 0; c < COLUMNS; ++c)
            value[c * count + i] = row[c];
    }
}

/* Appends a record of kind "forces" to the file at path; lambda [nb_problem_multipliers] [N]. */
static enum nb_status forces_append(const char *path, const struct nb_case *setting,
                                    const struct nb_problem *problem, const double *lambda,
                                    struct nb_error *error)
{
    const int count = nb_problem_contacts(problem);
    double *value = malloc(((size_t)count * COLUMNS + 1) * sizeof *value);
    if (!value)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the forces of %d contacts", count);
    fill_columns(problem, lambda, count, value);
    cJSON *record = cJSON_CreateObject();
    NB_JSON_ADD(record, "kind", "forces", "version", NB_RECORD_VERSION, "settings", nb_case_settings(setting));
    char method[160];
    const bool alone = nb_registry_self_contained(setting->options.solver);
    snprintf(method, sizeof method, "%.100s%s%.40s", setting->options.solver, alone ? "" : "_",
             alone ? "" : setting->options.ncp);
    cJSON_AddStringToObject(record, "method", method);
    cJSON *trace = cJSON_AddObjectToObject(record, "trace");
    for (int c = 0; c < COLUMNS; ++c)
        nb_json_numbers(trace, column_name[c], value + c * count, (size_t)count);
    cJSON_AddItemToObject(record, "provenance", nb_provenance());
    const enum nb_status status = nb_records_append(path, &record, 1, error);
    cJSON_Delete(record);
    free(value);
    return status;
}

/* Up to here the inverse's norm is exact and a floor costs seconds. */
enum { FLOOR_ROWS_AUTO = 3000 };

/* Adds --vtkhdf, --redistribute, --forces: of a step. */
static void case_request_add_outputs(struct nb_command *command, struct nb_case_request *request)
{
    nb_command_add_file(command, "vtkhdf", &request->vtkhdf, "OUT.vtkhdf", "write the solved step for ParaView");
    nb_command_add_flag(command, "redistribute", &request->redistribute,
                        "then share the forces of each pair of bodies evenly: least norm, same effect");
    nb_command_add_file(command, "forces", &request->forces, "FILE.jsonl",
                        "append the contact forces as a record to this file");
}

/* Adds --repetitions, --json. */
static void case_request_add(struct nb_command *command, struct nb_case_request *request)
{
    nb_command_add_count(command, "repetitions", &request->setting.repetitions, 0, 10000, "R",
                         "timed runs without judging");
    nb_command_add_flag(command, "json", &request->json, "print one record (docs/reference/records.md)");
}

struct state {
    struct nb_case_request *request;
    struct nb_case_run *run;
    struct nb_case_result result;
    struct nb_case_share share;
    double *seconds, *setups, *waited; /* [repetitions] */
    int solves;
    bool has_floor;
    struct nb_floor floor;
};

/* It solves, too, if the floor cannot be computed. */
static void find_floor(struct state *state)
{
    const struct nb_case *setting = &state->request->setting;
    const struct nb_problem *problem = nb_case_run_problem(state->run);
    const bool wanted = !strcmp(state->request->floor, "yes") ||
                        (!strcmp(state->request->floor, "auto") &&
                         nb_problem_dofs(problem) + nb_problem_multipliers(problem) <=
                             FLOOR_ROWS_AUTO);
    struct nb_floor_reference reference;
    struct nb_error error;
    double solving;
    if (!wanted || setting->mode == NB_CASE_LINEAR_SYSTEM)
        return;
    if (nb_reference_floor(problem, &setting->options, &reference, &solving, &error)) {
        fprintf(stderr, "no accuracy floor: %s\n", error.text);
        return;
    }
    state->floor = nb_floor_at(&reference, nb_unit_roundoff(setting->options.precision));
    state->has_floor = true;
}

static enum nb_status repeat(struct state *state, struct nb_error *error)
{
    const struct nb_case *setting = &state->request->setting;
    enum nb_status status = NB_OK;
    for (int i = 0; i < setting->repetitions && !status; ++i) {
        struct nb_repetition repetition = {.solves = state->solves};
        nb_supervise_repetition(fmax(setting->time_limit, 10 * state->result.solving));
        status = nb_case_run_setup(state->run, &state->setups[i], error);
        status = status ? status : nb_case_run_repeat(state->run, state->result.iterations, &repetition, error);
        state->solves = repetition.solves;
        state->seconds[i] = repetition.seconds;
        if (setting->mode == NB_CASE_STEP)
            state->setups[i] = repetition.setup;
        state->waited[i] = repetition.waited;
    }
    nb_supervise_repetition(0);
    if (!status && !isnan(state->setups[0])) /* repeated, too */
        state->result.setup = nb_median(state->setups, setting->repetitions);
    return status;
}

static enum nb_status measure(struct state *state, struct nb_error *error)
{
    const struct nb_case *setting = &state->request->setting;
    state->seconds = calloc((size_t)setting->repetitions + 1, sizeof *state->seconds);
    state->setups = calloc((size_t)setting->repetitions + 1, sizeof *state->setups);
    state->waited = calloc((size_t)setting->repetitions + 1, sizeof *state->waited);
    if (!state->seconds || !state->setups || !state->waited)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the times");
    if (!state->result.complete || !setting->repetitions)
        return NB_OK;
    const enum nb_status status = repeat(state, error);
    if (status != NB_BREAKDOWN)
        return status;
    nb_case_result_broken(&state->result, error->text); /* a result, of which there are no times */
    return NB_OK;
}

static enum nb_status print_record(const struct state *state, struct nb_error *error)
{
    const struct nb_case *setting = &state->request->setting;
    char key[NB_KEY_SIZE];
    enum nb_status status = nb_case_key(setting, key, error);
    cJSON *part = nb_part_trace(&state->result), *provenance = nb_provenance();
    const struct nb_timing timing = {state->result.complete ? setting->repetitions : 0,
                                     state->solves, state->seconds, state->setups, state->waited, NULL,
                                     nb_peak_memory(), 0, 0, NAN, NULL};
    cJSON *record = nb_record_case(setting, key, part, &timing,
                                   state->has_floor ? &state->floor : NULL, provenance);
    char *text = nb_json_print(record);
    if (!status && !text)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the record");
    if (!status)
        fprintf(nb_output(), "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(record);
    cJSON_Delete(part);
    cJSON_Delete(provenance);
    return status;
}

static enum nb_status write_solution(const struct state *state, struct nb_error *error)
{
    struct nb_problem problem = *nb_case_run_problem(state->run); /* borrows the arrays */
    struct nb_problem_extras extras = {0};
    nb_case_run_solution(state->run, &extras.u, &extras.lambda);
    snprintf(problem.generator, sizeof problem.generator, "%s", nb_provenance_generator());
    return nb_problem_write(state->request->output, &problem, &extras, error);
}

static enum nb_status write_drawing(const struct state *state, struct nb_error *error)
{
    const double *u, *lambda;
    nb_case_run_solution(state->run, &u, &lambda);
    return nb_judged_vtkhdf_write(state->request->vtkhdf, nb_case_run_problem(state->run), u, lambda,
                                  error);
}

static enum nb_status write_forces(const struct state *state, struct nb_error *error)
{
    const double *u, *lambda;
    nb_case_run_solution(state->run, &u, &lambda);
    return forces_append(state->request->forces, &state->request->setting,
                         nb_case_run_problem(state->run), lambda, error);
}

/* The record, or the summary in words. */
static enum nb_status print_result(const struct state *state, struct nb_error *error)
{
    static const struct nb_problem none;
    if (state->request->json)
        return print_record(state, error);
    nb_case_print_summary(&state->request->setting, &state->result, state->seconds,
                          state->run ? nb_case_run_problem(state->run) : &none,
                          state->has_floor ? &state->floor : NULL);
    if (state->request->redistribute)
        nb_case_print_share(&state->share);
    return NB_OK;
}

/* A factor that breaks down while it is set up is a result as any other breakdown, as it is in a sweep; nothing else
 * was found that could be written. */
static enum nb_status tell_failed(struct state *state, const struct nb_error *reason, struct nb_error *error)
{
    nb_case_result_failed(&state->result, &state->request->setting, NB_BREAKDOWN, reason->text);
    return print_result(state, error);
}

static enum nb_status execute(struct state *state, struct nb_error *error)
{
    struct nb_case *setting = &state->request->setting;
    const struct nb_case_watcher watcher = {setting, nb_case_print_entry};
    const bool json = state->request->json;
    enum nb_status status = nb_case_hash_problem(setting, error);
    if (setting->start == NB_START_PREVIOUS)
        nb_case_hash_previous(setting);
    if (!status)
        status = state->request->stored ? nb_case_run_open_stored(&state->run, setting, error)
                                        : nb_case_run_open(&state->run, setting, error);
    if (status == NB_BREAKDOWN) {
        const struct nb_error reason = *error;
        return tell_failed(state, &reason, error);
    }
    if (status)
        return status;
    find_floor(state);
    if (!json)
        nb_case_print_header(setting);
    status = state->request->stored
                 ? nb_case_run_stored(state->run, json ? NULL : &watcher, &state->result, error)
                 : nb_case_run_trace(state->run, state->has_floor ? &state->floor : NULL,
                                     json ? NULL : &watcher, &state->result, error);
    if (!status && !state->request->stored && setting->mode == NB_CASE_STEP)
        status = nb_case_run_sharpen(state->run, &state->result, error);
    if (!status && state->request->redistribute)
        status = nb_case_run_redistribute(state->run, &state->result, &state->share, error);
    if (!status && state->request->output)
        status = write_solution(state, error);
    if (!status && state->request->forces)
        status = write_forces(state, error);
    if (!status && state->request->vtkhdf)
        status = write_drawing(state, error);
    status = status ? status : measure(state, error);
    return status ? status : print_result(state, error);
}

/* Runs, prints, writes; returns the exit code. */
static int case_request_run(const struct nb_command *command, struct nb_case_request *request,
                            const char *file)
{
    struct state state = {.request = request};
    struct nb_error error;
    enum nb_status status = nb_options_validate(&request->setting.options, &error);
    if (!status)
        nb_case_forget_unread(&request->setting);
    status = status ? status : nb_case_set_problem(&request->setting, file, &error);
    status = status ? status : execute(&state, &error);
    const bool fine = !status && nb_case_is_usable(&state.result) &&
                      nb_case_is_reached(&request->setting, &state.result);
    const int code = fine ? NB_EXIT_OK : NB_EXIT_NOT_CONVERGED;
    if (!status)
        nb_supervise_finishing(code);
    nb_case_run_close(state.run);
    nb_case_result_free(&state.result);
    free(state.seconds);
    free(state.setups);
    free(state.waited);
    if (status)
        return nb_command_fail(command, &error);
    return code;
}

/* ncpbench solve solves one step as a case and judges every iteration. */

/* An external solver's, known before: a handler of signals may call unlink and rmdir, and little else. */
static char folder[NB_EXTERNAL_PATH], step_file[NB_EXTERNAL_PATH + 10];

static void remove_and_end(int number)
{
    unlink(step_file);
    rmdir(folder);
    raise(number); /* whose action is the usual one again */
}

/* What an external solver was given goes when a signal ends us, unless that is handled or ignored. */
static void remove_when_stopped(void)
{
    const struct sigaction remove = {.sa_handler = remove_and_end, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    struct sigaction before;
    nb_external_folder(getpid(), folder);
    snprintf(step_file, sizeof step_file, "%s/step.h5", folder);
    for (int i = 0; i < 3; ++i) {
        const int number = (const int[]){SIGINT, SIGTERM, SIGHUP}[i];
        if (!sigaction(number, NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(number, &remove, NULL);
    }
}

int nb_command_solve(int argc, char **argv)
{
    struct nb_case_request request = {.setting = nb_case_default(), .floor = "auto"};
    struct nb_case *setting = &request.setting;
    struct nb_command command = {
        .name = "solve", .arguments = "FILE [options]",
        .summary = "Solves one step and judges every iteration in float64.",
        .details = "Reads ncpbench's own files and plain FCLIB files, local and global. Exit code: "
                   "0 ran (and converged, if --tol was given), 1 did not reach --tol, or broke down, diverged "
                   "or is infeasible with or without it, 2 bad input.",
        .example = "ncpbench solve arch.h5 --ncp fb --linear pcr --linear-iters 20 --tol 1e-10",
        .by_lines = true,
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"FILE"},
    };
    setting->repetitions = 1;
    nb_command_add_solver(&command, &setting->options, NB_SOLVER_NONLINEAR | NB_SOLVER_LINEAR);
    nb_command_add_setting(&command, setting, "tol");
    nb_command_add_setting(&command, setting, "linearized");
    nb_command_add_setting(&command, setting, "start");
    nb_command_add_output(&command, &request.output, "OUT.h5", "write the problem with FCLIB's /solution (v, u, r, l)");
    case_request_add_outputs(&command, &request);
    nb_command_add_word(&command, "floor", &request.floor, "auto,yes,no", "WHEN",
                        "accuracy floors; auto: up to 3000 unknowns");
    case_request_add(&command, &request);
    const int code = nb_command_begin(&command, argc, argv);
    remove_when_stopped();
    return code >= 0 ? code : case_request_run(&command, &request, command.positional[0]);
}

/* ncpbench linear solves one Newton system that a problem file stores, or any symmetric system in Matrix Market text,
 * as a case. */

struct source {
    const char *matrix, *right_side;
};

static void add_options(struct nb_command *command, struct nb_case *setting, struct source *source)
{
    nb_command_add_setting(command, setting, "system");
    nb_command_add_text(command, "matrix", &source->matrix, "A.mtx",
                        "a symmetric matrix instead of FILE.h5, as Matrix Market text");
    nb_command_add_text(command, "rhs", &source->right_side, "b.mtx",
                        "its right-hand side; without it NAME.b.mtx beside NAME.A.mtx, or A (1, ..., 1)");
}

/* Which file is solved; NULL, with a message, where that is not clear. */
static const char *choose_file(const struct nb_command *command, const struct source *source,
                               struct nb_case *setting, struct nb_error *error)
{
    const char *file = source->matrix ? source->matrix : command->positional[0];
    if (!file || (source->matrix && command->positional[0])) {
        nb_fail(error, NB_BAD_INPUT, "give either FILE.h5 or --matrix A.mtx");
        return NULL;
    }
    if (source->right_side && !nb_is_matrix_market(file)) {
        nb_fail(error, NB_BAD_INPUT, "--rhs goes with --matrix A.mtx, not with %s", file);
        return NULL;
    }
    if (source->matrix && !nb_is_matrix_market(file)) {
        nb_fail(error, NB_BAD_INPUT, "--matrix: %s does not end in .mtx", file);
        return NULL;
    }
    if (source->matrix && setting->system > 0) {
        nb_fail(error, NB_BAD_INPUT, "--system %d: a matrix is one system, number 0",
                setting->system);
        return NULL;
    }
    if (source->right_side && strlen(source->right_side) >= sizeof setting->right_side_file) {
        nb_fail(error, NB_BAD_INPUT, "--rhs: the path has more than %zu characters",
                sizeof setting->right_side_file - 1);
        return NULL;
    }
    if (source->right_side)
        strcpy(setting->right_side_file, source->right_side);
    return file;
}

int nb_command_linear(int argc, char **argv)
{
    struct nb_case_request request = {.setting = nb_case_default(), .floor = "no"};
    struct nb_case *setting = &request.setting;
    struct source source = {NULL, NULL};
    struct nb_error error;
    struct nb_command command = {
        .name = "linear",
        .arguments = "FILE.h5 [options]  or  --matrix A.mtx [--rhs b.mtx] [options]",
        .summary = "Solves one stored Newton system A x = b, or any symmetric one, judged in "
                   "float64.",
        .details = "The residual is relative to that of x = 0, in the norm of the inverse diagonal; "
                   "the energy error is against a solution refined in quad precision. `ncpbench export "
                   "--newton-systems` stores systems, `--matrix-market` writes them as text. Exit code: 0 ran "
                   "(and converged, if the linear solver's setting tol was given, as in --linear pcr:tol=1e-8), "
                   "1 did not reach it, or broke down or diverged with or without it, 2 bad input.",
        .example = "ncpbench linear arch.h5 --system 3 --linear pcg --linear-iters 200",
        .by_lines = true,
        .maximum_positionals = 1, .positional_name = {"FILE.h5"},
    };
    setting->mode = NB_CASE_LINEAR_SYSTEM;
    setting->repetitions = 1;
    add_options(&command, setting, &source);
    nb_command_add_solver(&command, &setting->options, NB_SOLVER_LINEAR);
    case_request_add(&command, &request);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const char *file = choose_file(&command, &source, setting, &error);
    return file ? case_request_run(&command, &request, file) : nb_command_fail(&command, &error);
}

/* ncpbench judge judges the solution in a file, whoever made it, as `solve` judges its own. */

int nb_command_judge(int argc, char **argv)
{
    struct nb_case_request request = {.setting = nb_case_default(), .floor = "no", .stored = true};
    struct nb_case *setting = &request.setting;
    struct nb_command command = {
        .name = "judge", .arguments = "FILE [options]",
        .summary = "Judges the solution that a file holds, in float64.",
        .details = "FCLIB's /solution (v, u, r, l), by any solver, is judged as `solve` judges: the record has the "
                   "solver external. Exit code: 0 judged (and within --tol, if it was given), 1 not within --tol, or "
                   "infeasible, 2 bad input.",
        .example = "ncpbench judge arch.h5 --tol 1e-6",
        .by_lines = true,
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"FILE"},
    };
    setting->repetitions = 0;
    setting->options.solver = "external";
    nb_command_add_setting(&command, setting, "tol");
    command.option[command.option_count - 1].meaning = "the step_error that the solution is to be within";
    nb_command_add_setting(&command, setting, "linearized");
    case_request_add_outputs(&command, &request);
    nb_command_add_flag(&command, "json", &request.json, "print one record (docs/reference/records.md)");
    const int code = nb_command_begin(&command, argc, argv);
    return code >= 0 ? code : case_request_run(&command, &request, command.positional[0]);
}
