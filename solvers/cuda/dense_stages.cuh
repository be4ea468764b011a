// Cholesky's factorisation of a system's matrix, and the solution with it, by the threads of a block or of a grid that
// a barrier keeps together. The lower triangle lies packed by rows, with b^T as one more row below it:
//
//     [ A    ]   [ L      ]          y = L^-1 b,  x = L^-T y
//     [ b^T  ] = [ y^T  . ] L^T
//
// so that y comes with the factor. By columns of tiles, DENSE_TILE wide:
//
//     panel      every block factorises the tile on the diagonal for itself; each thread solves for rows below it
//     update     A_ij -= L_ik L_jk^T, a tile a block
//
// then x by tiles backward (of another b, y by tiles forward before): each block solves with the tile on the diagonal
// and takes its share off y. Every entry is the same sum in the same order whoever forms it, so that the bits depend
// neither on blocks nor on threads.
#ifndef NB_CUDA_DENSE_STAGES_CUH
#define NB_CUDA_DENSE_STAGES_CUH

#include "solvers/cuda/products.cuh"

enum { DENSE_TILE = 32, DENSE_STRIDE = DENSE_TILE + 1, DENSE_SCRATCH = 2 * DENSE_TILE * DENSE_STRIDE };

// Numbers of the packed triangle for n scalar rows.
__host__ __device__ inline size_t dense_size(size_t n)
{
    return (n + 1) * (n + 2) / 2;
}

template <class T> __device__ T &dense_entry(T *matrix, int row, int column)
{
    return matrix[(size_t)row * (size_t)(row + 1) / 2 + (size_t)column];
}

template <class T> __device__ void dense_clear(const pcr_system<T> &system, T *matrix, int *failed)
{
    if (pcr_leads(system))
        *failed = 0;
    const size_t count = dense_size(3 * (size_t)system.rows);
    for (size_t i = (size_t)pcr_thread(system); i < count; i += (size_t)pcr_threads(system))
        matrix[i] = 0;
}

// A vector [n] into the row below A.
template <class T> __device__ void dense_copy(const pcr_system<T> &system, T *matrix, const T *from)
{
    const int n = 3 * system.rows;
    for (int i = pcr_thread(system); i < n; i += pcr_threads(system))
        dense_entry(matrix, n, i) = from[i];
}

// A, a warp a row, and b below it.
template <class T> __device__ void dense_fill(const pcr_system<T> &system, T *matrix)
{
    const int lane = threadIdx.x % PCR_WARP;
    for (int row = pcr_thread(system) / PCR_WARP; row < system.rows; row += pcr_threads(system) / PCR_WARP)
        for (int k = system.start[row] + lane / 9; k < system.start[row + 1] && lane < 27; k += 3) {
            const int i = 3 * row + lane % 9 / 3, j = 3 * system.column[k] + lane % 3;
            if (j <= i)
                dense_entry(matrix, i, j) = pcr_entry(system, 9 * (size_t)k + (size_t)(lane % 9));
        }
    dense_copy(system, matrix, system.b);
}

// body(r, c) for the entries of the tile's lower triangle, by the threads of a block.
template <class Body> __device__ void dense_each(int rows, Body body)
{
    for (int e = (int)threadIdx.x; e < DENSE_TILE * DENSE_TILE; e += (int)blockDim.x)
        if (e / DENSE_TILE < rows && e % DENSE_TILE <= e / DENSE_TILE)
            body(e / DENSE_TILE, e % DENSE_TILE);
}

// Tile k on the diagonal, factorised in scratch by a block; rows and columns of it. The columns are divided by the
// roots of their pivots at the end, so that each takes one barrier. Returns, in every thread, the first column whose
// pivot is not positive, or `columns`.
template <class T> __device__ int dense_factor_tile(T *matrix, int first, int rows, int columns, T *tile)
{
    const auto entry = [tile](int r, int c) -> T & { return tile[r * DENSE_STRIDE + c]; };
    int good = columns;
    dense_each(rows, [&](int r, int c) { entry(r, c) = dense_entry(matrix, first + r, first + c); });
    __syncthreads();
    for (int k = 0; k < columns; ++k) {
        const T pivot = entry(k, k), inverse = 1 / pivot;
        good = good == columns && !(pivot > 0 && isfinite(pivot)) ? k : good;
        dense_each(rows, [&](int r, int c) {
            if (c > k)
                entry(r, c) -= entry(r, k) * entry(c, k) * inverse;
        });
        __syncthreads();
    }
    dense_each(rows, [&](int r, int c) {
        if (c < columns && c < r)
            entry(r, c) /= sqrt(entry(c, c));
    });
    __syncthreads();
    for (int k = (int)threadIdx.x; k < columns; k += (int)blockDim.x)
        entry(k, k) = sqrt(entry(k, k));
    __syncthreads();
    return good;
}

