#include "solvers/peers/peer_outer.h"

#include <math.h>
#include <stdlib.h>

#include "solvers/model/model.h"

enum { TOLERANCE, STORAGE, SETTINGS };
const struct nb_setting NB(nb_siconos_settings)[] = {
    {"tolerance", 1e-10, 0, 1, 1, 0, NULL, "at which Siconos stops by its own measure"},
    {"storage", 0, 0, 2, 0, 1, "sparse,blocks,dense", "of W"},
    {0},
};

struct outer {
    struct nb_siconos *siconos;
    struct NB(nb_model) *model;
    double *r, *u; /* as the problem numbers them */
};

void NB(nb_siconos_release)(void *self)
{
    struct outer *outer = self;
    if (!outer)
        return;
    nb_siconos_free(outer->siconos);
    free(outer->r);
    free(outer->u);
    free(outer);
}

enum nb_status NB(nb_siconos_setup)(void **self, struct NB(nb_model) *model,
                                    const struct nb_options *options,
                                    const struct nb_siconos_method *method, struct nb_error *error)
{
    double value[SETTINGS];
    *self = NULL;
    enum nb_status status = nb_settings_read(NB(nb_siconos_settings), options->solver, value, error);
    if (status)
        return status;
    if (sizeof(nb_real) != sizeof(double))
        return nb_fail(error, NB_UNSUPPORTED, "Siconos works in double, not in %s",
                       NB_TEXT(NB_PRECISION));
    struct outer *outer = calloc(1, sizeof *outer);
    if (!outer)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for Siconos");
    outer->model = model;
    outer->r = calloc(3 * (size_t)model->contacts + 1, sizeof *outer->r);
    outer->u = calloc((size_t)nb_problem_dofs(model->problem) + 1, sizeof *outer->u);
    if (!outer->r || !outer->u)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for Siconos");
    else
        status = nb_siconos_create(&outer->siconos, model->problem, method,
                                   (enum nb_siconos_storage)value[STORAGE], value[TOLERANCE], error);
    if (status) {
        NB(nb_siconos_release)(outer);
        return status;
    }
    *self = outer;
    return NB_OK;
}

static void publish(struct outer *outer, const struct NB(nb_method_task) *task)
{
    nb_siconos_solution(outer->siconos, outer->r, outer->u);
    NB(nb_model_narrow_velocity)(outer->model, outer->u, task->u);
    for (int i = 0; i < 3 * outer->model->contacts; ++i)
        outer->r[i] /= (double)outer->model->time_step;
    NB(nb_model_narrow_multiplier)(outer->model, outer->r, task->lambda);
}

/* Siconos does not show its iterates: observed, it is run again from the start with more and more
 * iterations, each time a tenth more, so that what is counted as needed is at most a tenth too high. */
enum nb_status NB(nb_siconos_run)(void *self, const struct NB(nb_method_task) *task,
                                  struct nb_error *error)
{
    struct outer *outer = self;
    double untimed = 0;
    int done = 0, stop = task->report(task, 0, NULL);
    (void)error;
    for (int k = task->observer ? 1 : task->iterations; k <= task->iterations && !stop;) {
        const int before = done;
        done = nb_siconos_solve(outer->siconos, k, &untimed);
        publish(outer, task);
        stop = task->report(task, k, NULL) || (k > 1 && done < k && done == before);
        const int more = k / 10 > 1 ? k / 10 : 1;
        k = k < task->iterations && k + more > task->iterations ? task->iterations : k + more;
    }
    task->run->newton_iterations = done;
    task->run->untimed_seconds = untimed;
    return NB_OK;
}
