/* What a mass matrix couples, against a search from every node; patterns too large to number. */
#include "solvers/sparse/coupling.h"
#include "tests/support/support.h"

enum { NODES = 30, ROWS = 40, TOUCHED = 3 };

static int random_below(uint32_t *seed, int n)
{
    return (int)((test_uniform(seed) + 0.5) * n);
}

/* An unsymmetric M of few entries, one of them zero, which couples nothing. */
static struct nb_csr random_mass(uint32_t *seed)
{
    double dense[3 * NODES][3 * NODES] = {{0}};
    int row[3 * NODES + NODES], column[3 * NODES + NODES], count = 0;
    double value[3 * NODES + NODES];
    struct nb_csr mass = {0};
    for (int i = 0; i < 3 * NODES; ++i)
        dense[i][i] = 1;
    for (int k = 0; k < NODES / 2; ++k)
        dense[random_below(seed, 3 * NODES)][random_below(seed, 3 * NODES)] = 1;
    for (int i = 0; i < 3 * NODES; ++i)
        for (int j = 0; j < 3 * NODES; ++j)
            if (dense[i][j] != 0 || (i == 0 && j == 3 * NODES - 1)) {
                row[count] = i;
                column[count] = j;
                value[count++] = dense[i][j];
            }
    assert_ok(nb_csr_from_triplets(&mass, 3 * NODES, 3 * NODES, count, row, column, value, &why));
    return mass;
}

/* reach [NODES x NODES]: by entries of M or its transpose, however indirectly. */
static void search(const struct nb_csr *mass, int *reach)
{
    for (int i = 0; i < NODES; ++i)
        reach[NODES * i + i] = 1;
    for (int i = 0; i < mass->rows; ++i)
        for (int k = mass->start[i]; k < mass->start[i + 1]; ++k)
            if (mass->value[k] != 0)
                reach[NODES * (i / 3) + mass->column[k] / 3] = reach[NODES * (mass->column[k] / 3) + i / 3] = 1;
    for (int via = 0; via < NODES; ++via)
        for (int i = 0; i < NODES; ++i)
            for (int j = 0; j < NODES; ++j)
                reach[NODES * i + j] |= reach[NODES * i + via] && reach[NODES * via + j];
}

static int rows_meet(const int *reach, const int *a, const int *b)
{
    for (int k = 0; k < TOUCHED; ++k)
        for (int m = 0; m < TOUCHED; ++m)
            if (reach[NODES * a[k] + b[m]])
                return 1;
    return 0;
}

TEST(test_random_masses)
{
    uint32_t seed = 5;
    for (int trial = 0; trial < 50; ++trial) {
        OWNS(nb_csr_free) struct nb_csr mass = random_mass(&seed);
        OWNS(nb_block_sets_free) struct nb_block_sets parts, touched, coupled;
        int reach[NODES * NODES] = {0}, start[ROWS + 1] = {0}, column[ROWS * TOUCHED];
        search(&mass, reach);
        for (int i = 0; i < ROWS; ++i) {
            start[i + 1] = TOUCHED * (i + 1);
            for (int k = 0; k < TOUCHED; ++k)
                column[TOUCHED * i + k] = random_below(&seed, NODES);
        }
        assert_int_equal(nb_mass_components(&mass, NODES, &parts, NULL), NB_OK);
        assert_int_equal(parts.start[parts.count], NODES);
        for (int p = 0; p < parts.count; ++p)
            for (int k = parts.start[p]; k < parts.start[p + 1]; ++k)
                for (int j = 0; j < NODES; ++j) {
                    int inside = 0;
                    for (int m = parts.start[p]; m < parts.start[p + 1]; ++m)
                        inside |= parts.member[m] == j;
                    assert_int_equal(inside, reach[NODES * parts.member[k] + j]);
                }
        assert_int_equal(nb_touched_components(&parts, NODES, ROWS, start, column, &touched, NULL), NB_OK);
        assert_int_equal(nb_coupled_rows(&touched, parts.count, &coupled, NULL), NB_OK);
        for (int i = 0; i < ROWS; ++i) {
            int at = coupled.start[i];
            for (int j = 0; j < ROWS; ++j)
                if (rows_meet(reach, column + TOUCHED * i, column + TOUCHED * j))
                    assert_int_equal(coupled.member[at++], j);
            assert_int_equal(at, coupled.start[i + 1]);
        }
    }
}

/* A block row that touches nothing is coupled with itself. */
TEST(test_empty_rows)
{
    const struct nb_csr mass = {0};
    const int start[] = {0, 0, 0};
    OWNS(nb_block_sets_free) struct nb_block_sets parts, touched, coupled;
    assert_int_equal(nb_mass_components(&mass, 0, &parts, NULL), NB_OK);
    assert_int_equal(nb_touched_components(&parts, 0, 2, start, NULL, &touched, NULL), NB_OK);
    assert_int_equal(nb_coupled_rows(&touched, 0, &coupled, NULL), NB_OK);
    assert_int_equal(coupled.start[2], 2);
    assert_int_equal(coupled.member[0], 0);
    assert_int_equal(coupled.member[1], 1);
}

/* More blocks than an int counts are refused before room is asked for. */
TEST(test_too_many_rows)
{
    enum { MANY = 65536 };
    struct nb_block_sets touched = {.count = MANY}, coupled;
    touched.start = malloc((MANY + 1) * sizeof *touched.start);
    touched.member = calloc(MANY, sizeof *touched.member);
    assert_non_null(touched.start);
    assert_non_null(touched.member);
    for (int i = 0; i <= MANY; ++i)
        touched.start[i] = i;
    assert_refused(nb_coupled_rows(&touched, 1, &coupled, &why), NB_UNSUPPORTED, "65536");
    assert_null(coupled.member);
    nb_block_sets_free(&touched);
}
