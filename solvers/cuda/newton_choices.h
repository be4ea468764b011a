/* What cuda_newton can be told, and which strategies the device has. */
#ifndef NB_CUDA_NEWTON_CHOICES_H
#define NB_CUDA_NEWTON_CHOICES_H

#include "solvers/cuda/step/step.h"
#include "solvers/strategy.h"

/* Products with the operator, as records count them. */
struct nb_cuda_linear_cost {
    int iteration, solve; /* of an iteration; besides, of a solve */
};

extern const struct nb_setting NB(nb_cuda_newton_settings)[];

void NB(nb_cuda_newton_elasticity)(const char *solver, struct nb_elasticity *out);

/* What the options say to the device, but for the shift and the scaling, which depend on the step. NB_UNSUPPORTED,
 * with the message what there is, for what the device has not. */
enum nb_status NB(nb_cuda_newton_choose)(const struct nb_options *options, struct NB(nb_cuda_step_options) *out,
                                         struct nb_cuda_linear_cost *cost, struct nb_error *error);

#endif