// The tile, in scratch, and the rows below it. *failed becomes 1 + the row whose pivot is not positive.
template <class T> __device__ void dense_panel(const pcr_system<T> &system, T *matrix, int k, int *failed, T *tile)
{
    const int n = 3 * system.rows, first = k * DENSE_TILE;
    const int columns = n - first < DENSE_TILE ? n - first : (int)DENSE_TILE;
    const int rows = n + 1 - first < DENSE_TILE ? n + 1 - first : (int)DENSE_TILE;
    const int good = dense_factor_tile(matrix, first, rows, columns, tile);
    if (pcr_leads(system) && good < columns)
        *failed = 1 + first + good;
    // Warps are dealt to the blocks in turn.
    const int warp = (int)threadIdx.x / PCR_WARP * pcr_blocks(system) + pcr_block(system);
    for (int row = first + DENSE_TILE + warp * PCR_WARP + (int)threadIdx.x % PCR_WARP; row <= n;
         row += pcr_threads(system)) {
        T *const mine = &dense_entry(matrix, row, first);
        for (int c = 0; c < columns; ++c) {
            T sum = mine[c];
            for (int j = 0; j < c; ++j)
                sum -= mine[j] * tile[c * DENSE_STRIDE + j];
            mine[c] = sum / tile[c * DENSE_STRIDE + c];
        }
    }
}

// Rows first, ... of the panel's columns into a tile.
template <class T> __device__ void dense_load(T *matrix, int first, int end, int column, T *tile)
{
    for (int e = (int)threadIdx.x; e < DENSE_TILE * DENSE_TILE; e += (int)blockDim.x) {
        const int r = e / DENSE_TILE, c = e % DENSE_TILE;
        if (first + r < end)
            tile[r * DENSE_STRIDE + c] = dense_entry(matrix, first + r, column + c);
    }
}

// Tile (i, j), counted from `first`, less the product of its panels.
template <class T>
__device__ void dense_update_tile(T *matrix, int n, int first, int i, int j, int column, T *scratch)
{
    T *const left = scratch, *const right = scratch + DENSE_TILE * DENSE_STRIDE;
    const int top = first + i * DENSE_TILE, side = first + j * DENSE_TILE;
    dense_load(matrix, top, n + 1, column, left);
    dense_load(matrix, side, n, column, right);
    __syncthreads();
    for (int e = (int)threadIdx.x; e < DENSE_TILE * DENSE_TILE; e += (int)blockDim.x) {
        const int r = e / DENSE_TILE, c = e % DENSE_TILE;
        if (top + r > n || side + c >= n || side + c > top + r)
            continue;
        T sum = 0;
        for (int m = 0; m < DENSE_TILE; ++m)
            sum += left[r * DENSE_STRIDE + m] * right[c * DENSE_STRIDE + m];
        dense_entry(matrix, top + r, side + c) -= sum;
    }
    __syncthreads();
}

// After the panel of column k: the leading block stores its factorised tile, which it still has in scratch; each thread
// the numbers that it then overwrites there.
template <class T> __device__ void dense_update(const pcr_system<T> &system, T *matrix, int k, T *scratch)
{
    const int n = 3 * system.rows, column = k * DENSE_TILE, first = column + DENSE_TILE;
    if (pcr_block(system) == 0)
        dense_each(n + 1 - column, [&](int r, int c) {
            dense_entry(matrix, column + r, column + c) = scratch[r * DENSE_STRIDE + c];
        });
    const int tiles = first < n ? (n + DENSE_TILE - first) / DENSE_TILE : 0;
    for (int number = pcr_block(system); number < tiles * (tiles + 1) / 2; number += pcr_blocks(system)) {
        int i = (int)((sqrt(8 * (float)number + 1) - 1) / 2);
        i -= i * (i + 1) / 2 > number;
        i += (i + 1) * (i + 2) / 2 <= number;
        dense_update_tile(matrix, n, first, i, number - i * (i + 1) / 2, column, scratch);
    }
}

