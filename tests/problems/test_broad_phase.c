/* Near pairs of boxes against a loop over all pairs. */
#include <float.h>

#include "problems/collide/broad_phase.h"
#include "tests/support/boxes.h"

#define MOST 700

/* Solids that are nothing but boxes. */
struct heap {
    int count;
    struct nb_shape shape[MOST];
    struct nb_solid solid[MOST];
};

/* Sides from 1 to 10^decades, log-uniform, elongated at random; centres on a lattice of half a
 * cell where that is asked for, so that boxes touch and fill cells exactly. */
static void fill(struct heap *heap, int count, double spread, double decades, int lattice,
                 uint32_t seed)
{
    memset(heap, 0, sizeof *heap);
    heap->count = count;
    for (int i = 0; i < count; ++i) {
        struct nb_solid *solid = &heap->solid[i];
        const double side = pow(10, decades * (noise(&seed) + 1) / 2);
        heap->shape[i] = (struct nb_shape){.kind = NB_SHAPE_SPHERE, .body = i % 7 == 6 ? -1 : i / 2};
        solid->shape = &heap->shape[i];
        solid->group = heap->shape[i].body;
        for (int k = 0; k < 3; ++k) {
            double centre = spread * noise(&seed);
            const double half = lattice ? 0.5 : side * (noise(&seed) > 0.5 ? 1 : 0.3) / 2;
            if (lattice)
                centre = floor(2 * centre) / 2;
            solid->lower[k] = centre - half;
            solid->upper[k] = centre + half;
        }
    }
}

static int is_near(const struct nb_solid *a, const struct nb_solid *b, double distance)
{
    for (int k = 0; k < 3; ++k)
        if (a->lower[k] > b->upper[k] + distance || b->lower[k] > a->upper[k] + distance)
            return 0;
    return a->shape->body != b->shape->body;
}

static void assert_same_pairs(const struct heap *heap, double distance)
{
    struct nb_pair_list list;
    int next = 0;
    assert_ok(nb_broad_phase(&list, heap->solid, heap->count, distance, &why));
    for (int i = 0; i < heap->count; ++i)
        for (int j = i + 1; j < heap->count; ++j)
            if (is_near(&heap->solid[i], &heap->solid[j], distance)) {
                assert_true(next < list.count);
                assert_int_equal(list.pair[next].first, i);
                assert_int_equal(list.pair[next++].second, j);
            }
    assert_int_equal(next, list.count);
    nb_pair_list_free(&list);
}

TEST(random_boxes)
{
    static struct heap heap;
    for (int trial = 0; trial < 40; ++trial) {
        fill(&heap, 60 + 16 * trial, 3 + trial, trial % 4, 0, (uint32_t)trial);
        assert_same_pairs(&heap, trial % 3 * 0.2);
    }
}

TEST(boxes_that_just_touch)
{
    static struct heap heap;
    for (int trial = 0; trial < 10; ++trial) {
        fill(&heap, 400, 4, 0, 1, (uint32_t)trial);
        assert_same_pairs(&heap, trial % 2 * 0.5);
    }
}

/* Far out, where cells are clamped or coordinates have no digits left for them. */
TEST(far_and_tiny)
{
    static struct heap heap;
    const double shift[] = {1e6, -1e12, 1e17};
    for (int s = 0; s < 3; ++s) {
        fill(&heap, 200, 3, 1, 0, 3);
        for (int i = 0; i < heap.count; i += 2)
            for (int k = 0; k < 3; ++k) {
                heap.solid[i].lower[k] += shift[s];
                heap.solid[i].upper[k] += shift[s];
            }
        assert_same_pairs(&heap, 0.1);
    }
    fill(&heap, 200, 1e-9, 0, 0, 3);
    assert_same_pairs(&heap, 0);
}

TEST(planes_pair_with_what_is_near)
{
    static struct heap heap;
    static double normal[3] = {0.6, 0, 0.8}, offset[1] = {0.5};
    struct nb_pair_list list;
    int next = 0;
    fill(&heap, 300, 6, 1, 0, 9);
    heap.shape[100] = (struct nb_shape){.kind = NB_SHAPE_PLANE, .body = -1};
    heap.shape[200] = heap.shape[100];
    heap.solid[100].group = heap.solid[200].group = -1;
    for (int i = 100; i <= 200; i += 100) {
        heap.solid[i].normal = normal;
        heap.solid[i].offset = offset;
    }
    assert_ok(nb_broad_phase(&list, heap.solid, heap.count, 0.1, &why));
    for (int i = 0; i < heap.count; ++i) {
        const struct nb_solid *solid = &heap.solid[i];
        const double low = 0.6 * solid->lower[0] + 0.8 * solid->lower[2] - 0.5;
        int found = 0;
        for (int k = 0; k < list.count; ++k)
            found += (list.pair[k].first == i && list.pair[k].second == 200) ||
                     (list.pair[k].first == 200 && list.pair[k].second == i);
        next += found;
        assert_int_equal(found, i != 100 && i != 200 && solid->shape->body >= 0 && low <= 0.1);
    }
    assert_true(next > 50);
    nb_pair_list_free(&list);
}

TEST(nothing)
{
    struct nb_pair_list list;
    assert_ok(nb_broad_phase(&list, NULL, 0, 0.1, &why));
    assert_int_equal(list.count, 0);
    nb_pair_list_free(&list);
}
