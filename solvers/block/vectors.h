/* Passes over vectors that return sums, piece by piece: a solver's own updates, fused with the inner
 * products that follow them, while the piece is still in cache. */
#ifndef NB_VECTORS_H
#define NB_VECTORS_H

#include "solvers/block/matrix.h"

#define nb_pass NB(nb_pass)
#define nb_pass_over NB(nb_pass_over)
#define nb_piece_dot NB(nb_piece_dot)
#define nb_piece_residual_square NB(nb_piece_residual_square)

/* Entries of a piece. */
enum { NB_PIECE = 1024 };

/* Works on entries begin to end, at most NB_PIECE, and writes count sums over them. Pieces may run at the
 * same time. */
typedef void nb_pass(const void *context, size_t begin, size_t end, nb_sum *sum);

/* The pass over n entries; sum [count], count at most NB_DOTS, added up in the order of the pieces: the
 * bits do not depend on the number of threads. */
void nb_pass_over(size_t n, int count, nb_pass *pass, const void *context, nb_sum *sum, int threads);

/* x^T y of one piece or a part of it. */
nb_sum nb_piece_dot(size_t n, const nb_real *x, const nb_real *y);
/* The square of nb_residual_norm of one piece or a part of it. */
nb_sum nb_piece_residual_square(size_t n, const nb_real *r, const nb_real *diagonal);

#endif
