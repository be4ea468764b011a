/* Builds the strategy: finds ncpbench-plugin beside the program, or in the source tree that it was built in, and runs
 * it; then asks the registry what came of it. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/records/installed.h"
#include "harness/sweep/probe.h"
#include "harness/try/try.h"
#include "problems/io/regular_file.h"
#include "solvers/plugin.h"
#include "solvers/registry.h"

extern char **environ;

int nb_try_run(const char *program, char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions))
        return -1;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawn(&pid, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum nb_status nb_try_data(char *path, size_t size, struct nb_error *error)
{
    return nb_installed_folder("NCPBENCH_DATA", "data", "specs and of the list of problems", path, size, error);
}

/* ncpbench-plugin, beside the program or in the tree's scripts/. */
static enum nb_status find_builder(char *path, size_t size, struct nb_error *error)
{
    char program[NB_TRY_PATH];
    nb_program_folder(program, sizeof program);
    snprintf(path, size, "%s/ncpbench-plugin", program);
    if (access(path, X_OK))
        snprintf(path, size, "%s/../scripts/ncpbench-plugin", program);
    if (access(path, X_OK))
        return nb_fail(error, NB_BAD_FILE,
                       "%s: is not there; it builds the file, and stands beside ncpbench once that is "
                       "installed",
                       path);
    return NB_OK;
}

/* The file's name without folder and suffix, and the suffix. */
static enum nb_status split_name(const char *file, char *name, size_t size, const char **suffix, struct nb_error *error)
{
    const char *slash = strrchr(file, '/'), *begin = slash ? slash + 1 : file;
    const char *dot = strrchr(begin, '.');
    const size_t length = dot ? (size_t)(dot - begin) : strlen(begin);
    if (!length || length >= size)
        return nb_fail(error, NB_BAD_INPUT, "%.200s: a strategy is named after its file, in 1 to %zu characters", file,
                       size - 1);
    memcpy(name, begin, length);
    name[length] = '\0';
    *suffix = dot ? dot : "";
    return NB_OK;
}

static enum nb_status make_folder(struct nb_try *request, struct nb_error *error)
{
    struct stat about;
    if (request->output)
        snprintf(request->folder, sizeof request->folder, "%s", request->output);
    else
        snprintf(request->folder, sizeof request->folder, "try-%s", request->name);
    if (strlen(request->folder) + 64 > sizeof request->folder)
        return nb_fail(error, NB_BAD_INPUT, "-o: a path longer than %zu characters", sizeof request->folder - 64);
    mkdir(request->folder, 0777);
    if (stat(request->folder, &about) || !S_ISDIR(about.st_mode))
        return nb_fail(error, NB_BAD_FILE, "%s: cannot be made a folder: %s", request->folder, strerror(errno));
    snprintf(request->spec, sizeof request->spec, "%.*s/try.sweep", NB_TRY_PATH - 32, request->folder);
    snprintf(request->results, sizeof request->results, "%.*s/records.jsonl", NB_TRY_PATH - 32, request->folder);
    return NB_OK;
}

static enum nb_status compile(struct nb_try *request, struct nb_error *error)
{
    char builder[NB_TRY_PATH + 32], file[NB_TRY_PATH], option[] = "-o";
    enum nb_status status = nb_check_readable(request->file, error);
    if (!status)
        status = find_builder(builder, sizeof builder, error);
    if (status)
        return status;
    snprintf(file, sizeof file, "%s", request->file);
    char *const arguments[] = {builder, file, option, request->folder, NULL};
    const int code = nb_try_run(builder, arguments);
    if (code)
        return nb_fail(error, NB_BAD_FILE, "%s: does not compile%s", request->file,
                       code < 0 ? ": the compiler could not be run" : "; what the compiler says is above");
    snprintf(request->plugin, sizeof request->plugin, "%.*s/%s.so", NB_TRY_PATH - 80, request->folder, request->name);
    return NB_OK;
}

enum nb_status nb_try_build(struct nb_try *request, struct nb_error *error)
{
    static const char *const sources[] = {".c", ".cc", ".cpp", ".cxx"};
    const char *suffix = "";
    const char *sign = strchr(request->file, '='); /* KIND=NAME */
    if (sign && !strpbrk(request->file, "./")) {
        snprintf(request->kind, sizeof request->kind, "%.*s", (int)(sign - request->file), request->file);
        request->file = sign + 1;
    }
    enum nb_status status = split_name(request->file, request->name, sizeof request->name, &suffix, error);
    if (!status)
        status = make_folder(request, error);
    if (status)
        return status;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i)
        if (!strcmp(suffix, sources[i]))
            return compile(request, error);
    if (!strcmp(suffix, ".so"))
        snprintf(request->plugin, sizeof request->plugin, "%s", request->file);
    else if (*suffix || strchr(request->file, '/'))
        return nb_fail(error, NB_BAD_INPUT,
                       "%.200s: expected a source NAME.c or NAME.cpp, a plugin NAME.so, or the name "
                       "of a strategy that is compiled in (ncpbench list)",
                       request->file);
    return NB_OK;
}

/* Kinds whose strategies can be tried. */
static const char *const kinds[] = {"precond", "linear", "ncp", "scaling", "operator", "solver"};
enum { KINDS = sizeof kinds / sizeof *kinds };

enum nb_status nb_try_find(struct nb_try *request, struct nb_error *error)
{
    const char *wanted = request->kind[0] ? nb_intern(request->kind) : NULL;
    int found = 0;
    for (int k = 0; k < KINDS; ++k) {
        if (wanted && strcmp(wanted, kinds[k]) != 0)
            continue;
        const bool there = request->plugin[0] ? nb_plugin_hash(kinds[k], request->name) != NULL
                                              : nb_registry_find(kinds[k], request->name) != NULL;
        if (there && !found++)
            snprintf(request->kind, sizeof request->kind, "%s", kinds[k]);
    }
    if (found > 1)
        return nb_fail(error, NB_BAD_INPUT,
                       "%s: there are strategies of %d kinds with this name: say which, as in %s=%s", request->file,
                       found, request->kind, request->name);
    return found ? NB_OK
                 : nb_fail(error, NB_BAD_INPUT,
                           "%.200s: no strategy of this name is compiled in; ncpbench list names them. "
                           "A file of your own ends in .c, .cpp or .so",
                           request->file);
}

void nb_try_probe(struct nb_try *request)
{
    if (!strcmp(request->kind, "precond") && request->plugin[0])
        nb_probe_precisions(request->name, request->finding, sizeof request->finding);
}
