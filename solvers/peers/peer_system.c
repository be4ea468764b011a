/* The blocks of A row by row, as another library takes them. */
#include "solvers/peers/peer_system.h"

#include <math.h>
#include <stdlib.h>

#include "solvers/block/block_factor.h"

void nb_peer_release(struct nb_peer_holder *holder)
{
    if (holder->self)
        holder->peer->free(holder->self);
    free(holder->system.start);
    free(holder->system.column);
    free(holder->system.value);
    *holder = (struct nb_peer_holder){0};
}

enum nb_status nb_peer_hold(struct nb_peer_holder *holder, const struct nb_operator *op, const struct nb_peer *peer,
                            const double *value, struct nb_error *error)
{
    const size_t entries = 9 * (size_t)op->matrix->start[op->matrix->rows];
    struct nb_peer_system *system = &holder->system;
    holder->peer = peer;
    if (sizeof(nb_real) != sizeof(double) || sizeof(nb_matrix) != sizeof(double))
        return nb_fail(error, NB_UNSUPPORTED, "this library works in double here, not in %s",
                       NB_TEXT(NB_PRECISION));
    if (entries > 2000000000)
        return nb_fail(error, NB_UNSUPPORTED, "more than 2e9 entries");
    system->rows = (int)op->size;
    system->start = malloc((op->size + 1) * sizeof(int));
    system->column = malloc((entries + 1) * sizeof(int));
    system->value = calloc(entries + 1, sizeof(double));
    if (!system->start || !system->column || !system->value)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for another library's matrix");
    nb_scalar_pattern(op->matrix, system->start, system->column);
    return op->size > 0 ? peer->create(&holder->self, system, value, error) : NB_OK;
}

enum nb_status nb_peer_refill(struct nb_peer_holder *holder, const struct nb_operator *op, struct nb_error *error)
{
    const struct nb_bsr *matrix = op->matrix;
    double *value = holder->system.value;
    const size_t entries = 9 * (size_t)matrix->start[matrix->rows];
    for (int i = 0; i < matrix->rows; ++i)
        for (int r = 0; r < 3; ++r)
            for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k)
                for (int c = 0; c < 3; ++c)
                    *value++ = (double)matrix->value[9 * (size_t)k + (size_t)(3 * r + c)];
    for (size_t k = 0; k < entries; ++k) /* not all notice, some never return */
        if (!isfinite(holder->system.value[k]))
            return nb_fail(error, NB_BREAKDOWN, "an entry of the operator is %g", holder->system.value[k]);
    return holder->self ? holder->peer->update(holder->self, error) : NB_OK;
}
