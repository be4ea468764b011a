/* A comparison as one JSON object; its members are described in docs/reference/output.md. */
#include <math.h>

#include "harness/records/json.h"
#include "harness/report/compare_private.h"

/* pairs: over how many, of so many problems, it is taken; 0: not of pairs. */
static void add_interval(cJSON *object, const char *name, const struct nb_interval *interval, int pairs, int problems)
{
    cJSON *added = nb_interval_add(object, name, interval);
    if (added && pairs) {
        cJSON_AddNumberToObject(added, "pairs", pairs);
        cJSON_AddNumberToObject(added, "problems", problems);
    }
}

static void add_side(cJSON *object, const char *name, const struct nb_pair *pair, int side)
{
    const struct nb_outcome *outcome = &pair->outcome[side];
    const struct nb_effort *effort = &pair->effort[side];
    const cJSON *record = pair->record[side];
    cJSON *added = cJSON_AddObjectToObject(object, name);
    cJSON_AddStringToObject(added, "key", nb_json_string(record, "key"));
    cJSON_AddStringToObject(added, "ending", nb_json_string(record, "ending"));
    nb_json_number(added, "smallest_error", outcome->best);
    nb_json_number(added, "iterations", outcome->iterations ? outcome->iterations : NAN);
    nb_json_number(added, "time", nb_outcome_time(outcome));
    cJSON_AddNumberToObject(added, "repetitions", outcome->repetitions);
    nb_json_number(added, "linear_iterations", effort->linear_iterations);
    nb_json_number(added, "setup", effort->setup);
    nb_json_number(added, "applications", effort->applications);
    nb_json_number(added, "application", effort->application);
}

static void add_pair(cJSON *pairs, const struct nb_pair *pair)
{
    cJSON *added = cJSON_CreateObject();
    cJSON_AddItemToArray(pairs, added);
    cJSON_AddStringToObject(added, "problem", pair->problem);
    cJSON_AddStringToObject(added, "label", pair->label);
    nb_json_number(added, "error", pair->tolerance);
    cJSON_AddStringToObject(added, "verdict", nb_pair_verdict_name(pair->verdict));
    if (pair->verdict == NB_PAIR_TIMED_APART)
        cJSON_AddStringToObject(added, "reason", pair->not_interleaved);
    else
        cJSON_AddNullToObject(added, "reason");
    add_interval(added, "speed_up", &pair->speed_up, 0, 0);
    cJSON_AddBoolToObject(added, "spent_budget", pair->at_budget);
    add_side(added, "a", pair, NB_A);
    add_side(added, "b", pair, NB_B);
}

static void add_tally(cJSON *object, const struct nb_comparison_part *part)
{
    const struct nb_tally *tally = &part->tally;
    const struct {
        const char *name;
        int count;
    } rows[] = {
        {"pairs", part->count},
        {"better", tally->better},
        {"worse", tally->worse},
        {"undecided", tally->undecided},
        {"a_fails", tally->fails[NB_A]},
        {"b_fails", tally->fails[NB_B]},
        {"neither", tally->neither},
        {"timed", tally->timed},
        {"timed_apart", tally->not_interleaved},
        {"few_repetitions", tally->few},
        {"share_of_longer_run", tally->prorated},
        {"spent_budget", tally->at_budget},
        {"one_process", tally->one_process},
        {"copies", tally->copies},
    };
    cJSON *added = cJSON_AddObjectToObject(object, "tally");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        cJSON_AddNumberToObject(added, rows[i].name, rows[i].count);
}

cJSON *nb_comparison_pairs(const struct nb_comparison_part *part)
{
    cJSON *pairs = cJSON_CreateArray();
    for (int i = 0; i < part->count; ++i)
        add_pair(pairs, &part->pair[i]);
    return pairs;
}

/* null where there are no such pairs. */
static void add_part(cJSON *object, const char *name, const struct nb_comparison_part *part)
{
    if (!part->count) {
        cJSON_AddNullToObject(object, name);
        return;
    }
    cJSON *added = cJSON_AddObjectToObject(object, name);
    cJSON_AddStringToObject(added, "verdict", nb_verdict_name(part->verdict));
    cJSON_AddStringToObject(added, "so_far", nb_verdict_name(part->so_far));
    cJSON_AddStringToObject(added, "sentence", part->sentence);
    add_tally(added, part);
    add_interval(added, "iterations", &part->iterations, part->both, part->problems);
    add_interval(added, "speed_up", &part->speed_up, part->tally.timed, part->timed_problems);
    cJSON_AddItemToObject(added, "pairs", nb_comparison_pairs(part));
}

static void add_list(cJSON *object, const char *name, const struct nb_option_list *list)
{
    cJSON *added = cJSON_AddArrayToObject(object, name);
    for (int i = 0; i < list->count; ++i)
        cJSON_AddItemToArray(added, cJSON_CreateString(list->item[i]));
}

cJSON *nb_comparison_json(const struct nb_comparison *comparison, const struct nb_comparison_result *result)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "command", "compare");
    add_list(object, "a", &comparison->a);
    add_list(object, "b", &comparison->b);
    add_list(object, "across", &comparison->across);
    nb_json_number(object, "tolerance", comparison->tolerance > 0 ? comparison->tolerance : NAN);
    cJSON *left_out = cJSON_AddObjectToObject(object, "left_out");
    cJSON_AddNumberToObject(left_out, "other_machine", result->elsewhere);
    cJSON_AddNumberToObject(left_out, "unread", result->unread);
    cJSON_AddNumberToObject(left_out, "a_without_b", result->unpaired[NB_A]);
    cJSON_AddNumberToObject(left_out, "b_without_a", result->unpaired[NB_B]);
    nb_control_add_json(object, &result->control);
    add_part(object, "steps", &result->steps);
    add_part(object, "linear_systems", &result->systems);
    return object;
}
