/* Where a case runs: --backend cuda, or backend = cuda in a sweep, takes the strategies that are named in
 * their versions for a CUDA device. These are rows of the registry of their own, NAME's being cuda_NAME, and
 * of a linear solver that runs in several ways cuda_NAME_persistent; a record holds their names. */
#ifndef NB_BACKEND_H
#define NB_BACKEND_H

#include <stdbool.h>

#include "solvers/solve.h"

/* The device's versions: of the nonlinear method, which then has its linear solvers there; where `system` is
 * solved alone, of the linear solver. Names of the device are left as they are; settings go along.
 * NB_BAD_INPUT where there is none, or where it has no such setting; NB_UNSUPPORTED in a build without CUDA. */
enum nb_status nb_backend_cuda(struct nb_options *options, bool system, struct nb_error *error);

#endif
