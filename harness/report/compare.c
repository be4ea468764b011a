/* Compares the paired records of two methods. Each pair is taken at the tolerance asked for, or at the smallest
 * error that both reach; its verdict follows from who reaches it and from the interval of the ratio of times.
 * Over all pairs the geometric mean of the ratios gets an interval of its own. */
#include "harness/report/compare.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/problem_name.h"
#include "harness/records/record.h"
#include "harness/report/compare_private.h"
#include "problems/base/numbers.h"

enum { NAME = 64 };

static double least_error(const struct nb_outcome *a, const struct nb_outcome *b)
{
    return fmax(a->best, b->best);
}

/* Of two that both reach the tolerance and were timed. */
static const char *judge_times(const struct nb_pair *pair)
{
    if (pair->apart)
        return "timed apart";
    if (isnan(pair->speed_up.value))
        return "not timed";
    if (pair->speed_up.low > 1)
        return "better";
    return pair->speed_up.high < 1 ? "worse" : "not distinguishable";
}

static const char *judge(const struct nb_pair *pair)
{
    const bool a = pair->outcome_a.iterations > 0, b = pair->outcome_b.iterations > 0;
    if (!a && !b)
        return "neither reaches it";
    if (!a || !b)
        return a ? "worse: B fails" : "better: A fails";
    if (!pair->outcome_a.repetitions || !pair->outcome_b.repetitions)
        return "not timed";
    return judge_times(pair);
}

static enum nb_status evaluate(const struct nb_comparison *comparison, struct nb_pair *pair,
                               struct nb_error *error)
{
    double a[NB_OUTCOME_REPETITIONS], b[NB_OUTCOME_REPETITIONS];
    enum nb_status status = NB_OK;
    nb_outcome_read(pair->a, 0, &pair->outcome_a);
    nb_outcome_read(pair->b, 0, &pair->outcome_b);
    pair->tolerance = comparison->tolerance > 0 ? comparison->tolerance
                                                : least_error(&pair->outcome_a, &pair->outcome_b);
    nb_outcome_read(pair->a, pair->tolerance, &pair->outcome_a);
    nb_outcome_read(pair->b, pair->tolerance, &pair->outcome_b);
    nb_outcome_instance(pair->a, pair->problem, sizeof pair->problem);
    pair->speed_up = (struct nb_interval){NAN, NAN, NAN};
    pair->system = nb_outcome_is_system(pair->a);
    pair->apart = nb_outcome_apart(pair->a, pair->b);
    pair->spent = nb_outcome_spent_budget(pair->a) && nb_outcome_spent_budget(pair->b);
    if (!pair->apart && isfinite(nb_outcome_time(&pair->outcome_a)) && isfinite(nb_outcome_time(&pair->outcome_b))) {
        const int count_a = nb_outcome_times(&pair->outcome_a, a);
        const int count_b = nb_outcome_times(&pair->outcome_b, b);
        status = nb_bootstrap_ratio(a, count_a, b, count_b, &pair->speed_up, error);
    }
    pair->verdict = judge(pair);
    return status;
}

/* The speed-ups of the pairs that have one, or the ratios of iterations of those in which both reached the tolerance,
 * into ratio [pairs]; their number. */
static int collect(const struct nb_pairs *pairs, bool iterations, double *ratio)
{
    int count = 0;
    for (int i = 0; i < pairs->count; ++i) {
        const struct nb_pair *pair = &pairs->pair[i];
        const int a = pair->outcome_a.iterations, b = pair->outcome_b.iterations;
        if (iterations && a && b)
            ratio[count++] = (double)a / b;
        else if (!iterations && isfinite(pair->speed_up.value))
            ratio[count++] = pair->speed_up.value;
    }
    return count;
}

static enum nb_status print_mean(const char *what, const double *ratio, int count, struct nb_interval *mean,
                                 FILE *stream, struct nb_error *error)
{
    const enum nb_status status = count ? nb_bootstrap_mean(ratio, count, mean, error) : NB_OK;
    if (!status && count)
        fprintf(stream, "%s, geometric mean of %d: %.3f [%.3f, %.3f]\n", what, count, mean->value, mean->low,
                mean->high);
    return status;
}

static enum nb_status print_means(const struct nb_pairs *pairs, double *room, FILE *stream,
                                  struct nb_error *error)
{
    struct nb_interval time = {NAN, NAN, NAN}, iterations;
    int count = collect(pairs, true, room);
    fputs(count ? "\n" : "\nno pair in which both reach the tolerance\n", stream);
    enum nb_status status = print_mean("iterations A/B", room, count, &iterations, stream, error);
    count = status ? 0 : collect(pairs, false, room);
    if (!status)
        status = print_mean("speed-up", room, count, &time, stream, error);
    if (!status)
        nb_pairs_print_verdict(pairs, &time, stream);
    return status;
}

