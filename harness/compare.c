#include "harness/compare.h"

#include <cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bootstrap.h"
#include "harness/grow.h"
#include "harness/outcome.h"
#include "harness/plot.h"

enum { NAME = 64, VALUE = 128, LABEL = 200, LEAST_REPETITIONS = 5 };

struct pair {
    const cJSON *a, *b;
    char label[LABEL], problem[LABEL];
    double tolerance;
    struct nb_outcome outcome_a, outcome_b;
    struct nb_interval speed_up; /* NaN where not both reach the tolerance */
    const char *verdict;
};

struct pairs {
    struct pair *pair;
    int count, room;
};

/* Whether the record has every NAME=VALUE of the list. */
static bool matches(const cJSON *record, const struct nb_option_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        char name[NAME], text[VALUE];
        const char *sign = strchr(list->item[i], '=');
        snprintf(name, sizeof name, "%.*s", (int)(sign - list->item[i]), list->item[i]);
        if (strcmp(nb_record_text(record, name, text, sizeof text), sign + 1) != 0)
            return false;
    }
    return true;
}

static bool names(const struct nb_option_list *list, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < list->count; ++i)
        if (!strncmp(list->item[i], name, length) &&
            (list->item[i][length] == '=' || list->item[i][length] == '\0'))
            return true;
    return false;
}

/* Where a problem lies does not matter, nor what the user excepts. */
static bool must_agree(const struct nb_comparison *comparison, const char *name)
{
    return strcmp(name, "problem_file") != 0 && !names(&comparison->a, name) &&
           !names(&comparison->b, name) && !names(&comparison->across, name);
}

static bool differ(const cJSON *a, const cJSON *b, const char *name)
{
    char first[VALUE], second[VALUE];
    return strcmp(nb_record_text(a, name, first, sizeof first),
                  nb_record_text(b, name, second, sizeof second)) != 0;
}

/* The name of the first setting in which two records differ and must not; NULL: none. */
static const char *obstacle(const struct nb_comparison *comparison, const cJSON *a, const cJSON *b)
{
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, cJSON_GetObjectItemCaseSensitive(a, "settings"))
        if (must_agree(comparison, member->string) && differ(a, b, member->string))
            return member->string;
    return NULL;
}

static bool is_case(const cJSON *record)
{
    char kind[NAME];
    return strcmp(nb_record_text(record, "kind", kind, sizeof kind), "case") == 0;
}

/* The last of B's records that pairs with a. */
static const cJSON *partner(const struct nb_comparison *comparison, const cJSON *a,
                            const cJSON *records)
{
    const cJSON *record = NULL, *found = NULL;
    cJSON_ArrayForEach(record, records)
        if (record != a && is_case(record) && matches(record, &comparison->b) &&
            !obstacle(comparison, a, record))
            found = record;
    return found;
}

static enum nb_status append(struct pairs *pairs, const cJSON *a, const cJSON *b,
                             struct nb_error *error)
{
    struct pair *grown = nb_grow(pairs->pair, sizeof *grown, pairs->count, &pairs->room);
    if (!grown)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d pairs", pairs->count + 1);
    pairs->pair = grown;
    struct pair *pair = &pairs->pair[pairs->count++];
    memset(pair, 0, sizeof *pair);
    pair->a = a;
    pair->b = b;
    return NB_OK;
}

/* A later record of A with the same settings replaces the earlier one. */
static bool superseded(const struct nb_comparison *comparison, const cJSON *record)
{
    for (const cJSON *later = record->next; later; later = later->next)
        if (is_case(later) && matches(later, &comparison->a) && !obstacle(comparison, record, later))
            return true;
    return false;
}

static enum nb_status find_pairs(const struct nb_comparison *comparison, const cJSON *first,
                                 const cJSON *second, struct pairs *pairs, struct nb_error *error)
{
    const cJSON *record = NULL;
    enum nb_status status = NB_OK;
    cJSON_ArrayForEach(record, first) {
        if (status || !is_case(record) || !matches(record, &comparison->a) ||
            superseded(comparison, record))
            continue;
        const cJSON *other = partner(comparison, record, second);
        if (other)
            status = append(pairs, record, other, error);
    }
    return status;
}

static enum nb_status check_names(const char *option, const struct nb_option_list *list,
                                  const cJSON *records, struct nb_error *error)
{
    for (int i = 0; i < list->count; ++i) {
        char name[NAME];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(list->item[i], "="), list->item[i]);
        if (!nb_records_know(records, name))
            return nb_fail(error, NB_BAD_INPUT, "--%s %s: no record has a setting %s", option,
                           list->item[i], name);
    }
    return NB_OK;
}

