/* ||A^-1||_inf exactly, by a dense inverse.
 *
 * Momentum, velocity and compliance differ by many orders, so A itself looks singular when it is
 * only badly scaled. The equilibrated K = D_l A D_r is inverted, and A^-1 = D_r K^-1 D_l. */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "harness/floor/floor_private.h"

double nb_floor_equilibrated_norm(const struct nb_floor_system *system, double shift)
{
    const struct nb_csr *a = &system->matrix;
    double norm = 0;
    for (int i = 0; i < a->rows; ++i) {
        double sum = 0;
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            const int c = a->column[k];
            const double extra = c == i && i >= system->dofs ? shift : 0;
            sum += fabs(a->value[k] + extra) * system->right[c];
        }
        norm = fmax(norm, system->left[i] * sum);
    }
    return norm;
}

static void fill(const struct nb_floor_system *system, double shift, double *dense)
{
    const struct nb_csr *a = &system->matrix;
    const size_t n = (size_t)system->size;
    for (int i = 0; i < a->rows; ++i) {
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            const int c = a->column[k];
            const double extra = c == i && i >= system->dofs ? shift : 0;
            dense[(size_t)i * n + (size_t)c] =
                system->left[i] * (a->value[k] + extra) * system->right[c];
        }
    }
}

/* Norms of K^-1 (plain) and of D_r K^-1 D_l. */
static void measure(const struct nb_floor_system *system, const double *dense, double *plain,
                    double *scaled)
{
    const size_t n = (size_t)system->size;
    *plain = *scaled = 0;
    for (size_t i = 0; i < n; ++i) {
        double sum = 0, weighted = 0;
        for (size_t j = 0; j < n; ++j) {
            sum += fabs(dense[i * n + j]);
            weighted += fabs(dense[i * n + j]) * system->left[j];
        }
        *plain = nb_worst(*plain, sum);
        *scaled = nb_worst(*scaled, system->right[i] * weighted);
    }
}

enum nb_status nb_floor_inverse_exact(const struct nb_floor_system *system, double shift,
                                      double *norm, struct nb_error *error)
{
    const size_t n = (size_t)system->size;
    enum nb_status status = NB_OK;
    double plain;
    double *dense = calloc(n * n + 1, sizeof *dense);
    lapack_int *pivots = calloc(n + 1, sizeof *pivots);
    *norm = n ? INFINITY : 0;
    if (!dense || !pivots) {
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory to invert %zu rows", n);
        goto done;
    }
    if (n == 0)
        goto done;
    fill(system, shift, dense);
    const lapack_int order = (lapack_int)n;
    /* Column-major LAPACK sees K^T, whose inverse is the transposed inverse. */
    if (LAPACKE_dgetrf(LAPACK_COL_MAJOR, order, order, dense, order, pivots) != 0 ||
        LAPACKE_dgetri(LAPACK_COL_MAJOR, order, dense, order, pivots) != 0)
        goto done;
    measure(system, dense, &plain, norm);
    /* As singular as rounding can tell. */
    if (!(plain * nb_floor_equilibrated_norm(system, shift) < 1 / (DBL_EPSILON * (double)n)))
        *norm = INFINITY;
done:
    free(dense);
    free(pivots);
    return status;
}
