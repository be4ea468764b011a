/* How near a verdict is to its contrary, and whether the claim could come out otherwise at all (claims --check).
 *
 * The number that decides is that of a rank: all that are better fulfil the predicate if it does, so that the
 * verdict turns exactly where it crosses the threshold. A claim is refused where the values that its number can take
 * lie all on one side, where what it compares was made by several builds of the program, or where its control fulfils
 * the predicate, too: the records of `against`, or, of a comparison, a and b exchanged. Where these are far apart the
 * exchange tells nothing, and it needs records. A claim of `equals` misses on both sides and needs no control. So is
 * one that leaves cases out of what its sentence could be judged on, and does not say why, and one whose note asks for
 * a number that no record has. */
#include <math.h>

#include "harness/claims/claims.h"
#include "problems/base/numbers.h"

/* The threshold on the side of at_most or at_least. */
static double threshold(const struct nb_claim *claim)
{
    const double factor = claim->predicate == NB_PREDICATE_AT_MOST ? 1 + claim->tolerance : 1 - claim->tolerance;
    return factor * claim->printed;
}

static double factor_between(double x, double y)
{
    if (x == y)
        return 1;
    const double ratio = fabs(x) > fabs(y) ? x / y : y / x;
    return ratio > 0 ? ratio : INFINITY; /* of 0, or of another sign */
}

double nb_claim_margin(const struct nb_claim *claim, double x)
{
    if (isnan(x))
        return NAN;
    if (claim->predicate != NB_PREDICATE_EQUALS)
        return factor_between(x, threshold(claim));
    const double allowed = claim->tolerance * (claim->printed == 0 ? 1 : fabs(claim->printed));
    return allowed == 0 && x == claim->printed ? 1 : factor_between(fabs(x - claim->printed), allowed);
}

/* An exact count has no threshold to be near. */
bool nb_claim_narrow(const struct nb_claim *claim, const struct nb_claim_result *result)
{
    const bool exact = claim->predicate == NB_PREDICATE_EQUALS && claim->tolerance == 0;
    return !exact && result->verdict < NB_CLAIM_NOT_DECIDED && result->margin < NB_CLAIM_NARROW;
}

/* An observable's entry may have either sign. */
static bool is_signed(const struct nb_claim_value *value)
{
    const enum nb_claim_reduction reduction = value->reduction;
    return (!strcmp(value->name, "observable") || !strcmp(value->name, "mechanical_energy")) &&
           (reduction <= NB_REDUCE_LARGEST || reduction == NB_REDUCE_ENTRY);
}

/* The least and the largest that the number can be: other values are not negative, some reductions and shares are
 * bounded. */
static void find_range(const struct nb_claim *claim, double *least, double *largest)
{
    const enum nb_claim_reduction reduction = claim->value.reduction;
    const bool ratio = claim->b.count > 0, over = claim->over.name[0];
    const char *name = claim->value.name;
    *least = is_signed(&claim->value) ? -INFINITY : 0;
    *largest = INFINITY;
    if (ratio || over)
        return;
    if (reduction == NB_REDUCE_RISE || reduction == NB_REDUCE_SPREAD)
        *least = 1;
    if (!isnan(claim->floor))
        *least = fmax(*least, claim->floor);
    if (!isnan(claim->reaches))
        *largest = 1;
    else if (!strcmp(name, "first_try") || !strcmp(name, "solved"))
        *largest = 100;
}

/* Whether the number could be on either side. */
static bool can_turn(const struct nb_claim *claim)
{
    double least, largest;
    find_range(claim, &least, &largest);
    const double limit = threshold(claim);
    if (claim->predicate == NB_PREDICATE_AT_MOST)
        return least <= limit && limit < largest;
    if (claim->predicate == NB_PREDICATE_AT_LEAST)
        return least < limit && limit <= largest;
    return least <= claim->printed && claim->printed <= largest && claim->tolerance < 1;
}

/* Those of the first that the second has not, with commas between. */
static bool find_others(const struct nb_words *first, const struct nb_words *second, char *text, size_t size)
{
    struct nb_words others = {0};
    for (int i = 0; i < first->count; ++i)
        if (nb_words_find(second, first->word[i]) < 0)
            nb_words_add(&others, first->word[i]);
    nb_words_join(&others, text, size);
    return others.count > 0;
}

