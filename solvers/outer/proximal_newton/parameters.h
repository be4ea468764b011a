/* The constants of the default method and of interior_point, all of them in one table, which
 * docs/reference/constants.md shows: value, meaning, and behind the last semicolon what stands behind the value:
 *
 *     measured   once, on the FCLIB problems
 *     tuned      chosen on the problems that docs/notes/jammed_steps.md and proximal_newton.md name, where other values
 *                moved iterations from one problem to another or lost some
 *     safe       any value of its size does
 *     unvaried   no comparison with other values is kept
 *
 * Relative ones have no unit. scripts/docs.py refuses numbers elsewhere in the default's files, and constants here that
 * nothing reads. */
#ifndef NB_PROXIMAL_PARAMETERS_H
#define NB_PROXIMAL_PARAMETERS_H

/* --- proximal problems (proximal_newton.c) --- */
#define NB_PROXIMAL_REDUCTION NB_REAL(0.1) /* of the norm it starts with: a proximal problem is solved; safe */
#define NB_PROXIMAL_STEPS 60               /* Newton steps at most in a proximal problem; safe */
#define NB_NEWTON_PATIENCE 15              /* Newton steps without progress: the problem has failed; tuned */
#define NB_NEWTON_PROGRESS NB_REAL(0.9)    /* of the least norm so far counts as progress; safe */
#define NB_SIGMA_FIRST 1e-2                /* proximal weight over that of the contact itself, at first; unvaried */
#define NB_SIGMA_LEAST 1e-10               /* the same, at least; unvaried */
#define NB_SIGMA_MOST 1e4                  /* the same, at most; safe */
#define NB_SIGMA_FAILED 4 /* times the weight after a problem that failed; half of it is the floor; tuned */
#define NB_SIGMA_EASY 0.1                  /* times the weight after an easy problem; tuned */
#define NB_SIGMA_SOLVED 0.5                /* times the weight after another that is solved; tuned */
#define NB_FLOOR_EASY 0.7                  /* times the floor of the weight after an easy problem; unvaried */
#define NB_FLOOR_SINKS 0.9                 /* times that floor after another; unvaried */
#define NB_EASY_STEPS 6                    /* Newton steps at most of an easy problem; tuned */
#define NB_LARGEST_TURN NB_REAL(0.5)       /* of a body in a Newton step [rad]: first order says no more; tuned */
#define NB_LARGEST_STRAIN NB_REAL(1.0) /* of an element's edges in a Newton step, over its size: likewise; tuned */

/* --- stagnation, and the end at round-off (proximal_newton.c, proximal_state.c) --- */
#define NB_FAR NB_REAL(1e-4)               /* of the first norm: what is above is far from a solution; tuned */
#define NB_STAGNATION_FAR 20 /* problems none of which halves the norm, far from a solution: an attempt ends; tuned */
#define NB_STAGNATION_NEAR 60              /* the same near one; tuned */
#define NB_SOLVED NB_REAL(1e-9)            /* of the first norm: no restart of a linear step is worth while; unvaried */
#define NB_NEAR_ROUNDING 1000              /* units of round-off: near it; unvaried */
#define NB_PATIENCE_AT_ROUNDING 3          /* Newton steps without progress there; safe */
#define NB_STAGNATION_AT_ROUNDING 2        /* problems that do not halve the norm there; safe */
#define NB_AT_ROUNDING 16                  /* units of round-off at which no further problem begins; safe */
#define NB_RENEWALS 3 /* of U from u, as in iterative refinement, on soft steps (proximal_newton.md); unvaried */
#define NB_RENEWED NB_REAL(2.0)            /* the norm over what it was: a renewal has shown something; unvaried */
#define NB_FORCES_GROWN NB_REAL(1e3)       /* impulses over what stops the motion: they grow without bound; unvaried */
#define NB_EARNED NB_REAL(0.5)             /* of the incumbent's norm, which such a point has to be below; unvaried */
#define NB_UNSOLVED 1e-3                   /* of the first norm, left with such forces: the message says so; unvaried */

