/* The limit of iterations counts what is different things of different methods: 5000 of the default method, 1000 sweeps
 * of a Gauss-Seidel method, 1 of a program outside. Where two solvers are compared, each of which was run with one
 * limit, it need not agree; where one was run with several it tells its cases apart, and stays a setting as others. */
#include <string.h>

#include "harness/records/json.h"
#include "harness/records/record.h"
#include "harness/report/compare_private.h"

static const char limit[] = "newton_iters";

static bool is_solver(const struct nb_option_list *list)
{
    return list->count == 1 && !strncmp(list->item[0], "solver=", 7);
}

/* Whether the cases of the list that have a limit all have the same; false: none has one. */
static bool has_one_limit(const struct nb_option_list *list, const cJSON *records)
{
    char found[NB_COMPARE_VALUE] = "", text[NB_COMPARE_VALUE];
    const cJSON *record = NULL;
    cJSON_ArrayForEach(record, records) {
        if (!nb_record_is_case(record) || !nb_pairs_match(record, list) ||
            !nb_record_text(record, limit, text, sizeof text)[0])
            continue;
        if (found[0] && strcmp(found, text))
            return false;
        strcpy(found, text);
    }
    return found[0];
}

struct nb_comparison nb_pairs_except_limits(const struct nb_comparison *comparison, const cJSON *first,
                                            const cJSON *second)
{
    struct nb_comparison excepted = *comparison;
    struct nb_option_list *across = &excepted.across;
    const int room = (int)(sizeof across->item / sizeof *across->item);
    if (is_solver(&excepted.a) && is_solver(&excepted.b) && across->count < room &&
        has_one_limit(&excepted.a, first) && has_one_limit(&excepted.b, second))
        across->item[across->count++] = limit;
    return excepted;
}
