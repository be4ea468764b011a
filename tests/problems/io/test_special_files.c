/* Devices, pipes and the program's own output in place of files: refused at once, in one line that names
 * them and what they are. */
#include "tests/support/program.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define ZERO "/dev/zero: is a character device, not a regular file"
#define FULL "/dev/full: cannot be written: is a character device, not a regular file"

/* What read without end, or wrote into memory without end, meets a limit instead. */
static int set_up(void **state)
{
    const struct rlimit memory = {(rlim_t)3 << 30, (rlim_t)3 << 30}, seconds = {60, 60};
    make_folder(state);
    assert_int_equal(setrlimit(RLIMIT_CPU, &seconds), 0);
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes of addresses */
    assert_int_equal(setrlimit(RLIMIT_AS, &memory), 0);
#endif
    (void)memory;
    alarm(120);
    assert_int_equal(mkfifo(test_path(&folder, "pipe"), 0600), 0);
    expect_ok(run("export box_on_plane -o %s/box.h5", folder.path));
    return 0;
}

TEST(devices_are_not_read)
{
    static const char *const arguments[] = {
        "solve /dev/zero", "info /dev/zero", "linear /dev/zero", "judge /dev/zero",
        "export /dev/zero -o unwritten.h5", "report /dev/zero", "profile /dev/zero",
        "plot figure18 /dev/zero", "plot figure14 /dev/zero",
        "simulate arch --steps 1 --resume /dev/zero", "list --plugin /dev/zero",
    };
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; ++i)
        expect_refusal(run("%s", arguments[i]), "/dev/zero");
    expect_refusal(run("solve /dev/zero"), ZERO);
    expect_refusal(run("report /dev/zero"), ZERO);
    expect_refusal(run("plot figure18 /dev/zero"), ZERO);
}

TEST(pipes_are_not_waited_for)
{
    const char *f = folder.path;
    expect_refusal(run("solve %s/pipe", f), "/pipe: is a pipe, not a regular file");
    expect_refusal(run("report %s/pipe", f), "/pipe: is a pipe, not a regular file");
    expect_refusal(run("solve %s/box.h5 --forces %s/pipe", f, f), "is a pipe, not a regular file");
}

TEST(devices_are_not_written)
{
    static const char *const options[] = {"-o", "--vtkhdf", "--forces"};
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
        struct test_output output = run("solve %s/box.h5 %s /dev/full", folder.path, options[i]);
        assert_string_equal(output.out, ""); /* before the work */
        expect_refusal(output, FULL);
    }
    expect_refusal(run("simulate arch --steps 1 -o /dev/full"), "--output: " FULL);
    expect_refusal(run("simulate arch --steps 1 --checkpoint /dev/full"), "--checkpoint: " FULL);
    expect_refusal(run("simulate arch --steps 1 --vtkhdf /dev/full"), "--vtkhdf: " FULL);
    expect_refusal(run("closest -o /dev/full"), FULL);
    expect_refusal(run("export arch -o /dev/full"), FULL);
    expect_refusal(run("sweep x.sweep -o %s", folder.path), "is a directory, not a regular file");
}

/* A record in the file that takes the table would be overwritten by it. */
TEST(the_programs_own_output_is_not_a_target)
{
    static const char *const streams[] = {"stdout", "stderr"};
    for (size_t i = 0; i < 2; ++i) {
        expect_refusal(run("simulate box_on_plane --steps 1 -o %s/%s", folder.path, streams[i]),
                       "the program's messages go there");
        expect_refusal(run("simulate box_on_plane --steps 1 -o /dev/%s", streams[i]),
                       "the program's messages go there");
        expect_refusal(run("solve %s/box.h5 -o /dev/%s", folder.path, streams[i]),
                       "the program's messages go there");
    }
}

/* Before the work: a checkpoint that could not be written was found out by the first one. */
TEST(names_that_no_file_can_have)
{
    static const char *const options[] = {"-o", "--vtkhdf", "--checkpoint", "--matrix-market"};
    char name[301];
    memset(name, 'x', 300);
    name[300] = 0;
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i)
        expect_refusal(i ? run("export box_on_plane -o %s/new.h5 %s ''", folder.path, options[i])
                         : run("export box_on_plane -o ''"), ": the name is empty");
    for (size_t i = 0; i < 3; ++i)
        expect_refusal(i ? run("export box_on_plane -o %s/new.h5 %s %s/%s", folder.path, options[i], folder.path, name)
                         : run("export box_on_plane -o %s/%s", folder.path, name),
                       "cannot be written: File name too long");
    assert_int_not_equal(access(test_path(&folder, "new.h5"), F_OK), 0);
}

/* The limit of `ulimit -f` is met like a full disk: the signal would leave a half-written file behind. */
TEST(files_beyond_the_limit_are_not_left)
{
    struct rlimit before, tight;
    int count = 0;
    assert_int_equal(mkdir(test_path(&folder, "limited"), 0777), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = (struct rlimit){4096, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    struct test_output output = run("export arch -o %s/limited/arch.h5", folder.path);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    expect_refusal(output, "arch.h5: cannot be written: File too large");
    DIR *limited = opendir(test_path(&folder, "limited"));
    assert_non_null(limited);
    for (struct dirent *entry; (entry = readdir(limited));)
        count += entry->d_name[0] != '.';
    closedir(limited);
    assert_int_equal(count, 0);
}

/* OpenBLAS would look for its buffer for good. */
TEST(little_memory_is_told)
{
#ifdef __SANITIZE_ADDRESS__
    printf("skipped: the sanitizer reserves terabytes of addresses\n");
    skip();
#else
    static const int limits[] = {100000, 300000, 500000}; /* KiB */
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        char command[400];
        snprintf(command, sizeof command, "ulimit -S -v %d; exec %s/ncpbench list >/dev/null 2>%s/stderr", limits[i],
                 test_build(), folder.path);
        const int status = system(command);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
        OWNS(free_at) char *text = test_slurp(test_path(&folder, "stderr"));
        test_contains(text, "no memory");
    }
#endif
}

/* A link in the place of the temporary file would lead the writing elsewhere. */
TEST(a_planted_link_is_not_followed)
{
    char command[600];
    const char *f = folder.path;
    test_write(test_path(&folder, "victim"), "precious");
    snprintf(command, sizeof command, "ln -s %s/victim %s/out.h5.tmp.$$; exec %s/ncpbench export box_on_plane -o "
             "%s/out.h5 >/dev/null", f, f, test_build(), f);
    assert_int_equal(system(command), 0);
    char *text = test_slurp(test_path(&folder, "victim"));
    assert_string_equal(text, "precious");
    free(text);
    expect_ok(run("info %s/out.h5", f));
}

FIXTURE(set_up, remove_folder)
