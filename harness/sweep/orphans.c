/* What ended children leave behind comes to this process, where it has made itself their subreaper, and is found in the
 * system's list of its children: all but those that were started here, or by the program that this process was before
 * exec. The children of a killed one come next, until none is left. */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/sweep/child.h"

enum { STRANGERS_MOST = 64 };
static pid_t stranger[STRANGERS_MOST]; /* children of the program that this process was before exec */
static int strangers;

static bool is_stranger(pid_t pid)
{
    int i = 0;
    while (i < strangers && stranger[i] != pid)
        ++i;
    return i < strangers;
}

/* The list of a process's children; NULL: the system does not tell. */
static FILE *open_children(pid_t parent)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    return fopen(path, "r");
}

int nb_child_find_children(pid_t parent, pid_t *pid, int most)
{
    int count = 0;
    FILE *file = open_children(parent);
    if (!file)
        return 0;
    while (count < most && fscanf(file, "%d", &pid[count]) == 1)
        ++count;
    fclose(file);
    return count;
}

void nb_child_adopt_orphans(void)
{
    int pid;
    FILE *file = open_children(getpid());
    strangers = 0;
    if (!file)
        return;
    while (strangers < STRANGERS_MOST && fscanf(file, "%d", &pid) == 1)
        stranger[strangers++] = pid;
    fclose(file);
    if (strangers < STRANGERS_MOST)
        prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* A child of this process that neither nb_child_start nor who was here before has started; 0: none. */
static pid_t find_orphan(void)
{
    int pid = 0;
    FILE *file = open_children(getpid());
    if (!file)
        return 0;
    while (fscanf(file, "%d", &pid) == 1 && (nb_child_is_living(pid) || is_stranger(pid)))
        pid = 0;
    fclose(file);
    return pid;
}

void nb_child_end_orphans(void)
{
    int reaps = 0;
    pid_t pid;
    if (prctl(PR_GET_CHILD_SUBREAPER, &reaps) || !reaps)
        return;
    while ((pid = find_orphan()) > 0 && !kill(pid, SIGKILL))
        waitpid(pid, NULL, 0);
}
