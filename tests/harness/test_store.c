/* The results file: whole lines, torn ends, one writer. */
#include "tests/support/folder.h"
#include "tests/support/tally.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "harness/records/json.h"
#include "harness/records/store.h"

/* So that what finds no memory gets NULL there too. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

static enum nb_status count_entry(void *context, const cJSON *json, struct nb_error *error)
{
    struct tally *tally = context;
    (void)error, (void)json;
    ++tally->entries;
    return NB_OK;
}

static struct nb_store *open_store(const char *path, struct tally *tally)
{
    struct nb_store *store;
    *tally = (struct tally){0};
    assert_ok(nb_store_open(&store, path, count_record, count_entry, tally, &why));
    return store;
}

static void append(struct nb_store *store, int n, int to_journal)
{
    cJSON *json = cJSON_CreateObject();
    struct nb_error error = {""};
    cJSON_AddNumberToObject(json, "n", n);
    if (to_journal ? nb_store_append_journal(store, json, &error)
                   : nb_store_append(store, json, &error))
        fail_msg("%s", error.text);
    cJSON_Delete(json);
}

TEST(records_and_journal_come_back)
{
    struct tally tally;
    const char *path = test_path(&folder, "a.jsonl");
    struct nb_store *store = open_store(path, &tally);
    assert_int_equal(tally.records + tally.entries, 0);
    append(store, 1, 0);
    append(store, 2, 1);
    append(store, 3, 1);
    nb_store_close(store);
    store = open_store(path, &tally);
    assert_int_equal(tally.records, 1);
    assert_int_equal(tally.entries, 2);
    assert_true(tally.last == 1);
    assert_ok(nb_store_finish(store, &why));
    nb_store_close(store);
    assert_int_not_equal(access(test_path(&folder, "a.jsonl.journal"), F_OK), 0);
}

/* Every way to tear the last line of three: cut at any byte. */
TEST(any_torn_end_loses_only_the_last_line)
{
    const char whole[] = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";
    const char *path = test_path(&folder, "torn.jsonl");
    char text[sizeof whole];
    for (size_t length = 0; length < sizeof whole; ++length) {
        struct tally tally;
        snprintf(text, length + 1, "%s", whole);
        test_write(path, text);
        struct nb_store *store = open_store(path, &tally);
        const int complete = (int)((length + 1) / 8); /* the end of the line is no part of a record */
        assert_int_equal(tally.records, complete);
        append(store, 9, 0);
        nb_store_close(store);
        store = open_store(path, &tally);
        assert_int_equal(tally.records, complete + 1);
        assert_true(tally.last == 9);
        nb_store_close(store);
    }
}

/* The file has so many records, and takes another one. */
static void expect_to_go_on(const char *path, int records)
{
    struct tally tally;
    struct nb_store *store = open_store(path, &tally);
    assert_int_equal(tally.records, records);
    append(store, 9, 0);
    nb_store_close(store);
    nb_store_close(open_store(path, &tally));
    assert_int_equal(tally.records, records + 1);
}

/* What some file systems leave after a power cut. */
TEST(zeros_at_the_end_are_cut_off)
{
    const char *path = test_path(&folder, "zeros.jsonl");
    test_write(path, "{\"n\":1}\n");
    assert_int_equal(truncate(path, 8 + 64), 0);
    expect_to_go_on(path, 1);
}

TEST(blank_lines_are_passed_over)
{
    const char *path = test_path(&folder, "blank.jsonl");
    test_write(path, "\n{\"n\":1}\n \t\n{\"n\":2}\n\n");
    expect_to_go_on(path, 2);
}

/* The journal is a cache: whatever is in its place, the sweep goes on. */
TEST(a_damaged_journal_is_set_aside)
{
    static const char *const damages[] = {"notes\n", "{\"n\":1}\nnot json\n{\"n\":2}\n"};
    const char *path = test_path(&folder, "aside.jsonl");
    char journal[160], aside[176];
    struct tally tally;
    snprintf(journal, sizeof journal, "%s.journal", path);
    snprintf(aside, sizeof aside, "%s.damaged", journal);
    for (int i = 0; i < 2; ++i) {
        test_write(journal, damages[i]);
        struct nb_store *store = open_store(path, &tally);
        assert_int_equal(tally.entries, i);
        append(store, 7, 1);
        nb_store_close(store);
        char *text = test_slurp(aside);
        assert_string_equal(text, damages[i]);
        free(text);
        nb_store_close(open_store(path, &tally));
        assert_int_equal(tally.entries, 1);
    }
    unlink(journal);
    unlink(aside);
    assert_int_equal(mkdir(journal, 0700), 0);
    struct nb_store *store = open_store(path, &tally);
    append(store, 1, 1);
    append(store, 1, 0);
    nb_store_close(store);
    rmdir(journal);
    rmdir(aside);
}

