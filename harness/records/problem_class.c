/* Sorts problems into classes by the features that their records hold (harness/records/problem_class.h); where one
 * case has none, as it crashed, those of another case of the same problem serve. */
#include "harness/records/problem_class.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/index.h"
#include "harness/records/json.h"
#include "harness/records/record.h"

const struct nb_problem_class nb_problem_classes[NB_PROBLEM_CLASSES] = {
    {"elasticity", "rigid flexible"},
    {"contact_density", "sparse dense"},
    {"rank_deficiency", "full_rank deficient strongly_deficient"},
    {"mass_ratio", "mass_ratio_below_100 mass_ratio_from_100"},
};

static const char unknown[] = "unknown";

static const char *elasticity(const cJSON *features)
{
    const cJSON *elastic = cJSON_GetObjectItemCaseSensitive(features, "elastic");
    if (!cJSON_IsBool(elastic))
        return unknown;
    return cJSON_IsTrue(elastic) ? "flexible" : "rigid";
}

static const char *contact_density(const cJSON *features)
{
    const double neighbours = nb_json_get(features, "neighbours");
    if (isnan(neighbours))
        return unknown;
    return neighbours < 12 ? "sparse" : "dense";
}

static const char *rank_deficiency(const cJSON *features)
{
    double deficiency = nb_json_get(features, "rank_deficiency");
    const double redundancy = nb_json_get(features, "redundancy");
    if (isnan(deficiency) && redundancy > 1)
        deficiency = 1 - 1 / redundancy;
    if (isnan(deficiency))
        return unknown;
    if (deficiency <= 0)
        return "full_rank";
    return deficiency <= 0.5 ? "deficient" : "strongly_deficient";
}

static const char *mass_ratio(const cJSON *features)
{
    const double ratio = nb_json_get(features, "mass_ratio");
    if (isnan(ratio))
        return unknown;
    return ratio < 100 ? "mass_ratio_below_100" : "mass_ratio_from_100";
}

static const char *problem_of(const cJSON *record)
{
    return nb_json_string(cJSON_GetObjectItemCaseSensitive(record, "settings"), "problem_hash");
}

/* Whether anything is known: of a case that could not run, nothing is. */
static const cJSON *known_features(const cJSON *record)
{
    const cJSON *features = cJSON_GetObjectItemCaseSensitive(record, "features"), *member = NULL;
    cJSON_ArrayForEach(member, features)
        if (!cJSON_IsNull(member))
            return features;
    return NULL;
}

/* By problem, those of the first case that has any; feature [at least as many as there are records]. */
static void list_features(const cJSON *records, struct nb_index *problems, const cJSON **feature)
{
    const cJSON *record = NULL;
    int count = 0;
    cJSON_ArrayForEach(record, records) {
        const cJSON *features = known_features(record);
        const char *problem = problem_of(record);
        if (features && *problem && nb_index_add(problems, problem, count) == count)
            feature[count++] = features;
    }
}

static const cJSON *find_features(const cJSON *record, const struct nb_index *problems, const cJSON *const *feature)
{
    const cJSON *features = known_features(record);
    const int number = features || !feature ? -1 : nb_index_find(problems, problem_of(record));
    return number >= 0 ? feature[number] : features;
}

void nb_problem_class_add(cJSON *object, const cJSON *features)
{
    static const char *(*const name_class[NB_PROBLEM_CLASSES])(const cJSON *features) = {
        elasticity, contact_density, rank_deficiency, mass_ratio};
    for (int i = 0; i < NB_PROBLEM_CLASSES; ++i)
        cJSON_AddItemToObjectCS(object, nb_problem_classes[i].name,
                                cJSON_CreateStringReference(name_class[i](features)));
}

void nb_problem_classes_add(cJSON *records)
{
    struct nb_index problems = {NULL};
    const cJSON **feature = malloc(((size_t)cJSON_GetArraySize(records) + 1) * sizeof *feature);
    cJSON *record = NULL;
    if (feature)
        list_features(records, &problems, feature);
    cJSON_ArrayForEach(record, records)
        if (nb_record_is_case(record))
            nb_problem_class_add(record, find_features(record, &problems, feature));
    nb_index_free(&problems);
    free(feature);
}
