/* Deflation of the softest modes kept from the last Newton iteration, added to the diagonal:
 *
 *     P^-1 = D^-1 + V (V^T A V)^-1 V^T,  D = diag A
 *
 * The columns of V approximate the eigenvectors of D^-1 A with the smallest eigenvalues. They are found by
 * block gradient steps with a Rayleigh-Ritz projection on [V, D^-1 (A V - D V Theta)] (Knyazev 2001, without
 * its third direction), many for the first matrix and a few for each later one, which starts from what the
 * last Newton iteration left (Nicolaides 1987; Frank and Vuik 2001). Needs products only. */
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"
#include "solvers/linear/relaxation/relaxation.h"

enum { MOST = 16 };
enum { MODES, FIRST, LATER, SETTINGS };

static const struct nb_setting settings[] = {
    {.name = "modes", .value = 6, .minimum = 1, .maximum = MOST, .whole = 1,
     .meaning = "softest modes that are kept"},
    {.name = "first", .value = 12, .minimum = 0, .maximum = 1000, .whole = 1,
     .meaning = "improvements of the modes for the first matrix"},
    {.name = "later", .value = 1, .minimum = 0, .maximum = 1000, .whole = 1,
     .meaning = "improvements for every later matrix"},
    {.name = NULL}};

struct deflation {
    double setting[SETTINGS];
    int modes, size, started; /* size: modes in use, at most n            */
    nb_real *basis;           /* [2 modes][n] V and its search directions */
    nb_real *image;           /* [2 modes][n] A times them                */
    nb_real *spare;           /* [2 modes][n]                             */
    nb_real *inverse;         /* [n] D^-1                                 */
    double value[2 * MOST];   /* Ritz values                              */
    size_t rows;              /* n                                        */
    void *memory;             /* of the arrays                            */
};

static void release(void *data)
{
    struct deflation *self = data;
    if (self)
        free(self->memory);
    free(self);
}

static void lay_out(void *data, struct nb_arena *arena)
{
    struct deflation *self = data;
    const size_t columns = 2 * (size_t)self->modes;
    NB_ARRAY(arena, self->basis, columns * self->rows);
    NB_ARRAY(arena, self->image, columns * self->rows);
    NB_ARRAY(arena, self->spare, columns * self->rows);
    NB_ARRAY(arena, self->inverse, self->rows);
}

static enum nb_status setup(void **out, const struct nb_operator *op, struct nb_error *error)
{
    struct deflation *self = calloc(1, sizeof *self);
    *out = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for deflation");
    const enum nb_status status = nb_settings_read(settings, op->options->precond, self->setting, error);
    if (status)
        return status;
    self->modes = (int)self->setting[MODES];
    self->rows = op->size;
    self->memory = nb_arena_allocate(lay_out, self);
    return self->memory ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for deflation");
}

static double inner_product(const struct nb_operator *op, const nb_real *x, const nb_real *y)
{
    return (double)nb_dot(op->size, x, y, op->threads);
}

/* x becomes orthogonal in D to the first `count` columns, of length 1 in D; 0 where nothing is left. */
static int orthonormalise(struct deflation *self, const struct nb_operator *op, int count, nb_real *x)
{
    const size_t n = op->size;
    nb_real *weighted = self->spare;
    double before = 0, after = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k <= count; ++k) {
            for (size_t i = 0; i < n; ++i)
                weighted[i] = op->diagonal[i] * x[i];
            if (k == count || (pass == 0 && k == 0)) {
                after = inner_product(op, x, weighted);
                before = pass == 0 && k == 0 ? after : before;
            }
            if (k == count)
                continue;
            const nb_real part = (nb_real)inner_product(op, self->basis + (size_t)k * n, weighted);
            for (size_t i = 0; i < n; ++i)
                x[i] -= part * self->basis[(size_t)k * n + i];
        }
    if (!(after > 1e4 * (double)NB_UNIT_ROUNDOFF * before) || !isfinite(after))
        return 0;
    const nb_real scale = (nb_real)(1 / sqrt(after));
    for (size_t i = 0; i < n; ++i)
        x[i] *= scale;
    return 1;
}

