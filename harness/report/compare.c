/* Compares the paired records of two methods. Each pair is taken at the tolerance asked for, or at the smallest
 * error that both reach; its verdict follows from who reaches it and from the interval of the ratio of times.
 * Over all pairs of a kind the geometric mean of the ratios gets an interval of its own. */
#include "harness/report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case/case_settings.h"
#include "harness/records/index.h"
#include "harness/records/json.h"
#include "harness/records/problem_name.h"
#include "harness/records/record.h"
#include "harness/report/compare_private.h"
#include "problems/base/numbers.h"

/* Names of the pairs of a comparison: the problem, and the settings in which pairs of one problem differ. */

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
    cJSON_ArrayForEach(setting, nb_json_member(pair->record[NB_A], "settings"))
    {
        if (!names_the_problem(setting->string) && !varies(varying, setting->string) && varying->count < room &&
            pairs_differ(pair, other, setting->string))
            varying->name[varying->count++] = setting->string;
    }
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
    cJSON_ArrayForEach(setting, nb_json_member(pair->record[NB_A], "settings"))
    {
        if (varies(varying, setting->string))
            write_value(comparison, pair, setting, stream);
    }
    return fclose(stream) ? nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the name of a pair")
                          : NB_OK;
}

/* Sets the labels of pairs of one kind. */
static enum nb_status pairs_label(const struct nb_comparison *comparison, struct nb_comparison_part *part,
                                  struct nb_error *error)
{
    struct varying varying;
    enum nb_status status = find_varying(part, &varying, error);
    for (int i = 0; i < part->count && !status; ++i)
        status = label(comparison, &varying, &part->pair[i], error);
    return status;
}

static void read_outcomes(const struct nb_comparison *comparison, struct nb_pair *pair)
{
    pair->tolerance = nb_outcome_tolerance(pair->record[NB_A], comparison->tolerance);
    const bool asked = pair->tolerance > 0;
    for (int k = 0; k < 2; ++k) {
        nb_outcome_read(pair->record[k], 0, &pair->outcome[k]);
        if (!asked)
            pair->tolerance = fmax(pair->tolerance, pair->outcome[k].best);
    }
    for (int k = 0; k < 2; ++k) {
        nb_outcome_read(pair->record[k], pair->tolerance, &pair->outcome[k]);
        pair->effort[k] = nb_outcome_effort(pair->record[k], &pair->outcome[k]);
    }
}

static void compare_times(struct nb_pair *pair, double spread)
{
    double a[NB_OUTCOME_REPETITIONS], b[NB_OUTCOME_REPETITIONS];
    const int count_a = nb_outcome_times(&pair->outcome[NB_A], a), count_b = nb_outcome_times(&pair->outcome[NB_B], b);
    pair->speed_up = nb_interval_ratio(a, count_a, b, count_b);
    nb_interval_widen(&pair->speed_up, spread);
    pair->one_process = !nb_outcome_in_processes(pair->record[NB_A]) || !nb_outcome_in_processes(pair->record[NB_B]);
}

static void evaluate(const struct nb_comparison *comparison, double spread, struct nb_pair *pair)
{
    const struct nb_outcome *outcome = pair->outcome;
    read_outcomes(comparison, pair);
    nb_outcome_instance(pair->record[NB_A], pair->problem, sizeof pair->problem);
    pair->speed_up = (struct nb_interval){NAN, NAN, NAN};
    pair->system = nb_outcome_is_system(pair->record[NB_A]);
    pair->not_interleaved = nb_outcome_not_interleaved(pair->record[NB_A], pair->record[NB_B]);
    pair->at_budget = nb_outcome_spent_budget(pair->record[NB_A]) && nb_outcome_spent_budget(pair->record[NB_B]);
    if (!pair->not_interleaved && isfinite(nb_outcome_time(&outcome[NB_A])) &&
        isfinite(nb_outcome_time(&outcome[NB_B])))
        compare_times(pair, spread);
    pair->verdict = nb_pair_rule(pair);
}

