/* ncpbench compare tells whether B is faster than A, problem by problem, with confidence intervals
 * (harness/report/compare.h). */
#include <stdio.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/report/compare.h"

static void add_options(struct nb_command *command, struct nb_comparison *comparison)
{
    const struct nb_option rows[] = {
        {.name = "a", .type = NB_OPTION_LIST, .target = &comparison->a, .argument = "NAME=VALUE",
         .meaning = "A is the records with this setting; B need not have it; repeatable"},
        {.name = "b", .type = NB_OPTION_LIST, .target = &comparison->b, .argument = "NAME=VALUE",
         .meaning = "likewise for B"},
        {.name = "across", .type = NB_OPTION_LIST, .target = &comparison->across,
         .argument = "NAME", .meaning = "a setting in which A and B may differ; repeatable"},
        {.name = "tol", .type = NB_OPTION_NUMBER, .target = &comparison->tolerance, .minimum = 0,
         .maximum = 1, .argument = "X",
         .meaning = "the error to be reached; 0: the smallest that both reach"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        nb_command_add(command, rows[i]);
}

int nb_command_compare(int argc, char **argv)
{
    struct nb_error error = {""};
    struct nb_comparison comparison = {0};
    struct nb_comparison_result result;
    struct nb_command command = {
        .name = "compare", .arguments = "A.jsonl [B.jsonl] [options]",
        .summary = "Speed-up and iteration ratio of B over A, problem by problem, at equal accuracy.",
        .details = "Records are paired where all settings agree but those named by --a, --b and "
                   "--across. Intervals are of 95 %, by bootstrap over the repetitions, and over "
                   "the pairs for the mean. --a or --b tells A's records from B's, among those of all files: two "
                   "methods, interleaved in one sweep, are the fairest test. Without them A is the first of two "
                   "files, B the second.",
        .example = "ncpbench compare runs.jsonl --a precond=jacobi --b precond=mine --tol 1e-6",
        .minimum_positionals = 1, .maximum_positionals = NB_COMMAND_POSITIONALS,
        .positional_name = {"A.jsonl", "B.jsonl"},
    };
    add_options(&command, &comparison);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    const enum nb_status status =
        nb_compare_files(&comparison, command.positional, command.positional_count, &result, &error);
    if (!status)
        nb_comparison_print(&result, stdout);
    nb_comparison_free(&result);
    return status ? nb_command_fail(&command, &error) : NB_EXIT_OK;
}
