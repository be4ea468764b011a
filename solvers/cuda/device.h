/* The CUDA device as the C code sees it. Nothing here starts CUDA before it is asked to: a sweep forks
 * its cases, and a process that has used CUDA cannot hand it on to its children. */
#ifndef NB_CUDA_DEVICE_H
#define NB_CUDA_DEVICE_H

#include "problems/base/status.h"

/* NB_UNSUPPORTED, "no CUDA device" and the driver's reason, where no kernel of this build can run. */
enum nb_status nb_cuda_check_device(struct nb_error *error);

#endif