/* --- restarts (proximal_newton.c, starting_points.c, softening.c, restarts.h) --- */
#define NB_FIRST_ATTEMPT_STEPS 60          /* Newton steps: the first attempt, if far, gives way to a restart; tuned */
#define NB_HOMOTOPY_ATTEMPT_STEPS 20       /* Newton steps: one from a point of the homotopy to the next point; tuned */
#define NB_BETTER_ANCHOR NB_REAL(0.5)      /* of the anchor's norm: the homotopy begins again from there; unvaried */
#define NB_FIRST_TRY NB_REAL(0.3) /* of the first norm, where Newton's method is first tried from a homotopy; tuned */
#define NB_NEXT_TRY NB_REAL(0.2)           /* of the norm at the last try: the next; tuned */
#define NB_HOMOTOPY_END NB_REAL(1e-20)     /* e^-l where only round-off moves; safe */
#define NB_RELAXATION_RATE 0.5 /* rate of the homotopy from the convex relaxation; 1 solves no more; tuned */
#define NB_SLOW_RATE 0.35                  /* rate of its second try; tuned */
#define NB_INCUMBENT_WEIGHT 0.1 /* of the homotopy from the incumbent, at first; 0.01 before it is a loss; tuned */
#define NB_SOFTER NB_REAL(16.0)            /* softness first tried; times that of a path that failed; tuned */
#define NB_SOFTEST NB_REAL(1e6)            /* the same at most; unvaried */
#define NB_STIFFENED NB_REAL(1.5)          /* softness over that of the next point of a path, at first; tuned */
#define NB_STIFFENED_LEAST NB_REAL(1.02)   /* the same at least: the path has failed; unvaried */
#define NB_PERTURBING_SWEEPS 100           /* sweeps that perturb; tuned */
#define NB_PERTURB_EVERY 10                /* problems since the norm was halved between them; tuned */
#define NB_WARM NB_REAL(0.1)               /* norm of a given start over that at rest, at most; unvaried */

/* --- Gauss-Seidel sweeps and their cost (starting_points.c, sweep_cost.h, anderson.c) --- */
#define NB_PRESWEEPS 3                     /* there and back, before Newton's method on a nonlinear step; safe */
#define NB_SWEEP_AIM 1e-9                  /* change of a sweep over the first one, at which sweeps end; unvaried */
#define NB_SWEEP_NEWTON_STEPS 6            /* Newton steps expected for the same, with contacts; unvaried */
#define NB_SWEEP_LINEAR_STEPS 2            /* the same without contacts; unvaried */
#define NB_SWEEP_WINDOW 4                  /* sweeps whose changes give the rate; unvaried */
#define NB_SWEEP_LIMIT 40 /* sweeps from which they end once they have cost as much as Newton's method; unvaried */
#define NB_SWEEP_TRIAL_SHARE 0.125         /* of that cost, before which no prediction counts; unvaried */
#define NB_PLAIN_SWEEPS 3                  /* before acceleration: they find which contacts close; tuned */
#define NB_ANDERSON_WINDOW 3 /* differences of sweeps; 1, 2, 5, 8 are a tenth to a third better or worse; safe */
#define NB_ANDERSON_GROWTH 4               /* of |f|^2: the sweeps before belong to another problem; unvaried */
#define NB_ANDERSON_LARGEST 1e4            /* sum of weights: the differences are nearly parallel; safe */
#define NB_ANDERSON_SHIFT NB_REAL(1e-10)   /* of the Gram matrix' diagonal; safe */

/* --- cost model, about in cycles; only ratios matter --- */
#define NB_COST_BLOCK 6.0                  /* a 3x3 block in a sweep; measured */
#define NB_COST_CONTACT 80.0               /* a contact's own problem in a sweep; measured */
#define NB_COST_MAP 200.0                  /* a contact's map and slope in a Newton step; measured */
#define NB_COST_ENTRY 30.0                 /* a Newton matrix' entry that is filled, and KLU's per entry; measured */
#define NB_COST_FLOP 1.5                   /* a multiplication of the LU factor; measured */

