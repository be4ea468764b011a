#include <math.h>
#include <string.h>

#include "solvers/linear/engine/unsymmetric.h"

/* A cycle that leaves more than this of the residual will not do better the next time. */
#define STALLED NB_REAL(0.999)
/* A vector that loses so much of its length to the ones before keeps too few digits beside them. */
#define CANCELLED NB_REAL(0.7)

/* The parts of work: the basis V, then r, z, and the small triangular system. */
struct arnoldi {
    nb_real *basis;      /* [(restart + 1) n] columns v_0, v_1, ...        */
    nb_real *r, *z;      /* [n]                                            */
    nb_real *triangle;   /* [restart^2] R, by columns                      */
    nb_real *cosine, *sine, *right, *y; /* [restart + 1]                   */
};

size_t NB(nb_gmres_room)(size_t n, int restart)
{
    const size_t m = (size_t)restart;
    return (m + 3) * n + m * m + 4 * (m + 1);
}

static struct arnoldi lay_out(const struct NB(nb_unsymmetric) *system)
{
    const size_t n = system->n, m = (size_t)system->restart;
    struct arnoldi self = {.basis = system->work};
    self.r = self.basis + (m + 1) * n;
    self.z = self.r + n;
    self.triangle = self.z + n;
    self.cosine = self.triangle + m * m;
    self.sine = self.cosine + m + 1;
    self.right = self.sine + m + 1;
    self.y = self.right + m + 1;
    return self;
}

/* w loses its parts along the first k vectors; column [k] gathers what they were. */
static void project_out(const struct NB(nb_unsymmetric) *system, const nb_real *basis, int k, nb_real *w,
                        nb_real *column)
{
    const size_t n = system->n;
    for (int j = 0; j < k; ++j) {
        const nb_real *v = basis + (size_t)j * n;
        const nb_real h = (nb_real)NB(nb_dot)(n, v, w, system->threads);
        for (size_t i = 0; i < n; ++i)
            w[i] -= h * v[i];
        column[j] += h;
    }
}

/* The next vector of the basis and column k of H; returns its last entry, the vector's length, 0 where
 * nothing but round-off is left of it. */
static nb_real extend(const struct NB(nb_unsymmetric) *system, const struct arnoldi *self, int k,
                      nb_real *column)
{
    const size_t n = system->n;
    nb_real *w = self->basis + (size_t)(k + 1) * n;
    system->precondition(system->context, self->basis + (size_t)k * n, self->z);
    system->multiply(system->context, self->z, w);
    const nb_real before = NB(nb_norm)(n, w, system->threads);
    memset(column, 0, (size_t)(k + 1) * sizeof *column);
    project_out(system, self->basis, k + 1, w, column);
    nb_real length = NB(nb_norm)(n, w, system->threads);
    if (length < CANCELLED * before) {
        project_out(system, self->basis, k + 1, w, column);
        length = NB(nb_norm)(n, w, system->threads);
    }
    if (!isfinite(before) || length <= NB_REAL(NB_UNIT_ROUNDOFF) * before)
        return isfinite(before) ? 0 : before;
    for (size_t i = 0; i < n; ++i)
        w[i] /= length;
    return length;
}

/* Rotates column k, whose last entry is `last`, to the triangle. Zero where its diagonal vanishes. */
static int rotate(const struct arnoldi *self, int restart, int k, nb_real last)
{
    nb_real *column = self->triangle + (size_t)k * (size_t)restart;
    for (int j = 0; j < k; ++j) {
        const nb_real a = column[j], b = column[j + 1];
        column[j] = self->cosine[j] * a + self->sine[j] * b;
        column[j + 1] = self->cosine[j] * b - self->sine[j] * a;
    }
    const nb_real length = nb_sqrt(column[k] * column[k] + last * last);
    if (!(length > 0) || !isfinite(length))
        return 0;
    self->cosine[k] = column[k] / length;
    self->sine[k] = last / length;
    column[k] = length;
    self->right[k + 1] = -self->sine[k] * self->right[k];
    self->right[k] *= self->cosine[k];
    return 1;
}

