/* ncpbench claims judges what the papers claim on records (harness/claims/claims.h). */
#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/claims/claims.h"
#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/records/installed.h"
#include "harness/records/json.h"
#include "harness/records/output.h"
#include "harness/records/record.h"
#include "problems/base/suggest.h"

struct request {
    const char *list, *only, *verdict;
    bool json, complete, check;
};

static void add_options(struct nb_command *command, struct request *request)
{
    nb_command_add_text(command, "list", &request->list, "FILE",
                        "the claims (docs/reference/claims.md) [data/claims.list]");
    nb_command_add_text(command, "only", &request->only, "PATTERN", "claims with such an id, as in 'fig18*'");
    nb_command_add_text(command, "verdict", &request->verdict, "WORDS",
                        "those with such a verdict, as in 'does not hold'");
    nb_command_add_flag(command, "complete", &request->complete,
                        "a claim that lacks records differs from what is expected, too");
    nb_command_add_flag(command, "check", &request->check,
                        "how far each verdict is from its contrary; refuses a claim that nothing could turn, that "
                        "its control fulfils as well, whose records are of several builds, or that leaves cases "
                        "out and does not say why");
    nb_command_add_flag(command, "json", &request->json, "one JSON object (docs/reference/output.md)");
}

static int is_records(const struct dirent *entry)
{
    return fnmatch("*.jsonl*", entry->d_name, 0) == 0;
}

/* Those that come with the program: data/records/. */
static enum nb_status read_own_records(cJSON **records, struct nb_error *error)
{
    char folder[PATH_MAX], *path[NB_COMMAND_POSITIONALS];
    struct dirent **entry = NULL;
    enum nb_status status = nb_installed_folder("NCPBENCH_RECORDS", "data/records", "the papers' records", folder,
                                                sizeof folder, error);
    if (status)
        return status;
    const int found = scandir(folder, &entry, is_records, alphasort);
    int count = 0;
    for (int i = 0; i < found; ++i) {
        if (!status && (count == NB_COMMAND_POSITIONALS ||
                        asprintf(&path[count], "%s/%s", folder, entry[i]->d_name) < 0))
            status = nb_fail(error, NB_BAD_INPUT, "%s: more than %d files of records", folder,
                             NB_COMMAND_POSITIONALS);
        else if (!status)
            ++count;
        free(entry[i]);
    }
    free(entry);
    if (!status)
        status = count ? nb_records_read_files((const char *const *)path, count, records, error)
                       : nb_fail(error, NB_BAD_FILE, "%s: no *.jsonl or *.jsonl.gz", folder);
    while (count)
        free(path[--count]);
    return status;
}

static enum nb_status read_list(const char *path, struct nb_claims *claims, struct nb_error *error)
{
    char own[PATH_MAX + 16];
    if (path)
        return nb_claims_read(path, claims, error);
    char folder[PATH_MAX];
    const enum nb_status status = nb_installed_folder("NCPBENCH_DATA", "data", "the list of claims", folder,
                                                      sizeof folder, error);
    snprintf(own, sizeof own, "%s/claims.list", folder);
    return status ? status : nb_claims_read(own, claims, error);
}

/* Refuses a pattern that no id has, and tells the word that ids begin with and that is nearest to its first. */
static enum nb_status refuse_pattern(const char *pattern, const struct nb_claims *claims, struct nb_error *error)
{
    char word[sizeof claims->claim->id], (*beginning)[sizeof word];
    const char *near = NULL;
    const size_t count = (size_t)claims->count;
    beginning = calloc(count + 1, sizeof *beginning);
    const char **known = calloc(count + 1, sizeof *known);
    for (size_t i = 0; beginning && known && i < count; ++i) {
        const char *id = claims->claim[i].id;
        snprintf(beginning[i], sizeof *beginning, "%.*s", (int)strcspn(id, "_"), id);
        known[i] = beginning[i];
    }
    snprintf(word, sizeof word, "%.*s", (int)strcspn(pattern, "_*?["), pattern);
    if (beginning && known)
        near = nb_nearest_name(word, known, count);
    snprintf(word, sizeof word, "%s", near ? near : "");
    free(known);
    free(beginning);
    return nb_fail(error, NB_BAD_INPUT, "--only %s: %s has no such claim%s%s%s", pattern, claims->path,
                   *word ? "; nearest: '" : "", word, *word ? "*'" : "");
}

