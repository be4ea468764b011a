/* What passes to a child: it may be more than one write or one read takes. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/sweep/child.h"

bool nb_child_send(struct nb_child *child, const void *data, size_t size)
{
    const char *rest = data;
    ssize_t count = 0;
    for (; size > 0 && count >= 0; rest += count, size -= (size_t)count)
        while ((count = send(child->to, rest, size, MSG_NOSIGNAL)) < 0 && errno == EINTR)
            ;
    return count >= 0;
}

bool nb_child_read(int commands, void *data, size_t size)
{
    char *rest = data;
    ssize_t count = 1;
    for (; size > 0 && count > 0; rest += count, size -= (size_t)count)
        while ((count = read(commands, rest, size)) < 0 && errno == EINTR)
            ;
    return count > 0;
}