/* The results file is not what was written any more: said, not overlooked. */
TEST(a_file_that_others_change_is_an_error)
{
    const char *path = test_path(&folder, "taken.jsonl");
    for (int change = 0; change < 4; ++change) {
        struct tally tally;
        cJSON *json = cJSON_CreateObject();
        struct nb_store *store = open_store(path, &tally);
        append(store, 1, 0);
        if (change == 0)
            assert_int_equal(unlink(path), 0);
        else if (change == 1)
            assert_int_equal(truncate(path, 3), 0);
        else if (change == 2)
            assert_int_equal(truncate(path, 4096), 0);
        else
            assert_int_equal(rename(path, test_path(&folder, "elsewhere")), 0);
        path = test_path(&folder, "taken.jsonl");
        assert_refused(nb_store_append(store, json, &why), NB_BAD_FILE, "while the sweep was running");
        assert_int_equal(nb_store_finish(store, &why), NB_BAD_FILE);
        nb_store_close(store);
        cJSON_Delete(json);
        unlink(path);
    }
}

static enum nb_status keep_text(void *context, const cJSON *json, struct nb_error *error)
{
    (void)error;
    snprintf(context, 64, "%s", nb_json_string(json, "text"));
    return NB_OK;
}

TEST(no_control_character_comes_out_of_a_file)
{
    char text[64] = "";
    const char *path = test_path(&folder, "escape.jsonl");
    test_write(path, "{\"text\":\"a\\u001b]0;b\\u0007\\nc\\u007fd\\u009be\"}\n");
    assert_int_equal(nb_store_read(path, keep_text, text, NULL), NB_OK);
    assert_string_equal(text, "a?]0;b??c?d??e");
}

TEST(torn_journal_is_cut_too)
{
    struct tally tally;
    test_write(test_path(&folder, "j.jsonl.journal"), "{\"n\":1}\n{\"n\":");
    struct nb_store *store = open_store(test_path(&folder, "j.jsonl"), &tally);
    assert_int_equal(tally.entries, 1);
    append(store, 2, 1);
    nb_store_close(store);
    nb_store_close(open_store(test_path(&folder, "j.jsonl"), &tally));
    assert_int_equal(tally.entries, 2);
}

TEST(damage_in_the_middle_is_an_error_with_its_line)
{
    struct nb_store *store;
    struct tally tally = {0};
    const char *path = test_path(&folder, "bad.jsonl");
    test_write(path, "{\"n\":1}\nnot json\n{\"n\":3}\n");
    assert_refused(nb_store_read(path, count_record, &tally, &why), NB_BAD_FILE, "bad.jsonl:2: not a JSON object");
    assert_int_equal(nb_store_open(&store, path, count_record, count_entry, &tally, &why), NB_BAD_FILE);
    assert_null(store);
    assert_int_equal(test_lines(path), 3); /* untouched */
    /* As where a file without a last newline was joined to another one: neither is overlooked. */
    test_write(path, "{\"n\":1}{\"n\":2}\n{\"n\":3}\n");
    assert_refused(nb_store_read(path, count_record, &tally, &why), NB_BAD_FILE,
                   "bad.jsonl:1: not a JSON object, or more than one");
    /* A file of somebody else's, with and without a last newline, is not cut either. */
    test_write(path, "notes");
    assert_int_equal(nb_store_open(&store, path, count_record, count_entry, &tally, &why), NB_BAD_FILE);
    test_write(path, "{notes}\n");
    assert_int_equal(nb_store_open(&store, path, count_record, count_entry, &tally, &why), NB_BAD_FILE);
    assert_int_equal(test_lines(path), 1);
}

TEST(reading_changes_nothing)
{
    struct tally tally = {0};
    const char *path = test_path(&folder, "read.jsonl");
    test_write(path, "{\"n\":1}\n{\"n\":2");
    assert_ok(nb_store_read(path, count_record, &tally, &why));
    assert_int_equal(tally.records, 1);
    char *text = test_slurp(path);
    assert_string_equal(text, "{\"n\":1}\n{\"n\":2");
    free(text);
    /* As a script joins records: nothing follows the last one. */
    const struct tally none = {0};
    tally = none;
    test_write(path, "{\"n\":1}\n{\"n\":2}");
    assert_ok(nb_store_read(path, count_record, &tally, &why));
    assert_int_equal(tally.records, 2);
    text = test_slurp(path);
    assert_string_equal(text, "{\"n\":1}\n{\"n\":2}");
    free(text);
    assert_refused(nb_store_read(folder.path, count_record, &tally, &why), NB_BAD_FILE, "directory");
}

/* AddressSanitizer takes terabytes of them: no limit can be set. */
#ifdef __SANITIZE_ADDRESS__
enum { RESERVES_ADDRESSES = 1 };
#else
enum { RESERVES_ADDRESSES = 0 };
#endif

