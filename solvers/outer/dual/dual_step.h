/* The step in dual form, for methods that iterate on the impulses p = h lambda [N s]:
 *
 *     U(p) = W p + q [m/s],   W = J H^-1 J^T + E/h^2,
 *
 * one row an impulse: bilateral rows, which ask for U = 0, then contacts (normal, tangent, tangent).
 * W and q are those of the motion at a refresh: J and the gaps of a nonlinear step are evaluated anew
 * at u(p), and q = U(u(p)) - W p also takes back what rounding, or a W given without symmetry, has
 * left. The fixed point of refreshing and solving is the solution of the step itself. Far from it a
 * motion may be absurd, and so would be its Jacobian: a moving step is refreshed when the residual
 * has fallen to a tenth since the last refresh. Where the new linearisation would leave it larger than
 * the old one had begun with, that is kept and solved ten times better first, twice at most. */
#ifndef NB_DUAL_STEP_H
#define NB_DUAL_STEP_H

#include "solvers/delassus/given_rows.h"
#include "solvers/model/model.h"
#include "solvers/strategy.h"

struct NB(nb_dual_step) {
    struct NB(nb_model) *model;
    struct NB(nb_operator) op;     /* W, assembled and unscaled                      */
    struct NB(nb_given_rows) given; /* W without symmetrisation, where kept           */
    size_t rows, bilateral;        /* all rows, and those that are not of contacts   */
    nb_real *storage;              /* owns the arrays below                          */
    nb_real *p, *q, *velocity;     /* [n] iterate, offset, U of the method           */
    nb_real *previous, *kept;      /* [n] the iterate before, q of the last refresh  */
    nb_real *ones, *compliance;    /* [n] 1; the diagonal of E/h^2, 0 in contacts     */
    nb_real *u, *moved, *anchor;   /* [3 nodes] motion, and where it was refreshed   */
    nb_real *defect, *momentum;    /* [3 nodes]                                      */
    double reference, wanted;      /* residual after the last refresh; of the next   */
    int refused;                   /* refreshes since the last one                   */
    long updates;                  /* how often W has been evaluated                 */
    int under_way;                 /* set by an iteration that has changed more than p */
};

/* What holds friction: a box or a disc of size mu R_n, nothing (no friction), or the cone K with R and
 * U in the normal relation of convex analysis, whose sliding opens the contact by mu |U_T|. */
enum nb_friction_bounds { NB_FRICTION_BOX, NB_FRICTION_CONE, NB_FRICTION_NONE,
                          NB_FRICTION_ASSOCIATED };

/* A method on it: both functions leave the iterate in p. */
struct NB(nb_dual_method) {
    void *self;
    enum nb_friction_bounds bounds; /* of the problem that it solves */
    int newton; /* an iteration does enough to ask after each whether a refresh is due */
    /* p = 0 and W, q are those of free motion. NULL where all is well, else the reason. */
    const char *(*restart)(void *self);
    /* One iteration, likewise. It counts operator applications in the operator itself. */
    const char *(*iterate)(void *self, struct nb_run *run);
};

/* `extra` vectors of n zeros come with it; *vectors points to them, one after the other. A method that
 * evaluates the model itself, in every iteration, needs no assembled W: then there is neither op nor q,
 * and the model is left at u~. */
enum nb_status NB(nb_dual_step_create)(struct NB(nb_dual_step) *step, struct NB(nb_model) *model,
                                       const struct nb_options *options, int assembled,
                                       size_t extra, nb_real **vectors, struct nb_error *error);
void NB(nb_dual_step_free)(struct NB(nb_dual_step) *step);

/* Whole run from the task's start: iterates, refreshes, publishes; ends early where p is not finite
 * (breakdown) or has stopped changing, and nothing else of the method is under way. */
enum nb_status NB(nb_dual_step_run)(struct NB(nb_dual_step) *step,
                                    const struct NB(nb_dual_method) *method,
                                    const struct NB(nb_method_task) *task);

/* For sweeps, which do not ask for symmetry: W of a linear step becomes that of its file, so that q need
 * not make good what the symmetric part leaves out. To be called in set-up, after create. */
enum nb_status NB(nb_dual_step_keep_given)(struct NB(nb_dual_step) *step, struct nb_error *error);

/* The rows of W. */
static inline const struct NB(nb_bsr) *NB(nb_dual_step_rows)(const struct NB(nb_dual_step) *step)
{
    return step->given.matrix.value ? &step->given.matrix : step->op.matrix;
}

/* out [n] = W x + q */
void NB(nb_dual_step_velocity)(struct NB(nb_dual_step) *step, const nb_real *x, nb_real *out);

/* Ends a run with broke_down and the reason; returns 1. */
int NB(nb_break_down)(const struct NB(nb_method_task) *task, const char *reason);

#endif
