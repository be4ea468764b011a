/* A sweep: every case of a spec, each in a process of its own, recorded one by one.
 *
 * First the floors, then the cases in batches of neighbours on the same problem; the spec can ask for
 * one batch a problem. In a batch every case makes its observed run; then the repetitions go round
 * robin, one running at a time, so that a slow minute of the machine falls on all of them alike. With
 * several jobs, several batches run at a time on cores of their own.
 *
 * A sweep can be divided into shards, which run on machines of their own and write files of their own. A shard is a set
 * of whole problems; which, follows from the spec, the filters and the sizes of the problem files alone. */
#ifndef NB_SWEEP_H
#define NB_SWEEP_H

#include <cJSON.h>
#include <stdio.h>

#include "harness/case/case.h"
#include "harness/judge/ending.h"
#include "harness/records/filter.h"
#include "harness/records/reasons.h"
#include "harness/report/control.h"

/* Called in the child before the observed run (repetition -1) and before each repetition: lets a
 * test crash, hang or exhaust memory. NULL in the program. */
typedef void nb_sweep_hook(const struct nb_case *setting, int repetition);

struct nb_sweep_request {
    const char *spec;
    const char *more;    /* a second spec, whose cases join the first's; or NULL */
    const char *results; /* of a dry run NULL: there are none */
    bool anew;           /* measure again what another build or kind of machine recorded, and every batch
                            of which some case is missing or was timed in another run; one that was stopped goes on */
    bool full;           /* all combinations of groups with design = pairs, too */
    int jobs;            /* >= 1 and at most the cores that may be used */
    int observers;       /* of one job: how many more make its observed runs, which are not timed; >= 0 */
    const struct nb_filter *filter; /* [filter_count] the cases that are meant: those that pass all */
    int filter_count;
    const char *scratch; /* a folder in which cases read copies of their problem files; or NULL */
    int shards, shard;   /* the cases of shard `shard`, 1 to shards, alone; 0 of 0: all */
    const struct nb_filter *limited; /* NULL, or cases that have limited_time together [s]: what is left of them then is
                                        neither run nor recorded */
    double limited_time;
    cJSON *keys;         /* NULL, or an object that gets a member for the key of each case, run or reused */
    struct nb_reasons *reasons; /* NULL, or why cases run now failed to run: added, to be freed by the caller */
    FILE *dry_run;       /* where to tell what would run, instead of running it; NULL: run */
    FILE *progress;      /* NULL: silent */
    nb_sweep_hook *hook;
};

struct nb_sweep_summary {
    char name[64];
    int cases;           /* of the spec, each once                   */
    int run, reused;     /* now; recorded by an earlier sweep        */
    int endings[NB_ENDING_COUNT]; /* of those run now                     */
    int other_builds;    /* of those reused: of other sources, compiler or flags */
    int other_machines;  /* of those reused: of another kind of machine */
    int missing_problems; /* optional files that do not exist        */
    int lacking_problems; /* of a dry run: others, for which the sweep would be refused */
    int left_out;        /* of those that had a time together */
    struct nb_control control; /* of the cases run now: what the machine does to one and the same code */
    double wall;         /* [s] */
    double solving;      /* [s] in solvers, all processes together   */
    int jobs;
};

enum nb_status nb_sweep_run(const struct nb_sweep_request *request,
                            struct nb_sweep_summary *summary, struct nb_error *error);

#endif
