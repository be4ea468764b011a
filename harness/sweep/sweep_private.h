/* What the parts of a sweep share: the plan of tasks, the schedule, the worker, the progress. */
#ifndef NB_SWEEP_PRIVATE_H
#define NB_SWEEP_PRIVATE_H

#include "harness/case/case_record.h"
#include "harness/case/reference.h"
#include "harness/records/index.h"
#include "harness/records/store.h"
#include "harness/report/control.h"
#include "harness/sweep/child.h"
#include "harness/sweep/sweep.h"
#include "problems/base/status_line.h"

/* How the detail of a case begins that took longer than its own limit, not than that of several together. */
#define NB_OVER_TIME_LIMIT "over the time limit"

/* A case, or the floor that cases share. */
struct nb_task {
    bool is_floor;
    struct nb_case setting;   /* of a floor: of the first case that needs it */
    char key[NB_KEY_SIZE];
    cJSON *strategies;        /* the hashes of those that it reads */
    int batch;                /* its tasks are neighbours, and take their repetitions in turn */
    bool complete;            /* recorded, or left out */
    bool limited;             /* of those that have a time together */
    bool late;                /* its observed run was over its time limit */
    bool alone;               /* likewise beside others: it is observed again by itself */
    bool other_build;         /* the record is of other sources, compiler or flags */
    bool other_machine;       /* the record is of another kind of machine */
    bool has_times;           /* the record has */
    char run[NB_SHORT_HASH_SIZE];   /* of a batch, in which its repetitions were timed: of the record, or now */
    double peak_memory;       /* of its processes so far [bytes] */
    /* A floor. */
    bool has_reference;
    struct nb_floor_reference reference;
    /* A case. */
    const struct nb_task *floor; /* NULL: none */
    const struct nb_task *looser; /* the same case at the tolerance before it, which is larger; NULL: none */
    cJSON *trace;             /* the part, once there is one */
    struct nb_timed timed;
    struct nb_timed control; /* the same again under a hidden name; of most cases none */
    int solves;              /* in the last repetition, 0: none yet */
    /* How long it takes [s]. */
    int kind;                 /* of a group and problem */
    double recorded;          /* by the last record of its key; NaN: none says */
    double spent;             /* in this sweep, while it had its turn; NaN: an earlier one had begun it */
    double traced;            /* of that until the observed run was done; NaN: it is not */
    double repetition;        /* one, as foreseen by what was solved so far */
    int restarts;
};

/* How the cases are divided into shards, by what is known before a file is read (sweep_shard.c). */
struct nb_shards {
    int count;                /* 0: they are not */
    int problems, most_problems; /* in all; in one shard */
    int cases, least_cases, most_cases; /* combinations; likewise */
    double imbalance;         /* the largest expected cost of a shard over the mean */
    double bound;             /* of the longest shard, by the time limits of its cases [s] */
};

struct nb_plan {
    int count;
    struct nb_task *task;     /* floors first */
    struct nb_index keys;     /* of the tasks */
    struct nb_shards shards;
    int floors;
    int kinds;
    int missing_problems;     /* optional ones, which are skipped */
    int lacking_problems;     /* others, for which the sweep is refused */
    bool across_groups;       /* all cases of a problem are neighbours, and one batch */
};

/* Every case of the spec, and of the second one if there is one, that passes the request's filters and is of its shard,
 * with hash and key, repeated ones dropped, and the floors they need. The problem files of these are read and
 * checked; a dry run counts those that are not there. */
enum nb_status nb_plan_make(const struct nb_sweep_request *request, struct nb_plan *plan, char name[64],
                            struct nb_error *error);
void nb_plan_free(struct nb_plan *plan);

/* The task of a key, or NULL. */
struct nb_task *nb_plan_find(const struct nb_plan *plan, const char *key);

/* Gives each case [*count] the number of its shard, 1 to request->shards, and leaves those of request->shard (0: all).
 * Without shards it does nothing. */
enum nb_status nb_plan_shard(const struct nb_sweep_request *request, struct nb_case *cases, int *count,
                             struct nb_shards *shards, struct nb_error *error);

/* Reads and checks the problem files of cases [*count], sets their hashes, and drops the cases of files that are
 * missing and may be. A dry run counts the others that are missing. */
enum nb_status nb_plan_check_files(const struct nb_sweep_request *request, struct nb_case *cases, int *count,
                                   struct nb_plan *plan, struct nb_error *error);

