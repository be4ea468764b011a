/* Asks a child process to try a plugin's preconditioner on a small system, or on that of a problem file, and waits for
 * its answer no longer than the limit. Of a file the child answers first that it has the matrix: what keeps it from
 * that is no fault of the preconditioner's. */
#include "harness/sweep/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/child.h"
#include "problems/base/numbers.h"
#include "problems/io/matrix_market.h"
#include "problems/io/problem_file.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"
#include "solvers/solve.h"

/* Reads the files of cases in a child process, which answers in one line each with a status, the numbers of systems and
 * of unknowns, the hash and a message: a file that is huge, damaged or on a slow disk costs the sweep its time limit.
 * The hash is that of the bytes that were read. */

static enum nb_status examine_matrix(struct nb_case *setting, int *systems, struct nb_error *error)
{
    struct nb_newton_system system;
    enum nb_status status = nb_matrix_market_read(setting->problem_file, NULL, &system, error);
    if (!status) {
        setting->unknowns = system.schur.rows;
        nb_newton_system_free(&system);
    }
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
    setting->unknowns = nb_problem_dofs(&problem) + nb_problem_multipliers(&problem);
    nb_problem_free(&problem);
    return nb_newton_system_count(setting->problem_file, systems, error);
}

struct list {
    struct nb_case *const *cases;
    const int *systems; /* below 0: left alone */
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
        if (list->systems[i] < 0)
            continue;
        const enum nb_status status = nb_is_matrix_market(setting->problem_file)
                                          ? examine_matrix(setting, &systems, &error)
                                          : examine_problem(setting, &systems, &error);
        snprintf(line, sizeof line, "%d %d %d %s %s", (int)status, systems, setting->unknowns,
                 status ? "-" : setting->problem_hash, error.text);
        if (!nb_child_answer(answers, line))
            return 1;
    }
    return 0;
}

static enum nb_status take(const char *line, struct nb_case *setting, int *systems, struct nb_error *error)
{
    int status = NB_BAD_FILE, message = 0;
    char hash[NB_HASH_SIZE] = "";
    if (sscanf(line, "%d %d %d %64s %n", &status, systems, &setting->unknowns, hash, &message) != 4)
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
    struct list list = {cases, systems, count};
    struct nb_child child = {0};
    char ending[64];
    if (!count)
        return NB_OK;
    enum nb_status status = nb_child_start(&child, &limits, answer, &list, error);
    for (int i = 0; i < count && !status; ++i) {
        bool late = false;
        if (systems[i] < 0)
            continue;
        const double limit = fmax(cases[i]->time_limit, least_limit);
        char *line = nb_child_await(&child, limit, &late);
        status = line ? take(line, cases[i], &systems[i], error) : blame(&child, cases[i], late, limit, error);
        free(line);
    }
    nb_child_stop(&child, ending, sizeof ending);
    return status;
}

/* A preconditioner that needs longer for a few rows does not return [s]. */
static const double time_limit = 3;

/* More rows are not tried, nor is what takes longer to read [s]. */
enum { MOST_ROWS = 20000 };
static const double reading_limit = 10;

struct question {
    const char *precond, *precision;
    const char *file; /* NULL: the small system */
    int system;       /* of the file's; -1: its step's first */
};

/* The Newton system of a step where methods begin. */
static enum nb_status make_system(const char *file, struct nb_newton_system *system, struct nb_error *error)
{
    struct nb_options options = nb_options_default();
    struct nb_problem problem;
    struct nb_solver *solver = NULL;
    options.solver = "newton";
    enum nb_status status = nb_problem_read(file, &problem, error);
    if (status)
        return status;
    const size_t dofs = (size_t)nb_problem_dofs(&problem), rows = (size_t)nb_problem_multipliers(&problem);
    double *rest = calloc(dofs + rows + 1, sizeof *rest);
    status = rest ? nb_solver_create(&solver, &problem, &options, error)
                  : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a step");
    status = status ? status : nb_solver_system(solver, rest, rest + dofs, system, error);
    nb_solver_free(solver);
    free(rest);
    nb_problem_free(&problem);
    return status;
}

static enum nb_status read_system(const struct question *question, struct nb_newton_system *system,
                                  struct nb_error *error)
{
    nb_problem_read_at_once();
    if (nb_is_matrix_market(question->file))
        return nb_matrix_market_read(question->file, NULL, system, error);
    return question->system < 0 ? make_system(question->file, system, error)
                                : nb_newton_system_read(question->file, question->system, system, error);
}

static int ask(void *context, int commands, int answers)
{
    const struct question *question = context;
    struct nb_newton_system system = {0};
    struct nb_error error = {""};
    (void)commands;
    if (question->file &&
        (read_system(question, &system, &error) || system.schur.rows > MOST_ROWS || !nb_child_answer(answers, "read")))
        return 1;
    const enum nb_status status = nb_plugin_probe(question->precond, question->precision,
                                                  question->file ? &system.schur : NULL, &error);
    nb_newton_system_free(&system);
    const bool wrong = question->file ? status == NB_BREAKDOWN : status != NB_OK;
    return !nb_child_answer(answers, wrong ? error.text : "fine");
}

static bool try(struct question *question, char *finding, size_t size)
{
    NB_DECIMAL_POINT;
    const struct nb_child_limits limits = {.memory = 1024};
    struct nb_child child = {0};
    struct nb_error error;
    char ending[64];
    bool late = false;
    if (nb_child_start(&child, &limits, ask, question, &error)) {
        snprintf(finding, size, "not tried: %s", error.text);
        return !question->file;
    }
    char *begun = question->file ? nb_child_await(&child, reading_limit, &late) : NULL;
    char *line = begun || !question->file ? nb_child_await(&child, time_limit, &late) : NULL;
    nb_child_stop(&child, ending, sizeof ending);
    const bool wrong = (begun || !question->file) && !(line && !strcmp(line, "fine"));
    if (late)
        snprintf(finding, size, "does not return within %g s", time_limit);
    else
        snprintf(finding, size, "%s", line ? line : ending);
    free(begun);
    free(line);
    return wrong;
}

bool nb_probe_precond(const char *precond, const char *precision, char *finding, size_t size)
{
    return try(&(struct question){.precond = precond, .precision = precision}, finding, size);
}

bool nb_probe_system(const char *precond, const char *precision, const char *file, int system, char *finding,
                     size_t size)
{
    return try(&(struct question){precond, precision, file, system}, finding, size);
}

bool nb_probe_precisions(const char *precond, char *finding, size_t size)
{
    const struct nb_registry_row *row;
    char text[160];
    bool wrong = false;
    for (size_t p = 0; (row = nb_registry_row("precision", p)) && !wrong; ++p) {
        wrong = nb_probe_precond(precond, row->name, text, sizeof text);
        if (wrong)
            snprintf(finding, size, "%s (in %s)", text, row->name);
    }
    nb_plugin_note_finding(precond, wrong ? finding : "fine");
    return wrong;
}
