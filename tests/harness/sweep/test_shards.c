/* Shards of a sweep: whole problems, each in one shard, of which alone the files are read; what Slurm's environment
 * tells, and the names of files. */
#include <sys/stat.h>

#include "harness/records/record.h"
#include "harness/sweep/shard.h"
#include "tests/support/sweep_support.h"

static const char three_problems[] = "[group a]\nproblem = box.h5, stack.h5\nsolver = nsgs, pgs\nnewton_iters = 5\n"
                                     "[group b]\nproblem = box.h5, more.h5\nsolver = admm\nnewton_iters = 5\n";

static int set_up_three(void **state)
{
    set_up(state);
    write_scene("two_boxes", "more.h5");
    return 0;
}

static enum nb_status run_shard(const char *spec, int shard, int shards, const char *results,
                                struct nb_sweep_summary *summary, struct nb_error *error)
{
    const struct nb_sweep_request request = {.spec = spec, .results = results, .jobs = 1, .shard = shard,
                                             .shards = shards};
    return nb_sweep_run(&request, summary, error);
}

/* Adds the problem of each case to those of its shard. */
static enum nb_status note_problem(void *context, const cJSON *record, struct nb_error *error)
{
    char *problems = context, name[64];
    (void)error;
    nb_record_text(record, "problem", name, sizeof name);
    strcat(strcat(problems, name), ",");
    return NB_OK;
}

/* The problems of the records of a shard's cases and floors. */
static void problems_of(const char *results, char problems[512])
{
    problems[0] = 0;
    assert_ok(nb_store_read(results, note_problem, problems, &why));
}

TEST(shards_are_whole_problems_and_together_the_sweep)
{
    const char *spec = write_spec(three_problems), *names[] = {"box,", "stack,", "more,"};
    char problems[4][512], results[160];
    int cases = 0, owners[3] = {0};
    for (int shard = 1; shard <= 4; ++shard) {
        struct nb_sweep_summary summary;
        snprintf(results, sizeof results, "%s", fresh("shard.jsonl"));
        assert_ok(run_shard(spec, shard, 4, results, &summary, &why));
        assert_int_equal(summary.run, summary.cases);
        cases += summary.cases;
        problems_of(results, problems[shard - 1]);
        for (int i = 0; i < 3; ++i)
            owners[i] += strstr(problems[shard - 1], names[i]) != NULL;
    }
    assert_int_equal(cases, 6);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(owners[i], 1);
    assert_string_equal(problems[3], ""); /* more shards than problems */
}

TEST(files_of_other_shards_are_not_read)
{
    char groups[300], results[160];
    struct nb_sweep_summary summary;
    struct nb_error error = {""};
    int refused = 0;
    test_write(test_path(&folder, "damaged.h5"), "no problem\n");
    snprintf(groups, sizeof groups, "[group a]\nproblem = box.h5, damaged.h5\nsolver = nsgs\nnewton_iters = 2\n");
    const char *spec = write_spec(groups);
    for (int shard = 1; shard <= 2; ++shard) {
        snprintf(results, sizeof results, "%s", fresh("shard.jsonl"));
        refused += run_shard(spec, shard, 2, results, &summary, &error) != NB_OK;
    }
    assert_int_equal(refused, 1);
    test_contains(error.text, "damaged.h5");
}

TEST(a_dry_run_tells_of_all_shards)
{
    char text[2048] = "";
    struct nb_sweep_summary summary;
    FILE *told = tmpfile();
    assert_non_null(told);
    const struct nb_sweep_request request = {.spec = write_spec(three_problems), .jobs = 1, .shard = 2, .shards = 2,
                                             .dry_run = told};
    assert_ok(nb_sweep_run(&request, &summary, &why));
    rewind(told);
    assert_true(fread(text, 1, sizeof text - 1, told) > 0);
    fclose(told);
    test_contains(text, "shard 2 of 2: the shards have 2 to 4 of 6 combinations, on at most 2 of 3 problems");
    test_contains(text, "by the time limits");
}

static void remove_problem(const struct nb_case *setting, int repetition)
{
    (void)setting;
    (void)repetition;
    unlink(test_path(&folder, "gone.h5"));
}