/* What earlier sweeps have done, by the results file and its journal: the callbacks of a store. */
struct nb_reuse {
    struct nb_plan *plan;
    const cJSON *provenance; /* of this sweep */
    bool anew;
};
enum nb_status nb_reuse_record(void *reuse, const cJSON *record, struct nb_error *error);
enum nb_status nb_reuse_part(void *reuse, const cJSON *part, struct nb_error *error);
/* Whether a record or part is of the strategies as they are now. Records from before these were hashed do not say, and
 * count as such, of another build. */
bool nb_task_same_strategies(const struct nb_task *task, const cJSON *json);

/* What may be otherwise now: a machine without a card, a problem that could not be read. */
bool nb_reuse_may_run_now(const cJSON *record);
void nb_reuse_count(const struct nb_plan *plan, struct nb_sweep_summary *summary);

/* Sets the kind of every task, and that nothing is known of its time. */
enum nb_status nb_plan_kinds(struct nb_plan *plan, struct nb_error *error);

/* The time that what is not complete takes, over the jobs [s]: by its own records and by the means of tasks of its
 * kind, and where there are none by size, as nb_run_seconds has it, over what that says of the known ones. */
struct nb_time_left {
    double known_seconds, sized_seconds;
    int known, sized;
    bool compared; /* with known ones */
};
struct nb_time_left nb_plan_time_left(const struct nb_plan *plan, int jobs);

/* About what a run of a case takes whose problem has so many unknowns [s], with its process and all that is judged. */
double nb_run_seconds(int unknowns);

enum { NB_BATCH_MOST = 64 /* living children */ };

/* Sets the batch of every task. */
void nb_plan_split(struct nb_plan *plan);

/* Takes back what cases have, batch by batch, where some have nothing or times of another run. */
void nb_plan_measure_together(struct nb_plan *plan);

/* Names the run of a batch [count >= 1] that begins now. */
void nb_batch_name_run(struct nb_task *const *batch, int count);

/* Room for the repetitions of a case. One case in eight, by its key, has a control: its code timed
 * against itself. */
enum nb_status nb_timed_make(struct nb_task *task, struct nb_error *error);
void nb_timed_free(struct nb_task *task);
/* Adds a part "time"; or forgets those of the case and its control. */
void nb_timed_add(struct nb_timed *timed, const cJSON *part);
void nb_timed_forget(struct nb_task *task);
/* How often a case, or its control, is repeated. One that has run and misses the tolerance that it was given is timed
 * once, without a control: it loses to what meets it however long it takes. */
int nb_timed_count(const struct nb_task *task, const struct nb_timed *timed);
/* What the case repeats next, or its control, which comes after it in each round; NULL: it is done. */
struct nb_timed *nb_timed_next(struct nb_task *task);

/* The floor of a case at its precision, or NULL; in *room. */
const struct nb_floor *nb_task_floor(const struct nb_task *task, struct nb_floor *room);

/* The copy of a case's problem file in the folder; and all copies that are yet to be made, of cases that are to run. */
enum nb_status nb_scratch_path(const char *folder, const struct nb_case *setting, char path[1024],
                               struct nb_error *error);
enum nb_status nb_scratch_fill(const char *folder, const struct nb_plan *plan, struct nb_error *error);

/* What the child of a lane is to do: the observed run of a task, or its floor, or a repetition. */
struct nb_order {
    int number;             /* each order's own */
    int task;               /* of the plan */
    int repetition;         /* -1: the observed run */
    int iterations;         /* of a run of a repetition */
    struct nb_expected expected;
    int islands; /* of the run, that are solved apart; the iterations of each follow the order */
};

/* Runs in the child. */
struct nb_worker {
    const struct nb_task *task; /* of the plan */
    const char *scratch;      /* a folder with copies of the problem files; NULL: they are read where they are */
    nb_sweep_hook *hook;
};
int nb_worker_main(void *worker, int commands, int answers);

struct nb_progress {
    struct nb_status_line line;
    const struct nb_plan *plan;
    int total, reused, done;  /* cases; done counts those of this sweep */
    int left_out;             /* for want of time */
    int endings[NB_ENDING_COUNT + 1]; /* of those */
    struct nb_reasons *reasons;       /* likewise, or NULL */
    int jobs;
    struct nb_control control; /* of the cases of this sweep */
};
void nb_progress_show(struct nb_progress *progress, const struct nb_task *running);
void nb_progress_end(struct nb_progress *progress);

/* Runs what is not complete. *solving: seconds in solvers. */
enum nb_status nb_schedule_run(struct nb_plan *plan, const struct nb_sweep_request *request,
                               struct nb_store *store, const cJSON *provenance,
                               struct nb_progress *progress, double *solving,
                               struct nb_error *error);

#endif
