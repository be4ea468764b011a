/* Looks for a certificate of infeasibility (infeasibility.h) as the residual of least squares: at a minimum of
 * sum violation_i^2 / w_i the impulses r = violation / w have no effect and do the work -sum violation^2 / w
 * (infeasibility_descent.c). Each r on the way is put to the test: what the method does proves nothing, what the bounds
 * say does. The search ends with a certificate, where all rows are satisfied, where violations fall no more, or after
 * 60 iterations. */
#include "harness/judge/infeasibility.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/infeasibility_private.h"
#include "problems/base/arena.h"

#define MOST_ITERATIONS 60
#define FEW 3           /* iterations in which nothing fell: the end                  */
#define REACH 1e6       /* a velocity so much larger than the step's is none ...      */
#define REACH_LOCAL 1e5 /* ... nor in the local form, with half of the digits         */
#define ROUNDING 1e3    /* units of roundoff: the work is a sum over an island's rows */
#define PART 1e-6       /* of the largest: impulses below are rounding                */

struct search {
    struct nb_rows rows;
    struct nb_descent descent;
    double *scratch;                      /* [3 dofs] */
    double *effect, *work, *size, *terms; /* of r, [islands]: ||A^T r||, -r . U(v_0), sum w r^2, and the terms of the
                                             work */
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct search *search = data;
    double **of_islands[] = {&search->effect, &search->work, &search->size, &search->terms};
    NB_ARRAY(arena, search->scratch, 3 * search->rows.dofs);
    for (int k = 0; k < 4; ++k)
        NB_ARRAY(arena, *of_islands[k], search->rows.islands);
}

/* Of each island what the bounds are made of. */
static enum nb_status weigh(struct search *search)
{
    struct nb_rows *rows = &search->rows;
    const size_t bytes = (size_t)rows->islands * sizeof *search->work;
    memset(search->work, 0, bytes);
    memset(search->size, 0, bytes);
    memset(search->terms, 0, bytes);
    for (int i = 0; i < rows->rows; ++i) {
        const int k = rows->island[i];
        const double impulse = search->descent.impulse[i];
        search->size[k] += rows->inverse_mass[i] * impulse * impulse;
        search->work[k] -= impulse * rows->free_velocity[i];
        search->terms[k] += fabs(impulse) * rows->terms[i];
    }
    return nb_rows_effect(rows, search->descent.impulse, search->scratch, search->effect);
}

static double of_all_motion(const struct nb_rows *rows, int island)
{
    return sqrt(rows->deficit[island]) + sqrt(fmax(rows->energy[island], 0));
}

static bool is_certificate(const struct search *search, int k)
{
    const struct nb_rows *rows = &search->rows;
    const double work = search->work[k], reach = nb_rows_are_local(rows) ? REACH_LOCAL : REACH;
    return work > 0 && isfinite(work) && work >= reach * of_all_motion(rows, k) * search->effect[k] &&
           work >= sqrt(DBL_EPSILON) * sqrt(rows->deficit[k] * search->size[k]) &&
           work >= ROUNDING * DBL_EPSILON * search->terms[k];
}

/* Of the island whose constraints contradict each other most; -1: none is known to. */
static int certified_island(const struct search *search)
{
    int best = -1;
    double most = 0;
    for (int k = 0; k < search->rows.islands; ++k) {
        const double depth = search->work[k] / sqrt(search->size[k] * search->rows.deficit[k]);
        if (is_certificate(search, k) && !(depth <= most)) {
            best = k;
            most = depth;
        }
    }
    return best;
}

