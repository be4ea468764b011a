/* ncpbench sweep runs all cases of a spec and records them (harness/sweep/sweep.h). Plugins' preconditioners are
 * tried first, and a sweep that is stopped says how it goes on. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/filters.h"
#include "harness/cli/options.h"
#include "harness/cli/supervise.h"
#include "harness/sweep/probe.h"
#include "harness/sweep/shard.h"
#include "harness/sweep/sweep.h"
#include "problems/base/emphasis.h"
#include "problems/base/processors.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"

/* Prints how what was run now has ended, with what failed in red. */
static void print_endings(const struct nb_sweep_summary *summary)
{
    const char *before = "  ended: ";
    for (int i = 0; i < NB_ENDING_COUNT; ++i) {
        const bool failed = !nb_ending_is_usable((enum nb_ending)i);
        if (!summary->endings[i])
            continue;
        printf("%s%s%d %s%s", before, nb_emphasis(stdout, failed ? NB_BAD : NB_PLAIN), summary->endings[i],
               nb_ending_name((enum nb_ending)i), nb_emphasis(stdout, NB_PLAIN));
        before = ", ";
    }
    if (summary->run)
        printf("\n");
}

static void print_summary(const struct nb_sweep_summary *summary, struct nb_reasons *reasons)
{
    const double room = summary->wall * summary->jobs;
    printf("%s%s: %d cases, %d run now, %d reused, in %.1f s%s\n", nb_emphasis(stdout, NB_HEADING), summary->name,
           summary->cases, summary->run, summary->reused, summary->wall, nb_emphasis(stdout, NB_PLAIN));
    print_endings(summary);
    nb_reasons_print(reasons, stdout);
    if (summary->run)
        printf("  %.1f %% of the time was not solving (reading, judging, processes, records)\n",
               100 * fmax(1 - summary->solving / room, 0)); /* observers solve beside each other */
    nb_control_print(&summary->control, "  ", stdout);
    if (summary->missing_problems)
        printf("  %d optional problem files do not exist and were skipped\n",
               summary->missing_problems);
    if (summary->other_builds)
        printf("  %d reused records were made by other builds (of other sources, compiler or flags); --anew "
               "measures them again\n", summary->other_builds);
    if (summary->other_machines)
        printf("  %d reused records were made on another kind of machine (cpu, simd, host_threads or governor in their "
               "provenance); --anew measures them again\n", summary->other_machines);
    if (summary->run && summary->reused)
        printf("  times of now and reused ones were not taken in turn: compare gives no verdict on times between them; "
               "--anew measures the cases of a problem together\n");
}

/* --shard: file [size] is the shard's own. */
static enum nb_status read_shard(const char *text, struct nb_sweep_request *request, char *file, size_t size,
                                 struct nb_error *error)
{
    enum nb_status status = nb_shard_read(text, &request->shard, &request->shards, error);
    if (!status && request->results && !strcmp(text, "auto"))
        status = nb_shard_check_parts(request->results, request->shards, error);
    if (status || !request->results)
        return status;
    status = nb_shard_file(request->results, request->shard, request->shards, file, size, error);
    request->results = file;
    return status;
}

/* Says what is wrong with plugins' preconditioners before time is spent on them; their cases are run and
 * recorded all the same. One finding for each is enough. */
static void probe_plugins(void)
{
    const char *name;
    char finding[200];
    for (int i = 0; (name = nb_plugin_precond(i)); ++i)
        if (nb_probe_precisions(name, finding, sizeof finding))
            fprintf(stderr, "preconditioner %s: %s\n", name, finding);
}

