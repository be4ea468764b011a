/* Contacts of the mixed conjugate residuals: open, static, kinetic
 * (solvers/outer/mixed_conjugate_residual/mixed_residual.h). */
#include <string.h>

#include "solvers/outer/mixed_conjugate_residual/mixed_residual.h"

/* One more value of a sliding contact; its mean friction impulse [2]. */
static void average_friction(struct nb_mixed *self, int contact, nb_real normal, const nb_real *direction,
                             nb_real mu, nb_real *friction)
{
    nb_real *ring = self->history + 3 * (size_t)self->average * (size_t)contact;
    nb_real *entry = ring + 3 * (self->samples[contact] % self->average), sum[3] = {0, 0, 0};
    entry[0] = nb_max(0, normal);
    entry[1] = direction[0];
    entry[2] = direction[1];
    self->samples[contact]++;
    const int count = self->samples[contact] < self->average ? self->samples[contact] : self->average;
    for (int k = 0; k < count; ++k)
        for (int r = 0; r < 3; ++r)
            sum[r] += ring[3 * k + r];
    const nb_real length = nb_sqrt(sum[1] * sum[1] + sum[2] * sum[2]);
    for (int t = 0; t < 2; ++t)
        friction[t] = length > 0 ? mu * (sum[0] / (nb_real)count) * (sum[t + 1] / length) : 0;
}

/* A contact's state from z = p - rho y. */
static int state_of(const nb_real *z, nb_real normal, nb_real mu, nb_real zone)
{
    if (!(z[0] > zone))
        return NB_MIXED_OPEN;
    return nb_sqrt(z[1] * z[1] + z[2] * z[2]) <= mu * nb_max(0, normal) + zone ? NB_MIXED_STATIC
                                                                               : NB_MIXED_KINETIC;
}

static void set_active(struct nb_mixed *self, size_t row, int state)
{
    self->system.active[row] = state != NB_MIXED_OPEN;
    self->system.active[row + 1] = self->system.active[row + 2] = state == NB_MIXED_STATIC;
}

/* The friction of a sliding contact against its velocity y; against z where it hardly moves, as
 * in its first moment. Nonzero if it changed beyond round-off. */
static int update_friction(struct nb_mixed *self, int contact, nb_real *p, const nb_real *y,
                           const nb_real *z, nb_real mu)
{
    const nb_real speed = nb_sqrt(y[1] * y[1] + y[2] * y[2]);
    const nb_real length = nb_sqrt(z[1] * z[1] + z[2] * z[2]);
    const size_t row = self->system.bilateral + 3 * (size_t)contact;
    const int moves = speed * self->system.rho[row + 1] > mu * nb_abs(p[0]) / 1000;
    nb_real direction[2], friction[2];
    for (int t = 0; t < 2; ++t)
        direction[t] = moves ? -y[t + 1] / speed : length > 0 ? z[t + 1] / length : 0;
    average_friction(self, contact, p[0], direction, mu, friction);
    const nb_real change = nb_abs(friction[0] - p[1]) + nb_abs(friction[1] - p[2]);
    p[1] = friction[0];
    p[2] = friction[1];
    return change > 8 * NB_REAL(NB_UNIT_ROUNDOFF) * mu * nb_abs(p[0]);
}

static int switch_contact(struct nb_mixed *self, int contact, nb_real zone)
{
    const size_t row = self->system.bilateral + 3 * (size_t)contact;
    const nb_real mu = self->system.model->friction[contact];
    const nb_real *y = self->velocity + row, *rho = self->system.rho + row;
    nb_real *p = self->x + self->system.dofs + row, z[3];
    for (int r = 0; r < 3; ++r)
        z[r] = p[r] - rho[r ? (rho[1] < rho[2] ? 1 : 2) : 0] * y[r];
    /* the normal impulse of a contact that closes is not known yet: z has its prediction */
    const int before = self->state[contact];
    const int state = state_of(z, before == NB_MIXED_OPEN ? z[0] : p[0], mu, zone);
    self->state[contact] = state;
    set_active(self, row, state);
    if (state == NB_MIXED_OPEN)
        memset(p, 0, 3 * sizeof *p);
    if (state != NB_MIXED_KINETIC) {
        self->samples[contact] = 0;
        return state != before;
    }
    return update_friction(self, contact, p, y, z, mu) || state != before;
}

int nb_mixed_switch(struct nb_mixed *self)
{
    const struct nb_mixed_system *system = &self->system;
    const size_t dofs = system->dofs, rows = system->rows - system->bilateral;
    int changes = 0;
    nb_mixed_velocity(system, self->x, self->x + dofs, 1, self->velocity);
    /* round-off decides nothing */
    const nb_real zone = 4 * NB_REAL(NB_UNIT_ROUNDOFF) *
                         nb_norm(rows, self->x + dofs + system->bilateral, 1);
    for (int k = 0; k < system->model->contacts; ++k)
        changes += switch_contact(self, k, zone);
    return changes;
}
