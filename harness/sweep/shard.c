/* The texts of shards: of an option, of Slurm's environment, of files' names. */
#include "harness/sweep/shard.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/records/values.h"

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

/* Of a whole array, which begins at 0 or 1; SLURM_ARRAY_TASK_MAX, where it is set, shows gaps. */
static enum nb_status read_slurm(int *shard, int *shards, struct nb_error *error)
{
    int id = 0, least = 0, most = 0;
    enum nb_status status = read_number("SLURM_ARRAY_TASK_ID", 0, &id, error);
    if (!status)
        status = read_number("SLURM_ARRAY_TASK_COUNT", 1, shards, error);
    if (!status)
        status = read_number("SLURM_ARRAY_TASK_MIN", 0, &least, error);
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
