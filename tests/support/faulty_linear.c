/* A linear solver with a fault to choose, for tests/scripts/full_install.sh, which builds it as a plugin. Otherwise
 * Jacobi's method with a safe step. */
#include <stdlib.h>

#include "solvers/strategy.h"

enum { FAULT = NB_LINEAR_COMMON, NONE = 0, LIES, BEYOND, EARLY };
static const struct nb_setting faults[] = {
    NB_LINEAR_COMMON_SETTINGS,
    {.name = "fault", .choices = "none,lies,beyond,early", .meaning = "what is wrong with it"},
    {.name = NULL},
};

static enum nb_status setup(void **self, const struct nb_operator *op, struct nb_error *error)
{
    double *value = calloc(sizeof faults / sizeof *faults, sizeof *value);
    *self = value;
    return value ? nb_settings_read(faults, op->options->linear, value, error) : NB_OUT_OF_MEMORY;
}

static struct nb_linear_report solve(void *self, const struct nb_linear_task *task)
{
    struct nb_operator *op = task->op;
    const int fault = (int)((const double *)self)[FAULT];
    struct nb_linear_report report = {fault == LIES ? NB_LINEAR_CONVERGED : NB_LINEAR_ITERATION_LIMIT, 0, ""};
    nb_real y[3000];
    while (op->size <= 3000 && report.iterations < task->iterations + (fault == BEYOND) &&
           !(fault == EARLY && !task->observe)) {
        nb_operator_apply(op, task->x, y);
        for (size_t i = 0; i < op->size; ++i)
            task->x[i] += NB_REAL(0.05) * (task->b[i] - y[i]) / op->diagonal[i];
        report.iterations++;
        if (task->observe)
            task->observe(task->observe_context, report.iterations, task->x);
    }
    return report;
}

const struct nb_linear NB(nb_linear_faulty_linear) = {
    .name = "faulty_linear",
    .title = "Jacobi with a fault",
    .settings = faults,
    .setup = setup,
    .free = free,
    .solve = solve,
};
