#include "solvers/peers/peer_mujoco.h"

#include <stdlib.h>

#include "solvers/model/model.h"

enum { REGULARISATION, SETTINGS };
const struct nb_setting NB(nb_mujoco_settings)[] = {
    [REGULARISATION] = {.name = "regularisation", .value = 1e-8, .minimum = 0, .maximum = 1,
                        .above_minimum = 1, .meaning = "R over the normal diagonal of W"},
    [SETTINGS] = {.name = NULL},
};

struct outer {
    struct nb_mujoco *mujoco;
    struct NB(nb_model) *model;
    double *r, *v; /* as the problem numbers them */
};

void NB(nb_mujoco_release)(void *self)
{
    struct outer *outer = self;
    if (!outer)
        return;
    nb_mujoco_free(outer->mujoco);
    free(outer->r);
    free(outer->v);
    free(outer);
}

enum nb_status NB(nb_mujoco_setup)(void **self, struct NB(nb_model) *model,
                                   const struct nb_options *options, enum nb_mujoco_solver solver,
                                   struct nb_error *error)
{
    double value[SETTINGS];
    *self = NULL;
    enum nb_status status = nb_settings_read(NB(nb_mujoco_settings), options->solver, value, error);
    if (status)
        return status;
    if (sizeof(nb_real) != sizeof(double))
        return nb_fail(error, NB_UNSUPPORTED, "MuJoCo works in double, not in %s",
                       NB_TEXT(NB_PRECISION));
    struct outer *outer = calloc(1, sizeof *outer);
    if (!outer)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for MuJoCo");
    outer->model = model;
    outer->r = calloc(3 * (size_t)model->contacts + 1, sizeof *outer->r);
    outer->v = calloc((size_t)nb_problem_dofs(model->problem) + 1, sizeof *outer->v);
    if (!outer->r || !outer->v)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for MuJoCo");
    else
        status = nb_mujoco_create(&outer->mujoco, model->problem, solver, value[REGULARISATION],
                                  error);
    if (status) {
        NB(nb_mujoco_release)(outer);
        return status;
    }
    *self = outer;
    return NB_OK;
}

static void publish(struct outer *outer, const struct NB(nb_method_task) *task)
{
    nb_mujoco_solution(outer->mujoco, outer->r, outer->v);
    NB(nb_model_narrow_velocity)(outer->model, outer->v, task->u);
    for (int i = 0; i < 3 * outer->model->contacts; ++i)
        outer->r[i] /= (double)outer->model->time_step;
    NB(nb_model_narrow_multiplier)(outer->model, outer->r, task->lambda);
}

/* MuJoCo does not show its iterates: observed, it is run again from the start with more and more
 * iterations, each time a tenth more. */
enum nb_status NB(nb_mujoco_run)(void *self, const struct NB(nb_method_task) *task,
                                 struct nb_error *error)
{
    struct outer *outer = self;
    int done = 0, stop = task->report(task, 0, NULL);
    (void)error;
    for (int k = task->observer ? 1 : task->iterations; k <= task->iterations && !stop;) {
        const int before = done;
        done = nb_mujoco_solve(outer->mujoco, k);
        publish(outer, task);
        stop = task->report(task, k, NULL) || (k > 1 && done < k && done == before);
        const int more = k / 10 > 1 ? k / 10 : 1;
        k = k < task->iterations && k + more > task->iterations ? task->iterations : k + more;
    }
    task->run->newton_iterations = done;
    return NB_OK;
}
