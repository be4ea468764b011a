/* What the rows in solvers/cuda/linear/ share: each is a method. */
#ifndef NB_CUDA_LINEAR_H
#define NB_CUDA_LINEAR_H

#include "solvers/cuda/device_linear.h"
#include "solvers/strategy.h"

/* The rows' own settings; a relaxation has no preconditioner, and PCR can be by the libraries. */
enum { NB_CUDA_STORAGE, NB_CUDA_BY, NB_CUDA_PRECONDITIONER };
extern const struct nb_setting NB(nb_cuda_pcr_settings)[], NB(nb_cuda_pcg_settings)[],
    NB(nb_cuda_relaxation_settings)[];

enum nb_status NB(nb_cuda_setup)(void **self, const struct NB(nb_operator) *op,
                                 enum nb_cuda_method method, struct nb_error *error);
enum nb_status NB(nb_cuda_update)(void *self, struct NB(nb_operator) *op, struct nb_error *error);
struct nb_linear_report NB(nb_cuda_solve)(void *self, const struct NB(nb_linear_task) *task);
void NB(nb_cuda_free)(void *self);

#endif
