/* What precision allows in A x = b solved once, without refinement, for the equilibrated B = S A S, y = S^-1 x,
 * c = S b, relative to c and to y, delta the unit of the run's precision:
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

#include "problems/base/status.h"
#include "problems/problem.h"

/* x* of A x = b, the reference that forward errors of linear systems are measured against: right to the
 * round-off of float64, or said not to be.
 *
 * A factor of B = S A S, S the powers of two next to |diag A|^-1/2, is refined with residuals and sums in
 * quad precision (Wilkinson 1963; Higham 2002, section 12.1),
 *
 *     r = c - B y,    y += (L L^T)^-1 r,    c = S b,  x = S y,
 *
 * until the correction is below 2^-70 of y, or below 2^-58 and no longer falling, which comes about where the
 * condition number of B is below that of a matrix that double cannot tell from a singular one. The factor only
 * speeds this up: CHOLMOD's Cholesky, then its L D L^T, then for up to NB_EXACT_DENSE rows an LU factor in
 * quad. */

/* Rows of the largest dense factor in quad: some seconds. */
#define NB_EXACT_DENSE 512

struct nb_exact; /* opaque: S, B and its factor */

struct nb_exact_report {
    const char *method;   /* "cholesky", "ldlt", "quad lu", or "none"; static storage      */
    int refinements;      /* corrections made                                              */
    double change;        /* the last one, ||dy||_inf / ||y||_inf                          */
    double condition;     /* ||B||_inf ||B^-1||_inf, the latter estimated from below       */
    int converged;        /* 0: x is not a reference                                       */
};

/* A: square, symmetric up to rounding, borrowed by nobody. NB_BREAKDOWN where it has an entry that is not
 * finite. */
enum nb_status nb_exact_create(struct nb_exact **exact, const struct nb_csr *matrix,
                               struct nb_error *error);
void nb_exact_free(struct nb_exact *exact);

/* b, x [rows]. Not converging is a result: NB_OK, and the report says so. */
enum nb_status nb_exact_solve(struct nb_exact *exact, const double *b, double *x,
                              struct nb_exact_report *report, struct nb_error *error);

/* S [rows] and B. */
const double *nb_exact_scale(const struct nb_exact *exact);
const struct nb_csr *nb_exact_matrix(const struct nb_exact *exact);

/* || |B^-1| g ||_inf, g [rows] >= 0, NULL: ones; after a solve that converged. LAPACK's estimator
 * (Higham 1988), a bound from below that is rarely off by more than 3. */
double nb_exact_inverse(struct nb_exact *exact, const double *g);

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
/* Of A as it is: what powers of two scale has the same digits. */
struct nb_error_linear nb_error_linear_of(const struct nb_csr *matrix, const double *b,
                                          const double *solution, const double *x);

#endif
