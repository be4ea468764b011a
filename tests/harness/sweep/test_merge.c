/* Merging the files of shards: one record a case, the rule for doubles, what is missing, and what is refused. */
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

#include "harness/sweep/merge.h"
#include "harness/sweep/shard.h"
#include "tests/support/sweep_support.h"

static const char spec_text[] = "[group a]\nproblem = box.h5, stack.h5\nsolver = nsgs, pgs\nnewton_iters = 5\n";
static char spec[160], part[3][160], whole[160];

/* Two shards of a sweep, and the sweep undivided. */
static int set_up_parts(void **state)
{
    struct nb_sweep_summary summary;
    struct nb_error error = {""};
    set_up(state);
    snprintf(spec, sizeof spec, "%s", write_spec(spec_text));
    snprintf(whole, sizeof whole, "%s", test_path(&folder, "whole.jsonl"));
    for (int shard = 1; shard <= 2; ++shard)
        if (nb_shard_file(test_path(&folder, "r.jsonl"), shard, 2, part[shard], sizeof part[shard], &error) ||
            nb_sweep_run(&(struct nb_sweep_request){.spec = spec, .results = part[shard], .jobs = 1, .shard = shard,
                                                    .shards = 2}, &summary, &error))
            fail_msg("%s", error.text);
    sweep(spec, whole, NULL);
    return 0;
}

/* What a merge of files [count] says; the caller frees it. */
static char *merge(const char *const *files, int count, const char *results, bool mixed, enum nb_status expected,
                   int expected_missing)
{
    char *text = NULL;
    size_t size = 0;
    int missing = 0;
    struct nb_error error = {""};
    FILE *out = open_memstream(&text, &size);
    const struct nb_merge_request request = {.part = files, .part_count = count, .results = results, .mixed = mixed,
                                             .sweep = {.spec = spec}, .out = out};
    const enum nb_status status = nb_merge(&request, &missing, &error);
    fclose(out);
    if (status != expected)
        fail_msg("%d instead of %d: %s", (int)status, (int)expected, error.text);
    if (status) {
        free(text);
        return strdup(error.text);
    }
    assert_int_equal(missing, expected_missing);
    return text;
}

/* The records without what differs between two runs, each a text: keys, settings and results [most]. */
static int texts_of(const char *path, char *texts[], int most)
{
    static const char *const varying[] = {"times", "provenance", "peak_memory"};
    OWNS(free_at) char *line = NULL;
    size_t room = 0;
    int count = 0;
    OWNS(fclose_at) FILE *file = test_open(path, "r");
    while (getline(&line, &room, file) > 0 && count < most) {
        cJSON *record = cJSON_Parse(line);
        for (size_t i = 0; i < sizeof varying / sizeof *varying; ++i)
            cJSON_DeleteItemFromObjectCaseSensitive(record, varying[i]);
        texts[count++] = cJSON_PrintUnformatted(record);
        cJSON_Delete(record);
    }
    return count;
}

static void expect_same_records(const char *a, const char *b)
{
    char *first[16], *second[16];
    const int count = texts_of(a, first, 16);
    assert_int_equal(texts_of(b, second, 16), count);
    for (int i = 0; i < count; ++i) {
        assert_string_equal(first[i], second[i]);
        free(first[i]);
        free(second[i]);
    }
}

TEST(parts_are_the_sweep_in_its_order)
{
    const char *backwards[] = {part[2], part[1]}, *merged = fresh("merged.jsonl");
    char results[160];
    snprintf(results, sizeof results, "%s", merged);
    free(merge(backwards, 2, results, false, NB_OK, 0));
    expect_same_records(results, whole);
    free(merge(backwards, 2, results, false, NB_OK, 0)); /* again: its own records are the first part */
    expect_same_records(results, whole);
    assert_int_equal(audit(results, NULL).cases, 4);
}

