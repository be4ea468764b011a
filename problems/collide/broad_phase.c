/* Grids of cubic cells, one for each size of box (Ericson 2005, Real-Time Collision Detection,
 * 7.2.1). The side is the power of two next above the box's largest extent and the margin, and a box
 * is entered in the cell of its centre: two boxes that are near lie in adjacent cells of the grid of
 * the larger. Each box looks at its own grid and the coarser ones.
 *
 * The entries are sorted by grid, layer, row and column, so that a cell's neighbours are three by
 * three runs of entries, found by bisection. In a box's own grid it is enough to look at what comes later in
 * this order. With b boxes, g grids in use and p pairs the cost is that of sorting b entries, of
 * b g log b steps and of p; a plane costs b. A single list of intervals along an axis would cost
 * b^(5/3) in a heap, where that many boxes overlap along any axis. */
#include "problems/collide/broad_phase.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A box in a grid whose cells have the side 2^grid. */
struct entry {
    int grid;
    int cell[3]; /* z, y, x: the order of sorting */
    int solid;
};

/* Entries of one grid. */
struct range {
    int begin, end;
};

static int append_pair(struct nb_pair_list *list, int i, int j)
{
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 64;
        struct nb_pair *pair = list->capacity > INT_MAX / 2
                                   ? NULL
                                   : realloc(list->pair, (size_t)capacity * sizeof *pair);
        if (!pair)
            return 1;
        list->pair = pair;
        list->capacity = capacity;
    }
    list->pair[list->count++] = i < j ? (struct nb_pair){i, j} : (struct nb_pair){j, i};
    return 0;
}

static int boxes_near(const struct nb_solid *a, const struct nb_solid *b, double margin)
{
    for (int k = 0; k < 3; ++k)
        if (a->lower[k] > b->upper[k] + margin || b->lower[k] > a->upper[k] + margin)
            return 0;
    return a->group != b->group;
}

static double centre(const struct nb_solid *solid, int axis)
{
    return solid->lower[axis] + (solid->upper[axis] - solid->lower[axis]) / 2;
}

/* Cell of a coordinate in a grid; far out all cells are one. */
static int cell_of(double x, int grid)
{
    const int limit = 1 << 30;
    const double cell = floor(ldexp(x, -grid));
    return cell > -limit ? (cell < limit ? (int)cell : limit) : -limit;
}

static struct entry enter(const struct nb_solid *solid, int index, double margin)
{
    double extent = 0;
    struct entry entry = {.solid = index};
    for (int k = 0; k < 3; ++k)
        extent = fmax(extent, solid->upper[k] - solid->lower[k]);
    /* A little more, lest rounding of the centres put near ones two cells apart. */
    frexp(1.001 * (extent + margin), &entry.grid);
    for (int k = 0; k < 3; ++k)
        entry.cell[k] = cell_of(centre(solid, 2 - k), entry.grid);
    return entry;
}

/* By layer, row and column. */
static int compare_cells(const int *a, const int *b)
{
    for (int k = 0; k < 3; ++k)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->grid != b->grid)
        return a->grid < b->grid ? -1 : 1;
    const int order = compare_cells(a->cell, b->cell);
    return order ? order : (a->solid > b->solid) - (a->solid < b->solid);
}

/* What a search needs. */
struct search {
    const struct nb_solid *solids;
    const struct entry *entry;
    double margin;
    struct nb_pair_list *list;
};

/* Pairs solid `index` with the entries from `first` on that lie in the run of three cells from
 * `cell` on along x. */
static int look_along(const struct search *search, int index, const int *cell, int first, int end)
{
    const struct nb_solid *solid = &search->solids[index];
    for (int k = first; k < end; ++k) {
        const struct entry *entry = &search->entry[k];
        if (entry->cell[0] != cell[0] || entry->cell[1] != cell[1] || entry->cell[2] > cell[2] + 2)
            return 0;
        if (boxes_near(solid, &search->solids[entry->solid], search->margin) &&
            append_pair(search->list, index, entry->solid))
            return 1;
    }
    return 0;
}

/* First entry of the range that is not before the cell. */
static int bisect(const struct entry *entry, struct range range, const int *cell)
{
    while (range.begin < range.end) {
        const int middle = range.begin + (range.end - range.begin) / 2;
        if (compare_cells(entry[middle].cell, cell) < 0)
            range.begin = middle + 1;
        else
            range.end = middle;
    }
    return range.begin;
}

