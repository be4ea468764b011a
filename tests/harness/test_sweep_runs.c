/* Which cases were timed in turn: records of a batch carry one run, what is added later has another, and a sweep that
 * measures anew takes the whole batch; records of another kind of machine are told. */
#include "harness/records/record.h"
#include "tests/support/sweep_support.h"

static const char two[] = "[group a]\nproblem = box.h5\nsolver = nsgs\nnewton_iters = 5\n"
                          "[group b]\nproblem = box.h5\nsolver = admm\nnewton_iters = 5\n";
static const char three[] = "[group a]\nproblem = box.h5\nsolver = nsgs, pgs\nnewton_iters = 5\n"
                            "[group b]\nproblem = box.h5\nsolver = admm\nnewton_iters = 5\n";

/* The runs of the last records of the cases, each once. */
static int count_runs(const char *results, int *cases)
{
    char met[8][NB_SHORT_HASH_SIZE];
    int count = 0;
    cJSON *records = NULL;
    const cJSON *record = NULL;
    *cases = 0;
    assert_ok(nb_records_read(results, &records, &why));
    cJSON_ArrayForEach(record, records) {
        if (!nb_record_is_case(record))
            continue;
        ++*cases;
        assert_true(nb_json_get(record, "peak_memory") > 1e5);
        const cJSON *run = nb_json_path(record, "times", "run");
        assert_true(cJSON_IsString(run) && strlen(run->valuestring) == NB_SHORT_HASH_SIZE - 1);
        int k = 0;
        while (k < count && strcmp(met[k], run->valuestring) != 0)
            ++k;
        if (k == count)
            strcpy(met[count++], run->valuestring);
    }
    cJSON_Delete(records);
    return count;
}

static struct nb_sweep_summary sweep_again(const char *groups, const char *results, bool anew)
{
    const struct nb_sweep_request request = {.spec = write_spec(groups), .results = results, .jobs = 1, .anew = anew};
    struct nb_sweep_summary summary;
    assert_ok(nb_sweep_run(&request, &summary, &why));
    return summary;
}

TEST(what_is_timed_in_turn_has_one_run)
{
    int cases;
    char results[160];
    snprintf(results, sizeof results, "%s", fresh("runs.jsonl"));
    assert_int_equal(sweep_again(two, results, false).run, 2);
    assert_int_equal(count_runs(results, &cases), 1);
    assert_int_equal(sweep_again(three, results, false).run, 1);
    assert_int_equal(count_runs(results, &cases), 2);
    assert_int_equal(cases, 3);
    assert_int_equal(sweep_again(three, results, true).run, 3);
    assert_int_equal(count_runs(results, &cases), 1);
    assert_int_equal(cases, 3);
    assert_int_equal(sweep_again(three, results, true).run, 0);
}

/* Second answers are looked for once a problem, by its first case. */
TEST(a_sweep_looks_for_second_answers_once_a_problem)
{
    static const char groups[] = "[group a]\nproblem = box.h5\nsolver = proximal_newton, nsgs, apgd\ntol = 1e-6\n";
    int converged = 0, asked = 0;
    char results[160];
    cJSON *records = NULL;
    const cJSON *record = NULL;
    snprintf(results, sizeof results, "%s", fresh("asked.jsonl"));
    assert_int_equal(sweep_again(groups, results, false).run, 3);
    assert_ok(nb_records_read(results, &records, &why));
    cJSON_ArrayForEach(record, records)
    {
        const cJSON *ending = cJSON_GetObjectItemCaseSensitive(record, "ending");
        if (!nb_record_is_case(record) || strcmp(ending->valuestring, "converged"))
            continue;
        assert_true(nb_json_get(record, "step_condition") > 0);
        ++converged;
        asked += cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(record, "velocity_spread"));
    }
    cJSON_Delete(records);
    assert_int_equal(converged, 3);
    assert_int_equal(asked, 1);
}

static void move_to_another_machine(void *unused, cJSON *record)
{
    (void)unused;
    cJSON_ReplaceItemInObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(record, "provenance"), "cpu",
                                           cJSON_CreateString("another processor"));
}

TEST(records_of_other_machines_are_told_and_measured_on_request)
{
    char results[160], moved[160];
    snprintf(results, sizeof results, "%s", fresh("here.jsonl"));
    snprintf(moved, sizeof moved, "%s", fresh("moved.jsonl"));
    assert_int_equal(sweep_again(two, results, false).other_machines, 0);
    rewrite(results, moved, move_to_another_machine, NULL);
    struct nb_sweep_summary summary = sweep_again(two, moved, false);
    assert_int_equal(summary.run, 0);
    assert_int_equal(summary.other_machines, 2);
    summary = sweep_again(two, moved, true);
    assert_int_equal(summary.run, 2);
    assert_int_equal(summary.other_machines, 0);
}

FIXTURE(set_up, remove_folder)

/* Of `repetitions = none` a record tells how the case ended, and no time; a rerun finds it there. */
TEST(endings_alone_need_no_repetition)
{
    static const char spec[] = "[sweep]\nname = endings\nrepetitions = none\nfloors = no\n"
                               "[group a]\nproblem = box.h5\nsolver = nsgs, pgs\nnewton_iters = 5\n";
    cJSON *records = NULL;
    const cJSON *record = NULL;
    char path[160], results[160];
    int cases = 0;
    snprintf(results, sizeof results, "%s", fresh("endings.jsonl"));
    test_write(strcpy(path, test_path(&folder, "endings.sweep")), spec);
    const struct nb_sweep_request request = {.spec = path, .results = results, .jobs = 1};
    struct nb_sweep_summary summary;
    assert_ok(nb_sweep_run(&request, &summary, &why));
    assert_int_equal(summary.run, 2);
    assert_ok(nb_records_read(results, &records, &why));
    cJSON_ArrayForEach(record, records) {
        ++cases;
        assert_true(nb_record_is_case(record));
        assert_true(nb_ending_is_usable(nb_ending_find(nb_json_string(record, "ending"))));
        assert_true(nb_json_path_number(record, "counts", "newton") > 0);
        assert_int_equal(cJSON_GetArraySize(nb_json_path(record, "times", "solve")), 0);
    }
    cJSON_Delete(records);
    assert_int_equal(cases, 2);
    assert_ok(nb_sweep_run(&request, &summary, &why));
    assert_int_equal(summary.run, 0);
}
