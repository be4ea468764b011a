/* Contacts that are given more than once, for step_error.c: equal friction, and gaps and rows that are the same up to
 * rounding, tangents turned or mirrored. Pieces of one convex shape that share an edge give such contacts.
 *
 * Columns are divided by the roots of the diagonal of M (local form: W), which takes their units off. Contacts are
 * sorted by a random number that is linear in the normal's row: those that are one are near each other in that order,
 * and others by chance alone. Near ones are sorted by friction and gap, and each is compared with those before it that
 * may be its like. The turn is the rotation, or mirrored rotation, that brings one pair of tangents nearest to the
 * other (Procrustes). */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "harness/judge/metrics_private.h"

#define SAME 0x1p-36 /* of a row, and of what the contact has to undo: what rounding may leave between equal ones */

struct entry {
    int contact;
    double friction, gap, off;  /* off: how far the gaps' velocities of equal ones are apart at most               */
    double key, near;           /* random numbers times the normal's row; how far apart equal ones are at most    */
    double turn_key, turn_near; /* likewise the length of the sums of both tangents, which turning leaves as it is */
};

/* What is compared, and the columns' factors. */
struct rows {
    const struct nb_judge *judge;
    const struct nb_csr *matrix; /* J; local form: W */
    double *weight;              /* [columns]        */
};

/* The rows of two contacts, column by column. */
struct walk {
    const struct rows *rows;
    int at[6], end[6];
};

static enum nb_status weigh_columns(struct rows *rows, const struct nb_judge *judge, struct nb_error *error)
{
    const bool local = judge->problem->form == NB_LINEAR_LOCAL;
    const struct nb_csr *diagonal = local ? &judge->problem->linear.delassus : judge->mass;
    rows->judge = judge;
    rows->matrix = local ? diagonal : judge->jacobian;
    rows->weight = malloc(((size_t)diagonal->rows + 1) * sizeof *rows->weight);
    if (!rows->weight)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to compare %d contacts", judge->contacts);
    for (int i = 0; i < diagonal->rows; ++i) {
        const double entry = nb_csr_diagonal(diagonal, i);
        rows->weight[i] = entry > 0 ? 1 / sqrt(entry) : 1;
    }
    return NB_OK;
}

/* In [-1, 1], another for each column (the finaliser of MurmurHash3, Appleby 2011). */
static double random_of(int column)
{
    uint32_t z = (uint32_t)column + 1;
    z = (z ^ (z >> 16)) * 0x85EBCA6Bu;
    z = (z ^ (z >> 13)) * 0xC2B2AE35u;
    return (double)(z ^ (z >> 16)) * 0x1p-31 - 1;
}

static double random_sum(const struct rows *rows, int row, double *square)
{
    const struct nb_csr *matrix = rows->matrix;
    double sum = 0;
    for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k) {
        const double value = rows->weight[matrix->column[k]] * matrix->value[k];
        sum += random_of(matrix->column[k]) * value;
        *square += value * value;
    }
    return sum;
}

static struct entry make_entry(const struct rows *rows, int contact)
{
    const struct nb_judge *judge = rows->judge;
    const int *start = rows->matrix->start + 3 * (size_t)contact;
    double square = 0, tangents = 0;
    struct entry entry = {.contact = contact,
                          .friction = judge->friction[contact],
                          .gap = judge->constant[3 * (size_t)contact],
                          .key = random_sum(rows, 3 * contact, &square)};
    const double x = random_sum(rows, 3 * contact + 1, &tangents), y = random_sum(rows, 3 * contact + 2, &tangents);
    entry.off = SAME * fmax(judge->scale.velocity[contact], fabs(entry.gap));
    entry.turn_key = hypot(x, y);
    entry.near = 2 * SAME * sqrt((start[3] - start[0]) * square);
    entry.turn_near = 2 * SAME * sqrt((start[3] - start[0]) * tangents);
    if (!isfinite(entry.near)) /* squares that leave the range */
        entry.near = 0;
    return entry;
}

static int order(double x, double y) { return (x > y) - (x < y); }

static int compare_keys(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->key != y->key ? order(x->key, y->key) : x->contact - y->contact;
}

static int compare_gaps(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int by = x->friction != y->friction ? order(x->friction, y->friction) : order(x->gap, y->gap);
    return by ? by : x->contact - y->contact;
}

static struct walk walk_rows(const struct rows *rows, int a, int b)
{
    struct walk walk = {.rows = rows};
    for (int k = 0; k < 6; ++k) {
        const int row = 3 * (k < 3 ? a : b) + k % 3;
        walk.at[k] = rows->matrix->start[row];
        walk.end[k] = rows->matrix->start[row + 1];
    }
    return walk;
}

/* value: what the three rows of a, then those of b have in the next column; false: none is left. */
static bool next_column(struct walk *walk, double value[6])
{
    const struct nb_csr *matrix = walk->rows->matrix;
    int column = INT_MAX;
    for (int k = 0; k < 6; ++k)
        if (walk->at[k] < walk->end[k] && matrix->column[walk->at[k]] < column)
            column = matrix->column[walk->at[k]];
    for (int k = 0; k < 6; ++k) {
        const bool has = walk->at[k] < walk->end[k] && matrix->column[walk->at[k]] == column;
        value[k] = has ? walk->rows->weight[column] * matrix->value[walk->at[k]++] : 0;
    }
    return column < INT_MAX;
}

