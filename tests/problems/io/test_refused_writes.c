/* Writes that fail, or are refused: an old file stays as it was, and nothing is left beside it. */
#include "tests/support/io_cases.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "problems/io/replace_file.h"

static int files_in(void **state)
{
    int count = 0;
    DIR *folder = opendir(*state);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* The disk is full at several lengths: the old file stays as it was, nothing is left beside. */
TEST_IN_FOLDER(test_full_disk)
{
    OWNS(nb_problem_free) struct nb_problem problem, again;
    struct nb_error error;
    struct rlimit old, limit;
    size_t size, size_after;
    make_case(4, &problem);
    write_ok(in_folder(state, "a.h5"), &problem, NULL);
    unsigned char *before = file_bytes(in_folder(state, "a.h5"), &size);
    problem.step = 999;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (size_t room = 0; room < size; room += size / 7) {
        limit = old;
        limit.rlim_cur = room;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const enum nb_status status =
            nb_problem_write(in_folder(state, "a.h5"), &problem, NULL, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(status, NB_BAD_FILE);
        assert_non_null(strstr(error.text, "a.h5: cannot be written: File too large"));
        assert_int_equal(files_in(state), 1);
        unsigned char *after = file_bytes(in_folder(state, "a.h5"), &size_after);
        assert_int_equal(size, size_after);
        assert_memory_equal(before, after, size);
        free(after);
    }
    signal(SIGXFSZ, SIG_DFL);
    free(before);
    read_ok(in_folder(state, "a.h5"), &again);
    assert_int_equal(again.step, -3);
}

static void refuse_to_write(const char *path, const struct nb_problem *problem,
                            const struct nb_problem_extras *extras, const char *says)
{
    struct nb_error error;
    assert_int_not_equal(nb_problem_write(path, problem, extras, &error), NB_OK);
    if (!strstr(error.text, says))
        fail_msg("\"%s\" does not say \"%s\"", error.text, says);
}

TEST_IN_FOLDER(test_refused_writes)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    OWNS(free_at) double *numbers = calloc(64, sizeof *numbers);
    assert_non_null(numbers);
    make_case(0, &problem);
    refuse_to_write((const char *)*state, &problem, NULL, "is a directory");
    refuse_to_write("/dev/null", &problem, NULL, "not a regular file");
    refuse_to_write(in_folder(state, "no/such/a.h5"), &problem, NULL, "No such file");
    struct nb_problem_extras extras = {.u = numbers};
    refuse_to_write(in_folder(state, "a.h5"), &problem, &extras, "needs u and lambda");
    extras.lambda = numbers;
    numbers[3] = NAN;
    refuse_to_write(in_folder(state, "a.h5"), &problem, &extras,
                    "solution: entry 3 of lambda is nan");
    sample_text(problem.parameters[2].name, sizeof problem.parameters[2].name, "zeta");
    refuse_to_write(in_folder(state, "a.h5"), &problem, NULL, "two named zeta");
    problem.bodies.mass[1] = -1;
    refuse_to_write(in_folder(state, "a.h5"), &problem, NULL, "bodies/mass");
    assert_int_equal(files_in(state), 0);
}

/* FCLIB has no room for a lower left block that is not the transpose of V. */
TEST_IN_FOLDER(test_unmirrored_local)
{
    OWNS(nb_problem_free) struct nb_problem problem;
    make_case(6, &problem);
    problem.linear.delassus.value[problem.linear.delassus.start[12]] += 1;
    refuse_to_write(in_folder(state, "a.h5"), &problem, NULL, "not its transpose");
    assert_int_equal(files_in(state), 0);
}

static enum nb_status write_market(void **state, const struct nb_problem *problem, rlim_t room)
{
    struct nb_error error;
    struct rlimit old, limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = room;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const enum nb_status status =
        nb_problem_exchange(in_folder(state, "a.mtx"), NB_EXCHANGE_MATRIX_MARKET, problem, NULL, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    return status;
}

/* A step in several files is there with all or with none: where the disk has room for the small ones alone, and where a
 * folder has the name of the last; and an older step stays as it was. */
TEST_IN_FOLDER(a_step_in_several_files_is_written_whole_or_not)
{
    struct nb_problem problem;
    size_t size, size_after;
    sample_global(&problem, 14, 3, 4);
    assert_int_equal(mkdir(in_folder(state, "a.mu.mtx"), 0700), 0);
    assert_int_equal(write_market(state, &problem, RLIM_INFINITY), NB_BAD_FILE);
    assert_int_equal(files_in(state), 1);
    assert_int_equal(rmdir(in_folder(state, "a.mu.mtx")), 0);
    assert_int_equal(write_market(state, &problem, RLIM_INFINITY), NB_OK);
    const int whole = files_in(state);
    assert_true(whole > 4);
    unsigned char *before = file_bytes(in_folder(state, "a.M.mtx"), &size);
    problem.linear.mass.value[0] *= 2;
    assert_int_equal(unlink(in_folder(state, "a.mu.mtx")), 0);
    assert_int_equal(mkdir(in_folder(state, "a.mu.mtx"), 0700), 0);
    assert_int_equal(write_market(state, &problem, RLIM_INFINITY), NB_BAD_FILE);
    assert_int_equal(rmdir(in_folder(state, "a.mu.mtx")), 0);
    for (rlim_t room = 0; room < size; room += 60)
        assert_int_equal(write_market(state, &problem, room), NB_BAD_FILE);
    assert_int_equal(files_in(state), whole - 1);
    unsigned char *after = file_bytes(in_folder(state, "a.M.mtx"), &size_after);
    assert_int_equal(size, size_after);
    assert_memory_equal(before, after, size);
    nb_problem_free(&problem);
    free(before);
    free(after);
}

/* And where what is in the way of one comes when all are written. */
TEST_IN_FOLDER(files_that_belong_together_are_placed_together)
{
    struct nb_new_file files[2];
    char path[2][300];
    for (int i = 0; i < 2; ++i) {
        snprintf(path[i], sizeof path[i], "%s", in_folder(state, i ? "second" : "first"));
        assert_ok(nb_new_file_begin(&files[i], path[i], &why));
        fputs("text\n", files[i].stream);
        assert_ok(nb_new_file_finish(&files[i], NB_OK, &why));
    }
    assert_int_equal(mkdir(path[1], 0700), 0);
    assert_refused(nb_new_files_place(files, 2, NB_OK, &why), NB_BAD_FILE, "second: cannot be written");
    assert_int_equal(files_in(state), 1);
}
