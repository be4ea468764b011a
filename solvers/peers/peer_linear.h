/* Set-up, solve and end of the rows in solvers/peers/linear/, each of which is a library. */
#ifndef NB_PEER_LINEAR_H
#define NB_PEER_LINEAR_H

#include "solvers/peers/peer.h"
#include "solvers/strategy.h"

enum nb_status NB(nb_peer_setup)(void **self, const struct NB(nb_operator) *op,
                                 const struct nb_peer *peer, struct nb_error *error);
enum nb_status NB(nb_peer_update)(void *self, struct NB(nb_operator) *op, struct nb_error *error);
struct nb_linear_report NB(nb_peer_solve)(void *self, const struct NB(nb_linear_task) *task);
void NB(nb_peer_free)(void *self);

#endif
