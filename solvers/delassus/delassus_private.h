/* The loops of solvers/delassus/delassus_fill.c, compiled for each level of problems/base/simd.h. */
#ifndef NB_DELASSUS_PRIVATE_H
#define NB_DELASSUS_PRIVATE_H

#include "problems/base/simd.h"
#include "solvers/delassus/delassus.h"

#define nb_delassus_kernels NB(nb_delassus_kernels)
#define nb_delassus_kernels_of NB(nb_delassus_kernels_of)

/* Some pieces of a target, from X = L J G as it is: supernodes of its rows, or panels. */
typedef void NB(nb_delassus_pieces)(const struct nb_delassus *delassus, int begin, int end,
                                    void *target);

struct nb_delassus_kernels {
    /* The supernodes begin to end of X, with L in delassus->scale. */
    void (*weigh)(const struct nb_delassus *delassus, const struct nb_model *model, int begin,
                  int end);
    NB(nb_delassus_pieces) *rows;   /* supernodes, into a struct nb_bsr    */
    NB(nb_delassus_pieces) *panels; /* panels of a struct nb_panels  */
    NB(nb_delassus_pieces) *slices; /* supernodes, into a struct nb_slices */
};
/* Of a level that this processor runs. */
const struct nb_delassus_kernels *nb_delassus_kernels_of(enum nb_simd level);
extern const struct nb_delassus_kernels NB(nb_delassus_portable);
#ifdef __x86_64__
extern const struct nb_delassus_kernels NB(nb_delassus_avx2), NB(nb_delassus_avx512);
#endif

#endif
