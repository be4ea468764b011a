/* What Krylov methods and relaxations share: start, stop and the reason why. */
#ifndef NB_KRYLOV_H
#define NB_KRYLOV_H

#include "solvers/strategy.h"

struct NB(nb_krylov_monitor) {
    const struct NB(nb_linear_task) *task;
    nb_real right_side;  /* ||b||                                */
    nb_real residual;    /* ||r|| as the method updates it       */
    nb_real least;       /* smallest residual so far, and          */
    int stalled;         /* iterations since it was reached        */
    int done;
    struct nb_linear_report report;
};

/* One block of `vectors` vectors of the operator's size, in *self; freed by free(). */
enum nb_status NB(nb_krylov_allocate)(void **self, const struct NB(nb_operator) *op, int vectors,
                                      struct nb_error *error);

/* r = b - A x. Done at once where b = 0, r = 0, nothing is asked for, or r is not finite. */
void NB(nb_krylov_start)(struct NB(nb_krylov_monitor) *monitor,
                         const struct NB(nb_linear_task) *task, nb_real *r);

/* An iteration ended with residual r (or its norm): counts, observes, decides whether to go on. */
void NB(nb_krylov_advance)(struct NB(nb_krylov_monitor) *monitor, const nb_real *r);
void NB(nb_krylov_advance_to)(struct NB(nb_krylov_monitor) *monitor, nb_real residual);

/* A scalar that the next step divides by. False: it is not positive (breakdown, or convergence to
 * round-off where the residual has vanished) or not finite; the monitor is done and says so. name
 * has static storage. */
int NB(nb_krylov_scalar)(struct NB(nb_krylov_monitor) *monitor, nb_real value, const char *name);

#endif
