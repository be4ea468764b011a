/* On a terminal the line is wiped (ECMA-48) and written anew, cut to its width, a few times a second. */
#include "problems/base/status_line.h"

#include <sys/ioctl.h>

#include "problems/base/clock.h"
#include "problems/base/emphasis.h"

static const double terminal_interval = 0.2, log_interval = 10; /* [s] */

void nb_status_line_begin(struct nb_status_line *line, FILE *stream)
{
    const double now = nb_seconds();
    *line = (struct nb_status_line){stream, stream && nb_takes_escapes(stream), false, now, now};
    if (line->terminal)
        line->last -= terminal_interval;
}

bool nb_status_line_is_due(const struct nb_status_line *line)
{
    return line->stream && nb_seconds() - line->last >= (line->terminal ? terminal_interval : log_interval);
}

static int width_of(FILE *stream)
{
    struct winsize size = {0};
    return !ioctl(fileno(stream), TIOCGWINSZ, &size) && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

void nb_status_line_show(struct nb_status_line *line, const char *text)
{
    if (!line->stream)
        return;
    line->last = nb_seconds();
    line->shown = true;
    if (line->terminal)
        fprintf(line->stream, "\r\033[K%.*s", width_of(line->stream), text);
    else
        fprintf(line->stream, "%s\n", text);
    fflush(line->stream);
}

void nb_status_line_end(struct nb_status_line *line)
{
    if (line->stream && line->terminal && line->shown)
        fprintf(line->stream, "\r\033[K");
    if (line->stream)
        fflush(line->stream);
    line->shown = false;
}
