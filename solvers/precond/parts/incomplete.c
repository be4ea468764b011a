#include "solvers/precond/parts/incomplete.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/block/block3.h"

void NB(nb_incomplete_free)(void *data)
{
    struct NB(nb_incomplete) *self = data;
    if (!self)
        return;
    void *const owned[] = {self->start, self->count, self->column, self->value, self->inverse,
                           self->sign, self->head, self->tail, self->next, self->row_of, self->row,
                           self->mark, self->heap, self->kept, self->kept_value};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; ++i)
        free(owned[i]);
    free(self);
}

static int allocate(struct NB(nb_incomplete) *self, size_t room)
{
    const size_t rows = (size_t)self->rows + 1;
    int **per_row[] = {&self->count, &self->head, &self->tail, &self->mark, &self->heap, &self->kept};
    int **per_block[] = {&self->column, &self->next, &self->row_of};
    int good = 1;
    for (size_t i = 0; i < sizeof per_row / sizeof *per_row; ++i)
        good &= (*per_row[i] = calloc(rows, sizeof **per_row[i])) != NULL;
    for (size_t i = 0; i < sizeof per_block / sizeof *per_block; ++i)
        good &= (*per_block[i] = calloc(room + 1, sizeof **per_block[i])) != NULL;
    good &= (self->value = malloc((9 * room + 1) * sizeof *self->value)) != NULL;
    good &= (self->inverse = malloc(9 * rows * sizeof *self->inverse)) != NULL;
    good &= (self->sign = malloc(3 * rows * sizeof *self->sign)) != NULL;
    good &= (self->row = malloc(9 * rows * sizeof *self->row)) != NULL;
    good &= (self->kept_value = malloc(9 * rows * sizeof *self->kept_value)) != NULL;
    return good;
}

enum nb_status NB(nb_incomplete_setup)(void **out, const struct NB(nb_operator) *op, int fill,
                                       const char *name, struct nb_error *error)
{
    *out = NULL;
    if (!op->matrix)
        return nb_fail(error, NB_UNSUPPORTED, "%s needs the assembled operator", name);
    const struct NB(nb_bsr) *matrix = op->matrix;
    struct NB(nb_incomplete) *self = calloc(1, sizeof *self);
    *out = self;
    if (!self)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", name);
    self->rows = matrix->rows;
    self->start = calloc((size_t)matrix->rows + 1, sizeof *self->start);
    if (!self->start)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", name);
    for (int i = 0; i < matrix->rows; ++i) {
        int room = fill;
        for (int k = matrix->start[i]; k < matrix->start[i + 1] && matrix->column[k] < i; ++k)
            ++room;
        self->start[i + 1] = self->start[i] + (room < i ? room : i);
    }
    return allocate(self, (size_t)self->start[matrix->rows])
               ? NB_OK : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %s", name);
}

/* --- the columns of a row that are still to eliminate: a heap, smallest first --- */

