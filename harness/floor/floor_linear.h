/* What precision allows in A x = b solved once, without refinement, for the equilibrated B = S A S, y = S^-1 x,
 * c = S b (harness/floor/exact_linear.h), relative to c and to y, delta the unit of the run's precision:
 *
 *     norm-wise        residual  delta ||B|| ||y*|| / ||c||         forward  delta ||B|| ||B^-1||
 *     component-wise   residual  delta || |B||y*| + |c| || / ||c||
 *                      forward   delta || |B^-1| (|B||y*| + |c|) || / ||y*||
 *
 * the component-wise residual in the 2-norm, too, in which traces of residuals are; all other norms L-infinity, those
 * of B^-1 estimated from below (Higham 2002, sections 7.1, 7.2 and 15.3; Tisseur
 * 2001). A solver that reaches them has solved a system that is the given one to round-off. */
#ifndef NB_FLOOR_LINEAR_H
#define NB_FLOOR_LINEAR_H

#include "harness/floor/exact_linear.h"

struct nb_floor_linear {
    double residual, forward;                      /* norm-wise      */
    double component_residual, component_forward;  /* component-wise */
    double component_norm;                         /* the residual's in the 2-norm */
};

/* How far an x is from the solution, in the same norms. */
struct nb_error_linear {
    double residual; /* ||S (b - A x)|| / ||S b||           */
    double forward;  /* ||S^-1 (x - x*)|| / ||S^-1 x*||     */
};

/* After nb_exact_solve has converged to x*. work [rows]. Zeros where b = 0. */
struct nb_floor_linear nb_floor_linear_at(struct nb_exact *exact, const double *b,
                                          const double *solution, double unit_roundoff, double *work);
/* Floors at another round-off: each is proportional to it. */
struct nb_floor_linear nb_floor_linear_times(const struct nb_floor_linear *floor, double factor);
struct nb_error_linear nb_error_linear_of(const struct nb_exact *exact, const double *b,
                                          const double *solution, const double *x);

#endif
