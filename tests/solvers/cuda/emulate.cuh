// CUDA's threads on the CPU, for code in the subset of solvers/cuda/: each thread is a fiber with a stack of its own,
// one runs at a time, and each runs on until it meets a barrier or a shuffle. They take turns in an order that the test
// chooses, so that a missing barrier changes the result. What a block's shared memory holds before is no number.
//
// Compiled as C++ (no nvcc). Include before any header of solvers/cuda.
#ifndef NB_TEST_EMULATE_CUH
#define NB_TEST_EMULATE_CUH

#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <ucontext.h>
#include <vector>
extern "C" {
#include "tests/support/test.h"
}
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#define __device__
#define __host__

using std::isfinite;
using std::sqrt;

namespace emulated {

struct index {
    unsigned x = 0, y = 0, z = 0;
};

struct barrier {
    int arrived = 0, passed = 0;
};

enum { STACK = 65536, WARP = 32 };
enum order { FORWARD, BACKWARD, SCATTERED };

struct fiber {
    std::jmp_buf point;
    ucontext_t first;
    unsigned block = 0, thread = 0;
    bool begun = false, done = false;
};

struct grid {
    unsigned blocks = 0, threads = 0;
    std::function<void()> kernel;
    std::vector<fiber> fibers;
    std::vector<barrier> block, warp;
    unsigned first = 0;                   // number of the first of these blocks
    std::vector<double> shared;           // memory of all blocks
    std::vector<unsigned long long> slot; // one a thread
    barrier all;
    fiber *now = nullptr;
    std::jmp_buf scheduler;
};

inline grid *running;
inline std::vector<std::unique_ptr<char[]>> stacks; // kept from launch to launch: cleared ones take most of the time

} // namespace emulated

inline emulated::index threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

inline void enter()
{
    running->kernel();
    running->now->done = true;
    _longjmp(running->scheduler, 1);
}

// Neither is inlined: getcontext and setjmp return twice, to variables of their own frames only.
__attribute__((noinline)) inline void prepare(fiber &one, size_t number)
{
    while (stacks.size() <= number)
        stacks.emplace_back(new char[STACK]);
    char *const stack = stacks[number].get();
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(stack, STACK); // what the last launch left by longjmp
#endif
    getcontext(&one.first);
    one.first.uc_stack.ss_sp = stack;
    one.first.uc_stack.ss_size = STACK;
    makecontext(&one.first, enter, 0);
}

__attribute__((noinline)) inline void resume(fiber &one)
{
    running->now = &one;
    threadIdx.x = one.thread;
    blockIdx.x = running->first + one.block;
    if (_setjmp(running->scheduler))
        return;
    if (one.begun)
        _longjmp(one.point, 1);
    one.begun = true;
    setcontext(&one.first);
}

inline void yield()
{
    if (!_setjmp(running->now->point))
        _longjmp(running->scheduler, 1);
}

inline void wait(barrier &at, int members)
{
    const int before = at.passed;
    if (++at.arrived == members) {
        at.arrived = 0;
        at.passed++;
        return;
    }
    while (at.passed == before)
        yield();
}

inline void wait_for_grid()
{
    wait(running->all, (int)(running->blocks * running->threads));
}

inline unsigned self()
{
    return running->now->block * running->threads + running->now->thread;
}

template <class T> T exchange(T value, unsigned lane)
{
    static_assert(sizeof(T) <= sizeof(unsigned long long), "");
    const unsigned mine = self(), first = mine / WARP * WARP;
    barrier &warp = running->warp[mine / WARP];
    *(T *)&running->slot[mine] = value;
    wait(warp, WARP);
    const T out = lane < WARP ? *(T *)&running->slot[first + lane] : value;
    wait(warp, WARP);
    return out;
}

inline size_t shared_words(size_t bytes)
{
    return 2 * (bytes / 16 + 1);
}

// threads: a multiple of 32, blocks not of 61. kernel is called once in every thread. bytes: of a block's shared
// memory. first: of a larger grid, which runs in pieces.
inline void launch(unsigned blocks, unsigned threads, order how, std::function<void()> kernel, size_t bytes = 0,
                   unsigned first = 0, unsigned of_blocks = 0)
{
    grid all;
    const unsigned count = blocks * threads;
    all.blocks = blocks;
    all.threads = threads;
    all.kernel = kernel;
    all.first = first;
    all.fibers = std::vector<fiber>(count);
    all.block = std::vector<barrier>(blocks);
    all.warp = std::vector<barrier>(count / WARP);
    all.shared.assign(blocks * shared_words(bytes), (double)NAN);
    all.slot.resize(count);
    running = &all;
    blockDim.x = threads;
    gridDim.x = of_blocks ? of_blocks : blocks;
    for (unsigned i = 0; i < count; ++i) {
        fiber &one = all.fibers[i];
        one.block = i / threads;
        one.thread = i % threads;
        prepare(one, i);
    }
    for (bool busy = true; busy;) {
        busy = false;
        for (unsigned k = 0; k < count; ++k) {
            const unsigned i = how == FORWARD    ? k
                               : how == BACKWARD ? count - 1 - k
                                                 : (k * 61 + 7) % count;
            if (!all.fibers[i].done) {
                resume(all.fibers[i]);
                busy = true;
            }
        }
    }
    running = nullptr;
}

} // namespace emulated

inline void __syncthreads()
{
    emulated::wait(emulated::running->block[emulated::running->now->block], (int)blockDim.x);
}
template <class T> T __shfl_sync(unsigned, T value, int lane)
{
    return emulated::exchange(value, (unsigned)lane);
}
template <class T> T __shfl_xor_sync(unsigned, T value, int mask)
{
    return emulated::exchange(value, threadIdx.x % emulated::WARP ^ (unsigned)mask);
}
template <class T> T __shfl_down_sync(unsigned, T value, int offset)
{
    return emulated::exchange(value, threadIdx.x % emulated::WARP + (unsigned)offset);
}
// The block's dynamic shared memory, as launch.cuh has it.
inline char *shared_memory()
{
    const emulated::grid &all = *emulated::running;
    return (char *)(const_cast<double *>(all.shared.data()) + all.now->block * (all.shared.size() / all.blocks));
}

#endif
