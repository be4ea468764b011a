/* Cliques grow greedily from each entry that no clique covers yet, by the rows that couple with all members so far;
 * components by breadth-first search. */
#include "solvers/sparse/block_graph.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/sorted.h"

void nb_block_sets_free(struct nb_block_sets *sets)
{
    free(sets->start);
    free(sets->member);
    memset(sets, 0, sizeof *sets);
}

/* Growing lists of sets. */
struct builder {
    struct nb_block_sets *sets;
    int set_room, member_room;
};

static enum nb_status no_memory(struct nb_error *error)
{
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the graph of the operator");
}

static enum nb_status begin_sets(struct builder *builder, struct nb_block_sets *sets, int rows,
                                 struct nb_error *error)
{
    memset(sets, 0, sizeof *sets);
    builder->sets = sets;
    builder->set_room = rows + 1;
    builder->member_room = 2 * rows + 2;
    sets->start = calloc((size_t)builder->set_room + 1, sizeof *sets->start);
    sets->member = malloc((size_t)builder->member_room * sizeof *sets->member);
    return sets->start && sets->member ? NB_OK : no_memory(error);
}

static enum nb_status append(struct builder *builder, const int *member, int count,
                             struct nb_error *error)
{
    struct nb_block_sets *sets = builder->sets;
    const int used = sets->start[sets->count];
    if (sets->count == builder->set_room) {
        int *start = realloc(sets->start, (2 * (size_t)builder->set_room + 1) * sizeof *start);
        if (!start)
            return no_memory(error);
        sets->start = start;
        builder->set_room *= 2;
    }
    if (used + count > builder->member_room) {
        const int room = 2 * (used + count);
        int *grown = realloc(sets->member, (size_t)room * sizeof *grown);
        if (!grown)
            return no_memory(error);
        sets->member = grown;
        builder->member_room = room;
    }
    memcpy(sets->member + used, member, (size_t)count * sizeof *member);
    sets->start[++sets->count] = used + count;
    return NB_OK;
}

/* Position of column j in row i, or -1. */
static int find_entry(const int *start, const int *column, int i, int j)
{
    return nb_find_sorted(column, start[i], start[i + 1], j);
}

/* The clique of i and j, which couple, and of every row that couples with all before it. */
static int grow_clique(const int *start, const int *column, int i, int j, int *clique)
{
    int count = 2;
    clique[0] = i;
    clique[1] = j;
    for (int k = start[i]; k < start[i + 1]; ++k) {
        const int candidate = column[k];
        int fits = candidate != i && candidate != j;
        for (int m = 1; m < count && fits; ++m)
            fits = find_entry(start, column, candidate, clique[m]) >= 0;
        if (fits)
            clique[count++] = candidate;
    }
    nb_sort_ints(clique, count);
    return count;
}

static void cover_clique(const int *start, const int *column, const int *clique, int count, char *covered)
{
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < count; ++b)
            covered[find_entry(start, column, clique[a], clique[b])] = 1;
}

enum nb_status nb_block_cliques(int rows, const int *start, const int *column,
                                struct nb_block_sets *sets, struct nb_error *error)
{
    struct builder builder;
    enum nb_status status = begin_sets(&builder, sets, rows, error);
    char *covered = calloc((size_t)start[rows] + 1, 1);
    int *clique = malloc(((size_t)rows + 2) * sizeof *clique);
    if (!status && (!covered || !clique))
        status = no_memory(error);
    for (int i = 0; i < rows && !status; ++i) {
        int alone = 1;
        for (int k = start[i]; k < start[i + 1] && !status; ++k) {
            alone &= column[k] == i;
            if (covered[k] || column[k] == i)
                continue;
            const int count = grow_clique(start, column, i, column[k], clique);
            cover_clique(start, column, clique, count, covered);
            status = append(&builder, clique, count, error);
        }
        if (alone && !status)
            status = append(&builder, &i, 1, error);
    }
    free(covered);
    free(clique);
    if (status)
        nb_block_sets_free(sets);
    return status;
}

/* All rows reachable from `first`, marked; list is the queue too. */
static int collect_component(const int *start, const int *column, int first, char *seen, int *list)
{
    int count = 1;
    seen[first] = 1;
    list[0] = first;
    for (int at = 0; at < count; ++at)
        for (int k = start[list[at]]; k < start[list[at] + 1]; ++k)
            if (!seen[column[k]]) {
                seen[column[k]] = 1;
                list[count++] = column[k];
            }
    nb_sort_ints(list, count);
    return count;
}

enum nb_status nb_block_islands(int rows, const int *start, const int *column,
                                struct nb_block_sets *sets, struct nb_error *error)
{
    struct builder builder;
    enum nb_status status = begin_sets(&builder, sets, rows, error);
    char *seen = calloc((size_t)rows + 1, 1);
    int *list = malloc(((size_t)rows + 1) * sizeof *list);
    if (!status && (!seen || !list))
        status = no_memory(error);
    for (int i = 0; i < rows && !status; ++i)
        if (!seen[i])
            status = append(&builder, list, collect_component(start, column, i, seen, list), error);
    free(seen);
    free(list);
    if (status)
        nb_block_sets_free(sets);
    return status;
}

void nb_block_sets_partition(struct nb_block_sets *sets, int rows, int *owner)
{
    int at = 0, kept = 0;
    for (int i = 0; i < rows; ++i)
        owner[i] = -1;
    for (int s = 0; s < sets->count; ++s) {
        const int begin_at = sets->start[s], end_at = sets->start[s + 1], first = at;
        for (int m = begin_at; m < end_at; ++m)
            if (owner[sets->member[m]] < 0) {
                owner[sets->member[m]] = kept;
                sets->member[at++] = sets->member[m];
            }
        if (at > first)
            sets->start[kept++] = first;
    }
    sets->start[kept] = at;
    sets->count = kept;
}

enum nb_status nb_block_sets_split(struct nb_block_sets *sets, int limit, struct nb_error *error)
{
    int count = 0, next = 0;
    for (int s = 0; s < sets->count; ++s)
        count += (sets->start[s + 1] - sets->start[s] + limit - 1) / limit;
    int *start = malloc(((size_t)count + 1) * sizeof *start);
    if (!start)
        return no_memory(error);
    for (int s = 0; s < sets->count; ++s)
        for (int at = sets->start[s]; at < sets->start[s + 1]; at += limit)
            start[next++] = at;
    start[count] = sets->start[sets->count];
    free(sets->start);
    sets->start = start;
    sets->count = count;
    return NB_OK;
}
