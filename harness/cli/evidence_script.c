/* Starts python3 with a script that lies beside the program's other files, and waits for it. */
#include "harness/cli/evidence_script.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/records/installed.h"
#include "problems/base/apart.h"

void nb_script_add(struct nb_script *script, const char *word)
{
    if (script->count < NB_SCRIPT_WORDS - 1)
        script->word[script->count++] = word;
    script->word[script->count] = NULL;
}

void nb_script_add_option(struct nb_script *script, const char *option, const char *value)
{
    if (!value)
        return;
    nb_script_add(script, option);
    nb_script_add(script, value);
}

/* python3 PATH WORDS... as posix_spawn wants them. */
static enum nb_status start(const struct nb_script *script, char *path, int *status, struct nb_error *error)
{
    char *words[NB_SCRIPT_WORDS + 1] = {(char *)"python3", path};
    pid_t pid;
    for (int i = 1; i <= script->count; ++i)
        words[i + 1] = (char *)script->word[i];
    fflush(stdout);
    const int failed = nb_apart_start(&(struct nb_apart_program){.words = words, .output = STDOUT_FILENO}, &pid);
    if (failed)
        return nb_fail(error, NB_BAD_INPUT, "python3 cannot be started: %s", strerror(failed));
    *status = nb_apart_wait(pid);
    return NB_OK;
}

enum nb_status nb_script_run(const struct nb_script *script, int *code, struct nb_error *error)
{
    char folder[PATH_MAX], path[PATH_MAX + 64], program[PATH_MAX], ending[64];
    int ended = 0;
    enum nb_status status = nb_installed_folder("NCPBENCH_EVIDENCE", "scripts/evidence", "the evidence's scripts",
                                                folder, sizeof folder, error);
    if (status)
        return status;
    snprintf(path, sizeof path, "%s/%.60s", folder, script->word[0]);
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    setenv("PROGRAM", program, 1);
    status = start(script, path, &ended, error);
    if (status)
        return status;
    *code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    if (*code >= 0)
        return NB_OK;
    nb_apart_ending(ended, ending, sizeof ending);
    return nb_fail(error, NB_BAD_INPUT, "%.60s: %s", script->word[0], ending);
}
