/* ncpbench linear: one Newton system that a problem file stores. */
#include <limits.h>

#include "harness/command_case.h"
#include "harness/commands.h"

int nb_command_linear(int argc, char **argv)
{
    const struct nb_range *system = nb_range_find("system");
    struct nb_case_request request = {.setting = nb_case_default(), .floor = "no"};
    struct nb_case *setting = &request.setting;
    struct nb_command command = {
        .name = "linear", .arguments = "FILE.h5 [options]",
        .summary = "Solves one stored Newton system (A + EPS I) x = b, judged in float64.",
        .details = "The residual is relative to ||b||, max norm; the energy error is against "
                   "Cholesky in float64.\n`ncpbench export --newton-systems` stores systems.",
        .example = "ncpbench linear arch.h5 --system 3 --linear pcg --linear-iters 200",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"FILE.h5"},
    };
    setting->mode = NB_CASE_LINEAR_SYSTEM;
    setting->repetitions = 1;
    nb_command_add(&command, (struct nb_option){.name = "system", .type = NB_OPTION_INTEGER,
                   .target = &setting->system, .minimum = system->minimum,
                   .maximum = system->maximum, .argument = "K",
                   .meaning = "index of the stored system, from 0"});
    nb_command_add_solver(&command, &setting->options, NB_SOLVER_LINEAR);
    nb_case_request_add(&command, &request);
    const int code = nb_command_begin(&command, argc, argv);
    return code >= 0 ? code : nb_case_request_run(&command, &request, command.positional[0]);
}
