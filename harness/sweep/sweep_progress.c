/* Shows how far a sweep is: cases done and in all, the time left where it is known (sweep_time.c), and the case that
 * runs; in place on a terminal, elsewhere by a line every few seconds. */
#include <string.h>
#include <unistd.h>

#include "harness/sweep/sweep_private.h"
#include "problems/base/duration.h"

void nb_progress_start(struct nb_progress *progress, const struct nb_sweep_request *request,
                       const struct nb_plan *plan, int reused)
{
    FILE *stream = request->progress;
    *progress = (struct nb_progress){.stream = stream,
                                     .terminal = stream && isatty(fileno(stream)),
                                     .plan = plan,
                                     .total = plan->count - plan->floors,
                                     .reused = reused,
                                     .jobs = request->jobs};
}

/* ", about 3 min left", "more than" where some tasks are like none that is known; "" where none is. */
static void time_left(const struct nb_progress *progress, char *text, size_t size)
{
    char duration[40];
    const struct nb_time_left left = nb_plan_time_left(progress->plan, progress->jobs);
    text[0] = '\0';
    if (left.known)
        snprintf(text, size, ", %s %s left", left.unknown ? "more than" : "about",
                 nb_duration(left.seconds, duration, sizeof duration));
}

void nb_progress_show(struct nb_progress *progress, const struct nb_task *running)
{
    const double now = nb_seconds(), interval = progress->terminal ? 0.2 : 10;
    char label[160], left[64], line[300];
    if (!progress->stream || now - progress->last < interval)
        return;
    progress->last = now;
    if (running->is_floor)
        snprintf(label, sizeof label, "accuracy floor of %s %s/%s", running->setting.problem,
                 running->setting.options.ncp, running->setting.options.scaling);
    else
        nb_case_label(&running->setting, label, sizeof label);
    time_left(progress, left, sizeof left);
    snprintf(line, sizeof line, "%d of %d%s: %s", progress->reused + progress->done, progress->total, left, label);
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
