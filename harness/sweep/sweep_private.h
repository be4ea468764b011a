/* What the parts of a sweep share: the plan of tasks, the schedule, the worker, the progress. */
#ifndef NB_SWEEP_PRIVATE_H
#define NB_SWEEP_PRIVATE_H

#include "harness/case/case_record.h"
#include "harness/case/reference.h"
#include "harness/records/store.h"
#include "harness/sweep/child.h"
#include "harness/sweep/sweep.h"

/* A case, or the floor that cases share. */
struct nb_task {
    bool is_floor;
    struct nb_case setting;   /* of a floor: of the first case that needs it */
    char key[NB_KEY_SIZE];
    cJSON *strategies;        /* the hashes of those that it reads */
    int batch;                /* its tasks are neighbours, and take their repetitions in turn */
    bool complete;            /* recorded */
    bool other_build;         /* the record is of other sources, compiler or flags */
    bool other_machine;       /* the record is of another kind of machine */
    bool timed;               /* the record has times */
    char run[NB_SHORT_HASH_SIZE];   /* of a batch, in which its repetitions were timed: of the record, or now */
    double peak_memory;       /* of its processes so far [bytes] */
    /* A floor. */
    bool has_reference;
    struct nb_floor_reference reference;
    /* A case. */
    const struct nb_task *floor; /* NULL: none */
    cJSON *trace;             /* the part, once there is one */
    double *seconds;          /* [setting.repetitions] */
    double *setups;           /* [setting.repetitions], of a linear system */
    int done, solves;         /* repetitions; solves in each, 0: not calibrated */
    /* While it runs. */
    int restarts;
    struct nb_child child;
};

struct nb_plan {
    int count;
    struct nb_task *task;     /* floors first */
    int floors;
    int missing_problems;
    bool across_groups;       /* all cases of a problem are neighbours, and one batch */
};

/* Every case of the spec, and of the second one unless it is NULL, with hash and key, repeated ones
 * dropped, and the floors they need. All problem files are read and checked. */
enum nb_status nb_plan_make(const char *spec, const char *more, struct nb_plan *plan, char name[64],
                            FILE *notices, struct nb_error *error);
void nb_plan_free(struct nb_plan *plan);

enum { NB_BATCH_MOST = 64 /* living children */ };

/* Sets the batch of every task. */
void nb_plan_split(struct nb_plan *plan);

/* Takes back that cases are complete, batch by batch, where some are not or have times of another run. */
void nb_plan_measure_together(struct nb_plan *plan);

/* Names the run of a batch [count >= 1] that begins now. */
void nb_batch_name_run(struct nb_task *const *batch, int count);

/* The floor of a case at its precision, or NULL; in *room. */
const struct nb_floor *nb_task_floor(const struct nb_task *task, struct nb_floor *room);

/* Runs in the child. */
struct nb_worker {
    const struct nb_task *task;
    nb_sweep_hook *hook;
};
int nb_worker_main(void *worker, int commands, int answers);

struct nb_progress {
    FILE *stream;             /* NULL: silent */
    bool terminal;
    int total, reused, done;  /* cases; done counts those of this sweep */
    double start, last;
};
void nb_progress_start(struct nb_progress *progress, FILE *stream, int total, int reused);
void nb_progress_show(struct nb_progress *progress, const struct nb_task *running);
void nb_progress_end(struct nb_progress *progress);

/* Runs what is not complete. *solving: seconds in solvers. */
enum nb_status nb_schedule_run(struct nb_plan *plan, const struct nb_sweep_request *request,
                               struct nb_store *store, const cJSON *provenance,
                               struct nb_progress *progress, double *solving,
                               struct nb_error *error);

#endif
