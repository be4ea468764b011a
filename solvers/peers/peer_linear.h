/* Set-up, solve and end of the rows in solvers/peers/linear/, each of which is a library. */
#ifndef NB_PEER_LINEAR_H
#define NB_PEER_LINEAR_H

#include "solvers/peers/peer.h"
#include "solvers/strategy.h"

#define nb_peer_free NB(nb_peer_free)
#define nb_peer_setup NB(nb_peer_setup)
#define nb_peer_solve NB(nb_peer_solve)
#define nb_peer_update NB(nb_peer_update)

/* settings: the row's table; NULL: it has none of its own. */
enum nb_status nb_peer_setup(void **self, const struct nb_operator *op, const struct nb_peer *peer,
                             const struct nb_setting *settings, struct nb_error *error);
enum nb_status nb_peer_update(void *self, struct nb_operator *op, struct nb_error *error);
struct nb_linear_report nb_peer_solve(void *self, const struct nb_linear_task *task);
void nb_peer_free(void *self);

#endif
