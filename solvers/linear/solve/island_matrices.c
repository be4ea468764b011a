/* The islands' matrices: S A S + E in their format, or A itself where they are solved in the run's own precision. S are
 * powers of two, and E the diagonal matrix u sum_j |(S A S)_ij| that keeps a rounded matrix positive definite
 * (island_solver.h). */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "solvers/linear/solve/island_solver_private.h"

/* To the nearest number with as many bits as the format has, ties to even; f16 has no last bit below 2^-24.
 * The bits of a double are rounded as an integer: a carry into the exponent is right. */
static double round_to(enum nb_solve_format format, double value)
{
    static const int dropped[] = {[NB_SOLVE_F16] = 42, [NB_SOLVE_BF16] = 45};
    if (format <= NB_SOLVE_F32)
        return value;
    if (format == NB_SOLVE_F16 && fabs(value) < 0x1p-14)
        return nearbyint(value * 0x1p24) * 0x1p-24;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int count = dropped[format];
    bits += ((uint64_t)1 << (count - 1)) - 1 + (bits >> count & 1);
    bits &= ~(((uint64_t)1 << count) - 1);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* S A S + E of an island, or A itself. */
static void fill(const struct nb_island_solver *solver, struct nb_island *island)
{
    const struct nb_bsr *matrix = solver->op->matrix;
    for (int row = 0; row < 3 * island->blocks; ++row) {
        double sum = 0, *diagonal = NULL;
        const double own = solver->scale[3 * island->member[row / 3] + row % 3];
        for (int k = island->matrix.start[row]; k < island->matrix.start[row + 1]; ++k) {
            const int column = island->matrix.column[k];
            const double other = solver->scale[3 * island->member[column / 3] + column % 3];
            double *value = &island->matrix.value[k];
            *value = round_to(solver->format, (double)matrix->value[island->source[k]] * (own * other));
            sum += fabs(*value);
            diagonal = column == row ? value : diagonal;
        }
        if (solver->format != NB_SOLVE_SAME && diagonal)
            *diagonal += solver->unit * sum;
    }
}

enum nb_status nb_island_solver_update(struct nb_island_solver *solver, struct nb_error *error)
{
    const struct nb_operator *op = solver->op;
    const int threads = op->threads;
    for (size_t i = 0; i < op->size; ++i) {
        if (solver->format != NB_SOLVE_SAME && !(op->diagonal[i] > 0))
            return nb_fail(error, NB_BREAKDOWN, "diagonal entry %zu of the operator is %g, must be above 0", i,
                           (double)op->diagonal[i]);
        solver->scale[i] =
            solver->format == NB_SOLVE_SAME ? 1 : nb_refinement_scale((double)op->diagonal[i]);
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (int p = 0; p < solver->sets.count; ++p) {
        struct nb_island *island = &solver->island[p];
        fill(solver, island);
        island->status = solver->driver->bench_refill(island->bench, &island->matrix, &island->error);
    }
    for (int p = 0; p < solver->sets.count; ++p)
        if (solver->island[p].status)
            return nb_fail(error, solver->island[p].status, "%.480s", solver->island[p].error.text);
    return NB_OK;
}
