/* The matrix of an operator for another library: scalar compressed rows in double, refilled when values change. */
#ifndef NB_PEER_SYSTEM_H
#define NB_PEER_SYSTEM_H

#include "solvers/peers/peer.h"
#include "solvers/strategy.h"

#define nb_peer_hold NB(nb_peer_hold)
#define nb_peer_holder NB(nb_peer_holder)
#define nb_peer_release NB(nb_peer_release)
#define nb_peer_refill NB(nb_peer_refill)

struct nb_peer_holder {
    const struct nb_peer *peer;
    struct nb_peer_system system;
    void *self; /* the library's own; NULL: the system is empty, which not all know */
};

/* The pattern of op->matrix, and the library set up on it; value: of its own settings. NB_UNSUPPORTED in any precision
 * but f64. What it left is freed by nb_peer_release in any case. */
enum nb_status nb_peer_hold(struct nb_peer_holder *holder, const struct nb_operator *op, const struct nb_peer *peer,
                            const double *value, struct nb_error *error);
/* New values of that pattern, handed to the library. */
enum nb_status nb_peer_refill(struct nb_peer_holder *holder, const struct nb_operator *op, struct nb_error *error);
void nb_peer_release(struct nb_peer_holder *holder);

#endif
