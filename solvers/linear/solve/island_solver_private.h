/* What the island solver keeps: set up by island_solver.c, filled by island_matrices.c, used by island_refinement.c. */
#ifndef NB_ISLAND_SOLVER_PRIVATE_H
#define NB_ISLAND_SOLVER_PRIVATE_H

#include "problems/problem.h"
#include "solvers/driver/driver.h"
#include "solvers/linear/solve/island_solver.h"
#include "solvers/linear/solve/refinement.h"
#include "solvers/sparse/block_graph.h"

#define nb_island_solver NB(nb_island_solver)

struct nb_island {
    int blocks;
    const int *member;    /* [blocks] block rows of the operator  */
    struct nb_csr matrix; /* in double                            */
    int *source;          /* [entries] position among the operator's values */
    void *bench;
    double *b, *x;        /* [3 blocks]                           */
    struct nb_linear_report report;
    struct nb_run run;
    enum nb_status status;
    struct nb_error error;
};

struct nb_island_solver {
    struct nb_operator *op;
    const struct nb_driver *driver;
    struct nb_block_sets sets;
    struct nb_island *island;
    enum nb_solve_format format;
    int direct;
    double unit;             /* of the format                     */
    double *scale;           /* [n] S                             */
    nb_real *residual;       /* [n]                               */
    nb_real *trial;          /* [n] for the observer              */
    char choice[256];        /* of the islands' linear solver      */
    struct nb_options options;
    /* While a solve runs. */
    const struct nb_linear_task *task;
    double size;             /* of the residual at hand           */
    int done;                /* iterations before this round      */
};

#endif
