/* Writes a step and its solution as VTKHDF, with the status of each contact as the judge sees it; of a step without a
 * solution, it first solves it. */
#include "harness/case/judged_vtkhdf.h"

#include <stdlib.h>

#include "harness/judge/metrics.h"
#include "problems/io/vtkhdf.h"

/* Into the file of that name, or else to the series. */
static enum nb_status put(const char *path, struct nb_vtkhdf_series **series, const struct nb_problem *problem,
                          const double *u, const double *lambda, struct nb_error *error)
{
    struct nb_judge *judge = NULL;
    int *contact = calloc((size_t)nb_problem_contacts(problem) + 1, sizeof *contact);
    const struct nb_vtkhdf_solution solution = {u, lambda, contact};
    enum nb_status status = NB_OK;
    if (!contact)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for %d contacts", problem->name,
                         nb_problem_contacts(problem));
    status = status ? status : nb_judge_create(&judge, problem, error);
    if (!status) {
        nb_judge_status(judge, u, lambda, contact);
        status = path ? nb_vtkhdf_write(path, problem, &solution, error)
                      : nb_vtkhdf_series_add(series, problem, &solution, error);
    }
    nb_judge_free(judge);
    free(contact);
    return status;
}

enum nb_status nb_judged_vtkhdf_write(const char *path, const struct nb_problem *problem,
                                      const double *u, const double *lambda,
                                      struct nb_error *error)
{
    return put(path, NULL, problem, u, lambda, error);
}

enum nb_status nb_judged_vtkhdf_add(struct nb_vtkhdf_series **series, const struct nb_problem *problem,
                                    const double *u, const double *lambda, struct nb_error *error)
{
    return put(NULL, series, problem, u, lambda, error);
}

enum nb_status nb_solved_vtkhdf_write(const char *path, const struct nb_problem *problem,
                                      const struct nb_options *options, struct nb_error *error)
{
    struct nb_solver *solver = NULL;
    struct nb_run run = {0};
    double *u = calloc((size_t)nb_problem_dofs(problem) + 1, sizeof *u);
    double *lambda = calloc((size_t)nb_problem_multipliers(problem) + 1, sizeof *lambda);
    enum nb_status status = NB_OK;
    if (!u || !lambda)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "%s: no memory for the solution", path);
    status = status ? status : nb_solver_create(&solver, problem, options, error);
    status = status ? status : nb_solver_run(solver, nb_options_iterations(options), NULL, &run, error);
    if (!status && run.broke_down)
        status = nb_fail(error, NB_BREAKDOWN, "%s: the step has no solution to draw: %s", path,
                         run.detail);
    if (!status) {
        nb_solver_solution(solver, u, lambda);
        status = nb_judged_vtkhdf_write(path, problem, u, lambda, error);
    }
    nb_solver_free(solver);
    free(u);
    free(lambda);
    return status;
}
