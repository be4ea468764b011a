/* A sweep that interleaves all cases of a problem, of two specs and all groups: the order of the runs, and the
 * set-up of a linear system, which every repetition makes anew. */
#include "tests/support/support.h"

#include <fcntl.h>
#include <unistd.h>

#include "harness/case/case_record.h"
#include "harness/case/case_run.h"
#include "harness/records/json.h"
#include "harness/records/outcome.h"
#include "harness/records/store.h"
#include "harness/sweep/sweep.h"
#include "problems/io/problem_file.h"
#include "problems/scene.h"
#include "tests/support/folder.h"

enum { REPETITIONS = 5,
       SYSTEMS = 2,
       CASES = 4 };

static char order_path[160];

/* A diagonal system of 3 size rows with right-hand side 1. */
static void write_system(const char *name, int size)
{
    char path[160];
    snprintf(path, sizeof path, "%s", test_path(&folder, name));
    OWNS(fclose_at) FILE *file = test_open(path, "w");
    const int rows = 3 * size;
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", rows, rows, rows);
    for (int i = 1; i <= rows; ++i)
        fprintf(file, "%d %d %d\n", i, i, 1 + i % 4);
}

static void write_spec(const char *name, const char *interleave, const char *groups)
{
    char text[2048];
    snprintf(text, sizeof text, "[sweep]\nname = %s\nrepetitions = %d\n%s\n%s", name, REPETITIONS,
             interleave, groups);
    test_write(test_path(&folder, name), text);
}

/* A line a run: problem, linear solver, repetition. */
static void note(const struct nb_case *setting, int repetition)
{
    char line[128];
    const int length = snprintf(line, sizeof line, "%s %s %d\n", setting->problem, setting->options.linear,
                                repetition);
    const int file = open(order_path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || write(file, line, (size_t)length) != length)
        _exit(9);
    close(file);
}

static void sweep(const char *spec, const char *more, const char *results)
{
    char first[160], second[160], out[160];
    struct nb_sweep_summary summary;
    snprintf(first, sizeof first, "%s", test_path(&folder, spec));
    snprintf(second, sizeof second, "%s", test_path(&folder, more));
    snprintf(out, sizeof out, "%s", test_path(&folder, results));
    const struct nb_sweep_request request = {.spec = first, .more = second, .results = out, .jobs = 1,
                                             .hook = note};
    assert_ok(nb_sweep_run(&request, &summary, &why));
    assert_int_equal(summary.cases, SYSTEMS * CASES);
    assert_string_equal(summary.name, spec);
}

static int find_linear(const char *const *linear, const char *seen)
{
    int i = 0;
    while (i < CASES && strcmp(linear[i], seen))
        ++i;
    return i;
}

/* Every problem by itself: its observed runs, and then round after round of all its cases, each once, in sequences that
 * are not all the same: what runs before a case is not always the same one. One that has a control is met twice. */
TEST(all_cases_of_a_problem_take_turns)
{
    static const char *const problem[] = {"small", "large"};
    static const char *const linear[] = {"pcr", "cholesky", "pcg", "minres"};
    sweep("ours", "theirs", "turns.jsonl");
    OWNS(fclose_at) FILE *file = test_open(order_path, "r");
    char seen_problem[64], seen_linear[64];
    int met[SYSTEMS][REPETITIONS + 1][CASES] = {0}, first[REPETITIONS] = {0}, at = 0, repetition = 0, before = -1;
    while (fscanf(file, "%63s %63s %d", seen_problem, seen_linear, &repetition) == 3) {
        const int which = find_linear(linear, seen_linear);
        assert_true(which < CASES && repetition >= -1 && repetition < REPETITIONS);
        if (strcmp(seen_problem, problem[at])) {
            ++at;
            before = -1;
        }
        assert_true(at < SYSTEMS && !strcmp(seen_problem, problem[at]));
        assert_true(repetition >= before); /* no round begins before the last one has ended */
        if (repetition > before && repetition >= 0)
            first[repetition] = which;
        before = repetition;
        ++met[at][repetition + 1][which];
    }
    bool differ = false;
    for (int k = 0; k < REPETITIONS; ++k)
        differ = differ || first[k] != first[0];
    assert_true(differ);
    for (int i = 0; i < SYSTEMS * (REPETITIONS + 1) * CASES; ++i) {
        const int count = met[i / CASES / (REPETITIONS + 1)][i / CASES % (REPETITIONS + 1)][i % CASES];
        const bool observed = i / CASES % (REPETITIONS + 1) == 0;
        assert_true(count == 1 || (!observed && count == 2));
    }
}