// Of another b: y of tile k into x, and what it takes off b after it. A barrier has to follow, as after each stage:
// scratch is written anew.
template <class T> __device__ void dense_forward(const pcr_system<T> &system, T *matrix, int k, T *scratch)
{
    const int n = 3 * system.rows, first = k * DENSE_TILE;
    const int count = n - first < DENSE_TILE ? n - first : (int)DENSE_TILE, lane = (int)threadIdx.x;
    if (lane < PCR_WARP) {
        T b = lane < count ? dense_entry(matrix, n, first + lane) : T(0);
        for (int c = 0; c < count; ++c) {
            const T y = __shfl_sync(0xffffffffu, b, c) / dense_entry(matrix, first + c, first + c);
            if (lane > c && lane < count)
                b -= dense_entry(matrix, first + lane, first + c) * y;
            b = lane == c ? y : b;
        }
        scratch[lane] = b;
        if (lane < count && pcr_block(system) == 0)
            system.x[first + lane] = b;
    }
    __syncthreads();
    for (int i = first + DENSE_TILE + pcr_thread(system); i < n; i += pcr_threads(system)) {
        T sum = 0;
        for (int c = 0; c < count; ++c)
            sum += dense_entry(matrix, i, first + c) * scratch[c];
        dense_entry(matrix, n, i) -= sum;
    }
}

// x of tile k, and what it takes off y before.
template <class T> __device__ void dense_back(const pcr_system<T> &system, T *matrix, int k, T *scratch)
{
    const int n = 3 * system.rows, first = k * DENSE_TILE;
    const int count = n - first < DENSE_TILE ? n - first : (int)DENSE_TILE, lane = (int)threadIdx.x;
    if (lane < PCR_WARP) {
        T y = lane < count ? dense_entry(matrix, n, first + lane) : T(0);
        for (int c = count - 1; c >= 0; --c) {
            const T x = __shfl_sync(0xffffffffu, y, c) / dense_entry(matrix, first + c, first + c);
            if (lane < c)
                y -= dense_entry(matrix, first + c, first + lane) * x;
            y = lane == c ? x : y;
        }
        scratch[lane] = y;
        if (lane < count && pcr_block(system) == 0)
            system.x[first + lane] = y;
    }
    __syncthreads();
    for (int j = pcr_thread(system); j < first; j += pcr_threads(system)) {
        T sum = 0;
        for (int c = 0; c < count; ++c)
            sum += dense_entry(matrix, first + c, j) * scratch[c];
        dense_entry(matrix, n, j) -= sum;
    }
}

// The leading block notes how it ended.
template <class T> __device__ void dense_end(const pcr_system<T> &system, T *scratch)
{
    T sum[2] = {0, 0};
    if (pcr_block(system) > 0)
        return;
    for (int i = (int)threadIdx.x; i < 3 * system.rows; i += (int)blockDim.x) {
        sum[0] += system.b[i] * system.b[i];
        sum[1] += system.x[i] * system.x[i];
    }
    pcr_block_sums(sum, scratch);
    if (threadIdx.x > 0)
        return;
    system.state->iteration = 1;
    system.state->right_side = sqrt(sum[0]);
    system.state->after_iteration =
        pcr_verdict(isfinite(sum[1]) ? NB_LINEAR_CONVERGED : NB_LINEAR_NON_FINITE, PCR_NO_DETAIL);
}

template <class T> __host__ __device__ int dense_tiles(const pcr_system<T> &system)
{
    return (3 * system.rows + DENSE_TILE - 1) / DENSE_TILE;
}

// x from y, which is in the row below the factor.
template <class T, class Barrier>
__device__ void dense_finish(const pcr_system<T> &system, T *matrix, T *scratch, Barrier barrier)
{
    for (int k = dense_tiles(system) - 1; k >= 0; --k) {
        dense_back(system, matrix, k, scratch);
        barrier();
    }
    dense_end(system, scratch);
    barrier();
}

// A x = b; matrix [dense_size(3 rows)], scratch [DENSE_SCRATCH] in shared memory. *failed: 0, or 1 + the row whose
// pivot is not positive, and then x and the state stay. In every thread: is there a factor?
template <class T, class Barrier>
__device__ bool dense_solve(const pcr_system<T> &system, T *matrix, int *failed, T *scratch, Barrier barrier)
{
    dense_clear(system, matrix, failed);
    barrier();
    dense_fill(system, matrix);
    barrier();
    for (int k = 0; k < dense_tiles(system); ++k) {
        dense_panel(system, matrix, k, failed, scratch);
        barrier();
        if (*failed)
            return false;
        dense_update(system, matrix, k, scratch);
        barrier();
    }
    dense_finish(system, matrix, scratch, barrier);
    return true;
}

// The same for another b, with the factor that is there.
template <class T, class Barrier>
__device__ void dense_solve_again(const pcr_system<T> &system, T *matrix, T *scratch, Barrier barrier)
{
    dense_copy(system, matrix, system.b);
    barrier();
    for (int k = 0; k < dense_tiles(system); ++k) {
        dense_forward(system, matrix, k, scratch);
        barrier();
    }
    dense_copy(system, matrix, system.x);
    barrier();
    dense_finish(system, matrix, scratch, barrier);
}

#endif