static void report(const struct search *search, int island, struct nb_infeasibility *found)
{
    const struct nb_rows *rows = &search->rows;
    const double most = of_all_motion(rows, island) * search->effect[island];
    double largest[2] = {0, 0}, all = 0;
    *found = (struct nb_infeasibility){.found = true, .linearized = found->linearized, .contact = -1, .bilateral = -1};
    found->violation = search->work[island] / sqrt(search->size[island] * rows->deficit[island]);
    found->reach = most > 0 ? search->work[island] / most : INFINITY;
    for (int i = 0; i < rows->rows; ++i)
        if (rows->island[i] == island)
            all = fmax(all, fabs(search->descent.impulse[i]) * sqrt(rows->inverse_mass[i]));
    for (int i = 0; i < rows->rows; ++i) {
        const int bilateral = i >= rows->contacts;
        const double size = fabs(search->descent.impulse[i]) * sqrt(rows->inverse_mass[i]);
        if (rows->island[i] != island || !(size >= PART * all))
            continue;
        ++*(bilateral ? &found->bilaterals : &found->contacts);
        if (size > largest[bilateral]) {
            largest[bilateral] = size;
            *(bilateral ? &found->bilateral : &found->contact) = bilateral ? i - rows->contacts : i;
        }
    }
}

/* A certificate of smoothed violations is one, but rows that take no part have impulses in it, too: the search goes on
 * without. */
static enum nb_status look(struct search *search, struct nb_infeasibility *found)
{
    struct nb_descent *descent = &search->descent;
    for (int iteration = 0, idle = 0; iteration < MOST_ITERATIONS; ++iteration) {
        nb_descent_pull(descent);
        idle = nb_descent_gets_on(descent) ? 0 : idle + 1;
        if (nb_descent_is_over(descent) || idle > FEW || !nb_descent_turn(descent))
            return NB_OK;
        const enum nb_status status = weigh(search);
        const int island = status ? -1 : certified_island(search);
        if (island >= 0)
            report(search, island, found);
        if (island >= 0 && descent->smoothing > 0)
            descent->smoothing = 0;
        else if (status || island >= 0 || !nb_descent_move(descent))
            return status;
    }
    return NB_OK;
}

/* Whether the point where a run ended satisfies all rows. */
static bool is_satisfied(struct search *search, const double *u, const double *lambda)
{
    struct nb_descent *descent = &search->descent;
    nb_rows_velocity(&search->rows, u, lambda, descent->velocity);
    nb_descent_pull(descent);
    memcpy(descent->velocity, search->rows.free_velocity, (size_t)search->rows.rows * sizeof *descent->velocity);
    return nb_descent_is_over(descent);
}

static enum nb_status find_linear(const struct nb_problem *problem, const double *u, const double *lambda,
                                  struct nb_infeasibility *found, struct nb_error *error)
{
    struct search search;
    enum nb_status status = nb_rows_create(&search.rows, problem, error);
    if (!status) {
        status = nb_descent_create(&search.descent, &search.rows);
        void *memory = status ? NULL : nb_arena_allocate(lay_out, &search);
        if (!memory)
            status = NB_OUT_OF_MEMORY;
        else if (!(u && lambda && is_satisfied(&search, u, lambda)))
            status = look(&search, found);
        free(memory);
        nb_descent_free(&search.descent);
        if (status)
            nb_fail(error, status, "no memory to look for a certificate of infeasibility");
    }
    nb_rows_free(&search.rows);
    return status;
}

enum nb_status nb_infeasibility_find(const struct nb_problem *problem, const double *u, const double *lambda,
                                     struct nb_infeasibility *found, struct nb_error *error)
{
    struct nb_problem linearized = {0};
    const bool nonlinear = problem->form == NB_NONLINEAR;
    *found = (struct nb_infeasibility){.linearized = nonlinear, .contact = -1, .bilateral = -1};
    enum nb_status status = nonlinear ? nb_problem_linearize_in(problem, DBL_EPSILON / 2, &linearized, error) : NB_OK;
    if (!status)
        status = find_linear(nonlinear ? &linearized : problem, u, lambda, found, error);
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
    if (isfinite(found->reach))
        snprintf(reach, sizeof reach, "no velocity up to %.0e times what the step has to do", found->reach);
    snprintf(text, size, "the constraints contradict each other%s: %s%s%s: %s satisfies them",
             found->linearized ? ", linearised at q-" : "", contacts,
             found->contacts && found->bilaterals ? " and " : "", bilaterals, reach);
}
