/* What the schedule of a sweep is made of: its lanes (sweep_schedule.c), and what their children answer
 * (sweep_answer.c). */
#ifndef NB_SCHEDULE_H
#define NB_SCHEDULE_H

#include "harness/sweep/sweep_private.h"
#include "problems/base/clock.h"

enum { NB_LANES_MOST = 256 };

struct nb_lane {
    struct nb_task **batch;
    int count;              /* 0: idle */
    struct nb_child child;  /* in which they run; that of the batch before ended with it */
    struct nb_task *active; /* NULL: none works */
    struct nb_timed *timed; /* what it repeats; NULL: its observed run, or a floor */
    int orders;             /* given so far */
    cJSON *answer;          /* to the order, NULL: none yet; and whether there was something else */
    bool garbled;
    double since, deadline; /* by the watch */
    struct nb_child_limits limits;
};

struct nb_schedule {
    struct nb_plan *plan;
    const struct nb_sweep_request *request;
    struct nb_store *store;
    const cJSON *provenance;
    struct nb_progress *progress;
    double solving;
    double limited_left; /* of the time of all limited tasks together [s] */
    struct nb_watch watch; /* time in which the sweep was stopped is no task's */
    int next;            /* first task that no batch has taken */
    int lane_count;
    struct nb_lane lane[NB_LANES_MOST];
    struct nb_task *room[NB_LANES_MOST][NB_BATCH_MOST];
};

/* Takes the part over that the worker of the lane's order has answered: it is journalled, and a case that is done
 * recorded. */
enum nb_status nb_schedule_take(struct nb_schedule *schedule, struct nb_lane *lane, cJSON *part,
                                struct nb_error *error);

/* Records a case whose observed run is done, with the repetitions that it has. */
enum nb_status nb_schedule_finish(struct nb_schedule *schedule, struct nb_task *task, struct nb_error *error);

/* Records a task that ended from outside. What its observed run found is kept. */
enum nb_status nb_schedule_fail(struct nb_schedule *schedule, struct nb_task *task, const char *ending,
                                const char *detail, struct nb_error *error);

#endif
