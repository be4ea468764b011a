/* Components of M by union-find with path halving (Tarjan 1975), the smallest node being its component's name; a block
 * row couples with those that touch a component that it touches, found by the transpose of that relation. */
#include "solvers/sparse/coupling.h"
#include "problems/base/sorted.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static enum nb_status no_memory(struct nb_error *error)
{
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for what the mass matrix couples");
}

static enum nb_status allocate(struct nb_block_sets *sets, int count, size_t members, struct nb_error *error)
{
    sets->count = count;
    sets->start = calloc((size_t)count + 2, sizeof *sets->start);
    sets->member = malloc((members + 1) * sizeof *sets->member);
    if (sets->start && sets->member)
        return NB_OK;
    nb_block_sets_free(sets);
    return no_memory(error);
}

/* The smallest node of its component as far as it is known, with the way there halved. */
static int first_of(int *first, int node)
{
    while (first[node] != node)
        node = first[node] = first[first[node]];
    return node;
}

static void join_components(int *first, int a, int b)
{
    a = first_of(first, a);
    b = first_of(first, b);
    if (a < b)
        first[b] = a;
    else
        first[a] = b;
}

enum nb_status nb_mass_components(const struct nb_csr *mass, int nodes, struct nb_block_sets *components,
                                  struct nb_error *error)
{
    memset(components, 0, sizeof *components);
    int *first = malloc(((size_t)nodes + 1) * sizeof *first);
    int *component = malloc(((size_t)nodes + 1) * sizeof *component);
    int count = 0;
    enum nb_status status = first && component ? allocate(components, nodes, (size_t)nodes, error) : no_memory(error);
    for (int i = 0; i < nodes && !status; ++i)
        first[i] = i;
    for (int i = 0; i < mass->rows && !status; ++i)
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            if (mass->value[k] != 0)
                join_components(first, i / 3, mass->column[k] / 3);
    for (int i = 0; i < nodes && !status; ++i) {
        component[i] = first[i] == i ? count++ : component[first_of(first, i)];
        components->start[component[i] + 2]++;
    }
    for (int p = 0; p < count; ++p)
        components->start[p + 2] += components->start[p + 1];
    for (int i = 0; i < nodes && !status; ++i)
        components->member[components->start[component[i] + 1]++] = i;
    components->count = count;
    free(first);
    free(component);
    return status;
}

/* Room for three components an entry of the pattern would do for any M; nodes are whole here, and one does. */
enum nb_status nb_touched_components(const struct nb_block_sets *components, int nodes, int rows, const int *start,
                                     const int *column, struct nb_block_sets *touched, struct nb_error *error)
{
    memset(touched, 0, sizeof *touched);
    int *component = malloc(((size_t)nodes + 1) * sizeof *component), used = 0;
    const enum nb_status status = component ? allocate(touched, rows, (size_t)start[rows], error) : no_memory(error);
    for (int p = 0; p < components->count && !status; ++p)
        for (int k = components->start[p]; k < components->start[p + 1]; ++k)
            component[components->member[k]] = p;
    for (int i = 0; i < rows && !status; ++i) {
        int *own = touched->member + used, count = 0, kept = 0;
        for (int k = start[i]; k < start[i + 1]; ++k)
            own[count++] = component[column[k]];
        nb_sort_ints(own, count);
        for (int k = 0; k < count; ++k)
            if (k == 0 || own[k] != own[k - 1])
                own[kept++] = own[k];
        touched->start[i + 1] = used += kept;
    }
    free(component);
    return status;
}

/* of_component: the block rows that touch each component. */
static enum nb_status transpose(const struct nb_block_sets *touched, int components, struct nb_block_sets *of_component,
                                struct nb_error *error)
{
    const enum nb_status status = allocate(of_component, components, (size_t)touched->start[touched->count], error);
    if (status)
        return status;
    for (int k = 0; k < touched->start[touched->count]; ++k)
        of_component->start[touched->member[k] + 2]++;
    for (int p = 0; p < components; ++p)
        of_component->start[p + 2] += of_component->start[p + 1];
    for (int i = 0; i < touched->count; ++i)
        for (int k = touched->start[i]; k < touched->start[i + 1]; ++k)
            of_component->member[of_component->start[touched->member[k] + 1]++] = i;
    return NB_OK;
}

/* The block rows coupled with row i, unordered, into out where that is not NULL; their number. seen [rows] holds
 * for each the last row that met it, counted from 1. */
static int neighbours(const struct nb_block_sets *touched, const struct nb_block_sets *of_component, int i, int mark,
                      int *seen, int *out)
{
    int count = 1;
    if (!out && touched->start[i + 1] == touched->start[i] + 1) {
        const int component = touched->member[touched->start[i]];
        return of_component->start[component + 1] - of_component->start[component];
    }
    seen[i] = mark;
    if (out)
        out[0] = i;
    for (int k = touched->start[i]; k < touched->start[i + 1]; ++k) {
        const int component = touched->member[k];
        for (int m = of_component->start[component]; m < of_component->start[component + 1]; ++m) {
            const int row = of_component->member[m];
            if (seen[row] == mark)
                continue;
            seen[row] = mark;
            if (out)
                out[count] = row;
            ++count;
        }
    }
    return count;
}

static enum nb_status count_blocks(const struct nb_block_sets *touched, const struct nb_block_sets *of_component,
                                   int *seen, size_t *blocks, struct nb_error *error)
{
    *blocks = 0;
    for (int i = 0; i < touched->count; ++i) {
        *blocks += (size_t)neighbours(touched, of_component, i, 2 * i + 1, seen, NULL);
        if (*blocks > INT_MAX)
            return nb_fail(error, NB_UNSUPPORTED,
                           "a Delassus operator of %d block rows that the mass matrix couples in more than %d "
                           "pairs", touched->count, INT_MAX);
    }
    return NB_OK;
}

enum nb_status nb_coupled_rows(const struct nb_block_sets *touched, int components, struct nb_block_sets *coupled,
                               struct nb_error *error)
{
    struct nb_block_sets of_component = {0};
    const int rows = touched->count;
    int *seen = calloc((size_t)rows + 1, sizeof *seen);
    size_t blocks = 0;
    memset(coupled, 0, sizeof *coupled);
    enum nb_status status = seen ? transpose(touched, components, &of_component, error) : no_memory(error);
    if (!status)
        status = count_blocks(touched, &of_component, seen, &blocks, error);
    if (!status)
        status = allocate(coupled, rows, blocks, error);
    for (int i = 0; i < rows && !status; ++i) {
        int *own = coupled->member + coupled->start[i];
        const int count = neighbours(touched, &of_component, i, 2 * i + 2, seen, own);
        nb_sort_ints(own, count);
        coupled->start[i + 1] = coupled->start[i] + count;
    }
    nb_block_sets_free(&of_component);
    free(seen);
    return status;
}