int nb_command_sweep(int argc, char **argv)
{
    struct nb_reasons reasons = {0};
    struct nb_sweep_request request = {.jobs = 1, .reasons = &reasons, .progress = stderr};
    struct nb_option_list where = {0};
    struct nb_filter filter[NB_SWEEP_FILTERS];
    bool dry_run = false;
    int observe = 1;
    const char *shard = NULL;
    char file[4096];
    struct nb_sweep_summary summary;
    struct nb_error error;
    struct nb_command command = {
        .name = "sweep", .arguments = "SPEC [MORE] -o RESULTS.jsonl [options]",
        .summary = "Runs every case of a spec, each in a process of its own, and records it.",
        .details = "Killed at any time, it loses the solve that was running; a rerun does what "
                   "is missing, and what was recorded with other code of the strategies that a case reads. "
                   "The cases of a second spec join those of the first, in one run. "
                   "With several jobs, cases run side by side on pinned cores and "
                   "share the memory's bandwidth: for times to publish use one.\n\n"
                   "SPEC is an INI file: [sweep] with name = ..., [group NAME] with lists such as "
                   "problem = a.h5, b-*.h5 and linear = pcr, cholesky, of which all combinations are "
                   "cases, and [exclude NAME], which drops some. Every section and key: "
                   "docs/guide/sweeps.md.",
        .example = "ncpbench sweep data/first_light.sweep -o first_light.jsonl",
        .minimum_positionals = 1, .maximum_positionals = 2, .positional_name = {"SPEC", "MORE"},
    };
    nb_command_add_output(&command, &request.results, "RESULTS.jsonl", "the file to append to");
    nb_command_add_count(&command, "jobs", &request.jobs, 1, nb_processors(), "N", "cases at a time");
    nb_command_add_count(&command, "observe", &observe, 1, nb_processors(), "N",
                         "observed runs at a time, which are not timed; the timed ones of their problem follow, one by "
                         "one");
    nb_command_add_flag(&command, "anew", &request.anew,
                        "measure again what another build (sources, compiler, flags) or kind of machine recorded, "
                        "and, together, all cases that are to take turns where one is missing or was timed apart");
    nb_command_add_flag(&command, "full", &request.full,
                        "all combinations of groups that have design = pairs, too");
    nb_command_add_list(&command, "where", &where, "NAME=A,B",
                        "only the cases with one of these values of a setting, or with NAME!=A,B none of them; "
                        "group=NAME is a group of the spec; may be repeated");
    nb_command_add_text(&command, "shard", &shard, "I/N",
                        "the I-th of N shares of whole problems, in a file of its own, RESULTS.I-of-N.jsonl; auto: "
                        "by the job array of Slurm; see ncpbench merge");
    nb_command_add_text(&command, "scratch", &request.scratch, "FOLDER",
                        "cases read copies of their problem files in this folder, as a cluster node has one of its "
                        "own");
    nb_command_add_flag(&command, "dry-run", &dry_run,
                        "tell how many cases would run and how long, and run and write nothing");
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    request.spec = command.positional[0];
    request.more = command.positional[1];
    request.filter = filter;
    request.filter_count = where.count;
    request.dry_run = dry_run ? stdout : NULL;
    if (nb_where_read(&where, filter, &error) ||
        (shard && read_shard(shard, &request, file, sizeof file, &error)))
        return nb_command_fail(&command, &error);
    if (observe > 1 && request.jobs > 1)
        return nb_command_refuse(&command, "--observe: only with --jobs 1, not with %d", request.jobs);
    request.observers = observe - 1;
    if (!request.results && !dry_run)
        return nb_command_refuse(&command, "-o RESULTS.jsonl is missing");
    if (!dry_run) {
        probe_plugins();
        nb_supervise_stop("\nncpbench sweep: stopped; the same command run again does what is missing\n");
    }
    const enum nb_status status = nb_sweep_run(&request, &summary, &error);
    if (!status && !dry_run)
        print_summary(&summary, &reasons);
    nb_reasons_free(&reasons);
    if (status)
        return nb_command_fail(&command, &error);
    if (dry_run)
        return summary.lacking_problems ? NB_EXIT_BAD_INPUT : NB_EXIT_OK;
    if (request.shards)
        printf("  shard %d of %d, in %s\n", request.shard, request.shards, request.results);
    return NB_EXIT_OK;
}
