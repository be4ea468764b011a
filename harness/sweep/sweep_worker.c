/* The child's side of a sweep: it runs one case or computes one floor and answers in lines of JSON, the observed run
 * first, then a repetition for each command. */
#include <math.h>
#include <stdlib.h>

#include "harness/case/reference.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "harness/sweep/sweep_private.h"

static bool answer(int answers, cJSON *part)
{
    cJSON_AddNumberToObject(part, "peak_memory", nb_peak_memory());
    char *text = nb_json_print(part);
    const bool sent = text && nb_child_answer(answers, text);
    cJSON_free(text);
    cJSON_Delete(part);
    return sent;
}

const struct nb_floor *nb_task_floor(const struct nb_task *task, struct nb_floor *room)
{
    if (!task->floor || !task->floor->has_reference)
        return NULL;
    *room = nb_floor_at(&task->floor->reference, nb_unit_roundoff(task->setting.options.precision));
    return room;
}

static int work_on_floor(const struct nb_task *task, int answers)
{
    struct nb_floor_reference reference;
    struct nb_error error = {""};
    double solving = 0;
    struct nb_problem step = {0};
    enum nb_status status = nb_case_read_step(&task->setting, 0, &step, NULL, NULL, &error);
    if (!status)
        status = nb_reference_floor(&step, &task->setting.options, &reference, &solving, &error);
    nb_problem_free(&step);
    return !answer(answers, nb_part_floor(status ? NULL : &reference, solving, error.text));
}

static bool answer_failed(const struct nb_task *task, int answers, enum nb_status status, const struct nb_error *error)
{
    struct nb_case_result result;
    nb_case_result_failed(&result, &task->setting, status, error->text);
    return answer(answers, nb_part_trace(&result));
}

/* The observed run; false where there is nothing to time or nobody to tell. */
static bool trace(const struct nb_worker *worker, struct nb_case_run *run, int answers,
                  int *iterations)
{
    struct nb_case_result result;
    struct nb_error error = {""};
    struct nb_floor floor;
    const enum nb_status status =
        nb_case_run_trace(run, nb_task_floor(worker->task, &floor), NULL, &result, &error);
    bool going;
    if (status) {
        answer_failed(worker->task, answers, status, &error);
        going = false;
    } else if (answer(answers, nb_part_trace(&result))) {
        going = result.complete;
        *iterations = result.iterations;
    } else { /* small enough to be sent still */
        nb_fail(&error, NB_OUT_OF_MEMORY, "no memory for the record");
        answer_failed(worker->task, answers, NB_OUT_OF_MEMORY, &error);
        going = false;
    }
    nb_case_result_free(&result);
    return going;
}

static int repeat(const struct nb_worker *worker, struct nb_case_run *run, int commands,
                  int answers, int iterations)
{
    int solves = worker->task->solves, repetition = worker->task->done;
    while (nb_child_wait(commands)) {
        struct nb_error error = {""};
        double seconds, setup, spent;
        if (worker->hook)
            worker->hook(&worker->task->setting, repetition);
        enum nb_status status = nb_case_run_setup(run, &setup, &error);
        if (!status)
            status = nb_case_run_repeat(run, iterations, &solves, &seconds, &spent, &error);
        if (status)
            return !answer(answers, nb_part_failure(status, error.text));
        spent += isnan(setup) ? 0 : setup;
        if (!answer(answers, nb_part_time(seconds, setup, solves, spent)))
            return 1;
        ++repetition;
    }
    return 0;
}

/* The iterations of each island that was solved apart there. */
static void take_islands(struct nb_case_run *run, const cJSON *counts)
{
    const cJSON *islands = cJSON_GetObjectItemCaseSensitive(counts, "islands"), *island;
    const int count = cJSON_GetArraySize(islands);
    int *iterations = count > 0 ? malloc((size_t)count * sizeof *iterations) : NULL, at = 0;
    for (island = islands ? islands->child : NULL; island && iterations; island = island->next)
        iterations[at++] = island->valueint;
    if (iterations)
        nb_case_run_expect_islands(run, iterations, count);
    free(iterations);
}

/* What another process saw: the iterations of a timed run, and what it has to reach. */
static int take_seen(struct nb_case_run *run, const struct nb_case *setting, const cJSON *trace)
{
    const bool step = setting->mode == NB_CASE_STEP;
    const cJSON *errors = cJSON_GetObjectItemCaseSensitive(trace, "errors");
    const cJSON *counts = cJSON_GetObjectItemCaseSensitive(trace, "counts");
    nb_case_run_expect(run, nb_json_get(errors, step ? "step_error" : "residual"),
                       (long)nb_json_get(counts, step ? "newton" : "linear"));
    take_islands(run, counts);
    return (int)nb_json_get(trace, "iterations");
}

static int work_on_case(const struct nb_worker *worker, int commands, int answers)
{
    const struct nb_task *task = worker->task;
    struct nb_case_run *run = NULL;
    struct nb_error error = {""};
    int iterations = 0, code = 0;
    if (!task->trace && worker->hook)
        worker->hook(&task->setting, -1);
    const enum nb_status status = nb_case_run_open(&run, &task->setting, &error);
    if (status)
        return !answer_failed(task, answers, status, &error);
    bool going = true;
    if (task->trace)
        iterations = take_seen(run, &task->setting, task->trace);
    else
        going = trace(worker, run, answers, &iterations);
    if (going)
        code = repeat(worker, run, commands, answers, iterations);
    nb_case_run_close(run);
    return code;
}

static int work(const struct nb_worker *worker, int commands, int answers)
{
    return worker->task->is_floor ? work_on_floor(worker->task, answers)
                                  : work_on_case(worker, commands, answers);
}

int nb_worker_main(void *context, int commands, int answers)
{
    struct nb_worker worker = *(const struct nb_worker *)context;
    struct nb_task task = *worker.task;
    if (worker.scratch && !nb_scratch_path(worker.scratch, &worker.task->setting, task.setting.problem_file, NULL))
        worker.task = &task;
    task.setting.series_file = ((const struct nb_worker *)context)->task->setting.problem_file;
    return work(&worker, commands, answers);
}
