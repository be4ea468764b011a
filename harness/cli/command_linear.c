/* ncpbench linear solves one Newton system that a problem file stores, or any symmetric system in Matrix Market text,
 * as a case (harness/cli/command_case.h). */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/command_case.h"
#include "harness/cli/commands.h"
#include "problems/io/matrix_market.h"

struct source {
    const char *matrix, *right_side;
};

static void add_options(struct nb_command *command, struct nb_case *setting, struct source *source)
{
    nb_command_add_setting(command, setting, "system");
    nb_command_add_text(command, "matrix", &source->matrix, "A.mtx",
                        "a symmetric matrix instead of FILE.h5, as Matrix Market text");
    nb_command_add_text(command, "rhs", &source->right_side, "b.mtx",
                        "its right-hand side; without it NAME.b.mtx beside NAME.A.mtx, or A (1, ..., 1)");
}

/* Which file is solved; NULL, with a message, where that is not clear. */
static const char *choose_file(const struct nb_command *command, const struct source *source,
                               struct nb_case *setting, struct nb_error *error)
{
    const char *file = source->matrix ? source->matrix : command->positional[0];
    if (!file || (source->matrix && command->positional[0])) {
        nb_fail(error, NB_BAD_INPUT, "give either FILE.h5 or --matrix A.mtx");
        return NULL;
    }
    if (source->right_side && !nb_is_matrix_market(file)) {
        nb_fail(error, NB_BAD_INPUT, "--rhs goes with --matrix A.mtx, not with %s", file);
        return NULL;
    }
    if (source->matrix && !nb_is_matrix_market(file)) {
        nb_fail(error, NB_BAD_INPUT, "--matrix: %s does not end in .mtx", file);
        return NULL;
    }
    if (source->matrix && setting->system > 0) {
        nb_fail(error, NB_BAD_INPUT, "--system %d: a matrix is one system, number 0",
                setting->system);
        return NULL;
    }
    if (source->right_side && strlen(source->right_side) >= sizeof setting->right_side_file) {
        nb_fail(error, NB_BAD_INPUT, "--rhs: the path has more than %zu characters",
                sizeof setting->right_side_file - 1);
        return NULL;
    }
    if (source->right_side)
        strcpy(setting->right_side_file, source->right_side);
    return file;
}

int nb_command_linear(int argc, char **argv)
{
    struct nb_case_request request = {.setting = nb_case_default(), .floor = "no"};
    struct nb_case *setting = &request.setting;
    struct source source = {NULL, NULL};
    struct nb_error error;
    struct nb_command command = {
        .name = "linear",
        .arguments = "FILE.h5 [options]  or  --matrix A.mtx [--rhs b.mtx] [options]",
        .summary = "Solves one stored Newton system A x = b, or any symmetric one, judged in "
                   "float64.",
        .details = "The residual is relative to that of x = 0, in the norm of the inverse diagonal; "
                   "the energy error is against a solution refined in quad precision. `ncpbench export "
                   "--newton-systems` stores systems, `--matrix-market` writes them as text. Exit code: 0 ran "
                   "(and converged, if the linear solver's setting tol was given, as in --linear pcr:tol=1e-8), "
                   "1 did not reach it, or broke down or diverged with or without it, 2 bad input.",
        .example = "ncpbench linear arch.h5 --system 3 --linear pcg --linear-iters 200",
        .by_lines = true,
        .maximum_positionals = 1, .positional_name = {"FILE.h5"},
    };
    setting->mode = NB_CASE_LINEAR_SYSTEM;
    setting->repetitions = 1;
    add_options(&command, setting, &source);
    nb_command_add_solver(&command, &setting->options, NB_SOLVER_LINEAR);
    nb_case_request_add(&command, &request);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const char *file = choose_file(&command, &source, setting, &error);
    return file ? nb_case_request_run(&command, &request, file) : nb_command_fail(&command, &error);
}
