/* ncpbench plot draws figures from records, and pictures from problem files (harness/figures/plot.h). */
#include <stdio.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/figures/plot.h"

int nb_command_plot(int argc, char **argv)
{
    const char *directory = "figures";
    char known[1000], details[1600];
    struct nb_error error = {""};
    struct nb_command command = {
        .name = "plot", .arguments = "FIGURE RESULTS.jsonl|FILE.h5 [-o DIR]",
        .summary = "Draws a figure from the records of a sweep, or a scene from a problem file, as PDF and PNG.",
        .details = details,
        .example = "ncpbench plot figure17 first_light.jsonl",
        .minimum_positionals = 2, .maximum_positionals = 2,
        .positional_name = {"FIGURE", "RESULTS.jsonl or FILE.h5"},
    };
    nb_plot_suggest("", known, sizeof known);
    snprintf(details, sizeof details,
             "FIGURE is a file in plots/, one gnuplot script each; docs/reference/figures.md says how to write one. "
             "The folder is found beside the program's own, or is the one named in NCPBENCH_PLOTS. The numbers drawn "
             "are kept beside the figure as .dat.\n\nThe %s", known);
    nb_command_add(&command, (struct nb_option){.name = "output", .letter = 'o', .type = NB_OPTION_TEXT,
                   .target = &directory, .argument = "DIR", .meaning = "output folder, made if it is missing"});
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (nb_plot(command.positional[0], NULL, 0, command.positional[1], directory, stdout, &error))
        return nb_command_fail(&command, &error);
    return NB_EXIT_OK;
}
