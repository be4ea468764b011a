/* Results files that are compressed: read like others, refused where damaged, and never written to. */
#include "tests/support/folder.h"
#include "tests/support/tally.h"

#include <sys/stat.h>
#include <zlib.h>

#include "harness/records/json.h"
#include "harness/records/store.h"

FIXTURE(make_folder, remove_folder)

/* A file of three records, compressed, of which the last bytes are left out; its size. */
static size_t write_compressed(const char *path, size_t left_out)
{
    static const char lines[] = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";
    gzFile out = gzopen(path, "w");
    assert_int_equal(gzwrite(out, lines, sizeof lines - 1), (int)sizeof lines - 1);
    assert_int_equal(gzclose(out), Z_OK);
    struct stat state;
    assert_int_equal(stat(path, &state), 0);
    assert_int_equal(truncate(path, state.st_size - (off_t)left_out), 0);
    return (size_t)state.st_size - left_out;
}

TEST(compressed_records_are_read_and_never_written_to)
{
    struct tally tally = {0};
    struct nb_store *store = NULL;
    struct stat after;
    const char *path = test_path(&folder, "records.jsonl.gz");
    const size_t size = write_compressed(path, 0);
    assert_ok(nb_store_read(path, count_record, &tally, &why));
    assert_int_equal(tally.records, 3);
    assert_true(tally.last == 3);
    assert_int_equal(nb_store_open(&store, path, count_record, count_record, &tally, &why), NB_BAD_FILE);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, size);
}

TEST(damaged_compressed_records_are_refused)
{
    for (size_t left_out = 1; left_out < 20; left_out += 6) {
        struct tally tally = {0};
        const char *path = test_path(&folder, "torn.jsonl.gz");
        write_compressed(path, left_out);
        assert_refused(nb_store_read(path, count_record, &tally, &why), NB_BAD_FILE,
                       "torn.jsonl.gz: its compressed data are damaged, or end early");
    }
}

/* Files that were put together: another member counts, and zeros that fill a tape; what is neither is not passed over,
 * or a record that somebody appended would be lost. */
static enum nb_status read_joined(const char *more, size_t size, struct tally *tally)
{
    const char *path = test_path(&folder, "joined.jsonl.gz");
    write_compressed(path, 0);
    FILE *out = fopen(path, "a");
    assert_int_equal(fwrite(more, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    *tally = (struct tally){0};
    return nb_store_read(path, count_record, tally, &why);
}

TEST(what_follows_a_compressed_part_is_read_or_refused)
{
    struct tally tally;
    char bytes[512] = "";
    const char *other = test_path(&folder, "other.jsonl.gz");
    const size_t size = write_compressed(other, 0);
    assert_ok(read_joined(bytes, sizeof bytes, &tally));
    assert_int_equal(tally.records, 3);
    FILE *in = fopen(other, "r");
    assert_int_equal(fread(bytes, 1, sizeof bytes, in), size);
    assert_int_equal(fclose(in), 0);
    assert_ok(read_joined(bytes, size, &tally));
    assert_int_equal(tally.records, 6);
    assert_refused(read_joined("{\"n\":4}\n", 8, &tally), NB_BAD_FILE, "damaged, or end early");
    assert_refused(read_joined(bytes, size - 4, &tally), NB_BAD_FILE, "damaged, or end early");
}
