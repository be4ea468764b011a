/* MuJoCo compiles a model and simulates it. Its errors come back as values: its handler, which must not return, jumps
 * out to nb_mujoco_guard, and so neither ends the program nor writes MUJOCO_LOG.TXT. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clean_text.h"
#include "problems/base/numbers.h"
#include "problems/base/random.h"
#include "problems/import/mujoco/mujoco.h"
#include "problems/io/regular_file.h"

/* The handlers have no argument of ours. */
static _Thread_local jmp_buf *way_out;
static _Thread_local struct nb_engine *at_work;
static _Thread_local char last_error[256];

/* MuJoCo's texts have several lines: they become one, without "Error:" before and a stop behind. */
static void one_line(const char *from, char *to, size_t size)
{
    static const char prefix[] = "Error: ";
    size_t used = 0;
    from += strncmp(from, prefix, sizeof prefix - 1) ? 0 : sizeof prefix - 1;
    for (; *from && used + 3 < size; ++from)
        if (*from != '\n') {
            to[used++] = *from;
        } else if (from[1] && from[1] != '\n') {
            if (used > 0 && to[used - 1] != ':')
                to[used++] = ';';
            to[used++] = ' ';
        }
    while (used > 0 && (to[used - 1] == ' ' || to[used - 1] == '.'))
        --used;
    to[used] = 0;
    nb_clean_text(to);
}

static void on_error(const char *text)
{
    if (!way_out) {
        fprintf(stderr, "MuJoCo: %s\n", text); /* in a thread of the host's own */
        abort();
    }
    one_line(text, last_error, sizeof last_error);
    longjmp(*way_out, 1);
}

static void on_warning(const char *text)
{
    if (at_work && !at_work->warning[0])
        one_line(text, at_work->warning, sizeof at_work->warning);
}

enum nb_status nb_mujoco_guard(struct nb_engine *engine, nb_mujoco_work *work, void *context, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    void (*const error_before)(const char *) = mju_user_error;
    void (*const warning_before)(const char *) = mju_user_warning;
    volatile enum nb_status status = NB_BREAKDOWN;
    jmp_buf here;
    way_out = &here;
    at_work = engine;
    mju_user_error = on_error;
    mju_user_warning = on_warning;
    if (setjmp(here) == 0)
        status = work(engine, context, error);
    else
        nb_fail(error, NB_BREAKDOWN, "%s: MuJoCo: %s", engine->path, last_error);
    mju_user_error = error_before;
    mju_user_warning = warning_before;
    way_out = NULL;
    at_work = NULL;
    return status;
}

static enum nb_status load(struct nb_engine *engine, void *context, struct nb_error *error)
{
    char reason[1000] = "", words[256];
    (void)context;
    engine->model = mj_loadXML(engine->path, NULL, reason, sizeof reason);
    one_line(reason, words, sizeof words);
    if (!engine->model)
        return nb_fail(error, NB_BAD_INPUT, "%s: MuJoCo does not read it: %s", engine->path, words);
    if (words[0] && !engine->warning[0])
        memcpy(engine->warning, words, sizeof words);
    if (engine->model->nv == 0)
        return nb_fail(error, NB_BAD_INPUT, "%s: nothing in it can move: it has no joint", engine->path);
    engine->data = mj_makeData(engine->model);
    return engine->data ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory to simulate it", engine->path);
}

static void count_model(const mjModel *model, struct nb_import_report *report)
{
    for (int i = 1; i < model->nbody; ++i)
        report->bodies += model->body_weldid[i] != 0;
    for (int i = 0; i < model->njnt; ++i)
        report->joints += model->jnt_type[i] != mjJNT_FREE;
}

enum nb_status nb_engine_open(struct nb_engine **engine, const char *model, struct nb_import_report *report,
                              struct nb_error *error)
{
    *engine = NULL;
    enum nb_status status = nb_check_readable(model, error);
    if (status)
        return status;
    if (mj_version() != mjVERSION_HEADER)
        return nb_fail(error, NB_UNSUPPORTED, "MuJoCo's library is version %d, this program was built with %d",
                       mj_version(), mjVERSION_HEADER);
    struct nb_engine *made = calloc(1, sizeof *made);
    if (!made)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory to read it", model);
    made->path = model;
    *engine = made;
    status = nb_mujoco_guard(made, load, NULL, error);
    if (!status)
        count_model(made->model, report);
    memcpy(report->warning, made->warning, sizeof report->warning);
    return status;
}

void nb_engine_free(struct nb_engine *engine)
{
    if (!engine)
        return;
    if (engine->data)
        mj_deleteData(engine->data);
    if (engine->model)
        mj_deleteModel(engine->model);
    free(engine);
}