/* What tells a pair from those of other problems and settings: by the problem's hash, not by its name. */
static void identify(const struct nb_pair *pair, char text[4096])
{
    const struct nb_case_setting *row;
    size_t used = (size_t)snprintf(text, 4096, "%d", pair->system);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; (row = nb_case_column(i)) && used + 2 < 4096; ++i)
            if (strcmp(row->name, "problem") && strcmp(row->name, "problem_file")) {
                text[used++] = '\n';
                nb_record_text(pair->record[k], row->name, text + used, 4096 - used);
                used += strlen(text + used);
            }
}

/* One problem under several names is one, in means and counts. */
static enum nb_status find_copies(struct nb_comparison_result *result, struct nb_error *error)
{
    struct nb_index known = {NULL};
    enum nb_status status = NB_OK;
    char text[4096];
    for (int i = 0; i < result->count && !status; ++i) {
        struct nb_pair *pair = &result->pair[i];
        if (!*nb_json_string(nb_json_member(pair->record[NB_A], "settings"), "problem_hash"))
            continue;
        identify(pair, text);
        const int number = nb_index_add(&known, text, i);
        pair->copy = number >= 0 && number != i;
        if (number < 0)
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to compare");
    }
    nb_index_free(&known);
    return status;
}

/* Room for what a mean is of. */
struct ratios {
    struct nb_effect *effect;
    int count;
    struct nb_index problems; /* a group each */
};

static void add_ratio(struct ratios *ratios, const struct nb_pair *pair, struct nb_effect effect)
{
    char problem[NB_PROBLEM_NAME + NB_PROBLEM_HASH];
    nb_outcome_problem(pair->record[NB_A], problem, sizeof problem);
    effect.group = nb_index_add(&ratios->problems, problem, ratios->count);
    ratios->effect[ratios->count++] = effect;
}

/* NaN of none. *problems: over how many it is taken. */
static struct nb_interval mean_of(struct ratios *ratios, int *problems)
{
    struct nb_interval mean = {NAN, NAN, NAN};
    *problems = 0;
    for (int i = 0; i < ratios->count; ++i)
        *problems += ratios->effect[i].group == i;
    if (ratios->count)
        mean = nb_interval_mean(ratios->effect, ratios->count);
    nb_index_free(&ratios->problems);
    ratios->count = 0;
    return mean;
}

/* ratios has room for part->count. */
static void average(struct nb_comparison_part *part, struct ratios *ratios)
{
    for (int i = 0; i < part->count; ++i) {
        const struct nb_outcome *outcome = part->pair[i].outcome;
        const double of_a = outcome[NB_A].iterations, of_b = outcome[NB_B].iterations;
        if (of_a && of_b && !part->pair[i].copy)
            add_ratio(ratios, &part->pair[i], (struct nb_effect){.degrees = 1, .logarithm = log(of_a / of_b)});
    }
    part->both = ratios->count;
    part->iterations = mean_of(ratios, &part->problems);
    for (int i = 0; i < part->count; ++i) {
        const struct nb_pair *pair = &part->pair[i];
        if (isfinite(pair->speed_up.value) && !pair->copy)
            add_ratio(ratios, pair,
                      nb_interval_effect(&pair->speed_up, pair->outcome[NB_A].repetitions,
                                         pair->outcome[NB_B].repetitions, 0));
    }
    part->speed_up = mean_of(ratios, &part->timed_problems);
}

static enum nb_status conclude(const struct nb_comparison *comparison, struct nb_comparison_part *part,
                               struct nb_error *error)
{
    struct ratios ratios = {.effect = malloc(((size_t)part->count + 1) * sizeof *ratios.effect)};
    enum nb_status status = ratios.effect ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to compare");
    status = status ? status : pairs_label(comparison, part, error);
    if (!status) {
        average(part, &ratios);
        status = nb_comparison_judge(part, error);
    }
    free(ratios.effect);
    return status;
}

static int by_kind(const void *a, const void *b)
{
    const struct nb_pair *x = a, *y = b;
    return x->system != y->system ? x->system - y->system : x->number - y->number;
}

