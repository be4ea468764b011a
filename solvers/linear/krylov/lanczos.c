/* Conjugate gradients on A x = r from a fixed r; their alpha and beta give the tridiagonal matrix of the Lanczos
 * process (Saad 2003, section 6.7.3), whose eigenvalues LAPACK finds. */
#include "solvers/linear/krylov/lanczos.h"

#include <lapacke.h>
#include <string.h>

#include "solvers/linear/relaxation/relaxation_factor.h"

/* Eigenvalues of the tridiagonal matrix; the largest one's residual is next |last entry of its
 * eigenvector| (Zhou and Li 2011). */
static struct nb_spectrum extremes(int count, const double *alpha, const double *beta)
{
    struct nb_spectrum spectrum = {1, 1, count};
    double diagonal[NB_LANCZOS_STEPS], beside[NB_LANCZOS_STEPS];
    double vectors[NB_LANCZOS_STEPS * NB_LANCZOS_STEPS], work[2 * NB_LANCZOS_STEPS];
    nb_lanczos_matrix(count, alpha, beta, diagonal, beside);
    const double next = count > 0 ? beside[count - 1] : 0;
    if (count == 0 || LAPACKE_dstev_work(LAPACK_COL_MAJOR, 'V', count, diagonal, beside, vectors,
                                         count, work))
        return spectrum;
    const double last = fabs(vectors[count * count - 1]);
    spectrum.low = (nb_real)diagonal[0];
    spectrum.high = (nb_real)(diagonal[count - 1] + next * last);
    return spectrum;
}

struct nb_spectrum nb_lanczos(const struct nb_operator *op, nb_lanczos_precond *precond, const void *context,
                              int steps, nb_real *work)
{
    const size_t n = op->size;
    nb_real *r = work, *z = r + n, *p = z + n, *q = p + n;
    double alpha[NB_LANCZOS_STEPS], beta[NB_LANCZOS_STEPS];
    int count = 0;
    for (size_t i = 0; i < n; ++i)
        r[i] = nb_start_vector_entry(i) * nb_sqrt(nb_abs(op->diagonal[i]));
    precond(context, r, z);
    memcpy(p, z, n * sizeof *p);
    double rho = (double)nb_dot(n, r, z, op->threads);
    const double least = (double)NB_UNIT_ROUNDOFF * rho; /* beyond it there is only noise */
    while (count < steps && count < NB_LANCZOS_STEPS && (size_t)count < n && rho > least) {
        op->strategy->apply(op, p, q);
        const double gamma = (double)nb_dot(n, p, q, op->threads);
        if (!(gamma > 0) || !isfinite(gamma))
            break;
        alpha[count] = rho / gamma;
        for (size_t i = 0; i < n; ++i)
            r[i] -= (nb_real)alpha[count] * q[i];
        precond(context, r, z);
        const double after = (double)nb_dot(n, r, z, op->threads);
        beta[count] = after / rho;
        for (size_t i = 0; i < n; ++i)
            p[i] = z[i] + (nb_real)beta[count] * p[i];
        rho = after;
        ++count;
    }
    return extremes(count, alpha, beta);
}

static void divide_by_diagonal(const void *context, const nb_real *r, nb_real *z)
{
    const struct nb_operator *op = context;
    for (size_t i = 0; i < op->size; ++i)
        z[i] = r[i] / op->diagonal[i];
}

struct nb_spectrum nb_lanczos_diagonal(const struct nb_operator *op, int steps, nb_real *work)
{
    return nb_lanczos(op, divide_by_diagonal, op, steps, work);
}
