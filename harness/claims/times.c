/* Times of claims: those of a record's repetitions, and whether they scatter by more than lies between a ratio of two
 * records' times and the claim's threshold, by the interval with which comparisons tell times apart
 * (harness/records/interval.h). */
#include <math.h>
#include <string.h>

#include "harness/claims/claims.h"
#include "harness/records/interval.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/record.h"

static bool is_named(const struct nb_claim_value *value, const char *name) { return !strcmp(value->name, name); }

bool nb_claim_is_time(const struct nb_claim *claim)
{
    const bool cost = !isnan(claim->accuracy);
    return cost ? is_named(&claim->value, "time") || is_named(&claim->value, "whole_time")
                : is_named(&claim->value, "times.median");
}

/* Adds to each the set-up of its repetition, or the one that was timed. The time of a step has it already. */
static void add_setups(const cJSON *record, double *seconds, int count)
{
    const cJSON *each = nb_json_path(record, "times", "setups");
    const double setup = nb_json_path_number(record, "times", "setup");
    const bool of_each = cJSON_GetArraySize(each) == count;
    struct nb_values setups = nb_values_in(each);
    for (int i = 0; i < count; ++i) {
        double own = setup;
        if (of_each)
            nb_values_next(&setups, &own);
        seconds[i] += own;
    }
}

int nb_claim_times(const struct nb_claim *claim, const cJSON *record, const struct nb_claim_value *value,
                   double *seconds)
{
    const bool cost = !isnan(claim->accuracy);
    struct nb_outcome outcome;
    nb_outcome_read(record, cost ? claim->accuracy : INFINITY, &outcome);
    if (cost && !outcome.iterations)
        return 0;
    const bool system = nb_outcome_is_system(record);
    for (int i = 0; i < outcome.repetitions; ++i)
        seconds[i] = (system ? 0 : outcome.setup[i]) +
                     (cost ? outcome.seconds[i] * outcome.iterations / outcome.total_iterations : outcome.seconds[i]);
    if (is_named(value, "whole_time") && system)
        add_setups(record, seconds, outcome.repetitions);
    return outcome.repetitions;
}

/* Of what is demanded, from the least to the largest number that fulfils it. */
static void find_demanded(const struct nb_claim *claim, double *least, double *largest)
{
    const double wide = claim->tolerance * (claim->printed == 0 ? 1 : fabs(claim->printed));
    const bool at_most = claim->predicate == NB_PREDICATE_AT_MOST, at_least = claim->predicate == NB_PREDICATE_AT_LEAST;
    *least = at_most ? -INFINITY : claim->printed - wide;
    *largest = at_least ? INFINITY : claim->printed + wide;
}

bool nb_claim_scatters(const struct nb_claim *claim, const double *a, int a_count, const double *b, int b_count,
                       bool exchanged)
{
    double least, largest;
    if (a_count < NB_OUTCOME_LEAST || b_count < NB_OUTCOME_LEAST)
        return true;
    find_demanded(claim, &least, &largest);
    const struct nb_interval ratio =
        exchanged ? nb_interval_ratio(b, b_count, a, a_count) : nb_interval_ratio(a, a_count, b, b_count);
    const bool inside = ratio.low >= least && ratio.high <= largest;
    const bool outside = ratio.high < least || ratio.low > largest;
    return !inside && !outside;
}
