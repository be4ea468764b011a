/* The border between cuda_newton's C code and the device: one time step that stays there
 * (solvers/cuda/step/step_stages.cuh). Errors are values. */
#ifndef NB_CUDA_STEP_H
#define NB_CUDA_STEP_H

#include "problems/islands.h"
#include "solvers/cuda/pcr.h"
#include "solvers/delassus/delassus.h"
#include "solvers/linear/solve/refinement.h"
#include "solvers/model/model.h"
#include "solvers/solve.h"

enum nb_cuda_parts {
    NB_CUDA_PARTS_AUTO,   /* islands where each fits the shared memory, else whole */
    NB_CUDA_PARTS_WHOLE,  /* one system by the whole grid, or by a block where it fits */
    NB_CUDA_PARTS_ISLANDS /* a block an island                                     */
};

struct NB(nb_cuda_step_options) {
    enum nb_cuda_method method;              /* Cholesky: an assembled A, at most NB_DENSE_LIMIT rows
                                                a part                                                */
    int minimum, true_form, wide;            /* minimum map; newton-form=true; 3x3 preconditioner     */
    enum nb_cuda_storage storage;            /* of the matrix, or of L J; P^-1 is of unrounded blocks */
    enum nb_solve_format format;             /* other than SAME: PCR, PCG or Cholesky                 */
    int linear_iterations;                   /* at most                                               */
    int threads;                             /* of a block; 0: 512, or 256 where there are islands    */
    enum nb_cuda_parts parts;
    enum nb_cuda_place place;                /* of a part's linear system                             */
    int graph;                               /* a graph of kernels in place of one launch; whole step */
    nb_real omega;                           /* of Gauss-Seidel; 0: estimated as sor's on the CPU; 1
                                                for all else                                          */
    int diagonal_stiffness;                  /* geometric, of particles: section 8.3, in H            */
    int symmetric;                           /* Gauss-Seidel: then a sweep backward                   */
    nb_real shift, damping, tolerance;       /* tolerance: of a linear solve, relative                */
    nb_real stop;                            /* end at ||b|| <= stop times its largest; 0: never     */
    int floor;                               /* end where ||b|| is rounding and no longer falls       */
    const nb_real *r_normal, *r_friction;    /* [contacts]                                            */
};

/* Of all parts together; iterations are those of the part that took most. */
struct nb_cuda_step_report {
    int newton_iterations, linear_iterations;
    int rounds; /* of refinement, all linear solves together */
    enum nb_linear_ending ending;
    const char *failure; /* NULL: none; static storage */
    int row;             /* of the model at which Cholesky failed, or -1 */
    const char *place;   /* by which threads, from where; static storage */
};

struct NB(nb_cuda_step); /* opaque */

/* Copies the model, the products of the Delassus operator (NULL: A is not assembled, and its factors are
 * multiplied one after the other), and the division into islands to the device. Nothing is kept of the
 * arguments. NB_UNSUPPORTED without a device. */
enum nb_status NB(nb_cuda_step_create)(struct NB(nb_cuda_step) **step,
                                       const struct NB(nb_model) *model,
                                       const struct NB(nb_delassus) *delassus,
                                       const struct nb_islands *islands,
                                       const struct NB(nb_cuda_step_options) *options,
                                       struct nb_error *error);
void NB(nb_cuda_step_free)(struct NB(nb_cuda_step) *step);

/* What a run came by, for the iterations that took place: iterate k is that after iteration first + k, u and
 * then lambda, and report k tells what was done until then. The caller owns both. */
struct NB(nb_cuda_step_trace) {
    nb_real *iterate;                   /* [end - first][3 nodes + 3 blocks] */
    struct nb_cuda_step_report *report; /* [end - first]                     */
};

/* Newton iterations first to end - 1, from u = 0 and lambda = 0 where first is 0; then u [3 nodes] and
 * lambda [3 blocks] come back, and the trace, if not NULL, which is kept on the device till then. One launch,
 * or a graph, and nothing awaited before its end. NB_OUT_OF_MEMORY, also of the device's; NB_BREAKDOWN
 * where a call of CUDA's failed. */
enum nb_status NB(nb_cuda_step_run)(struct NB(nb_cuda_step) *step, int first, int end,
                                    const struct NB(nb_cuda_step_trace) *trace, nb_real *u,
                                    nb_real *lambda, struct nb_cuda_step_report *report,
                                    struct nb_error *error);

#endif
