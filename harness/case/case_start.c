/* Where a solve of a step begins, if not at rest: at what the file holds, or at the method's own solution of the step
 * before. That one is solved first, from rest, by the same settings and apart from all times; its forces go to the
 * contacts that are found again, as in a simulation (harness/simulate/warm_start.h). */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/case/case_private.h"
#include "harness/simulate/warm_start.h"
#include "problems/step.h"

/* Behind file [begin], before file + end: the number with as many digits as its successor, or, as `export --steps`
 * names steps from 10000 on, with one less: 10000 may follow on 9999 or on 09999. */
static enum nb_status find_previous(const char *file, size_t begin, size_t end, long number, char path[1024],
                                    struct nb_error *error)
{
    char other[1024];
    const int digits = (int)(end - begin);
    snprintf(other, sizeof other, "%.*s%0*ld%s", (int)begin, file, digits, number, file + end);
    snprintf(path, 1024, "%.*s%0*ld%s", (int)begin, file, file[begin] == '0' ? digits : 1, number, file + end);
    const bool first = !access(path, R_OK), second = strcmp(path, other) && !access(other, R_OK);
    if (first && second)
        return nb_fail(error, NB_UNSUPPORTED, "start=previous: both %.160s and %.160s could be the step before", path,
                       other);
    if (!first && !second)
        return nb_fail(error, NB_UNSUPPORTED, "start=previous: %.160s, the step before, is not there", path);
    if (second)
        snprintf(path, 1024, "%s", other);
    return NB_OK;
}

enum nb_status nb_case_previous(const struct nb_case *setting, char path[1024], struct nb_error *error)
{
    const char *file = setting->series_file ? setting->series_file : setting->problem_file;
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    size_t end = dot && (!slash || dot > slash) ? (size_t)(dot - file) : strlen(file), begin = end;
    while (begin > 0 && end - begin < 9 && isdigit((unsigned char)file[begin - 1])) /* nine digits fit a long */
        --begin;
    const long number = strtol(file + begin, NULL, 10);
    if (begin == end || number < 1)
        return nb_fail(error, NB_UNSUPPORTED, "start=previous: %.160s %s", file, begin == end
                       ? "is of no series: its name ends in no number" : "is the first step of its series");
    return find_previous(file, begin, end, number - 1, path, error);
}

void nb_case_hash_previous(struct nb_case *setting)
{
    struct nb_case previous = *setting;
    setting->previous_hash[0] = '\0';
    if (!nb_case_previous(setting, previous.problem_file, NULL) &&
        !nb_case_hash_problem(&previous, NULL))
        strcpy(setting->previous_hash, previous.problem_hash);
}

/* The step as it was before it was linearised, in which contacts are known; *room holds it where it is read anew. */
static enum nb_status find_contacts(const struct nb_case_run *run, struct nb_problem *room,
                                    const struct nb_problem **step, struct nb_error *error)
{
    struct nb_case nonlinear = *run->setting;
    nonlinear.linearized = false;
    *step = &run->problem;
    if (run->setting->linearized) {
        const enum nb_status status = nb_case_read_step(&nonlinear, 0, room, NULL, NULL, error);
        if (status)
            return status;
        *step = room;
    }
    if ((*step)->form == NB_NONLINEAR && nb_problem_dofs(*step) == nb_problem_dofs(&run->problem) &&
        nb_problem_multipliers(*step) == nb_problem_multipliers(&run->problem))
        return NB_OK;
    return nb_fail(error, NB_UNSUPPORTED, "start=previous: %s does not tell which contacts it has in common with "
                   "the step before", run->setting->problem);
}

/* The previous run's solution, as far as this one's step has its contacts, into u and lambda. */
static enum nb_status carry(const struct nb_case_run *previous, struct nb_case_run *run, double *u, double *lambda,
                            struct nb_error *error)
{
    struct nb_problem rooms[2] = {0};
    const struct nb_problem *from, *to;
    struct nb_warm_start warm = {0};
    enum nb_status status = find_contacts(previous, &rooms[0], &from, error);
    if (!status)
        status = find_contacts(run, &rooms[1], &to, error);
    if (!status)
        status = nb_warm_start_keep(&warm, from, previous->u, previous->lambda, error);
    if (!status)
        run->previous.found = nb_warm_start_guess(&warm, to, nb_step_margin(to), u, lambda);
    nb_warm_start_free(&warm);
    nb_problem_free(&rooms[0]);
    nb_problem_free(&rooms[1]);
    return status;
}

/* Of the step before, which is solved for this. */
static enum nb_status take_previous(struct nb_case_run *run, double *u, double *lambda, struct nb_error *error)
{
    struct nb_case setting = *run->setting;
    char path[sizeof setting.problem_file];
    struct nb_case_run *previous = NULL;
    struct nb_case_result result = {0};
    setting.start = NB_START_REST;
    strcpy(setting.problem_hash, setting.previous_hash);
    setting.without_second_answer = true;
    enum nb_status status = nb_case_previous(run->setting, path, error);
    if (!status)
        status = nb_case_set_problem(&setting, path, error);
    if (!status)
        status = nb_case_run_open(&previous, &setting, error);
    if (!status)
        status = nb_case_run_trace(previous, NULL, NULL, &result, error);
    if (!status) {
        run->previous = (struct nb_previous_step){.ending = result.ending, .iterations = result.iterations,
                                                  .error = result.errors.step_error};
        strcpy(run->previous.hash, previous->problem.hash);
        status = carry(previous, run, u, lambda, error);
    }
    nb_case_result_free(&result);
    nb_case_run_close(previous);
    return status;
}

/* Of the file: FCLIB's first guess, else its solution. */
static enum nb_status take_guess(const struct nb_case_run *run, double *u, double *lambda, struct nb_error *error)
{
    const char *path = run->setting->problem_file;
    double *read_u = NULL, *read_lambda = NULL;
    int guesses = 0;
    enum nb_status status = nb_guess_read(path, &run->problem, 0, &guesses, &read_u, &read_lambda, error);
    if (!status && guesses > 0)
        status = nb_guess_read(path, &run->problem, 1, &guesses, &read_u, &read_lambda, error);
    else if (!status)
        status = nb_solution_read(path, &run->problem, &read_u, &read_lambda, error);
    if (!status && !(read_u && read_lambda))
        status = nb_fail(error, NB_UNSUPPORTED, "start=guess: %.160s holds neither /guesses nor /solution", path);
    if (!status) {
        memcpy(u, read_u, (size_t)nb_problem_dofs(&run->problem) * sizeof *u);
        memcpy(lambda, read_lambda, (size_t)nb_problem_multipliers(&run->problem) * sizeof *lambda);
    }
    free(read_u);
    free(read_lambda);
    return status;
}

enum nb_status nb_step_start(struct nb_case_run *run, struct nb_error *error)
{
    const size_t dofs = (size_t)nb_problem_dofs(&run->problem), rows = (size_t)nb_problem_multipliers(&run->problem);
    const double begin = nb_seconds();
    run->start = NAN;
    if (run->setting->start == NB_START_REST)
        return NB_OK;
    double *u = calloc(dofs + rows + 1, sizeof *u);
    if (!u)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the start of %s", run->setting->problem);
    enum nb_status status = (run->setting->start == NB_START_GUESS ? take_guess(run, u, u + dofs, error)
                                                                   : take_previous(run, u, u + dofs, error));
    if (!status)
        status = nb_solver_start(run->solver, u, u + dofs, error);
    free(u);
    run->start = nb_seconds() - begin;
    return status;
}
