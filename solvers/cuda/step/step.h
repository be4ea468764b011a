/* The border between cuda_newton's C code and the device: one time step that stays there
 * (solvers/cuda/step/step_stages.cuh). Errors are values. */
#ifndef NB_CUDA_STEP_H
#define NB_CUDA_STEP_H

#include "problems/islands.h"
#include "solvers/cuda/device_linear.h"
#include "solvers/delassus/delassus.h"
#include "solvers/model/model.h"
#include "solvers/solve.h"

/* The precisions that the device has: those whose sums are in the precision of their vectors. */
#define NB_CUDA_HAS_f64 1
#define NB_CUDA_HAS_f32 1
#define NB_CUDA_HAS_PRECISION NB(NB_CUDA_HAS)

/* Which threads take a step. A part is the whole step, or an island of it. */
enum nb_cuda_step_by {
    NB_CUDA_STEP_BY_AUTO,   /* islands where each fits a block's shared memory, else the grid            */
    NB_CUDA_STEP_BY_GRID,   /* all multiprocessors the whole step, its linear system in global memory    */
    NB_CUDA_STEP_BY_BLOCK,  /* one block the whole step, its linear system in shared memory              */
    NB_CUDA_STEP_BY_ISLANDS /* a block each island; in global memory those that do not fit shared memory */
};

struct NB(nb_cuda_step_options) {
    enum nb_cuda_method method;              /* Gauss-Seidel: an assembled A                          */
    int minimum, true_form, wide;            /* minimum map; newton-form=true; 3x3 preconditioner     */
    enum nb_cuda_storage storage;            /* of the matrix, or of L J; P^-1 is of unrounded blocks */
    int linear_iterations;                   /* at most                                               */
    int threads;                             /* of a block; 0: 512, or 256 where there are islands    */
    enum nb_cuda_step_by by;
    nb_real shift, damping, tolerance;       /* tolerance: of a linear solve, relative                */
    const nb_real *r_normal, *r_friction;    /* [contacts]                                            */
};

/* Of all parts together; iterations are those of the part that took most. */
struct nb_cuda_step_report {
    int newton_iterations, linear_iterations;
    enum nb_linear_ending ending;
    const char *failure; /* NULL: none; static storage */
    const char *team;    /* which threads took it; static storage */
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
 * and nothing awaited before its end. NB_OUT_OF_MEMORY, also of the device's; NB_BREAKDOWN where a call of
 * CUDA's failed. */
enum nb_status NB(nb_cuda_step_run)(struct NB(nb_cuda_step) *step, int first, int end,
                                    const struct NB(nb_cuda_step_trace) *trace, nb_real *u,
                                    nb_real *lambda, struct nb_cuda_step_report *report,
                                    struct nb_error *error);

#endif
