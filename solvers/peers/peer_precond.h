/* Set-up, application and end of the rows in solvers/peers/precond/, each of which is a library. */
#ifndef NB_PEER_PRECOND_H
#define NB_PEER_PRECOND_H

#include "solvers/peers/peer.h"
#include "solvers/strategy.h"

#define nb_peer_precond_apply NB(nb_peer_precond_apply)
#define nb_peer_precond_free NB(nb_peer_precond_free)
#define nb_peer_precond_setup NB(nb_peer_precond_setup)
#define nb_peer_precond_update NB(nb_peer_precond_update)

/* settings: the row's table, or NULL. */
enum nb_status nb_peer_precond_setup(void **self, const struct nb_operator *op, const struct nb_peer *peer,
                                     const struct nb_setting *settings, struct nb_error *error);
enum nb_status nb_peer_precond_update(void *self, const struct nb_operator *op, struct nb_error *error);
/* Where the library fails, z is not a number, so that the solve ends and says so. */
void nb_peer_precond_apply(const void *self, const struct nb_operator *op, const nb_real *r, nb_real *z);
void nb_peer_precond_free(void *self);

#endif