/* --- the factors of a Newton step (newton_matrix.c, dual_reduced.c, reduced_matrix.c) --- */
#define NB_SMALL_FACTOR 1e6 /* multiplications of an LU factor from which interior points come first; unvaried */
#define NB_TINY_FACTOR 1e5                 /* and below which they are not worth their set-up; unvaried */
#define NB_REFINEMENTS 5                   /* of a step by the row basis, at most; unvaried */
#define NB_REFINED NB_REAL(1e-6)           /* of its residual: it is refined; unvaried */
#define NB_INEXACT NB_REAL(1e-2)           /* of it that is left: the rows' own factor takes the step; unvaried */
#define NB_MOST_PAIRS 4.0                  /* entries of J^T B J's assembly over those of W: memory; unvaried */

/* --- interior points (interior_point.c, interior_point/interior.c, starting_points.c) --- */
#define NB_INTERIOR_PATIENCE 20            /* iterations without a better point: they end; unvaried */
#define NB_INTERIOR_LIMIT 400              /* iterations of the method by itself, at most; unvaried */
#define NB_BOUNDARY NB_REAL(0.9)           /* of the way to the boundary of the cones that a step takes; unvaried */
#define NB_INFEASIBLE_SHARE NB_REAL(0.3)   /* of the infeasible part of the gap that tau has at least; unvaried */
#define NB_BILATERAL_SIGMA NB_REAL(1e-8) /* weight of bilateral rows here and in homotopies: redundant ones; unvaried */

/* --- homotopy (homotopy.c, homotopy_point.c); lengths l, and in dv/|(v, nu)| of the contacts --- */
#define NB_BARRIER_FIRST NB_REAL(1e6) /* tau_0 over a contact's energy: theta ~ 1 before weights; 1e4 fails; tuned */
#define NB_SOFT_SLIP NB_REAL(1e-3)         /* eps over sqrt(tau/r); larger takes 2 to 10 times the iterations; tuned */
#define NB_WEAK_CONTACT NB_REAL(1e-5)      /* of 1/W_nn: weaker contacts are left out of the matrix; unvaried */
#define NB_ON_CURVE NB_REAL(0.1)           /* largest F/nu of a point on the curve; tuned */
#define NB_ON_CURVE_FIRST NB_REAL(0.01)    /* the same of its first point; tuned */
#define NB_OTHER_CURVE NB_REAL(10.0)       /* F/nu of a prediction that would come back to another curve; tuned */
#define NB_START_STEPS 100                 /* Newton steps to the first point; unvaried */
#define NB_GEOMETRY_STEPS 10               /* Newton steps to the curve of the moving geometry; unvaried */
#define NB_START_HALVINGS 7                /* of such a step; unvaried */
#define NB_START_RESCALINGS 5              /* of the contacts' r before them; unvaried */
#define NB_LARGEST_RESCALING NB_REAL(100.0) /* factor of r at a point; safe */
#define NB_CURVE_CORRECTIONS 6             /* Newton steps back to the curve; 9 are no better; tuned */
#define NB_MONOTONE_FROM 3                 /* the correction from which the norm has to fall; unvaried */
#define NB_LENGTH_FIRST NB_REAL(0.5)       /* of a predictor step; unvaried */
#define NB_LENGTH_MOST NB_REAL(3.0)        /* of a predictor step, at most; unvaried */
#define NB_LENGTH_EASY NB_REAL(1.6)        /* times the last length after two corrections or fewer; unvaried */
#define NB_LENGTH_FAIR NB_REAL(1.1)        /* after three; unvaried */
#define NB_LENGTH_HARD NB_REAL(0.6)        /* after more; unvaried */
#define NB_LARGEST_DL NB_REAL(5.0)         /* change of l in a step: another curve; unvaried */
#define NB_SHORTENINGS 15                  /* of a predictor step, by three; 30 found no more; safe */
#define NB_RECENTRE_AFTER 2                /* shortenings: the kept point is brought nearer the curve; unvaried */

#endif
