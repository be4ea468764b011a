/* What a dry run tells of a plan: the cases of each group, how many are recorded, and how long the others take, by
 * records of the same cases, groups and problems, or at most. */
#include <stdlib.h>

#include "harness/sweep/sweep_private.h"
#include "problems/base/duration.h"

struct group {
    const char *name;
    int cases, reused;
};

/* The groups in the order of their cases, group [at least as many]; how many. */
static int list_groups(const struct nb_plan *plan, struct group *group)
{
    struct nb_index names = {NULL};
    int count = 0;
    for (int i = plan->floors; i < plan->count; ++i) {
        const char *name = plan->task[i].setting.group;
        const int place = nb_index_add(&names, name, count);
        if (place < 0)
            continue;
        if (place == count)
            group[count++] = (struct group){.name = name};
        ++group[place].cases;
        group[place].reused += plan->task[i].complete;
    }
    nb_index_free(&names);
    return count;
}

static void print_groups(const struct nb_plan *plan, FILE *stream)
{
    struct group *group = malloc(((size_t)plan->count + 1) * sizeof *group);
    const int count = group ? list_groups(plan, group) : 0;
    fprintf(stream, "%10s  %10s  %10s  %s\n", "cases", "reused", "to run", "group");
    for (int i = 0; i < count; ++i)
        fprintf(stream, "%10d  %10d  %10d  %s\n", group[i].cases, group[i].reused, group[i].cases - group[i].reused,
                group[i].name);
    free(group);
}

/* Of all shards, whichever is asked for. */
static void print_shards(const struct nb_plan *plan, const struct nb_sweep_request *request, FILE *stream)
{
    const struct nb_shards *shards = &plan->shards;
    char text[40];
    if (!shards->count)
        return;
    fprintf(stream, "shard %d of %d: the shards have %d to %d of %d combinations, on at most %d of %d problems; the "
            "most expensive is expected to cost %.2f times the mean (runs times size of file), and none takes longer "
            "than %s by the time limits\n", request->shard, shards->count, shards->least_cases, shards->most_cases,
            shards->cases,
            shards->most_problems, shards->problems, shards->imbalance,
            nb_duration(shards->bound / request->jobs, text, sizeof text));
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
        fprintf(stream, "time: not known for %d of them, as no record of their like is there yet; their time limits "
                "allow %s, and most take far less\n", left.unknown,
                nb_duration(left.bound, text, sizeof text));
}

void nb_plan_print(const struct nb_plan *plan, const struct nb_sweep_request *request,
                   const struct nb_sweep_summary *summary, FILE *stream)
{
    const int floors = count_floors(plan);
    print_groups(plan, stream);
    print_shards(plan, request, stream);
    fprintf(stream, "%s: %d cases, %d to run, %d reused", summary->name, summary->cases,
            summary->cases - summary->reused, summary->reused);
    if (floors)
        fprintf(stream, "; %d accuracy floors to compute", floors);
    fprintf(stream, "; nothing was run or written\n");
    print_time(plan, request->jobs, stream);
}
