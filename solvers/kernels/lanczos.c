#include "solvers/kernels/lanczos.h"

#include <lapacke.h>
#include <string.h>

/* A start that resembles no eigenvector: its entries are those of a multiplicative hash. */
static nb_real start_entry(size_t i)
{
    return (nb_real)(1 + (double)((i * 2654435761u) >> 4 & 255u) / 256.0);
}

/* Eigenvalues of the tridiagonal matrix; the largest one's residual is next |last entry of its
 * eigenvector| (Zhou and Li 2011). */
static struct NB(nb_spectrum) extremes(int count, double *diagonal, double *beside, double next)
{
    struct NB(nb_spectrum) spectrum = {1, 1, count};
    double vectors[NB_LANCZOS_STEPS * NB_LANCZOS_STEPS], work[2 * NB_LANCZOS_STEPS];
    if (count == 0 || LAPACKE_dstev_work(LAPACK_COL_MAJOR, 'V', count, diagonal, beside, vectors,
                                         count, work))
        return spectrum;
    const double last = fabs(vectors[count * count - 1]);
    spectrum.low = (nb_real)diagonal[0];
    spectrum.high = (nb_real)(diagonal[count - 1] + next * last);
    return spectrum;
}

struct NB(nb_spectrum) NB(nb_lanczos)(const struct NB(nb_operator) *op,
                                      NB(nb_lanczos_precond) *precond, const void *context,
                                      int steps, nb_real *work)
{
    const size_t n = op->size;
    nb_real *r = work, *z = r + n, *p = z + n, *q = p + n;
    double diagonal[NB_LANCZOS_STEPS], beside[NB_LANCZOS_STEPS], next = 0, before = 0;
    int count = 0;
    for (size_t i = 0; i < n; ++i)
        r[i] = start_entry(i) * nb_sqrt(nb_abs(op->diagonal[i]));
    precond(context, r, z);
    memcpy(p, z, n * sizeof *p);
    double rho = (double)NB(nb_dot)(n, r, z, op->threads);
    const double least = (double)NB_UNIT_ROUNDOFF * rho; /* beyond it there is only noise */
    while (count < steps && count < NB_LANCZOS_STEPS && (size_t)count < n && rho > least) {
        op->strategy->apply(op, p, q);
        const double gamma = (double)NB(nb_dot)(n, p, q, op->threads);
        if (!(gamma > 0) || !isfinite(gamma))
            break;
        const double alpha = rho / gamma;
        diagonal[count] = 1 / alpha + before;
        for (size_t i = 0; i < n; ++i)
            r[i] -= (nb_real)alpha * q[i];
        precond(context, r, z);
        const double after = (double)NB(nb_dot)(n, r, z, op->threads), beta = after / rho;
        next = beta > 0 ? sqrt(beta) / alpha : 0;
        before = beta / alpha;
        beside[count++] = next;
        for (size_t i = 0; i < n; ++i)
            p[i] = z[i] + (nb_real)beta * p[i];
        rho = after;
    }
    return extremes(count, diagonal, beside, next);
}

static void divide_by_diagonal(const void *context, const nb_real *r, nb_real *z)
{
    const struct NB(nb_operator) *op = context;
    for (size_t i = 0; i < op->size; ++i)
        z[i] = r[i] / op->diagonal[i];
}

struct NB(nb_spectrum) NB(nb_lanczos_diagonal)(const struct NB(nb_operator) *op, int steps,
                                               nb_real *work)
{
    return NB(nb_lanczos)(op, divide_by_diagonal, op, steps, work);
}
