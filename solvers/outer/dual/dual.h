/* The step in dual form, for methods that iterate on the impulses p = h lambda [N s], and what such a method
 * has to provide:
 *
 *     U(p) = W p + q [m/s],   W = J H^-1 J^T + E/h^2,
 *
 * one row an impulse: bilateral rows, which ask for U = 0, then contacts (normal, tangent, tangent).
 * W and q are those of the last linearisation: J and the gaps of a nonlinear step are evaluated anew
 * at u(p), and q = U(u(p)) - W p also takes back what rounding, or a W given without symmetry, has
 * left. The fixed point of linearising and solving is the solution of the step itself. Far from it a
 * motion may be absurd, and so would be its Jacobian: a nonlinear step is linearised anew when the residual
 * has fallen to a tenth since the last time. Where the new linearisation would leave it larger than
 * the old one had begun with, the old one is kept and solved ten times better first, twice at most. */
#ifndef NB_DUAL_H
#define NB_DUAL_H

#include "solvers/contact/pyramid.h"
#include "solvers/delassus/delassus_unsymmetric.h"
#include "solvers/model/step_rows.h"
#include "solvers/strategy.h"

#define nb_dual NB(nb_dual)
#define nb_dual_method NB(nb_dual_method)
#define nb_dual_setup NB(nb_dual_setup)
#define nb_dual_run NB(nb_dual_run)
#define nb_dual_free NB(nb_dual_free)
#define nb_dual_velocity NB(nb_dual_velocity)
#define nb_dual_friction NB(nb_dual_friction)
#define nb_dual_matrix NB(nb_dual_matrix)
#define nb_dual_linearise NB(nb_dual_linearise)
#define nb_dual_respond NB(nb_dual_respond)
#define nb_dual_residual NB(nb_dual_residual)
#define nb_break_down NB(nb_break_down)

/* What holds friction: a box, a disc or a regular polygon of size mu R_n, nothing (no friction), or the cone K with
 * R and U in the normal relation of convex analysis, whose sliding opens the contact by mu |U_T|. */
enum nb_friction_bounds { NB_FRICTION_BOX, NB_FRICTION_CONE, NB_FRICTION_NONE,
                          NB_FRICTION_ASSOCIATED, NB_FRICTION_PYRAMID };

enum { NB_DUAL_VECTORS = 4 };

struct nb_dual {
    const struct nb_dual_method *method;
    double value[NB_SETTINGS_MAX]; /* of the method's settings                      */
    void *state;                   /* the method's own, zeros at first               */
    struct nb_step_rows step;      /* n rows, W assembled and unscaled, u           */
    struct nb_unsymmetric given;   /* W without symmetrisation, of sweeps          */
    enum nb_friction_bounds bounds; /* of the problem that the method solves        */
    struct nb_pyramid pyramid;     /* of NB_FRICTION_PYRAMID, set by the method's setup */
    void *memory;                  /* of the arrays below                            */
    nb_real *p, *q, *velocity;     /* [n] iterate, offset, U of the method           */
    nb_real *previous, *kept;      /* [n] the iterate before, q of the last linearisation */
    nb_real *metric;               /* [n] D of projection methods (solvers/outer/dual/projection.h) */
    nb_real *vector[NB_DUAL_VECTORS]; /* [n] the method's own                        */
    nb_real *moved, *anchor;       /* [3 nodes] motion, and where it was linearised  */
    double reference, wanted;      /* residual after the last linearisation; of the next */
    int refused;                   /* linearisations since the last one              */
    long updates;                  /* how often W has been evaluated                 */
    int under_way;                 /* set by an iteration that has changed more than p */
    int keeps_motion;              /* the method has the motion of p in step.u itself, which need not be u(p) */
};

/* A method: its settings and its iteration. Both functions leave the iterate in p and return NULL where all is
 * well, else the reason why the run ends. */
struct nb_dual_method {
    const struct nb_setting *settings;
    size_t state_size;
    int vectors;       /* how many of dual->vector it needs */
    int sweeps;        /* goes through the rows of W, and does not ask for symmetry: W of a linear step is that of
                        * its file, so that q need not make good what the symmetric part leaves out */
    int matrix_free;   /* evaluates the model itself, at u~ first: there is neither W nor q */
    int newton;        /* an iteration does enough to ask after each whether a linearisation is due */
    /* What holds friction, by the settings; NULL: the cone. */
    enum nb_friction_bounds (*bounds)(const double *value);
    /* Allocates what else the state holds, and frees it; both may be NULL. */
    enum nb_status (*setup)(struct nb_dual *dual, struct nb_error *error);
    void (*free)(void *state);
    /* p = 0, or where a warm run begins, and W, q are those of its motion; may be NULL. */
    const char *(*restart)(struct nb_dual *dual);
    /* Counts into the run; operator applications are counted by the operator. */
    const char *(*iterate)(struct nb_dual *dual, struct nb_run *run);
};

/* What a strategy has as .setup, by a function of its own that names the method, .run and .free. */
enum nb_status nb_dual_setup(void **self, const struct nb_dual_method *method,
                             struct nb_model *model, const struct nb_options *options,
                             struct nb_error *error);
/* Iterates, linearises, publishes; ends early where p is not finite (breakdown) or has stopped changing, and
 * nothing else of the method is under way. */
enum nb_status nb_dual_run(void *self, const struct nb_method_task *task, struct nb_error *error);
void nb_dual_free(void *self);

/* W as the method's sweeps or products see it. */
static inline const struct nb_bsr *nb_dual_matrix(const struct nb_dual *dual)
{
    return dual->given.matrix.value ? &dual->given.matrix : dual->step.op.matrix;
}

/* mu of the contact whose normal is row i. */
static inline nb_real nb_dual_friction(const struct nb_dual *dual, size_t i)
{
    return dual->step.model->friction[(i - dual->step.bilateral) / 3];
}

/* out [n] = W x + q */
void nb_dual_velocity(struct nb_dual *dual, const nb_real *x, nb_real *out);

/* Linearises at u(p): q, and W where J may have changed, or `first`; leaves U(p) in velocity. */
void nb_dual_linearise(struct nb_dual *dual, int first);

/* u [3 nodes] at the present p and J. */
void nb_dual_respond(struct nb_dual *dual, nb_real *u);

/* || p - P(p - U/W) || in the norm of the diagonal of W, with U in velocity and P by the bounds. */
double nb_dual_residual(const struct nb_dual *dual);

/* Ends a run with broke_down and the reason; returns 1. */
int nb_break_down(const struct nb_method_task *task, const char *reason);

#endif
