/* Collects the names of problems with the hashes of their contents, and labels by name and hash those whose names
 * more than one content has, and copies by the name of the first. */
#include "harness/records/problem_name.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/index.h"
#include "harness/records/json.h"
#include "harness/records/record.h"

/* Sorts problems into classes by the features that their records hold (harness/records/problem_name.h); where one
 * case has none, as it crashed, those of another case of the same problem serve. */

const struct nb_problem_class nb_problem_classes[NB_PROBLEM_CLASSES] = {
    {"elasticity", "rigid flexible"},
    {"contact_density", "sparse dense"},
    {"rank_deficiency", "full_rank deficient strongly_deficient"},
    {"mass_ratio", "mass_ratio_below_100 mass_ratio_from_100"},
};

static const char unknown[] = "unknown";

static const char *elasticity(const cJSON *features)
{
    const cJSON *elastic = nb_json_member(features, "elastic");
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
    return nb_json_string(nb_json_member(record, "settings"), "problem_hash");
}

/* Whether anything is known: of a case that could not run, nothing is. */
static const cJSON *known_features(const cJSON *record)
{
    const cJSON *features = nb_json_member(record, "features"), *member = NULL;
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

enum { SHOWN = 6 }; /* digits of the hash */

struct name {
    const char *text;
    int contents; /* that have it */
};

/* Every name with every hash that it was met with, and the first name of each hash. */
struct names {
    struct nb_index contents, names, hashes;
    int count, room;
    struct name *name; /* [count] by number */
};

/* The number of a name, which is added where it is new; -1: no memory. */
static int find_name(struct names *names, const char *text)
{
    const int number =
        nb_index_entry(&names->names, text, &names->name, sizeof *names->name, &names->count, &names->room);
    if (number >= 0 && !names->name[number].text)
        names->name[number].text = text;
    return number;
}

/* Takes note of the problem of a record's case. */
static enum nb_status add_name(struct names *names, const cJSON *record, struct nb_error *error)
{
    const cJSON *settings = nb_json_member(record, "settings");
    const char *name = nb_json_string(settings, "problem"), *hash = nb_json_string(settings, "problem_hash");
    char content[NB_PROBLEM_NAME + NB_PROBLEM_HASH + 1];
    if (!nb_record_is_case(record))
        return NB_OK;
    snprintf(content, sizeof content, "%.*s\n%s", NB_PROBLEM_NAME - 1, name, hash);
    if (nb_index_find(&names->contents, content) >= 0)
        return NB_OK;
    const int number = nb_index_add(&names->contents, content, 0) == 0 ? find_name(names, name) : -1;
    if (number < 0 || (*hash && nb_index_add(&names->hashes, hash, number) < 0))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d problems", names->count + 1);
    ++names->name[number].contents;
    return NB_OK;
}

/* The first name of its content, with the hash where other contents have that name; none where it is its own alone. */
static enum nb_status add_label(const struct names *names, cJSON *record, struct nb_error *error)
{
    char label[NB_PROBLEM_NAME + SHOWN + 2];
    const cJSON *settings = nb_json_member(record, "settings");
    const char *own = nb_json_string(settings, "problem"), *hash = nb_json_string(settings, "problem_hash");
    if (!*hash || nb_json_member(record, "problem_label"))
        return NB_OK;
    const struct name *name = &names->name[nb_index_find(&names->hashes, hash)];
    const bool alone = name->contents <= 1;
    if (alone && !strcmp(name->text, own))
        return NB_OK;
    snprintf(label, sizeof label, alone ? "%s" : "%s#%.*s", name->text, SHOWN, hash);
    if (cJSON_AddStringToObject(record, "problem_label", label))
        return NB_OK;
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the names of problems");
}

enum nb_status nb_problems_tell_apart(cJSON *records, struct nb_error *error)
{
    struct names names = {0};
    enum nb_status status = NB_OK;
    cJSON *record = NULL;
    cJSON_ArrayForEach(record, records)
        status = status ? status : add_name(&names, record, error);
    cJSON_ArrayForEach(record, records)
        if (!status && nb_record_is_case(record))
            status = add_label(&names, record, error);
    nb_index_free(&names.contents);
    nb_index_free(&names.names);
    nb_index_free(&names.hashes);
    free(names.name);
    return status;
}
