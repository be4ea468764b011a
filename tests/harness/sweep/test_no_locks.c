/* On a file system without locks, as some clusters have, a sweep is refused where a second one may write to its file;
 * a shard has a file of its own, and goes on. Here fcntl is that of such a file system where a test says so. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/sweep_support.h"

static int lock_error; /* 0: locks work */

int fcntl(int descriptor, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (lock_error && command == F_OFD_SETLK) {
        errno = lock_error;
        return -1;
    }
    return (int)syscall(SYS_fcntl, descriptor, command, argument);
}

static const char groups[] = "[group a]\nproblem = box.h5\nsolver = nsgs\nnewton_iters = 5\n";

static enum nb_status run_shards(const char *results, int shards, int number, struct nb_sweep_summary *summary,
                                 struct nb_error *error)
{
    const struct nb_sweep_request request = {.spec = write_spec(groups), .results = results, .jobs = 1,
                                             .shard = shards, .shards = shards};
    lock_error = number;
    const enum nb_status status = nb_sweep_run(&request, summary, error);
    lock_error = 0;
    return status;
}

TEST(undivided_sweep_is_refused_without_locks)
{
    static const int errors[] = {ENOLCK, ENOSYS, EOPNOTSUPP};
    struct nb_sweep_summary summary;
    char results[160];
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
        snprintf(results, sizeof results, "%s", fresh("unlocked.jsonl"));
        assert_refused(run_shards(results, 0, errors[i], &summary, &why), NB_BAD_FILE,
                       "unlocked.jsonl: its file system has no locks (", "--shard 1/1");
        assert_int_equal(access(results, F_OK), -1); /* nothing was begun */
    }
}

TEST(shard_goes_on_without_locks)
{
    struct nb_sweep_summary summary;
    char results[160];
    snprintf(results, sizeof results, "%s", fresh("unlocked.1-of-1.jsonl"));
    for (int again = 0; again < 2; ++again) {
        assert_ok(run_shards(results, 1, ENOLCK, &summary, &why));
        assert_int_equal(summary.run, !again);
        assert_int_equal(summary.reused, again);
    }
}

/* A file that is locked is refused to a shard, too. */
TEST(lock_that_another_holds_is_none_that_is_missing)
{
    struct nb_sweep_summary summary;
    char results[160];
    snprintf(results, sizeof results, "%s", fresh("held.jsonl"));
    assert_refused(run_shards(results, 1, EAGAIN, &summary, &why), NB_BAD_FILE,
                   "another sweep or merge is writing to it");
}

FIXTURE(set_up, remove_folder)
