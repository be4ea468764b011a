/* Checkpoints: the problem file of a step that also holds the simulation's settings and what was recorded so far.
 * A run resumes from one only if all its settings but the threads are the same. */
#include "harness/simulate/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "problems/base/numbers.h"
#include "problems/io/problem_file.h"

/* More than the settings of any simulation as text. */
enum { SETTINGS = 8192 };

/* The settings that a checkpoint is compared by. The result of a step does not depend on threads. */
static char *settings_text(const char *command, const cJSON *settings, const struct nb_problem *problem)
{
    cJSON *json = cJSON_Duplicate(settings, true);
    cJSON_DeleteItemFromObject(json, "threads");
    NB_JSON_ADD(json, "command", command, "scene", problem->name);
    char *text = nb_json_print(json);
    cJSON_Delete(json);
    return text;
}

/* A setting for people: without quotes, "nothing" where there is none. */
static void print_setting(const cJSON *item, char *text, size_t size)
{
    if (cJSON_IsString(item))
        snprintf(text, size, "%s", item->valuestring);
    else if (cJSON_IsNumber(item))
        snprintf(text, size, "%.15g", item->valuedouble);
    else
        snprintf(text, size, "nothing");
}

static enum nb_status differ(const char *path, const char *name, const cJSON *theirs, const cJSON *ours,
                             struct nb_error *error)
{
    char mine[64], its[64];
    print_setting(ours, mine, sizeof mine);
    print_setting(theirs, its, sizeof its);
    return nb_fail(error, NB_BAD_INPUT, "%s: a checkpoint of another simulation: its %s is %s, not %s", path, name, its,
                   mine);
}

/* The first setting in which two simulations differ, or NB_OK; one of either may be set by it alone. */
static enum nb_status compare(const char *path, const cJSON *theirs, const cJSON *ours, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    for (const cJSON *item = ours->child; item && !status; item = item->next) {
        const cJSON *other = nb_json_member(theirs, item->string);
        if (cJSON_IsObject(item) && cJSON_IsObject(other))
            status = compare(path, other, item, error);
        else if (!cJSON_Compare(item, other, 1))
            status = differ(path, item->string, other, item, error);
    }
    for (const cJSON *item = theirs->child; item && !status; item = item->next)
        if (!cJSON_IsNull(item) && !nb_json_member(ours, item->string))
            status = differ(path, item->string, item, NULL, error);
    return status;
}

static enum nb_status compare_texts(const char *path, const char *theirs, const char *ours,
                                    struct nb_error *error)
{
    cJSON *its = cJSON_Parse(theirs), *mine = cJSON_Parse(ours);
    enum nb_status status;
    if (!mine || nb_json_starved())
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for its settings", path);
    else if (!cJSON_IsObject(its))
        status =
            nb_fail(error, NB_BAD_INPUT, "%s: simulation: attribute settings is not JSON", path);
    else
        status = compare(path, its, mine, error);
    cJSON_Delete(its);
    cJSON_Delete(mine);
    return status;
}

/* Equal bits are promised for the same program only. */
static void warn_of_other_build(const char *path, const struct nb_problem *problem)
{
    if (strcmp(problem->generator, nb_provenance_generator()))
        fprintf(stderr, "note: %s was written by %s, this is %s\n", path, problem->generator,
                nb_provenance_generator());
}

/* The step and what was recorded before it, of a checkpoint whose settings are ours. */
static enum nb_status read_state(const char *path, struct nb_problem *problem,
                                 struct nb_simulation *simulation,
                                 const struct nb_recorded *recorded, struct nb_error *error)
{
    enum nb_status status =
        nb_simulation_read(path, recorded->columns, recorded->name, simulation, error);
    status = status ? status : nb_problem_read(path, problem, error);
    if (!status && problem->step != simulation->steps)
        status = nb_fail(error, NB_BAD_INPUT, "%s: is at step %d, but recorded %d", path,
                         problem->step, simulation->steps);
    if (!status && simulation->steps > recorded->room)
        status = nb_fail(error, NB_BAD_INPUT, "%s: is at step %d, beyond the %d steps asked for",
                         path, problem->step, recorded->room);
    return status;
}

static enum nb_status resume_simulation(const struct nb_checkpoint *checkpoint, struct nb_problem *problem,
                                struct nb_recorded *recorded, struct nb_error *error)
{
    const char *path = checkpoint->resume;
    char settings[SETTINGS];
    struct nb_problem saved = {0};
    struct nb_simulation simulation = {0};
    enum nb_status status = nb_simulation_read_settings(path, settings, sizeof settings, error);
    status = status ? status : compare_texts(path, settings, checkpoint->settings, error);
    status = status ? status : read_state(path, &saved, &simulation, recorded, error);
    if (!status) {
        for (int c = 0; c < recorded->columns; ++c)
            memcpy(recorded->column[c], simulation.column[c],
                   (size_t)simulation.steps * sizeof *simulation.column[c]);
        recorded->steps = simulation.steps;
        warn_of_other_build(path, &saved);
        nb_problem_free(problem);
        *problem = saved;
        memset(&saved, 0, sizeof saved);
    }
    nb_simulation_free(&simulation);
    nb_problem_free(&saved);
    return status;
}

enum nb_status nb_checkpoint_begin(struct nb_checkpoint *checkpoint, const char *command,
                                   const cJSON *settings, struct nb_problem *problem,
                                   struct nb_recorded *recorded, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    enum nb_status status = NB_OK;
    recorded->steps = 0;
    checkpoint->settings = settings_text(command, settings, problem);
    if (!checkpoint->settings)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the settings of %s", problem->name);
    if (checkpoint->resume)
        status = resume_simulation(checkpoint, problem, recorded, error);
    checkpoint->started = recorded->steps;
    return status;
}

enum nb_status nb_checkpoint_step(const struct nb_checkpoint *checkpoint,
                                  const struct nb_problem *problem,
                                  const struct nb_recorded *recorded, struct nb_error *error)
{
    const int steps = recorded->steps;
    if (!checkpoint->save || steps == checkpoint->started || steps % checkpoint->every != 0)
        return NB_OK;
    const struct nb_simulation simulation = {
        .settings = checkpoint->settings, .steps = steps, .columns = recorded->columns,
        .name = recorded->name, .column = (double **)recorded->column};
    const struct nb_problem_extras extras = {.simulation = &simulation};
    struct nb_problem state = *problem; /* borrows the arrays */
    snprintf(state.generator, sizeof state.generator, "%s", nb_provenance_generator());
    return nb_problem_write(checkpoint->save, &state, &extras, error);
}

void nb_checkpoint_end(struct nb_checkpoint *checkpoint)
{
    cJSON_free(checkpoint->settings);
    checkpoint->settings = NULL;
}
