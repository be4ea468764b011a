/* Along which settings of a case a claim leaves records out: without its filters of that name it would have more
 * numbers. What a filter of `b` names is what a and b compare, and a method is what a sentence is about. */
#include <math.h>
#include <stdlib.h>

#include "harness/claims/claims.h"
#include "harness/records/values.h"

static const char of_method[] = "kind,mode,quantity,gradient,method,solver,linear,precond,linear_method,ncp,scaling,"
                                "newton_form,operator,linearized,damping,shift,start,warm_start,search";

static bool has_number(const struct nb_claim *claim, const cJSON *record)
{
    return !isnan(nb_claim_value_of(claim, record, &claim->value));
}

/* Whether one of b's records makes a number with it. */
static bool has_pair(const struct nb_claim *claim, const struct nb_words *names, const cJSON *record, const bool *of_b,
                     const struct nb_claim_records *records)
{
    for (int j = 0; j < records->count; ++j)
        if (of_b[j] && nb_claim_agree(names, record, records->record[j]) && has_number(claim, records->record[j]))
            return true;
    return false;
}

/* Adds the name where it leaves something out. */
static enum nb_status look(const struct nb_claim *claim, const char *name, const bool *kept,
                           struct nb_claim_records *records, struct nb_words *names, struct nb_error *error)
{
    struct nb_filter any = {.equal = true, .values = {1, {"*"}}};
    const struct nb_filters instead = {1, &any};
    struct nb_words alike = claim->each; /* a pair is of one case */
    snprintf(any.name, sizeof any.name, "%s", name);
    if (nb_filters_name(&claim->where, name))
        nb_words_add(&alike, name);
    bool *of_a = nb_claim_choose(claim, false, &instead, records, error);
    bool *of_b = nb_claim_choose(claim, true, &instead, records, error), found = false;
    for (int i = 0; of_a && of_b && i < records->count && !found; ++i)
        found = of_a[i] && !kept[i] && has_number(claim, records->record[i]) &&
                (!claim->b.count || has_pair(claim, &alike, records->record[i], of_b, records));
    const bool held = of_a && of_b;
    free(of_a);
    free(of_b);
    if (found)
        nb_words_add(names, name);
    return held ? NB_OK : NB_OUT_OF_MEMORY;
}

enum nb_status nb_claim_find_left_out(const struct nb_claim *claim, struct nb_claim_records *records,
                                      struct nb_words *names, struct nb_error *error)
{
    const struct nb_filters *const sides[] = {&claim->where, &claim->a};
    bool *kept = nb_claim_choose(claim, false, NULL, records, error);
    enum nb_status status = kept ? NB_OK : NB_OUT_OF_MEMORY;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < sides[side]->count && !status; ++k) {
            const char *name = sides[side]->filter[k].name;
            if (nb_choice_index(of_method, name) < 0 && !nb_filters_name(&claim->b, name))
                status = look(claim, name, kept, records, names, error);
        }
    free(kept);
    return status;
}
