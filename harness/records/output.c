/* Others print through the C library's stdout, through another language's library, or to descriptor 1 itself: so the
 * descriptor is what changes. What it led to gets a stream of its own, which no program that is started inherits, and
 * descriptor 1 leads where 2 does, or nowhere if that is closed. */
#include "harness/records/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static FILE *apart;

FILE *nb_output(void)
{
    return apart ? apart : stdout;
}

enum nb_status nb_output_keep_apart(struct nb_error *error)
{
    fflush(stdout);
    const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    apart = kept < 0 ? NULL : fdopen(kept, "w");
    if (!apart)
        return nb_fail(error, NB_BAD_FILE, "standard output: %s", strerror(errno));
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
            close(STDOUT_FILENO);
    }
    return NB_OK;
}

bool nb_output_is_whole(void)
{
    return !fflush(nb_output()) && !ferror(nb_output());
}