/* Says which setting keeps A and B apart: that of the pair that agrees longest. */
static enum nb_status no_pairs(const struct nb_comparison *comparison, const cJSON *first,
                               const cJSON *second, struct nb_error *error)
{
    const cJSON *a = NULL, *b = NULL;
    int of_a = 0, of_b = 0;
    const char *name = NULL;
    if (check_names("a", &comparison->a, first, error) ||
        check_names("b", &comparison->b, second, error))
        return NB_BAD_INPUT;
    cJSON_ArrayForEach(a, first) {
        if (!is_case(a) || !matches(a, &comparison->a))
            continue;
        ++of_a;
        cJSON_ArrayForEach(b, second)
            if (b != a && is_case(b) && matches(b, &comparison->b)) {
                const char *in_the_way = obstacle(comparison, a, b);
                name = !name || strcmp(name, "problem") == 0 ? in_the_way : name;
            }
    }
    cJSON_ArrayForEach(b, second)
        of_b += is_case(b) && matches(b, &comparison->b);
    return nb_fail(error, NB_BAD_INPUT, "nothing to compare: %d cases in A, %d in B%s%s%s", of_a,
                   of_b, name ? ", and none agree in all settings; nearest differ in " : "",
                   name ? name : "", name ? " (--across NAME excepts a setting)" : "");
}

static double least_error(const struct nb_outcome *a, const struct nb_outcome *b)
{
    return fmax(a->best, b->best);
}

static const char *judge(const struct pair *pair)
{
    const bool a = pair->outcome_a.iterations > 0, b = pair->outcome_b.iterations > 0;
    if (!a && !b)
        return "neither reaches it";
    if (!a || !b)
        return a ? "worse: B fails" : "better: A fails";
    if (!pair->outcome_a.repetitions || !pair->outcome_b.repetitions)
        return "not timed";
    if (pair->speed_up.low > 1)
        return "better";
    return pair->speed_up.high < 1 ? "worse" : "not distinguishable";
}

static enum nb_status evaluate(const struct nb_comparison *comparison, struct pair *pair,
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
    if (isfinite(nb_outcome_time(&pair->outcome_a)) && isfinite(nb_outcome_time(&pair->outcome_b))) {
        const int count_a = nb_outcome_times(&pair->outcome_a, a);
        const int count_b = nb_outcome_times(&pair->outcome_b, b);
        status = nb_bootstrap_ratio(a, count_a, b, count_b, &pair->speed_up, error);
    }
    pair->verdict = judge(pair);
    return status;
}

/* What nb_outcome_instance has said already. */
static bool names_the_problem(const char *setting)
{
    return !strncmp(setting, "problem", 7) || !strcmp(setting, "system") ||
           !strcmp(setting, "mode") || !strcmp(setting, "linearized");
}

/* The problem, and the settings that vary among the pairs and agree within each. */
static void label(const struct nb_comparison *comparison, const struct pairs *pairs,
                  struct pair *pair)
{
    const cJSON *member = NULL;
    size_t used = (size_t)snprintf(pair->label, LABEL, "%s", pair->problem);
    cJSON_ArrayForEach(member, cJSON_GetObjectItemCaseSensitive(pair->a, "settings")) {
        bool varies = false;
        char text[VALUE];
        for (int i = 0; i < pairs->count && !varies; ++i)
            varies = differ(pairs->pair[i].a, pair->a, member->string);
        if (varies && used < LABEL && must_agree(comparison, member->string) &&
            !names_the_problem(member->string) &&
            strcmp(nb_record_text(pair->a, member->string, text, sizeof text), "null") != 0)
            used += (size_t)snprintf(pair->label + used, LABEL - used, " %s", text);
    }
}

static void print_pair(const struct pair *pair, FILE *stream)
{
    char iterations[2][16] = {"-", "-"}, times[2][16] = {"-", "-"};
    const struct nb_outcome *outcome[2] = {&pair->outcome_a, &pair->outcome_b};
    for (int k = 0; k < 2; ++k) {
        const double time = 1e3 * nb_outcome_time(outcome[k]);
        if (outcome[k]->iterations)
            snprintf(iterations[k], sizeof iterations[k], "%d", outcome[k]->iterations);
        if (isfinite(time))
            snprintf(times[k], sizeof times[k], "%.4g", time);
    }
    fprintf(stream, "  %-44.44s %9.2e %7s %7s %11s %11s", pair->label, pair->tolerance,
            iterations[0], iterations[1], times[0], times[1]);
    if (isfinite(pair->speed_up.value))
        fprintf(stream, "  %7.3f [%6.3f,%7.3f]  %s\n", pair->speed_up.value, pair->speed_up.low,
                pair->speed_up.high, pair->verdict);
    else
        fprintf(stream, "  %7s %16s  %s\n", "-", "", pair->verdict);
}

