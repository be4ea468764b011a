/* ncpbench simulate runs a scene over time. Every step is judged anew, a table shows the observable, penetration and
 * energy of some, and the record holds all. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/case/case_settings.h"
#include "harness/case/judged_vtkhdf.h"
#include "harness/figures/film.h"
#include "harness/judge/metrics.h"
#include "harness/judge/overlap.h"
#include "harness/records/json.h"
#include "harness/records/output.h"
#include "harness/records/provenance.h"
#include "harness/records/store.h"
#include "harness/simulate/checkpoint.h"
#include "harness/simulate/simulate.h"
#include "problems/base/vec3.h"
#include "problems/io/vtkhdf.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "solvers/registry.h"

enum { TIME, OBSERVABLE, PENETRATION, KINETIC, MECHANICAL, CONTACTS, NATURAL_MAP, SOLVES, ITERATIONS, COLUMNS };
static const char *const column_name[COLUMNS] = {
    "time", "observable", "penetration", "kinetic_energy", "mechanical_energy", "contacts", "natural_map", "solves",
    "iterations"};
enum { ROWS_SHOWN = 40 };

struct request {
    const struct nb_scene *scene;
    double time;
    int steps;
    bool json;
    const char *output, *vtkhdf, *film;
    int every; /* steps from one drawing to the next */
    struct nb_option_list settings;
    struct nb_options options;
    struct nb_checkpoint checkpoint;
};

struct recording {
    const struct request *request;
    double *column[COLUMNS]; /* [steps] */
    struct nb_recorded recorded;
    struct nb_simulation_cost cost; /* of this run */
    double resumed[2];              /* solves and iterations before it, which a checkpoint has recorded */
    int printed; /* steps that the table has told of */
    int worst;   /* step of the largest step error of this run, 0: none yet */
    double worst_error;
    struct nb_vtkhdf_series *drawn; /* with --vtkhdf */
    struct nb_film *film;           /* with --film   */
    enum nb_status status;
    struct nb_error error;
};

/* With the largest natural map of the steps since the last row: how well they were solved. */
static void print_row(struct recording *recording, int row)
{
    double worst = 0;
    for (int step = recording->printed; step <= row; ++step)
        if (!(recording->column[NATURAL_MAP][step] <= worst))
            worst = recording->column[NATURAL_MAP][step];
    recording->printed = row + 1;
    printf("%8d  %9.4f  %16.9g  %11.3e  %14.6e  %8d  %11.2e\n", row + 1, recording->column[TIME][row],
           recording->column[OBSERVABLE][row], recording->column[PENETRATION][row],
           recording->column[KINETIC][row], (int)recording->column[CONTACTS][row], worst);
}

/* -m g . x of bodies and particles at q+. */
static double gravity_energy(const struct nb_problem *problem, const double *u)
{
    const int bodies = problem->bodies.count, count = bodies + problem->particles.count;
    double energy = 0;
    for (int i = 0; i < count; ++i) {
        const int particle = i - bodies;
        const double *position = particle < 0 ? problem->bodies.position + 3 * i
                                              : problem->particles.position + 3 * particle;
        const double *velocity = u + (particle < 0 ? 6 * i : 6 * bodies + 3 * particle);
        const double mass = particle < 0 ? problem->bodies.mass[i]
                                         : problem->particles.mass[particle];
        double ahead[3];
        nb_add_scaled3(position, problem->time_step, velocity, ahead);
        energy -= mass * nb_dot3(problem->gravity, ahead);
    }
    return energy;
}

/* Observes the state that the step ends in, as the energies, the penetration and the time beside it. */
static enum nb_status observe(const struct nb_scene *scene, const struct nb_problem *problem, const double *u,
                              double *value, struct nb_error *error)
{
    struct nb_problem after = {0};
    const enum nb_status status = nb_problem_copy(problem, &after, error);
    if (!status) {
        nb_step_advance(&after, u);
        *value = scene->observe(&after);
    }
    nb_problem_free(&after);
    return status;
}