/* Rayleigh-Ritz over `count` columns: the softest come first. 0 where LAPACK gives up. */
static int rayleigh_ritz(struct deflation *self, const struct nb_operator *op, int count)
{
    const size_t n = op->size;
    double gram[4 * MOST * MOST], work[8 * MOST];
    if (count == 0)
        return 0;
    for (int j = 0; j < count; ++j)
        op->strategy->apply(op, self->basis + (size_t)j * n, self->image + (size_t)j * n);
    for (int j = 0; j < count; ++j)
        for (int i = 0; i <= j; ++i)
            gram[i * count + j] = gram[j * count + i] =
                inner_product(op, self->basis + (size_t)i * n, self->image + (size_t)j * n);
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', count, gram, count, self->value, work,
                           8 * MOST))
        return 0;
    nb_real *const arrays[] = {self->basis, self->image};
    for (int a = 0; a < 2; ++a) {
        const int kept = count < self->modes ? count : self->modes;
        memset(self->spare, 0, (size_t)kept * n * sizeof *self->spare);
        for (int j = 0; j < kept; ++j)
            for (int k = 0; k < count; ++k) {
                const nb_real part = (nb_real)gram[j * count + k];
                for (size_t i = 0; i < n; ++i)
                    self->spare[(size_t)j * n + i] += part * arrays[a][(size_t)k * n + i];
            }
        memcpy(arrays[a], self->spare, (size_t)kept * n * sizeof *self->spare);
        self->size = kept;
    }
    return 1;
}

/* Orthonormal columns out of `count` given ones, packed to the front. */
static int orthonormalise_columns(struct deflation *self, const struct nb_operator *op, int count)
{
    const size_t n = op->size;
    int good = 0;
    for (int k = 0; k < count; ++k) {
        nb_real *to = self->basis + (size_t)good * n;
        if (k != good)
            memcpy(to, self->basis + (size_t)k * n, n * sizeof *to);
        good += orthonormalise(self, op, good, to);
    }
    return good;
}

static void improve_basis(struct deflation *self, const struct nb_operator *op)
{
    const size_t n = op->size;
    for (int j = 0; j < self->size; ++j) {
        const nb_real *v = self->basis + (size_t)j * n, *av = self->image + (size_t)j * n;
        nb_real *direction = self->basis + (size_t)(self->size + j) * n;
        const nb_real theta = (nb_real)self->value[j];
        for (size_t i = 0; i < n; ++i)
            direction[i] = self->inverse[i] * av[i] - theta * v[i];
    }
    self->size = rayleigh_ritz(self, op, orthonormalise_columns(self, op, 2 * self->size)) ? self->size : 0;
}

/* Deterministic and without symmetry: entries of a multiplicative hash. */
static void start_basis(struct deflation *self, const struct nb_operator *op)
{
    for (size_t i = 0; i < (size_t)self->modes * op->size; ++i)
        self->basis[i] = ((nb_real)((i * 2654435761u) >> 7 & 1023u) / 512 - 1) *
                         nb_sqrt(self->inverse[i % op->size]);
    self->size = self->modes;
    self->started = 1;
}

static enum nb_status update(void *data, const struct nb_operator *op, struct nb_error *error)
{
    struct deflation *self = data;
    const enum nb_status status = nb_check_diagonal(op, error);
    if (status)
        return status;
    for (size_t i = 0; i < op->size; ++i)
        self->inverse[i] = 1 / op->diagonal[i];
    const int first = !self->started || self->size == 0;
    if (first)
        start_basis(self, op);
    self->size = rayleigh_ritz(self, op, orthonormalise_columns(self, op, self->size)) ? self->size : 0;
    for (int k = 0; k < (int)self->setting[first ? FIRST : LATER]; ++k)
        improve_basis(self, op);
    if (self->size > 0 && !(self->value[0] > 0)) /* not positive definite: deflate nothing */
        self->size = 0;
    return NB_OK;
}

/* The modes go on deflating the present matrix; the next one's are found from the fixed start again. */
static void restart(void *data)
{
    struct deflation *self = data;
    self->started = 0;
}

/* V^T A V is diagonal: the Ritz values. */
static void apply(const void *data, const struct nb_operator *op, const nb_real *r, nb_real *z)
{
    const struct deflation *self = data;
    const size_t n = op->size;
    for (size_t i = 0; i < n; ++i)
        z[i] = self->inverse[i] * r[i];
    for (int k = 0; k < self->size; ++k) {
        const nb_real *v = self->basis + (size_t)k * n;
        const nb_real part = (nb_real)(inner_product(op, v, r) / self->value[k]);
        for (size_t i = 0; i < n; ++i)
            z[i] += part * v[i];
    }
}

const struct nb_precond NB(nb_precond_deflation) = {
    .name = "deflation",
    .title = "diagonal, and the softest modes of the last Newton iteration",
    .source = "Nicolaides 1987; Frank and Vuik 2001; Knyazev 2001",
    .settings = settings,
    .setup = setup,
    .update = update,
    .restart = restart,
    .apply = apply,
    .free = release,
};
