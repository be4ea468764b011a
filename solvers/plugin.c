/* A plugin is a shared library with strategies named after its file; each precision's driver takes what the library
 * has for it, once its layout of the slots' structs agrees with the program's. */
#include "solvers/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "problems/base/hash.h"
#include "problems/io/regular_file.h"
#include "solvers/arithmetic.h"
#include "solvers/driver/driver.h"
#include "solvers/registry.h"

enum { PLUGINS = 32, LENGTH = 48 };

/* One strategy that came from outside. The objects stay loaded until the program ends. */
struct strategy {
    char kind[16], name[LENGTH], hash[NB_SHORT_HASH_SIZE];
    char finding[200]; /* of its trial; "" before */
};
static struct strategy strategies[PLUGINS];
static int count;
static char files[PLUGINS][PATH_MAX];
static int file_count;

const char *nb_plugin_file(int index)
{
    return index < file_count ? files[index] : NULL;
}

const char *nb_plugin_hash(const char *kind, const char *name)
{
    const size_t length = nb_settings_name_length(name);
    for (int i = 0; i < count; ++i)
        if (!strcmp(strategies[i].kind, kind) && strlen(strategies[i].name) == length &&
            !memcmp(strategies[i].name, name, length))
            return strategies[i].hash;
    return NULL;
}

void nb_plugin_note_finding(const char *precond, const char *finding)
{
    for (int i = 0; i < count; ++i)
        if (!strcmp(strategies[i].kind, "precond") && !strcmp(strategies[i].name, precond))
            snprintf(strategies[i].finding, sizeof strategies[i].finding, "%s", finding);
}

const char *nb_plugin_finding(const char *precond)
{
    const size_t length = nb_settings_name_length(precond);
    for (int i = 0; i < count; ++i)
        if (!strcmp(strategies[i].kind, "precond") && strlen(strategies[i].name) == length &&
            !memcmp(strategies[i].name, precond, length) && strategies[i].finding[0])
            return strategies[i].finding;
    return NULL;
}

const char *nb_plugin_precond(int index)
{
    for (int i = 0; i < count; ++i)
        if (!strcmp(strategies[i].kind, "precond") && index-- == 0)
            return strategies[i].name;
    return NULL;
}

static enum nb_status stem_of(const char *path, char *stem, struct nb_error *error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const size_t length = strlen(name);
    if (length < 4 || length - 3 >= LENGTH || strcmp(name + length - 3, ".so") != 0)
        return nb_fail(error, NB_BAD_INPUT, "%s: a plugin is a shared object NAME.so, with a name of "
                       "1 to %d characters", path, LENGTH - 1);
    memcpy(stem, name, length - 3);
    stem[length - 3] = '\0';
    return NB_OK;
}

/* The bytes that the headers of a shared object promise; 0: it is none that this machine could run. */
static uint64_t promised_bytes(FILE *file)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    if (fread(&header, sizeof header, 1, file) != 1 || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof segment ||
        fseek(file, (long)header.e_phoff, SEEK_SET))
        return 0;
    uint64_t most = sizeof header;
    for (int i = 0; i < header.e_phnum; ++i) {
        if (fread(&segment, sizeof segment, 1, file) != 1)
            return UINT64_MAX;
        const uint64_t end = segment.p_offset + segment.p_filesz;
        most = end > most ? end : most;
    }
    return most;
}

/* dlopen maps what the headers say: a file that was cut off would end the program with a bus error. */
static enum nb_status check_whole(const char *path, struct nb_error *error)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &about)) {
        const enum nb_status status = nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(errno));
        if (file)
            fclose(file);
        return status;
    }
    const uint64_t bytes = promised_bytes(file);
    fclose(file);
    if (!bytes)
        return nb_fail(error, NB_BAD_FILE, "%s: not a shared object of 64 bits", path);
    if (bytes > (uint64_t)about.st_size)
        return nb_fail(error, NB_BAD_FILE, "%s: a shared object that is cut off", path);
    return NB_OK;
}

/* What is the whole process' and what a library's constructor may change. Signals are those by which children and
 * files tell, and users ask. */
struct process_state {
    int folder;
    mode_t mask;
    locale_t locale;
    sigset_t blocked;
    struct sigaction action[7];
    cpu_set_t cores; /* none: there are more than such a set has place for */
    struct itimerval timer[3];
    struct rlimit limit[RLIM_NLIMITS];
};
static const int signals[] = {SIGCHLD, SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGCONT};
static const __itimer_which_t timers[3] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

static int open_folder(void) { return open(".", O_PATH | O_DIRECTORY | O_CLOEXEC); }

static void return_to_folder(int folder)
{
    if (folder < 0)
        return;
    const int trouble = fchdir(folder); /* a folder that is gone */
    (void)trouble;
    close(folder);
}

static void keep_state(struct process_state *state)
{
    state->folder = open_folder();
    state->mask = umask(0);
    umask(state->mask);
    state->locale = uselocale((locale_t)0);
    pthread_sigmask(SIG_SETMASK, NULL, &state->blocked);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
        sigaction(signals[i], NULL, &state->action[i]);
    if (sched_getaffinity(0, sizeof state->cores, &state->cores))
        CPU_ZERO(&state->cores);
    for (int i = 0; i < 3; ++i)
        getitimer(timers[i], &state->timer[i]);
    for (int i = 0; i < RLIM_NLIMITS; ++i)
        getrlimit((__rlimit_resource_t)i, &state->limit[i]);
}