static enum nb_status draw_step(struct recording *recording, const struct nb_problem *problem, const double *u,
                                const double *lambda)
{
    const struct request *request = recording->request;
    enum nb_status status = NB_OK;
    if (problem->step % request->every != 0)
        return NB_OK;
    if (request->vtkhdf)
        status = nb_judged_vtkhdf_add(&recording->drawn, problem, u, lambda, &recording->error);
    if (!status && request->film && !recording->film)
        status = nb_film_begin(&recording->film, request->film, request->every * problem->time_step,
                               &recording->error);
    if (!status && request->film)
        status = nb_film_add(recording->film, problem, lambda, &recording->error);
    return status;
}

/* The step's problem is judged anew: its contacts are those of this step. */
static int record_step(void *context, const struct nb_problem *problem, const double *u,
                       const double *lambda)
{
    struct recording *recording = context;
    struct nb_judge *judge = NULL;
    struct nb_metrics metrics;
    const int row = recording->recorded.steps;
    recording->status = nb_checkpoint_step(&recording->request->checkpoint, problem,
                                           &recording->recorded, &recording->error);
    if (!recording->status)
        recording->status = nb_judge_create(&judge, problem, &recording->error);
    if (row > 0)
        recording->status = nb_simulate_blame(recording->status, problem, &recording->error);
    if (!recording->status)
        recording->status = draw_step(recording, problem, u, lambda);
    if (recording->status) {
        nb_judge_free(judge);
        return 1;
    }
    nb_judge_evaluate(judge, u, lambda, &metrics);
    nb_judge_free(judge);
    recording->status = nb_overlap_add(problem, u, &metrics.penetration, &recording->error);
    if (!recording->status)
        recording->status = observe(recording->request->scene, problem, u, &recording->column[OBSERVABLE][row],
                                    &recording->error);
    if (recording->status)
        return 1;
    recording->column[TIME][row] = (problem->step + 1) * problem->time_step;
    recording->column[PENETRATION][row] = metrics.penetration;
    recording->column[KINETIC][row] = metrics.kinetic_energy;
    recording->column[MECHANICAL][row] = metrics.kinetic_energy + gravity_energy(problem, u);
    recording->column[CONTACTS][row] = nb_problem_contacts(problem);
    recording->column[NATURAL_MAP][row] = metrics.natural_map;
    recording->column[SOLVES][row] = recording->resumed[0] + (double)recording->cost.solves;
    recording->column[ITERATIONS][row] = recording->resumed[1] + (double)recording->cost.iterations;
    if (!recording->worst || !(metrics.step_error <= recording->worst_error)) {
        recording->worst = row + 1;
        recording->worst_error = metrics.step_error;
    }
    ++recording->recorded.steps;
    const int steps = recording->recorded.room, every = (steps + ROWS_SHOWN - 1) / ROWS_SHOWN;
    if (!recording->request->json && (row % every == 0 || row + 1 == steps))
        print_row(recording, row);
    return 0;
}

/* breakdown: why the run ended before its time, or NULL. */
static cJSON *record_json(const struct recording *recording, const struct nb_problem *problem,
                          const char *breakdown)
{
    const struct nb_scene *scene = recording->request->scene;
    cJSON *json = cJSON_CreateObject();
    NB_JSON_ADD(json, "kind", "simulation", "version", 1, "scene", scene->name,
                "settings", nb_simulation_settings(&recording->request->options, problem),
                "observable", scene->observable, "observable_unit", scene->observable_unit,
                "ending", breakdown ? "breakdown" : "completed", "detail", breakdown ? breakdown : "");
    cJSON *trace = cJSON_AddObjectToObject(json, "trace");
    for (int c = 0; c < COLUMNS; ++c)
        nb_json_numbers(trace, column_name[c], recording->column[c],
                        (size_t)recording->recorded.steps);
    cJSON_AddItemToObject(json, "provenance", nb_provenance());
    return json;
}

