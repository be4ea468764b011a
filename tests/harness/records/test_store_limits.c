/* What a results file is kept from: two writers, records that take all memory or that readers would stumble over, and
 * texts that are no JSON. */
#include "tests/support/folder.h"
#include "tests/support/tally.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "harness/records/json.h"
#include "harness/records/store.h"

/* A program that waits for the lock of a file that is replaced meanwhile gets that of the new one. */
TEST(a_lock_is_of_the_file_that_has_the_name)
{
    struct nb_store_lock lock, second;
    const char *path = test_path(&folder, "locked.jsonl"), *new = test_path(&folder, "new.jsonl");
    int begun[2];
    assert_int_equal(pipe(begun), 0);
    const pid_t child = fork(); /* before there is a lock, which it would have, too */
    if (child == 0) {
        struct stat held, named;
        struct nb_store_lock waiting;
        char byte;
        const int failed = read(begun[0], &byte, 1) != 1 || nb_store_lock(path, &waiting, NULL) ||
                           fstat(waiting.descriptor, &held) || stat(path, &named) || held.st_ino != named.st_ino ||
                           named.st_size != 3;
        _exit(failed);
    }
    assert_ok(nb_store_lock(path, &lock, &why));
    assert_refused(nb_store_lock(path, &second, &why), NB_BAD_FILE, "another sweep or merge is writing to it");
    nb_store_unlock(&second);
    assert_int_equal(write(begun[1], "", 1), 1);
    usleep(100000); /* likely it waits by now; if not, the test is easier */
    test_write(new, "{}\n");
    assert_int_equal(rename(new, path), 0);
    nb_store_unlock(&lock);
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    assert_int_equal(test_lines(path), 1);
    close(begun[0]);
    close(begun[1]);
}

/* What a lock made is removed where nothing came of it. */
TEST(a_lock_leaves_no_empty_file)
{
    struct nb_store_lock lock;
    const char *path = test_path(&folder, "unmade.jsonl");
    assert_ok(nb_store_lock(path, &lock, &why));
    nb_store_unlock(&lock);
    assert_int_not_equal(access(path, F_OK), 0);
    test_write(path, "");
    assert_ok(nb_store_lock(path, &lock, &why));
    nb_store_unlock(&lock);
    assert_int_equal(access(path, F_OK), 0);
}

/* Readers go through objects by their members' names, which an array's have not. */
TEST(an_array_where_an_object_has_to_stand_is_refused)
{
    static const char *const texts[] = {
        "{\"kind\":\"case\",\"trace\":[[]]}\n", "{\"kind\":\"case\",\"settings\":[1]}\n",
        "{\"kind\":\"simulation\",\"settings\":{\"parameters\":[{}]}}\n", "{\"kind\":\"case\",\"errors\":[]}\n"};
    const char *path = test_path(&folder, "array.jsonl");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        struct tally tally = {0};
        test_write(path, texts[i]);
        assert_refused(nb_store_read(path, count_record, &tally, &why), NB_BAD_FILE, "array.jsonl:1: ",
                       "is an array; a record has an object there");
    }
}

static void write_values(const char *path, int count)
{
    OWNS(fclose_at) FILE *file = test_open(path, "w");
    fputs("{\"n\":1,\"a\":[", file);
    for (int i = 0; i < count; ++i)
        fputs("0,", file);
    fputs("0]}\n", file);
}

/* Before it is parsed, which would take 80 bytes for each value. */
TEST(more_values_than_a_record_has_are_refused)
{
    struct tally tally = {0};
    const char *path = test_path(&folder, "values.jsonl");
    write_values(path, NB_RECORD_VALUES);
    assert_refused(nb_store_read(path, count_record, &tally, &why), NB_BAD_FILE,
                   "values.jsonl:1: a line with more than 6 million values");
    write_values(path, 1000);
    assert_ok(nb_store_read(path, count_record, &tally, &why));
    assert_int_equal(tally.records, 1);
}

FULL_TEST(a_line_longer_than_a_record_is_refused)
{
    struct tally tally = {0};
    const char *path = test_path(&folder, "long.jsonl");
    FILE *file = test_open(path, "w");
    assert_int_equal(ftruncate(fileno(file), (off_t)1 << 33), 0); /* a hole */
    fclose(file);
    assert_refused(nb_store_read(path, count_record, &tally, &why), NB_BAD_FILE,
                   "long.jsonl:1: a line with more than 160 MiB");
}

/* The name of a file may be no UTF-8, and JSON must be. */
TEST(what_is_written_is_utf_8)
{
    struct nb_store *store;
    struct tally tally = {0};
    const char *path = test_path(&folder, "latin.jsonl");
    assert_ok(nb_store_open(&store, path, count_record, NULL, &tally, &why));
    cJSON *record = cJSON_CreateObject();
    cJSON_AddStringToObject(record, "problem_file", "l\xf6ser\x1b.h5");
    assert_ok(nb_store_append(store, record, &why));
    cJSON_Delete(record);
    nb_store_close(store);
    OWNS(free_at) char *text = test_slurp(path);
    assert_string_equal(text, "{\"problem_file\":\"l?ser?.h5\"}\n");
}

FIXTURE(make_folder, remove_folder)