/* Before records are read, which takes seconds. */
static enum nb_status check_pattern(const char *only, const struct nb_claims *claims, struct nb_error *error)
{
    for (int i = 0; i < claims->count; ++i)
        if (nb_claim_chosen(&claims->claim[i], only))
            return NB_OK;
    return refuse_pattern(only ? only : "*", claims, error);
}

/* *differs: some verdict of a chosen claim is not the expected one. */
static enum nb_status judge_all(const struct request *request, const struct nb_claims *claims, const cJSON *list,
                                struct nb_claim_result *results, bool *differs, struct nb_error *error)
{
    struct nb_claim_records records;
    enum nb_status status = nb_claim_records_open(list, &records, error);
    for (int i = 0; i < claims->count && !status; ++i) {
        if (!nb_claim_chosen(&claims->claim[i], request->only))
            continue;
        status = nb_claim_judge(&claims->claim[i], &records, request->complete, &results[i], error);
        if (!status && request->check)
            status = nb_claim_check(&claims->claim[i], &records, request->complete, &results[i], error);
        results[i].hidden = request->verdict && strcmp(nb_claim_verdict_texts[results[i].verdict], request->verdict);
        *differs |= results[i].differs && !results[i].hidden;
    }
    nb_claim_records_close(&records);
    return status;
}

static enum nb_status print(const struct request *request, const struct nb_claims *claims,
                            const struct nb_claim_result *results, bool *differs, struct nb_error *error)
{
    if (request->json)
        return nb_json_put(nb_claims_json(claims, results, request->only), nb_output(), error);
    if (request->check)
        *differs |= nb_claims_print_checks(claims, results, request->only, stdout) > 0;
    else
        nb_claims_print(claims, results, request->only, stdout);
    return NB_OK;
}

static enum nb_status run(const struct request *request, const struct nb_command *command, bool *differs,
                          struct nb_error *error)
{
    struct nb_claims claims;
    cJSON *records = NULL;
    enum nb_status status = read_list(request->list, &claims, error);
    if (status)
        return status;
    status = check_pattern(request->only, &claims, error);
    struct nb_claim_result *results = calloc((size_t)claims.count + 1, sizeof *results);
    if (!status && !results)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d claims", claims.count);
    if (!status)
        status = command->positional_count
                     ? nb_records_read_files(command->positional, command->positional_count, &records, error)
                     : read_own_records(&records, error);
    status = status ? status : judge_all(request, &claims, records, results, differs, error);
    status = status ? status : print(request, &claims, results, differs, error);
    cJSON_Delete(records);
    nb_claim_results_free(results, claims.count);
    nb_claims_free(&claims);
    return status;
}

int nb_command_claims(int argc, char **argv)
{
    struct request request = {0};
    struct nb_error error = {""};
    bool differs = false;
    struct nb_command command = {
        .name = "claims", .arguments = "[RECORDS.jsonl...] [options]",
        .summary = "What the papers claim, judged: holds, does not hold, with our number and the printed one.",
        .details = "Without records those that come with the program are judged. Ends with 1 where a verdict is not "
                   "the one that the list expects. What lacks records is not decided, and no difference but with "
                   "--complete.",
        .example = "ncpbench claims results.jsonl --only 'fig18*'",
        .minimum_positionals = 0, .maximum_positionals = NB_COMMAND_POSITIONALS,
    };
    add_options(&command, &request);
    const int code = nb_command_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (run(&request, &command, &differs, &error))
        return nb_command_fail(&command, &error);
    return differs ? NB_EXIT_NOT_CONVERGED : NB_EXIT_OK;
}
