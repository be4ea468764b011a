/* Shows how far a sweep is: cases done and in all, the time left where it is known (sweep_time.c), and the case that
 * runs. */
#include "harness/sweep/sweep_private.h"
#include "problems/base/duration.h"

void nb_progress_start(struct nb_progress *progress, const struct nb_sweep_request *request,
                       const struct nb_plan *plan, int reused)
{
    *progress = (struct nb_progress){.plan = plan,
                                     .total = plan->count - plan->floors,
                                     .reused = reused,
                                     .jobs = request->jobs};
    nb_status_line_begin(&progress->line, request->progress);
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
    char label[160], left[64], text[300];
    if (!nb_status_line_is_due(&progress->line))
        return;
    if (running->is_floor)
        snprintf(label, sizeof label, "accuracy floor of %s %s/%s", running->setting.problem,
                 running->setting.options.ncp, running->setting.options.scaling);
    else
        nb_case_label(&running->setting, label, sizeof label);
    time_left(progress, left, sizeof left);
    snprintf(text, sizeof text, "%d of %d%s: %s", progress->reused + progress->done, progress->total, left, label);
    nb_status_line_show(&progress->line, text);
}

void nb_progress_end(struct nb_progress *progress) { nb_status_line_end(&progress->line); }
