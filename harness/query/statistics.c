/* Each function collects its values, and what is beside them, in an array of the aggregate; its end sorts the array
 * and reduces it by what comparisons and reports use. */
#include "harness/query/statistics.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "harness/records/index.h"
#include "harness/records/interval.h"
#include "harness/records/record.h"
#include "problems/base/sorted.h"

const char *const nb_statistics_names[] = {"median", "quantile", "geomean", "shifted_geomean", "geomean_low",
                                           "geomean_high", NULL};

enum { GROUPS_MOST = 100000 };

struct value {
    double number;
    int group;
};

struct values {
    struct value *value; /* [count], SQLite's memory, of which a statement has so much and no more */
    int count, room;
    double beside; /* the second argument of the last row, as a number */
    struct nb_index groups;
    int group_count;
    const char *fault; /* NULL: none; else the message of the whole */
    bool starved;      /* no memory for a value */
};

/* What numbers the group, a text. */
static int group_of(struct values *values, sqlite3_value *group)
{
    const char *text = (const char *)sqlite3_value_text(group);
    const int number = nb_index_add(&values->groups, text ? text : "", values->group_count);
    values->group_count += number == values->group_count;
    if (number < 0)
        values->fault = "no memory for the groups of a statistic";
    else if (number == GROUPS_MOST)
        values->fault = "an interval is over 100000 groups at most";
    return number;
}

/* Whether there is room for one more. */
static bool grow(struct values *values)
{
    if (values->count < values->room)
        return true;
    const int room = values->room ? 2 * values->room : 16;
    struct value *grown = sqlite3_realloc64(values->value, (sqlite3_uint64)room * sizeof *grown);
    if (!grown)
        return false;
    values->value = grown;
    values->room = room;
    return true;
}

/* Ends the statement, which would go on to its last row otherwise. */
static void stop(sqlite3_context *context, const struct values *values)
{
    if (values->starved)
        sqlite3_result_error_nomem(context);
    else if (values->fault)
        sqlite3_result_error(context, values->fault, -1);
}

static void step(sqlite3_context *context, int count, sqlite3_value **argument)
{
    struct values *values = sqlite3_aggregate_context(context, sizeof *values);
    const bool grouped = sqlite3_user_data(context) != NULL;
    if (!values || sqlite3_value_type(argument[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_numeric_type(argument[0]) == SQLITE_TEXT)
        values->fault = "a statistic is of numbers, not of texts";
    const int group = grouped && !values->fault ? group_of(values, argument[1]) : 0;
    values->starved = !values->fault && !grow(values);
    if (values->fault || values->starved) {
        stop(context, values);
        return;
    }
    values->beside = count > 1 ? sqlite3_value_double(argument[1]) : 0;
    values->value[values->count++] = (struct value){sqlite3_value_double(argument[0]), group};
}

static int by_number(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
                                : (x->number > y->number) - (x->number < y->number);
}

static double median(struct values *values)
{
    const int n = values->count;
    const struct value *v = values->value;
    return n % 2 ? v[n / 2].number : (v[n / 2 - 1].number + v[n / 2].number) / 2;
}

static double quantile(struct values *values)
{
    if (!(values->beside >= 0 && values->beside <= 1)) {
        values->fault = "quantile(x, q): q must be 0 to 1";
        return NAN;
    }
    const int rank = (int)ceil(values->beside * values->count);
    return values->value[rank < 1 ? 0 : rank - 1].number;
}

/* Whether all x + shift are above 0, as logarithms need. */
static bool check_positive(struct values *values, double shift)
{
    for (int i = 0; i < values->count; ++i)
        if (!(values->value[i].number + shift > 0))
            values->fault = "a geometric mean is of numbers above 0 (with their shift); leave others out by where";
    return !values->fault;
}

static double shifted_geomean(struct values *values)
{
    double sum = 0;
    if (!check_positive(values, values->beside))
        return NAN;
    for (int i = 0; i < values->count; ++i)
        sum += log(values->value[i].number + values->beside);
    return exp(sum / values->count) - values->beside;
}

static double geomean_end(struct values *values, bool high)
{
    struct nb_interval mean = {NAN, NAN, NAN};
    struct nb_effect *effect = malloc((size_t)values->count * sizeof *effect);
    if (effect && check_positive(values, 0)) {
        for (int i = 0; i < values->count; ++i)
            effect[i] = (struct nb_effect){log(values->value[i].number), 0, 1, values->value[i].group};
        mean = nb_interval_mean(effect, values->count);
    } else if (!effect) {
        values->fault = "no memory to resample";
    }
    free(effect);
    return high ? mean.high : mean.low;
}

static double geomean_low(struct values *values) { return geomean_end(values, false); }
static double geomean_high(struct values *values) { return geomean_end(values, true); }

static void finish(sqlite3_context *context, double (*reduce)(struct values *values))
{
    struct values *values = sqlite3_aggregate_context(context, 0);
    if (!values)
        return;
    if (values->count && !values->fault && !values->starved) {
        nb_sort(values->value, values->count, sizeof *values->value, by_number);
        const double result = reduce(values);
        sqlite3_result_double(context, result);
    }
    stop(context, values);
    nb_index_free(&values->groups);
    sqlite3_free(values->value);
}

static void finish_median(sqlite3_context *context) { finish(context, median); }
static void finish_quantile(sqlite3_context *context) { finish(context, quantile); }
static void finish_geomean(sqlite3_context *context) { finish(context, shifted_geomean); }
static void finish_low(sqlite3_context *context) { finish(context, geomean_low); }
static void finish_high(sqlite3_context *context) { finish(context, geomean_high); }

int nb_statistics_add(sqlite3 *db)
{
    static char grouped;
    static const struct {
        int name, arguments; /* name: of nb_statistics_names */
        void *grouped;
        void (*finish)(sqlite3_context *context);
    } rows[] = {{0, 1, NULL, finish_median},  {1, 2, NULL, finish_quantile}, {2, 1, NULL, finish_geomean},
                {3, 2, NULL, finish_geomean}, {4, 2, &grouped, finish_low},  {5, 2, &grouped, finish_high}};
    int failed = SQLITE_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !failed; ++i)
        failed = sqlite3_create_function(db, nb_statistics_names[rows[i].name], rows[i].arguments,
                                         SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, rows[i].grouped, NULL,
                                         step, rows[i].finish);
    return failed;
}
