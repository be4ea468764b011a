// Dense Cholesky as the linear solver of a step: in each Newton iteration the matrix of a part is factorised by its
// team, in shared memory where it has room there; see dense_stages.cuh.
#ifndef NB_CUDA_STEP_DIRECT_CUH
#define NB_CUDA_STEP_DIRECT_CUH

#include "solvers/cuda/dense_stages.cuh"
#include "solvers/cuda/step/step_iterate.cuh"

inline namespace NB(nb_cuda) {

// Where the triangle of a part is: near, or in global memory.
template <class T> __device__ T *step_triangle(const step_system &s, const step_team &team, int rows, char *memory)
{
    const bool near = memory && dense_size(3 * (size_t)rows) * sizeof(T) <= s.room;
    return near ? (T *)memory : (T *)s.dense.matrix + s.dense.first[team.part];
}

// By one thread of the part's; a barrier has to follow before another one goes on.
__device__ inline void step_note_pivot(const step_system &s, int part)
{
    const int row = s.dense.failed[part] - 1;
    step_result &result = s.results[part];
    result.failure = STEP_INDEFINITE;
    result.row = 3 * s.rows.index[s.rows.start[part] + row / 3] + row % 3;
}

// The part's threads together.
template <class Barrier> __device__ void step_note_pivot(const step_system &s, const step_team &team, Barrier barrier)
{
    if (team.thread == 0)
        step_note_pivot(s, team.part);
    barrier();
}

struct step_direct {
    enum { SCRATCH = DENSE_SCRATCH };

    template <class Barrier>
    static __device__ void solve(const step_system &s, const step_team &team, char *memory, nb_real *scratch,
                                 Barrier barrier)
    {
        const pcr_system<nb_real> system = step_linear(s, team);
        nb_real *matrix = step_triangle<nb_real>(s, team, system.rows, memory);
        if (!dense_solve(system, matrix, s.dense.failed + team.part, scratch, barrier))
            step_note_pivot(s, team, barrier);
    }
};

} // namespace

#endif
