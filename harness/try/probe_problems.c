/* The trial of a preconditioner on the systems of the problems that it was swept on: first of those on which its case
 * did not converge, as a fault that needs more rows, other blocks or an even number of them shows there and not on the
 * small system. */
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/record.h"
#include "harness/sweep/probe.h"
#include "harness/try/try_private.h"

enum { MOST = 12 }; /* systems */

struct trial {
    struct nb_try *request;
    const cJSON *done[MOST]; /* records whose systems were tried */
    int count;
};

static bool is_candidates(const struct nb_try *request, const cJSON *record)
{
    char value[NB_TRY_NAME];
    nb_record_text(record, request->kind, value, sizeof value);
    return !strcmp(value, request->candidate);
}

static bool is_same(const cJSON *a, const cJSON *b, const char *setting)
{
    return cJSON_Compare(nb_json_path(a, "settings", setting), nb_json_path(b, "settings", setting), true);
}

/* Of one file, system and precision a record has spoken for all. */
static bool is_tried(const struct trial *trial, const cJSON *record)
{
    for (int i = 0; i < trial->count; ++i)
        if (is_same(trial->done[i], record, "problem_file") && is_same(trial->done[i], record, "system") &&
            is_same(trial->done[i], record, "precision"))
            return true;
    return false;
}

static void try_on(struct trial *trial, const cJSON *record)
{
    struct nb_try *request = trial->request;
    char precision[32], finding[sizeof request->finding - 32];
    const cJSON *file = nb_json_path(record, "settings", "problem_file");
    const bool of_system = nb_outcome_is_system(record);
    const int system = of_system ? (int)nb_json_path_number(record, "settings", "system") : -1;
    if (!cJSON_IsString(file) || trial->count == MOST || is_tried(trial, record))
        return;
    trial->done[trial->count++] = record;
    nb_record_text(record, "precision", precision, sizeof precision);
    ++request->tried;
    if (!nb_probe_system(request->candidate, precision, file->valuestring, system, finding, sizeof finding))
        return;
    snprintf(request->finding, sizeof request->finding, "%s (in %.20s)", finding, precision);
    const char *problem = nb_json_string(cJSON_GetObjectItemCaseSensitive(record, "settings"), "problem");
    if (of_system)
        snprintf(request->tried_on, sizeof request->tried_on, "system %d of %.100s", system, problem);
    else
        snprintf(request->tried_on, sizeof request->tried_on, "the first system of %.100s", problem);
}

void nb_try_probe_problems(struct nb_try *request, const cJSON *records)
{
    struct trial trial = {.request = request};
    if (strcmp(request->kind, "precond") != 0 || !request->plugin[0] || request->finding[0])
        return;
    for (int others = 0; others < 2; ++others)
        for (const cJSON *record = records->child; record && !request->finding[0]; record = record->next)
            if (is_candidates(request, record) && others == !strcmp(nb_json_string(record, "ending"), "converged"))
                try_on(&trial, record);
}
