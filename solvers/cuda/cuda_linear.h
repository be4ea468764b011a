/* What the rows in solvers/cuda/linear/ share: each is a way to drive the device. */
#ifndef NB_CUDA_LINEAR_H
#define NB_CUDA_LINEAR_H

#include "solvers/cuda/pcr.h"
#include "solvers/strategy.h"

enum nb_status NB(nb_cuda_setup)(void **self, const struct NB(nb_operator) *op,
                                 enum nb_cuda_way way, struct nb_error *error);
enum nb_status NB(nb_cuda_update)(void *self, struct NB(nb_operator) *op, struct nb_error *error);
struct nb_linear_report NB(nb_cuda_solve)(void *self, const struct NB(nb_linear_task) *task);
void NB(nb_cuda_free)(void *self);

#endif
