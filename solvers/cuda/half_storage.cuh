// Numbers stored in 16 bits, widened when they are read; arithmetic is in the system's type.
#ifndef NB_CUDA_HALF_STORAGE_CUH
#define NB_CUDA_HALF_STORAGE_CUH

extern "C" {
#include "solvers/block/half.h"
}

// As enum nb_cuda_storage.
enum half_storage { STORED_AS_IS, STORED_F16, STORED_BF16 };

__device__ inline float half_widen(unsigned short bits, int storage)
{
    union {
        unsigned bits;
        float value;
    } out;
    const unsigned sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
    if (storage == STORED_BF16) {
        out.bits = (unsigned)bits << 16;
    } else if (rest < 0x400u) { // below the normal numbers: multiples of 2^-24
        out.value = (float)rest * 0x1p-24f;
        out.bits |= sign;
    } else { // infinity and NaN keep the largest exponent
        out.bits = sign | ((rest << 13) + (rest >= 0x7c00u ? 0x70000000u : 0x38000000u));
    }
    return out.value;
}

// Rounded to nearest, ties to even; beyond the largest number it is infinity.
__device__ inline unsigned short half_narrow(float value, int storage)
{
    return storage == STORED_F16 ? nb_f16_narrow(value) : nb_bf16_narrow(value);
}

__device__ inline float stored_number(float stored, int) { return stored; }
__device__ inline double stored_number(double stored, int) { return stored; }
__device__ inline float stored_number(unsigned short stored, int storage)
{
    return half_widen(stored, storage);
}

#endif