static void push(int *heap, int *count, int column)
{
    int at = (*count)++;
    for (; at > 0 && heap[(at - 1) / 2] > column; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = column;
}

static int pop(int *heap, int *count)
{
    const int first = heap[0], last = heap[--*count];
    int at = 0;
    for (int child = 1; child < *count; child = 2 * at + 1) {
        child += child + 1 < *count && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

static nb_real square(const nb_real *block)
{
    nb_real sum = 0;
    for (int e = 0; e < 9; ++e)
        sum += block[e] * block[e];
    return sum;
}

/* out -= a S b^T with S = diag sign */
static void subtract(const nb_real *a, const nb_real *sign, const nb_real *b, nb_real *out)
{
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            out[3 * r + c] -= a[3 * r] * sign[0] * b[3 * c] + a[3 * r + 1] * sign[1] * b[3 * c + 1] +
                              a[3 * r + 2] * sign[2] * b[3 * c + 2];
}

/* --- pivots --- */

/* Pivots that are the rounding of their diagonal entry are no pivots: dividing by them would blow up. */
static int definite_pivot(const nb_real *block, const nb_real *diagonal, nb_real *inverse)
{
    const nb_real least = 16 * NB_REAL(NB_UNIT_ROUNDOFF);
    if (!NB(nb_block_invert_factor)(block, inverse))
        return 0;
    for (int e = 0; e < 9; e += 4)
        if (!(least * diagonal[e] * inverse[e] * inverse[e] <= 1))
            return 0;
    return 1;
}

/* One Jacobi rotation of a symmetric block in rows p and q; vectors are the columns of v. */
static void rotate(nb_real *a, nb_real *v, int p, int q)
{
    const nb_real off = a[3 * p + q];
    if (off == 0)
        return;
    const nb_real theta = (a[4 * q] - a[4 * p]) / (2 * off);
    const nb_real t = (theta < 0 ? -1 : 1) / (nb_abs(theta) + nb_sqrt(theta * theta + 1));
    const nb_real c = 1 / nb_sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; ++k) {
        const nb_real x = a[3 * k + p], y = a[3 * k + q];
        a[3 * k + p] = c * x - s * y;
        a[3 * k + q] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        const nb_real x = a[3 * p + k], y = a[3 * q + k], z = v[3 * k + p], w = v[3 * k + q];
        a[3 * p + k] = c * x - s * y;
        a[3 * q + k] = s * x + c * y;
        v[3 * k + p] = c * z - s * w;
        v[3 * k + q] = s * z + c * w;
    }
}

/* inverse = |Lambda|^-1/2 V^T of the pivot V Lambda V^T, |Lambda| floored at what rounding and dropping,
 * relative to the diagonal, may have taken from it. */
static int any_pivot(nb_real *block, const nb_real *diagonal, nb_real lost, nb_real *inverse,
                     nb_real *sign)
{
    nb_real v[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const nb_real scale = nb_max(nb_abs(diagonal[0]), nb_max(nb_abs(diagonal[4]), nb_abs(diagonal[8])));
    const nb_real least = nb_max(16 * NB_REAL(NB_UNIT_ROUNDOFF), lost) * scale;
    for (int sweep = 0; sweep < 8; ++sweep) {
        rotate(block, v, 0, 1);
        rotate(block, v, 0, 2);
        rotate(block, v, 1, 2);
    }
    for (int r = 0; r < 3; ++r) {
        const nb_real value = block[4 * r], size = nb_max(nb_abs(value), least);
        if (!(size > 0 && isfinite((double)size)))
            return 0;
        sign[r] = value < 0 ? -1 : 1;
        for (int c = 0; c < 3; ++c)
            inverse[3 * r + c] = v[3 * c + r] / nb_sqrt(size);
    }
    return 1;
}

/* --- rows --- */

/* Row i of A into self->row, its columns below i onto the heap; the diagonal block goes to diagonal. */
static int load_row(struct NB(nb_incomplete) *self, const struct NB(nb_bsr) *matrix, int i,
                    nb_real alpha, nb_real *diagonal)
{
    int count = 0;
    for (int e = 0; e < 9; ++e)
        diagonal[e] = 0;
    for (int k = matrix->start[i]; k < matrix->start[i + 1] && matrix->column[k] <= i; ++k) {
        const int j = matrix->column[k];
        nb_real *out = j < i ? self->row + 9 * (size_t)j : diagonal;
        for (int e = 0; e < 9; ++e)
            out[e] = (nb_real)matrix->value[9 * (size_t)k + (size_t)e];
        if (j < i) {
            self->mark[j] = i + 1;
            push(self->heap, &count, j);
        }
    }
    for (int e = 0; e < 9; e += 4)
        diagonal[e] += alpha * diagonal[e];
    return count;
}

/* M_ik reduces the blocks of row i in the columns j > k whose rows have column k. */
static void eliminate(struct NB(nb_incomplete) *self, int i, int k, const nb_real *block, int *count)
{
    const nb_real *sign = self->sign + 3 * (size_t)k;
    for (int m = self->head[k]; m >= 0; m = self->next[m]) {
        const int j = self->row_of[m];
        nb_real *target = self->row + 9 * (size_t)j;
        if (self->mark[j] != i + 1) {
            self->mark[j] = i + 1;
            memset(target, 0, 9 * sizeof *target);
            push(self->heap, count, j);
        }
        subtract(block, sign, self->value + 9 * (size_t)m, target);
    }
}

/* Removes the smallest kept blocks until they fit. */
static int shrink(struct NB(nb_incomplete) *self, int kept, int room)
{
    for (; kept > room; --kept) {
        int least = 0;
        for (int m = 1; m < kept; ++m)
            if (square(self->kept_value + 9 * (size_t)m) < square(self->kept_value + 9 * (size_t)least))
                least = m;
        const size_t after = (size_t)(kept - 1 - least);
        memmove(self->kept + least, self->kept + least + 1, after * sizeof *self->kept);
        memmove(self->kept_value + 9 * (size_t)least, self->kept_value + 9 * ((size_t)least + 1),
                9 * after * sizeof *self->kept_value);
    }
    return kept;
}

static void store_row(struct NB(nb_incomplete) *self, int i, int kept)
{
    self->count[i] = kept;
    for (int m = 0; m < kept; ++m) {
        const int at = self->start[i] + m, k = self->kept[m];
        self->column[at] = k;
        self->row_of[at] = i;
        self->next[at] = -1;
        memcpy(self->value + 9 * (size_t)at, self->kept_value + 9 * (size_t)m,
               9 * sizeof *self->value);
        if (self->head[k] < 0)
            self->head[k] = at;
        else
            self->next[self->tail[k]] = at;
        self->tail[k] = at;
    }
}

static int factor_row(struct NB(nb_incomplete) *self, const struct NB(nb_bsr) *matrix, int i,
                      nb_real threshold, nb_real alpha, int indefinite)
{
    nb_real diagonal[9], pivot[9];
    int kept = 0, count = load_row(self, matrix, i, alpha, diagonal);
    const nb_real least = threshold * threshold * nb_sqrt(square(diagonal));
    while (count > 0) {
        const int k = pop(self->heap, &count);
        nb_real *block = self->kept_value + 9 * (size_t)kept;
        const nb_real *inverse = self->inverse + 9 * (size_t)k;
        for (int r = 0; r < 3; ++r)
            NB(nb_block_apply)(inverse, self->row + 9 * (size_t)k + 3 * r, block + 3 * r);
        if (square(block) <= least)
            continue;
        eliminate(self, i, k, block, &count);
        self->kept[kept++] = k;
    }
    kept = shrink(self, kept, self->start[i + 1] - self->start[i]);
    memcpy(pivot, diagonal, sizeof pivot);
    for (int m = 0; m < kept; ++m) {
        const nb_real *block = self->kept_value + 9 * (size_t)m;
        subtract(block, self->sign + 3 * (size_t)self->kept[m], block, pivot);
    }
    store_row(self, i, kept);
    nb_real *sign = self->sign + 3 * (size_t)i, *inverse = self->inverse + 9 * (size_t)i;
    sign[0] = sign[1] = sign[2] = 1;
    return indefinite ? any_pivot(pivot, diagonal, threshold * threshold, inverse, sign)
                      : definite_pivot(pivot, diagonal, inverse);
}

int NB(nb_incomplete_factor)(struct NB(nb_incomplete) *self, const struct NB(nb_bsr) *matrix,
                             nb_real threshold, nb_real alpha, int indefinite)
{
    for (int i = 0; i < self->rows; ++i) {
        self->head[i] = self->tail[i] = -1;
        self->mark[i] = 0;
    }
    for (int i = 0; i < self->rows; ++i)
        if (!factor_row(self, matrix, i, threshold, alpha, indefinite))
            return -1 - i;
    return 0;
}

/* y_i = M_ii^-1 (r_i - sum M_ik y_k) downwards, z_i = M_ii^-T (y_i - sum M_ki^T z_k) upwards. */
void NB(nb_incomplete_apply)(const void *data, const struct NB(nb_operator) *op, const nb_real *r,
                             nb_real *z)
{
    const struct NB(nb_incomplete) *self = data;
    for (int i = 0; i < self->rows; ++i) {
        nb_real rest[3] = {r[3 * i], r[3 * i + 1], r[3 * i + 2]};
        for (int k = self->start[i]; k < self->start[i] + self->count[i]; ++k) {
            const nb_real *m = self->value + 9 * (size_t)k, *y = z + 3 * (size_t)self->column[k];
            for (int e = 0; e < 3; ++e)
                rest[e] -= m[3 * e] * y[0] + m[3 * e + 1] * y[1] + m[3 * e + 2] * y[2];
        }
        NB(nb_block_apply)(self->inverse + 9 * (size_t)i, rest, z + 3 * (size_t)i);
    }
    for (int i = self->rows - 1; i >= 0; --i) {
        const nb_real *v = self->inverse + 9 * (size_t)i;
        const nb_real y[3] = {z[3 * i], z[3 * i + 1], z[3 * i + 2]};
        for (int c = 0; c < 3; ++c)
            z[3 * i + c] = v[c] * y[0] + v[3 + c] * y[1] + v[6 + c] * y[2];
        const nb_real *own = z + 3 * (size_t)i;
        for (int k = self->start[i]; k < self->start[i] + self->count[i]; ++k) {
            const nb_real *m = self->value + 9 * (size_t)k;
            nb_real *above = z + 3 * (size_t)self->column[k];
            for (int c = 0; c < 3; ++c)
                above[c] -= m[c] * own[0] + m[3 + c] * own[1] + m[6 + c] * own[2];
        }
    }
    (void)op;
}
