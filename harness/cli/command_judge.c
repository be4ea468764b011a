/* ncpbench judge judges the solution that stands in a file, whoever made it, as `solve` judges its own. */
#include "harness/cli/command_case.h"
#include "harness/cli/commands.h"

int nb_command_judge(int argc, char **argv)
{
    struct nb_case_request request = {.setting = nb_case_default(), .floor = "no", .stored = true};
    struct nb_case *setting = &request.setting;
    struct nb_command command = {
        .name = "judge", .arguments = "FILE [options]",
        .summary = "Judges the solution that a file holds, in float64.",
        .details = "FCLIB's /solution (v, u, r, l), by any solver, is judged as `solve` judges: the record has the "
                   "solver external. Exit code: 0 judged (and within --tol, if it was given), 1 not within --tol, or "
                   "infeasible, 2 bad input.",
        .example = "ncpbench judge arch.h5 --tol 1e-6",
        .by_lines = true,
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"FILE"},
    };
    setting->repetitions = 0;
    setting->options.solver = "external";
    nb_command_add_setting(&command, setting, "tol");
    nb_command_add_setting(&command, setting, "linearized");
    nb_case_request_add_outputs(&command, &request);
    nb_command_add_flag(&command, "json", &request.json, "print one record (docs/reference/records.md)");
    const int code = nb_command_begin(&command, argc, argv);
    return code >= 0 ? code : nb_case_request_run(&command, &request, command.positional[0]);
}
