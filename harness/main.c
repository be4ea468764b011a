/* The program's entry: it loads plugins, which must be known before options are checked, settles what all commands
 * rely on (one BLAS thread, its buffer, freed memory that is kept, JSON that tells of lacking memory), and calls the
 * subcommand that the first word names. */
#include <cblas.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
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

enum { MAPPED_FROM = 32 << 20, KEPT_UP_TO = 512 << 20 }; /* bytes */
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
        } else if (nb_plugin_load(file, &error)) {
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

/* OpenBLAS makes its buffer at the first call that needs it, and spins or exits where it finds no room: so before
 * a child has its memory limited. */
static void make_blas_buffer(void)
{
    double matrix = 1, b = 1, product = 0;
    cblas_dsymv(CblasRowMajor, CblasLower, 1, 1, &matrix, 1, &b, 1, 0, &product, 1);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, 1, 1, 1, &matrix, 1, &b, 1);
}

int main(int argc, char **argv)
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