/* False: it lowered one for good, as only who may raise limits can undo. */
static bool restore_limits(const struct process_state *state)
{
    bool whole = true;
    for (int i = 0; i < RLIM_NLIMITS; ++i) {
        const __rlimit_resource_t resource = (__rlimit_resource_t)i;
        struct rlimit now;
        if (!setrlimit(resource, &state->limit[i]) || getrlimit(resource, &now))
            continue;
        whole = false;
        now.rlim_cur = now.rlim_max < state->limit[i].rlim_cur ? now.rlim_max : state->limit[i].rlim_cur;
        setrlimit(resource, &now);
    }
    return whole;
}

/* False: not all of it can be put back. */
static bool restore_state(struct process_state *state)
{
    return_to_folder(state->folder);
    umask(state->mask);
    uselocale(state->locale);
    pthread_sigmask(SIG_SETMASK, &state->blocked, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
        sigaction(signals[i], &state->action[i], NULL);
    if (CPU_COUNT(&state->cores))
        sched_setaffinity(0, sizeof state->cores, &state->cores);
    for (int i = 0; i < 3; ++i)
        setitimer(timers[i], &state->timer[i], NULL);
    return restore_limits(state);
}

int nb_plugin_keep_folder(void) { return count ? open_folder() : -1; }

void nb_plugin_restore_folder(int folder) { return_to_folder(folder); }

/* dlopen looks for a bare name in the system's folders; the user means a file. */
static void *open_object(const char *path, struct nb_error *error)
{
    struct process_state state;
    char *full = realpath(path, NULL);
    if (!full) {
        nb_fail(error, NB_BAD_FILE, "%s: %s", path, strerror(errno));
        return NULL;
    }
    keep_state(&state);
    void *handle = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    if (!restore_state(&state))
        fprintf(stderr, "note: %s lowers a limit of the program for good when it is loaded (setrlimit)\n", path);
    if (!handle)
        nb_fail(error, NB_BAD_FILE, "%s: %s", path, dlerror());
    free(full);
    const char *changed = nb_arithmetic_restore(); /* a constructor of what is linked with -ffast-math */
    if (changed)
        fprintf(stderr, "note: %s changes the arithmetic of the program when it is loaded, and it is put back: %s\n",
                path, changed);
    return handle;
}

static enum nb_status note(const char *kind, const char *name, const char *hash,
                           struct nb_error *error)
{
    if (count == PLUGINS)
        return nb_fail(error, NB_UNSUPPORTED, "more than %d strategies from plugins", PLUGINS);
    if (strlen(name) >= LENGTH)
        return nb_fail(error, NB_BAD_FILE, "the plugin's name \"%.60s\" is too long", name);
    struct strategy *strategy = &strategies[count++];
    snprintf(strategy->kind, sizeof strategy->kind, "%s", kind);
    snprintf(strategy->name, sizeof strategy->name, "%s", name);
    memcpy(strategy->hash, hash, sizeof strategy->hash);
    return NB_OK;
}

/* Every precision has to provide the same strategies. */
static enum nb_status adopt(const char *path, void *handle, const char *stem, const char *hash,
                            struct nb_error *error)
{
    const struct nb_driver *driver;
    for (size_t p = 0; (driver = nb_driver_at(p)); ++p) {
        struct nb_registry_row added[8];
        int found = 0;
        enum nb_status status = driver->adopt(handle, stem, path, added, &found, error);
        for (int i = 0; !status && p == 0 && i < found; ++i)
            status = note(added[i].kind, added[i].name, hash, error);
        if (status)
            return status;
    }
    return NB_OK;
}

enum nb_status nb_plugin_load(const char *path, struct nb_error *error)
{
    char stem[LENGTH], hash[NB_SHORT_HASH_SIZE]; /* two builds of a plugin are two methods, as far as records go */
    struct nb_content content = {NULL, 0};
    enum nb_status status = stem_of(path, stem, error);
    if (!status)
        status = nb_content_add(&content, path, error);
    if (!status)
        status = nb_hash(content.bytes, content.size, hash, sizeof hash, error);
    nb_content_free(&content);
    if (!status)
        status = check_whole(path, error);
    if (status)
        return status;
    void *handle = open_object(path, error);
    if (!handle)
        return NB_BAD_FILE;
    status = adopt(path, handle, stem, hash, error);
    if (status)
        dlclose(handle);
    else if (file_count < PLUGINS)
        snprintf(files[file_count++], sizeof files[0], "%s", path);
    return status;
}

enum nb_status nb_plugin_probe(const char *precond, const char *precision, const struct nb_csr *matrix,
                               struct nb_error *error)
{
    const struct nb_driver *driver = nb_driver_find(precision);
    return driver ? driver->probe(precond, matrix, error)
                  : nb_fail(error, NB_BAD_INPUT, "unknown precision %s", precision);
}
