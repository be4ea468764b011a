/* Set-up, solve and end of the rows in solvers/peers/linear/, each of which is a library. */
#ifndef NB_PEER_LINEAR_H
#define NB_PEER_LINEAR_H

#include "solvers/peers/peer.h"
#include "solvers/strategy.h"

/* settings: the row's table; NULL: it has none of its own. */
enum nb_status NB_SHORT(nb_peer_setup)(void **self, const struct nb_operator *op, const struct nb_peer *peer,
                                       const struct nb_setting *settings, struct nb_error *error);
enum nb_status NB_SHORT(nb_peer_update)(void *self, struct nb_operator *op, struct nb_error *error);
struct nb_linear_report NB_SHORT(nb_peer_solve)(void *self, const struct nb_linear_task *task);
void NB_SHORT(nb_peer_free)(void *self);

#endif
