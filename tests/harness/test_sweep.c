/* Sweeps: each case recorded exactly once and whole, and mistakes refused. */
#include "tests/support/sweep_support.h"

#include <unistd.h>

#include "problems/base/processors.h"

TEST(every_case_is_recorded_once)
{
    const char *spec = write_spec(eight), *results = fresh("once.jsonl");
    struct nb_sweep_summary summary = sweep(spec, results, NULL);
    assert_int_equal(summary.cases, EIGHT);
    assert_int_equal(summary.run, EIGHT);
    assert_true(summary.solving > 0 && summary.solving < summary.wall);
    struct audit found = audit(results, NULL);
    assert_int_equal(found.cases, EIGHT);
    assert_int_equal(found.floors, 2); /* one for each NCP function */
    assert_int_not_equal(access(test_path(&folder, "once.jsonl.journal"), F_OK), 0);
    const int lines = test_lines(results);
    summary = sweep(spec, results, NULL);
    assert_int_equal(summary.run, 0);
    assert_int_equal(summary.reused, EIGHT);
    assert_int_equal(test_lines(results), lines);
}

TEST(changed_limit_or_problem_runs_anew)
{
    char spec[160], text[1024];
    const char *results = fresh("anew.jsonl");
    snprintf(spec, sizeof spec, "%s", write_spec(eight));
    sweep(spec, results, NULL);
    snprintf(text, sizeof text, "[sweep]\nname = test\ntime_limit = 21\n%s", eight);
    test_write(spec, text);
    assert_int_equal(sweep(spec, results, NULL).run, EIGHT);
    snprintf(text, sizeof text, "[sweep]\nname = test\ntime_limit = 21\n%stol = 1e-3\n", eight);
    test_write(spec, text);
    assert_int_equal(sweep(spec, results, NULL).run, EIGHT);
    /* One byte more at the end of the problem file: HDF5 does not care, the key does. */
    FILE *file = test_open(test_path(&folder, "box.h5"), "a");
    fputc(0, file);
    fclose(file);
    assert_int_equal(sweep(spec, results, NULL).run, EIGHT);
    write_scene("box_on_plane", "box.h5");
}

struct ending {
    const char *ending, *detail;
    int given;
};

/* Gives it to the first case. */
static void give_ending(void *context, cJSON *record)
{
    struct ending *ending = context;
    if (ending->given || strcmp(nb_json_string(record, "kind"), "case"))
        return;
    cJSON_ReplaceItemInObject(record, "ending", cJSON_CreateString(ending->ending));
    cJSON_ReplaceItemInObject(record, "detail", cJSON_CreateString(ending->detail));
    ending->given = 1;
}

static void forge(const char *from, const char *to, const char *ending, const char *detail)
{
    struct ending given = {ending, detail, 0};
    rewrite(from, to, give_ending, &given);
}

/* What another machine could not run for want of a card is not what this one cannot. */
/* Jacobi's relaxation does not get there: it is timed once, and what does five times. */
TEST(a_case_that_misses_its_tolerance_is_timed_once)
{
    const char *results = fresh("missed.jsonl");
    sweep(write_spec("[group a]\nproblem = stack.h5\nsolver = proximal_newton, newton\nlinear = jacobi\n"
                     "precond = none\nnewton_iters = 50\nlinear_iters = 1\ntol = 1e-8\n"), results, NULL);
    const struct audit found = audit(results, NULL);
    assert_int_equal(found.cases, 2);
    assert_int_equal(found.misses, 1);
}

TEST(a_case_without_a_device_is_tried_again)
{
    char results[160];
    const char *spec = write_spec(eight);
    snprintf(results, sizeof results, "%s", fresh("card.jsonl"));
    sweep(spec, results, NULL);
    const char *other = fresh("forged.jsonl");
    forge(results, other, "unsupported", "cholesky has no such precision");
    assert_int_equal(sweep(spec, other, NULL).run, 0);
    forge(results, other, "unsupported", "no CUDA device (none is there)");
    const struct nb_sweep_summary summary = sweep(spec, other, NULL);
    assert_int_equal(summary.run, 1);
    assert_int_equal(summary.reused, EIGHT - 1);
}

/* A problem that is replaced, or is not there for a moment, while the sweep runs, before its cases do: no result under
 * the wrong hash, and another try once it is back. */
static void replace_problem(const struct nb_case *setting, int repetition)
{
    if (repetition < 0 && !strcmp(setting->problem, "stack"))
        write_scene("heavy_stack", "box.h5");
}

static void remove_problem(const struct nb_case *setting, int repetition)
{
    if (repetition < 0 && !strcmp(setting->problem, "stack"))
        unlink(test_path(&folder, "box.h5"));
}

TEST(a_problem_that_changes_meanwhile_is_tried_again)
{
    void (*const hooks[])(const struct nb_case *, int) = {replace_problem, remove_problem};
    char results[160], groups[400];
    snprintf(groups, sizeof groups, "[group first]\nproblem = stack.h5\nnewton_iters = 1\n%s", eight);
    for (int i = 0; i < 2; ++i) {
        snprintf(results, sizeof results, "%s", fresh("meanwhile.jsonl"));
        sweep(write_spec(groups), results, hooks[i]);
        FILE *file = fopen(results, "r");
        char *line = NULL;
        size_t room = 0;
        int failed = 0, right = 0;
        while (getline(&line, &room, file) > 0) {
            cJSON *record = cJSON_Parse(line);
            failed += cJSON_IsTrue(cJSON_GetObjectItem(record, "retry"));
            const cJSON *contacts = nb_json_path(record, "sizes", "contacts");
            right += cJSON_IsNumber(contacts) && contacts->valuedouble == 4;
            cJSON_Delete(record);
        }
        free(line);
        fclose(file);
        assert_true(failed == EIGHT && right == 0);
        write_scene("box_on_plane", "box.h5");
        assert_int_equal(sweep(write_spec(groups), results, NULL).run, failed);
    }
}

