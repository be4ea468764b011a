/* A time step of a model of another simulator, MJCF or URDF, by MuJoCo (Todorov, Erez and Tassa 2012).
 *
 * MuJoCo runs the model for some steps; the next one becomes a linear step in its generalised velocities v:
 *
 *     M v = H r + G l + f,   u = H^T v + w,   G^T v + b = 0,   f = M v- + h (actuators + passive + applied - bias),
 *
 * M being MuJoCo's qM; H^T has three rows a contact (normal, two tangents), then three a limit of a joint or tendon
 * (its row and two empty ones, mu = 0); G^T has the rows of equality constraints; w and b are distances over h.
 * MuJoCo's soft constraints become hard ones. docs/guide/import.md says what is kept and what is left out. */
#ifndef NB_IMPORT_H
#define NB_IMPORT_H

#include <stdbool.h>

#include "problems/problem.h"

struct nb_import_report;

/* Looks at the step of all copies before it is described, and may leave contacts out of it. */
typedef enum nb_status nb_import_check(void *context, struct nb_problem *problem, struct nb_import_report *report,
                                       struct nb_error *error);

struct nb_import {
    const char *model; /* MJCF or URDF: a file                                             */
    const char *key;   /* the key frame to begin at; NULL: that which the model says, if it does */
    int step;          /* steps that MuJoCo simulates before                               */
    int seed;          /* of the random controls of the first copy; each next one has one more */
    bool random;       /* controls uniform in their ranges, [-1, 1] without one, anew in each step; else 0 */
    int copies;        /* so many, side by side, each simulated by itself                  */
    nb_import_check *check; /* NULL: none */
    void (*opened)(void *context); /* called once the model is read; NULL: none */
    void *context;                 /* of both    */
};

/* Two geoms as the model names them, "puck and table"; one without a name is "geom 3 of arm". */
struct nb_import_pair {
    char name[120];
    double depth; /* by which they overlap [m] */
};
enum { NB_IMPORT_OVERLAPS = 5 };

/* What was found and left out; sums over the copies. Also parameters of the problem, by these names. */
struct nb_import_report {
    int actuators;
    int bodies, joints;   /* that can move; joints but free ones */
    int contacts, limits; /* of joints and tendons               */
    int equality_rows;
    int islands;                            /* that nothing connects, of contacts, limits and equality rows     */
    int largest_island;                     /* contacts of the one with the most, limits apart                  */
    int torsional_dropped, rolling_dropped; /* contacts that lose that friction (condim 4, 6) */
    int anisotropic;                        /* contacts with two coefficients: kept in scaled second rows   */
    int dry_friction_dropped;               /* rows of joints' and tendons' frictionloss                    */
    int empty_rows_dropped;                 /* rows of equality constraints that no velocity changes        */
    int still_dropped;                      /* contacts whose gap no velocity changes, and which touch or are open */
    int hopeless_dropped;                   /* contacts that the check left out, as they can never be met         */
    int shapes_dropped;                     /* geoms that have no picture: height fields, meshes without a hull   */
    int overlaps;                           /* pairs of geoms that overlap in the rest pose (qpos0)               */
    struct nb_import_pair overlap[NB_IMPORT_OVERLAPS]; /* the deepest, the deepest first */
    struct nb_import_pair *pair;                       /* [contacts] of each, of all copies */
    int room;                                          /* of pair */
    double deepest;                         /* the deepest penetration, >= 0 [m] */
    char warning[256];                      /* MuJoCo's own, "" without one      */
    char key[64];                           /* the key frame that it began at, "" without one    */
    char keys[200];                         /* the model's key frames, one after the other       */
};

/* The caller frees *problem and *report; on failure *problem is cleared. Messages name the file. NB_UNSUPPORTED in a
 * build without MuJoCo. While it runs, MuJoCo's handlers of errors and warnings, which are one for the whole process,
 * are ours; where several threads import, MuJoCo works for one at a time. */
enum nb_status nb_import_model(const struct nb_import *request, struct nb_problem *problem,
                               struct nb_import_report *report, struct nb_error *error);
void nb_import_report_free(struct nb_import_report *report);

/* MuJoCo's version, or NULL where it is not built in. */
const char *nb_import_version(void);

#endif
