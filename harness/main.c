/* The program's entry: it loads plugins, which must be known before options are checked, settles what all commands
 * rely on (one BLAS thread, its buffer, freed memory that is kept, JSON that tells of lacking memory), and calls the
 * command that the first word names (harness/cli/dispatch.c). */
#include <alloca.h>
#include <cblas.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <suitesparse/SuiteSparse_config.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/cli/supervise.h"
#include "harness/records/json.h"
#include "harness/records/output.h"
#include "harness/sweep/child.h"
#include "problems/base/large.h"
#include "problems/io/problem_file.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"

enum { MAPPED_FROM = 32 << 20, KEPT_UP_TO = 512 << 20, MEMORY_NEEDED = 512 << 20, STACK_NEEDED = 256 << 10 }; /* [B] */

/* A file that lacks what others read is told before anything does. */
static int rows_are_whole(void)
{
    struct nb_error error;
    if (!nb_registry_check_rows(&error))
        return 1;
    fprintf(stderr, "ncpbench: %s\n", error.text);
    return 0;
}

/* Takes "--plugin FILE" and "--plugin=FILE" out of the arguments and loads the files: what they
 * bring must be known before a command checks its options. Returns the number of arguments left,
 * or -1. */
static int load_plugins(int argc, char **argv)
{
    static const char option[] = "--plugin";
    const size_t length = sizeof option - 1;
    struct nb_error error;
    int left = 0;
    for (int i = 0; i < argc; ++i) {
        const char *file = NULL;
        if (!strncmp(argv[i], option, length) && argv[i][length] == '=')
            file = argv[i] + length + 1;
        else if (!strcmp(argv[i], option))
            file = ++i < argc ? argv[i] : "";
        if (!file) {
            argv[left++] = argv[i];
            continue;
        }
        nb_supervise_loading(file);
        const enum nb_status status = nb_plugin_load(file, &error);
        nb_supervise_loading(NULL);
        if (status) {
            fprintf(stderr, "ncpbench: --plugin %s\n", error.text);
            return -1;
        }
    }
    argv[left] = NULL;
    return left;
}

/* A large factor is freed and made again in every Newton step: pages that go back to the system in between
 * come anew, and zeroed, one fault each. CHOLMOD takes its own as our large arrays are taken. */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
    mallopt(M_TRIM_THRESHOLD, KEPT_UP_TO);
#endif
    SuiteSparse_config.malloc_func = nb_large_allocate;
    SuiteSparse_config.calloc_func = nb_large_zeroed;
}

static bool is_limited(int resource)
{
    struct rlimit limit;
    return !getrlimit((__rlimit_resource_t)resource, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

/* Where memory is limited, OpenBLAS gets one thread when it is loaded: each takes hundreds of MiB of address space. It
 * reads that from the environment, which only a program that starts anew can change before. */
static void restart_with_one_thread(char **argv, char **environment)
{
    static char one[] = "OPENBLAS_NUM_THREADS=1";
    const size_t name = strlen("OPENBLAS_NUM_THREADS=");
    size_t count = 0, kept = 0;
    while (environment[count])
        if (!strcmp(environment[count++], one))
            return;
    char **changed = alloca((count + 2) * sizeof *changed);
    for (size_t i = 0; i < count; ++i)
        if (strncmp(environment[i], one, name))
            changed[kept++] = environment[i];
    changed[kept++] = one;
    changed[kept] = NULL;
    execve("/proc/self/exe", argv, changed);
}

/* Before any library's own start: OpenBLAS would look for memory for good. */
static void check_memory(int argc, char **argv, char **environment)
{
    static const char text[] = "ncpbench: no memory: it needs 512 MiB of address space beyond its libraries "
                               "(ulimit -v, ulimit -d)\n";
    static const char stack[] = "ncpbench: no stack: it needs 256 KiB (ulimit -s)\n";
    struct rlimit limit;
    (void)argc;
    if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < STACK_NEEDED) {
        const ssize_t written = write(STDERR_FILENO, stack, sizeof stack - 1);
        (void)written;
        _exit(NB_EXIT_BAD_INPUT);
    }
    void *room = mmap(NULL, MEMORY_NEEDED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
        (void)written;
        _exit(NB_EXIT_BAD_INPUT);
    }
    munmap(room, MEMORY_NEEDED);
    if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA))
        restart_with_one_thread(argv, environment);
}

typedef void preinit(int argc, char **argv, char **environment);
__attribute__((section(".preinit_array"), used)) static preinit *const before_libraries = check_memory;

/* OpenBLAS makes its buffer at the first call that needs it, and spins or exits where it finds no room: so before
 * a child has its memory limited. */
static void make_blas_buffer(void)
{
    double matrix = 1, b = 1, product = 0;
    cblas_dsymv(CblasRowMajor, CblasLower, 1, 1, &matrix, 1, &b, 1, 0, &product, 1);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, 1, 1, 1, &matrix, 1, &b, 1);
}

/* Whether a program is to read what is printed, and no help is asked for. */
static bool prints_for_programs(int argc, char **argv)
{
    bool asked = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) {
        if (!strcmp(argv[i], "-h") || !strncmp(argv[i], "--help", strlen("--help")))
            return false;
        asked |= !strcmp(argv[i], "--json") || !strcmp(argv[i], "--csv");
    }
    return asked;
}

static int fail(const struct nb_error *error)
{
    fprintf(stderr, "ncpbench: %s\n", error->text);
    return NB_EXIT_BAD_INPUT;
}

static int run(int argc, char **argv)
{
    struct nb_error error;
    /* One BLAS thread for good: the bits of a factorisation must not depend on the machine, and a
     * forked child that restarted the pool would find its threads spinning. */
    openblas_set_num_threads(1);
    make_blas_buffer();
    keep_freed_memory();
    signal(SIGXFSZ, SIG_IGN); /* a write beyond ulimit -f fails, and what was begun is removed */
    nb_json_watch_memory();
    nb_problem_hdf5_silent();
    if (prints_for_programs(argc, argv) && nb_output_keep_apart(&error))
        return fail(&error);
    const int left = rows_are_whole() ? load_plugins(argc, argv) : -1;
    int code = left < 0 ? NB_EXIT_BAD_INPUT : nb_dispatch(left, argv);
    /* A table that could not be written (full disk, closed pipe) is not a success. */
    if (!nb_output_is_whole()) {
        fprintf(stderr, "ncpbench: the output could not be written\n");
        code = NB_EXIT_BAD_INPUT;
    }
    return code;
}

/* Those that are closed: files that are opened later would have their numbers. What cannot be written is told. */
static void open_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return; /* no room for files at all */
}

int main(int argc, char **argv)
{
    static const char option[] = "--plugin";
    bool plugins = false;
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); /* whatever locale a plugin sets for all threads */
    signal(SIGCHLD, SIG_DFL); /* where who started us ignores it, nobody could be told how a child has ended */
    open_streams();
    for (int i = 1; i < argc; ++i) {
        const char *value = argv[i] + sizeof option - 1;
        if (strncmp(argv[i], option, sizeof option - 1))
            continue;
        plugins = true;
        nb_supervise_sanitized(*value == '=' ? value + 1 : i + 1 < argc ? argv[i + 1] : "");
    }
    if (plugins)
        return nb_supervise(run, argc, argv);
    nb_child_adopt_orphans();
    const int code = run(argc, argv);
    nb_child_end_orphans();
    return code;
}
