/* ncpbench profile draws performance and data profiles of any subset of the records (Dolan and More 2002; More and
 * Wild 2009): a short form of `ncpbench plot profile`, with classes of problems. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/figures/figure.h"
#include "harness/records/problem_name.h"

struct choice {
    struct nb_figure_request request;
    const char *class;
    char classes[100]; /* that can be chosen, with commas between, and "all" */
    struct nb_option_list where;
};

static void add_options(struct nb_command *command, struct choice *choice)
{
    for (int i = 0; i < NB_PROBLEM_CLASSES; ++i)
        strcat(strcat(choice->classes, nb_problem_classes[i].name), ",");
    strcat(choice->classes, "all");
    nb_command_add_text(command, "curves", &choice->request.curves, "NAME",
                        "the setting that tells methods apart: solver, linear, precond ...");
    nb_command_add_list(command, "where", &choice->where, "NAME=A,B",
                        "only records with this value; or NAME!=A,B; repeatable; \\, for a comma of a name");
    nb_command_add_text(command, "panels", &choice->request.panels, "NAME",
                        "one pair of panels for each value, such as precision or a class");
    nb_command_add_word(command, "class", &choice->class, choice->classes, "NAME",
                        "panels for each class of problems; all: four figures");
    nb_command_add_text(command, "each", &choice->request.each, "NAME", "one figure for each value");
    nb_command_add_word(command, "cost", &choice->request.y, "time,iterations", "COST", "what is counted");
    nb_command_add_positive(command, "tol", &choice->request.tolerance, 1, "X",
                            "the error to be reached: step_error, or relative residual; in panels of precisions at "
                            "least 1e-4 for f32, 1e-12 for f64");
    nb_command_add_folder(command, &choice->request.folder, "DIR", "output folder, made if it is missing");
    nb_command_add_text(command, "format", &choice->request.formats, "LIST", "some of pdf,png,svg");
}

/* Gives a class of problems its panels, the harmless first, and a name of its own. */
static enum nb_status draw_class(struct nb_figure_request request, const struct nb_problem_class *class,
                                 const struct nb_command *command, struct nb_error *error)
{
    char name[40], panels[160];
    snprintf(name, sizeof name, "profile_%s", class->name);
    snprintf(panels, sizeof panels, "%s: %s", class->name, class->values);
    request.panels = panels;
    request.name = name;
    return nb_figure_draw(&request, command->positional, command->positional_count, stdout, error);
}

/* One figure, or one for each class that was asked for. */
static enum nb_status draw_all(const struct choice *choice, const struct nb_command *command, struct nb_error *error)
{
    if (!choice->class)
        return nb_figure_draw(&choice->request, command->positional, command->positional_count, stdout, error);
    enum nb_status status = NB_OK;
    for (int i = 0; i < NB_PROBLEM_CLASSES && !status; ++i)
        if (!strcmp(choice->class, "all") || !strcmp(choice->class, nb_problem_classes[i].name))
            status = draw_class(choice->request, &nb_problem_classes[i], command, error);
    return status;
}

int nb_command_profile(int argc, char **argv)
{
    struct nb_error error = {""};
    struct choice choice = {.request = {.kind = "profile", .curves = "method", .panels = "precision", .each = "mode",
                                        .y = "time", .folder = "figures", .tolerance = 1e-8, .formats = "pdf,png"}};
    struct nb_command command = {
        .name = "profile", .arguments = "RESULTS.jsonl... [options]",
        .summary = "Performance and data profiles over problems, failures masked first.",
        .details = "The cost is that of the first iteration at which the judged error is small "
                   "enough. Where several records of one method and problem match, the cheapest "
                   "counts. A method that does not read the setting of --curves, --panels or "
                   "--each is left out. Classes of problems: docs/reference/records.md.",
        .example = "ncpbench profile first_light.jsonl --curves linear --where solver=newton "
                   "--tol 1e-6",
        .minimum_positionals = 1, .maximum_positionals = NB_COMMAND_POSITIONALS, .positional_name = {"RESULTS.jsonl"},
    };
    add_options(&command, &choice);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    choice.request.where = choice.where.item;
    choice.request.where_count = choice.where.count;
    return draw_all(&choice, &command, &error) ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}
