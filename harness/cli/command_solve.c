/* ncpbench solve solves one step as a case and judges every iteration (harness/cli/command_case.h). */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/cli/command_case.h"
#include "harness/cli/commands.h"
#include "solvers/external_process.h"

/* An external solver's, known before: a handler of signals may call unlink and rmdir, and little else. */
static char folder[NB_EXTERNAL_PATH], file[NB_EXTERNAL_PATH + 10];

static void remove_and_end(int number)
{
    unlink(file);
    rmdir(folder);
    raise(number); /* whose action is the usual one again */
}

/* What an external solver was given goes when a signal ends us, unless that is handled or ignored. */
static void remove_when_stopped(void)
{
    const struct sigaction remove = {.sa_handler = remove_and_end, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    struct sigaction before;
    nb_external_folder(getpid(), folder);
    snprintf(file, sizeof file, "%s/step.h5", folder);
    for (int i = 0; i < 3; ++i) {
        const int number = (const int[]){SIGINT, SIGTERM, SIGHUP}[i];
        if (!sigaction(number, NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(number, &remove, NULL);
    }
}

int nb_command_solve(int argc, char **argv)
{
    struct nb_case_request request = {.setting = nb_case_default(), .floor = "auto"};
    struct nb_case *setting = &request.setting;
    struct nb_command command = {
        .name = "solve", .arguments = "FILE [options]",
        .summary = "Solves one step and judges every iteration in float64.",
        .details = "Reads ncpbench's own files and plain FCLIB files, local and global. Exit code: "
                   "0 ran (and converged, if --tol was given), 1 did not reach --tol, or broke down, diverged "
                   "or is infeasible with or without it, 2 bad input.",
        .example = "ncpbench solve arch.h5 --ncp fb --linear pcr --linear-iters 20 --tol 1e-10",
        .by_lines = true,
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"FILE"},
    };
    setting->repetitions = 1;
    nb_command_add_solver(&command, &setting->options, NB_SOLVER_NONLINEAR | NB_SOLVER_LINEAR);
    nb_command_add_setting(&command, setting, "tol");
    nb_command_add_setting(&command, setting, "linearized");
    nb_command_add_setting(&command, setting, "start");
    nb_command_add_output(&command, &request.output, "OUT.h5", "write the problem with FCLIB's /solution (v, u, r, l)");
    nb_case_request_add_outputs(&command, &request);
    nb_command_add_word(&command, "floor", &request.floor, "auto,yes,no", "WHEN",
                        "accuracy floors; auto: up to 3000 unknowns");
    nb_case_request_add(&command, &request);
    const int code = nb_command_begin(&command, argc, argv);
    remove_when_stopped();
    return code >= 0 ? code : nb_case_request_run(&command, &request, command.positional[0]);
}