TEST(what_is_missing_is_told_as_an_array)
{
    char results[160], absent[160];
    const char *files[] = {part[1], absent};
    snprintf(results, sizeof results, "%s", fresh("some.jsonl"));
    snprintf(absent, sizeof absent, "%s", test_path(&folder, "absent.2-of-2.jsonl"));
    char *text = merge(files, 2, results, false, NB_OK, 3);
    test_contains(text, "missing: 2 cases, 1 accuracy floors");
    test_contains(text, "\n--array=2\n");
    free(text);
    files[1] = part[2];
    free(merge(files, 2, results, false, NB_OK, 0));
    expect_same_records(results, whole);
}

static void set_provenance(cJSON *record, const char *name, const char *value)
{
    cJSON_ReplaceItemInObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(record, "provenance"), name,
                                           cJSON_CreateString(value));
}

static void make_newer(void *detail, cJSON *record)
{
    set_provenance(record, "date", "2999-01-01T00:00:00Z");
    cJSON_ReplaceItemInObjectCaseSensitive(record, "detail", cJSON_CreateString(detail));
}

static void make_older(void *detail, cJSON *record)
{
    make_newer(detail, record);
    set_provenance(record, "date", "1999-01-01T00:00:00Z");
}

static void make_retried(void *detail, cJSON *record)
{
    make_newer(detail, record);
    cJSON_DeleteItemFromObjectCaseSensitive(record, "retry");
    cJSON_AddBoolToObject(record, "retry", true);
}

static enum nb_status count_details(void *context, const cJSON *record, struct nb_error *error)
{
    (void)error;
    *(int *)context += !strcmp(nb_json_string(record, "detail"), "double");
    return NB_OK;
}

/* How many records of a double of part 1, read before or after it, stay. */
static int doubles_left(void (*change)(void *, cJSON *), bool before)
{
    char word[] = "double", other[160], results[160];
    int count = 0;
    snprintf(other, sizeof other, "%s", test_path(&folder, "double.1-of-2.jsonl"));
    snprintf(results, sizeof results, "%s", fresh("doubles.jsonl"));
    rewrite(part[1], other, change, word);
    const char *files[] = {before ? other : part[1], before ? part[1] : other, part[2]};
    free(merge(files, 3, results, false, NB_OK, 0));
    assert_int_equal(audit(results, NULL).cases, 4);
    assert_ok(nb_store_read(results, count_details, &count, &why));
    return count;
}

TEST(of_doubles_the_later_one_stays_unless_it_is_to_be_tried_again)
{
    assert_int_equal(doubles_left(make_newer, true), 3);
    assert_int_equal(doubles_left(make_newer, false), 3);
    assert_int_equal(doubles_left(make_older, false), 0);
    assert_int_equal(doubles_left(make_retried, false), 0);
}

static void move(void *unused, cJSON *record)
{
    (void)unused;
    set_provenance(record, "cpu", "another processor");
}

static void rebuild(void *unused, cJSON *record)
{
    (void)unused;
    set_provenance(record, "fingerprint", "0000000000000000");
}

static enum nb_status count_mixed(void *context, const cJSON *record, struct nb_error *error)
{
    int *count = context;
    (void)error;
    count[0] += !strcmp(nb_json_string(record, "mixed"), "machine");
    count[1] += !strcmp(nb_json_string(record, "mixed"), "build");
    return NB_OK;
}

static void expect_mixed(void (*change)(void *, cJSON *), const char *reason, int machines, int builds)
{
    char other[160], results[160];
    int count[2] = {0, 0};
    snprintf(other, sizeof other, "%s", test_path(&folder, "other.2-of-2.jsonl"));
    snprintf(results, sizeof results, "%s", fresh("mixed.jsonl"));
    rewrite(part[2], other, change, NULL);
    const char *files[] = {part[1], other};
    char *text = merge(files, 2, results, false, NB_BAD_INPUT, 0);
    test_contains(text, reason);
    test_contains(text, "--mixed");
    free(text);
    assert_true(access(results, F_OK) != 0); /* nothing is written */
    free(merge(files, 2, results, true, NB_OK, 0));
    free(merge(files, 2, results, true, NB_OK, 0)); /* once is enough */
    assert_ok(nb_store_read(results, count_mixed, count, &why));
    assert_int_equal(count[0], machines);
    assert_int_equal(count[1], builds);
    expect_same_records(results, results);
}

