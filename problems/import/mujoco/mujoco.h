/* What the files of this folder share. Nothing else includes MuJoCo's headers but solvers/peers. */
#ifndef NB_MUJOCO_H
#define NB_MUJOCO_H

#include <stdint.h>

#include <mujoco/mujoco.h>

#include "problems/import/simulator.h"

struct nb_simulator {
    const char *path; /* borrowed: the model's file */
    mjModel *model;
    mjData *data;
    int key;  /* the key frame at which it begins; -1: none */
    int step; /* of the simulation, at which data stands */
    bool random;
    uint64_t chance;   /* the state of problems/base/random.h, for the controls that come next */
    char warning[256]; /* MuJoCo's first since it was cleared */
};

/* Runs the work with MuJoCo's errors, which must not return to where they arose, as NB_BREAKDOWN with MuJoCo's words;
 * MuJoCo's compiler does the same. What the work had allocated by then is lost, but for the model and the data. */
typedef enum nb_status nb_mujoco_work(struct nb_simulator *simulator, void *context, struct nb_error *error);
enum nb_status nb_mujoco_guard(struct nb_simulator *simulator, nb_mujoco_work *work, void *context,
                               struct nb_error *error);

/* The linear step at which data stands, from qM, the rows of constraints and the contacts. */
enum nb_status nb_mujoco_linear(const struct nb_simulator *simulator, struct nb_problem *problem,
                                struct nb_import_report *report, struct nb_error *error);

/* ---- newer.c ---- */

/* What a model for MuJoCo 3 is read with. */
enum { NB_NEWER_LIMITS = 1, NB_NEWER_INTEGRATOR = 2 };

/* The change that may help where mj_loadXML gave this reason; 0: none. */
unsigned nb_mujoco_change_for(const char *reason);

/* The model as mj_loadXML reads it with these changes; NULL, and perhaps why, if not so. */
mjModel *nb_mujoco_load_changed(const char *path, unsigned changes, char *reason, int size);

/* pointers.c: NB_BAD_FILE, naming it, where a file that the model names is a repository's pointer to one. */
enum nb_status nb_mujoco_pointers(const char *model, struct nb_error *error);

/* ---- names.c ---- */

/* Adds the pair of a contact's geoms to report->pair, before it is counted. false: no memory. */
bool nb_mujoco_name_contact(const mjModel *model, const mjContact *contact, struct nb_import_report *report);

/* The pairs of geoms that overlap where data stands, the deepest first. */
void nb_mujoco_overlaps(const mjModel *model, const mjData *data, struct nb_import_report *report);

/* Its geoms, in the world. */
enum nb_status nb_mujoco_shapes(const struct nb_simulator *simulator, struct nb_problem *problem,
                                struct nb_import_report *report, struct nb_error *error);

#endif
