/* Contact detection on random boxes against slower and simpler second implementations. */
#include <float.h>

#include "tests/support/near.h"

#include "tests/support/boxes.h"

/* Boxes thrown together at random. */
static void make_heap(struct nb_problem *problem, struct box *box, int count, double spread,
                      uint32_t seed)
{
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            box[i].sides[k] = 0.6 + 0.4 * noise(&seed);
            box[i].centre[k] = spread * noise(&seed);
            box[i].turn[k] = 1.5 * noise(&seed);
        }
    make_boxes(problem, count, box, 0);
}

/* The largest of the gaps along all 15 axes of two boxes, by projecting the corners. */
static double brute_force_gap(const struct nb_problem *problem)
{
    double matrix[2][9], best = -DBL_MAX;
    for (int i = 0; i < 2; ++i)
        nb_quaternion_matrix(problem->bodies.orientation + 4 * i, matrix[i]);
    for (int a = 0; a < 15; ++a) {
        double axis[3], reach = 0, between[3], u[3], v[3];
        for (int k = 0; k < 3; ++k) {
            u[k] = matrix[0][3 * k + (a < 6 ? a % 3 : (a - 6) / 3)];
            v[k] = matrix[1][3 * k + (a < 6 ? a % 3 : (a - 6) % 3)];
        }
        if (a < 6)
            memcpy(axis, a < 3 ? u : v, sizeof axis);
        else
            nb_cross3(u, v, axis);
        if (nb_norm3(axis) < 1e-6)
            continue;
        nb_normalise3(axis);
        for (int i = 0; i < 2; ++i)
            for (int side = 0; side < 3; ++side) {
                const double column[3] = {matrix[i][side], matrix[i][3 + side],
                                          matrix[i][6 + side]};
                /* Vertex 6 of a prism is its corner (+, -, +): half the sides in size. */
                reach += fabs(nb_dot3(axis, column) * problem->shapes[i].vertex[12 + side]);
            }
        nb_subtract3(problem->bodies.position, problem->bodies.position + 3, between);
        best = fmax(best, fabs(nb_dot3(axis, between)) - reach);
    }
    return best;
}

TEST(deepest_contact_has_the_separation)
{
    int overlapping = 0;
    for (uint32_t seed = 1; seed <= 2000; ++seed) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct box box[2];
        make_heap(&problem, box, 2, 0.5, seed * 7919);
        collide(&problem, -1);
        const double gap = brute_force_gap(&problem);
        double deepest = DBL_MAX;
        for (int i = 0; i < problem.contacts.count; ++i)
            deepest = fmin(deepest, gap_of(&problem, i));
        if (gap > margin)
            assert_int_equal(problem.contacts.count, 0);
        if (gap < 0) {
            assert_true(problem.contacts.count > 0);
            /* One feature may be preferred though another is better by a thousandth of a box. */
            assert_near(deepest, gap, 2e-3);
            ++overlapping;
        }
    }
    assert_in_range(overlapping, 300, 2000);
}

/* Every contact's two points lie on the surfaces, on one line along the normal. */
TEST(points_lie_on_both_surfaces)
{
    for (uint32_t seed = 1; seed <= 500; ++seed) {
        OWNS(nb_problem_free) struct nb_problem problem;
        struct box box[2];
        make_heap(&problem, box, 2, 0.5, seed * 104729);
        collide(&problem, -1);
        for (int i = 0; i < problem.contacts.count; ++i) {
            double point[2][3], between[3];
            for (int side = 0; side < 2; ++side) {
                const double *local = problem.contacts.point + 6 * i + 3 * side;
                const int body = problem.contacts.body[2 * i + side];
                double outside = -DBL_MAX;
                world_point(&problem, i, side, point[side]);
                for (int k = 0; k < 3; ++k)
                    outside = fmax(outside, fabs(local[k]) - box[body].sides[k] / 2);
                assert_near(outside, 0, 1e-7);
            }
            nb_subtract3(point[0], point[1], between);
            assert_near(nb_norm3(between), fabs(gap_of(&problem, i)), 1e-9);
            assert_true(gap_of(&problem, i) <= margin);
        }
    }
}

/* The sweep against all pairs one by one, and the same bits when repeated. */
TEST(sweep_finds_all_pairs_in_order)
{
    enum { count = 60 };
    struct nb_problem heap, pair, again;
    struct box box[count];
    int next = 0;
    make_heap(&heap, box, count, 2, 42);
    collide(&heap, -1);
    assert_true(heap.contacts.count > count);
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            const struct box two[2] = {box[i], box[j]};
            make_boxes(&pair, 2, two, 0);
            collide(&pair, -1);
            for (int k = 0; k < pair.contacts.count; ++k, ++next) {
                assert_true(next < heap.contacts.count);
                assert_int_equal(heap.contacts.body[2 * next], i);
                assert_int_equal(heap.contacts.body[2 * next + 1], j);
                assert_memory_equal(heap.contacts.point + 6 * next, pair.contacts.point + 6 * k,
                                    6 * sizeof(double));
            }
            nb_problem_free(&pair);
        }
    }
    assert_int_equal(next, heap.contacts.count);
    make_boxes(&again, count, box, 0);
    collide(&again, next);
    assert_memory_equal(again.contacts.point, heap.contacts.point, 6 * next * sizeof(double));
    assert_memory_equal(again.contacts.frame, heap.contacts.frame, 9 * next * sizeof(double));
    nb_problem_free(&again);
    nb_problem_free(&heap);
}

TEST(frames_are_orthonormal_and_continuous)
{
    const double axes[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    uint32_t seed = 3;
    for (int i = 0; i < 2000; ++i) {
        double n[3] = {noise(&seed), noise(&seed), noise(&seed)}, frame[9], near[9], third[3];
        if (i < 6)
            memcpy(n, axes[i], sizeof n);
        nb_normalise3(n);
        nb_contact_frame(n, frame);
        nb_cross3(frame, frame + 3, third);
        for (int k = 0; k < 3; ++k) {
            assert_true(frame[k] == n[k]);
            assert_near(nb_dot3(frame + 3 * k, frame + 3 * k), 1, 1e-14);
            assert_near(third[k], frame[6 + k], 1e-14);
        }
        const double e[3] = {2 / 7.0, 3 / 7.0, 6 / 7.0};
        n[i % 3] += 1e-8;
        nb_normalise3(n);
        nb_contact_frame(n, near);
        /* Tangents turn by up to 2 / (1 + e.n) times the normal's turn. */
        for (int k = 0; k < 9; ++k)
            assert_near(frame[k], near[k], 4e-8 / (1 + nb_dot3(n, e)));
    }
    const double up[3] = {0, 0, 1};
    double frame[9];
    nb_contact_frame(up, frame);
    assert_near(frame[3], 1, 1e-15);
    assert_near(frame[7], 1, 1e-15);
}
