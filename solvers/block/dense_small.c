/* Cholesky by rows (Golub and Van Loan 2013, section 4.2): l_ij = (a_ij - sum l_ik l_jk) / l_jj, pivots floored at 16
 * units of their diagonal entry; then forward and backward substitution. */
#include "solvers/block/dense_small.h"

static nb_real dot(int n, const nb_real *x, const nb_real *y)
{
    nb_real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i)
        sum += x[i] * y[i];
    return sum;
}

int nb_dense_factor(int n, nb_real *a)
{
    const nb_real least = 16 * NB_REAL(NB_UNIT_ROUNDOFF);
    for (int i = 0; i < n; ++i) {
        nb_real *row = a + (size_t)i * (size_t)n;
        const nb_real diagonal = row[i];
        if (!(diagonal > 0 && isfinite((double)diagonal)))
            return i;
        for (int j = 0; j < i; ++j) {
            const nb_real *other = a + (size_t)j * (size_t)n;
            row[j] = (row[j] - dot(j, row, other)) * other[j];
        }
        const nb_real pivot = diagonal - dot(i, row, row);
        row[i] = 1 / nb_sqrt(pivot > least * diagonal ? pivot : least * diagonal);
    }
    return n;
}

void nb_dense_solve(int n, const nb_real *l, nb_real *x)
{
    for (int i = 0; i < n; ++i) {
        const nb_real *row = l + (size_t)i * (size_t)n;
        x[i] = (x[i] - dot(i, row, x)) * row[i];
    }
    for (int i = n - 1; i >= 0; --i) {
        const nb_real *row = l + (size_t)i * (size_t)n;
        const nb_real own = x[i] *= row[i];
        for (int j = 0; j < i; ++j)
            x[j] -= row[j] * own;
    }
}