/* The file goes once the sweep has begun; records name it all the same. */
TEST(cases_read_copies_in_a_scratch_folder)
{
    char spec[160], results[160], scratch[160], kept[160];
    struct nb_sweep_summary summary;
    struct nb_error error = {""};
    write_scene("two_boxes", "gone.h5");
    snprintf(spec, sizeof spec, "%s",
             write_spec("[group a]\nproblem = gone.h5\nsolver = nsgs, pgs\nnewton_iters = 5\n"));
    snprintf(results, sizeof results, "%s", fresh("scratch.jsonl"));
    snprintf(kept, sizeof kept, "%s", test_path(&folder, "gone.h5"));
    snprintf(scratch, sizeof scratch, "%s", test_path(&folder, "scratch"));
    struct nb_sweep_request request = {.spec = spec, .results = results, .jobs = 1, .scratch = scratch,
                                       .hook = remove_problem};
    assert_int_equal(nb_sweep_run(&request, &summary, &error), NB_BAD_FILE); /* there is no such folder */
    test_contains(error.text, scratch);
    assert_int_equal(mkdir(scratch, 0777), 0);
    if (nb_sweep_run(&request, &summary, &error))
        fail_msg("%s", error.text);
    assert_int_equal(audit(results, "crashed").with_ending, 0);
    assert_int_equal(audit(results, "unsupported").with_ending, 0);
    OWNS(free_at) char *text = test_slurp(results);
    test_contains(text, kept);
    assert_null(strstr(text, scratch));
}

static void expect_shard(const char *text, int shard, int shards)
{
    int i = 0, n = 0;
    assert_ok(nb_shard_read(text, &i, &n, &why));
    assert_int_equal(i, shard);
    assert_int_equal(n, shards);
}

static void refuse_shard(const char *text, const char *reason)
{
    int i, n;
    assert_refused(nb_shard_read(text, &i, &n, &why), NB_BAD_INPUT, "--shard", reason);
}

static void set_array(const char *id, const char *count, const char *least, const char *most)
{
    setenv("SLURM_ARRAY_TASK_ID", id, 1);
    setenv("SLURM_ARRAY_TASK_COUNT", count, 1);
    setenv("SLURM_ARRAY_TASK_MIN", least, 1);
    setenv("SLURM_ARRAY_TASK_MAX", most, 1);
}

TEST(shards_are_read)
{
    expect_shard("1/1", 1, 1);
    expect_shard("8/12", 8, 12);
    refuse_shard("0/8", "allowed: 1 to 8");
    refuse_shard("9/8", "allowed: 1 to 8");
    refuse_shard("1/", "not a whole number");
    refuse_shard("/2", "not a whole number");
    refuse_shard("1/2/3", "not a whole number");
    refuse_shard("3", "expected I/N");
    unsetenv("SLURM_ARRAY_TASK_ID");
    refuse_shard("auto", "SLURM_ARRAY_TASK_ID is not set");
    set_array("0", "8", "0", "7");
    expect_shard("auto", 1, 8);
    set_array("8", "8", "1", "8");
    expect_shard("auto", 8, 8);
    set_array("7", "2", "3", "7");
    refuse_shard("auto", "gaps");
    set_array("7", "1", "7", "7"); /* of eight, run again alone */
    refuse_shard("auto", "begins at 0 or 1");
    set_array("3", "2", "3", "7"); /* the first of them, too */
    refuse_shard("auto", "gaps");
    set_array("x", "2", "3", "7");
    refuse_shard("auto", "whole number");
}

/* Tasks 1 to 3 of 8, run again, look like a whole array of 3: but parts of 8 are there. */
TEST(an_array_run_again_in_part_is_known_by_the_parts)
{
    char results[160], other[160];
    snprintf(results, sizeof results, "%s", test_path(&folder, "again.jsonl"));
    snprintf(other, sizeof other, "%s", test_path(&folder, "other.jsonl"));
    test_write(test_path(&folder, "again.5-of-8.jsonl"), "");
    test_write(test_path(&folder, "again.jsonl.txt-1-of-7"), "");
    assert_ok(nb_shard_check_parts(results, 8, &why));
    assert_refused(nb_shard_check_parts(results, 3, &why), NB_BAD_INPUT,
                   "the array has 3 tasks, but again.5-of-8.jsonl", "--shard $SLURM_ARRAY_TASK_ID/8");
    assert_ok(nb_shard_check_parts(other, 3, &why));
    assert_ok(nb_shard_check_parts("/nowhere/again.jsonl", 3, &why));
}

TEST(each_shard_has_a_file_of_its_own)
{
    char path[64];
    assert_ok(nb_shard_file("a/results.jsonl", 3, 8, path, sizeof path, &why));
    assert_string_equal(path, "a/results.3-of-8.jsonl");
    assert_int_equal(nb_shard_file_count(path), 8);
    assert_ok(nb_shard_file("results", 3, 8, path, sizeof path, &why));
    assert_string_equal(path, "results.3-of-8");
    assert_int_equal(nb_shard_file_count(path), 8);
    assert_int_equal(nb_shard_file_count("results.jsonl"), 0);
    assert_int_equal(nb_shard_file_count("one-of-8-files/results.jsonl"), 0);
    assert_int_equal(nb_shard_file("results.jsonl", 3, 8, path, 12, &why), NB_BAD_INPUT);
}

FIXTURE(set_up_three, remove_folder)