/* Bytes of address space that this process holds. */
static rlim_t address_space(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Where memory ends in the middle of a file, its rest is not taken for absent. */
TEST(line_without_memory_is_no_end)
{
    if (RESERVES_ADDRESSES || getenv("WRAPPER")) /* valgrind, which would run out of memory itself */
        skip();
    struct tally tally = {0};
    struct nb_error error;
    struct rlimit before, tight;
    const char *path = test_path(&folder, "long.jsonl");
    test_write(path, "{\"n\":1}\n");
    assert_int_equal(truncate(path, (off_t)1 << 30), 0); /* a line of zero bytes that take no space */
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    tight = (struct rlimit){address_space() + (64 << 20), before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    const enum nb_status status = nb_store_read(path, count_record, &tally, &error);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, NB_OUT_OF_MEMORY);
    test_contains(error.text, "long.jsonl");
    assert_int_equal(tally.records, 1);
    assert_int_equal(unlink(path), 0);
}

/* cJSON says nothing of a member that it finds no memory for. */
TEST(record_that_lost_a_member_is_not_written)
{
    struct tally tally;
    const char *path = test_path(&folder, "starved.jsonl");
    struct nb_store *store = open_store(path, &tally);
    cJSON *json = cJSON_CreateObject();
    nb_json_watch_memory();
    assert_null(cJSON_malloc(PTRDIFF_MAX)); /* as cJSON_AddNumberToObject would */
    assert_true(nb_json_starved());
    assert_refused(nb_store_append(store, json, &why), NB_OUT_OF_MEMORY, "starved.jsonl: no memory for a record");
    cJSON_InitHooks(NULL);
    append(store, 2, 0); /* a record made since */
    cJSON_Delete(json);
    nb_store_close(store);
    nb_store_close(open_store(path, &tally));
    assert_int_equal(tally.records, 1);
}

TEST(second_writer_is_refused)
{
    struct tally tally;
    const char *path = test_path(&folder, "lock.jsonl");
    struct nb_store *store = open_store(path, &tally), *second;
    assert_refused(nb_store_open(&second, path, count_record, count_entry, &tally, &why), NB_BAD_FILE,
                   "another sweep");
    nb_store_close(store);
    nb_store_close(open_store(path, &tally));
}

/* A write that the file-size limit cuts in its middle stands for a full disk. */
TEST(write_that_fails_leaves_no_half_line)
{
    struct nb_store *store;
    struct nb_error error;
    struct tally tally;
    struct rlimit before, tight;
    const char *path = test_path(&folder, "full.jsonl");
    char text[4000];
    cJSON *json = cJSON_CreateObject();
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    cJSON_AddStringToObject(json, "text", text);
    store = open_store(path, &tally);
    append(store, 1, 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = (struct rlimit){1000, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const enum nb_status status = nb_store_append(store, json, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, NB_BAD_FILE);
    test_contains(error.text, "full.jsonl");
    append(store, 2, 0);
    nb_store_close(store);
    nb_store_close(open_store(path, &tally));
    assert_int_equal(tally.records, 2);
    cJSON_Delete(json);
}

/* And where it is the first one, no empty file; one that was there stays. */
TEST(first_write_that_fails_leaves_no_file)
{
    struct nb_error error;
    struct tally tally = {0};
    struct rlimit before;
    char path[200], journal[220];
    snprintf(path, sizeof path, "%s", test_path(&folder, "first.jsonl"));
    snprintf(journal, sizeof journal, "%s.journal", path);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", "case");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int there = 0; there < 2; ++there) {
        if (there)
            test_write(path, "");
        struct nb_store *store = open_store(path, &tally);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, before.rlim_max}), 0);
        const enum nb_status entry = nb_store_append_journal(store, json, &error);
        const enum nb_status record = nb_store_append(store, json, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(entry, NB_BAD_FILE);
        assert_int_equal(record, NB_BAD_FILE);
        nb_store_close(store);
        assert_int_equal(access(path, F_OK) == 0, there);
        assert_int_equal(access(journal, F_OK), -1);
    }
    cJSON_Delete(json);
}

TEST(missing_folder_is_named)
{
    struct nb_store *store;
    struct tally tally;
    assert_refused(nb_store_open(&store, "/nowhere/r.jsonl", count_record, count_entry, &tally, &why), NB_BAD_FILE,
                   "/nowhere/r.jsonl: No such file");
}

/* Nobody names the journal: what a link in its place leads to is somebody else's. */
TEST(a_link_in_the_journals_place_is_not_followed)
{
    struct nb_store *store;
    struct tally tally = {0};
    char link[200];
    const char *path = test_path(&folder, "linked.jsonl"), *victim = test_path(&folder, "victim");
    snprintf(link, sizeof link, "%s.journal", path);
    test_write(victim, "{}\n");
    assert_int_equal(symlink(victim, link), 0);
    assert_ok(nb_store_open(&store, path, count_record, count_entry, &tally, &why));
    cJSON *entry = cJSON_CreateObject();
    assert_ok(nb_store_append_journal(store, entry, &why));
    cJSON_Delete(entry);
    nb_store_close(store);
    assert_int_equal(test_lines(victim), 1);
}

FIXTURE(make_folder, remove_folder)
