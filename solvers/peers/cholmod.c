/* CHOLMOD as its manual shows it: analyse, factorise, solve, with its own choices. */
#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/peers/peer.h"

struct plain {
    cholmod_common common;
    cholmod_sparse matrix; /* borrows the system's arrays; its rows are the columns of the upper part */
    cholmod_factor *factor;
};

static void release(void *self)
{
    struct plain *plain = self;
    cholmod_free_factor(&plain->factor, &plain->common);
    cholmod_finish(&plain->common);
    free(plain);
}

static enum nb_status create(void **self, const struct nb_peer_system *system, const double *value,
                             struct nb_error *error)
{
    struct plain *plain = calloc(1, sizeof *plain);
    (void)value;
    if (!plain)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for CHOLMOD");
    cholmod_start(&plain->common);
    plain->common.print = 0;
    plain->matrix = (cholmod_sparse){
        .nrow = (size_t)system->rows, .ncol = (size_t)system->rows,
        .nzmax = (size_t)system->start[system->rows], .p = system->start, .i = system->column,
        .x = system->value, .stype = -1, .itype = CHOLMOD_INT, .xtype = CHOLMOD_REAL,
        .dtype = CHOLMOD_DOUBLE, .sorted = 1, .packed = 1};
    plain->factor = cholmod_analyze(&plain->matrix, &plain->common);
    *self = plain;
    return plain->factor ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "CHOLMOD could not analyse");
}

static enum nb_status update(void *self, struct nb_error *error)
{
    struct plain *plain = self;
    cholmod_factorize(&plain->matrix, plain->factor, &plain->common);
    return plain->common.status == CHOLMOD_OK
               ? NB_OK : nb_fail(error, NB_BREAKDOWN, "CHOLMOD: not positive definite");
}

static struct nb_linear_report solve(void *self, const struct nb_peer_task *task)
{
    struct plain *plain = self;
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 1, ""};
    const size_t rows = plain->matrix.nrow;
    cholmod_dense b = {.nrow = rows, .ncol = 1, .nzmax = rows, .d = rows, .x = (void *)task->b,
                       .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
    cholmod_dense *x = cholmod_solve(CHOLMOD_A, plain->factor, &b, &plain->common);
    if (!x) {
        report.ending = NB_LINEAR_BREAKDOWN;
        return report;
    }
    memcpy(task->x, x->x, rows * sizeof(double));
    cholmod_free_dense(&x, &plain->common);
    return report;
}

const struct nb_peer nb_peer_cholmod = {
    .create = create, .update = update, .solve = solve, .free = release};
