/* What the parts of proximal_newton share: the iterate, the incumbents, and how an attempt comes to the point from
 * which Newton's method begins. */
#ifndef NB_PROXIMAL_STATE_H
#define NB_PROXIMAL_STATE_H

#include "solvers/outer/proximal_newton/anderson.h"
#include "solvers/outer/interior_point/interior.h"
#include "solvers/outer/proximal_newton/homotopy.h"
#include "solvers/outer/proximal_newton/nonsmooth_system.h"
#include "solvers/outer/proximal_newton/restarts.h"
#include "solvers/strategy.h"

/* In the precision at hand. */
#define nb_iterate NB(nb_iterate)
#define nb_iterate_restore NB(nb_iterate_restore)
#define nb_iterate_save NB(nb_iterate_save)
#define nb_proximal NB(nb_proximal)
#define nb_proximal_best NB(nb_proximal_best)
#define nb_proximal_begin_newton NB(nb_proximal_begin_newton)
#define nb_proximal_create NB(nb_proximal_create)
#define nb_proximal_follow_homotopy NB(nb_proximal_follow_homotopy)
#define nb_proximal_follow_interior NB(nb_proximal_follow_interior)
#define nb_proximal_free NB(nb_proximal_free)
#define nb_proximal_may_continue NB(nb_proximal_may_continue)
#define nb_proximal_perturb NB(nb_proximal_perturb)
#define nb_proximal_presweep NB(nb_proximal_presweep)
#define nb_proximal_publish NB(nb_proximal_publish)
#define nb_proximal_scale NB(nb_proximal_scale)
#define nb_proximal_set_aside NB(nb_proximal_set_aside)
#define nb_proximal_set_centre NB(nb_proximal_set_centre)
#define nb_softening_apply NB(nb_softening_apply)
#define nb_softening_begin NB(nb_softening_begin)
#define nb_softening_lay_out NB(nb_softening_lay_out)
#define nb_softening_next NB(nb_softening_next)
#define nb_proximal_sweep NB(nb_proximal_sweep)
#define nb_proximal_update_incumbent NB(nb_proximal_update_incumbent)
#define nb_proximal_warm_start NB(nb_proximal_warm_start)
#define nb_proximal_wants_interior NB(nb_proximal_wants_interior)
#define nb_proximal_write_solution NB(nb_proximal_write_solution)

/* A point (u, p) and its norm. */
struct nb_iterate {
    nb_real *p, *u, norm;
};

/* Compliant rows are taken as softness >= 1 times as soft as they are (softening.c). */
struct nb_softening {
    nb_real *compliance;       /* [9 bilateral blocks] E/h^2 as it is; NULL: no distance is compliant */
    nb_real softness;          /* of the model now                                                */
    nb_real first, ratio;      /* where this path began; softness over the next one               */
    nb_real reached;           /* the stiffest of the path that is solved; 0: none                */
    struct nb_iterate solved;  /* its solution                                                    */
};

struct nb_proximal {
    struct nb_nonsmooth *system;
    struct nb_homotopy *homotopy;  /* NULL: the step does not have it                             */
    struct nb_interior *interior;  /* NULL: the step's matrix cannot be symmetric                 */
    struct nb_softening soft;
    struct nb_anderson anderson;
    void *memory;                  /* of the arrays below and those that the other two lay out    */
    struct nb_iterate incumbent;   /* of this attempt, by the norm without the proximal term      */
    struct nb_iterate centre;      /* what the last proximal problem that was solved left         */
    struct nb_iterate earlier;     /* incumbent of the attempts before                            */
    struct nb_iterate astray;      /* a solution that was set aside; its norm is infinite: none was */
    nb_real *previous;             /* [rows] p of the outer iteration before                      */
    nb_real start;                 /* the norm at p = 0                                           */
    int followed;                  /* whether there were interior points in this run              */
    int sweeps_first, interior_first, skipped; /* settings: skipped is a restart strategy, 0: none */
    int restart;                   /* strategy of this attempt, in nb_restarts; 0: the first one  */
    double sigma, floor;           /* proximal weight, relative, and its present least            */
    double momentum;               /* t_k of the extrapolation; 0: none                           */
    nb_real homotopy_norm;         /* of the homotopy's last point; 0: it is not begun            */
    nb_real anchor_norm;           /* of the incumbent where a homotopy begins                    */
    int homotopy_ended;            /* no point of it is left to try                               */
    int begun;                     /* iterations before this attempt's Newton steps               */
    int renewals;                  /* of U, near round-off                                        */
    int stagnant;                  /* outer iterations since one halved the norm                  */
    int sweeping;                  /* p alone is the point, u and the norm are not known          */
    int stop;                      /* the observer wants no more                                  */
};

