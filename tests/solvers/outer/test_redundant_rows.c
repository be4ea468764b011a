/* W of stacks and walls, whose redundant rows proximal_newton has no unknowns for (reduced_matrix.h), is solved as the
 * step of bodies is from which it was formed: both to round-off, with the same motion. */
#include "tests/support/method_support.h"

enum { ITERATIONS = 300 };

/* The local problem has no velocities; what its forces do to the bodies is compared. */
static void assert_same_motion(const struct nb_problem *linear, const struct nb_problem *local)
{
    const size_t rows = (size_t)nb_problem_multipliers(linear), dofs = (size_t)nb_problem_dofs(linear);
    OWNS(free_at)
    double *lambda = calloc(rows + 1, sizeof *lambda);
    OWNS(free_at)
    double *u = calloc(dofs + 1, sizeof *u);
    assert_true(test_method(linear, "proximal_newton:sweeps=no", ITERATIONS, u, NULL).natural_map < 1e-9);
    assert_true(test_method(local, "proximal_newton:sweeps=no", ITERATIONS, NULL, lambda).natural_map < 1e-9);
    const double natural_map = test_judged(linear, u, lambda).natural_map;
    if (!(natural_map < 1e-7))
        fail_msg("%s: the forces by W alone leave a natural map of %g", linear->name, natural_map);
}

TEST(redundant_rows_are_solved_as_bodies_are)
{
    static const char *const scenes[] = {"dense_wall", "box_pyramid", "house_of_cards", "arch"};
    static const char *const bricks[] = {"columns=4", "rows=5", NULL};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        OWNS(nb_problem_free)
        struct nb_problem problem, linear, local;
        test_scene(&problem, scenes[i], i == 0 ? bricks : NULL);
        assert_ok(nb_problem_linearize(&problem, &linear, &why));
        test_condense(&linear, &local, test_dense_solve);
        assert_same_motion(&linear, &local);
    }
}
