/* Names of the pairs of a comparison: the problem, and the settings in which pairs of one problem differ. */
#include <stdlib.h>
#include <string.h>

#include "harness/records/index.h"
#include "harness/records/record.h"
#include "harness/report/compare_private.h"

/* What nb_outcome_instance has said already. */
static bool names_the_problem(const char *setting)
{
    return !strncmp(setting, "problem", 7) || !strcmp(setting, "system") ||
           !strcmp(setting, "mode") || !strcmp(setting, "linearized");
}

/* The settings that tell pairs of one problem apart: A or B does not have the same value in all of them. */
struct varying {
    int count;
    const char *name[64];
};

static bool varies(const struct varying *varying, const char *name)
{
    for (int i = 0; i < varying->count; ++i)
        if (!strcmp(varying->name[i], name))
            return true;
    return false;
}

static bool pairs_differ(const struct nb_pair *pair, const struct nb_pair *other, const char *name)
{
    return nb_pairs_differ(pair->record[NB_A], other->record[NB_A], name) ||
           nb_pairs_differ(pair->record[NB_B], other->record[NB_B], name);
}

static void add_varying(const struct nb_pair *pair, const struct nb_pair *other, struct varying *varying)
{
    const int room = sizeof varying->name / sizeof *varying->name;
    const cJSON *setting = NULL;
    cJSON_ArrayForEach(setting, cJSON_GetObjectItemCaseSensitive(pair->record[NB_A], "settings"))
        if (!names_the_problem(setting->string) && !varies(varying, setting->string) && varying->count < room &&
            pairs_differ(pair, other, setting->string))
            varying->name[varying->count++] = setting->string;
}

static enum nb_status find_varying(const struct nb_comparison_part *part, struct varying *varying,
                                   struct nb_error *error)
{
    struct nb_index problems = {0}; /* the first pair of each */
    int first = 0;
    *varying = (struct varying){0};
    for (int i = 0; i < part->count && first >= 0; ++i) {
        first = nb_index_add(&problems, part->pair[i].problem, i);
        if (first >= 0 && first != i)
            add_varying(&part->pair[i], &part->pair[first], varying);
    }
    nb_index_free(&problems);
    return first < 0 ? nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the names of %d pairs", part->count) : NB_OK;
}

/* A value that both have, or the one that reads it, a number with its name; of a setting that need not agree, A's and
 * B's. */
static void write_value(const struct nb_comparison *comparison, const struct nb_pair *pair,
                        const cJSON *setting, FILE *stream)
{
    char a[NB_COMPARE_VALUE], b[NB_COMPARE_VALUE];
    const char *name = setting->string;
    nb_record_text(pair->record[NB_A], name, a, sizeof a);
    nb_record_text(pair->record[NB_B], name, b, sizeof b);
    if (!nb_pairs_must_agree(comparison, name))
        fprintf(stream, " %s=%s/%s", name, a, b);
    else if (nb_record_reads(pair->record[NB_A], name) && strcmp(a, "null") != 0)
        fprintf(stream, " %s%s%s", cJSON_IsString(setting) ? "" : name,
                cJSON_IsString(setting) ? "" : "=", a);
    else if (nb_record_reads(pair->record[NB_B], name) && strcmp(b, "null") != 0)
        fprintf(stream, " %s=%s (B)", name, b);
}

/* The problem, and the settings that are not the same in all pairs of some problem. */
static enum nb_status label(const struct nb_comparison *comparison, const struct varying *varying,
                            struct nb_pair *pair, struct nb_error *error)
{
    size_t size = 0;
    const cJSON *setting = NULL;
    FILE *stream = open_memstream(&pair->label, &size);
    if (!stream)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the name of a pair");
    fputs(pair->problem, stream);
    cJSON_ArrayForEach(setting, cJSON_GetObjectItemCaseSensitive(pair->record[NB_A], "settings"))
        if (varies(varying, setting->string))
            write_value(comparison, pair, setting, stream);
    return fclose(stream) ? nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the name of a pair")
                          : NB_OK;
}

enum nb_status nb_pairs_label(const struct nb_comparison *comparison, struct nb_comparison_part *part,
                              struct nb_error *error)
{
    struct varying varying;
    enum nb_status status = find_varying(part, &varying, error);
    for (int i = 0; i < part->count && !status; ++i)
        status = label(comparison, &varying, &part->pair[i], error);
    return status;
}