/* z = P^-1 V y with R y = right over k columns. */
static void combine(const struct NB(nb_unsymmetric) *system, const struct arnoldi *self, int k)
{
    const size_t n = system->n, m = (size_t)system->restart;
    for (int i = k - 1; i >= 0; --i) {
        nb_real sum = self->right[i];
        for (int j = i + 1; j < k; ++j)
            sum -= self->triangle[(size_t)j * m + (size_t)i] * self->y[j];
        self->y[i] = sum / self->triangle[(size_t)i * m + (size_t)i];
    }
    memset(self->r, 0, n * sizeof *self->r);
    for (int j = 0; j < k; ++j)
        for (size_t i = 0; i < n; ++i)
            self->r[i] += self->y[j] * self->basis[(size_t)j * n + i];
    system->precondition(system->context, self->r, self->z);
}

/* r = b - A x and its norm */
static nb_real residual_of(const struct NB(nb_unsymmetric) *system, const nb_real *b, const nb_real *x,
                           nb_real *r)
{
    system->multiply(system->context, x, r);
    for (size_t i = 0; i < system->n; ++i)
        r[i] = b[i] - r[i];
    return NB(nb_norm)(system->n, r, system->threads);
}

/* One cycle from r, whose norm is given: at most `limit` products. Returns the columns that are of use;
 * *bare tells that the space is exhausted. */
static int cycle(const struct NB(nb_unsymmetric) *system, const struct arnoldi *self, nb_real norm,
                 nb_real tolerance, int limit, struct nb_linear_report *report, int *bare)
{
    const int most = limit < system->restart ? limit : system->restart;
    for (size_t i = 0; i < system->n; ++i)
        self->basis[i] = self->r[i] / norm;
    self->right[0] = norm;
    for (int k = 0; k < most; ++k) {
        nb_real *column = self->triangle + (size_t)k * (size_t)system->restart;
        const nb_real last = extend(system, self, k, column);
        report->iterations++;
        *bare = last == 0;
        if (!isfinite(last)) {
            report->ending = NB_LINEAR_NON_FINITE;
            return k;
        }
        if (!rotate(self, system->restart, k, last)) {
            report->ending = NB_LINEAR_BREAKDOWN;
            report->detail = "the matrix is singular on the Krylov space";
            return k;
        }
        if (*bare || nb_abs(self->right[k + 1]) <= tolerance)
            return k + 1;
    }
    return most;
}

struct nb_linear_report NB(nb_gmres)(const struct NB(nb_unsymmetric) *system, const nb_real *b,
                                     nb_real tolerance, nb_real *x, nb_real *residual)
{
    const size_t n = system->n;
    const struct arnoldi self = lay_out(system);
    struct nb_linear_report report = {NB_LINEAR_ITERATION_LIMIT, 0, ""};
    int ended = 0, bare = 0;
    memset(x, 0, n * sizeof *x);
    memcpy(self.r, b, n * sizeof *self.r);
    *residual = NB(nb_norm)(n, b, system->threads);
    if (!isfinite(*residual)) {
        report.ending = NB_LINEAR_NON_FINITE;
        return report;
    }
    while (!ended && *residual > tolerance && report.iterations < system->iterations) {
        const nb_real before = *residual;
        const int used = cycle(system, &self, before, tolerance, system->iterations - report.iterations,
                               &report, &bare);
        ended = report.ending != NB_LINEAR_ITERATION_LIMIT || bare;
        if (used == 0)
            return report;
        combine(system, &self, used);
        if (!isfinite(NB(nb_norm)(n, self.z, system->threads))) {
            report.ending = NB_LINEAR_NON_FINITE;
            return report;
        }
        for (size_t i = 0; i < n; ++i)
            x[i] += self.z[i];
        *residual = residual_of(system, b, x, self.r);
        if (!(*residual < before)) { /* rounding */
            for (size_t i = 0; i < n; ++i)
                x[i] -= self.z[i];
            *residual = before;
            report.ending = NB_LINEAR_STAGNATED;
            return report;
        }
        if (!ended && *residual > tolerance && *residual > STALLED * before) {
            report.ending = NB_LINEAR_STAGNATED;
            ended = 1;
        }
    }
    if (*residual <= tolerance)
        report.ending = NB_LINEAR_CONVERGED;
    else if (bare && report.ending == NB_LINEAR_ITERATION_LIMIT)
        report.ending = NB_LINEAR_STAGNATED;
    return report;
}
