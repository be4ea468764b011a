/* Others print through the C library's stdout, through another language's library, or to descriptor 1 itself: so the
 * descriptor is what changes. What it led to gets a stream of its own, which no program that is started inherits, and
 * descriptor 1 leads where 2 does, or nowhere if that is closed. */
#include "harness/records/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *apart, *nowhere;
static struct stat destination; /* of apart */
static pid_t owner;

/* A copy of this process that a plugin has made and let run on says nothing. */
FILE *nb_output(void)
{
    if (apart && getpid() != owner && (nowhere || (nowhere = fopen("/dev/null", "w"))))
        return nowhere;
    return apart ? apart : stdout;
}

void nb_output_take_over(void) { owner = getpid(); }

enum nb_status nb_output_keep_apart(struct nb_error *error)
{
    fflush(stdout);
    const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    apart = kept < 0 ? NULL : fdopen(kept, "w");
    if (!apart || fstat(kept, &destination))
        return nb_fail(error, NB_BAD_FILE, "standard output: %s", strerror(errno));
    owner = getpid();
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
            close(STDOUT_FILENO);
    }
    return NB_OK;
}

/* Whoever closes all descriptors and opens others has our number lead elsewhere. */
static bool leads_where_it_did(void)
{
    struct stat now;
    return !apart || (!fstat(fileno(apart), &now) && now.st_dev == destination.st_dev &&
                      now.st_ino == destination.st_ino);
}

bool nb_output_is_whole(void)
{
    return leads_where_it_did() && !fflush(nb_output()) && !ferror(nb_output());
}
