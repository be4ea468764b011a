/* Compares the candidate with each rival, and at each value of --vary, prints the verdict and writes the report. Of the
 * folder's records those are taken that are of the cases of this try, and those of the candidate only where its present
 * build made them. */
#include <stdlib.h>
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/output.h"
#include "harness/records/record.h"
#include "harness/report/page.h"
#include "harness/try/try_private.h"
#include "solvers/registry.h"

/* Whether a record's strategy of the candidate's name has another hash than it has now. */
static bool is_of_another_build(const struct nb_try *request, const cJSON *record)
{
    char value[NB_TRY_NAME];
    const cJSON *recorded = nb_json_path(record, "strategies", request->kind);
    const char *hash = nb_registry_source(request->kind, request->name);
    nb_record_text(record, request->kind, value, sizeof value);
    return nb_try_is_candidate(request, value) && hash && cJSON_IsString(recorded) &&
           strcmp(recorded->valuestring, hash) != 0;
}

static void keep_own(const struct nb_try *request, const cJSON *keys, cJSON *records)
{
    cJSON *record = records->child;
    while (record) {
        cJSON *next = record->next;
        if (!cJSON_HasObjectItem(keys, nb_json_string(record, "key")) || is_of_another_build(request, record))
            cJSON_Delete(cJSON_DetachItemViaPointer(records, record));
        record = next;
    }
}

/* A setting that a strategy of the kind may decide: whether there is a preconditioner, and how many iterations. */
static const char *decided_by(const char *kind)
{
    if (!strcmp(kind, "linear"))
        return "precond";
    return strcmp(kind, "solver") ? NULL : "newton_iters";
}

/* Its time may be over before the first of its cases is done: it hangs in a repetition, or is slow. */
static bool is_recorded(const struct nb_try *request, const cJSON *records)
{
    char value[NB_TRY_NAME];
    for (const cJSON *record = records->child; record; record = record->next) {
        nb_record_text(record, request->kind, value, sizeof value);
        if (!strcmp(value, request->candidate))
            return true;
    }
    return false;
}

static enum nb_status compare(struct nb_try_found *found, cJSON *records, struct nb_error *error)
{
    const struct nb_try *request = found->request;
    const char *decided = decided_by(request->kind);
    enum nb_status status = NB_OK;
    for (int r = 0; r < request->rivals && !status; ++r) {
        char *a = found->side[r], *b = found->side[NB_TRY_RIVALS];
        snprintf(a, sizeof found->side[r], "%s=%s", request->kind, request->rival[r]);
        snprintf(b, sizeof found->side[r], "%s=%s", request->kind, request->candidate);
        found->comparison[r] = (struct nb_comparison){.a = {.count = 1, .item = {a}},
                                                      .b = {.count = 1, .item = {b}},
                                                      .tolerance = request->tolerance,
                                                      .across = {.count = decided != NULL, .item = {decided}}};
        status = nb_compare_records(&found->comparison[r], records, records, &found->against[r], error);
    }
    return status;
}

/* The candidate over the values of --vary; without a picture of them the page says why. */
static enum nb_status make_curve(struct nb_try_found *found, cJSON *records, struct nb_error *error)
{
    const struct nb_try *request = found->request;
    struct nb_error why;
    if (!request->vary.count)
        return NB_OK;
    nb_vary_curve(request, &found->curve);
    found->curve.across = decided_by(request->kind);
    enum nb_status status = nb_curve_make(&found->curve, records, error);
    if (status)
        return status;
    snprintf(found->figure, sizeof found->figure, "over_%s", request->vary.name);
    status = nb_curve_draw(&found->curve, request->folder, found->figure, stderr, &why);
    if (status)
        snprintf(found->figure, sizeof found->figure, "%.190s", why.text);
    found->drawn = !status;
    return status == NB_OUT_OF_MEMORY ? nb_fail(error, status, "%s", why.text) : NB_OK;
}

