/* Runs one case in this process, as `solve` and `linear` do: the observed run, whose entries it prints as they come,
 * then the timed repetitions. It prints a summary or the record, and writes the solution, its forces and its drawing
 * where asked. */
#include "harness/cli/command_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_record.h"
#include "harness/case/case_settings.h"
#include "harness/case/forces.h"
#include "harness/case/judged_vtkhdf.h"
#include "harness/case/reference.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "problems/io/problem_file.h"

/* Up to here the inverse's norm is exact and a floor costs seconds. */
enum { FLOOR_ROWS_AUTO = 3000 };

void nb_case_request_add(struct nb_command *command, struct nb_case_request *request)
{
    nb_command_add(command, (struct nb_option){.name = "repetitions", .type = NB_OPTION_INTEGER,
                   .target = &request->setting.repetitions, .minimum = 0, .maximum = 10000,
                   .argument = "R", .meaning = "timed runs without judging"});
    nb_command_add(command, (struct nb_option){.name = "json", .type = NB_OPTION_FLAG,
                   .target = &request->json, .meaning = "print one record (docs/reference/records.md)"});
}

/* --- the table --- */

/* Words of a metric's name as its heading: the first, and below it the unit, or the second where there is none. */
static void print_heading(const struct nb_metric *metric, bool second)
{
    const int length = (int)strcspn(metric->name, "_");
    char text[24];
    if (!second)
        snprintf(text, sizeof text, "%.*s", length, metric->name);
    else if (metric->unit[0])
        snprintf(text, sizeof text, "[%s]", metric->unit);
    else
        snprintf(text, sizeof text, "%s", metric->name + length + 1);
    printf("  %10s", text);
}

static void print_header(const struct nb_case *setting)
{
    if (setting->mode == NB_CASE_LINEAR_SYSTEM) {
        printf("%5s  %12s\n", "iter", "residual");
        return;
    }
    for (int line = 0; line < 2; ++line) {
        printf("%5s", line ? "" : "iter");
        for (int place = 1, m; (m = nb_metric_traced(NB_METRIC_OF_STEP, place)) >= 0; ++place)
            if (nb_metrics[m].shown)
                print_heading(&nb_metrics[m], line);
        printf("  %10s  %6s\n", line ? "" : "step", line ? "iters" : "linear");
    }
}

static void print_value(double value)
{
    if (isnan(value))
        printf("  %10s", "-");
    else
        printf("  %10.3e", value);
}

static void print_entry(void *context, const struct nb_trace *trace, int entry)
{
    const struct nb_case *setting = context;
    printf("%5d", (int)trace->column[NB_TRACE_ITERATION][entry]);
    if (setting->mode == NB_CASE_LINEAR_SYSTEM) {
        printf("  %12.5e\n", trace->column[NB_METRIC_residual][entry]);
        return;
    }
    for (int place = 1, m; (m = nb_metric_traced(NB_METRIC_OF_STEP, place)) >= 0; ++place)
        if (nb_metrics[m].shown)
            print_value(trace->column[m][entry]);
    print_value(trace->column[NB_TRACE_STEP][entry]);
    printf("  %6d\n", (int)trace->column[NB_TRACE_LINEAR][entry]);
}

/* The strategies that were used, by the names of the options: a method on its own reads none but the precision. */
static void print_method(const struct nb_case *setting)
{
    const struct nb_case_setting *row;
    const char *separator = "method       ";
    for (int i = 0; (row = nb_case_setting_at(i)); ++i) {
        const void *member = (const char *)setting + row->offset;
        if (row->option.type != NB_OPTION_TEXT || !nb_case_setting_is_read(row, setting))
            continue;
        printf("%s%s %s", separator, row->option.name, *(const char *const *)member);
        separator = ", ";
    }
    printf("\n");
}

static void print_ending(const struct nb_case *setting, const struct nb_case_result *result)
{
    const struct nb_run *counts = &result->counts;
    printf("ended        %s%s%s\n", result->ending, result->detail[0] ? ": " : "",
           result->detail);
    if (setting->mode == NB_CASE_LINEAR_SYSTEM)
        printf("size         %d rows, %d entries\nwork         ", result->rows, result->entries);
    else
        printf("size         %d dofs, %d contacts, %d bilateral rows\nwork         %d Newton, ",
               result->dofs, result->contacts, result->bilaterals, counts->newton_iterations);
    printf("%ld linear iterations, %ld products, %ld preconditionings\n", counts->linear_iterations,
           counts->operator_applications, counts->preconditioner_applications);
}

