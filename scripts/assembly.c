/* Times one Newton iteration in parts, on one core: evaluation of the model and its NCP functions, filling of
 * the Schur operator, the preconditioner's update, and 20 PCR iterations.
 *
 *     make bench-assembly FILES="a.h5 b.h5"
 *
 * Built once per precision. Lower quartiles of 400 repetitions, the parts taken in turn, on the fifth
 * iteration's system of a step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/clock.h"
#include "problems/base/sorted.h"
#include "problems/io/problem_file.h"
#include "solvers/model/newton_system.h"

enum { BEFORE = 4, REPETITIONS = 400, ITERATIONS = 20 };
enum { EVALUATION, FILL, PRECONDITIONER, SOLVE, PARTS };

static void advance(struct NB(nb_newton) *newton, nb_real damping, nb_real *u, nb_real *lambda)
{
    struct nb_run run = {0};
    struct nb_error error;
    for (int k = 0; k < BEFORE; ++k) {
        if (NB(nb_newton_linearise)(newton, u, lambda, 1, &error))
            return;
        NB(nb_newton_solve)(newton, ITERATIONS, &run);
        for (int i = 0; i < 3 * newton->model->nodes; ++i)
            u[i] += damping * newton->step[i];
        for (size_t i = 0; i < newton->op.size; ++i)
            lambda[i] += damping * newton->impulse[i] / newton->model->time_step;
    }
}

static void measure(struct NB(nb_newton) *newton, const nb_real *u, const nb_real *lambda,
                    double *time)
{
    static double sample[PARTS][REPETITIONS];
    struct nb_run run = {0};
    struct nb_error error;
    const struct NB(nb_linear_solver_task) task = {.b = newton->right_side, .x = newton->impulse,
                                            .iterations = ITERATIONS, .run = &run};
    for (int k = 0; k < REPETITIONS; ++k) {
        double at[PARTS + 1] = {nb_seconds()};
        NB(nb_newton_evaluate)(newton, u, lambda);
        at[1] = nb_seconds();
        newton->op.direct = NB(nb_linear_solver_product)(newton->linear);
        newton->op.strategy->update(&newton->op, newton->row_scale, newton->diagonal);
        at[2] = nb_seconds();
        NB(nb_linear_solver_update)(newton->linear, &error);
        at[3] = nb_seconds();
        NB(nb_linear_solver_solve)(newton->linear, &task);
        at[4] = nb_seconds();
        for (int part = 0; part < PARTS; ++part)
            sample[part][k] = at[part + 1] - at[part];
    }
    for (int part = 0; part < PARTS; ++part) {
        nb_sort_doubles(sample[part], REPETITIONS);
        time[part] = 1e6 * sample[part][REPETITIONS / 4];
    }
}

static enum nb_status run_file(const char *path, struct nb_error *error)
{
    struct nb_options options = nb_options_default();
    struct nb_problem problem;
    struct NB(nb_model) *model = NULL;
    struct NB(nb_newton) *newton = NULL;
    nb_real *u = NULL, *lambda = NULL;
    options.solver = "newton";
    enum nb_status status = nb_problem_read(path, &problem, error);
    if (status)
        return status;
    status = NB(nb_model_create)(&model, &problem, 1, error);
    if (!status)
        status = NB(nb_newton_create)(&newton, model, &options, error);
    if (!status) {
        double t[PARTS];
        u = calloc(3 * (size_t)model->nodes + 1, sizeof *u);
        lambda = calloc(3 * (size_t)model->blocks + 1, sizeof *lambda);
        if (!u || !lambda) {
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for an iterate");
        } else {
            advance(newton, (nb_real)options.damping, u, lambda);
            measure(newton, u, lambda, t);
            printf("%-9s %-24s %8zu %10.2f %10.2f %10.2f %10.2f %9.3f %9.3f\n", NB_TEXT(NB_PRECISION),
                   problem.name, newton->op.size, t[EVALUATION], t[FILL], t[PRECONDITIONER], t[SOLVE],
                   (t[FILL] + t[PRECONDITIONER]) / t[SOLVE],
                   (t[EVALUATION] + t[FILL] + t[PRECONDITIONER]) / t[SOLVE]);
        }
    }
    free(u);
    free(lambda);
    NB(nb_newton_free)(newton);
    NB(nb_model_free)(model);
    nb_problem_free(&problem);
    return status;
}

int main(int count, char **path)
{
    struct nb_error error;
    printf("%-9s %-24s %8s %10s %10s %10s %10s %9s %9s\n", "precision", "problem", "rows",
           "evaluation", "fill", "precond", "20 x pcr", "assembly", "with eval");
    for (int k = 1; k < count; ++k)
        if (run_file(path[k], &error)) {
            fprintf(stderr, "%s\n", error.text);
            return 2;
        }
    return 0;
}
