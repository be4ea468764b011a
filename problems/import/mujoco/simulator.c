/* MuJoCo compiles a model and simulates it. Its errors come back as values: its handler, which must not return, jumps
 * out to nb_mujoco_guard, and so neither ends the program nor writes MUJOCO_LOG.TXT. */
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clean_text.h"
#include "problems/base/numbers.h"
#include "problems/base/random.h"
#include "problems/import/mujoco/mujoco.h"
#include "problems/io/regular_file.h"

/* The handlers have no argument of ours, and are one for the process: threads take turns. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local jmp_buf *way_out;
static _Thread_local struct nb_simulator *at_work;
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

enum nb_status nb_mujoco_guard(struct nb_simulator *simulator, nb_mujoco_work *work, void *context,
                               struct nb_error *error)
{
    NB_DECIMAL_POINT;
    pthread_mutex_lock(&turn);
    void (*const error_before)(const char *) = mju_user_error;
    void (*const warning_before)(const char *) = mju_user_warning;
    volatile enum nb_status status = NB_BREAKDOWN;
    jmp_buf here;
    way_out = &here;
    at_work = simulator;
    mju_user_error = on_error;
    mju_user_warning = on_warning;
    if (setjmp(here) == 0)
        status = work(simulator, context, error);
    else
        nb_fail(error, NB_BREAKDOWN, "%s: MuJoCo: %s", simulator->path, last_error);
    mju_user_error = error_before;
    mju_user_warning = warning_before;
    way_out = NULL;
    at_work = NULL;
    pthread_mutex_unlock(&turn);
    return status;
}

static const char door[] = "; if that is a word of MuJoCo 3, Python makes the step, where it has mujoco: "
                           "python3 -m ncpbench_mujoco MODEL --step N -o FILE.h5";

/* What MuJoCo says of an element, an attribute or a word that it does not know, and of a range that limits by itself,
 * as it does since version 3. */
static bool is_of_another_version(const char *words)
{
    return strstr(words, "unrecognized") || strstr(words, "invalid keyword") || strstr(words, "autolimits");
}

/* Reads it, with the changes that MuJoCo's words ask for, one after the other, which it then tells as reason. */
static mjModel *read_model(const char *path, char *reason, int size)
{
    mjModel *model = mj_loadXML(path, NULL, reason, size);
    unsigned changes = 0;
    for (unsigned change; !model && (change = nb_mujoco_change_for(reason)) && !(changes & change);) {
        char last[1000] = "";
        changes |= change;
        model = nb_mujoco_load_changed(path, changes, last, sizeof last);
        if (model || last[0])
            snprintf(reason, (size_t)size, "%s", last);
    }
    if (model && changes)
        snprintf(reason, (size_t)size, "read with %s%s%s",
                 changes & NB_NEWER_LIMITS ? "<compiler autolimits=\"true\"/> added, MuJoCo 3's default" : "",
                 changes == (NB_NEWER_LIMITS | NB_NEWER_INTEGRATOR) ? ", and with " : "",
                 changes & NB_NEWER_INTEGRATOR ? "integrator=\"implicit\" for \"implicitfast\", which changes the "
                                                 "motion up to the step and none of its own data" : "");
    return model;
}

static enum nb_status load(struct nb_simulator *simulator, void *context, struct nb_error *error)
{
    char reason[1000] = "", words[256];
    (void)context;
    simulator->model = read_model(simulator->path, reason, sizeof reason);
    one_line(reason, words, sizeof words);
    if (!simulator->model && nb_mujoco_pointers(simulator->path, error))
        return NB_BAD_FILE;
    if (!simulator->model)
        return nb_fail(error, NB_BAD_INPUT, "%s: MuJoCo %s, which reads models here, does not read it: %s%s",
                       simulator->path, mj_versionString(), words, is_of_another_version(words) ? door : "");
    if (words[0] && !simulator->warning[0])
        memcpy(simulator->warning, words, sizeof words);
    if (simulator->model->nv == 0)
        return nb_fail(error, NB_BAD_INPUT, "%s: nothing in it can move: it has no joint", simulator->path);
    simulator->data = mj_makeData(simulator->model);
    return simulator->data ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory to simulate it", simulator->path);
}

static void count_model(const mjModel *model, struct nb_import_report *report)
{
    report->actuators = model->nu;
    for (int i = 1; i < model->nbody; ++i)
        report->bodies += model->body_weldid[i] != 0;
    for (int i = 0; i < model->njnt; ++i)
        report->joints += model->jnt_type[i] != mjJNT_FREE;
}

