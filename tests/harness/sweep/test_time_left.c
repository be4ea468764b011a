/* What a dry run takes for the time of cases of which there is no record: what it says of its own truth holds of the
 * kept records, and it grows with problems and repetitions and ends at the time limit. */
#include <math.h>

#include "harness/records/json.h"
#include "harness/records/store.h"
#include "harness/sweep/sweep_private.h"
#include "tests/support/test.h"

/* Not laws: there are methods that a law defeats, and go on to their limits. */
static const char *const kept[] = {"scenes", "linear", "fischer", "large", "multigrid"};

/* A problem as steps, or as linear systems: the mean times of a run of its cases, and their unknowns. */
static struct problem {
    double seconds, unknowns;
    int cases;
} problems[400];
static int count;

static enum nb_status add(void *context, const cJSON *record, struct nb_error *error)
{
    struct nb_index *names = context;
    const cJSON *control = nb_json_path(record, "times", "control");
    const double wall = nb_json_path_number(record, "times", "wall");
    const double rows = nb_json_path_number(record, "sizes", "rows");
    const double dofs = nb_json_path_number(record, "sizes", "dofs");
    const double repetitions = nb_json_path_number(record, "settings", "repetitions");
    char name[200];
    (void)error;
    if (!(wall > 0) || !(rows > 0))
        return NB_OK;
    snprintf(name, sizeof name, "%s %s", nb_json_path(record, "settings", "problem")->valuestring,
             nb_json_path(record, "settings", "mode")->valuestring);
    const int number = nb_index_add(names, name, count);
    assert_in_range(number, 0, sizeof problems / sizeof *problems - 1);
    count += number == count;
    problems[number].seconds += wall / (1 + (cJSON_IsObject(control) ? 2 : 1) * repetitions);
    problems[number].unknowns += rows + (isfinite(dofs) ? dofs : 0);
    ++problems[number].cases;
    return NB_OK;
}

TEST(of_ten_kept_problems_eight_take_half_to_twice_as_long)
{
    struct nb_index names = {NULL};
    struct nb_error error = {""};
    int shorter = 0, longer = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
        char path[100];
        snprintf(path, sizeof path, "data/records/%s.jsonl.gz", kept[i]);
        assert_int_equal(nb_store_read(path, add, &names, &error), NB_OK);
    }
    for (int i = 0; i < count; ++i) {
        const struct problem *problem = &problems[i];
        const double foreseen = nb_run_seconds((int)(problem->unknowns / problem->cases));
        const double ratio = problem->seconds / problem->cases / foreseen;
        shorter += ratio < 0.5;
        longer += ratio > 2.2;
    }
    assert_true(count > 50);
    assert_true(shorter + longer <= count / 5);
    nb_index_free(&names);
}

TEST(time_by_size_grows_with_problems_and_repetitions_up_to_the_time_limit)
{
    struct nb_task task[2] = {{.recorded = NAN, .traced = NAN, .timed.count = 5}, {.recorded = NAN, .traced = NAN}};
    struct nb_plan plan = {.count = 1, .task = task, .kinds = 2};
    task[0].setting.time_limit = task[1].setting.time_limit = 60;
    task[1].kind = 1;
    task[0].setting.unknowns = 1000;
    const double one = nb_plan_time_left(&plan, 1).sized_seconds;
    assert_true(fabs(one - 6 * nb_run_seconds(1000)) < 1e-9);
    assert_true(fabs(nb_plan_time_left(&plan, 2).sized_seconds - one / 2) < 1e-9);
    task[0].timed.count = 11;
    assert_true(fabs(nb_plan_time_left(&plan, 1).sized_seconds - 2 * one) < 1e-9);
    task[0].setting.unknowns = 100000000;
    assert_true(fabs(nb_plan_time_left(&plan, 1).sized_seconds - 12 * 60) < 1e-9);
    /* Beside a recorded one, which took three times as long as its size says. */
    plan.count = 2;
    task[0].setting.unknowns = 1000;
    task[1].setting.unknowns = 10;
    task[1].complete = true;
    task[1].recorded = 3 * nb_run_seconds(10);
    const struct nb_time_left left = nb_plan_time_left(&plan, 1);
    assert_true(fabs(left.sized_seconds - 3 * 2 * one) < 1e-9);
    assert_true(left.compared && left.sized == 1 && !left.known);
}
