/* ncpbench plot draws figures from records, and pictures from problem files: those of plots/, whose choice of records
 * the options change (harness/figures/figure.h). */
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/figures/figure.h"
#include "harness/figures/plot.h"

static void add_options(struct nb_command *command, struct nb_figure_request *request, struct nb_option_list *where)
{
    nb_command_add_text(command, "curves", &request->curves, "NAME[=A,B]",
                        "the setting that tells curves or bars apart: solver, linear, precond ...; with values, only "
                        "these, in this order");
    nb_command_add_text(command, "panels", &request->panels, "NAME[=A,B]", "one panel for each value");
    nb_command_add_text(command, "each", &request->each, "NAME[=A,B]", "one figure for each value; none: one figure");
    nb_command_add_list(command, "where", where, "NAME=A,B",
                        "only records with this value; or NAME!=A,B; repeatable; \\, for a comma of a name");
    nb_command_add_text(command, "x", &request->x, "X",
                        "of convergence: iteration, linear_iterations (so far) or time");
    nb_command_add_text(command, "y", &request->y, "METRIC",
                        "of convergence an array of the trace, step_error or residual where not given; of bars time, "
                        "iterations (until --tol), setup, peak_memory or one of the record's errors; of profile time "
                        "or iterations");
    nb_command_add_positive(command, "tol", &request->tolerance, 1, "X",
                            "of profile and bars: the error to be reached; 1e-8 where not given");
    nb_command_add_text(command, "format", &request->formats, "LIST", "some of pdf,png,svg");
    nb_command_add_text(command, "name", &request->name, "NAME",
                        "of the files, without suffix; the figure's where not given");
    nb_command_add_text(command, "size", &request->size, "WxH",
                        "in mm, each 20 to 500, as 84x60; columns of journals are 84 and 174 wide");
    nb_command_add_text(command, "labels", &request->labels, "NAME=TEXT,...",
                        "what stands in the figure for a curve or panel; NAME: its value as recorded, or the setting "
                        "of curves, precond=Mine, for the one that is your own");
    nb_command_add_flag(command, "no-foot", &request->without_foot,
                        "without the line below that says what all curves share, for a caption of one's own");
    nb_command_add_folder(command, &request->folder, "DIR", "output folder, made if it is missing");
}

int nb_command_plot(int argc, char **argv)
{
    char known[1200], details[2200];
    struct nb_error error = {""};
    struct nb_option_list where = {0};
    struct nb_figure_request request = {.formats = "pdf,png", .folder = "figures"};
    struct nb_command command = {
        .name = "plot", .arguments = "FIGURE RESULTS.jsonl...|FILE.h5 [options]",
        .summary = "Draws a figure from records, or a scene from a problem file, as PDF, PNG and SVG.",
        .details = details,
        .example = "ncpbench plot convergence runs.jsonl --curves precond --panels problem=arch,beam",
        .minimum_positionals = 1, .maximum_positionals = NB_COMMAND_POSITIONALS,
        .positional_name = {"FIGURE", "RESULTS.jsonl or FILE.h5"},
    };
    nb_plot_suggest("", known, sizeof known);
    snprintf(details, sizeof details,
             "Of any records: convergence (an error over iterations or time), profile (the share of problems solved "
             "over the cost) and bars (a number of every method on every problem). Others are files in plots/, one "
             "gnuplot script each; the options change what they show, too. docs/reference/figures.md says how to write "
             "one. The folder is found beside the program's own, or is the one named in NCPBENCH_PLOTS. The numbers "
             "drawn are kept beside the figure as .dat.\n\nThe %s", known);
    command.choices = known + strcspn(known, ":") + strspn(known + strcspn(known, ":"), ": ");
    add_options(&command, &request, &where);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    request.kind = command.positional[0];
    if (command.positional_count < 2 && nb_plot_check_name(request.kind, &error))
        return nb_command_fail(&command, &error);
    if (command.positional_count < 2)
        return nb_command_refuse(&command, "RESULTS.jsonl or FILE.h5 is missing; usage: ncpbench plot %s",
                                 command.arguments);
    request.where = where.item;
    request.where_count = where.count;
    return nb_figure_draw(&request, command.positional + 1, command.positional_count - 1, stdout, &error)
               ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}
