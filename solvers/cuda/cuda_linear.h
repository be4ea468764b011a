/* What the rows in solvers/cuda/linear/ share: each is a method and a way to drive the device. */
#ifndef NB_CUDA_LINEAR_H
#define NB_CUDA_LINEAR_H

#include "solvers/cuda/pcr.h"
#include "solvers/strategy.h"

/* The settings of a row that has a preconditioner of its own, of one that is persistent as well, and of a
 * relaxation. */
enum { NB_CUDA_STORAGE, NB_CUDA_PRECONDITIONER, NB_CUDA_PLACED, NB_CUDA_SWEEP_PLACED = 1 };
extern const struct nb_setting NB(nb_cuda_krylov_settings)[], NB(nb_cuda_persistent_settings)[],
    NB(nb_cuda_sweep_settings)[];

enum nb_status NB(nb_cuda_setup)(void **self, const struct NB(nb_operator) *op,
                                 enum nb_cuda_method method, enum nb_cuda_way way,
                                 struct nb_error *error);
enum nb_status NB(nb_cuda_update)(void *self, struct NB(nb_operator) *op, struct nb_error *error);
struct nb_linear_report NB(nb_cuda_solve)(void *self, const struct NB(nb_linear_task) *task);
void NB(nb_cuda_free)(void *self);

#endif
