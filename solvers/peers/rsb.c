/* librsb's product (Martone 2014): A in recursive sparse blocks, of which symmetry leaves the lower triangle. With
 * more threads than one it adds in any order, so it takes one. It could tune its blocks by timing them: then the
 * bits of a product would change from run to run, and it does not. */
#include <omp.h>
#include <rsb.h>
#include <stdlib.h>

#include "solvers/peers/peer.h"

struct rsb {
    const struct nb_peer_system *system;
    struct rsb_mtx_t *matrix;
    int *start, *column; /* of the lower triangle [rows + 1], [entries] */
    double *value;       /* [entries]                                   */
};

static void release(void *self)
{
    struct rsb *rsb = self;
    if (!rsb)
        return;
    if (rsb->matrix)
        rsb_mtx_free(rsb->matrix);
    free(rsb->start);
    free(rsb->column);
    free(rsb->value);
    free(rsb);
}

/* The library's option for the number of threads holds for some of its loops only: all are the calling thread's own
 * while this is in force. Returns what goes back by omp_set_num_threads. */
static int single_thread(void)
{
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    return threads;
}

static int start(void)
{
    const int threads = single_thread();
    const rsb_int_t one = 1;
    const int failed = rsb_lib_init(RSB_NULL_INIT_OPTIONS) != RSB_ERR_NO_ERROR ||
                       rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &one) != RSB_ERR_NO_ERROR;
    omp_set_num_threads(threads);
    return failed;
}

static enum nb_status create(void **self, const struct nb_peer_system *system, const double *value,
                             struct nb_error *error)
{
    const size_t entries = (size_t)system->start[system->rows];
    struct rsb *rsb = calloc(1, sizeof *rsb);
    (void)value;
    *self = rsb;
    if (!rsb || start())
        return nb_fail(error, NB_OUT_OF_MEMORY, "librsb could not be started");
    rsb->system = system;
    rsb->start = malloc(((size_t)system->rows + 1) * sizeof(int));
    rsb->column = malloc((entries + 1) * sizeof(int));
    rsb->value = malloc((entries + 1) * sizeof(double));
    return rsb->start && rsb->column && rsb->value ? NB_OK
                                                   : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for librsb");
}

static enum nb_status update(void *self, struct nb_error *error)
{
    struct rsb *rsb = self;
    const struct nb_peer_system *system = rsb->system;
    rsb_err_t code = RSB_ERR_NO_ERROR;
    int entries = 0;
    for (int i = 0; i < system->rows; ++i) {
        rsb->start[i] = entries;
        for (int k = system->start[i]; k < system->start[i + 1] && system->column[k] <= i; ++k) {
            rsb->column[entries] = system->column[k];
            rsb->value[entries++] = system->value[k];
        }
    }
    rsb->start[system->rows] = entries;
    const int threads = single_thread();
    if (rsb->matrix)
        rsb_mtx_free(rsb->matrix);
    rsb->matrix = rsb_mtx_alloc_from_csr_const(rsb->value, rsb->start, rsb->column, entries,
                                               RSB_NUMERICAL_TYPE_DOUBLE, system->rows, system->rows, 0, 0,
                                               RSB_FLAG_LOWER_SYMMETRIC, &code);
    omp_set_num_threads(threads);
    return rsb->matrix ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "librsb could not take the matrix (%d)", code);
}

static int apply(void *self, const double *r, double *z)
{
    const struct rsb *rsb = self;
    const double one = 1, zero = 0;
    const int threads = single_thread();
    const rsb_err_t code = rsb_spmv(RSB_TRANSPOSITION_N, &one, rsb->matrix, r, 1, &zero, z, 1);
    omp_set_num_threads(threads);
    return code == RSB_ERR_NO_ERROR;
}

const struct nb_peer nb_peer_rsb = {.create = create, .update = update, .apply = apply, .free = release};