/* Key frames by their names or, where they have none, by their numbers. */
static void list_keys(const mjModel *model, char *text, size_t size)
{
    size_t used = 0;
    for (int key = 0; key < model->nkey && used < size; ++key) {
        const char *name = mj_id2name(model, mjOBJ_KEY, key);
        const char *quote = name && strpbrk(name, ", ") ? "\"" : "";
        if (name && name[0])
            used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", key ? ", " : "", quote, name, quote);
        else
            used += (size_t)snprintf(text + used, size - used, "%s%d", key ? ", " : "", key);
    }
    if (used >= size)
        memcpy(text + size - 4, "...", 4);
    nb_clean_text(text);
}

/* The key frame of that name or, where none has it, of that number from 0; -1: there is none. */
static int key_of(const mjModel *model, const char *name)
{
    char number[16];
    int key = mj_name2id(model, mjOBJ_KEY, name);
    for (int k = 0; key < 0 && k < model->nkey; ++k) {
        snprintf(number, sizeof number, "%d", k);
        key = strcmp(name, number) ? -1 : k;
    }
    return key;
}

/* That which was asked for, or the model's own: <custom><text name="import_key" data="NAME"/></custom>. */
static enum nb_status find_key(struct nb_simulator *simulator, const char *wanted, struct nb_import_report *report,
                               struct nb_error *error)
{
    const mjModel *model = simulator->model;
    const int own = mj_name2id(model, mjOBJ_TEXT, "import_key");
    const char *name = wanted || own < 0 ? wanted : model->text_data + model->text_adr[own];
    list_keys(model, report->keys, sizeof report->keys);
    simulator->key = name ? key_of(model, name) : -1;
    if (name && simulator->key < 0)
        return nb_fail(error, NB_BAD_INPUT, "%.300s: has no key frame \"%.60s\"%s%s", simulator->path, name,
                       model->nkey ? "; it has " : ": it has none", report->keys);
    if (name)
        snprintf(report->key, sizeof report->key, "%s", name);
    nb_clean_text(report->key);
    return NB_OK;
}

enum nb_status nb_simulator_open(struct nb_simulator **simulator, const struct nb_import *request,
                                 struct nb_import_report *report, struct nb_error *error)
{
    const char *model = request->model;
    *simulator = NULL;
    FILE *readable;
    enum nb_status status = nb_open_regular(model, &readable, error);
    if (status)
        return status;
    fclose(readable);
    if (mj_version() != mjVERSION_HEADER)
        return nb_fail(error, NB_UNSUPPORTED, "MuJoCo's library is version %d, this program was built with %d",
                       mj_version(), mjVERSION_HEADER);
    struct nb_simulator *made = calloc(1, sizeof *made);
    if (!made)
        return nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory to read it", model);
    made->path = model;
    *simulator = made;
    status = nb_mujoco_guard(made, load, NULL, error);
    if (!status)
        count_model(made->model, report);
    if (!status)
        status = find_key(made, request->key, report, error);
    memcpy(report->warning, made->warning, sizeof report->warning);
    return status;
}

void nb_simulator_free(struct nb_simulator *simulator)
{
    if (!simulator)
        return;
    if (simulator->data)
        mj_deleteData(simulator->data);
    if (simulator->model)
        mj_deleteModel(simulator->model);
    free(simulator);
}

static void set_controls(struct nb_simulator *simulator)
{
    const mjModel *model = simulator->model;
    for (int i = 0; i < model->nu; ++i) {
        const mjtNum *range = model->actuator_ctrlrange + 2 * i;
        const double x = nb_random_signed(&simulator->chance);
        const double middle = model->actuator_ctrllimited[i] ? (range[0] + range[1]) / 2 : 0;
        const double half = model->actuator_ctrllimited[i] ? (range[1] - range[0]) / 2 : 1;
        const double still = simulator->key < 0 ? 0 : model->key_ctrl[(size_t)simulator->key * (size_t)model->nu + i];
        simulator->data->ctrl[i] = simulator->random ? middle + half * x : still;
    }
}