static void print_times(const struct nb_case_result *result, const double *seconds, int count)
{
    const struct nb_run *counts = &result->counts;
    printf("time         load %.3g s, set-up %.3g s", result->load, result->setup);
    if (count)
        printf(", solve %.4g s (median of %d)", nb_median(seconds, count), count);
    printf("\n");
    if (counts->newton_iterations)
        printf("             observed run: assembly %.3g s (%.3g s preconditioner and solver), "
               "linear %.3g s\n", counts->assembly_seconds, counts->preparation_seconds,
               counts->linear_seconds);
    else if (counts->preparation_seconds > 0)
        printf("             preconditioner and solver prepared in %.3g s\n",
               counts->preparation_seconds);
}

/* The error that decides, its largest part, and where. */
static void print_parts(const struct nb_metrics *errors)
{
    const struct {
        const char *name;
        double value;
    } parts[] = {{"penetration rate", errors->step_penetration}, {"complementarity", errors->step_complementarity},
                 {"cone", errors->step_cone}, {"direction of sliding", errors->step_sliding},
                 {"bilateral rows", errors->step_bilateral}, {"momentum", errors->step_momentum}};
    size_t largest = 0;
    for (size_t i = 1; i < sizeof parts / sizeof *parts; ++i)
        if (parts[i].value > parts[largest].value)
            largest = i;
    printf("judged       error %.3e, by %s", errors->step_error, parts[largest].name);
    if (!isnan(errors->worst_contact))
        printf("; worst contact %.0f", errors->worst_contact);
    printf("\n");
}

static void print_errors(const struct nb_case_result *result)
{
    const struct nb_metrics *errors = &result->errors;
    if (!result->trace.count) {
        printf("judged       nothing: there is no iterate\n");
        return;
    }
    print_parts(errors);
    printf("             natural map %.3e", errors->natural_map);
    if (!isnan(errors->natural_map_linearized))
        printf(" (linearised %.3e)", errors->natural_map_linearized);
    printf(", penetration %.3e m\n", errors->penetration);
    if (errors->strain_error != 0) /* only elements have one */
        printf("             error of the elements' strains %.3e\n", errors->strain_error);
    if (!isnan(errors->normal_force)) /* linear steps do not tell who touches the world */
        printf("             normal force on the world %.8g N\n", errors->normal_force);
    if (!isnan(errors->kinetic_energy))
        printf("             kinetic energy %.4g J\n", errors->kinetic_energy);
    printf("             contacts: %.0f open, %.0f sticking, %.0f sliding\n", errors->open,
           errors->stick, errors->slip);
    printf("best         error %.3e at iteration %d\n", result->best_error,
           result->best_iteration);
}

static void print_system(const struct nb_case_result *result)
{
    const struct nb_exact_report *reference = &result->reference;
    const struct nb_floor_linear *floor = &result->linear_floor;
    printf("judged       residual %.3e, energy error %.3e\n", result->errors.residual, result->errors.energy_error);
    if (!reference->converged) {
        printf("reference    none: %s, %d refinements, condition number %.1e\n",
               reference->method ? reference->method : "not tried", reference->refinements,
               reference->condition);
        return;
    }
    printf("             largest entry: residual %.2e, forward error %.2e\n",
           result->errors.residual_max, result->errors.forward_error);
    printf("floors       norm-wise residual %.2e, forward %.2e; component-wise %.2e, %.2e\n",
           floor->residual, floor->forward, floor->component_residual, floor->component_forward);
    printf("reference    %s, %d refinements in quad, condition number %.1e\n", reference->method,
           reference->refinements, reference->condition);
}

static void print_summary(const struct nb_case *setting, const struct nb_case_result *result,
                          const double *seconds, const struct nb_floor *floor)
{
    printf("\n");
    print_method(setting);
    print_ending(setting, result);
    print_times(result, seconds, result->complete ? setting->repetitions : 0);
    if (setting->mode == NB_CASE_LINEAR_SYSTEM) {
        print_system(result);
        return;
    }
    print_errors(result);
    if (floor)
        printf("floors       norm-wise residual %.2e, step %.2e; component-wise constraints "
               "%.2e m/s, all rows %.2e; error %.2e\n",
               floor->residual, floor->step, floor->component_constraint, floor->component_all,
               floor->step_error);
}

/* --- the run --- */

