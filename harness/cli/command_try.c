/* ncpbench try tells whether a strategy of one's own is better than known ones (harness/try/try.h). What was built runs
 * in a child process, as with --plugin. */
#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/cli/supervise.h"
#include "harness/records/record.h"
#include "harness/sweep/sweep.h"
#include "harness/try/try.h"
#include "solvers/plugin.h"

/* What the child process takes over. */
static struct nb_try request = {.on = "canonical", .time_limit = NAN};
static struct nb_command command = {
    .name = "try",
    .arguments = "FILE.c [--against NAME]... [--on canonical|FOLDER|SPEC] [--vary NAME=VALUES] [-o FOLDER]",
    .summary = "Tells whether a strategy of your own is better than known ones, where, by how much and why.",
    .details =
        "FILE.c (or .cpp, or a plugin .so, or NAME or KIND=NAME of what is compiled in) defines one preconditioner, "
        "linear solver, NCP function, scaling, operator or method, named after the file. It is built, tried on a small "
        "system, and swept in turn with its rivals on the canonical problems, a folder of problem files, or a "
        "sweep's spec, in which \"@\" stands for it. FOLDER then holds the spec, the records, figures and a report. "
        "The first of the rivals is the one to beat. Under 3 minutes; --quick: under 30 s. The strategy has 60 s for "
        "all of its runs, with --quick 8 s: one that hangs costs no more, and what it had no time for is told. Exit "
        "code 1: its trial finds it at fault.",
    .example = "ncpbench try row_sums.c --against jacobi --against ic0",
    .minimum_positionals = 1,
    .maximum_positionals = 1,
    .positional_name = {"FILE.c"},
};

static void add_options(void)
{
    nb_command_add_list(&command, "against", &request.against, "NAME",
                        "what it is compared with; repeatable [what data/try.sweep lists: the best known, and the "
                        "simplest]");
    nb_command_add_text(&command, "on", &request.on, "WHERE",
                        "canonical problems, a folder of problem files, or a sweep's spec");
    nb_command_add_folder(&command, &request.output, "FOLDER", "for what comes of it [try-NAME]");
    nb_command_add_flag(&command, "quick", &request.quick, "only half of our groups and of each list of problems");
    nb_command_add_text(&command, "vary", &request.vary.text, "NAME=VALUES",
                        "a setting of the strategy's own, or of the case, at each of several values: "
                        "omega=0.5:1.9:8, 8 from 0.5 to 1.9; tol=1e-8:1e-2:4:log, in powers; order=forward,symmetric");
    nb_command_add_flag(&command, "json", &request.json, "print one JSON document (docs/reference/output.md)");
    nb_command_add_positive(&command, "time-limit", &request.time_limit, 1000000, "S",
                            "for all runs of the strategy together [s], with --vary so much for each value "
                            "[60, with --quick 8]");
}

static enum nb_status load(struct nb_error *error)
{
    if (!request.plugin[0])
        return NB_OK;
    nb_supervise_loading(request.plugin);
    const enum nb_status status = nb_plugin_load(request.plugin, error);
    nb_supervise_loading(NULL);
    return status;
}

/* The cases that have a time together, and how much: one that the trial finds at fault has no more for many values. */
static void limit(struct nb_filter *candidate)
{
    candidate->equal = true;
    strcpy(candidate->name, request.kind);
    nb_words_add(&candidate->values, request.candidate);
    for (int v = 0; v < request.vary.count; ++v) {
        char value[2 * NB_TRY_NAME];
        nb_vary_candidate(&request, v, value, sizeof value);
        nb_words_add(&candidate->values, value);
    }
    request.allowed = request.time_limit * (request.finding[0] || !request.vary.count ? 1 : request.vary.count);
}

/* keys: of its cases, as nb_sweep_request says. */
static enum nb_status sweep(cJSON *keys, struct nb_error *error)
{
    static struct nb_filter candidate;
    limit(&candidate);
    const struct nb_sweep_request sweep = {.spec = request.spec,
                                           .results = request.results,
                                           .anew = true,
                                           .jobs = 1,
                                           .shard = 1, /* of one: the file is this command's own */
                                           .shards = 1,
                                           .limited = &candidate,
                                           .limited_time = request.allowed,
                                           .keys = keys,
                                           .progress = stderr};
    struct nb_sweep_summary summary;
    const enum nb_status status = nb_sweep_run(&sweep, &summary, error);
    request.left_out = summary.left_out;
    return status;
}

static enum nb_status sweep_and_judge(char *const *argv, struct nb_error *error)
{
    cJSON *records = NULL, *keys = cJSON_CreateObject();
    enum nb_status status = keys ? sweep(keys, error) : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a try");
    status = status ? status : nb_records_read(request.results, &records, error);
    status = status ? status : nb_try_judge(&request, records, keys, argv, stdout, error);
    cJSON_Delete(records);
    cJSON_Delete(keys);
    return status;
}

static int work(int argc, char **argv)
{
    struct nb_error error;
    (void)argc;
    enum nb_status status = load(&error);
    status = status ? status : nb_try_find(&request, &error);
    status = status ? status : nb_try_spec(&request, &error);
    if (!status)
        nb_try_probe(&request);
    nb_supervise_stop("\nncpbench try: stopped; the same command run again does what is missing\n");
    status = status ? status : nb_try_export(&request, stderr, &error);
    status = status ? status : sweep_and_judge(argv, &error);
    if (status)
        return nb_command_fail(&command, &error);
    return request.finding[0] ? NB_EXIT_NOT_CONVERGED : NB_EXIT_OK;
}

int nb_command_try(int argc, char **argv)
{
    struct nb_error error;
    add_options();
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    request.file = command.positional[0];
    if (isnan(request.time_limit))
        request.time_limit = request.quick ? 8 : 60;
    if (nb_try_build(&request, &error))
        return nb_command_fail(&command, &error);
    if (!request.plugin[0])
        return work(argc, argv);
    nb_supervise_sanitized(request.plugin);
    return nb_supervise(work, argc, argv);
}
