// A whole time step as the threads see it, and the teams that work on its parts; see step_stages.cuh.
#ifndef NB_CUDA_STEP_SYSTEM_CUH
#define NB_CUDA_STEP_SYSTEM_CUH

#include "solvers/cuda/iterations.cuh"
#include "solvers/cuda/memory_layout.cuh"

extern "C" {
#include "solvers/contact/fischer_contact.h"
#include "solvers/contact/minimum_contact.h"
#include "solvers/cuda/device_linear.h"
#include "solvers/model/rows/contact_rows.h"
#include "solvers/model/rows/limit_rows.h"
#include "solvers/model/rows/link_rows.h"
#include "solvers/model/rows/tetrahedron_rows.h"
}

// What is here depends on the precision, and a program has all of them: without a name of its own for each, the linker
// would keep one of several inline functions, with one precision's sizes.
inline namespace NB(nb_cuda) {

// Members of the parts, one part after the other: starts [parts + 1] and indices.
struct step_list {
    const int *start, *index;
};

struct step_result {
    int newton_iterations, linear_iterations;
    int ending;  // nb_linear_ending of the last linear solve
    int failure; // enum step_failure
};
enum step_failure { STEP_FINE, STEP_DIAGONAL, STEP_NOT_FINITE };

// The iterates of a launch one after the other: u, then lambda; and the parts' results with each. Null: not kept.
struct step_trace {
    nb_real *iterate;     // [iterations][3 nodes + 3 blocks]
    step_result *results; // [iterations][parts]
};

struct step_system {
    NB(nb_model) model; // its arrays, and what `nonlinear` points to, where the threads can read them
    int parts;
    step_list bodies, particles, nodes, rows; // rows: of the matrix, in its order
    step_list contacts, joints, attachments, distances, ties, tetrahedra; // contacts: then the limits of joints

    int method;                        // enum nb_cuda_method
    int minimum, true_form;            // minimum map, newton-form=true
    int linear_iterations;             // at most
    nb_real shift, damping;
    size_t room;                       // bytes of shared memory for a part's linear system; 0: none

    nb_real *r_normal, *r_friction;                        // [contacts]
    nb_real *row_scale, *diagonal, *constraint, *impulse;  // [3 blocks], rows as in the model
    nb_real *defect;                                       // [3 nodes]
    nb_real *u, *lambda;                                   // [3 nodes], [3 blocks]
    nb_matrix *weighted;                                   // J H^-1 [9 Jacobian blocks]

    // Entry e of the matrix is in row entry_row[e]; its products of Jacobian blocks are those of block
    // source[e] of the Delassus operator, or of ~source[e] transposed. Where A is not assembled, it is block
    // source[e] of the Jacobian.
    const int *entry_row, *source, *product_start, *product;
    linear_system<nb_real> linear; // by the matrix's order; columns count from their part's first row
    const int *first_colour;    // of a part, in linear.colour_start [parts + 1]; null: no colours
    solve_state<nb_real> *states; // [parts]
    step_result *results;       // [parts]
    step_trace trace;
};

// A function by itself, so that what it needs is not spilled around the loops of the linear solver.
#ifdef __CUDACC__
#define STEP_APART static __device__ __noinline__
#else
#define STEP_APART static inline
#endif

struct step_team {
    int part, thread, threads;
};

// The grid's. Warps are dealt to the blocks in turn: a few contacts or elements occupy all multiprocessors.
__device__ inline step_team step_grid_team()
{
    const int lane = (int)threadIdx.x % WARP_SIZE, warp = (int)threadIdx.x / WARP_SIZE;
    return {0, (warp * (int)gridDim.x + (int)blockIdx.x) * WARP_SIZE + lane, (int)(gridDim.x * blockDim.x)};
}

__device__ inline NB(nb_model) *step_model(const step_system &s)
{
    return const_cast<NB(nb_model) *>(&s.model);
}
__device__ inline int step_begin(const step_list &list, const step_team &team)
{
    return list.start[team.part] + team.thread;
}
__device__ inline int step_end(const step_list &list, const step_team &team)
{
    return list.start[team.part + 1];
}

} // namespace

#endif