/* By how much the tangents' entries of b, x[4] and x[5], are not those of a, turned. */
static double off_turn(const struct nb_turn *turn, const double x[6])
{
    double turned[2];
    nb_turn_tangents(turn, x + 1, turned);
    return hypot(x[4] - turned[0], x[5] - turned[1]);
}

static struct nb_turn find_turn(const struct rows *rows, int a, int b)
{
    double x[6], cosine = 0, sine = 0, mirrored_cosine = 0, mirrored_sine = 0;
    for (struct walk walk = walk_rows(rows, a, b); next_column(&walk, x);) {
        cosine += x[1] * x[4] + x[2] * x[5];
        sine += x[1] * x[5] - x[2] * x[4];
        mirrored_cosine += x[1] * x[4] - x[2] * x[5];
        mirrored_sine += x[1] * x[5] + x[2] * x[4];
    }
    const double length = hypot(cosine, sine), mirrored = hypot(mirrored_cosine, mirrored_sine);
    if (mirrored > length)
        return (struct nb_turn){mirrored_cosine / mirrored, mirrored_sine / mirrored, -1};
    return length > 0 ? (struct nb_turn){cosine / length, sine / length, 1} : (struct nb_turn){1, 0, 1};
}

static bool has_same_rows(const struct rows *rows, int a, int b, const struct nb_turn *turn)
{
    double x[6], normal = 0, tangent = 0, off_normal = 0, off_tangent = 0;
    for (struct walk walk = walk_rows(rows, a, b); next_column(&walk, x);) {
        normal = hypot(normal, x[0]);
        tangent = hypot(tangent, hypot(x[1], x[2]));
        off_normal = hypot(off_normal, x[3] - x[0]);
        off_tangent = hypot(off_tangent, off_turn(turn, x));
    }
    return off_normal <= SAME * normal && off_tangent <= SAME * tangent;
}

/* Two springs are never one constraint. */
static bool is_soft(const struct nb_judge *judge, int i)
{
    return nb_judge_softness(judge, i, 0) > 0 || nb_judge_softness(judge, i, 1) > 0;
}

/* Of friction and gaps that are the same. */
static bool is_same(const struct rows *rows, int a, int b, struct nb_turn *turn)
{
    const struct nb_judge *judge = rows->judge;
    const double *of_a = judge->constant + 3 * (size_t)a, *of_b = judge->constant + 3 * (size_t)b;
    const double x[6] = {of_a[0], of_a[1], of_a[2], of_b[0], of_b[1], of_b[2]};
    if (is_soft(judge, a) || is_soft(judge, b))
        return false;
    *turn = find_turn(rows, a, b);
    return off_turn(turn, x) <= SAME * fmax(judge->scale.velocity[a], hypot(x[1], x[2])) &&
           has_same_rows(rows, a, b, turn);
}

/* Whether it is near the entry, which stands behind it in the order of gaps. */
static bool may_be(const struct entry *entry, const struct entry *before)
{
    return fabs(entry->key - before->key) <= entry->near &&
           fabs(entry->turn_key - before->turn_key) <= entry->turn_near;
}

/* The first of the contacts before entry i that it repeats, or its own. */
static int find_first(const struct rows *rows, const struct entry *entry, int i)
{
    const struct nb_step_scale *scale = &rows->judge->scale;
    struct nb_turn *turn = &scale->turn[entry[i].contact];
    for (int k = i - 1; k >= 0 && entry[k].friction == entry[i].friction && entry[i].gap - entry[k].gap <= entry[i].off;
         --k)
        if (scale->first[entry[k].contact] == entry[k].contact && may_be(&entry[i], &entry[k]) &&
            is_same(rows, entry[k].contact, entry[i].contact, turn))
            return entry[k].contact;
    *turn = (struct nb_turn){1, 0, 1};
    return entry[i].contact;
}

/* Entries that are near each other by their keys. */
static void find_among(const struct rows *rows, struct entry *entry, int count)
{
    qsort(entry, (size_t)count, sizeof *entry, compare_gaps);
    for (int i = 0; i < count; ++i)
        rows->judge->scale.first[entry[i].contact] = find_first(rows, entry, i);
}

enum nb_status nb_judge_find_repeated(struct nb_judge *judge, struct nb_error *error)
{
    const int count = judge->contacts;
    struct rows rows = {.judge = judge};
    struct entry *entry = malloc((size_t)(count + 1) * sizeof *entry);
    enum nb_status status =
        entry ? weigh_columns(&rows, judge, error)
              : nb_fail(error, NB_OUT_OF_MEMORY, "no memory to compare %d contacts", count);
    for (int i = 0; i < count && !status; ++i)
        entry[i] = make_entry(&rows, i);
    if (!status)
        qsort(entry, (size_t)count, sizeof *entry, compare_keys);
    for (int first = 0, end = 0; first < count && !status; first = end) {
        do
            ++end;
        while (end < count && entry[end].key - entry[end - 1].key <= entry[end].near);
        find_among(&rows, entry + first, end - first);
    }
    free(rows.weight);
    free(entry);
    return status;
}
