/* Lemke's pivoting on the dictionary x_B = b + A x_N (solvers/outer/lemke/lcp.h). Only the columns of nonbasic
 * variables are stored; the rows of the inverse basis that break ties are among them, since the columns of w are
 * those of the identity:
 *
 *     (B^-1)_ik = 1 where w_k is basic in row i, 0 where in another one, -A_ij where it is nonbasic in column j. */
#include "solvers/outer/lemke/lcp.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/arena.h"

/* Smaller entries of a column are rounding, of its largest one or of what has cancelled in M, whose entries are
 * about 1; smaller differences of ratios are ties. With a hundredth of the second, stacks of boxes on four redundant
 * contacts lead the path into rays that are not there. */
static nb_real least_pivot(nb_real largest)
{
    return (nb_real)pow(NB_UNIT_ROUNDOFF, 2.0 / 3) * nb_max(1, largest);
}

static nb_real tie(nb_real ratio)
{
    return (nb_real)pow(NB_UNIT_ROUNDOFF, 3.0 / 4) * (1 + nb_abs(ratio));
}

enum { ATTEMPTS = 4 };

static void lay_out(void *self, struct nb_arena *arena)
{
    struct nb_lcp *lcp = self;
    const size_t n = (size_t)lcp->size;
    NB_ARRAY(arena, lcp->matrix, n * n);
    NB_ARRAY(arena, lcp->table, n * (n + 2));
    nb_real **vectors[] = {&lcp->offset, &lcp->z, &lcp->retry};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
        NB_ARRAY(arena, *vectors[i], n);
    NB_ARRAY(arena, lcp->basic, n);
    NB_ARRAY(arena, lcp->nonbasic, n + 1);
    NB_ARRAY(arena, lcp->place, 2 * n + 1);
    NB_ARRAY(arena, lcp->tied, n);
}

int nb_lcp_create(struct nb_lcp *lcp, int size, int free_unknowns)
{
    memset(lcp, 0, sizeof *lcp);
    lcp->size = size;
    lcp->free = free_unknowns;
    lcp->memory = nb_arena_allocate(lay_out, lcp);
    return lcp->memory != NULL;
}

void nb_lcp_free(struct nb_lcp *lcp)
{
    free(lcp->memory);
    memset(lcp, 0, sizeof *lcp);
}

static nb_real row_velocity(const struct nb_lcp *lcp, int i, const nb_real *z)
{
    const nb_real *row = lcp->matrix + (size_t)i * (size_t)lcp->size;
    nb_sum sum = lcp->offset[i];
    for (int j = 0; j < lcp->size; ++j)
        sum += (nb_sum)row[j] * z[j];
    return (nb_real)sum;
}

nb_real nb_lcp_error(const struct nb_lcp *lcp, const nb_real *z)
{
    nb_real worst = 0;
    for (int i = 0; i < lcp->size; ++i) {
        const nb_real w = row_velocity(lcp, i, z), miss = nb_abs(i < lcp->free ? w : nb_min(z[i], w));
        if (!(miss <= worst))
            worst = miss;
    }
    return worst;
}

static nb_real *row_of(const struct nb_lcp *lcp, int i)
{
    return lcp->table + (size_t)i * ((size_t)lcp->size + 2);
}

/* Of z0 in the row of an unknown that is not free: 1, or, where rounding has led that path astray, between 1 and 2. */
static nb_real cover(int attempt, int i)
{
    const double spread = attempt * 0.6180339887498949 * (i + 1);
    return (nb_real)(1 + (spread - floor(spread)));
}

/* w basic, z and z0 not. */
static void start(struct nb_lcp *lcp, int attempt)
{
    const int n = lcp->size;
    for (int i = 0; i < n; ++i) {
        nb_real *row = row_of(lcp, i);
        row[0] = lcp->offset[i];
        memcpy(row + 1, lcp->matrix + (size_t)i * (size_t)n, (size_t)n * sizeof *row);
        row[n + 1] = i < lcp->free ? 0 : cover(attempt, i);
        lcp->basic[i] = lcp->place[i] = i;
        lcp->nonbasic[i] = n + i;
        lcp->place[n + i] = -1 - i;
    }
    lcp->nonbasic[n] = 2 * n;
    lcp->place[2 * n] = -1 - n;
}

