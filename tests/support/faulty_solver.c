/* docs/guide/own_solver.md's method with a fault to choose, for tests/scripts/full_install.sh, which builds it as
 * a plugin: what the harness has to see through. */
#include <time.h>

#include "projected_jacobi.c"

enum { NONE, EARLY, KEEPS, SILENT, MUTE, DEAF, BACK, BEYOND, ANOTHER, UNTIMED, CHANGES, PREPARES };
static const struct nb_setting faults[] = {
    {.name = "fault", .choices = "none,early,keeps,silent,mute,deaf,back,beyond,another,untimed,changes,prepares",
     .meaning = "what is wrong with it"},
    {.name = NULL},
};

struct faulty {
    double fault;
    void *right;
    nb_real *u, *lambda; /* of the run before */
    int (*report)(const struct NB(nb_method_task) *task, int iteration,
                  const struct nb_linear_report *linear);
};
static struct faulty *present;

static void let_go(void *data)
{
    struct faulty *self = data;
    free(self->right);
    free(self->u);
    free(self->lambda);
    free(self);
}

static enum nb_status prepare(void **out, struct NB(nb_model) *model, const struct nb_options *options,
                              struct nb_error *error)
{
    struct nb_options right = *options;
    struct faulty *self = *out = calloc(1, sizeof *self);
    self->u = calloc(3 * (size_t)model->nodes, sizeof *self->u);
    self->lambda = calloc(3 * (size_t)model->blocks, sizeof *self->lambda);
    const struct timespec while_it_works = {0, 20000000};
    right.solver = "projected_jacobi:omega=0.2";
    enum nb_status status = nb_settings_read(faults, options->solver, &self->fault, error);
    for (int i = 0; self->fault == CHANGES && i < 6 * model->contacts; ++i)
        model->problem->contacts.point[i] *= 2;
    if (self->fault == PREPARES)
        nanosleep(&while_it_works, NULL);
    return status ? status : setup(&self->right, model, &right, error);
}

static int pass_on(const struct NB(nb_method_task) *task, int k, const struct nb_linear_report *linear)
{
    if (present->fault == MUTE || (present->fault == SILENT && k > 0))
        return 0;
    return present->report(task, present->fault == BACK ? -k : k, linear) && present->fault != DEAF;
}

static enum nb_status run_wrong(void *data, const struct NB(nb_method_task) *task, struct nb_error *error)
{
    struct faulty *self = present = data;
    struct NB(nb_method_task) wrong = *task;
    const size_t nodes = 3 * (size_t)task->model->nodes, rows = 3 * (size_t)task->model->blocks;
    if (self->fault == EARLY && !task->observer)
        return NB_OK;
    if (self->fault == KEEPS && !task->observer) {
        memcpy(task->u, self->u, nodes * sizeof *self->u);
        memcpy(task->lambda, self->lambda, rows * sizeof *self->lambda);
        return NB_OK;
    }
    self->report = task->report;
    wrong.report = pass_on;
    wrong.iterations += self->fault == BEYOND ? 5 : 0;
    const enum nb_status status = run(self->right, &wrong, error);
    memcpy(self->u, task->u, nodes * sizeof *self->u);
    memcpy(self->lambda, task->lambda, rows * sizeof *self->lambda);
    task->u[0] += self->fault == ANOTHER;
    *task->untimed = self->fault == UNTIMED ? 1000 : 0;
    return status;
}

const struct NB(nb_solver_strategy) NB(nb_solver_faulty) = {
    .name = "faulty",
    .title = "projected Jacobi with a fault",
    .self_contained = 1,
    .settings = faults,
    .setup = prepare,
    .run = run_wrong,
    .free = let_go,
};
