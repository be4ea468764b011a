/* ncpbench profile: performance and data profiles of any subset of the records. */
#include <stdio.h>
#include <string.h>

#include "harness/commands.h"
#include "harness/options.h"
#include "harness/plot.h"

enum { LENGTH = 300, CHANGES = 70 };

struct choice {
    const char *curves, *panels, *each, *cost, *directory;
    double tolerance;
    struct nb_option_list where;
};

static void add_options(struct nb_command *command, struct choice *choice)
{
    const struct nb_option rows[] = {
        {.name = "curves", .type = NB_OPTION_TEXT, .target = &choice->curves, .argument = "NAME",
         .meaning = "the setting that tells methods apart: solver, linear, precond ..."},
        {.name = "where", .type = NB_OPTION_LIST, .target = &choice->where,
         .argument = "NAME=A,B", .meaning = "only records with this value; or NAME!=A,B; repeatable"},
        {.name = "panels", .type = NB_OPTION_TEXT, .target = &choice->panels, .argument = "NAME",
         .meaning = "one pair of panels for each value, such as precision or class"},
        {.name = "each", .type = NB_OPTION_TEXT, .target = &choice->each, .argument = "NAME",
         .meaning = "one figure for each value"},
        {.name = "cost", .type = NB_OPTION_TEXT, .target = &choice->cost,
         .choices = "time,iterations", .argument = "COST", .meaning = "what is counted"},
        {.name = "tol", .type = NB_OPTION_NUMBER, .target = &choice->tolerance, .minimum = 0,
         .maximum = 1, .above_minimum = true, .argument = "X",
         .meaning = "the error to be reached: natural map, or relative residual"},
        {.name = "output", .letter = 'o', .type = NB_OPTION_TEXT, .target = &choice->directory,
         .argument = "DIR", .meaning = "output folder, made if it is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        nb_command_add(command, rows[i]);
}

/* The choice as directives of the figure `profile`. */
static int write_changes(const struct choice *choice, char text[][LENGTH])
{
    int count = 0;
    snprintf(text[count++], LENGTH, "curves %s", choice->curves);
    snprintf(text[count++], LENGTH, "panels %s", choice->panels);
    snprintf(text[count++], LENGTH, "each %s", choice->each);
    snprintf(text[count++], LENGTH, "cost %s", choice->cost);
    snprintf(text[count++], LENGTH, "tolerance %.17g", choice->tolerance);
    for (int i = 0; i < choice->where.count && count < CHANGES; ++i)
        snprintf(text[count++], LENGTH, "where %s", choice->where.item[i]);
    return count;
}

int nb_command_profile(int argc, char **argv)
{
    static char text[CHANGES][LENGTH];
    char *changes[CHANGES];
    struct nb_error error = {""};
    struct choice choice = {.curves = "solver", .panels = "precision", .each = "mode",
                            .cost = "time", .directory = "figures", .tolerance = 1e-8};
    struct nb_command command = {
        .name = "profile", .arguments = "RESULTS.jsonl [options]",
        .summary = "Performance and data profiles over problems, failures masked first.",
        .details = "The cost is that of the first iteration at which the judged error is small "
                   "enough.\nWhere several records of one method and problem match, the cheapest "
                   "counts.",
        .example = "ncpbench profile first_light.jsonl --curves linear --where solver=newton "
                   "--tol 1e-6",
        .minimum_positionals = 1, .maximum_positionals = 1, .positional_name = {"RESULTS.jsonl"},
    };
    add_options(&command, &choice);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const int count = write_changes(&choice, text);
    for (int i = 0; i < count; ++i)
        changes[i] = text[i];
    if (nb_plot("profile", changes, count, command.positional[0], choice.directory, stdout, &error))
        return nb_command_fail(&command, &error);
    return NB_EXIT_OK;
}
