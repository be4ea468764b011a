/* Looks for a certificate of infeasibility (infeasibility.h) as the residual of least squares: at a minimum of
 * sum violation_i^2 / size_i^2 the impulses r = violation / size^2 have no effect and do the work -sum violation^2 /
 * size^2 (infeasibility_descent.c). Each r on the way is put to the test: what the method does proves nothing, what the
 * bound says does. The search ends with a certificate, where all rows are satisfied, where violations fall no more, or
 * after 60 iterations. */
#include "harness/judge/infeasibility.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/infeasibility_private.h"
#include "problems/base/arena.h"

#define MOST_ITERATIONS 60
#define FEW 3        /* iterations in which nothing fell: the end                          */
#define PART 1e-6    /* of the largest: impulses below are rounding                        */
#define SHORT 0x1p20 /* parts of the largest impulse, to which all are rounded in a local form */

struct search {
    struct nb_rows rows;
    struct nb_descent descent;
    double *impulse;               /* [rows] those that are put to the test                    */
    double *effect, *work, *total; /* [islands] of them: nb_rows_effect, nb_rows_work, sum |r| size */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct search *search = data;
    NB_ARRAY(arena, search->impulse, search->rows.rows);
    NB_ARRAY(arena, search->effect, search->rows.islands);
    NB_ARRAY(arena, search->work, search->rows.islands);
    NB_ARRAY(arena, search->total, search->rows.islands);
}

/* What the bound is made of. */
static void weigh(struct search *search)
{
    struct nb_rows *rows = &search->rows;
    memset(search->total, 0, (size_t)rows->islands * sizeof *search->total);
    for (int i = 0; i < rows->rows; ++i)
        search->total[rows->island[i]] += fabs(search->impulse[i]) * rows->size[i];
    nb_rows_effect(rows, search->impulse, search->effect);
    nb_rows_work(rows, search->impulse, search->work);
}

/* The share of its scale that every motion within reach leaves to be undone in an island; not positive: unproven. */
static double violation_of(const struct search *search, int k)
{
    const double violation = (search->work[k] - search->effect[k]) / (search->total[k] * search->rows.scale[k]);
    return violation >= sqrt(DBL_EPSILON) && isfinite(violation) ? violation : 0;
}

/* Of the island whose constraints contradict each other most; -1: none is known to. */
static int certified_island(const struct search *search)
{
    int best = -1;
    for (int k = 0; k < search->rows.islands; ++k)
        if (violation_of(search, k) > (best < 0 ? 0 : violation_of(search, best)))
            best = k;
    return best;
}

/* Impulses that are short numbers cancel to the last digit, where the rows of W do. */
static void shorten(struct search *search)
{
    const struct nb_rows *rows = &search->rows;
    double *largest = search->total;
    memset(largest, 0, (size_t)rows->islands * sizeof *largest);
    for (int i = 0; i < rows->rows; ++i)
        largest[rows->island[i]] = fmax(largest[rows->island[i]], fabs(search->impulse[i]));
    for (int i = 0; i < rows->rows; ++i)
        if (search->impulse[i] != 0)
            search->impulse[i] = nearbyint(search->impulse[i] / largest[rows->island[i]] * SHORT);
}

/* The island that the impulses of the descent prove, as they are or, in a local form, shortened. */
static int proven_island(struct search *search)
{
    memcpy(search->impulse, search->descent.impulse, (size_t)search->rows.rows * sizeof *search->impulse);
    weigh(search);
    const int island = certified_island(search);
    if (island >= 0 || !nb_rows_are_local(&search->rows))
        return island;
    shorten(search);
    weigh(search);
    return certified_island(search);
}

static void report(const struct search *search, int island, struct nb_infeasibility *found)
{
    const struct nb_rows *rows = &search->rows;
    double largest[2] = {0, 0}, all = 0;
    *found = (struct nb_infeasibility){.found = true, .linearized = found->linearized, .contact = -1, .bilateral = -1};
    found->violation = violation_of(search, island);
    found->absolute = search->effect[island] == 0;
    for (int i = 0; i < rows->rows; ++i)
        if (rows->island[i] == island)
            all = fmax(all, fabs(search->impulse[i]) * rows->size[i]);
    for (int i = 0; i < rows->rows; ++i) {
        const int bilateral = i >= rows->contacts;
        const double size = fabs(search->impulse[i]) * rows->size[i];
        if (rows->island[i] != island || !(size >= PART * all))
            continue;
        ++*(bilateral ? &found->bilaterals : &found->contacts);
        if (size > largest[bilateral]) {
            largest[bilateral] = size;
            *(bilateral ? &found->bilateral : &found->contact) = bilateral ? i - rows->contacts : i;
        }
    }
}

