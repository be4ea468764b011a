/* The matrices of a solve in parts: scaled, and rounded to their format. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "solvers/linear/engine/parts_private.h"

/* To the nearest number with as many bits as the format has, ties to even; f16 has no last bit below 2^-24.
 * The bits of a double are rounded as an integer: a carry into the exponent is right. */
static double round_to(enum nb_solve_format format, double value)
{
    static const int dropped[] = {[NB_SOLVE_TF32] = 42, [NB_SOLVE_F16] = 42, [NB_SOLVE_BF16] = 45};
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

/* S A S + E of a part, or A itself. */
static void fill(const struct NB(nb_parts) *parts, struct nb_part *part)
{
    const struct NB(nb_bsr) *matrix = parts->op->matrix;
    for (int row = 0; row < 3 * part->blocks; ++row) {
        double sum = 0, *diagonal = NULL;
        const double own = parts->scale[3 * part->member[row / 3] + row % 3];
        for (int k = part->matrix.start[row]; k < part->matrix.start[row + 1]; ++k) {
            const int column = part->matrix.column[k];
            const double other = parts->scale[3 * part->member[column / 3] + column % 3];
            double *value = &part->matrix.value[k];
            *value = round_to(parts->format, (double)matrix->value[part->source[k]] * (own * other));
            sum += fabs(*value);
            diagonal = column == row ? value : diagonal;
        }
        if (parts->format != NB_SOLVE_SAME && diagonal)
            *diagonal += parts->unit * sum;
    }
}

enum nb_status NB(nb_parts_update)(struct NB(nb_parts) *parts, struct nb_error *error)
{
    const struct NB(nb_operator) *op = parts->op;
    const int threads = op->threads;
    for (size_t i = 0; i < op->size; ++i) {
        if (parts->format != NB_SOLVE_SAME && !(op->diagonal[i] > 0))
            return nb_fail(error, NB_BREAKDOWN, "diagonal entry %zu of the operator is %g", i,
                           (double)op->diagonal[i]);
        parts->scale[i] =
            parts->format == NB_SOLVE_SAME ? 1 : nb_refinement_scale((double)op->diagonal[i]);
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (int p = 0; p < parts->sets.count; ++p) {
        struct nb_part *part = &parts->part[p];
        fill(parts, part);
        part->status = parts->driver->bench_refill(part->bench, &part->matrix, &part->error);
    }
    for (int p = 0; p < parts->sets.count; ++p)
        if (parts->part[p].status)
            return nb_fail(error, parts->part[p].status, "%.480s", parts->part[p].error.text);
    return NB_OK;
}
