/* Column b of J^T B J has the columns of all rows of J that have b (George and Liu 1981, chapter 5): these rows are
 * listed by columns once, and each column of the result is their union, marked so that none is listed twice, and
 * sorted. */
#include "solvers/sparse/clique_pattern.h"

#include <stdlib.h>
#include <string.h>

#include "problems/base/sorted.h"

/* Rows of J by its columns: those of b are clique[start[b]] to clique[start[b + 1] - 1]. */
struct incidence {
    int *start, *clique;
};

static int list_cliques(struct incidence *out, int order, int cliques, const int *start, const int *column)
{
    out->start = calloc((size_t)order + 2, sizeof *out->start);
    out->clique = malloc(((size_t)start[cliques] + 1) * sizeof *out->clique);
    if (!out->start || !out->clique)
        return 0;
    for (int k = 0; k < start[cliques]; ++k)
        out->start[column[k] + 2]++;
    for (int b = 0; b < order; ++b)
        out->start[b + 2] += out->start[b + 1];
    for (int i = 0; i < cliques; ++i)
        for (int k = start[i]; k < start[i + 1]; ++k)
            out->clique[out->start[column[k] + 1]++] = i;
    return 1;
}

static void add(int row, int b, int *mark, int *list, int *count)
{
    if (mark[row] == b + 1)
        return;
    mark[row] = b + 1;
    if (list)
        list[*count] = row;
    ++*count;
}

enum nb_status nb_clique_pattern_create(struct nb_clique_pattern *pattern, int order, int cliques, const int *start,
                                        const int *column, const int *mass_start, const int *mass_column,
                                        struct nb_error *error)
{
    struct incidence by_column = {0};
    int *mark = NULL, complete = 0;
    *pattern = (struct nb_clique_pattern){.order = order};
    pattern->start = calloc((size_t)order + 1, sizeof *pattern->start);
    if (!pattern->start || !list_cliques(&by_column, order, cliques, start, column))
        goto done;
    for (int pass = 0; pass < 2; ++pass) { /* counts, then lists */
        free(mark);
        mark = calloc((size_t)order + 1, sizeof *mark);
        pattern->row = pass ? malloc(((size_t)pattern->start[order] + 1) * sizeof *pattern->row) : NULL;
        if (!mark || (pass && !pattern->row))
            goto done;
        for (int b = 0; b < order; ++b) {
            int *list = pass ? pattern->row + pattern->start[b] : NULL, count = 0;
            for (int k = mass_start ? mass_start[b] : 0; mass_start && k < mass_start[b + 1]; ++k)
                add(mass_column[k], b, mark, list, &count);
            for (int m = by_column.start[b]; m < by_column.start[b + 1]; ++m)
                for (int k = start[by_column.clique[m]]; k < start[by_column.clique[m] + 1]; ++k)
                    add(column[k], b, mark, list, &count);
            if (list)
                nb_sort_ints(list, count);
            pattern->start[b + 1] = pattern->start[b] + count;
        }
    }
    complete = 1;
done:
    free(mark);
    free(by_column.start);
    free(by_column.clique);
    if (complete)
        return NB_OK;
    nb_clique_pattern_free(pattern);
    return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the pattern of a Newton matrix of %d columns", order);
}

void nb_clique_pattern_free(struct nb_clique_pattern *pattern)
{
    free(pattern->start);
    free(pattern->row);
    *pattern = (struct nb_clique_pattern){0};
}

int nb_clique_pattern_find(const struct nb_clique_pattern *pattern, int row, int column)
{
    return nb_find_sorted(pattern->row, pattern->start[column], pattern->start[column + 1], row);
}
