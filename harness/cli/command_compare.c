/* ncpbench compare tells whether B is faster than A, problem by problem, with confidence intervals, in words or as JSON
 * (harness/report/compare.h); as a gate it stops a script where B is worse. */
#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/records/json.h"
#include "harness/records/output.h"
#include "harness/report/compare.h"
#include "harness/sweep/sweep_private.h"
#include "problems/base/status.h"

/* Plans the sweep again, without running it, and looks for the key of each case among the records. A case that left out
 * a repetition or failed has a record, and how it ended is for others to judge. */

struct nb_manifest {
    int cases, missing; /* of the specs; of these, without a record */
    char first[160];    /* of the missing ones */
};

static void mark(const struct nb_plan *plan, const cJSON *records, bool *there)
{
    for (const cJSON *record = records ? records->child : NULL; record; record = record->next) {
        const struct nb_task *task = nb_plan_find(plan, nb_json_string(record, "key"));
        if (task)
            there[task - plan->task] = true;
    }
}

static void count_missing(const struct nb_plan *plan, const bool *there, struct nb_manifest *manifest)
{
    for (int i = plan->floors; i < plan->count; ++i) {
        ++manifest->cases;
        if (!there[i] && !manifest->missing++)
            nb_case_label(&plan->task[i].setting, manifest->first, sizeof manifest->first);
    }
}

/* Compares the specs [count], one or two, with records [arrays], JSON arrays, the same one perhaps more than once. The
 * problem files of the specs are read, since a case is known by what they hold. */
static enum nb_status manifest_read(const char *const *specs, int count, const cJSON *const *records, int arrays,
                                    struct nb_manifest *manifest, struct nb_error *error)
{
    struct nb_sweep_request sweep = {.spec = specs[0], .more = count > 1 ? specs[1] : NULL, .jobs = 1};
    struct nb_plan plan = {0};
    char name[64];
    *manifest = (struct nb_manifest){0};
    if (count > 2)
        return nb_fail(error, NB_BAD_INPUT, "--spec: %d given; at most 2, as `sweep` takes", count);
    enum nb_status status = nb_plan_make(&sweep, &plan, name, error);
    bool *there = status ? NULL : calloc((size_t)plan.count + 1, sizeof *there);
    if (!status && !there)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d cases", plan.count);
    for (int i = 0; i < arrays && !status; ++i)
        mark(&plan, records[i], there);
    if (!status)
        count_missing(&plan, there, manifest);
    free(there);
    nb_plan_free(&plan);
    return status;
}

struct request {
    struct nb_comparison comparison;
    struct nb_gate gate;
    const char *fail_if;
    struct nb_option_list specs;
    bool json, words;
};

static void add_options(struct nb_command *command, struct request *request)
{
    struct nb_comparison *comparison = &request->comparison;
    nb_command_add_list(command, "a", &comparison->a, "NAME=VALUE",
                        "A is the records with this setting; B need not have it; repeatable");
    nb_command_add_list(command, "b", &comparison->b, "NAME=VALUE", "likewise for B");
    nb_command_add_list(command, "across", &comparison->across, "NAME",
                        "a setting in which A and B may differ; repeatable");
    nb_command_add_number(command, "tol", &comparison->tolerance, 0, 1, "X",
                          "the error to be reached; 0: the smallest that both reach");
    nb_command_add_text(command, "fail-if", &request->fail_if, "WHAT",
                        "exit 1 where B is worse, 2 where that cannot be judged, as where a case has no "
                        "partner: fails, where B alone fails in a pair; iterations:5%, or takes more than 5 % more "
                        "iterations, of its own or linear ones, in the geometric mean, whenever A ran; worse:5%, "
                        "or takes more than 5 % longer, by its whole interval; mixed:5%, or in any pair");
    nb_command_add_list(command, "spec", &request->specs, "SPEC",
                        "of --fail-if: the spec of the sweep; a case of it without a record is not decided; twice "
                        "where it ran with a second one");
    nb_command_add_flag(command, "json", &request->json, "print one JSON document (docs/reference/output.md)");
    nb_command_add_flag(command, "words", &request->words, "print when it says which word, without any records");
}

