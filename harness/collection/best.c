/* One query to the records: of each problem the case with the smallest error. */
#include "harness/collection/best.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/query/query.h"
#include "problems/base/hash.h"

/* A file of stored systems may hold a step, too. */
static const char *name_problem(const char *hash, bool system, char name[static NB_HASH_SIZE + 8])
{
    snprintf(name, NB_HASH_SIZE + 8, "%s%.*s", system ? "system " : "", NB_HASH_SIZE - 1, hash);
    return name;
}

/* Of each problem the case that is the most accurate at its end, of equal ones the first: its method is the solver, the
 * linear solver in it if it reads one, and the arithmetic. */
static const char statement[] =
    "select problem_hash, mode = 'linear_system', accuracy, method || iif(mode = 'step' and linear is not null, "
    "' ' || linear_method, '') || ' ' || arithmetic from (select *, row_number() over "
    "(partition by problem_hash, mode order by accuracy, id) as place from (select *, iif(mode = 'linear_system', "
    "residual, step_error) as accuracy from cases) where problem_hash <> '' and accuracy is not null "
    "and coalesce(linearized, 0) = 0) where place = 1 order by id";

static enum nb_status take(void *context, sqlite3_stmt *row, struct nb_error *error)
{
    struct nb_best_list *list = context;
    char name[NB_HASH_SIZE + 8];
    const char *hash = (const char *)sqlite3_column_text(row, 0);
    const int number = hash ? nb_index_entry(&list->problems, name_problem(hash, sqlite3_column_int(row, 1), name),
                                             &list->best, sizeof *list->best, &list->count, &list->room)
                            : -1;
    if (number < 0)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the best of more than %d problems", list->count);
    struct nb_best *best = &list->best[number];
    best->error = sqlite3_column_double(row, 2);
    snprintf(best->method, sizeof best->method, "%s", (const char *)sqlite3_column_text(row, 3));
    return NB_OK;
}

enum nb_status nb_best_read(struct nb_best_list *list, const char *const *paths, int count, struct nb_error *error)
{
    return nb_query_each(paths, count, statement, take, list, error);
}

const struct nb_best *nb_best_find(const struct nb_best_list *list, const char *hash, bool system)
{
    char name[NB_HASH_SIZE + 8];
    const int number = nb_index_find(&list->problems, name_problem(hash, system, name));
    return number < 0 ? NULL : &list->best[number];
}

void nb_best_free(struct nb_best_list *list)
{
    nb_index_free(&list->problems);
    free(list->best);
    *list = (struct nb_best_list){{NULL}, NULL, 0, 0};
}
