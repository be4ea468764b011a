/* What belongs together in a step, for step_scale.c: contacts with the same rows, which are one constraint that is
 * given more than once, and the islands, the connected components of what M, the rows of contacts and bilateral rows
 * couple (local form: W). An entry that is stored and is zero couples nothing. */
#include <stdlib.h>
#include <string.h>

#include "harness/judge/metrics_private.h"
#include "problems/base/disjoint_sets.h"

/* ---- contacts given more than once ---- */

struct entry {
    const struct nb_judge *judge;
    int contact;
};

static int compare_values(const double *a, const double *b, int count)
{
    for (int k = 0; k < count; ++k)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* The first entry of a row from `at` on that is not zero, or the row's end. */
static int next_entry(const struct nb_csr *matrix, int row, int at)
{
    while (at < matrix->start[row + 1] && matrix->value[at] == 0)
        ++at;
    return at;
}

static int compare_rows(const struct nb_csr *matrix, int a, int b)
{
    int at_a = next_entry(matrix, a, matrix->start[a]), at_b = next_entry(matrix, b, matrix->start[b]);
    while (at_a < matrix->start[a + 1] && at_b < matrix->start[b + 1]) {
        const int columns = matrix->column[at_a] - matrix->column[at_b];
        const int order = columns ? columns : compare_values(matrix->value + at_a, matrix->value + at_b, 1);
        if (order)
            return order;
        at_a = next_entry(matrix, a, at_a + 1);
        at_b = next_entry(matrix, b, at_b + 1);
    }
    return (at_a < matrix->start[a + 1]) - (at_b < matrix->start[b + 1]);
}

/* Of the normal, since tangents may be turned. */
static int compare_contacts(const struct nb_judge *judge, int a, int b)
{
    const bool local = judge->problem->form == NB_LINEAR_LOCAL;
    const struct nb_csr *matrix = local ? &judge->problem->linear.delassus : judge->jacobian;
    int order = compare_values(judge->friction + a, judge->friction + b, 1);
    if (!order)
        order = compare_values(judge->diagonal + 3 * a, judge->diagonal + 3 * b, 3);
    if (!order)
        order = compare_values(judge->constant + 3 * a, judge->constant + 3 * b, 3);
    for (int k = 0; k < 3 && !order; ++k)
        order = compare_rows(matrix, 3 * a + k, 3 * b + k);
    return order;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = compare_contacts(x->judge, x->contact, y->contact);
    return order ? order : x->contact - y->contact;
}

enum nb_status nb_judge_find_repeated(struct nb_judge *judge, struct nb_error *error)
{
    const int count = judge->contacts;
    struct entry *entry = malloc((size_t)(count + 1) * sizeof *entry);
    if (!entry)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory to compare %d contacts", count);
    for (int i = 0; i < count; ++i)
        entry[i] = (struct entry){judge, i};
    qsort(entry, (size_t)count, sizeof *entry, compare_entries);
    for (int i = 0, first = 0; i < count; ++i) {
        if (i == 0 || compare_contacts(judge, entry[i - 1].contact, entry[i].contact))
            first = entry[i].contact;
        judge->scale.first[entry[i].contact] = first;
    }
    free(entry);
    return NB_OK;
}

/* ---- islands ---- */

/* Nodes: contacts, then bilateral rows, then velocities. */
static void join_rows(int *parent, const struct nb_csr *matrix, int rows_of_node, int first, int columns_from)
{
    for (int row = 0; row < matrix->rows; ++row)
        for (int k = matrix->start[row]; k < matrix->start[row + 1]; ++k)
            if (matrix->value[k] != 0)
                nb_set_join(parent, first + row / rows_of_node, columns_from + matrix->column[k]);
}

/* A body moves as one, whichever axes it is written down in: its velocities belong together, and so do a particle's. A
 * linear step does not tell which these are. */
static void join_bodies(const struct nb_judge *judge, int *parent, int first)
{
    const int of_bodies = 6 * judge->problem->bodies.count;
    for (int k = 0; judge->problem->form == NB_NONLINEAR && k < judge->dofs; ++k)
        nb_set_join(parent, first + k, first + (k < of_bodies ? k / 6 * 6 : of_bodies + (k - of_bodies) / 3 * 3));
}

static int local_node(const struct nb_judge *judge, int row)
{
    return row < 3 * judge->contacts ? row / 3 : row - 2 * judge->contacts;
}

void nb_judge_find_islands(struct nb_judge *judge)
{
    const int rows = judge->contacts + judge->bilaterals, nodes = rows + judge->dofs;
    int *parent = judge->scale.island;
    for (int i = 0; i < nodes; ++i)
        parent[i] = i;
    if (judge->problem->form == NB_LINEAR_LOCAL) {
        const struct nb_csr *delassus = &judge->problem->linear.delassus;
        for (int row = 0; row < delassus->rows; ++row)
            for (int k = delassus->start[row]; k < delassus->start[row + 1]; ++k)
                if (delassus->value[k] != 0)
                    nb_set_join(parent, local_node(judge, row), local_node(judge, delassus->column[k]));
    } else {
        join_bodies(judge, parent, rows);
        join_rows(parent, judge->mass, 1, rows, rows);
        join_rows(parent, judge->jacobian, 3, 0, rows);
        if (judge->bilateral)
            join_rows(parent, judge->bilateral, 1, judge->contacts, rows);
    }
    for (int i = 0; i < nodes; ++i)
        parent[i] = nb_set_root(parent, i);
}