struct state {
    struct nb_case_request *request;
    struct nb_case_run *run;
    struct nb_case_result result;
    double *seconds, *setups; /* [repetitions] */
    int solves;
    bool has_floor;
    struct nb_floor floor;
};

/* A floor that cannot be computed is no reason not to solve. */
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
    double spent;
    for (int i = 0; i < setting->repetitions && !status; ++i) {
        status = nb_case_run_setup(state->run, &state->setups[i], error);
        if (!status)
            status = nb_case_run_repeat(state->run, state->result.iterations, &state->solves, &state->seconds[i],
                                        &spent, error);
    }
    if (!status && !isnan(state->setups[0])) /* repeated, too */
        state->result.setup = nb_median(state->setups, setting->repetitions);
    return status;
}

static enum nb_status measure(struct state *state, struct nb_error *error)
{
    const struct nb_case *setting = &state->request->setting;
    state->seconds = calloc((size_t)setting->repetitions + 1, sizeof *state->seconds);
    state->setups = calloc((size_t)setting->repetitions + 1, sizeof *state->setups);
    if (!state->seconds || !state->setups)
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
                                     state->solves, state->seconds, state->setups, NULL, nb_peak_memory()};
    cJSON *record = nb_record_case(setting, key, part, &timing,
                                   state->has_floor ? &state->floor : NULL, provenance);
    char *text = nb_json_print(record);
    if (!status && !text)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the record");
    if (!status)
        printf("%s\n", text);
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
    return nb_forces_append(state->request->forces, &state->request->setting,
                            nb_case_run_problem(state->run), lambda, error);
}

static enum nb_status execute(struct state *state, struct nb_error *error)
{
    struct nb_case *setting = &state->request->setting;
    const struct nb_case_watcher watcher = {setting, print_entry};
    const bool json = state->request->json;
    enum nb_status status = nb_case_hash_problem(setting, error);
    if (!status)
        status = nb_case_run_open(&state->run, setting, error);
    if (status)
        return status;
    find_floor(state);
    if (!json)
        print_header(setting);
    status = nb_case_run_trace(state->run, state->has_floor ? &state->floor : NULL,
                               json ? NULL : &watcher, &state->result, error);
    if (!status && state->request->output)
        status = write_solution(state, error);
    if (!status && state->request->forces)
        status = write_forces(state, error);
    if (!status && state->request->vtkhdf)
        status = write_drawing(state, error);
    if (!status)
        status = measure(state, error);
    if (status)
        return status;
    if (json)
        return print_record(state, error);
    print_summary(setting, &state->result, state->seconds, state->has_floor ? &state->floor : NULL);
    return NB_OK;
}

/* Whether the tolerance was reached, where one was asked for. */
static bool is_reached(const struct nb_case *setting, const struct nb_case_result *result)
{
    const bool asked = setting->mode == NB_CASE_LINEAR_SYSTEM
                           ? nb_case_linear_tolerance(setting) > 0
                           : !isnan(setting->tolerance);
    return !asked || (result->ending && !strcmp(result->ending, "converged"));
}

/* A system that its solver cannot be prepared for: the file, and what it would take. */
static enum nb_status explain_system(const struct nb_case *setting, const char *file,
                                     enum nb_status status, struct nb_error *error)
{
    if (setting->mode != NB_CASE_LINEAR_SYSTEM || status != NB_BREAKDOWN)
        return status;
    const struct nb_error reason = *error;
    return nb_fail(error, status, "%.200s: %.200s; linear %.40s with precond %.40s takes symmetric positive "
                   "definite matrices, whose diagonal is above 0", file, reason.text,
                   setting->options.linear, setting->options.precond);
}

int nb_case_request_run(const struct nb_command *command, struct nb_case_request *request,
                        const char *file)
{
    struct state state = {.request = request};
    struct nb_error error;
    enum nb_status status = nb_options_validate(&request->setting.options, &error);
    if (!status)
        nb_case_forget_unread(&request->setting);
    if (!status)
        status = nb_case_set_problem(&request->setting, file, &error);
    if (!status)
        status = explain_system(&request->setting, file, execute(&state, &error), &error);
    const bool reached = is_reached(&request->setting, &state.result);
    nb_case_run_close(state.run);
    nb_case_result_free(&state.result);
    free(state.seconds);
    free(state.setups);
    if (status)
        return nb_command_fail(command, &error);
    return reached ? NB_EXIT_OK : NB_EXIT_NOT_CONVERGED;
}