TEST(other_machines_and_builds_are_refused_or_marked)
{
    expect_mixed(move, "another kind of machine", 2, 0); /* floors have no times */
    expect_mixed(rebuild, "another build", 0, 3);
}

static void make_simulation(void *unused, cJSON *record)
{
    (void)unused;
    cJSON_ReplaceItemInObjectCaseSensitive(record, "kind", cJSON_CreateString("simulation"));
}

TEST(what_no_sweep_wrote_is_refused)
{
    char other[160];
    const char *files[] = {other};
    snprintf(other, sizeof other, "%s", test_path(&folder, "simulation.jsonl"));
    rewrite(part[1], other, make_simulation, NULL);
    OWNS(free_at) char *text = merge(files, 1, fresh("none.jsonl"), false, NB_BAD_INPUT, 0);
    test_contains(text, "a record of kind 'simulation'");
}

static void gzip_file(const char *from, const char *to)
{
    OWNS(free_at) char *text = test_slurp(from);
    gzFile out = gzopen(to, "w");
    assert_int_equal(gzwrite(out, text, (unsigned)strlen(text)), (int)strlen(text));
    assert_int_equal(gzclose(out), Z_OK);
}

/* Lines of two compressed parts stand in turn in the order of the plan. */
TEST(compressed_parts_are_joined_as_others)
{
    char first[160], second[160];
    snprintf(first, sizeof first, "%s", test_path(&folder, "first.gz"));
    snprintf(second, sizeof second, "%s", test_path(&folder, "second.gz"));
    gzip_file(part[1], first);
    gzip_file(part[2], second);
    const char *const mixes[][2] = {{first, second}, {part[1], second}, {first, part[2]}};
    for (int i = 0; i < 3; ++i) {
        const char *results = fresh("unpacked.jsonl");
        free(merge(mixes[i], 2, results, false, NB_OK, 0));
        expect_same_records(results, whole);
    }
}

/* Whoever may write to the folder may have put a link or a pipe under any name that merge would choose itself. */
TEST(what_lies_beside_the_results_is_neither_followed_nor_waited_for)
{
    char results[160], beside[200];
    const char *victim = test_path(&folder, "victim");
    const char *files[] = {part[1], part[2]};
    snprintf(results, sizeof results, "%s", fresh("beside.jsonl"));
    test_write(victim, "precious\n");
    snprintf(beside, sizeof beside, "%s.tmp.%ld", results, (long)getpid());
    assert_int_equal(symlink(victim, beside), 0);
    free(merge(files, 2, results, false, NB_OK, 0));
    OWNS(free_at) char *text = test_slurp(victim);
    assert_string_equal(text, "precious\n");
    unlink(results);
    assert_int_equal(mkfifo(beside, 0600), 0);
    free(merge(files, 2, results, false, NB_OK, 0));
    expect_same_records(results, whole);
    assert_int_not_equal(access(beside, F_OK), 0);
}

/* Each of two at the same time writes what it read, or is refused. */
TEST(two_merges_lose_no_record)
{
    for (int round = 0; round < 5; ++round) {
        char results[160];
        snprintf(results, sizeof results, "%s", fresh("both.jsonl"));
        const char *first[] = {part[1]}, *second[] = {part[2]};
        const struct nb_merge_request requests[] = {
            {.part = first, .part_count = 1, .results = results, .sweep = {.spec = spec}, .out = stderr},
            {.part = second, .part_count = 1, .results = results, .sweep = {.spec = spec}, .out = stderr}};
        pid_t child[2];
        for (int i = 0; i < 2; ++i)
            if (!(child[i] = fork())) {
                int missing;
                _exit(nb_merge(&requests[i], &missing, NULL) != NB_OK);
            }
        for (int i = 0; i < 2; ++i) {
            int code;
            assert_int_equal(waitpid(child[i], &code, 0), child[i]);
            assert_int_equal(code, 0); /* the lock is held for less than it is waited for */
        }
        expect_same_records(results, whole);
    }
}

FIXTURE(set_up_parts, remove_folder)
