/* An assembled operator whose products read 16-bit entries, expanded to the state's precision in registers;
 * its diagonal stays in full. The entries have to be representable in the format: the blocks of op->matrix
 * hold the same numbers, for preconditioners and sweeps. */
#ifndef NB_HALF_OPERATOR_H
#define NB_HALF_OPERATOR_H

#include "solvers/half.h"
#include "solvers/strategy.h"

/* Makes op, which has a matrix and its diagonal, such an operator; the caller frees it with op->strategy.
 * portable: without what this processor has beyond those that the program was compiled for; the same bits. */
enum nb_status NB(nb_half_attach)(struct NB(nb_operator) *op, enum nb_half_format format,
                                  int portable, struct nb_error *error);
/* op->matrix has new values. */
void NB(nb_half_refill)(struct NB(nb_operator) *op);

#endif
