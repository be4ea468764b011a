/* What rounds in gaps: at least what they are off by, compared with quad precision, nothing of round numbers; and runs
 * in float64 come down to the floor that is left. */
#include "harness/case/case_run.h"
#include "harness/case/reference.h"
#include "harness/floor/floor_private.h"
#include "problems/base/rotation.h"
#include "problems/io/problem_file.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "tests/support/folder.h"
#include "tests/support/numbers.h"

FIXTURE(make_folder, remove_folder)
OWNER(nb_judge_free)

static void make_scene(const char *scene, struct nb_problem *problem)
{
    assert_ok(nb_scene_create(scene, 0, NULL, problem, &why));
    assert_ok(nb_step_prepare(problem, &why));
}

static struct nb_judge *judge_at(const struct nb_problem *problem, const double *u)
{
    struct nb_judge *judge;
    OWNS(free_at)
    double *lambda = zeros(nb_problem_multipliers(problem));
    assert_ok(nb_judge_create(&judge, problem, &why));
    nb_judge_update(judge, u, lambda);
    return judge;
}

/* Coordinate k of a side's point at q+. */
static __float128 point_of(const struct nb_judge *judge, const double *u, int contact, int side, int k)
{
    const struct nb_problem *problem = judge->problem;
    const struct nb_contacts *contacts = &problem->contacts;
    const int at = 2 * contact + side, body = contacts->body[at], of_bodies = 6 * problem->bodies.count;
    const __float128 h = problem->time_step, radius = contacts->radius ? contacts->radius[at] : 0;
    double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    __float128 point = (side ? 1 : -1) * radius * contacts->frame[9 * contact + k];
    if (body >= 0) {
        nb_quaternion_matrix(judge->at.orientation + 4 * body, rotation);
        point += problem->bodies.position[3 * body + k] + h * u[6 * body + k];
    }
    for (int j = 0; j < 3; ++j)
        point += (__float128)rotation[3 * k + j] * contacts->point[3 * at + j];
    for (int c = 0; contacts->particle && c < 3 && contacts->particle[3 * at + c] >= 0; ++c) {
        const int i = contacts->particle[3 * at + c];
        point += contacts->weight[3 * at + c] *
                 (problem->particles.position[3 * i + k] + h * u[of_bodies + 3 * i + k]);
    }
    return point;
}

TEST(a_gap_is_off_by_no_more_than_what_rounds)
{
    static const char *const scenes[] = {"arch", "balls_in_cube", "cloth", "cylinder_stack", "curved_slide"};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        make_scene(scenes[s], &problem);
        OWNS(free_at)
        double *u = zeros(nb_problem_dofs(&problem));
        for (int i = 0; i < nb_problem_dofs(&problem); ++i)
            u[i] = 0.1 * uniform();
        OWNS(nb_judge_free_at)
        struct nb_judge *judge = judge_at(&problem, u);
        for (int i = 0; i < problem.contacts.count; ++i) {
            const double rounds = nb_floor_gap_roundings(judge, u, i);
            __float128 gap = -(__float128)problem.contacts.thickness[i];
            for (int k = 0; k < 3; ++k)
                gap += problem.contacts.frame[9 * i + k] *
                       (point_of(judge, u, i, 0, k) - point_of(judge, u, i, 1, k));
            assert_true(fabs((double)(judge->gap[i] - gap)) <= rounds);
            assert_true(rounds <= 4 * 0x1p-53 * judge->gap_terms[i]); /* each of its terms rounds a few times */
        }
    }
}

/* Boxes of 0.5 m; their thirds are not round. */
TEST(round_numbers_at_rest_do_not_round)
{
    OWNS(nb_problem_free)
    struct nb_problem problem;
    make_scene("sparse_stack", &problem);
    OWNS(free_at)
    double *u = zeros(nb_problem_dofs(&problem));
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < nb_problem_dofs(&problem); ++i)
            u[i] = (const double[]){0, 1e-14, 1e-3}[k] * (1 + i % 7); /* at rest, by rounding, moves */
        OWNS(nb_judge_free_at)
        struct nb_judge *judge = judge_at(&problem, u);
        for (int i = 0; i < problem.contacts.count; ++i)
            assert_true((nb_floor_gap_roundings(judge, u, i) == 0) == (k < 2));
    }
    for (int i = 0; i < 6 * problem.contacts.count; ++i)
        problem.contacts.point[i] /= 3;
    memset(u, 0, (size_t)nb_problem_dofs(&problem) * sizeof *u);
    OWNS(nb_judge_free_at)
    struct nb_judge *judge = judge_at(&problem, u);
    assert_true(nb_floor_gap_roundings(judge, u, problem.contacts.count - 1) > 0);
}

/* That of float64; the one of float32 takes all to round. */
TEST(newton_comes_down_to_the_floor_of_round_numbers)
{
    static const char *const scenes[] = {"sparse_stack", "box_pyramid"};
    for (int s = 0; s < 2; ++s) {
        OWNS(nb_problem_free)
        struct nb_problem problem;
        struct nb_case setting = nb_case_default();
        struct nb_floor_reference reference;
        struct nb_case_run *run;
        struct nb_case_result result;
        double solving;
        make_scene(scenes[s], &problem);
        assert_ok(nb_problem_write(test_path(&folder, "step.h5"), &problem, NULL, &why));
        assert_ok(nb_case_set_problem(&setting, test_path(&folder, "step.h5"), &why));
        setting.options.solver = "newton";
        setting.options.linear = "kkt";
        setting.options.precond = "none";
        setting.options.newton_iterations = 100;
        assert_ok(nb_reference_floor(&problem, &setting.options, &reference, &solving, &why));
        assert_ok(nb_case_run_open(&run, &setting, &why));
        assert_ok(nb_case_run_trace(run, NULL, NULL, &result, &why));
        const double floor = nb_floor_at(&reference, 0x1p-53).step_error;
        assert_true(result.best_error > 0.1 * floor && result.best_error < 10 * floor);
        assert_true(nb_floor_at(&reference, 0x1p-24).step_error > 0x1p29 * 50 * floor);
        nb_case_result_free(&result);
        nb_case_run_close(run);
    }
}
