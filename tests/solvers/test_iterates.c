/* Iterates that are kept within bounds: first and last stay, the others at equal distances. */
#include "tests/support/test.h"

#include "solvers/iterates.h"

TEST(what_is_kept_of_many)
{
    struct nb_iterates kept = {0};
    for (int most = 4; most <= 9; most += 5)
        for (int last = 0; last < 70; ++last) {
            nb_iterates_begin(&kept, 2, 1, most);
            for (int k = 0; k <= last; ++k) {
                const double u[2] = {k, -k}, lambda = 3 * k;
                const struct nb_linear_report linear = {NB_LINEAR_CONVERGED, k, ""};
                assert_true(nb_iterates_add(&kept, k, u, &lambda, 2, k ? &linear : NULL));
            }
            assert_true(kept.count <= most && (kept.count == last + 1 || kept.count > most / 2));
            assert_int_equal(kept.iteration[0], 0);
            assert_int_equal(kept.iteration[kept.count - 1], last);
            for (int i = 0; i < kept.count; ++i) {
                const int k = kept.iteration[i];
                assert_true(i == kept.count - 1 || k == i * kept.stride);
                assert_true(kept.value[3 * i] == k && kept.value[3 * i + 1] == -k && kept.value[3 * i + 2] == 3 * k);
                assert_int_equal(kept.linear[i].iterations, k);
            }
            for (int k = 0, place = 0; k <= last + 3; ++k) {
                place = nb_iterates_find(&kept, k, place);
                assert_true(kept.iteration[place] <= k);
                assert_true(place == kept.count - 1 || kept.iteration[place + 1] > k);
            }
        }
    nb_iterates_free(&kept);
}
