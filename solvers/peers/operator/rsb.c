/* librsb: product in recursive sparse blocks (solvers/peers/rsb.c), of the matrix that the assembled operator fills. */
#include <math.h>
#include <stdlib.h>

#include "solvers/peers/peer_system.h"

struct rsb {
    const struct nb_operator_strategy *assembled;
    void *assembled_self;
    struct nb_peer_holder holder;
    int failed;
};

/* The assembled operator's functions find its own data in op->self. */
static void *lend(struct nb_operator *op)
{
    struct rsb *self = op->self;
    op->self = self->assembled_self;
    return self;
}

static void take_back(struct nb_operator *op, void *lent)
{
    struct rsb *self = lent;
    self->assembled_self = op->self;
    op->self = self;
}

static void release(struct nb_operator *op)
{
    struct rsb *self = op->self;
    if (!self)
        return;
    nb_peer_release(&self->holder);
    lend(op);
    self->assembled->free(op);
    free(self);
    op->self = NULL;
}

static enum nb_status setup(struct nb_operator *op, const struct nb_model *model, struct nb_error *error)
{
    struct rsb *self = calloc(1, sizeof *self);
    op->self = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for librsb");
    self->assembled = nb_find_operator("assembled");
    if (op->threads > 1)
        return nb_fail(error, NB_UNSUPPORTED, "librsb with %d threads adds in any order: it takes one here",
                       op->threads);
    lend(op);
    const enum nb_status status = self->assembled->setup(op, model, error);
    take_back(op, self);
    return status ? status : nb_peer_hold(&self->holder, op, &nb_peer_rsb, NULL, error);
}

static void update(struct nb_operator *op, const nb_real *row_scale, const nb_real *compliance)
{
    struct rsb *self = lend(op);
    self->assembled->update(op, row_scale, compliance);
    take_back(op, self);
    self->failed = nb_peer_refill(&self->holder, op, NULL) != NB_OK;
}

/* A failure is not a number, so that the solve ends and says so. */
static void apply(const struct nb_operator *op, const nb_real *x, nb_real *y)
{
    const struct rsb *self = op->self;
    const void *from = x; /* nb_real is double here */
    void *to = y;
    if (!self->holder.self || (!self->failed && nb_peer_rsb.apply(self->holder.self, from, to)))
        return;
    for (size_t i = 0; i < op->size; ++i)
        y[i] = NB_REAL(NAN);
}

static void relax(struct nb_operator *op, const nb_real *b, nb_real *x, nb_real omega, int backward)
{
    struct rsb *self = lend(op);
    self->assembled->relax(op, b, x, omega, backward);
    take_back(op, self);
}

const struct nb_operator_strategy NB(nb_operator_rsb) = {
    .name = "rsb",
    .title = "librsb's product of the assembled matrix",
    .own_product = 1,
    .setup = setup,
    .update = update,
    .apply = apply,
    .relax = relax,
    .free = release,
};