/* error: why the gate could not be judged; NULL: it was. */
static void add_gate(cJSON *object, const char *condition, const struct nb_gate_result *gate,
                     const struct nb_error *error)
{
    cJSON *added = cJSON_AddObjectToObject(object, "fail_if");
    cJSON_AddStringToObject(added, "condition", condition);
    if (error)
        cJSON_AddNullToObject(added, "failed");
    else
        cJSON_AddBoolToObject(added, "failed", gate->failed);
    cJSON_AddStringToObject(added, "reason", error ? error->text : gate->reason);
}

/* What has not run has not passed. */
static enum nb_status check_manifest(const struct request *request, const struct nb_comparison_result *found,
                                     struct nb_error *error)
{
    const cJSON *records[] = {found->first, found->second};
    struct nb_manifest manifest;
    if (!request->specs.count)
        return NB_OK;
    const enum nb_status status = manifest_read(request->specs.item, request->specs.count, records, 2, &manifest,
                                                error);
    if (status || !manifest.missing)
        return status;
    return nb_fail(error, NB_BAD_INPUT, "--fail-if: not decided: %d of %d cases of --spec have no record, first %s",
                   manifest.missing, manifest.cases, manifest.first);
}

/* *failed: the gate is closed. What was found is printed where it could not be judged, too. */
static enum nb_status print(const struct request *request, const struct nb_comparison_result *found, bool *failed,
                            struct nb_error *error)
{
    struct nb_gate_result gate = {0};
    enum nb_status status = NB_OK, printed = NB_OK;
    if (request->fail_if)
        status = nb_gate_judge(&request->gate, &request->comparison, found, &gate, error);
    *failed = gate.failed;
    if (request->fail_if && !status && !gate.failed)
        status = check_manifest(request, found, error);
    if (request->json) {
        cJSON *object = nb_comparison_json(&request->comparison, found);
        if (request->fail_if)
            add_gate(object, request->fail_if, &gate, status ? error : NULL);
        printed = nb_json_put(object, nb_output(), error);
    } else {
        nb_comparison_print(found, stdout);
        if (request->fail_if && !status)
            printf("--fail-if %s: %s%s%s\n", request->fail_if, gate.failed ? "failed" : "passed",
                   gate.failed || gate.reason[0] ? ": " : "", gate.reason);
    }
    return status ? status : printed;
}

int nb_command_compare(int argc, char **argv)
{
    struct nb_error error = {""};
    struct request request = {0};
    struct nb_comparison_result result = {0};
    bool failed = false;
    struct nb_command command = {
        .name = "compare",
        .arguments = "A.jsonl [B.jsonl ...] [options]",
        .summary = "Speed-up and iteration ratio of B over A, problem by problem, at equal accuracy.",
        .details = "Records are paired where all settings agree but those named by --a, --b and "
                   "--across. Intervals are of 95 %, of a pair over processes, of the mean over "
                   "problems. --a or --b tells A's records from B's, among those of all files: two "
                   "methods, interleaved in one sweep, are the fairest test. Without them A is the first of two "
                   "files, B the second.",
        .example = "ncpbench compare runs.jsonl --a precond=jacobi --b precond=mine --tol 1e-6",
        .maximum_positionals = NB_COMMAND_POSITIONALS,
        .positional_name = {"A.jsonl", "B.jsonl"},
    };
    add_options(&command, &request);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (request.words) {
        nb_comparison_print_rules(stdout);
        return NB_EXIT_OK;
    }
    if (!command.positional_count)
        return nb_command_refuse(&command, "A.jsonl is missing; usage: ncpbench compare %s", command.arguments);
    enum nb_status status = request.fail_if       ? nb_gate_read(request.fail_if, &request.gate, &error)
                            : request.specs.count ? nb_fail(&error, NB_BAD_INPUT, "--spec: only with --fail-if")
                                                  : NB_OK;
    if (!status)
        status = nb_compare_files(&request.comparison, command.positional, command.positional_count, &result, &error);
    status = status ? status : print(&request, &result, &failed, &error);
    nb_comparison_free(&result);
    return status ? nb_command_fail(&command, &error) : failed ? NB_EXIT_NOT_CONVERGED : NB_EXIT_OK;
}
