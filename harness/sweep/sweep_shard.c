/* Divides the cases of a sweep into shards of whole problems: problems in the order of their expected cost, each to the
 * shard that has least so far (Graham 1969). The cost is the number of runs of the problem's cases, observed and timed,
 * times the size of its file: assembly and iterations take time in proportion to it. No file is opened. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/records/values.h"
#include "harness/sweep/shard.h"
#include "harness/sweep/sweep_private.h"

/* The texts of shards: of an option, of Slurm's environment, of files' names. */

static enum nb_status read_number(const char *name, double minimum, int *value, struct nb_error *error)
{
    char what[64];
    const char *text = getenv(name);
    snprintf(what, sizeof what, "--shard auto: %s", name);
    if (!text)
        return nb_fail(error, NB_BAD_INPUT, "%s is not set, as it is in a job array of Slurm; elsewhere give "
                       "--shard I/N", what);
    return nb_parse_integer(what, text, minimum, 1e9, value, error);
}

/* The shard in a whole array, which begins at 0 or 1; SLURM_ARRAY_TASK_MAX shows gaps if it is set. */
static enum nb_status read_slurm(int *shard, int *shards, struct nb_error *error)
{
    int id = 0, least = 0, most = 0;
    enum nb_status status = read_number("SLURM_ARRAY_TASK_ID", 0, &id, error);
    status = status ? status : read_number("SLURM_ARRAY_TASK_COUNT", 1, shards, error);
    status = status ? status : read_number("SLURM_ARRAY_TASK_MIN", 0, &least, error);
    if (status)
        return status;
    most = least + *shards - 1;
    if (getenv("SLURM_ARRAY_TASK_MAX") && (status = read_number("SLURM_ARRAY_TASK_MAX", 0, &most, error)))
        return status;
    *shard = id - least + 1;
    if (least > 1 || most - least + 1 != *shards || *shard < 1 || *shard > *shards)
        return nb_fail(error, NB_BAD_INPUT, "--shard auto: task %d of an array of %d from %d to %d: a whole array "
                       "begins at 0 or 1 and has no gaps; give --shard $SLURM_ARRAY_TASK_ID/N, with N as in the first "
                       "array", id, *shards, least, most);
    return NB_OK;
}

enum nb_status nb_shard_read(const char *text, int *shard, int *shards, struct nb_error *error)
{
    char number[16] = "";
    const char *slash = strchr(text, '/');
    if (!strcmp(text, "auto")) {
        const enum nb_status status = read_slurm(shard, shards, error);
        if (status || *shards <= NB_SHARDS_MOST)
            return status;
        return nb_fail(error, NB_BAD_INPUT, "--shard auto: %d shards; allowed: at most %d", *shards, NB_SHARDS_MOST);
    }
    if (!slash || (size_t)(slash - text) >= sizeof number)
        return nb_fail(error, NB_BAD_INPUT, "--shard: '%.40s': expected I/N, as in 3/8, or auto", text);
    snprintf(number, sizeof number, "%.*s", (int)(slash - text), text);
    const enum nb_status status = nb_parse_integer("--shard: N", slash + 1, 1, NB_SHARDS_MOST, shards, error);
    return status ? status : nb_parse_integer("--shard: I", number, 1, *shards, shard, error);
}

static const char suffix[] = ".jsonl";

static size_t length_without_suffix(const char *path)
{
    const size_t length = strlen(path), end = sizeof suffix - 1;
    return length > end && !strcmp(path + length - end, suffix) ? length - end : length;
}

enum nb_status nb_shard_file(const char *results, int shard, int shards, char *path, size_t size,
                             struct nb_error *error)
{
    const size_t stem = length_without_suffix(results);
    const int length = snprintf(path, size, "%.*s.%d-of-%d%s", (int)stem, results, shard, shards, results + stem);
    return length >= 0 && (size_t)length < size
               ? NB_OK : nb_fail(error, NB_BAD_INPUT, "-o: the name of a shard's file has at most %zu characters",
                                 size - 1);
}

enum nb_status nb_shard_check_parts(const char *results, int shards, struct nb_error *error)
{
    char folder[4096], part[4096];
    const char *slash = strrchr(results, '/'), *name = slash ? slash + 1 : results;
    const size_t stem = length_without_suffix(name);
    enum nb_status status = NB_OK;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - results) + 1 : 1, slash ? results : ".");
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && !status && (entry = readdir(stream));) {
        const int others = nb_shard_file_count(entry->d_name);
        if (!others || others == shards || strncmp(entry->d_name, name, stem) || entry->d_name[stem] != '.' ||
            nb_shard_file(name, atoi(entry->d_name + stem + 1), others, part, sizeof part, NULL) ||
            strcmp(part, entry->d_name))
            continue;
        status = nb_fail(error, NB_BAD_INPUT, "--shard auto: the array has %d tasks, but %.200s, beside the results, "
                         "is one of %d shards; of tasks that are run again give --shard $SLURM_ARRAY_TASK_ID/%d",
                         shards, entry->d_name, others, others);
    }
    if (stream)
        closedir(stream);
    return status;
}

int nb_shard_file_count(const char *path)
{
    static const char of[] = "-of-";
    char name[16] = "";
    int count = 0;
    const char *last = NULL;
    for (const char *met = strstr(path, of); met; met = strstr(met + 1, of))
        last = met + sizeof of - 1;
    const size_t digits = last ? strspn(last, "0123456789") : 0;
    if (!digits || digits >= sizeof name || last + digits != path + length_without_suffix(path))
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)digits, last);
    return nb_parse_integer("shards", name, 1, NB_SHARDS_MOST, &count, NULL) ? 0 : count;
}

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

/* Among equal costs, as missing files have, the shard with fewer problems comes first, then the first one. */
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
