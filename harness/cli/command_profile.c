/* ncpbench profile draws performance and data profiles of any subset of the records (Dolan and More 2002; More and
 * Wild 2009): the figure plots/profile.gp, with its directives changed as the options say. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/figures/plot.h"
#include "harness/records/problem_class.h"

enum { LENGTH = 300, CHANGES = 70 };

struct choice {
    const char *curves, *panels, *each, *cost, *directory, *class;
    char classes[100]; /* that can be chosen, with commas between, and "all" */
    double tolerance;
    struct nb_option_list where;
};

static void add_options(struct nb_command *command, struct choice *choice)
{
    for (int i = 0; i < NB_PROBLEM_CLASSES; ++i)
        strcat(strcat(choice->classes, nb_problem_classes[i].name), ",");
    strcat(choice->classes, "all");
    const struct nb_option rows[] = {
        {.name = "curves", .type = NB_OPTION_TEXT, .target = &choice->curves, .argument = "NAME",
         .meaning = "the setting that tells methods apart: solver, linear, precond ..."},
        {.name = "where", .type = NB_OPTION_LIST, .target = &choice->where,
         .argument = "NAME=A,B", .meaning = "only records with this value; or NAME!=A,B; repeatable; \\, for a comma of a name"},
        {.name = "panels", .type = NB_OPTION_TEXT, .target = &choice->panels, .argument = "NAME",
         .meaning = "one pair of panels for each value, such as precision or a class"},
        {.name = "class", .type = NB_OPTION_TEXT, .target = &choice->class,
         .choices = choice->classes, .argument = "NAME",
         .meaning = "panels for each class of problems; all: four figures"},
        {.name = "each", .type = NB_OPTION_TEXT, .target = &choice->each, .argument = "NAME",
         .meaning = "one figure for each value"},
        {.name = "cost", .type = NB_OPTION_TEXT, .target = &choice->cost,
         .choices = "time,iterations", .argument = "COST", .meaning = "what is counted"},
        {.name = "tol", .type = NB_OPTION_NUMBER, .target = &choice->tolerance, .minimum = 0,
         .maximum = 1, .above_minimum = true, .argument = "X",
         .meaning = "the error to be reached: step_error, or relative residual; in panels of "
                    "precisions at least 1e-4 for f32, 1e-12 for f64"},
        {.name = "output", .letter = 'o', .type = NB_OPTION_TEXT, .target = &choice->directory,
         .argument = "DIR", .meaning = "output folder, made if it is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        nb_command_add(command, rows[i]);
}

/* The choice as directives of the figure `profile`; class: of problems, or NULL. */
static int write_changes(const struct choice *choice, const struct nb_problem_class *class, char text[][LENGTH])
{
    int count = 0;
    snprintf(text[count++], LENGTH, "curves %s", choice->curves);
    snprintf(text[count++], LENGTH, "panels %s", choice->panels);
    snprintf(text[count++], LENGTH, "each %s", choice->each);
    snprintf(text[count++], LENGTH, "cost %s", choice->cost);
    snprintf(text[count++], LENGTH, "tolerance %.17g", choice->tolerance);
    if (class) {
        snprintf(text[count++], LENGTH, "name profile_%s", class->name);
        snprintf(text[count++], LENGTH, "panels %s: %s", class->name, class->values);
    }
    for (int i = 0; i < choice->where.count && count < CHANGES; ++i)
        snprintf(text[count++], LENGTH, "where %s", choice->where.item[i]);
    return count;
}

static enum nb_status draw(const struct choice *choice, const struct nb_problem_class *class, const char *input,
                           struct nb_error *error)
{
    static char text[CHANGES][LENGTH];
    char *changes[CHANGES];
    const int count = write_changes(choice, class, text);
    for (int i = 0; i < count; ++i)
        changes[i] = text[i];
    return nb_plot("profile", changes, count, input, choice->directory, stdout, error);
}

/* One figure, or one for each class that was asked for. */
static enum nb_status draw_all(const struct choice *choice, const char *input, struct nb_error *error)
{
    for (int i = 0; i < choice->where.count; ++i)
        if (strlen(choice->where.item[i]) > LENGTH - 10)
            return nb_fail(error, NB_BAD_INPUT, "--where: longer than %d characters: %.40s...", LENGTH - 10,
                           choice->where.item[i]);
    enum nb_status status = choice->class ? NB_OK : draw(choice, NULL, input, error);
    for (int i = 0; i < NB_PROBLEM_CLASSES && choice->class && !status; ++i)
        if (!strcmp(choice->class, "all") || !strcmp(choice->class, nb_problem_classes[i].name))
            status = draw(choice, &nb_problem_classes[i], input, error);
    return status;
}

int nb_command_profile(int argc, char **argv)
{
    struct nb_error error = {""};
    struct choice choice = {.curves = "method", .panels = "precision", .each = "mode",
                            .cost = "time", .directory = "figures", .tolerance = 1e-8};
    struct nb_command command = {
        .name = "profile", .arguments = "RESULTS.jsonl [options]",
        .summary = "Performance and data profiles over problems, failures masked first.",
        .details = "The cost is that of the first iteration at which the judged error is small "
                   "enough. Where several records of one method and problem match, the cheapest "
                   "counts. A method that does not read the setting of --curves, --panels or "
                   "--each is left out. Classes of problems: docs/reference/records.md.",
        .example = "ncpbench profile first_light.jsonl --curves linear --where solver=newton "
                   "--tol 1e-6",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"RESULTS.jsonl"},
    };
    add_options(&command, &choice);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (draw_all(&choice, command.positional[0], &error))
        return nb_command_fail(&command, &error);
    return NB_EXIT_OK;
}
