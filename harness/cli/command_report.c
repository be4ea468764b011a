/* ncpbench report prints tables from records, or the records as comma-separated values. */
#include <stdio.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/report/report.h"

int nb_command_report(int argc, char **argv)
{
    bool csv = false;
    double tolerance = 0;
    struct nb_error error;
    struct nb_command command = {
        .name = "report", .arguments = "RESULTS.jsonl... [--tol X | --csv]",
        .summary = "Tables from records: best configurations, endings, medians, linear systems.",
        .details = "Cases that do not reach --tol are failures and masked; the fastest is the one that takes "
                   "the least time to it. Of different problems with one name, each is shown with the "
                   "beginning of its hash.",
        .example = "ncpbench report first_light.jsonl --tol 1e-6",
        .minimum_positionals = 1, .maximum_positionals = NB_COMMAND_POSITIONALS, .positional_name = {"RESULTS.jsonl"},
    };
    nb_command_add(&command, (struct nb_option){.name = "tol", .type = NB_OPTION_NUMBER, .target = &tolerance,
                   .minimum = 0, .maximum = 1, .argument = "X",
                   .meaning = "the error to be reached by all: step error, or relative residual [that of the cases, if all had the same]"});
    nb_command_add(&command, (struct nb_option){.name = "csv", .type = NB_OPTION_FLAG,
                   .target = &csv, .meaning = "comma-separated values, one row a case"});
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const enum nb_status status =
        csv ? nb_report_csv(command.positional, command.positional_count, stdout, &error)
            : nb_report_tables(command.positional, command.positional_count, tolerance, stdout, &error);
    return status ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}
