/* The program's entry: it loads plugins, which must be known before options are checked, settles what all commands
 * rely on (one BLAS thread, its buffer, freed memory that is kept, JSON that tells of lacking memory), and calls the
 * subcommand that the first word names. */
#include <alloca.h>
#include <cblas.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/cli/supervise.h"
#include "harness/records/json.h"
#include "harness/records/provenance.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"

static const struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"list", "what is compiled in: scenes, solvers, NCP functions, ...", nb_command_list},
    {"scenes", "describe scenes; --table: count what they have", nb_command_scenes},
    {"export", "simulate a scene and write one step to a file", nb_command_export},
    {"info", "describe a problem file", nb_command_info},
    {"solve", "solve one step and judge every iteration", nb_command_solve},
    {"linear", "solve one stored Newton system", nb_command_linear},
    {"simulate", "run a scene over time", nb_command_simulate},
    {"iterations", "count the iterations of a scene's time steps", nb_command_iterations},
    {"spectrum", "fill and eigenvalues of a step's Delassus matrix", nb_command_spectrum},
    {"conditioning", "condition numbers of primal and dual systems", nb_command_conditioning},
    {"sweep", "run all cases of a spec and record them", nb_command_sweep},
    {"report", "tables from the records", nb_command_report},
    {"compare", "is B faster than A? with confidence intervals", nb_command_compare},
    {"profile", "performance and data profiles", nb_command_profile},
    {"plot", "figures from the records", nb_command_plot},
};

enum { MAPPED_FROM = 32 << 20, KEPT_UP_TO = 512 << 20, MEMORY_NEEDED = 512 << 20 }; /* bytes */
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *stream)
{
    fprintf(stream, "usage: ncpbench COMMAND ...\n\n"
                    "A benchmark harness for solvers of frictional contact.\n\n");
    for (int i = 0; i < COMMANDS; ++i)
        fprintf(stream, "  %-12s %s\n", commands[i].name, commands[i].summary);
    fprintf(stream, "\n  ncpbench COMMAND --help   options, defaults, ranges, an example\n"
                    "  ncpbench --version        version, commit, compiler, libraries\n"
                    "  ncpbench COMMAND ... --plugin NAME.so   with a strategy of your own "
                    "(repeatable)\n");
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS + 1];
    char known[300];
    for (int i = 0; i < COMMANDS; ++i)
        names[i] = commands[i].name;
    names[COMMANDS] = NULL;
    nb_suggest(names, name, known, sizeof known);
    fprintf(stderr, "ncpbench: unknown command \"%s\"; %s\n", name, known);
    return NB_EXIT_BAD_INPUT;
}

/* A file that lacks what others read is told before anything does. */
static int rows_are_whole(void)
{
    struct nb_error error;
    if (!nb_registry_check_rows(&error))
        return 1;
    fprintf(stderr, "ncpbench: %s\n", error.text);
    return 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return NB_EXIT_BAD_INPUT;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return NB_EXIT_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        nb_provenance_print(stdout);
        return NB_EXIT_OK;
    }
    for (int i = 0; i < COMMANDS; ++i)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    return unknown_command(argv[1]);
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
 * come anew, and zeroed, one fault each. */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
    mallopt(M_TRIM_THRESHOLD, KEPT_UP_TO);
#endif
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
    (void)argc;
    void *room = mmap(NULL, MEMORY_NEEDED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        const ssize_t told = write(STDERR_FILENO, text, sizeof text - 1);
        (void)told;
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

static int run(int argc, char **argv)
{
    /* One BLAS thread for good: the bits of a factorisation must not depend on the machine, and a
     * forked child that restarted the pool would find its threads spinning. */
    openblas_set_num_threads(1);
    make_blas_buffer();
    keep_freed_memory();
    signal(SIGXFSZ, SIG_IGN); /* a write beyond ulimit -f fails, and what was begun is removed */
    nb_json_watch_memory();
    const int left = rows_are_whole() ? load_plugins(argc, argv) : -1;
    int code = left < 0 ? NB_EXIT_BAD_INPUT : dispatch(left, argv);
    /* A table that could not be written (full disk, closed pipe) is not a success. */
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "ncpbench: the output could not be written\n");
        code = NB_EXIT_BAD_INPUT;
    }
    return code;
}

int main(int argc, char **argv)
{
    bool plugins = false;
    for (int i = 1; i < argc; ++i)
        plugins |= !strncmp(argv[i], "--plugin", strlen("--plugin"));
    return plugins ? nb_supervise(run, argc, argv) : run(argc, argv);
}