/* Pairs of one box with the entries of the range, which are of one grid. */
static int search_range(const struct search *search, int index, struct range range)
{
    const struct nb_solid *solid = &search->solids[index];
    int middle[3];
    for (int k = 0; k < 3 && range.begin < range.end; ++k)
        middle[k] = cell_of(centre(solid, 2 - k), search->entry[range.begin].grid);
    for (int z = -1; z <= 1 && range.begin < range.end; ++z)
        for (int y = -1; y <= 1; ++y) {
            const int cell[3] = {middle[0] + z, middle[1] + y, middle[2] - 1};
            if (look_along(search, index, cell, bisect(search->entry, range, cell), range.end))
                return 1;
        }
    return 0;
}

static struct range next_grid(const struct entry *entry, int begin, int count)
{
    struct range grid = {begin, begin};
    while (grid.end < count && entry[grid.end].grid == entry[begin].grid)
        ++grid.end;
    return grid;
}

/* Of every grid, each box with those after it, and all boxes before the grid, which are of finer ones. */
static int search_grids(const struct search *search, int count)
{
    struct range grid = {0, 0};
    int failed = 0;
    while (!failed && grid.end < count) {
        grid = next_grid(search->entry, grid.end, count);
        for (int i = 0; !failed && i < grid.end; ++i) {
            const struct range range = {i < grid.begin ? grid.begin : i + 1, grid.end};
            failed = search_range(search, search->entry[i].solid, range);
        }
    }
    return failed;
}

/* Pairs of bounded solids. */
static int pair_boxes(struct nb_pair_list *list, const struct nb_solid *solids, int count,
                      double margin)
{
    struct entry *entry = malloc(((size_t)count + 1) * sizeof *entry);
    int boxes = 0;
    if (!entry)
        return 1;
    for (int i = 0; i < count; ++i)
        if (solids[i].shape->kind != NB_SHAPE_PLANE)
            entry[boxes++] = enter(&solids[i], i, margin);
    qsort(entry, (size_t)boxes, sizeof *entry, compare_entries);
    const struct search search = {solids, entry, margin, list};
    const int failed = search_grids(&search, boxes);
    free(entry);
    return failed;
}

static int box_near_plane(const struct nb_solid *solid, const struct nb_solid *plane, double margin)
{
    double low = -plane->offset[0];
    for (int k = 0; k < 3; ++k)
        low += fmin(plane->normal[k] * solid->lower[k], plane->normal[k] * solid->upper[k]);
    return low <= margin && solid->group != plane->group;
}

int nb_solids_near(const struct nb_solid *a, const struct nb_solid *b, double margin)
{
    if (b->shape->kind == NB_SHAPE_PLANE)
        return a->shape->kind != NB_SHAPE_PLANE && box_near_plane(a, b, margin);
    return a->shape->kind == NB_SHAPE_PLANE ? box_near_plane(b, a, margin) : boxes_near(a, b, margin);
}

/* Pairs of a plane, which has no end, and a bounded solid. */
static int pair_planes(struct nb_pair_list *list, const struct nb_solid *solids, int count,
                       double margin)
{
    for (int i = 0; i < count; ++i)
        for (int j = 0; solids[i].shape->kind == NB_SHAPE_PLANE && j < count; ++j)
            if (solids[j].shape->kind != NB_SHAPE_PLANE &&
                box_near_plane(&solids[j], &solids[i], margin) && append_pair(list, i, j))
                return 1;
    return 0;
}

/* One pass of a counting sort, which keeps the order of equals. place [solids + 1]. */
static void sort_by(const struct nb_pair *from, struct nb_pair *to, int count, int by_second,
                    int *place, int solids)
{
    memset(place, 0, ((size_t)solids + 1) * sizeof *place);
    for (int i = 0; i < count; ++i)
        place[(by_second ? from[i].second : from[i].first) + 1]++;
    for (int k = 0; k < solids; ++k)
        place[k + 1] += place[k];
    for (int i = 0; i < count; ++i)
        to[place[by_second ? from[i].second : from[i].first]++] = from[i];
}

static int sort_pairs(struct nb_pair_list *list, int solids)
{
    struct nb_pair *other = malloc(((size_t)list->count + 1) * sizeof *other);
    int *place = malloc(((size_t)solids + 1) * sizeof *place);
    const int failed = !other || !place;
    if (!failed && list->count > 1) {
        sort_by(list->pair, other, list->count, 1, place, solids);
        sort_by(other, list->pair, list->count, 0, place, solids);
    }
    free(other);
    free(place);
    return failed;
}

enum nb_status nb_broad_phase(struct nb_pair_list *list, const struct nb_solid *solids, int count,
                              double margin, struct nb_error *error)
{
    memset(list, 0, sizeof *list);
    if (pair_boxes(list, solids, count, margin) || pair_planes(list, solids, count, margin) ||
        sort_pairs(list, count))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for pairs of %d shapes", count);
    return NB_OK;
}

void nb_pair_list_free(struct nb_pair_list *list)
{
    if (!list)
        return;
    free(list->pair);
    memset(list, 0, sizeof *list);
}