/* MuJoCo warns where it gives up a state, or has no room for contacts, and goes on with another problem. */
static enum nb_status check_warnings(const struct nb_simulator *simulator, struct nb_error *error)
{
    static const mjtWarning diverged[] = {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_INERTIA};
    const mjWarningStat *warning = simulator->data->warning;
    for (size_t i = 0; i < sizeof diverged / sizeof *diverged; ++i)
        if (warning[diverged[i]].number > 0)
            return nb_fail(error, NB_BAD_INPUT, "%s: the simulation diverges at step %d (MuJoCo: %s)", simulator->path,
                           simulator->step, simulator->warning);
    const int contacts = warning[mjWARN_CONTACTFULL].number > 0;
    if (contacts || warning[mjWARN_CNSTRFULL].number > 0)
        return nb_fail(error, NB_BAD_INPUT, "%s: MuJoCo has too little room for the contacts of step %d: give the "
                       "model a larger <size %s> than %d", simulator->path, simulator->step,
                       contacts ? "nconmax" : "njmax", contacts ? simulator->model->nconmax : simulator->model->njmax);
    return NB_OK;
}

static enum nb_status simulate_one(struct nb_simulator *simulator, struct nb_error *error)
{
    set_controls(simulator);
    mj_step(simulator->model, simulator->data);
    const enum nb_status status = check_warnings(simulator, error);
    simulator->step += !status;
    return status;
}

/* All that a step consists of at the present state, with the controls that the next step has; MuJoCo does not solve
 * it. */
static enum nb_status evaluate(struct nb_simulator *simulator, struct nb_error *error)
{
    const uint64_t chance = simulator->chance;
    set_controls(simulator);
    simulator->chance = chance;
    mj_checkPos(simulator->model, simulator->data);
    mj_checkVel(simulator->model, simulator->data);
    mj_fwdPosition(simulator->model, simulator->data);
    mj_fwdVelocity(simulator->model, simulator->data);
    mj_fwdActuation(simulator->model, simulator->data);
    mj_fwdAcceleration(simulator->model, simulator->data);
    return check_warnings(simulator, error);
}

struct order {
    int step, seed;
    struct nb_problem *problem;
    struct nb_import_report *report;
};

static enum nb_status make_step(struct nb_simulator *simulator, void *context, struct nb_error *error)
{
    const struct order *order = context;
    enum nb_status status = NB_OK;
    mj_resetData(simulator->model, simulator->data);
    if (order->report->contacts + order->report->limits == 0 && order->report->overlaps == 0) {
        mj_fwdPosition(simulator->model, simulator->data); /* of the first copy: the rest pose is one for all */
        nb_mujoco_overlaps(simulator->model, simulator->data, order->report);
        mj_resetData(simulator->model, simulator->data);
    }
    if (simulator->key >= 0)
        mj_resetDataKeyframe(simulator->model, simulator->data, simulator->key);
    simulator->step = 0;
    simulator->chance = (uint64_t)order->seed;
    while (!status && simulator->step < order->step)
        status = simulate_one(simulator, error);
    if (!status)
        status = evaluate(simulator, error);
    if (!status)
        status = nb_mujoco_linear(simulator, order->problem, order->report, error);
    if (!status)
        status = nb_mujoco_shapes(simulator, order->problem, order->report, error);
    return status;
}

enum nb_status nb_simulator_step(struct nb_simulator *simulator, int step, int seed, bool random,
                                 struct nb_problem *problem, struct nb_import_report *report, struct nb_error *error)
{
    struct order order = {step, seed, problem, report};
    memset(problem, 0, sizeof *problem);
    simulator->random = random;
    simulator->warning[0] = 0;
    const enum nb_status status = nb_mujoco_guard(simulator, make_step, &order, error);
    if (status)
        nb_problem_free(problem);
    return status;
}

static enum nb_status look_ahead(struct nb_simulator *simulator, void *context, struct nb_error *error)
{
    int *steps = context, found = -1;
    const int last = simulator->step + *steps;
    while (found < 0 && simulator->step < last && !simulate_one(simulator, error)) {
        const mjData *data = simulator->data; /* its contacts are those before the step */
        if (data->nefc > data->ne + data->nf)
            found = simulator->step - 1;
    }
    *steps = found;
    return NB_OK;
}

int nb_simulator_first_touch(struct nb_simulator *simulator, int steps)
{
    struct nb_error ignored;
    return nb_mujoco_guard(simulator, look_ahead, &steps, &ignored) ? -1 : steps;
}

const char *nb_simulator_version(void) { return mj_versionString(); }
