/* Reads the files of cases in a child process, which answers in one line each with a status, the number of systems, the
 * hash and a message: a file that is huge, damaged or on a slow disk costs the sweep its time limit and no more. The
 * hash is that of the bytes that were read. */
#include "harness/sweep/examine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/child.h"
#include "problems/io/matrix_market.h"
#include "problems/io/problem_file.h"

static enum nb_status examine_matrix(struct nb_case *setting, int *systems, struct nb_error *error)
{
    struct nb_newton_system system;
    enum nb_status status = nb_matrix_market_read(setting->problem_file, NULL, &system, error);
    if (!status)
        nb_newton_system_free(&system);
    *systems = 1;
    return status ? status : nb_case_hash_problem(setting, error);
}

static enum nb_status examine_problem(struct nb_case *setting, int *systems, struct nb_error *error)
{
    struct nb_problem problem;
    const enum nb_status status = nb_problem_read(setting->problem_file, &problem, error);
    if (status)
        return status;
    strcpy(setting->problem_hash, problem.hash);
    nb_problem_free(&problem);
    return nb_newton_system_count(setting->problem_file, systems, error);
}

struct list {
    struct nb_case *const *cases;
    int count;
};

static int answer(void *context, int commands, int answers)
{
    const struct list *list = context;
    (void)commands;
    nb_problem_read_at_once();
    for (int i = 0; i < list->count; ++i) {
        struct nb_error error = {""};
        char line[sizeof error.text + NB_HASH_SIZE + 64];
        struct nb_case *setting = list->cases[i];
        int systems = 0;
        const enum nb_status status = nb_is_matrix_market(setting->problem_file)
                                          ? examine_matrix(setting, &systems, &error)
                                          : examine_problem(setting, &systems, &error);
        snprintf(line, sizeof line, "%d %d %s %s", (int)status, systems, status ? "-" : setting->problem_hash,
                 error.text);
        if (!nb_child_answer(answers, line))
            return 1;
    }
    return 0;
}

static enum nb_status take(const char *line, struct nb_case *setting, int *systems, struct nb_error *error)
{
    int status = NB_BAD_FILE, message = 0;
    char hash[NB_HASH_SIZE] = "";
    if (sscanf(line, "%d %d %64s %n", &status, systems, hash, &message) != 3)
        return nb_fail(error, NB_BAD_FILE, "%.400s: reading it ends with no answer", setting->problem_file);
    if (status)
        return nb_fail(error, (enum nb_status)status, "%s", line + message);
    strcpy(setting->problem_hash, hash);
    return NB_OK;
}

/* Why no answer came of a file. */
static enum nb_status blame(struct nb_child *child, const struct nb_case *setting, bool late, double limit,
                            struct nb_error *error)
{
    char ending[64];
    nb_child_stop(child, ending, sizeof ending);
    return late ? nb_fail(error, NB_BAD_FILE, "%.400s: is not read within %g s", setting->problem_file, limit)
                : nb_fail(error, NB_BAD_FILE, "%.400s: reading it ended with %s", setting->problem_file, ending);
}

enum nb_status nb_examine_files(struct nb_case *const *cases, int count, double least_limit, int *systems,
                                struct nb_error *error)
{
    const struct nb_child_limits limits = {0};
    struct list list = {cases, count};
    struct nb_child child = {0};
    char ending[64];
    if (!count)
        return NB_OK;
    enum nb_status status = nb_child_start(&child, &limits, answer, &list, error);
    for (int i = 0; i < count && !status; ++i) {
        bool late = false;
        const double limit = fmax(cases[i]->time_limit, least_limit);
        char *line = nb_child_await(&child, limit, &late);
        status = line ? take(line, cases[i], &systems[i], error) : blame(&child, cases[i], late, limit, error);
        free(line);
    }
    nb_child_stop(&child, ending, sizeof ending);
    return status;
}
