/* What a solve in parts keeps: set up by parts.c, filled by parts_values.c, used by parts_solve.c. */
#ifndef NB_PARTS_PRIVATE_H
#define NB_PARTS_PRIVATE_H

#include "problems/problem.h"
#include "solvers/driver/driver.h"
#include "solvers/linear/engine/parts.h"
#include "solvers/linear/engine/refinement.h"
#include "solvers/sparse/block_graph.h"

struct nb_part {
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

struct NB(nb_parts) {
    struct NB(nb_operator) *op;
    const struct nb_driver *driver;
    struct nb_block_sets sets;
    struct nb_part *part;
    enum nb_solve_format format;
    int direct;
    double unit;             /* of the format                     */
    double *scale;           /* [n] S                             */
    nb_real *residual;       /* [n]                               */
    nb_real *trial;          /* [n] for the observer              */
    char choice[256];        /* of the parts' linear solver       */
    struct nb_options options;
    /* While a solve runs. */
    const struct NB(nb_linear_task) *task;
    double size;             /* of the residual at hand           */
    int done;                /* iterations before this round      */
};

#endif