static void set_controls(struct nb_engine *engine)
{
    const mjModel *model = engine->model;
    for (int i = 0; i < model->nu; ++i) {
        const mjtNum *range = model->actuator_ctrlrange + 2 * i;
        const double x = nb_random_signed(&engine->chance);
        const double middle = model->actuator_ctrllimited[i] ? (range[0] + range[1]) / 2 : 0;
        const double half = model->actuator_ctrllimited[i] ? (range[1] - range[0]) / 2 : 1;
        engine->data->ctrl[i] = engine->random ? middle + half * x : 0;
    }
}

/* MuJoCo warns where it gives up a state, or has no room for contacts, and goes on with another problem. */
static enum nb_status check_warnings(const struct nb_engine *engine, struct nb_error *error)
{
    static const mjtWarning diverged[] = {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_INERTIA};
    const mjWarningStat *warning = engine->data->warning;
    for (size_t i = 0; i < sizeof diverged / sizeof *diverged; ++i)
        if (warning[diverged[i]].number > 0)
            return nb_fail(error, NB_BAD_INPUT, "%s: the simulation diverges at step %d (MuJoCo: %s)", engine->path,
                           engine->step, engine->warning);
    if (warning[mjWARN_CONTACTFULL].number > 0 || warning[mjWARN_CNSTRFULL].number > 0)
        return nb_fail(error, NB_BAD_INPUT, "%s: MuJoCo has too little room for the contacts of step %d: give the "
                       "model a larger <size %s>", engine->path, engine->step,
                       warning[mjWARN_CONTACTFULL].number > 0 ? "nconmax" : "njmax");
    return NB_OK;
}

static enum nb_status simulate_one(struct nb_engine *engine, struct nb_error *error)
{
    set_controls(engine);
    mj_step(engine->model, engine->data);
    const enum nb_status status = check_warnings(engine, error);
    engine->step += !status;
    return status;
}

/* All that a step consists of at the present state, with the controls that the next step has; MuJoCo does not solve
 * it. */
static enum nb_status evaluate(struct nb_engine *engine, struct nb_error *error)
{
    const uint64_t chance = engine->chance;
    set_controls(engine);
    engine->chance = chance;
    mj_checkPos(engine->model, engine->data);
    mj_checkVel(engine->model, engine->data);
    mj_fwdPosition(engine->model, engine->data);
    mj_fwdVelocity(engine->model, engine->data);
    mj_fwdActuation(engine->model, engine->data);
    mj_fwdAcceleration(engine->model, engine->data);
    return check_warnings(engine, error);
}

struct order {
    int step, seed;
    struct nb_problem *problem;
    struct nb_import_report *report;
};

static enum nb_status make_step(struct nb_engine *engine, void *context, struct nb_error *error)
{
    const struct order *order = context;
    enum nb_status status = NB_OK;
    mj_resetData(engine->model, engine->data);
    engine->step = 0;
    engine->chance = (uint64_t)order->seed;
    while (!status && engine->step < order->step)
        status = simulate_one(engine, error);
    if (!status)
        status = evaluate(engine, error);
    if (!status)
        status = nb_mujoco_linear(engine, order->problem, order->report, error);
    if (!status)
        status = nb_mujoco_shapes(engine, order->problem, order->report, error);
    return status;
}

enum nb_status nb_engine_step(struct nb_engine *engine, int step, int seed, bool random, struct nb_problem *problem,
                              struct nb_import_report *report, struct nb_error *error)
{
    struct order order = {step, seed, problem, report};
    memset(problem, 0, sizeof *problem);
    engine->random = random;
    engine->warning[0] = 0;
    const enum nb_status status = nb_mujoco_guard(engine, make_step, &order, error);
    if (status)
        nb_problem_free(problem);
    return status;
}

static enum nb_status look_ahead(struct nb_engine *engine, void *context, struct nb_error *error)
{
    int *steps = context, found = -1;
    const int last = engine->step + *steps;
    while (found < 0 && engine->step < last && !simulate_one(engine, error)) {
        const mjData *data = engine->data; /* its contacts are those before the step */
        if (data->nefc > data->ne + data->nf)
            found = engine->step - 1;
    }
    *steps = found;
    return NB_OK;
}

int nb_engine_first_touch(struct nb_engine *engine, int steps)
{
    struct nb_error ignored;
    return nb_mujoco_guard(engine, look_ahead, &steps, &ignored) ? -1 : steps;
}

const char *nb_engine_version(void) { return mj_versionString(); }