static enum nb_status write_pages(const struct nb_try_found *found, cJSON *records, char *const *argv,
                                  struct nb_error *error)
{
    const struct nb_try *request = found->request;
    const char *const files[] = {request->results};
    char title[NB_TRY_NAME + 32], path[NB_TRY_PATH + 32], picture[NB_TRY_PATH + sizeof found->figure + 8];
    snprintf(picture, sizeof picture, "%s/%s.svg", request->folder, found->figure);
    snprintf(title, sizeof title, "%.100s against %.100s", request->name, request->rival[0]);
    const struct nb_page page = {.records = records,
                                 .tolerance = request->tolerance,
                                 .title = title,
                                 .lead = (const char *const *)found->sentence,
                                 .axis = request->kind,
                                 .candidate = found->judged ? request->candidate : NULL,
                                 .across = decided_by(request->kind),
                                 .curve = found->curve.count ? &found->curve : NULL,
                                 .curve_picture = found->drawn ? picture : NULL,
                                 .files = files,
                                 .file_count = 1,
                                 .command = argv};
    snprintf(path, sizeof path, "%s/report.html", request->folder);
    enum nb_status status = nb_report_html(&page, path, error);
    snprintf(path, sizeof path, "%s/report.md", request->folder);
    return status ? status : nb_report_markdown(&page, path, error);
}

static cJSON *document_of(const struct nb_try_found *found)
{
    const struct nb_try *request = found->request;
    cJSON *object = cJSON_CreateObject();
    NB_JSON_ADD(object, "command", "try", "kind", request->kind, "candidate", request->candidate,
                "tolerance", request->tolerance, "judged", (bool)found->judged);
    nb_json_text(object, "fault", request->finding);
    nb_json_text(object, "fault_on", request->tried_on);
    cJSON_AddNumberToObject(object, "left_out", request->left_out);
    cJSON *sentences = cJSON_AddArrayToObject(object, "sentences");
    for (int i = 0; i < NB_TRY_SENTENCES && found->sentence[i]; ++i)
        cJSON_AddItemToArray(sentences, cJSON_CreateString(found->sentence[i]));
    cJSON *against = cJSON_AddArrayToObject(object, "against");
    for (int r = 0; r < request->rivals && found->judged; ++r)
        cJSON_AddItemToArray(against, nb_comparison_json(&found->comparison[r], &found->against[r]));
    if (found->curve.count && found->judged)
        cJSON_AddItemToObject(object, "curve", nb_curve_json(&found->curve));
    else
        cJSON_AddNullToObject(object, "curve");
    return object;
}

static enum nb_status put(const struct nb_try_found *found, FILE *stream, struct nb_error *error)
{
    const char *folder = found->request->folder;
    if (found->request->json)
        return nb_json_put(document_of(found), nb_output(), error);
    nb_try_print(found, stream);
    if (found->drawn)
        fprintf(stream, "Figure: %s/%s.pdf (.png, .svg beside it)\n", folder, found->figure);
    else if (found->curve.count && found->judged)
        fprintf(stream, "%s\n", found->figure);
    fprintf(stream, "Report: %s/report.html (report.md, records.jsonl, try.sweep beside it)\n", folder);
    return NB_OK;
}

enum nb_status nb_try_judge(struct nb_try *request, cJSON *records, const cJSON *keys, char *const *argv,
                            FILE *stream, struct nb_error *error)
{
    struct nb_try_found *found = calloc(1, sizeof *found);
    if (!found)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the verdict");
    found->request = request;
    keep_own(request, keys, records);
    found->judged = is_recorded(request, records);
    nb_try_probe_problems(request, records);
    enum nb_status status = found->judged ? compare(found, records, error) : NB_OK;
    if (!status && found->judged)
        status = make_curve(found, records, error);
    status = status ? status : nb_try_sentences(found, error);
    status = status ? status : write_pages(found, records, argv, error);
    status = status ? status : put(found, stream, error);
    for (int r = 0; r < NB_TRY_RIVALS; ++r)
        nb_comparison_free(&found->against[r]);
    nb_curve_free(&found->curve);
    for (int i = 0; i < NB_TRY_SENTENCES; ++i)
        free(found->sentence[i]);
    free(found);
    return status;
}
