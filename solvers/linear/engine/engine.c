#include "solvers/linear/engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/clock.h"
#include "solvers/block/product.h"
#include "solvers/linear/engine/parts.h"

struct NB(nb_engine) {
    struct NB(nb_operator) *op; /* borrowed */
    const struct NB(nb_linear) *linear;
    const struct NB(nb_precond) *precond;
    void *linear_self, *precond_self;
    nb_real tolerance;
    double preparing; /* [s] spent in updates since the last solve */
    struct NB(nb_product) *product; /* of an iterative solver on an assembled operator; else NULL */
    struct NB(nb_parts) *parts; /* islands, or another precision; NULL: the whole system as it is */
    int refined;                    /* the parts are of another precision */
    nb_real *last; /* [n] the last solution, zero before the first; NULL: every solve starts from zero */
};

void NB(nb_engine_free)(struct NB(nb_engine) *engine)
{
    if (!engine)
        return;
    if (engine->linear && engine->linear->free && !engine->parts)
        engine->linear->free(engine->linear_self);
    if (engine->precond && engine->precond->free && !engine->parts)
        engine->precond->free(engine->precond_self);
    NB(nb_parts_free)(engine->parts);
    NB(nb_product_free)(engine->product);
    free(engine->last);
    free(engine);
}

static enum nb_status read_settings(struct NB(nb_engine) *engine, const struct nb_options *options,
                                    double *value, struct nb_error *error)
{
    struct NB(nb_operator) *op = engine->op;
    enum nb_status status = nb_settings_read(NB(nb_strategy_settings)("linear", options->linear),
                                             options->linear, value, error);
    if (!status)
        status = nb_settings_read(NB(nb_strategy_settings)("precond", options->precond),
                                  options->precond, op->precond_setting, error);
    if (status)
        return status;
    memcpy(op->linear_setting, value + NB_LINEAR_COMMON, sizeof op->linear_setting);
    engine->tolerance = (nb_real)value[NB_LINEAR_TOL];
    engine->refined = value[NB_LINEAR_IN] != 0;
    if (value[NB_LINEAR_START] == 0)
        return NB_OK;
    engine->last = calloc(op->size + 1, sizeof *engine->last);
    return engine->last ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the last solution");
}

static int wants_product(const struct NB(nb_engine) *engine)
{
    return engine->op->matrix && !engine->linear->direct && !engine->linear->foreign;
}

static enum nb_status set_up(struct NB(nb_engine) *engine, const struct nb_options *options,
                             struct nb_error *error)
{
    engine->linear = NB(nb_find_linear)(options->linear);
    engine->precond = NB(nb_find_precond)(options->precond);
    if (!engine->linear || !engine->precond)
        return nb_fail(error, NB_BAD_INPUT, "an unknown strategy was asked for");
    double value[NB_LINEAR_COMMON + NB_SETTINGS_MAX] = {0};
    enum nb_status status = read_settings(engine, options, value, error);
    if (!status && (value[NB_LINEAR_ISLANDS] != 0 || value[NB_LINEAR_IN] != 0))
        return NB(nb_parts_create)(&engine->parts, engine->op, options, value, error);
    if (!status && wants_product(engine))
        status = NB(nb_product_create)(&engine->product, engine->op->matrix, engine->op->storage,
                                       engine->op->threads, error);
    if (!status && engine->precond->setup)
        status = engine->precond->setup(&engine->precond_self, engine->op, error);
    if (!status && engine->linear->setup)
        status = engine->linear->setup(&engine->linear_self, engine->op, error);
    return status;
}

enum nb_status NB(nb_engine_create)(struct NB(nb_engine) **out, struct NB(nb_operator) *op,
                                    const struct nb_options *options, struct nb_error *error)
{
    struct NB(nb_engine) *engine = calloc(1, sizeof *engine);
    *out = NULL;
    if (!engine)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for a linear solver");
    engine->op = op;
    const enum nb_status status = set_up(engine, options, error);
    if (status) {
        NB(nb_engine_free)(engine);
        return status;
    }
    *out = engine;
    return NB_OK;
}

struct NB(nb_product) *NB(nb_engine_direct)(const struct NB(nb_engine) *engine)
{
    const int products_only = engine->linear->products_only && engine->precond->products_only;
    return products_only ? engine->product : NULL;
}

int NB(nb_engine_trusts_a_factor)(const struct NB(nb_engine) *engine)
{
    return engine->linear->direct && !engine->refined;
}

/* An infinite pivot leaves zeros and a finite x behind it, which a factor cannot tell from a solution. */
static enum nb_status check_finite(const struct NB(nb_operator) *op, struct nb_error *error)
{
    const struct NB(nb_bsr) *matrix = op->matrix;
    const size_t blocks = matrix ? (size_t)matrix->start[matrix->rows] : 0;
    for (size_t k = 0; k < 9 * blocks; ++k)
        if (!isfinite((double)matrix->value[k]))
            return nb_fail(error, NB_BREAKDOWN, "an entry of the operator is %g", (double)matrix->value[k]);
    return NB_OK;
}

enum nb_status NB(nb_engine_update)(struct NB(nb_engine) *engine, struct nb_error *error)
{
    enum nb_status status = NB_OK;
    const double begin = nb_seconds();
    if (engine->parts) {
        status = NB(nb_parts_update)(engine->parts, error);
        engine->preparing += nb_seconds() - begin;
        return status;
    }
    if (engine->product && engine->op->product != engine->product) {
        NB(nb_product_refill)(engine->product, engine->op->matrix);
        engine->op->product = engine->product;
    }
    if (engine->linear->direct)
        status = check_finite(engine->op, error);
    if (!status && engine->precond->update)
        status = engine->precond->update(engine->precond_self, engine->op, error);
    if (!status && engine->linear->update)
        status = engine->linear->update(engine->linear_self, engine->op, error);
    engine->preparing += nb_seconds() - begin;
    return status;
}

void NB(nb_engine_restart)(struct NB(nb_engine) *engine)
{
    if (engine->last)
        memset(engine->last, 0, engine->op->size * sizeof *engine->last);
    if (engine->parts)
        NB(nb_parts_restart)(engine->parts);
    else if (engine->precond->restart)
        engine->precond->restart(engine->precond_self);
}

struct nb_linear_report NB(nb_engine_solve)(struct NB(nb_engine) *engine,
                                            const struct NB(nb_engine_task) *given)
{
    const size_t bytes = engine->op->size * sizeof *given->x;
    const struct NB(nb_linear_task) task = {
        .op = engine->op,
        .precond = engine->precond,
        .precond_self = engine->precond_self,
        .precond_applications = &given->run->preconditioner_applications,
        .b = given->b,
        .x = given->x,
        .iterations = given->iterations,
        .tolerance = engine->tolerance,
        .observe = given->observe,
        .observe_context = given->observe_context,
    };
    if (engine->last)
        memcpy(given->x, engine->last, bytes);
    else
        memset(given->x, 0, bytes);
    given->run->preparation_seconds += engine->preparing;
    engine->preparing = 0;
    const struct nb_linear_report report =
        engine->parts ? NB(nb_parts_solve)(engine->parts, &task)
                      : engine->linear->solve(engine->linear_self, &task);
    if (engine->last && report.ending < NB_LINEAR_NON_FINITE)
        memcpy(engine->last, given->x, bytes);
    return report;
}
