/* What Krylov methods and relaxations share: start, stop and the reason why. */
#ifndef NB_KRYLOV_H
#define NB_KRYLOV_H

#include "solvers/strategy.h"

#define nb_conjugate_gradients NB(nb_conjugate_gradients)
#define nb_krylov_advance NB(nb_krylov_advance)
#define nb_krylov_advance_to NB(nb_krylov_advance_to)
#define nb_krylov_best NB(nb_krylov_best)
#define nb_krylov_best_restore NB(nb_krylov_best_restore)
#define nb_krylov_best_start NB(nb_krylov_best_start)
#define nb_krylov_best_step NB(nb_krylov_best_step)
#define nb_krylov_monitor NB(nb_krylov_monitor)
#define nb_krylov_scalar NB(nb_krylov_scalar)
#define nb_krylov_spent NB(nb_krylov_spent)
#define nb_krylov_start NB(nb_krylov_start)

struct nb_krylov_monitor {
    const struct nb_linear_task *task;
    nb_real right_side;  /* ||b||, all norms being sqrt(r^T D^-1 r) with D = diag A: rows in any units count alike */
    nb_real residual;    /* ||r|| as the method updates it, times factor */
    nb_real least, most; /* smallest and largest so far, and       */
    int stalled;         /* iterations since the least was reached */
    int done;
    nb_real factor;      /* by which b - A x was larger than the method's residual when it was last computed anew */
    nb_real checked;     /* ||b - A x|| then                     */
    nb_real *scratch;    /* [n] for that */
    int other_norm;      /* the method measures an estimate of ||r|| only, or in another norm */
    struct nb_linear_report report;
};

/* The best iterate of a method whose residual is not monotone: it is copied aside whenever the residual
 * is about to rise, so that a method that converges copies nothing. */
struct nb_krylov_best {
    nb_real *x;                /* [n] the method's workspace          */
    nb_real least, previous;   /* residuals                           */
    int kept;
};
void nb_krylov_best_start(struct nb_krylov_best *best, const struct nb_krylov_monitor *monitor, nb_real *x);
/* The next iterate, with that residual, is x + alpha p with task->x = x where moved is 0, and already
 * task->x = x + alpha p otherwise. */
void nb_krylov_best_step(struct nb_krylov_best *best, const struct nb_linear_task *task,
                         nb_real residual, nb_real alpha, const nb_real *p, int moved);
/* After a breakdown or stagnation: task->x becomes the best iterate. */
void nb_krylov_best_restore(const struct nb_krylov_best *best, const struct nb_krylov_monitor *monitor);

/* r = b - A x. Done at once where b = 0, r = 0, nothing is asked for, or r is not finite. scratch [n] is overwritten
 * within nb_krylov_advance and nb_krylov_advance_to, and where a solve ends.
 *
 * The residual that a method updates strays from b - A x where rounding of large iterates gathers, as it
 * does where A is indefinite or singular (Greenbaum 1997). So nothing is called converged before b - A x has
 * been computed anew, unless no rounding could have mattered. Where it has strayed the method goes on as long as that
 * helps, and ends as stagnated. */
void nb_krylov_start(struct nb_krylov_monitor *monitor, const struct nb_linear_task *task, nb_real *r,
                     nb_real *scratch);

/* An iteration ended with residual r (or its norm): counts, observes, decides whether to go on. */
void nb_krylov_advance(struct nb_krylov_monitor *monitor, const nb_real *r);
void nb_krylov_advance_to(struct nb_krylov_monitor *monitor, nb_real residual);

/* True, and the monitor is done, where a quadratic form has fallen so low that it loses digits: conjugate
 * residuals reduce z = P^-1 r by a recurrence of its own, which goes on falling after r itself has
 * reached its round-off. */
int nb_krylov_spent(struct nb_krylov_monitor *monitor, nb_real value);

/* A scalar that the next step divides by. False: it is not positive (breakdown, or convergence to
 * round-off where the residual has vanished) or not finite (which at the first iteration is the
 * matrix's fault, and later a breakdown); the monitor is done and says so, in these words, of static storage. */
int nb_krylov_scalar(struct nb_krylov_monitor *monitor, nb_real value, const char *words);
#define NB_NOT_POSITIVE " is not a positive number"

/* Conjugate gradients, flexible or not (conjugate_gradients.c); vectors [n] one after the other. */
enum { NB_CONJUGATE_GRADIENTS_VECTORS = 5 };
struct nb_linear_report nb_conjugate_gradients(nb_real *vectors, const struct nb_linear_task *task, int flexible);

#endif