static enum nb_status check_left_out(const struct nb_claim *claim, struct nb_claim_records *records, bool complete,
                                     struct nb_claim_result *result, struct nb_error *error)
{
    struct nb_words names = {0};
    const enum nb_status status = nb_claim_find_left_out(claim, records, &names, error);
    if (find_others(&names, &claim->explained, result->left_out, sizeof result->left_out))
        result->check = NB_CHECK_LEAVES;
    else if (complete && find_others(&claim->explained, &names, result->left_out, sizeof result->left_out))
        result->check = NB_CHECK_WHOLE;
    else if (result->verdict < NB_CLAIM_NOT_DECIDED && result->note_lacks)
        result->check = NB_CHECK_NOTE;
    return status;
}

/* The control of a claim that holds. */
static enum nb_status check_control(const struct nb_claim *claim, struct nb_claim_records *records,
                                    struct nb_claim_result *result, struct nb_error *error)
{
    struct nb_claim_result control = {0};
    const bool against = claim->against.count > 0;
    if (!against && (!claim->b.count || result->margin > NB_CLAIM_WIDE)) {
        result->check = NB_CHECK_CONTROL;
        return NB_OK;
    }
    struct nb_claim asked = *claim;
    asked.needs = 1; /* fewer records will do for a control, and fewer values */
    asked.text[NB_CLAIM_VARIES] = NULL;
    const enum nb_status status = nb_claim_judge_as(&asked, records, against ? &claim->against : NULL, !against,
                                                    &control, error);
    if (control.verdict == NB_CLAIM_NOT_DECIDED && (control.lacks || control.broke_down))
        result->check = NB_CHECK_CONTROL;
    else if (control.verdict == NB_CLAIM_HOLDS)
        result->check = NB_CHECK_ALIKE;
    return status;
}

enum nb_status nb_claim_check(const struct nb_claim *claim, struct nb_claim_records *records, bool complete,
                              struct nb_claim_result *result, struct nb_error *error)
{
    result->check = NB_CHECK_NONE;
    if (result->verdict >= NB_CLAIM_NOT_DECIDED)
        return result->verdict == NB_CLAIM_UNTESTABLE ? NB_OK
                                                      : check_left_out(claim, records, complete, result, error);
    result->check = !can_turn(claim) ? NB_CHECK_FIXED : result->builds > 1 ? NB_CHECK_BUILDS
                                                                           : NB_CHECK_FINE;
    if (result->check != NB_CHECK_FINE)
        return NB_OK;
    const bool needs = result->verdict == NB_CLAIM_HOLDS && claim->predicate != NB_PREDICATE_EQUALS;
    const enum nb_status status = needs ? check_control(claim, records, result, error) : NB_OK;
    return status || result->check != NB_CHECK_FINE ? status
                                                    : check_left_out(claim, records, complete, result, error);
}

int nb_claims_print_checks(const struct nb_claims *claims, const struct nb_claim_result *results, const char *pattern,
                           FILE *stream)
{
    NB_DECIMAL_POINT;
    static const char *const texts[NB_CHECKS] = {
        "", "", "; REFUSED: no change of its records can turn it",
        "; REFUSED: its control fulfils it as well", "; REFUSED: it has no control, name one with against",
        "; REFUSED: its records are of several builds", "; REFUSED: it leaves cases out, and does not say why: ",
        "; REFUSED: it says why it leaves cases out, and does not: ",
        "; REFUSED: its note asks for a number that no record has"};
    int refused = 0, narrow = 0, decided = 0;
    for (int i = 0; i < claims->count; ++i) {
        const struct nb_claim *claim = &claims->claim[i];
        const struct nb_claim_result *result = &results[i];
        char demand[80];
        const bool is_decided = result->verdict < NB_CLAIM_NOT_DECIDED;
        if (!nb_claim_chosen(claim, pattern) || (!is_decided && result->check == NB_CHECK_NONE))
            continue;
        const bool is_narrow = nb_claim_narrow(claim, result);
        decided += is_decided;
        narrow += is_narrow;
        refused += result->check > NB_CHECK_FINE;
        fprintf(stream, "%-13s %s: %.4g, demanded %s; a factor of %.3g turns it%s%s%s\n",
                nb_claim_verdict_texts[result->verdict], claim->id, result->number,
                nb_claim_demand(claim, demand, sizeof demand), result->margin, is_narrow ? " (narrow)" : "",
                texts[result->check], result->left_out);
    }
    fprintf(stream, "%d claims are decided, %d of them narrowly; %d are refused\n", decided, narrow, refused);
    return refused;
}