/* One row may be a certificate by itself: then the others of its island have their own reasons. */
static void try_alone(struct search *search, int island)
{
    const struct nb_rows *rows = &search->rows;
    int first = -1;
    double *tested = search->impulse, kept;
    for (int i = 0; i < rows->rows; ++i)
        if (rows->island[i] == island &&
            (first < 0 || fabs(tested[i]) * rows->size[i] > fabs(tested[first]) * rows->size[first]))
            first = i;
    kept = tested[first];
    memset(tested, 0, (size_t)rows->rows * sizeof *tested);
    tested[first] = kept;
    weigh(search);
    if (!(violation_of(search, island) > 0))
        proven_island(search);
}

/* A certificate of smoothed violations is one, but rows that take no part have impulses in it, too: the search goes on
 * without. */
static void look(struct search *search, struct nb_infeasibility *found)
{
    struct nb_descent *descent = &search->descent;
    for (int iteration = 0, idle = 0; iteration < MOST_ITERATIONS; ++iteration) {
        nb_descent_pull(descent);
        idle = nb_descent_gets_on(descent) ? 0 : idle + 1;
        if (nb_descent_is_over(descent) || idle > FEW || !nb_descent_turn(descent))
            return;
        const int island = proven_island(search);
        if (island >= 0) {
            try_alone(search, island);
            report(search, island, found);
        }
        if (island >= 0 && descent->smoothing > 0)
            descent->smoothing = 0;
        else if (island >= 0 || !nb_descent_move(descent))
            return;
    }
}

/* Whether u is within reach and leaves less in every row than a certificate would, so that there is none: it spares the
 * search, and never changes what it finds. */
static bool is_met_at(const struct search *search, const double *u)
{
    const struct nb_rows *rows = &search->rows;
    double *velocity = search->impulse;
    for (int k = 0; k < rows->dofs; ++k)
        if (!(fabs(u[k] - rows->free_motion[k]) * rows->speed[k] <=
              NB_INFEASIBILITY_REACH * rows->scale[rows->island[rows->rows + k]]))
            return false;
    nb_csr_multiply(&rows->jacobian, u, velocity, 0);
    for (int i = 0; i < rows->rows; ++i)
        if (!(fabs(nb_row_violation(rows, i, velocity[i] + rows->at_rest[i])) <=
              sqrt(DBL_EPSILON) / 2 * rows->size[i] * rows->scale[rows->island[i]]))
            return false;
    return true;
}

static enum nb_status find_linear(const struct nb_problem *problem, const double *u, struct nb_infeasibility *found,
                                  struct nb_error *error)
{
    struct search search;
    enum nb_status status = nb_rows_create(&search.rows, problem, error);
    if (!status) {
        status = nb_descent_create(&search.descent, &search.rows);
        void *memory = status ? NULL : nb_arena_allocate(lay_out, &search);
        if (memory && !(u && !nb_rows_are_local(&search.rows) && is_met_at(&search, u)))
            look(&search, found);
        else if (!memory)
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to look for a certificate of infeasibility");
        free(memory);
        nb_descent_free(&search.descent);
    }
    nb_rows_free(&search.rows);
    return status;
}

enum nb_status nb_infeasibility_find(const struct nb_problem *problem, const double *u,
                                     struct nb_infeasibility *found, struct nb_error *error)
{
    struct nb_problem linearized = {0};
    const bool nonlinear = problem->form == NB_NONLINEAR;
    *found = (struct nb_infeasibility){.linearized = nonlinear, .contact = -1, .bilateral = -1};
    enum nb_status status = nonlinear ? nb_problem_linearize_in(problem, DBL_EPSILON / 2, &linearized, error) : NB_OK;
    if (!status)
        status = find_linear(nonlinear ? &linearized : problem, u, found, error);
    nb_problem_free(&linearized);
    return status == NB_UNSUPPORTED ? NB_OK : status;
}

static void name_rows(char *text, size_t size, const char *one, int index, int count)
{
    if (count > 1)
        snprintf(text, size, "%s %d (and %d more)", one, index, count - 1);
    else
        snprintf(text, size, "%s %d", one, index);
}

void nb_infeasibility_describe(const struct nb_infeasibility *found, char *text, size_t size)
{
    char contacts[64] = "", bilaterals[64] = "", reach[80] = "no velocity";
    if (found->contacts)
        name_rows(contacts, sizeof contacts, "contact", found->contact, found->contacts);
    if (found->bilaterals)
        name_rows(bilaterals, sizeof bilaterals, "bilateral row", found->bilateral, found->bilaterals);
    if (!found->absolute)
        snprintf(reach, sizeof reach, "no velocity up to %.0e times what the step has to do", NB_INFEASIBILITY_REACH);
    const char *and = found->contacts && found->bilaterals ? " and " : "";
    if (found->linearized)
        snprintf(text, size, "linearised at q- it has no solution, for %s%s%s; it may have one all the same", contacts,
                 and, bilaterals);
    else
        snprintf(text, size, "the constraints contradict each other: %s%s%s: %s satisfies them", contacts, and,
                 bilaterals, reach);
}
