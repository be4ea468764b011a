/* The constants of the default method, in one table: what each means, its unit, and what shows that it is needed
 * or where it is from. Relative ones have no unit. Of the restart strategies (restarts.h) scripts/ablation.sh switches
 * each off. "Tuned" is: chosen on the problems that docs/notes/jammed_steps.md names, where other values moved
 * iterations from one problem to another; "safe" is: any value of its size does. */
#ifndef NB_PROXIMAL_PARAMETERS_H
#define NB_PROXIMAL_PARAMETERS_H

#include "solvers/precision.h"

/* --- proximal problems (proximal_newton.c) --- */
#define NB_PROXIMAL_REDUCTION NB_REAL(0.1) /* of the norm, after which a proximal problem counts as solved; safe      */
#define NB_PROXIMAL_STEPS 60          /* Newton steps at most in one of them; safe                                    */
#define NB_NEWTON_PATIENCE 15         /* Newton steps without progress after which it has failed; tuned               */
#define NB_NEWTON_PROGRESS NB_REAL(0.9) /* of the least norm so far counts as progress; safe                          */
#define NB_SIGMA_FIRST 1e-2           /* proximal weight over that of the contact itself: at first, at least, ...     */
#define NB_SIGMA_LEAST 1e-10
#define NB_SIGMA_MOST 1e4             /* ... at most; safe                                                            */
#define NB_SIGMA_FAILED 4             /* factor after a problem that has failed; its floor is half of it; tuned       */
#define NB_EASY_STEPS 6               /* Newton steps of an easy problem: sigma falls to 0.1, else to 0.5; tuned */
#define NB_LARGEST_TURN NB_REAL(0.5)  /* of a body in a Newton step [rad]: first order says no more                   */
#define NB_LARGEST_STRAIN NB_REAL(1.) /* of an element's edges in a Newton step, over its size: likewise              */

/* --- stagnation, and the end at round-off (proximal_newton.c) --- */
#define NB_FAR NB_REAL(1e-4)          /* of the first norm: what is above is far from a solution; tuned               */
#define NB_STAGNATION_FAR 20          /* proximal problems none of which halves the norm, far from a solution ...     */
#define NB_STAGNATION_NEAR 60         /* ... and near one: the attempt has stagnated; tuned                           */
#define NB_SOLVED NB_REAL(1e-9)       /* of the first norm: no restart of a linear step is worth while                */
#define NB_NEAR_ROUNDING 1000         /* units of round-off: near it ...                                              */
#define NB_PATIENCE_AT_ROUNDING 3     /* ... so many Newton steps without progress, and ...                           */
#define NB_STAGNATION_AT_ROUNDING 2   /* ... so many problems are enough; safe                                        */
#define NB_AT_ROUNDING 16             /* units of round-off at which no further problem is begun; safe                */
#define NB_RENEWALS 3                 /* of U from u, as in iterative refinement: soft steps (proximal_newton.md)     */
#define NB_RENEWED NB_REAL(2.)        /* the norm over what it was, from which a renewal has shown something          */
#define NB_FORCES_GROWN NB_REAL(1e3)  /* impulses over what stops the motion: they grow without bound                 */

/* --- restarts (proximal_newton.c, starting_points.c) --- */
#define NB_FIRST_ATTEMPT_STEPS 60     /* Newton steps after which the first attempt, if far, gives way to a restart   */
#define NB_HOMOTOPY_ATTEMPT_STEPS 20  /* and one from a point of the homotopy to the next point; tuned                */
#define NB_BETTER_ANCHOR NB_REAL(0.5) /* of the anchor's norm: the homotopy from an incumbent begins again there      */
#define NB_FIRST_TRY NB_REAL(0.3)     /* Newton's method is tried from the homotopy at so much of the first norm ...  */
#define NB_NEXT_TRY NB_REAL(0.2)      /* ... and then of the norm at the last try; tuned                              */
#define NB_HOMOTOPY_END NB_REAL(1e-20) /* e^-l where only round-off moves; safe                                       */
#define NB_PERTURBING_SWEEPS 100      /* so many, wherever ...                                                        */
#define NB_PERTURB_EVERY 10           /* ... so many problems since the norm was halved; tuned                        */
#define NB_WARM NB_REAL(0.1)          /* norm of a given start over that at rest, at most                             */
#define NB_MOSTLY_CLOSED 0.5          /* share of blocks from which interior points are worth their factor; safe      */

