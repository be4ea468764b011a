/* ncpbench merge joins the results files of a sweep's shards to one, and tells which shards have cases yet to run
 * (harness/sweep/merge.h). */
#include <stdio.h>

#include "harness/cli/commands.h"
#include "harness/cli/filters.h"
#include "harness/cli/options.h"
#include "harness/sweep/merge.h"
#include "harness/sweep/shard.h"

static void add_options(struct nb_command *command, struct nb_merge_request *request, struct nb_option_list *specs,
                        struct nb_option_list *where)
{
    nb_command_add_output(command, &request->results, "RESULTS.jsonl",
                          "the file to write; what it has already counts as the first part");
    nb_command_add_list(command, "spec", specs, "SPEC", "the sweep's spec; twice where it ran with a second one");
    nb_command_add_list(command, "where", where, "NAME=A,B", "the cases that the sweep ran, where it was given this");
    nb_command_add_count(command, "shards", &request->sweep.shards, 1, NB_SHARDS_MOST, "N",
                         "into how many the sweep was divided; not given: as the parts' names tell");
    nb_command_add_flag(command, "mixed", &request->mixed,
                        "join parts of different builds or kinds of machine; records that differ are marked");
}

static enum nb_status check(const struct nb_merge_request *request, const struct nb_option_list *specs,
                            struct nb_error *error)
{
    if (!request->results)
        return nb_fail(error, NB_BAD_INPUT, "-o RESULTS.jsonl is missing");
    if (!specs->count)
        return nb_fail(error, NB_BAD_INPUT, "--spec SPEC, that of the sweep, is missing");
    if (specs->count > 2)
        return nb_fail(error, NB_BAD_INPUT, "--spec: %d given; at most 2, as `sweep` takes", specs->count);
    return NB_OK;
}

int nb_command_merge(int argc, char **argv)
{
    struct nb_error error = {""};
    struct nb_merge_request request = {.sweep = {.progress = stderr}, .out = stdout};
    struct nb_option_list specs = {0}, where = {0};
    struct nb_filter filter[NB_SWEEP_FILTERS];
    int missing = 0;
    struct nb_command command = {
        .name = "merge", .arguments = "PARTS.jsonl... -o RESULTS.jsonl --spec SPEC [options]",
        .summary = "Joins the results files of a sweep's shards to one, with one record a case.",
        .details = "Of two records of one case the later sweep's stays, by the date in its provenance. Exits 1 "
                   "where cases of the spec have no record yet, and prints which shards have them, as --array=... "
                   "for sbatch.",
        .example = "ncpbench merge results.*-of-8.jsonl -o results.jsonl --spec data/first_light.sweep",
        .minimum_positionals = 1, .maximum_positionals = NB_COMMAND_POSITIONALS, .positional_name = {"PARTS.jsonl"},
    };
    add_options(&command, &request, &specs, &where);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    enum nb_status status = check(&request, &specs, &error);
    status = status ? status : nb_where_read(&where, filter, &error);
    request.part = command.positional;
    request.part_count = command.positional_count;
    request.sweep.spec = specs.item[0];
    request.sweep.more = specs.count > 1 ? specs.item[1] : NULL;
    request.sweep.filter = filter;
    request.sweep.filter_count = where.count;
    status = status ? status : nb_merge(&request, &missing, &error);
    return status ? nb_command_fail(&command, &error) : missing ? NB_EXIT_NOT_CONVERGED : NB_EXIT_OK;
}