static void expect_refusal(const char *groups, const char *part)
{
    const char *spec = write_spec(groups), *results = fresh("refused.jsonl");
    const struct nb_sweep_request request = {.spec = spec, .results = results, .jobs = 1};
    struct nb_sweep_summary summary;
    struct nb_error error = {""};
    assert_int_not_equal(nb_sweep_run(&request, &summary, &error), NB_OK);
    test_contains(error.text, part);
    assert_int_not_equal(access(results, F_OK), 0);
}

TEST(mistakes_are_refused_before_anything_runs)
{
    test_write(test_path(&folder, "broken.h5"), "not HDF5");
    expect_refusal("[group a]\nproblem = box.h5\nlinear = pcx\n", "nearest");
    expect_refusal("[group a]\nproblem = absent.h5\n", "absent.h5: No such file");
    expect_refusal("[group a]\nproblem = broken.h5\n", "broken.h5");
    expect_refusal("[group a]\nproblem = box.h5\nmode = linear_system\nsystem = 0\n",
                   "holds 0 Newton systems");
}

TEST(optional_problem_may_be_missing)
{
    char groups[512];
    snprintf(groups, sizeof groups, "%soptional_problem = absent.h5\n", eight);
    const char *results = fresh("optional.jsonl");
    const struct nb_sweep_summary summary = sweep(write_spec(groups), results, NULL);
    assert_int_equal(summary.cases, EIGHT);
    assert_int_equal(summary.missing_problems, 1);
}

TEST(jobs_give_the_same_records)
{
    if (nb_processors() < 2)
        skip();
    const char *results = fresh("jobs.jsonl");
    struct nb_sweep_request request = {.spec = write_spec(eight), .results = results, .jobs = 2};
    struct nb_sweep_summary summary;
    assert_ok(nb_sweep_run(&request, &summary, &why));
    assert_int_equal(audit(results, NULL).cases, EIGHT);
    request.jobs = nb_processors() + 1;
    assert_refused(nb_sweep_run(&request, &summary, &why), NB_BAD_INPUT, "--jobs");
}

/* Errors and counts of the cases, by key. */
static enum nb_status gather(void *context, const cJSON *record, struct nb_error *error)
{
    cJSON *found = cJSON_CreateArray();
    (void)error;
    cJSON_AddItemToArray(found, cJSON_Duplicate(nb_json_member(record, "errors"), true));
    cJSON_AddItemToArray(found, cJSON_Duplicate(nb_json_member(record, "counts"), true));
    cJSON_AddItemToArray(found, cJSON_Duplicate(nb_json_member(record, "trace"), true));
    cJSON_AddItemToObject(context, nb_json_string(record, "key"), found);
    return NB_OK;
}

TEST(observers_give_the_same_records)
{
    cJSON *alone = cJSON_CreateObject(), *observed = cJSON_CreateObject();
    const char *spec = write_spec(eight), *results = fresh("alone.jsonl");
    sweep(spec, results, NULL);
    assert_ok(nb_store_read(results, gather, alone, &why));
    results = fresh("observed.jsonl");
    assert_int_equal(sweep_with(1, spec, results, NULL).run, EIGHT);
    assert_ok(nb_store_read(results, gather, observed, &why));
    assert_int_equal(audit(results, NULL).cases, EIGHT);
    assert_true(cJSON_GetArraySize(alone) > EIGHT && cJSON_Compare(alone, observed, true));
    cJSON_Delete(alone);
    cJSON_Delete(observed);
}

/* As if another run had slowed it: the first observed run of one case hangs. */
static void hang_once(const struct nb_case *setting, int repetition)
{
    const char *mark = test_path(&folder, "hung");
    if (repetition >= 0 || strcmp(setting->options.ncp, "min") || access(mark, F_OK) == 0)
        return;
    fclose(test_open(mark, "w"));
    sleep(60);
}

TEST(what_is_too_slow_beside_others_is_observed_alone)
{
    static const char two[] = "[sweep]\nname = test\nrepetitions = 5\ntime_limit = 3\n"
                              "[group a]\nproblem = box.h5\nncp = fb, min\nlinear = pcr\nprecond = none\n"
                              "newton_iters = 10\nlinear_iters = 10\n";
    const char *spec = test_path(&folder, "two.sweep"), *mark = test_path(&folder, "hung");
    test_write(spec, two);
    const char *results = fresh("beside.jsonl");
    sweep_with(1, spec, results, hang_once);
    assert_int_equal(access(mark, F_OK), 0);
    assert_int_equal(audit(results, "timed_out").with_ending, 0);
    unlink(mark);
    results = fresh("by_itself.jsonl");
    sweep(spec, results, hang_once);
    assert_int_equal(audit(results, "timed_out").with_ending, 1);
}

FIXTURE(set_up, remove_folder)
