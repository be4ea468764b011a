/* Dense Cholesky on a CUDA device by cuSOLVER (solvers/cuda/dense.cu). */
#include "solvers/cuda/cuda_linear.h"

static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    return NB(nb_cuda_setup)(self, op, NB_CUDA_CHOLESKY, NB_CUDA_LIBRARY, error);
}

const struct NB(nb_linear) NB(nb_linear_cuda_dense_cholesky) = {
    .name = "cuda_dense_cholesky",
    .title = "dense Cholesky (CUDA, cuSOLVER)",
    .source = "Golub and Van Loan 2013, section 4.2",
    .direct = 1,
    .setup = setup,
    .update = NB(nb_cuda_update),
    .solve = NB(nb_cuda_solve),
    .free = NB(nb_cuda_free),
};
