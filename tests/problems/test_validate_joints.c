/* What nb_problem_validate promises of joints, one damaged entry at a time. */
#include "tests/support/joint_samples.h"
#include "tests/support/refused.h"

static void make(struct nb_problem *problem)
{
    make_jointed(problem, 0.1, 1);
}

TEST(refuses_wrong_entries)
{
    const struct damage damages[] = {
        {"joints/kind", 3, 4, "entry 3 is 4"},
        {"joints/kind", 2, -1, "0 to 3"},
        {"joints/body", 2, JOINTED_BODIES, "entry 1 is body 5"},
        {"joints/body", 0, -1, "both sides"},
        {"joints/point", 13, NAN, "entry 2"},
        {"joints/orientation", 4, 2, "quaternion 1 has length"},
        {"joints/compliance", 6, -1e-9, "0 or more"},
        {"joints/compliance", 3, 1e-9, "row 3 of entry 0"}, /* a ball joint has three rows */
        {"joints/drift", 6, 1, "between two bodies"},
        {"joints/drift", 1, INFINITY, "entry 0"},
    };
    struct nb_problem problem;
    assert_each_refused(make, damages, sizeof damages / sizeof *damages);
    assert_missing_refused(make);
    make(&problem);
    problem.joints.count = -1;
    assert_problem_refused(&problem, "joints", "-1");
}

/* A stiffness beyond double has no place in the linearised step's mass; the message says so. */
TEST(refuses_to_fold_what_overflows)
{
    struct nb_problem problem, linear;
    make_jointed(&problem, 0.1, 1);
    problem.joints.compliance[0] = 1e-320;
    assert_ok(nb_problem_validate(&problem, &why));
    assert_refused(nb_problem_linearize(&problem, &linear, &why), NB_UNSUPPORTED, "row 0 of entry 0");
    nb_problem_free(&problem);
}