/* Exchanges the basic variable of a row with the nonbasic one of a column. */
static void pivot(struct nb_lcp *lcp, int out, int column)
{
    const int n = lcp->size, entering = lcp->nonbasic[column], leaving = lcp->basic[out];
    nb_real *from = row_of(lcp, out);
    const nb_real inverse = 1 / from[1 + column];
    for (int j = 0; j < n + 2; ++j)
        from[j] *= -inverse;
    from[1 + column] = inverse;
    for (int i = 0; i < n; ++i) {
        nb_real *row = row_of(lcp, i);
        const nb_real factor = row[1 + column];
        if (i == out || factor == 0)
            continue;
        row[1 + column] = 0;
        for (int j = 0; j < n + 2; ++j)
            row[j] += factor * from[j];
    }
    lcp->basic[out] = entering;
    lcp->nonbasic[column] = leaving;
    lcp->place[entering] = out;
    lcp->place[leaving] = -1 - column;
}

/* Free unknowns enter for their own w, in the order of their pivots; where all of those left are rounding, they are
 * redundant. */
static void enter_free(struct nb_lcp *lcp)
{
    for (int count = 0; count < lcp->free; ++count) {
        int best = -1;
        nb_real largest = least_pivot(0);
        for (int i = 0; i < lcp->free; ++i)
            if (lcp->basic[i] == i && row_of(lcp, i)[1 + i] > largest) {
                largest = row_of(lcp, i)[1 + i];
                best = i;
            }
        if (best < 0)
            return;
        pivot(lcp, best, best);
    }
}

/* Entry k of a row in the order that breaks ties: b before the first unknown that is not free, then the inverse
 * basis. */
static nb_real tie_entry(const struct nb_lcp *lcp, int i, int k)
{
    if (k < lcp->free)
        return row_of(lcp, i)[0];
    const int place = lcp->place[k];
    return place >= 0 ? (nb_real)(place == i) : -row_of(lcp, i)[1 + (-1 - place)];
}

/* Of the tied rows those whose entry k over their -A is least, up to rounding; how many. */
static int least_ratios(struct nb_lcp *lcp, int count, int column, int k)
{
    nb_real least = INFINITY;
    int kept = 0;
    for (int t = 0; t < count; ++t) {
        const int i = lcp->tied[t];
        least = nb_min(least, tie_entry(lcp, i, k) / -row_of(lcp, i)[1 + column]);
    }
    const nb_real limit = least + tie(least);
    for (int t = 0; t < count; ++t) {
        const int i = lcp->tied[t];
        if (tie_entry(lcp, i, k) / -row_of(lcp, i)[1 + column] <= limit)
            lcp->tied[kept++] = i;
    }
    return kept;
}

/* The row that leaves while the variable of a column grows; z0 where it may. -1: none does. */
static int leaving_row(struct nb_lcp *lcp, int column)
{
    const int n = lcp->size, artificial = lcp->place[2 * n];
    nb_real largest = 0;
    int count = 0;
    for (int i = lcp->free; i < n; ++i)
        largest = nb_max(largest, nb_abs(row_of(lcp, i)[1 + column]));
    const nb_real least = least_pivot(largest);
    for (int i = lcp->free; i < n; ++i)
        if (row_of(lcp, i)[1 + column] < -least)
            lcp->tied[count++] = i;
    for (int k = lcp->free - 1; count > 1 && k < n; ++k) {
        count = least_ratios(lcp, count, column, k);
        for (int t = 0; k < lcp->free && t < count; ++t)
            if (lcp->tied[t] == artificial)
                return artificial;
    }
    return count > 0 ? lcp->tied[0] : -1;
}

/* The row where z0 enters, from the most negative b over its cover, the last of equal ones by the same order; -1:
 * no b is negative. */
static int first_row(const struct nb_lcp *lcp)
{
    int row = -1;
    nb_real least = 0;
    for (int i = lcp->free; i < lcp->size; ++i)
        if (row_of(lcp, i)[0] < 0 && row_of(lcp, i)[0] / row_of(lcp, i)[lcp->size + 1] <= least) {
            least = row_of(lcp, i)[0] / row_of(lcp, i)[lcp->size + 1];
            row = i;
        }
    return row;
}

/* M and -q in the rows and columns whose z is basic, into the table, which is done with; how many they are. */
static int basis_system(struct nb_lcp *lcp)
{
    const size_t n = (size_t)lcp->size;
    int *rows = lcp->tied, count = 0;
    for (int i = 0; i < lcp->size; ++i)
        if (lcp->place[lcp->size + i] >= 0)
            rows[count++] = i;
    for (int i = 0; i < count; ++i) {
        nb_real *row = lcp->table + (size_t)i * (size_t)(count + 1);
        for (int j = 0; j < count; ++j)
            row[j] = lcp->matrix[(size_t)rows[i] * n + (size_t)rows[j]];
        row[count] = -lcp->offset[rows[i]];
    }
    return count;
}

