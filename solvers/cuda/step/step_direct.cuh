// Dense Cholesky as the linear solver of a step: in each Newton iteration the matrix of a part is factorised by its team,
// in shared memory where it has room there; see dense_stages.cuh.
#ifndef NB_CUDA_STEP_DIRECT_CUH
#define NB_CUDA_STEP_DIRECT_CUH

#include "solvers/cuda/dense_stages.cuh"
#include "solvers/cuda/step/step_iterate.cuh"

inline namespace NB(nb_cuda) {

struct step_direct {
    enum { scratch = DENSE_SCRATCH };

    template <class Barrier>
    static __device__ void solve(const step_system &s, const step_team &team, char *memory, nb_real *scratch,
                                 Barrier barrier)
    {
        const pcr_system<nb_real> system = step_linear(s, team);
        const bool near = memory && dense_size(3 * (size_t)system.rows) * sizeof(nb_real) <= s.room;
        nb_real *matrix = near ? (nb_real *)memory : s.dense.matrix + s.dense.first[team.part];
        int *failed = s.dense.failed + team.part;
        dense_solve(system, matrix, failed, scratch, barrier);
        if (*failed && team.thread == 0) {
            const int row = *failed - 1;
            step_result &result = s.results[team.part];
            result.failure = STEP_INDEFINITE;
            result.row = 3 * s.rows.index[s.rows.start[team.part] + row / 3] + row % 3;
        }
        barrier();
    }
};

} // namespace

#endif
