/* What the default keeps of a wall beside the step that it is given, after a run, by the allocator's own count of bytes
 * a contact. A block for each pair of a contact's nodes would take 1152 more, a second factor 400 and more. */
#include "tests/support/support.h"

#include <malloc.h>

#include "solvers/solve.h"

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define COUNTS 0
#else
#define COUNTS 1
#endif

static size_t in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

TEST(a_contact_takes_few_bytes)
{
    const char *const settings[] = {"columns=20", "rows=20", NULL};
    OWNS(nb_problem_free)
    struct nb_problem problem;
    const struct nb_options options = nb_options_default();
    struct nb_solver *solver;
    struct nb_run run;
    if (!COUNTS)
        skip();
    test_scene(&problem, "dense_wall", settings);
    const size_t before = in_use();
    assert_int_equal(nb_solver_create(&solver, &problem, &options, NULL), NB_OK);
    assert_int_equal(nb_solver_run(solver, 40, NULL, &run, NULL), NB_OK);
    const double bytes = (double)(in_use() - before) / problem.contacts.count;
    nb_solver_free(solver);
    print_message("%.0f bytes a contact\n", bytes);
    assert_true(bytes < 4300);
    assert_true(in_use() <= before + 65536); /* libraries keep a little */
}
