/* Set-up, run and end of the rows in solvers/peers/solver/, each of which is a library. */
#ifndef NB_PEER_CONTACT_H
#define NB_PEER_CONTACT_H

#include "solvers/peers/peer.h"
#include "solvers/strategy.h"

#define nb_peer_contact_setup NB(nb_peer_contact_setup)
#define nb_peer_contact_run NB(nb_peer_contact_run)
#define nb_peer_contact_free NB(nb_peer_contact_free)

enum nb_status nb_peer_contact_setup(void **self, const struct nb_peer_contact *peer,
                                     const struct nb_setting *settings, struct nb_model *model,
                                     const struct nb_options *options, struct nb_error *error);
enum nb_status nb_peer_contact_run(void *self, const struct nb_method_task *task,
                                   struct nb_error *error);
void nb_peer_contact_free(void *self);

#endif
