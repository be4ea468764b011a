/* Temporary folders, small files and the program itself, for the tests of the harness. */
#ifndef NB_TEST_FILES_H
#define NB_TEST_FILES_H

#include <ftw.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test.h"

struct test_folder {
    char path[80]; /* what tests append to it fits their own 128 bytes; sockets have 108 */
};

static inline struct test_folder test_folder_make(void)
{
    struct test_folder folder;
    static const char name[] = "/ncpbench-test-XXXXXX";
    const char *parent = getenv("TMPDIR");
    const int fits = parent && *parent && strlen(parent) + sizeof name <= sizeof folder.path;
    snprintf(folder.path, sizeof folder.path, "%s%s", fits ? parent : "/tmp", name);
    assert_non_null(mkdtemp(folder.path));
    return folder;
}

static inline int test_remove_entry(const char *path, const struct stat *about, int type,
                                    struct FTW *walk)
{
    (void)about;
    (void)type;
    (void)walk;
    return remove(path);
}

static inline void test_folder_remove(const struct test_folder *folder)
{
    nftw(folder->path, test_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* "folder/name", in one of a few rotating buffers. */
static inline const char *test_path(const struct test_folder *folder, const char *name)
{
    static char text[8][256];
    static int next;
    char *path = text[next++ % 8];
    snprintf(path, sizeof text[0], "%s/%s", folder->path, name);
    return path;
}

static inline void test_write(const char *path, const char *text)
{
    FILE *file = test_open(path, "w");
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* The whole file; the caller frees. */
static inline char *test_slurp(const char *path)
{
    FILE *file = test_open(path, "r");
    size_t used = 0, room = 65536, count;
    char *text = malloc(room);
    assert_non_null(text);
    while ((count = fread(text + used, 1, room - used - 1, file)) > 0) {
        used += count;
        if (room - used < 4096) {
            text = realloc(text, room *= 2);
            assert_non_null(text);
        }
    }
    fclose(file);
    text[used] = 0;
    return text;
}

static inline int test_lines(const char *path)
{
    OWNS(free_at) char *text = test_slurp(path);
    int lines = 0;
    for (const char *c = text; *c; ++c)
        lines += *c == '\n';
    return lines;
}

/* Where the build is: BUILD as in the Makefile. */
static inline const char *test_build(void)
{
    const char *build = getenv("BUILD");
    return build && *build ? build : "build";
}

struct test_output {
    int code;   /* exit status; 128 + number for a signal */
    char *out, *err;
};

/* Runs build/ncpbench with the arguments (shell syntax), output captured. */
static inline struct test_output test_run(const struct test_folder *folder, const char *arguments)
{
    char command[2048];
    struct test_output output;
    snprintf(command, sizeof command, "%s/ncpbench %s >%s/stdout 2>%s/stderr", test_build(),
             arguments, folder->path, folder->path);
    const int status = system(command);
    assert_true(status != -1);
    output.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    output.out = test_slurp(test_path(folder, "stdout"));
    output.err = test_slurp(test_path(folder, "stderr"));
    return output;
}

static inline void test_output_free(struct test_output *output)
{
    free(output->out);
    free(output->err);
}

/* Fails with the whole text where it lacks a part. */
static inline void test_contains(const char *text, const char *part)
{
    if (*part && !strstr(text, part))
        fail_msg("\"%s\" is missing in:\n%s", part, text);
}

/* A text that holds these parts; frees it. */
#define test_says(text, ...) test_says_parts(text, (const char *const[]){__VA_ARGS__, NULL})

static inline void test_says_parts(char *text, const char *const *parts)
{
    for (; *parts; ++parts)
        test_contains(text, *parts);
    free(text);
}

#endif
