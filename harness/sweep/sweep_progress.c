/* Shows how far a sweep is: cases done and in all, the time left, and the case that runs; in place on a terminal,
 * elsewhere by a line every few seconds. */
#include <string.h>
#include <unistd.h>

#include "harness/sweep/sweep_private.h"

void nb_progress_start(struct nb_progress *progress, FILE *stream, int total, int reused)
{
    *progress = (struct nb_progress){.stream = stream,
                                     .terminal = stream && isatty(fileno(stream)),
                                     .total = total,
                                     .reused = reused,
                                     .start = nb_seconds()};
}

static void time_left(const struct nb_progress *progress, double now, char *text, size_t size)
{
    const int left = progress->total - progress->reused - progress->done;
    const double seconds = progress->done ? (now - progress->start) * left / progress->done : -1;
    if (seconds < 0)
        snprintf(text, size, "  --:--");
    else
        snprintf(text, size, "%4d:%02d", (int)seconds / 60, (int)seconds % 60);
}

void nb_progress_show(struct nb_progress *progress, const struct nb_task *running)
{
    const double now = nb_seconds(), interval = progress->terminal ? 0.1 : 10;
    char label[160], left[24], line[256];
    if (!progress->stream || now - progress->last < interval)
        return;
    progress->last = now;
    if (running->is_floor)
        snprintf(label, sizeof label, "accuracy floor of %s %s/%s", running->setting.problem,
                 running->setting.options.ncp, running->setting.options.scaling);
    else
        nb_case_label(&running->setting, label, sizeof label);
    time_left(progress, now, left, sizeof left);
    snprintf(line, sizeof line, "%d/%d  %s left  %s", progress->reused + progress->done,
             progress->total, left, label);
    if (progress->terminal)
        fprintf(progress->stream, "\r\033[K%.110s", line);
    else
        fprintf(progress->stream, "%s\n", line);
    fflush(progress->stream);
}

void nb_progress_end(struct nb_progress *progress)
{
    if (progress->stream && progress->terminal && progress->last > 0)
        fprintf(progress->stream, "\r\033[K");
    if (progress->stream)
        fflush(progress->stream);
}
