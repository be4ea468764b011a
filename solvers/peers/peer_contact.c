/* Another library's solver of frictional contact as a nonlinear method. It does not show its iterates: observed,
 * it is run again from the start with more and more iterations, each time a tenth more, so that what is counted
 * as needed is at most a tenth too high. */
#include "solvers/peers/peer_contact.h"

#include <stdlib.h>

#include "solvers/model/model.h"

struct adapter {
    const struct nb_peer_contact *peer;
    void *self;
    struct nb_model *model;
    double *r, *u; /* as the problem numbers them */
};

void nb_peer_contact_free(void *self)
{
    struct adapter *adapter = self;
    if (!adapter)
        return;
    if (adapter->self)
        adapter->peer->free(adapter->self);
    free(adapter->r);
    free(adapter->u);
    free(adapter);
}

enum nb_status nb_peer_contact_setup(void **self, const struct nb_peer_contact *peer,
                                     const struct nb_setting *settings, struct nb_model *model,
                                     const struct nb_options *options, struct nb_error *error)
{
    double value[NB_SETTINGS_MAX];
    *self = NULL;
    enum nb_status status = nb_settings_read(settings, options->solver, value, error);
    if (status)
        return status;
    if (sizeof(nb_real) != sizeof(double))
        return nb_fail(error, NB_UNSUPPORTED, "%s works in double, not in %s", peer->library,
                       NB_TEXT(NB_PRECISION));
    struct adapter *adapter = calloc(1, sizeof *adapter);
    if (!adapter)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", peer->library);
    adapter->peer = peer;
    adapter->model = model;
    adapter->r = calloc(3 * (size_t)model->contacts + 1, sizeof *adapter->r);
    adapter->u = calloc((size_t)nb_problem_dofs(model->problem) + 1, sizeof *adapter->u);
    if (!adapter->r || !adapter->u)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", peer->library);
    else
        status = peer->create(&adapter->self, model->problem, value, error);
    if (status) {
        nb_peer_contact_free(adapter);
        return status;
    }
    *self = adapter;
    return NB_OK;
}

static void publish(struct adapter *adapter, const struct nb_method_task *task)
{
    adapter->peer->solution(adapter->self, adapter->r, adapter->u);
    nb_model_narrow_velocity(adapter->model, adapter->u, task->u);
    for (int i = 0; i < 3 * adapter->model->contacts; ++i)
        adapter->r[i] /= (double)adapter->model->time_step;
    nb_model_narrow_multiplier(adapter->model, adapter->r, task->lambda);
}

enum nb_status nb_peer_contact_run(void *self, const struct nb_method_task *task,
                                   struct nb_error *error)
{
    struct adapter *adapter = self;
    int done = 0, stop = task->report(task, 0, NULL);
    (void)error;
    for (int k = task->observer ? 1 : task->iterations; k <= task->iterations && !stop;) {
        const int before = done;
        *task->untimed = 0; /* of the last solve alone */
        done = adapter->peer->solve(adapter->self, k, task->untimed);
        publish(adapter, task);
        stop = task->report(task, k, NULL) || (k > 1 && done < k && done == before);
        const int more = k / 10 > 1 ? k / 10 : 1;
        k = k < task->iterations && k + more > task->iterations ? task->iterations : k + more;
    }
    task->run->newton_iterations = done;
    return NB_OK;
}
