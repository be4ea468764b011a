/* Local problems whose W is not symmetric, as some files of the field are: the default takes Newton steps
 * with W as given, so that it needs no more of them. */
#include "tests/support/method_support.h"

enum { CONTACTS = 14, ROWS = 3 * CONTACTS };

/* out = a b, dense */
static void multiply(const double *a, const double *b, double *out)
{
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < ROWS; ++j) {
            double sum = 0;
            for (int k = 0; k < ROWS; ++k)
                sum += a[i * ROWS + k] * b[k * ROWS + j];
            out[i * ROWS + j] = sum;
        }
}

/* W of rank 18 in 42 rows, to which W K W is added, K antisymmetric, of `skew` times its size: x^T W x
 * stays as it is. */
static void make(struct nb_problem *problem, double skew, uint32_t seed)
{
    static double w[ROWS * ROWS], k[ROWS * ROWS], product[ROWS * ROWS], added[ROWS * ROWS];
    struct nb_problem global;
    test_global(&global, 18, CONTACTS, 0, 1, seed);
    for (int i = 0; i < CONTACTS; ++i)
        global.linear.friction[i] = 0.3 + 0.1 * (i % 4);
    test_condense(&global, problem, test_dense_solve);
    nb_problem_free(&global);
    double *value = problem->linear.delassus.value, most = 0, most_added = 0;
    memcpy(w, value, sizeof w);
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j <= i; ++j) {
            k[i * ROWS + j] = i == j ? 0 : test_uniform(&seed);
            k[j * ROWS + i] = -k[i * ROWS + j];
        }
    multiply(w, k, product);
    multiply(product, w, added);
    for (int i = 0; i < ROWS * ROWS; ++i) {
        most = fmax(most, fabs(w[i]));
        most_added = fmax(most_added, fabs(added[i]));
    }
    for (int i = 0; i < ROWS * ROWS; ++i)
        value[i] += skew * most / most_added * added[i];
}

TEST(test_takes_w_as_given)
{
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        OWNS(nb_problem_free) struct nb_problem problem;
        make(&problem, 0.3, seed);
        const double map = test_method(&problem, "proximal_newton:sweeps=no", 20, NULL, NULL).natural_map;
        if (!(map < 1e-11))
            fail_msg("seed %u: natural map %g", seed, map);
    }
}

/* An M that is not symmetric, in one part and in several: the judge has it as given, and so do these. */
TEST(test_takes_m_as_given)
{
    static const char *const methods[] = {"proximal_newton:sweeps=no", "proximal_newton", "nsgs"};
    static const char *const precisions[] = {"f64", "f32"};
    static const double bounds[] = {1e-11, 1e-6};
    static const int couplings[] = {1, 7};
    for (int i = 0; i < 24; ++i) {
        OWNS(nb_problem_free) struct nb_problem problem;
        uint32_t seed = 50 + (uint32_t)i;
        const int p = i / 2 % 2;
        test_global(&problem, 24, 4, 0, couplings[i % 2], seed);
        struct nb_csr *mass = &problem.linear.mass;
        for (int k = 0; k < mass->start[mass->rows]; ++k)
            mass->value[k] *= 1 + 1e-2 * test_uniform(&seed);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
            const double map = test_method_in(&problem, methods[m], precisions[p], 200, NULL, NULL, NULL).natural_map;
            if (!(map < bounds[p]))
                fail_msg("%s in %s, seed %d: natural map %g", methods[m], precisions[p], 50 + i, map);
        }
    }
}
