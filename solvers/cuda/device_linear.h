/* The border between the C code and the CUDA one: linear solvers on a matrix of 3x3 blocks,
 *
 *     A x = b,  P = diag A or its 3x3 diagonal blocks,   A assembled or A = G H^-1 G^T + C with G = L J
 *
 * Errors are values: every call of the CUDA runtime is checked. */
#ifndef NB_CUDA_DEVICE_LINEAR_H
#define NB_CUDA_DEVICE_LINEAR_H

#include "solvers/solve.h"

enum nb_cuda_method {
    NB_CUDA_PCR,         /* solvers/linear/pcr.c                                                 */
    NB_CUDA_PCG,         /* solvers/linear/pcg.c; after a breakdown x is the last iterate        */
    NB_CUDA_JACOBI,      /* solvers/linear/jacobi.c                                              */
    NB_CUDA_GAUSS_SEIDEL /* block rows by colours, three rows of a block in order; A is assembled */
};

/* How the device is driven: by a persistent kernel, that is one launch for all iterations, or by NVIDIA's libraries. */
enum nb_cuda_by {
    NB_CUDA_BY_AUTO,   /* a block where its shared memory has room, else the grid          */
    NB_CUDA_BY_GRID,   /* all multiprocessors, the system in global memory                 */
    NB_CUDA_BY_BLOCK,  /* one block of threads, all of the system in its shared memory     */
    NB_CUDA_BY_LIBRARY /* cuSPARSE and cuBLAS, every scalar awaited by the host; PCR with A assembled */
};

/* How the device stores A, or where A is not assembled G: in its own type, or in 16 bits that are widened
 * when read. H^-1 and C stay in the type: they are few, and span more than 16 bits do. */
enum nb_cuda_storage { NB_CUDA_SAME, NB_CUDA_F16, NB_CUDA_BF16 };

/* The pattern of A, or of G by rows and by nodes, and the type of its numbers. Borrowed during create only. */
struct nb_cuda_pattern {
    int single;        /* float; otherwise double                     */
    int wide;          /* P has 3x3 blocks; otherwise it is a diagonal */
    enum nb_cuda_storage storage;
    enum nb_cuda_by by;
    int rows;          /* in blocks, > 0                              */
    const int *start;  /* [rows + 1]                                  */
    const int *column; /* [start[rows]]                               */
    int nodes;         /* columns of G; 0: A is assembled, and what follows is not looked at */
    const int *node_start, *node_entry, *node_row; /* blocks of each node, and their rows [nodes + 1],
                                                      [start[rows]] */
};

/* In host memory, of the pattern's type but where said. */
struct nb_cuda_values {
    const void *value;        /* [9 start[rows]] row-major blocks of A or of G, in the storage's type  */
    const void *inverse;      /* [3 rows] 1 / diag A (Jacobi: omega / diag A), or where wide [9 rows]  */
    const void *weight;       /* [3 rows] 1 / diag A, of the norm of residuals                         */
    const void *inverse_mass; /* [9 nodes] H^-1                                                        */
    const void *compliance;   /* [9 rows] C; both only where A is not assembled                        */
};

/* Arrays are of the pattern's type, in host memory. */
struct nb_cuda_task {
    const void *b;     /* [3 rows]                                    */
    void *x;           /* [3 rows] in: the start; out: the result, unchanged where CUDA failed */
    int iterations;    /* at most                                     */
    double tolerance;  /* relative, in the norm of (diag A)^-1; 0: only where arithmetic ends     */
    void (*observe)(void *context, int iteration, const void *x); /* or NULL */
    void *context;
};

struct nb_cuda_linear; /* opaque */

/* Allocates on the device all that later calls need. NB_UNSUPPORTED without a device, and for what a method has not. */
enum nb_status nb_cuda_linear_create(struct nb_cuda_linear **solver, enum nb_cuda_method method,
                                     const struct nb_cuda_pattern *pattern, struct nb_error *error);

/* New values: copies them. */
enum nb_status nb_cuda_linear_update(struct nb_cuda_linear *solver, const struct nb_cuda_values *values,
                                     struct nb_error *error);

/* Copies b and x to the device, iterates, copies x back, and returns when that is done. Where CUDA
 * fails x stays and the ending is NB_LINEAR_FAILED, whose detail is CUDA's own text. */
struct nb_linear_report nb_cuda_linear_solve(struct nb_cuda_linear *solver, const struct nb_cuda_task *task);

void nb_cuda_linear_free(struct nb_cuda_linear *solver);

#endif
