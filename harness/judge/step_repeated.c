/* Contacts that are given more than once, for step_error.c: equal friction, and gaps and rows that are the same up to
 * rounding, tangents turned or not. Pieces of one convex shape that share an edge give such contacts.
 *
 * Contacts are sorted by a random number that is linear in the normal's row: those that are one are near each other in
 * that order, and others by chance alone. Each is compared with the ones before it that are near. The turn is the
 * rotation that brings one pair of tangents nearest to the other (Procrustes). */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "harness/judge/metrics_private.h"

#define SAME 0x1p-36 /* of a row, and of what the contact has to undo: what rounding may leave between equal ones */

struct entry {
    int contact;
    double key, near;           /* random numbers times the normal's row; how far apart equal ones are at most    */
    double turn_key, turn_near; /* likewise the length of the sums of both tangents, which turning leaves as it is */
};

/* The rows of two contacts, column by column. */
struct walk {
    const struct nb_csr *matrix;
    int at[6], end[6];
};

static const struct nb_csr *rows_of(const struct nb_judge *judge)
{
    return judge->problem->form == NB_LINEAR_LOCAL ? &judge->problem->linear.delassus : judge->jacobian;
}

/* In [-1, 1], another for each column (the finaliser of MurmurHash3, Appleby 2011). */
static double random_of(int column)
{
    uint32_t z = (uint32_t)column + 1;
    z = (z ^ (z >> 16)) * 0x85EBCA6Bu;
    z = (z ^ (z >> 13)) * 0xC2B2AE35u;
    return (double)(z ^ (z >> 16)) * 0x1p-31 - 1;
}

static double random_sum(const struct nb_csr *matrix, int row, double *square)
{
    double sum = 0;
    for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k) {
        sum += random_of(matrix->column[k]) * matrix->value[k];
        *square += matrix->value[k] * matrix->value[k];
    }
    return sum;
}

static struct entry make_entry(const struct nb_judge *judge, int contact)
{
    const struct nb_csr *matrix = rows_of(judge);
    double square = 0, tangents = 0;
    struct entry entry = {.contact = contact, .key = random_sum(matrix, 3 * contact, &square)};
    const double x = random_sum(matrix, 3 * contact + 1, &tangents), y = random_sum(matrix, 3 * contact + 2, &tangents);
    const int entries = matrix->start[3 * contact + 3] - matrix->start[3 * contact];
    entry.near = 2 * SAME * sqrt(entries * square);
    entry.turn_key = hypot(x, y);
    entry.turn_near = 2 * SAME * sqrt(entries * tangents);
    return entry;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->contact - y->contact;
}

static struct walk walk_rows(const struct nb_judge *judge, int a, int b)
{
    struct walk walk = {.matrix = rows_of(judge)};
    for (int k = 0; k < 6; ++k) {
        const int row = 3 * (k < 3 ? a : b) + k % 3;
        walk.at[k] = walk.matrix->start[row];
        walk.end[k] = walk.matrix->start[row + 1];
    }
    return walk;
}

/* value: what the three rows of a, then those of b have in the next column; false: none is left. */
static bool next_column(struct walk *walk, double value[6])
{
    int column = INT_MAX;
    for (int k = 0; k < 6; ++k)
        if (walk->at[k] < walk->end[k] && walk->matrix->column[walk->at[k]] < column)
            column = walk->matrix->column[walk->at[k]];
    for (int k = 0; k < 6; ++k) {
        const bool has = walk->at[k] < walk->end[k] && walk->matrix->column[walk->at[k]] == column;
        value[k] = has ? walk->matrix->value[walk->at[k]++] : 0;
    }
    return column < INT_MAX;
}

/* By how much the tangents of b in x are not those of a, turned. */
static double off_turn(const double turn[2], const double x[6])
{
    return hypot(x[4] - (turn[0] * x[1] - turn[1] * x[2]), x[5] - (turn[1] * x[1] + turn[0] * x[2]));
}

static void find_turn(const struct nb_judge *judge, int a, int b, double turn[2])
{
    double x[6], cosine = 0, sine = 0;
    for (struct walk walk = walk_rows(judge, a, b); next_column(&walk, x);) {
        cosine += x[1] * x[4] + x[2] * x[5];
        sine += x[1] * x[5] - x[2] * x[4];
    }
    const double length = hypot(cosine, sine);
    turn[0] = length > 0 ? cosine / length : 1;
    turn[1] = length > 0 ? sine / length : 0;
}

static bool has_same_rows(const struct nb_judge *judge, int a, int b, const double turn[2])
{
    double x[6], normal = 0, tangent = 0, off_normal = 0, off_tangent = 0;
    for (struct walk walk = walk_rows(judge, a, b); next_column(&walk, x);) {
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

/* turn: of the tangents of b, from those of a. */
static bool is_same(const struct nb_judge *judge, int a, int b, double turn[2])
{
    const double *of_a = judge->constant + 3 * (size_t)a, *of_b = judge->constant + 3 * (size_t)b;
    const double off = SAME * fmax(judge->scale.velocity[a], hypot(of_a[0], hypot(of_a[1], of_a[2])));
    const double x[6] = {of_a[0], of_a[1], of_a[2], of_b[0], of_b[1], of_b[2]};
    if (judge->friction[a] != judge->friction[b] || !(fabs(of_a[0] - of_b[0]) <= off) || is_soft(judge, a) ||
        is_soft(judge, b))
        return false;
    find_turn(judge, a, b, turn);
    return off_turn(turn, x) <= off && has_same_rows(judge, a, b, turn);
}

/* The first of the contacts before entry i that it repeats, or its own. */
static int find_first(const struct nb_judge *judge, const struct entry *entry, int i)
{
    const int contact = entry[i].contact;
    double *turn = judge->scale.turn + 2 * (size_t)contact;
    for (int k = i - 1; k >= 0 && entry[i].key - entry[k].key <= entry[i].near; --k)
        if (judge->scale.first[entry[k].contact] == entry[k].contact &&
            fabs(entry[i].turn_key - entry[k].turn_key) <= entry[i].turn_near &&
            is_same(judge, entry[k].contact, contact, turn))
            return entry[k].contact;
    turn[0] = 1;
    turn[1] = 0;
    return contact;
}

enum nb_status nb_judge_find_repeated(struct nb_judge *judge, struct nb_error *error)
{
    const int count = judge->contacts;
    struct entry *entry = malloc((size_t)(count + 1) * sizeof *entry);
    if (!entry)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to compare %d contacts", count);
    for (int i = 0; i < count; ++i)
        entry[i] = make_entry(judge, i);
    qsort(entry, (size_t)count, sizeof *entry, compare_entries);
    for (int i = 0; i < count; ++i)
        judge->scale.first[entry[i].contact] = find_first(judge, entry, i);
    free(entry);
    return NB_OK;
}