/* The row with the largest entry in column k comes to row k; nonzero where it is not 0. */
static int exchange_rows(nb_real *a, int count, int k)
{
    const size_t width = (size_t)count + 1;
    size_t best = (size_t)k;
    for (size_t i = best + 1; i < (size_t)count; ++i)
        if (nb_abs(a[i * width + (size_t)k]) > nb_abs(a[best * width + (size_t)k]))
            best = i;
    for (size_t j = 0; j < width; ++j) {
        const nb_real kept = a[(size_t)k * width + j];
        a[(size_t)k * width + j] = a[best * width + j];
        a[best * width + j] = kept;
    }
    return a[(size_t)k * width + (size_t)k] != 0;
}

/* LU with row pivoting of a [count (count + 1)], whose last column becomes the solution; nonzero where it went. */
static int solve_dense(nb_real *a, int count)
{
    const size_t width = (size_t)count + 1;
    for (int k = 0; k < count; ++k) {
        const nb_real *pivot_row = a + (size_t)k * width;
        if (!exchange_rows(a, count, k))
            return 0;
        for (int i = k + 1; i < count; ++i) {
            nb_real *row = a + (size_t)i * width;
            const nb_real factor = row[k] / pivot_row[k];
            for (int j = k; factor != 0 && j <= count; ++j)
                row[j] -= factor * pivot_row[j];
        }
    }
    for (int i = count - 1; i >= 0; --i) {
        nb_real *row = a + (size_t)i * width;
        for (int j = i + 1; j < count; ++j)
            row[count] -= row[j] * a[(size_t)j * width + (size_t)count];
        row[count] /= row[i];
    }
    return 1;
}

/* z_i without what rounding has put below its bound. */
static nb_real bounded(const struct nb_lcp *lcp, int i, nb_real z)
{
    return i < lcp->free ? z : nb_max(0, z);
}

/* z of the final basis, by the table and by a new factor: the better one. */
static void read_solution(struct nb_lcp *lcp)
{
    const int n = lcp->size;
    for (int i = 0; i < n; ++i) {
        const int place = lcp->place[n + i];
        lcp->z[i] = place >= 0 ? bounded(lcp, i, row_of(lcp, place)[0]) : 0;
        lcp->retry[i] = 0;
    }
    const int count = basis_system(lcp);
    if (!solve_dense(lcp->table, count))
        return;
    for (int i = 0; i < count; ++i)
        lcp->retry[lcp->tied[i]] =
            bounded(lcp, lcp->tied[i], lcp->table[(size_t)i * (size_t)(count + 1) + (size_t)count]);
    if (nb_lcp_error(lcp, lcp->retry) < nb_lcp_error(lcp, lcp->z))
        memcpy(lcp->z, lcp->retry, (size_t)n * sizeof *lcp->z);
}

/* From the pivot that lets z0 in until z0 is out. */
static const char *follow_path(struct nb_lcp *lcp, int *pivots)
{
    const int n = lcp->size, limit = *pivots + NB_LCP_PIVOTS * n;
    int row = first_row(lcp), column = n;
    if (row < 0)
        return NULL;
    while (*pivots < limit) {
        const int leaving = lcp->basic[row];
        pivot(lcp, row, column);
        ++*pivots;
        if (leaving == 2 * n)
            return NULL;
        column = -1 - lcp->place[leaving < n ? leaving + n : leaving - n];
        row = leaving_row(lcp, column);
        if (row < 0)
            return "Lemke's path ends in a ray";
    }
    return "Lemke's path has not ended after " NB_TEXT(NB_LCP_PIVOTS) " pivots an unknown";
}

const char *nb_lcp_solve(struct nb_lcp *lcp, int *pivots)
{
    const int n = lcp->size;
    nb_real largest = 0;
    *pivots = 0;
    memset(lcp->z, 0, (size_t)n * sizeof *lcp->z);
    for (int i = 0; i < n; ++i)
        largest = nb_max(largest, nb_abs(lcp->offset[i]));
    if (!(largest > 0))
        return NULL;
    for (int i = 0; i < n; ++i)
        lcp->offset[i] /= largest; /* so that rounding is about 1 */
    const char *reason = "";
    for (int attempt = 0; reason && attempt < ATTEMPTS; ++attempt) {
        start(lcp, attempt);
        enter_free(lcp);
        reason = follow_path(lcp, pivots);
    }
    if (!reason)
        read_solution(lcp);
    for (int i = 0; i < n; ++i) {
        lcp->offset[i] *= largest;
        lcp->z[i] *= largest;
    }
    return reason;
}
