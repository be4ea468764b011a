/* Functions of one number, contact, body or element: a solver on a CUDA device runs the same source. */
#ifndef NB_BOTH_H
#define NB_BOTH_H

#ifdef __CUDACC__
#define NB_BOTH static inline __host__ __device__
#else
#define NB_BOTH static inline
#endif

#endif