/* The model must outlive it. Also where this fails *self is to be freed. */
enum nb_status nb_proximal_create(struct nb_proximal **self, struct NB(nb_model) * model, struct nb_error *error);
void nb_proximal_free(void *self);

void nb_iterate_save(const struct nb_nonsmooth *system, struct nb_iterate *point, nb_real norm);
void nb_iterate_restore(struct nb_nonsmooth *system, const struct nb_iterate *point);

/* Size of the impulses in the norm's measure, and of what they had to stop. */
nb_real nb_proximal_scale(const struct nb_nonsmooth *system, nb_real start);

/* The point evaluated last becomes the incumbent, where it is better; and the centre, whatever its norm. */
void nb_proximal_update_incumbent(struct nb_proximal *self);
void nb_proximal_set_centre(struct nb_proximal *self);

/* Whether the incumbent, of a homotopy, is a solution that strays (nb_nonsmooth_strays): it is set aside then, for
 * where no attempt finds another. */
int nb_proximal_set_aside(struct nb_proximal *self);

/* The better of the incumbents of all attempts, or the one that was set aside where they are no solution. */
const struct nb_iterate *nb_proximal_best(const struct nb_proximal *self);

/* The best point becomes the task's result, lambda = p/h; published: its observer is shown it. */
void nb_proximal_write_solution(const struct nb_proximal *self, const struct NB(nb_method_task) *task);
void nb_proximal_publish(struct nb_proximal *self, const struct NB(nb_method_task) *task);

int nb_proximal_may_continue(const struct nb_proximal *self, const struct NB(nb_method_task) *task);

/* --- where Newton's method begins (starting_points.c) --- */

/* A few sweeps, there and back, with the Jacobian of u~. */
void nb_proximal_presweep(struct nb_proximal *self, const struct NB(nb_method_task) *task);

/* The exact step, sweep by sweep, in one direction, which is faster than there and back, and accelerated
 * (anderson.h). Zero where the run ends before sweeps have ceased to pay. */
int nb_proximal_sweep(struct nb_proximal *self, const struct NB(nb_method_task) *task);

/* Whether to begin with interior points, where the step has them: its LU factor is dear, it is far from a solution, and
 * most of its blocks are closed: open ones make Newton's factor cheaper, and not theirs. */
int nb_proximal_wants_interior(const struct nb_proximal *self);

/* From the beginning by interior points, until one is solved, they stagnate, or there is no next one; the incumbent
 * becomes the present point, if they have found a better one, else the centre. */
void nb_proximal_follow_interior(struct nb_proximal *self, const struct NB(nb_method_task) *task);

/* Accelerated sweeps from the present point, which becomes the centre whatever its norm. */
void nb_proximal_perturb(struct nb_proximal *self, const struct NB(nb_method_task) *task);

/* Along the homotopy of the attempt to where the next try of Newton's method is worth while. */
void nb_proximal_follow_homotopy(struct nb_proximal *self, const struct NB(nb_method_task) *task);

/* The task's start, where it is much nearer a solution than p = 0 is (not 0); else the point stays. Only the first
 * attempt begins so. */
int nb_proximal_warm_start(struct nb_proximal *self, const struct NB(nb_method_task) *task);

/* --- softer distances (softening.c) --- */

/* Its arrays, where the step is nonlinear and has compliant distances. */
void nb_softening_lay_out(struct nb_proximal *self, struct nb_arena *arena);

/* Compliant rows become so many times as soft as they are; 1: as they are. */
void nb_softening_apply(struct nb_proximal *self, nb_real softness);

/* The next point of the path: where its last one was solved; zero: it is the first one of a path. */
int nb_softening_begin(struct nb_proximal *self, const struct NB(nb_method_task) *task);

/* After a point of the path, or the step itself, which was tried from it: the softness to come. Zero: no path is left,
 * and the rows are as they are. */
int nb_softening_next(struct nb_proximal *self);

/* What these have left becomes the point from which Newton's method goes on. */
void nb_proximal_begin_newton(struct nb_proximal *self, const struct NB(nb_method_task) *task);

#endif