/* Failures, and what would make the intervals too narrow. */
static void print_warnings(const struct nb_pairs *pairs, FILE *stream)
{
    int lost = 0, won = 0, few = 0;
    for (int i = 0; i < pairs->count; ++i) {
        const struct nb_pair *pair = &pairs->pair[i];
        lost += pair->outcome_a.iterations && !pair->outcome_b.iterations;
        won += !pair->outcome_a.iterations && pair->outcome_b.iterations;
        few += pair->outcome_a.repetitions < NB_COMPARE_REPETITIONS ||
               pair->outcome_b.repetitions < NB_COMPARE_REPETITIONS;
    }
    if (lost || won)
        fprintf(stream, "not in the mean: B alone fails on %d, A alone on %d\n", lost, won);
    if (few)
        fprintf(stream, "note: pairs with fewer than %d repetitions: %d\n", NB_COMPARE_REPETITIONS, few);
    nb_pairs_print_provenance(pairs, stream);
}

/* The pairs that are steps, or those that are linear systems: one mean is of one kind. */
static enum nb_status report_kind(const struct nb_comparison *comparison, struct nb_pairs *pairs, double *room,
                                  FILE *stream, struct nb_error *error)
{
    enum nb_status status = nb_pairs_print(comparison, pairs, stream, error);
    if (status)
        return status;
    nb_pairs_print_effort(pairs, stream);
    status = print_means(pairs, room, stream, error);
    if (!status)
        print_warnings(pairs, stream);
    return status;
}

static int by_kind(const void *a, const void *b)
{
    const struct nb_pair *x = a, *y = b;
    return x->system != y->system ? x->system - y->system : x->number - y->number;
}

static void print_notes(const struct nb_pairs *pairs, FILE *stream)
{
    if (pairs->elsewhere)
        fprintf(stream, "note: cases left out, as their partners ran on another kind of machine (cpu, simd, host_threads "
                "or governor in their provenance): %d\n", pairs->elsewhere);
    if (pairs->unread)
        fprintf(stream, "note: cases left out, as their methods do not read what --a or --b names: %d\n",
                pairs->unread);
}

static enum nb_status report(const struct nb_comparison *comparison, struct nb_pairs *pairs,
                             FILE *stream, struct nb_error *error)
{
    double *room = malloc((size_t)pairs->count * sizeof *room);
    enum nb_status status = room ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to compare");
    int steps = 0;
    for (int i = 0; i < pairs->count && !status; ++i) {
        pairs->pair[i].number = i;
        status = evaluate(comparison, &pairs->pair[i], error);
        steps += !pairs->pair[i].system;
    }
    if (!status)
        qsort(pairs->pair, (size_t)pairs->count, sizeof *pairs->pair, by_kind);
    struct nb_pairs part[2] = {{.pair = pairs->pair, .count = steps},
                               {.pair = pairs->pair + steps, .count = pairs->count - steps}};
    const bool both = part[0].count && part[1].count;
    for (int system = 0; system < 2 && !status; ++system) {
        if (both)
            fprintf(stream, "%s\n", system ? "\nlinear systems" : "steps");
        if (part[system].count)
            status = report_kind(comparison, &part[system], room, stream, error);
    }
    if (!status)
        print_notes(pairs, stream);
    free(room);
    return status;
}

static enum nb_status check_list(const char *option, const struct nb_option_list *list,
                                 struct nb_error *error)
{
    for (int i = 0; i < list->count; ++i) {
        const char *sign = strchr(list->item[i], '=');
        if (!sign || sign == list->item[i] || sign - list->item[i] >= NAME)
            return nb_fail(error, NB_BAD_INPUT, "--%s: expected NAME=VALUE, not \"%.80s\"", option,
                           list->item[i]);
    }
    return NB_OK;
}

/* Of one file, something must tell A's records from B's. */
static enum nb_status check_sides(const struct nb_comparison *comparison, struct nb_error *error)
{
    if (comparison->a.count || comparison->b.count ||
        strcmp(comparison->path_a, comparison->path_b) != 0)
        return NB_OK;
    return nb_fail(error, NB_BAD_INPUT, "%s would be compared with itself: give --a NAME=VALUE and --b "
                   "NAME=VALUE, as in --a linear=pcr --b linear=pcg, or a second file", comparison->path_a);
}

static void free_pairs(struct nb_pairs *pairs)
{
    for (int i = 0; i < pairs->count; ++i)
        free(pairs->pair[i].label);
    free(pairs->pair);
}

enum nb_status nb_compare(const struct nb_comparison *comparison, FILE *stream,
                          struct nb_error *error)
{
    NB_DECIMAL_POINT;
    cJSON *first = NULL, *second = NULL;
    struct nb_pairs pairs = {0};
    enum nb_status status = check_list("a", &comparison->a, error);
    if (!status)
        status = check_list("b", &comparison->b, error);
    if (!status)
        status = check_sides(comparison, error);
    if (!status)
        status = nb_records_read(comparison->path_a, &first, error);
    if (!status)
        status = nb_records_read(comparison->path_b, &second, error);
    if (!status)
        status = nb_problems_tell_apart(first, error);
    if (!status)
        status = nb_pairs_find(comparison, first, second, &pairs, error);
    if (!status)
        status = report(comparison, &pairs, stream, error);
    free_pairs(&pairs);
    cJSON_Delete(first);
    cJSON_Delete(second);
    return status;
}