static enum nb_status check_setups(void *context, const cJSON *record, struct nb_error *error)
{
    struct nb_outcome outcome;
    double seconds[NB_OUTCOME_REPETITIONS], setup[REPETITIONS];
    int *count = context;
    (void)error;
    const cJSON *each = nb_json_path(record, "times", "setups");
    assert_int_equal(cJSON_GetArraySize(each), REPETITIONS);
    nb_outcome_read(record, 1e-6, &outcome);
    assert_int_equal(nb_outcome_times(&outcome, seconds), REPETITIONS);
    for (int i = 0; i < REPETITIONS; ++i) {
        setup[i] = cJSON_GetArrayItem(each, i)->valuedouble;
        assert_true(setup[i] > 0 && outcome.setup[i] == setup[i] && seconds[i] > setup[i]);
    }
    const double median = nb_json_path(record, "times", "setup")->valuedouble;
    assert_true(median == nb_median(setup, REPETITIONS));
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(record, "settings");
    const bool direct = !strcmp(nb_json_string(settings, "linear"), "cholesky");
    assert_string_equal(nb_json_string(settings, "precond"), direct ? "none" : "jacobi");
    ++*count;
    return NB_OK;
}

TEST(every_repetition_has_its_set_up)
{
    int count = 0;
    assert_ok(nb_store_read(test_path(&folder, "turns.jsonl"), check_setups, &count, &why));
    assert_int_equal(count, SYSTEMS * CASES);
}

/* The observed run of a record's case, alone in this process. */
static cJSON *observe_alone(const cJSON *record)
{
    struct nb_case setting = nb_case_default();
    struct nb_case_run *run = NULL;
    struct nb_case_result result;
    char name[16];
    setting.mode = NB_CASE_LINEAR_SYSTEM;
    setting.options.linear = nb_json_path(record, "settings", "linear")->valuestring;
    setting.options.precond = nb_json_path(record, "settings", "precond")->valuestring;
    snprintf(name, sizeof name, "%s.mtx", nb_json_path(record, "settings", "problem")->valuestring);
    assert_ok(nb_case_set_problem(&setting, test_path(&folder, name), &why));
    assert_ok(nb_case_run_open(&run, &setting, &why));
    assert_false(nb_case_run_knows_answer(run));
    assert_ok(nb_case_run_trace(run, NULL, NULL, &result, &why));
    cJSON *part = nb_part_trace(&result);
    nb_case_result_free(&result);
    nb_case_run_close(run);
    return part;
}

static enum nb_status check_answer(void *context, const cJSON *record, struct nb_error *error)
{
    static const char *const parts[] = {"errors", "reference", "floor"};
    int *count = context;
    (void)error;
    cJSON *alone = observe_alone(record);
    for (int i = 0; i < 3; ++i)
        assert_true(cJSON_Compare(cJSON_GetObjectItemCaseSensitive(record, parts[i]),
                                  cJSON_GetObjectItemCaseSensitive(alone, parts[i]), true));
    assert_true(cJSON_IsTrue(nb_json_path(record, "reference", "converged")));
    assert_true(nb_json_path(record, "floor", "component_forward")->valuedouble > 0);
    cJSON_Delete(alone);
    ++*count;
    return NB_OK;
}

/* The exact answer of a system is found once for all its cases; they are judged as where each finds it for itself. */
TEST(a_shared_answer_judges_as_an_own_one)
{
    int count = 0;
    assert_ok(nb_store_read(test_path(&folder, "turns.jsonl"), check_answer, &count, &why));
    assert_int_equal(count, SYSTEMS * CASES);
}

static int set_up(void **state)
{
    make_folder(state);
    snprintf(order_path, sizeof order_path, "%s/order", folder.path);
    write_system("small.mtx", 4);
    write_system("large.mtx", 40);
    write_spec("ours", "interleave = problem",
               "[group krylov]\nmode = linear_system\nproblem = small.mtx, large.mtx\nlinear = pcr\n"
               "[group direct]\nmode = linear_system\nproblem = large.mtx, small.mtx\nlinear = cholesky\n");
    write_spec("theirs", "",
               "[group krylov]\nmode = linear_system\nproblem = large.mtx, small.mtx\nlinear = pcg, minres\n");
    return 0;
}

FIXTURE(set_up, remove_folder)