/* One mean is of one kind. */
static enum nb_status compare_pairs(const struct nb_comparison *comparison, struct nb_comparison_result *result,
                                    struct nb_error *error)
{
    const double spread = nb_control_spread(&result->control);
    int steps = 0;
    for (int i = 0; i < result->count; ++i) {
        result->pair[i].number = i;
        evaluate(comparison, spread, &result->pair[i]);
        steps += !result->pair[i].system;
    }
    qsort(result->pair, (size_t)result->count, sizeof *result->pair, by_kind);
    enum nb_status status = find_copies(result, error);
    if (status)
        return status;
    result->steps = (struct nb_comparison_part){.pair = result->pair, .count = steps};
    result->systems = (struct nb_comparison_part){.pair = result->pair + steps, .count = result->count - steps};
    status = conclude(comparison, &result->steps, error);
    return status ? status : conclude(comparison, &result->systems, error);
}

static enum nb_status check_list(const char *option, const struct nb_option_list *list,
                                 struct nb_error *error)
{
    for (int i = 0; i < list->count; ++i) {
        const char *sign = strchr(list->item[i], '=');
        if (!sign || sign == list->item[i] || sign - list->item[i] >= NB_COMPARE_NAME)
            return nb_fail(error, NB_BAD_INPUT, "--%s: expected NAME=VALUE, not \"%.80s\"", option,
                           list->item[i]);
    }
    return NB_OK;
}

static bool names_sides(const struct nb_comparison *comparison)
{
    return comparison->a.count || comparison->b.count;
}

/* Something must tell A's records from B's. */
static enum nb_status check_sides(const struct nb_comparison *comparison, const char *what, struct nb_error *error)
{
    if (names_sides(comparison))
        return NB_OK;
    return nb_fail(error, NB_BAD_INPUT, "%s would be compared with itself: give --a NAME=VALUE and --b "
                   "NAME=VALUE, as in --a linear=pcr --b linear=pcg, or a second file", what);
}

enum nb_status nb_compare_records(const struct nb_comparison *comparison, cJSON *first, cJSON *second,
                                  struct nb_comparison_result *result, struct nb_error *error)
{
    NB_DECIMAL_POINT;
    *result = (struct nb_comparison_result){0};
    enum nb_status status = check_list("a", &comparison->a, error);
    status = status ? status : check_list("b", &comparison->b, error);
    if (!status && first == second)
        status = check_sides(comparison, "a set of records", error);
    status = status ? status : nb_problems_tell_apart(first, error);
    nb_control_read(&result->control, first);
    if (second != first)
        nb_control_read(&result->control, second);
    status = status ? status : nb_pairs_find(comparison, first, second, result, error);
    return status ? status : compare_pairs(comparison, result, error);
}

enum nb_status nb_compare_files(const struct nb_comparison *comparison, const char *const *paths, int count,
                                struct nb_comparison_result *result, struct nb_error *error)
{
    const bool sides = names_sides(comparison), same = count == 1 || (count == 2 && !strcmp(paths[0], paths[1]));
    const bool apart = count == 2 && !same && !sides;
    cJSON *first = NULL, *second = NULL;
    *result = (struct nb_comparison_result){0};
    if (count > 2 && !sides)
        return nb_fail(error, NB_BAD_INPUT, "%d files: give --a NAME=VALUE and --b NAME=VALUE, as in --a linear=pcr "
                       "--b linear=pcg, or two files, A's and B's", count);
    enum nb_status status = apart ? NB_OK : check_sides(comparison, paths[0], error);
    status = status ? status : nb_records_read_outcomes(paths, apart || same ? 1 : count, &first, error);
    if (!status && apart)
        status = nb_records_read_outcomes(&paths[1], 1, &second, error);
    status = status ? status : nb_compare_records(comparison, first, apart ? second : first, result, error);
    result->first = first;
    result->second = second;
    return status;
}

void nb_comparison_free(struct nb_comparison_result *result)
{
    for (int i = 0; i < result->count; ++i)
        free(result->pair[i].label);
    free(result->pair);
    free(result->steps.sentence);
    free(result->systems.sentence);
    cJSON_Delete(result->first);
    cJSON_Delete(result->second);
    *result = (struct nb_comparison_result){0};
}
