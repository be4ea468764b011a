/* Cases whose islands are solved apart: each stops where it has reached the tolerance, the record says after how many
 * iterations, and runs in another process repeat them. */
#include "tests/support/folder.h"

#include "harness/case/case_record.h"
#include "harness/records/json.h"
#include "problems/copies.h"
#include "problems/io/problem_file.h"
#include "problems/scene.h"
#include "problems/step.h"
#include "tests/support/support.h"

OWNER(cJSON_Delete)

static char pair_file[128];

/* Two boxes twice, the second time pushed sideways, which takes other iterations. */
static int set_up(void **state)
{
    const struct nb_problem_extras extras = {0};
    OWNS(nb_problem_free) struct nb_problem one, two;
    make_folder(state);
    strcpy(pair_file, test_path(&folder, "pair.h5"));
    test_scene(&one, "two_boxes", NULL);
    assert_ok(nb_problem_repeat(&one, 2, &two, &why));
    const int dofs = nb_problem_dofs(&one);
    for (int i = 0; i < dofs; ++i)
        two.free_velocity[dofs + i] += i % 6 == 0 ? 0.3 : 0;
    assert_ok(nb_problem_write(pair_file, &two, &extras, &why));
    return 0;
}

static struct nb_case pair_case(enum nb_islands_choice islands)
{
    struct nb_case setting = nb_case_default();
    setting.options.solver = "interior_point";
    setting.options.islands = islands;
    setting.tolerance = 1e-6;
    assert_ok(nb_case_set_problem(&setting, pair_file, &why));
    assert_ok(nb_case_hash_problem(&setting, &why));
    return setting;
}

TEST(each_island_ends_at_the_tolerance)
{
    const struct nb_case setting = pair_case(NB_ISLANDS_OWN);
    struct nb_case_result result;
    struct nb_case_run *run = NULL;
    struct nb_repetition repetition = {.solves = 2};
    double error;
    assert_ok(nb_case_run_open(&run, &setting, &why));
    assert_ok(nb_case_run_trace(run, NULL, NULL, &result, &why));
    assert_string_equal(result.ending, "converged");
    assert_int_equal(result.islands, 2);
    const int first = result.island_iterations[0], second = result.island_iterations[1];
    assert_true(first != second && first > 0 && second > 0);
    assert_int_equal(result.iterations, first > second ? first : second);
    assert_int_equal(result.trace.count, result.iterations + 1);
    assert_true(result.errors.step_error <= setting.tolerance && result.errors.step_error > 1e-3 * setting.tolerance);
    error = result.errors.step_error;
    assert_ok(nb_case_run_time(run, result.iterations, &repetition, &why));
    nb_case_run_close(run);

    OWNS(cJSON_Delete_at) cJSON *part = nb_part_trace(&result);
    const cJSON *counts = cJSON_GetObjectItemCaseSensitive(part, "counts");
    const cJSON *islands = cJSON_GetObjectItemCaseSensitive(counts, "islands");
    assert_int_equal(cJSON_GetArraySize(islands), 2);
    assert_int_equal(cJSON_GetArrayItem(islands, 1)->valueint, second);

    /* Another process: told what to repeat, it does; told less of one island, that one's error shows. */
    assert_ok(nb_case_run_open(&run, &setting, &why));
    nb_case_run_expect(run, (struct nb_expected){error, result.iterations, 0});
    nb_case_run_expect_islands(run, result.island_iterations, 2);
    repetition.solves = 1;
    assert_ok(nb_case_run_time(run, result.iterations, &repetition, &why));
    result.island_iterations[first < second] = 1;
    nb_case_run_expect_islands(run, result.island_iterations, 2);
    assert_int_equal(nb_case_run_time(run, result.iterations, &repetition, NULL), NB_BREAKDOWN);
    nb_case_run_close(run);
    nb_case_result_free(&result);
}

TEST(together_is_one)
{
    const struct nb_case setting = pair_case(NB_ISLANDS_TOGETHER);
    struct nb_case_result result;
    struct nb_case_run *run = NULL;
    assert_ok(nb_case_run_open(&run, &setting, &why));
    assert_ok(nb_case_run_trace(run, NULL, NULL, &result, &why));
    assert_string_equal(result.ending, "converged");
    assert_int_equal(result.islands, 0);
    nb_case_result_free(&result);
    nb_case_run_close(run);
}

FIXTURE(set_up, remove_folder)
