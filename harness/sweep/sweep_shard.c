/* Divides the cases of a sweep into shards of whole problems: problems in the order of their expected cost, each to the
 * shard that has least so far (Graham 1969). The cost is the number of runs of the problem's cases, observed and timed,
 * times the size of its file: assembly and iterations take time in proportion to it. No file is opened. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "harness/sweep/sweep_private.h"

struct problem {
    double size;  /* of its file [bytes]; 0: it is missing */
    double runs;  /* of all its cases */
    double bound; /* of these, by their time limits [s] */
    int number;   /* in the order of the cases */
    int cases;
};

struct load {
    double cost, bound;
    int problems, cases;
};

struct division {
    struct problem *problem; /* [problems] */
    int problems;
    int *of;                 /* [cases] the problem of each */
    int *shard;              /* [problems] from 1 */
    struct load *load;       /* [shards] */
};

static double file_size(const char *path)
{
    struct stat about;
    return stat(path, &about) ? 0 : (double)about.st_size;
}

/* Which it may share with others. */
static bool has_floor(const struct nb_case *setting)
{
    return setting->mode == NB_CASE_STEP && !setting->without_floor;
}

static enum nb_status list_problems(const struct nb_case *cases, int count, struct division *division,
                                    struct nb_error *error)
{
    struct nb_index names = {NULL};
    enum nb_status status = NB_OK;
    for (int i = 0; i < count && !status; ++i) {
        const int number = division->of[i] = nb_index_add(&names, cases[i].problem_file, division->problems);
        if (number < 0) {
            status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the shards of %d cases", count);
            continue;
        }
        struct problem *problem = &division->problem[number];
        if (number == division->problems) {
            *problem = (struct problem){.size = file_size(cases[i].problem_file), .number = number};
            ++division->problems;
        }
        ++problem->cases;
        problem->runs += 1 + cases[i].repetitions;
        problem->bound += (1 + cases[i].repetitions + has_floor(&cases[i])) * cases[i].time_limit;
    }
    nb_index_free(&names);
    return status;
}

static double cost(const struct problem *problem) { return problem->size * problem->runs; }

static int by_cost(const void *a, const void *b)
{
    const struct problem *x = a, *y = b;
    return cost(x) != cost(y) ? (cost(x) < cost(y)) - (cost(x) > cost(y))
                              : (x->number > y->number) - (x->number < y->number);
}

/* Of equal cost, as of missing files, the one with fewer problems; then the first. */
static int least_load(const struct load *load, int shards)
{
    int least = 0;
    for (int i = 1; i < shards; ++i)
        if (load[i].cost < load[least].cost ||
            (load[i].cost == load[least].cost && load[i].problems < load[least].problems))
            least = i;
    return least;
}

static void distribute(struct division *division, int shards)
{
    qsort(division->problem, (size_t)division->problems, sizeof *division->problem, by_cost);
    for (int i = 0; i < division->problems; ++i) {
        const struct problem *problem = &division->problem[i];
        const int least = least_load(division->load, shards);
        struct load *load = &division->load[least];
        division->shard[problem->number] = least + 1;
        load->cost += cost(problem);
        load->bound += problem->bound;
        load->cases += problem->cases;
        ++load->problems;
    }
}

static void sum_up(const struct division *division, int count, struct nb_shards *shards)
{
    double most = 0, all = 0;
    shards->problems = division->problems;
    shards->cases = shards->least_cases = count;
    for (int i = 0; i < shards->count; ++i) {
        const struct load *load = &division->load[i];
        shards->most_problems = load->problems > shards->most_problems ? load->problems : shards->most_problems;
        shards->most_cases = load->cases > shards->most_cases ? load->cases : shards->most_cases;
        shards->least_cases = load->cases < shards->least_cases ? load->cases : shards->least_cases;
        shards->bound = fmax(shards->bound, load->bound);
        most = fmax(most, load->cost);
        all += load->cost;
    }
    shards->imbalance = all > 0 ? most * shards->count / all : 1;
}

static enum nb_status divide(struct nb_case *cases, int count, struct division *division, struct nb_shards *shards,
                             struct nb_error *error)
{
    const enum nb_status status = list_problems(cases, count, division, error);
    if (status)
        return status;
    distribute(division, shards->count);
    sum_up(division, count, shards);
    for (int i = 0; i < count; ++i)
        cases[i].shard = division->shard[division->of[i]];
    return NB_OK;
}

enum nb_status nb_plan_shard(const struct nb_sweep_request *request, struct nb_case *cases, int *count,
                             struct nb_shards *shards, struct nb_error *error)
{
    const size_t room = (size_t)*count + 1;
    int kept = 0;
    *shards = (struct nb_shards){.count = request->shards};
    if (!request->shards)
        return NB_OK;
    struct division division = {.problem = malloc(room * sizeof *division.problem), .of = malloc(room * sizeof(int)),
                                .shard = malloc(room * sizeof(int)),
                                .load = calloc((size_t)request->shards, sizeof *division.load)};
    const enum nb_status status =
        division.problem && division.of && division.shard && division.load
            ? divide(cases, *count, &division, shards, error)
            : nb_fail(error, NB_OUT_OF_MEMORY, "no memory for %d shards", request->shards);
    for (int i = 0; i < *count && !status; ++i)
        if (!request->shard || cases[i].shard == request->shard)
            cases[kept++] = cases[i];
    *count = kept;
    free(division.problem);
    free(division.of);
    free(division.shard);
    free(division.load);
    return status;
}