/* Failures weigh more than time: a method is not better where it fails more often. */
static const char *verdict_of(const struct pairs *pairs, const struct nb_interval *interval)
{
    int balance = 0;
    for (int i = 0; i < pairs->count; ++i)
        balance += (pairs->pair[i].outcome_b.iterations > 0) -
                   (pairs->pair[i].outcome_a.iterations > 0);
    if (balance < 0)
        return interval->low > 1 ? "faster, but fails more often" : "worse: it fails more often";
    if (balance > 0)
        return interval->high < 1 ? "slower, but fails less often" : "better: it fails less often";
    if (interval->low > 1)
        return "better";
    return interval->high < 1 ? "worse" : "not distinguishable on these runs";
}

/* Over the pairs in which both reached the tolerance and both were timed. */
static enum nb_status print_means(const struct pairs *pairs, double *room, FILE *stream,
                                  struct nb_error *error)
{
    struct nb_interval time, iterations;
    int count = 0;
    for (int i = 0; i < pairs->count; ++i)
        if (isfinite(pairs->pair[i].speed_up.value))
            room[count++] = pairs->pair[i].speed_up.value;
    if (!count) {
        fprintf(stream, "\nno pair in which both reach the tolerance and were timed\n");
        return NB_OK;
    }
    enum nb_status status = nb_bootstrap_mean(room, count, &time, error);
    count = 0;
    for (int i = 0; i < pairs->count; ++i)
        if (isfinite(pairs->pair[i].speed_up.value))
            room[count++] = (double)pairs->pair[i].outcome_a.iterations /
                            pairs->pair[i].outcome_b.iterations;
    if (!status)
        status = nb_bootstrap_mean(room, count, &iterations, error);
    if (status)
        return status;
    fprintf(stream, "\nspeed-up, geometric mean of %d: %.3f [%.3f, %.3f]; iterations A/B: %.3f "
                    "[%.3f, %.3f]\nverdict: B is %s%s\n", count, time.value, time.low, time.high,
            iterations.value, iterations.low, iterations.high, verdict_of(pairs, &time),
            count < LEAST_REPETITIONS ? " (few pairs: the interval is narrow by chance)" : "");
    return NB_OK;
}

/* Failures, and what would make the intervals too narrow. */
static void print_warnings(const struct pairs *pairs, const struct nb_comparison *comparison,
                           FILE *stream)
{
    int lost = 0, won = 0, few = 0;
    for (int i = 0; i < pairs->count; ++i) {
        const struct pair *pair = &pairs->pair[i];
        lost += pair->outcome_a.iterations && !pair->outcome_b.iterations;
        won += !pair->outcome_a.iterations && pair->outcome_b.iterations;
        few += pair->outcome_a.repetitions < LEAST_REPETITIONS ||
               pair->outcome_b.repetitions < LEAST_REPETITIONS;
    }
    if (lost || won)
        fprintf(stream, "not in the mean: B alone fails on %d, A alone on %d\n", lost, won);
    if (few)
        fprintf(stream, "note: %d pairs have fewer than %d repetitions\n", few, LEAST_REPETITIONS);
    if (strcmp(comparison->path_a, comparison->path_b) != 0)
        fprintf(stream, "note: A and B were run apart; the intervals do not cover drift between the "
                        "runs\n");
}

static enum nb_status report(const struct nb_comparison *comparison, struct pairs *pairs,
                             FILE *stream, struct nb_error *error)
{
    double *room = malloc((size_t)pairs->count * sizeof *room);
    enum nb_status status = room ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to compare");
    for (int i = 0; i < pairs->count && !status; ++i)
        status = evaluate(comparison, &pairs->pair[i], error);
    if (!status)
        fprintf(stream, "  %-44s %9s %7s %7s %11s %11s  %7s %16s  %s\n", "problem", "error",
                "it. A", "it. B", "A [ms]", "B [ms]", "A/B", "95 % interval", "B is");
    for (int i = 0; i < pairs->count && !status; ++i) {
        label(comparison, pairs, &pairs->pair[i]);
        print_pair(&pairs->pair[i], stream);
    }
    if (!status)
        status = print_means(pairs, room, stream, error);
    if (!status)
        print_warnings(pairs, comparison, stream);
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

enum nb_status nb_compare(const struct nb_comparison *comparison, FILE *stream,
                          struct nb_error *error)
{
    cJSON *first = NULL, *second = NULL;
    struct pairs pairs = {0};
    enum nb_status status = check_list("a", &comparison->a, error);
    if (!status)
        status = check_list("b", &comparison->b, error);
    if (!status)
        status = nb_records_read(comparison->path_a, &first, error);
    if (!status)
        status = nb_records_read(comparison->path_b, &second, error);
    if (!status)
        status = find_pairs(comparison, first, second, &pairs, error);
    if (!status)
        status = pairs.count ? report(comparison, &pairs, stream, error)
                             : no_pairs(comparison, first, second, error);
    free(pairs.pair);
    cJSON_Delete(first);
    cJSON_Delete(second);
    return status;
}