static void print_verdict(const struct recording *recording, const char *breakdown)
{
    printf("\nverdict      %s after %d steps", breakdown ? "breakdown" : "completed", recording->recorded.steps);
    if (recording->worst)
        printf("; the worst solved is step %d, with an error of %.3e", recording->worst, recording->worst_error);
    printf("\n");
}

static enum nb_status report(const struct recording *recording, const struct nb_problem *problem,
                             const char *breakdown, struct nb_error *error)
{
    const struct request *request = recording->request;
    enum nb_status status = NB_OK;
    cJSON *record = record_json(recording, problem, breakdown);
    char *text = request->json ? nb_json_print(record) : NULL;
    if (request->json && !text)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the record");
    if (text)
        fprintf(nb_output(), "%s\n", text);
    else if (!status)
        print_verdict(recording, breakdown);
    if (!status && request->output)
        status = nb_records_append(request->output, &record, 1, error);
    cJSON_free(text);
    cJSON_Delete(record);
    return status;
}

static enum nb_status allocate(struct recording *recording, int steps, struct nb_error *error)
{
    const size_t room = (size_t)steps + 1;
    double *values = calloc(COLUMNS * room, sizeof *values);
    if (!values)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d steps", steps);
    for (int c = 0; c < COLUMNS; ++c)
        recording->column[c] = values + (size_t)c * room;
    recording->recorded = (struct nb_recorded){.columns = COLUMNS, .room = steps,
                                               .name = column_name, .column = recording->column};
    return NB_OK;
}

static int step_count(const struct request *request, double time_step)
{
    if (request->steps >= 0)
        return request->steps;
    const double steps = ceil(request->time / time_step - 1e-9);
    return steps < 1e7 ? (int)steps : 10000000;
}

static void print_header(const struct nb_scene *scene)
{
    printf("%s: %s\nobservable: %s\n\n%8s  %9s  %16s  %11s  %14s  %8s  %11s\n%8s  %9s  %16s  %11s  %14s  %8s  %11s\n",
           scene->name, scene->title, scene->observable, "step", "time", "observable",
           "penetration", "kinetic energy", "contacts", "natural map", "", "[s]", scene->observable_unit, "[m]",
           "[J]", "", "at most");
}

/* At the scene's start, or at the checkpoint's step, behind which one must be left. */
static enum nb_status begin(struct request *request, struct recording *recording,
                            struct nb_problem *problem, struct nb_error *error)
{
    const struct nb_recorded *recorded = &recording->recorded;
    const char *resume = request->checkpoint.resume;
    enum nb_status status = allocate(recording, step_count(request, problem->time_step), error);
    cJSON *settings = nb_simulation_settings(&request->options, problem);
    status = status ? status : nb_checkpoint_begin(&request->checkpoint, "simulate", settings, problem,
                                                   &recording->recorded, error);
    cJSON_Delete(settings);
    if (!status && resume && recorded->steps == recorded->room)
        status = nb_fail(error, NB_BAD_INPUT, "%s: is at step %d, and the %d steps asked for leave none "
                         "to do", resume, recorded->steps, recorded->room);
    return status;
}

