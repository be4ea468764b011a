/* Checkpoints of a simulation: the problem file of the step that comes next, with what was
 * recorded on the way there. A simulation goes on from it with the same bits as one that was
 * never stopped: the state of a step is all that the next one depends on. */
#ifndef NB_CHECKPOINT_H
#define NB_CHECKPOINT_H

#include <cJSON.h>

#include "problems/problem.h"

struct nb_checkpoint {
    const char *save;   /* --checkpoint, or NULL: none are written    */
    int every;          /* --checkpoint-every: steps between two      */
    const char *resume; /* --resume, or NULL: from the scene's start  */
    /* Set by nb_checkpoint_begin. */
    char *settings;
    int started;        /* steps done when this run began           */
};

/* What a simulation records, one number a step in each column. */
struct nb_recorded {
    int columns, room, steps; /* steps: recorded so far */
    const char *const *name;  /* [columns] static storage */
    double *const *column;    /* [columns][room] */
};

/* Begins a simulation of the scene that *problem was made of: with --resume, *problem and what was
 * recorded become the checkpoint's. One of another command, scene or setting is refused, as is one
 * beyond the room. `command` is static storage, `settings` what
 * decides the bits of the simulation, as in its record (docs/reference/records.md). End it also after a failure. */
enum nb_status nb_checkpoint_begin(struct nb_checkpoint *checkpoint, const char *command,
                                   const cJSON *settings, struct nb_problem *problem,
                                   struct nb_recorded *recorded, struct nb_error *error);

/* Before a step is recorded: writes the checkpoint if it is due. problem is that step. */
enum nb_status nb_checkpoint_step(const struct nb_checkpoint *checkpoint,
                                  const struct nb_problem *problem,
                                  const struct nb_recorded *recorded, struct nb_error *error);

void nb_checkpoint_end(struct nb_checkpoint *checkpoint);

#endif
