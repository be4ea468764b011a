/* What nb_problem_validate promises of joints, one damaged entry at a time. */
#include "tests/support/joint_samples.h"
#include "tests/support/refused.h"

TEST(refuses_wrong_sides)
{
    struct nb_problem problem;
    make_jointed(&problem, 0.1, 1);
    problem.joints.kind[3] = 4;
    assert_problem_refused(&problem, "joints/kind", "entry 3 is 4");
    make_jointed(&problem, 0.1, 1);
    problem.joints.kind[2] = -1;
    assert_problem_refused(&problem, "joints/kind", "0 to 3");
    make_jointed(&problem, 0.1, 1);
    problem.joints.body[2] = JOINTED_BODIES;
    assert_problem_refused(&problem, "joints/body", "entry 1 is body 5");
    make_jointed(&problem, 0.1, 1);
    problem.joints.body[0] = -1;
    assert_problem_refused(&problem, "joints/body", "both sides");
    make_jointed(&problem, 0.1, 1);
    free(problem.joints.kind);
    problem.joints.kind = NULL;
    problem.joints.count = -1;
    assert_problem_refused(&problem, "joints", "-1");
}

TEST(refuses_wrong_numbers)
{
    struct nb_problem problem;
    make_jointed(&problem, 0.1, 1);
    problem.joints.point[13] = NAN;
    assert_problem_refused(&problem, "joints/point", "entry 2");
    make_jointed(&problem, 0.1, 1);
    problem.joints.orientation[4] = 2;
    assert_problem_refused(&problem, "joints/orientation", "quaternion 1 has length");
    make_jointed(&problem, 0.1, 1);
    problem.joints.compliance[6] = -1e-9;
    assert_problem_refused(&problem, "joints/compliance", "0 or more");
    make_jointed(&problem, 0.1, 1);
    problem.joints.compliance[3] = 1e-9; /* a ball joint has three rows */
    assert_problem_refused(&problem, "joints/compliance", "row 3 of entry 0");
    make_jointed(&problem, 0.1, 1);
    problem.joints.drift[6] = 1;
    assert_problem_refused(&problem, "joints/drift", "between two bodies");
    make_jointed(&problem, 0.1, 1);
    problem.joints.drift[1] = INFINITY;
    assert_problem_refused(&problem, "joints/drift", "entry 0");
}

/* A stiffness beyond double has no place in the linearised step's mass; the message says so. */
TEST(refuses_to_fold_what_overflows)
{
    struct nb_problem problem, linear;
    struct nb_error error = {""};
    make_jointed(&problem, 0.1, 1);
    problem.joints.compliance[0] = 1e-320;
    assert_int_equal(nb_problem_validate(&problem, &error), NB_OK);
    assert_int_equal(nb_problem_linearize(&problem, &linear, &error), NB_UNSUPPORTED);
    assert_non_null(strstr(error.text, "row 0 of entry 0"));
    nb_problem_free(&problem);
}