/* A breakdown on the way is a result: what came before it is reported, and *broke_down set. */
static enum nb_status run(struct request *request, int *broke_down, struct nb_error *error)
{
    struct nb_problem problem = {0};
    struct recording recording = {.request = request};
    enum nb_status status = nb_options_validate(&request->options, error);
    if (!status && request->options.warm_start && (request->checkpoint.save || request->checkpoint.resume))
        status = nb_fail(error, NB_BAD_INPUT, "--warm-start: a checkpoint does not hold the forces that the "
                         "next step would begin with");
    status = status ? status : nb_scene_create(request->scene->name, request->settings.count, request->settings.item,
                                               &problem, error);
    if (status)
        goto cleanup;
    if ((status = begin(request, &recording, &problem, error)))
        goto cleanup;
    recording.printed = recording.recorded.steps;
    for (int c = 0; c < 2 && recording.printed > 0; ++c)
        recording.resumed[c] = recording.column[SOLVES + c][recording.printed - 1];
    if (!request->json)
        print_header(request->scene);
    status = nb_simulate_counted(&problem, recording.recorded.room - recording.recorded.steps, &request->options,
                                 record_step, &recording, &recording.cost, error);
    if (recording.status) {
        status = recording.status;
        *error = recording.error;
    }
    *broke_down = status == NB_BREAKDOWN;
    if (*broke_down)
        fprintf(stderr, "ncpbench simulate: stopped at %s\n", error->text);
    if (!status || *broke_down) {
        const struct nb_error reason = *error;
        status = report(&recording, &problem, *broke_down ? reason.text : NULL, error);
    }
    if (!status && recording.drawn)
        status = nb_vtkhdf_series_write(recording.drawn, request->vtkhdf, error);
    if (!status && recording.film)
        status = nb_film_finish(recording.film, error);
cleanup:
    nb_film_end(recording.film);
    nb_vtkhdf_series_free(recording.drawn);
    nb_checkpoint_end(&request->checkpoint);
    free(recording.column[0]);
    nb_problem_free(&problem);
    return status;
}

int nb_command_simulate(int argc, char **argv)
{
    struct request request = {.time = 1, .steps = INT_MIN, .every = 1, .options = nb_options_default()};
    struct nb_error error;
    struct nb_command command = {
        .name = "simulate", .arguments = "SCENE [options]",
        .summary = "Runs a scene over time and prints its observable, penetration, energy.",
        .example = "ncpbench simulate arch --time 10 --newton-iters 6 --linear-iters 20",
        .by_lines = true,
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"SCENE"},
    };
    nb_command_add_number(&command, "time", &request.time, 0, 1e6, "T", "simulated time [s]");
    nb_command_add_count(&command, "steps", &request.steps, 0, 10000000, "N", "steps, instead of a time");
    nb_command_add_scene_settings(&command, &request.settings);
    nb_command_add_output(&command, &request.output, "TRACE.jsonl", "append the record to this file");
    nb_command_add_file(&command, "vtkhdf", &request.vtkhdf, "SERIES.vtkhdf",
                        "write the solved steps into one file for ParaView 5.12 or later");
    nb_command_add_file(&command, "film", &request.film, "FILM.gif", "draw the steps with their forces as a film");
    nb_command_add_count(&command, "every", &request.every, 1, 10000000, "N", "for --vtkhdf, --film: each Nth step");
    nb_command_add_flag(&command, "json", &request.json, "print the record, no table");
    nb_command_add_flag(&command, "warm-start", &request.options.warm_start,
                        "begin each step with the forces of the last one (proximal_newton, newton, "
                        "implicit_complementarity, nsgs, pgs)");
    nb_command_add_count(&command, "refine", &request.options.refine, 0, 100, "N",
                         "solve each step up to N times again with the contacts at its end");
    nb_command_add_checkpoint(&command, &request.checkpoint);
    nb_command_add_solver(&command, &request.options, NB_SOLVER_NONLINEAR | NB_SOLVER_LINEAR);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (nb_command_given(&command, "time") && nb_command_given(&command, "steps"))
        return nb_command_refuse(&command, "--time and --steps cannot both be given");
    if (nb_command_given(&command, "every") && !request.vtkhdf && !request.film)
        return nb_command_refuse(&command, "--every goes with --vtkhdf or --film, of which none is given");
    if (nb_registry_check("", "scene", command.positional[0], &error))
        return nb_command_fail(&command, &error);
    request.scene = nb_scene_find(command.positional[0]);
    int broke_down = 0;
    if (run(&request, &broke_down, &error))
        return nb_command_fail(&command, &error);
    return broke_down ? NB_EXIT_NOT_CONVERGED : NB_EXIT_OK;
}
