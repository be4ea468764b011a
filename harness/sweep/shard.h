/* How a shard of a sweep (harness/sweep/sweep.h) is asked for, and what its results file is called. */
#ifndef NB_SHARD_H
#define NB_SHARD_H

#include <stddef.h>

#include "problems/base/status.h"

enum { NB_SHARDS_MOST = 100000 };

/* "I/N" with I from 1 to N; or "auto", in a job array of Slurm: N is SLURM_ARRAY_TASK_COUNT, and I counts from
 * SLURM_ARRAY_TASK_MIN. An array with gaps, or one that begins neither at 0 nor at 1, as of tasks that are run again,
 * does not tell its shards, and is refused. */
enum nb_status nb_shard_read(const char *text, int *shard, int *shards, struct nb_error *error);

/* "results.3-of-8.jsonl" for "results.jsonl", 3 and 8. */
enum nb_status nb_shard_file(const char *results, int shard, int shards, char *path, size_t size,
                             struct nb_error *error);

/* Tasks that are run again may be a whole array, too, of fewer shards than there were: NB_BAD_INPUT where a file beside
 * the results has the name of a part of theirs, but of another number. */
enum nb_status nb_shard_check_parts(const char *results, int shards, struct nb_error *error);

/* The number of shards, 8, that such a name tells; 0: none. */
int nb_shard_file_count(const char *path);

#endif