/* --- Gauss-Seidel sweeps and their cost (starting_points.c, sweep_cost.h, anderson.c) --- */
#define NB_PRESWEEPS 3                /* there and back, before Newton's method on a nonlinear step; safe             */
#define NB_SWEEP_AIM 1e-9             /* change of a sweep over the first one, at which sweeps end                    */
#define NB_SWEEP_NEWTON_STEPS 6       /* Newton steps expected for the same, with contacts ...                        */
#define NB_SWEEP_LINEAR_STEPS 2       /* ... and without                                                              */
#define NB_PLAIN_SWEEPS 3             /* before acceleration: they find which contacts close; tuned on FCLIB          */
#define NB_ANDERSON_GROWTH 4          /* of |f|^2: the sweeps before belong to another problem                        */
#define NB_ANDERSON_LARGEST 1e4       /* sum of weights: the differences are nearly parallel; safe                    */
#define NB_ANDERSON_SHIFT NB_REAL(1e-10) /* of the Gram matrix' diagonal; safe                                        */

/* --- cost model, about in cycles; measured once on the FCLIB problems, only ratios matter --- */
#define NB_COST_BLOCK 6.0             /* a 3x3 block in a sweep                                                       */
#define NB_COST_CONTACT 80.0          /* a contact's own problem in a sweep                                           */
#define NB_COST_MAP 200.0             /* a contact's map and slope in a Newton step                                   */
#define NB_COST_ENTRY 30.0            /* a Newton matrix' entry that is filled, and KLU's per entry                   */
#define NB_COST_FLOP 1.5              /* a multiplication of the LU factor                                            */

/* --- the factors of a Newton step (newton_matrix.c, dual_reduced.c) --- */
#define NB_SMALL_FACTOR 1e6           /* multiplications of an LU factor from which interior points come first        */
#define NB_TINY_FACTOR 1e5            /* and below which they are not worth their set-up                              */
#define NB_REFINEMENTS 5              /* of a step by the row basis, at most, to ...                                  */
#define NB_REFINED NB_REAL(1e-6)      /* ... so much of its residual, ...                                             */
#define NB_INEXACT NB_REAL(1e-2)      /* ... and what it may leave before the rows' own factor takes the step         */
#define NB_MOST_PAIRS 4.0             /* entries of J^T B J's assembly over those of W: memory                        */

/* --- homotopy (homotopy.c, homotopy_point.c); lengths l, and in dv/|(v, nu)| of the contacts --- */
#define NB_BARRIER_FIRST NB_REAL(1e6) /* tau_0 over a contact's energy: theta ~ 1 before weights tell; 1e4 fails      */
#define NB_SOFT_SLIP NB_REAL(1e-3)    /* eps over sqrt(tau/r); larger takes 2 to 10 times the iterations              */
#define NB_WEAK_CONTACT NB_REAL(1e-5) /* of 1/W_nn: weaker contacts are left out of the matrix; sparser               */
#define NB_BILATERAL_SIGMA NB_REAL(1e-8) /* proximal weight of bilateral rows there: redundant ones                   */
#define NB_ON_CURVE NB_REAL(0.1)      /* largest F/nu of a point on the curve, ...                                    */
#define NB_ON_CURVE_FIRST NB_REAL(0.01) /* ... and of its first point; tuned                                          */
#define NB_OTHER_CURVE NB_REAL(10.)   /* F/nu of a prediction that would come back to another curve; tuned            */
#define NB_START_STEPS 100            /* Newton steps to the first point, ...                                         */
#define NB_GEOMETRY_STEPS 10          /* ... and to the curve of the moving geometry                                  */
#define NB_START_HALVINGS 7           /* of such a step                                                               */
#define NB_START_RESCALINGS 5         /* of the contacts' r before them                                               */
#define NB_LARGEST_RESCALING NB_REAL(100.) /* factor of r at a point; safe                                            */
#define NB_CURVE_CORRECTIONS 6        /* Newton steps back to the curve; 9 no better                                  */
#define NB_MONOTONE_FROM 3            /* the correction from which the norm has to fall                               */
#define NB_LENGTH_FIRST NB_REAL(0.5)  /* of a predictor step, ...                                                     */
#define NB_LENGTH_MOST NB_REAL(3.)    /* ... at most                                                                  */
#define NB_LARGEST_DL NB_REAL(5.)     /* change of l in a step: another curve                                         */
#define NB_SHORTENINGS 15             /* of a predictor step, by three; 30 found no more                              */
#define NB_RECENTRE_AFTER 2           /* shortenings: the kept point is brought nearer the curve                      */

#endif
