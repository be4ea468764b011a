// A whole time step as the threads see it, and the teams that work on its parts; see step_stages.cuh.
#ifndef NB_CUDA_STEP_SYSTEM_CUH
#define NB_CUDA_STEP_SYSTEM_CUH

#include "solvers/cuda/iterate.cuh"
#include "solvers/cuda/pcg_stages.cuh"

extern "C" {
#include "solvers/contact/fischer_contact.h"
#include "solvers/contact/minimum_contact.h"
#include "solvers/cuda/pcr.h"
#include "solvers/linear/relaxation/relaxation_factor.h"
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
    int rounds;  // of refinement
    int ending;  // nb_linear_ending of the last linear solve
    int failure; // enum step_failure
    int row;     // of the model, where STEP_INDEFINITE
};
enum step_failure { STEP_FINE, STEP_DIAGONAL, STEP_NOT_FINITE, STEP_INDEFINITE };

// ||b|| of a part before its linear solves: what tells whether to go on.
struct step_norms {
    nb_real last, largest, least;
    int idle; // solves since the least one
};

// The iterates of a launch one after the other: u, then lambda; and the parts' results with each. Null: not kept.
struct step_trace {
    nb_real *iterate;     // [iterations][3 nodes + 3 blocks]
    step_result *results; // [iterations][parts]
};

// Where a refined solve is; the same in every thread, and in memory where kernels of a graph follow one another.
struct step_refinement {
    nb_real residual, right_side, goal; // |S r|, |b|
    int done, rounds;                   // iterations and solves so far
    int inner, ending;                  // enum nb_linear_ending of the last solve, and of all of it
    int taken, harmful;                 // is x moved by the last solve, and has that to be undone?
};

// The systems of the lower precision where linear solves are refined (refine_stages.cuh).
struct step_lower {
    int format;               // enum nb_solve_format; 0: linear solves are in the run's own
    pcr_system<float> system; // S A S + E in the pattern of A, or its factors
    pcr_state<float> *states; // [parts]
    nb_real *scale;           // S [3 blocks], rows as of the matrix
    nb_real *partial;         // two sums of each block of threads
    step_refinement *refinement; // of a graph
};

// Diagonal geometric stiffness (geometry_stages.cuh).
struct step_geometry {
    const nb_real *mass;         // [particles]; null: H = M
    nb_real *ratio;              // M over H [3 nodes]
    nb_real *u, *before, *after; // of the iterate before; J^T h lambda with either Jacobian [3 nodes]
    nb_real *partial;            // two numbers of each block of threads
};

// What Lanczos steps find of a part's D^-1 A (lanczos_stages.cuh).
struct step_spectrum {
    int size;                                                           // scalar rows of the part
    nb_real first, omega;                                               // (r, z) of the first step; the result
    int taken[NB_SOR_LANCZOS_STEPS];                                   // was there such a step?
    double alpha[NB_SOR_LANCZOS_STEPS], beta[NB_SOR_LANCZOS_STEPS];   // of conjugate gradients
};

// Where linear solves factorise (dense_stages.cuh).
struct step_dense {
    void *matrix;        // each part's triangle, in the type of the linear solves
    const size_t *first; // of a part's numbers [parts]
    int *failed;         // [parts] 1 + the row whose pivot is not positive
    nb_real *tile;       // [DENSE_TILE][DENSE_STRIDE] what a kernel of a graph leaves to the next one
};

struct step_system {
    NB(nb_model) model; // its arrays, and what `nonlinear` points to, where the threads can read them
    int parts;
    step_list bodies, particles, nodes, rows; // rows: of the matrix, in its order
    step_list contacts, joints, attachments, distances, tetrahedra; // contacts: then the limits of joints

    int method;                        // enum nb_cuda_method
    int minimum, true_form;            // minimum map, newton-form=true
    int linear_iterations;             // at most
    nb_real shift, damping, tolerance, stop;
    nb_real omega;                     // over-relaxation of Gauss-Seidel; 1 where it is estimated
    int floor;                         // end where ||b|| is rounding
    size_t room;                       // bytes of shared memory for a part's linear system; 0: none
    int ranks;                         // blocks of a part's cluster; 0: none

    nb_real *r_normal, *r_friction;                        // [contacts]
    nb_real *row_scale, *diagonal, *constraint, *impulse;  // [3 blocks], rows as in the model
    nb_real *defect;                                       // [3 nodes]
    nb_real *u, *lambda;                                   // [3 nodes], [3 blocks]
    nb_matrix *weighted;                                   // J H^-1 [9 Jacobian blocks]

    // Entry e of the matrix is in row entry_row[e]; its products of Jacobian blocks are those of block
    // source[e] of the Delassus operator, or of ~source[e] transposed. Where A is not assembled, it is block
    // source[e] of the Jacobian.
    const int *entry_row, *source, *product_start, *product;
    pcr_system<nb_real> linear; // by the matrix's order; columns count from their part's first row
    step_lower lower;
    step_dense dense;
    step_geometry geometry;
    step_spectrum *spectra;     // [parts] where omega is estimated; else null
    const int *first_colour;    // of a part, in linear.colour_start [parts + 1]; null: no colours
    pcr_state<nb_real> *states; // [parts]
    step_result *results;       // [parts]
    step_norms *norms;          // [parts]
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
    const int lane = (int)threadIdx.x % PCR_WARP, warp = (int)threadIdx.x / PCR_WARP;
    return {0, (warp * (int)gridDim.x + (int)blockIdx.x) * PCR_WARP + lane, (int)(gridDim.x * blockDim.x)};
}

// What the method multiplies by A.
__host__ __device__ inline pcr_operand step_operand(int method)
{
    return pcr_relaxes(method) ? PCR_X : method == NB_CUDA_PCG ? PCR_P : PCR_Z;
}

// The blocks of a part's team, and the first of them.
__device__ inline int step_blocks(const step_system &s)
{
    return s.ranks ? s.ranks : s.linear.lone ? 1 : (int)gridDim.x;
}
__device__ inline int step_first_block(const step_system &s, int part)
{
    return s.ranks ? s.ranks * part : s.linear.lone ? part : 0;
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
