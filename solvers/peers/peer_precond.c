/* Another library's preconditioner as a row: A as scalar compressed rows, one call for each application. */
#include "solvers/peers/peer_precond.h"

#include <math.h>
#include <stdlib.h>

#include "solvers/peers/peer_system.h"

void nb_peer_precond_free(void *self)
{
    if (self)
        nb_peer_release(self);
    free(self);
}

enum nb_status nb_peer_precond_setup(void **self, const struct nb_operator *op, const struct nb_peer *peer,
                                     const struct nb_setting *settings, struct nb_error *error)
{
    double value[NB_SETTINGS_MAX];
    const enum nb_status status = nb_settings_read(settings, op->options->precond, value, error);
    if (status)
        return status;
    *self = calloc(1, sizeof(struct nb_peer_holder));
    return *self ? nb_peer_hold(*self, op, peer, value, error)
                 : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for another library's preconditioner");
}

enum nb_status nb_peer_precond_update(void *self, const struct nb_operator *op, struct nb_error *error)
{
    return nb_peer_refill(self, op, error);
}

void nb_peer_precond_apply(const void *self, const struct nb_operator *op, const nb_real *r, nb_real *z)
{
    const struct nb_peer_holder *holder = self;
    const void *from = r; /* nb_real is double here */
    void *to = z;
    if (!holder->self || holder->peer->apply(holder->self, from, to))
        return;
    for (size_t i = 0; i < op->size; ++i)
        z[i] = NB_REAL(NAN);
}
