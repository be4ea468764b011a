/* Reads a case's files in a child process, which answers in one line with a status, the number of systems, the hash and
 * a message: a file that is huge, damaged or on a slow disk costs the sweep its time limit and no more. */
#include "harness/sweep/examine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/child.h"
#include "problems/io/matrix_market.h"
#include "problems/io/problem_file.h"

static enum nb_status count_systems(const char *path, int *systems, struct nb_error *error)
{
    struct nb_problem problem;
    struct nb_newton_system system;
    if (nb_is_matrix_market(path)) {
        const enum nb_status status = nb_matrix_market_read(path, NULL, &system, error);
        if (!status)
            nb_newton_system_free(&system);
        *systems = 1;
        return status;
    }
    const enum nb_status status = nb_problem_read(path, &problem, error);
    if (status)
        return status;
    nb_problem_free(&problem);
    return nb_newton_system_count(path, systems, error);
}

static int answer(void *context, int commands, int answers)
{
    struct nb_case *setting = context;
    struct nb_error error = {""};
    char line[sizeof error.text + NB_HASH_SIZE + 64];
    int systems = 0;
    (void)commands;
    enum nb_status status = count_systems(setting->problem_file, &systems, &error);
    if (!status)
        status = nb_case_hash_problem(setting, &error);
    snprintf(line, sizeof line, "%d %d %s %s", (int)status, systems, status ? "-" : setting->problem_hash, error.text);
    return !nb_child_answer(answers, line);
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

enum nb_status nb_examine_files(struct nb_case *setting, double limit, int *systems, struct nb_error *error)
{
    const struct nb_child_limits limits = {0};
    struct nb_child child = {0};
    char ending[64];
    bool late = false;
    enum nb_status status = nb_child_start(&child, &limits, answer, setting, error);
    if (status)
        return status;
    char *line = nb_child_await(&child, limit, &late);
    nb_child_stop(&child, ending, sizeof ending);
    if (line)
        status = take(line, setting, systems, error);
    else if (late)
        status = nb_fail(error, NB_BAD_FILE, "%.400s: is not read within %g s", setting->problem_file, limit);
    else
        status = nb_fail(error, NB_BAD_FILE, "%.400s: reading it ended with %s", setting->problem_file, ending);
    free(line);
    return status;
}
