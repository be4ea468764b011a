/* What a dry run tells of a plan: the cases of each group, how many are recorded, and how long the others take, by
 * records of the same cases, groups and problems, or at most. */
#include <string.h>

#include "harness/sweep/sweep_private.h"
#include "problems/base/duration.h"

static const char *group_of(const struct nb_task *task) { return task->setting.group; }

/* Whether an earlier case is of the same group. */
static bool is_told(const struct nb_plan *plan, int task)
{
    for (int i = plan->floors; i < task; ++i)
        if (!strcmp(group_of(&plan->task[i]), group_of(&plan->task[task])))
            return true;
    return false;
}

static void print_groups(const struct nb_plan *plan, FILE *stream)
{
    fprintf(stream, "%10s  %10s  %10s  %s\n", "cases", "reused", "to run", "group");
    for (int i = plan->floors; i < plan->count; ++i) {
        int cases = 0, reused = 0;
        if (is_told(plan, i))
            continue;
        for (int k = i; k < plan->count; ++k) {
            const bool same = !strcmp(group_of(&plan->task[k]), group_of(&plan->task[i]));
            cases += same;
            reused += same && plan->task[k].complete;
        }
        fprintf(stream, "%10d  %10d  %10d  %s\n", cases, reused, cases - reused, group_of(&plan->task[i]));
    }
}

static int count_floors(const struct nb_plan *plan)
{
    int count = 0;
    for (int i = 0; i < plan->floors; ++i)
        count += !plan->task[i].complete;
    return count;
}

static void print_time(const struct nb_plan *plan, int jobs, FILE *stream)
{
    char text[40];
    const struct nb_time_left left = nb_plan_time_left(plan, jobs);
    if (!left.known && !left.unknown)
        fprintf(stream, "time: nothing is left to run\n");
    if (left.known)
        fprintf(stream, "time: about %s for %d of them, by records of the same cases or of their group on the "
                "problem\n", nb_duration(left.seconds, text, sizeof text), left.known);
    if (left.unknown)
        fprintf(stream, "time: at most %s for %d of them, by their time limits: none like them is recorded\n",
                nb_duration(left.bound, text, sizeof text), left.unknown);
}

void nb_plan_print(const struct nb_plan *plan, const struct nb_sweep_request *request,
                   const struct nb_sweep_summary *summary, FILE *stream)
{
    const int floors = count_floors(plan);
    print_groups(plan, stream);
    fprintf(stream, "%s: %d cases, %d to run, %d reused", summary->name, summary->cases,
            summary->cases - summary->reused, summary->reused);
    if (floors)
        fprintf(stream, "; %d accuracy floors to compute", floors);
    fprintf(stream, "; nothing was run or written\n");
    print_time(plan, request->jobs, stream);
}
