/* What problems/import/import.c asks of a simulator: problems/import/mujoco/ is the one that there is, where its
 * library was found. It is linked into the program beside the library, so that who links libncpbench.a needs no MuJoCo:
 * functions are weak, and null where no simulator is linked. */
#ifndef NB_SIMULATOR_H
#define NB_SIMULATOR_H

#include "problems/import/import.h"

struct nb_simulator;

#pragma weak nb_simulator_open
#pragma weak nb_simulator_free
#pragma weak nb_simulator_step
#pragma weak nb_simulator_version
#pragma weak nb_simulator_first_touch

/* Reads and compiles a model, which begins at a key frame (import.h); the caller frees, also after a failure. The
 * report gets the model's own counts, of one copy, its key frames, and the compiler's warning. */
enum nb_status nb_simulator_open(struct nb_simulator **simulator, const struct nb_import *request,
                                 struct nb_import_report *report, struct nb_error *error);
void nb_simulator_free(struct nb_simulator *simulator);

/* Simulates from the model's beginning to that step and makes it a linear step, contacts that have a place before
 * limits; adds what it found to the report. A simulation that diverges, and one that runs out of room for contacts,
 * are refused. On failure *problem is cleared. */
enum nb_status nb_simulator_step(struct nb_simulator *simulator, int step, int seed, bool random,
                                 struct nb_problem *problem, struct nb_import_report *report, struct nb_error *error);

/* The simulator's version. */
const char *nb_simulator_version(void);

/* Goes on from there: the first step at which there is a contact or a limit, among as many as this; -1: none. */
int nb_simulator_first_touch(struct nb_simulator *simulator, int steps);

#endif
