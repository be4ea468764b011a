/* What the parts of nb_problem_linearize share: sparse rows, and what becomes of bilateral ones. */
#ifndef NB_LINEARIZE_ROWS_H
#define NB_LINEARIZE_ROWS_H

#include "problems/problem.h"

/* A row of a Jacobian: two sides of six velocities or of three particles each at most. */
enum { NB_ROW_ENTRIES = 18 };
struct nb_sparse_row {
    int count;
    int column[NB_ROW_ENTRIES];
    double value[NB_ROW_ENTRIES];
};

/* Adds `count` values at consecutive columns from `first`. */
void nb_row_add(struct nb_sparse_row *row, int first, int count, const double *values);

/* Writes it as row `at` of a matrix that is filled row after row: columns ascend, repeats are
 * added. *entries counts those of the matrix. */
void nb_row_append(const struct nb_sparse_row *row, struct nb_csr *matrix, int at, int *entries);

/* The bilateral rows of a step on their way into the linear one: those without compliance to G and
 * b, the others into M and f (linearize_bilaterals.c). */
struct nb_bilaterals {
    struct nb_linear_step *step;
    double time_step, unit_roundoff;
    int rigid, entries;  /* rows and entries of G so far        */
    struct nb_triplets mass; /* that M is to be added           */
    enum nb_status status;
    struct nb_error *error; /* borrowed; may be NULL */
};

/* One row of value c at q- and compliance E; E = 0 makes it rigid. dataset, entry and number are
 * for the message where E is too small to be folded: where h^2/E is not finite, or M would be rounding beside
 * it, E < unit_roundoff h^2 J M^-1 J^T. */
void nb_bilaterals_add(struct nb_bilaterals *bilaterals, const struct nb_sparse_row *row,
                       double value, double compliance, const char *dataset, int entry,
                       int number);

/* M += stiffness [n x n] h^2 at the velocities index [n], f -= h force [n]: an element's. */
void nb_bilaterals_fold(struct nb_bilaterals *bilaterals, int n, const int *index,
                        const double *stiffness, const double *force);

/* linearize_joints.c, linearize_deformables.c */
void nb_linearize_joints(const struct nb_problem *problem, struct nb_bilaterals *bilaterals);
void nb_linearize_deformables(const struct nb_problem *problem, struct nb_bilaterals *bilaterals);

/* Bilateral rows without compliance. */
int nb_count_rigid(const struct nb_problem *problem);

/* G, b and what is folded into M and f, for which there is room. */
enum nb_status nb_linearize_bilaterals(const struct nb_problem *problem, double unit_roundoff,
                                       struct nb_linear_step *step, struct nb_error *error);

/* The velocities of soft contacts behind all others (linearize_compliance.c); the last that is done to the step. */
enum nb_status nb_linearize_compliance(const struct nb_problem *problem, struct nb_linear_step *step,
                                       struct nb_error *error);

#endif
