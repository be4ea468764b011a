/* What the parts of proximal_newton share: the point that moves, those that are kept, and how an attempt
 * comes to the point from which Newton's method begins. */
#ifndef NB_PROXIMAL_H
#define NB_PROXIMAL_H

#include "solvers/outer/proximal_newton/anderson.h"
#include "solvers/outer/proximal_newton/cone.h"
#include "solvers/outer/proximal_newton/cone_path.h"
#include "solvers/strategy.h"

/* Forces have grown beyond reason at so much over what stops the motion. */
#define NB_FORCES_GROWN NB_REAL(1e3)

/* A point (u, p) and its norm. */
struct NB(nb_point) {
    nb_real *p, *u, norm;
};

/* A step whose Newton iterations stay away from a solution is begun anew in another way: of a nonlinear
 * one with other limits of how far a body may turn or an element stretch in an iteration, of a linear
 * one with other weights of the proximal term or shorter steps. */
struct NB(nb_attempt) {
    double turn;    /* [rad] in one iteration                             */
    double strain;  /* of an element's edges over its size, likewise      */
    double sigma;   /* the first one, times the softness of the elements  */
    double shrink;  /* of sigma after a success; 0: by how easy it was    */
    int sweeps;     /* begin with as many sweeps as pay, else with a few  */
    int halvings;   /* of a step that does not lower the norm             */
    int stirred;    /* by sweeps where Newton stalls                      */
    double path;    /* its rate: from points of the path of cone_path.h; 0: not */
    double weight;  /* from points of its path that begins at the best one so far; 0: not */
    int again;      /* the first one, which had given way                 */
};

static inline int NB(nb_attempt_follows_path)(const struct NB(nb_attempt) *attempt)
{
    return attempt->path > 0 || attempt->weight > 0;
}

struct NB(nb_proximal) {
    struct NB(nb_cone) *cone;
    struct NB(nb_cone_path) *path;         /* NULL: the step does not have it         */
    struct NB(nb_anderson) anderson;
    struct NB(nb_point) best;   /* of this attempt, by the norm without the proximal term */
    struct NB(nb_point) centre; /* what the last proximal problem that was solved left    */
    struct NB(nb_point) former; /* of the attempts before                                 */
    nb_real *previous;          /* [rows] p of the outer iteration before                 */
    nb_real start;              /* the norm at p = 0                                      */
    int sweeps_first;           /* the setting                                            */
    int attempt;
    const struct NB(nb_attempt) *way;
    double sigma, floor;
    double momentum;            /* t_k of the extrapolation; 0: none                      */
    nb_real path_norm;          /* of the path's last point; 0: it is not begun           */
    nb_real anchor_norm;        /* of the point where it begins, with a weight            */
    int path_ended;             /* no point of it is left to try                          */
    int begun;                  /* iterations before this attempt's Newton steps          */
    int renewals;               /* of U, near round-off                                   */
    int gave_way;               /* the first attempt, before its end                      */
    int waited;                 /* outer iterations since one halved the norm             */
    int sweeping;               /* p alone is the point, u and the norm are not known     */
    int stop;                   /* the observer wants no more                             */
};

/* The model must outlive it. Also where this fails *self is to be freed. */
enum nb_status NB(nb_proximal_create)(struct NB(nb_proximal) **self, struct NB(nb_model) *model,
                                      enum nb_inner_method inner, struct nb_error *error);
void NB(nb_proximal_free)(void *self);

void NB(nb_point_keep)(const struct NB(nb_cone) *cone, struct NB(nb_point) *point, nb_real norm);
void NB(nb_point_restore)(struct NB(nb_cone) *cone, const struct NB(nb_point) *point);

/* Size of the impulses in the norm's measure, and of what they had to stop. */
nb_real NB(nb_proximal_scale)(const struct NB(nb_cone) *cone, nb_real start);

/* The point evaluated last becomes the best one, where it is; and the centre, whatever its norm. */
void NB(nb_proximal_keep_best)(struct NB(nb_proximal) *self);
void NB(nb_proximal_keep_centre)(struct NB(nb_proximal) *self);

/* The best point becomes the task's result, lambda = p/h; published: its observer is shown it. */
void NB(nb_proximal_hand_out)(const struct NB(nb_proximal) *self,
                              const struct NB(nb_method_task) *task);
void NB(nb_proximal_publish)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task);

int NB(nb_proximal_may_continue)(const struct NB(nb_proximal) *self,
                                 const struct NB(nb_method_task) *task);

/* --- ways to a first point (proximal_start.c) --- */

/* A few sweeps, there and back, with the Jacobian of u~. */
void NB(nb_proximal_sweep_a_little)(struct NB(nb_proximal) *self,
                                    const struct NB(nb_method_task) *task);

/* The exact step, sweep by sweep, in one direction, which is faster than there and back, and accelerated
 * (anderson.h). Zero where the run ends before sweeps have ceased to pay. */
int NB(nb_proximal_sweep)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task);

/* Accelerated sweeps from the present point, which becomes the centre whatever its norm. */
void NB(nb_proximal_stir)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task);

/* Along the path of cone_path.h to where the next try of Newton's method pays. */
void NB(nb_proximal_go_along)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task);

/* The task's start, where it is much nearer a solution than p = 0 is (not 0); else the point stays. */
int NB(nb_proximal_take_start)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task);

/* What these have left becomes the point from which Newton's method goes on. */
void NB(nb_proximal_hand_over)(struct NB(nb_proximal) *self, const struct NB(nb_method_task) *task);

#endif
