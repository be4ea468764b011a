/* A case: one problem, one combination of strategies, one budget. Its settings (harness/case/case_settings.h) decide
 * its key, and a record is reused only for the same key and the same strategies' code (docs/reference/records.md). */
#ifndef NB_CASE_H
#define NB_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "problems/base/hash.h"
#include "problems/base/status.h"
#include "solvers/solve.h"

/* Where a case runs: --backend cuda, or backend = cuda in a sweep, takes the strategies that are named in
 * their versions for a CUDA device. These are rows of the registry of their own, NAME's being cuda_NAME, and
 * of a linear solver that runs in several ways cuda_NAME_persistent; a record holds their names. */

/* The device's versions: of the nonlinear method, which then has its linear solvers there; where `system` is
 * solved alone, of the linear solver. Names of the device are left as they are; settings go along.
 * NB_BAD_INPUT where there is none, or where it has no such setting; NB_UNSUPPORTED in a build without CUDA. */
enum nb_status nb_backend_cuda(struct nb_options *options, bool system, struct nb_error *error);

#define NB_RECORD_VERSION 1
#define NB_KEY_VERSION 3 /* of the defaults that a key leaves out, and of the hash */
#define NB_KEY_SIZE NB_SHORT_HASH_SIZE

enum nb_case_mode {
    NB_CASE_STEP,         /* the whole nonlinear or linear step            */
    NB_CASE_LINEAR_SYSTEM /* one Newton system that is stored in the file  */
};

/* The point at which a solve of a step begins. */
enum nb_case_start {
    NB_START_REST,    /* as the method does by itself                       */
    NB_START_GUESS,   /* FCLIB's first guess in the file, or its solution   */
    NB_START_PREVIOUS /* the method's own solution of the step before: that of the file whose number is one less */
};

struct nb_case {
    char problem[64];          /* the file's name without path and suffix       */
    char problem_file[1024];
    char right_side_file[1024]; /* of a Matrix Market system; "": the default   */
    char problem_hash[NB_HASH_SIZE]; /* SHA-256 of the file's content           */
    bool optional_problem;     /* a missing file is skipped, not refused        */
    enum nb_case_mode mode;
    int system;                /* index of the stored system                    */
    struct nb_options options;
    bool linearized;           /* linearise a nonlinear step first              */
    double tolerance;          /* of step_error; NaN: run all iterations; of a
                                * linear system: the residual at which it is judged */
    enum nb_case_start start;
    char previous_hash[NB_HASH_SIZE]; /* of the step before; "": there is none, or it is not asked for */
    const char *series_file;   /* by which the step before is found; NULL: problem_file */
    int repetitions;
    double time_limit;         /* [s] for load, set-up and traced run together, and again for
                                  every repetition                              */
    int memory_limit;          /* [MiB] of address space beyond the program's own */
    bool on_device;            /* of a spec, until its strategies are replaced (harness/case/case.h) */
    bool without_floor;        /* a sweep computes none for it                  */
    bool without_second_answer; /* none is looked for (harness/case/reference.c) */
    char group[64];            /* of a spec that it is from; else ""            */
    int shard;                 /* of a sweep that is divided, from 1; else 0    */
    int unknowns;              /* of the problem file, primal and dual; 0: not read */
};

/* Defaults of every member; the problem is empty. */
struct nb_case nb_case_default(void);

/* Sets problem_file and problem, its name without path and suffix, shown without control characters. */
enum nb_status nb_case_set_problem(struct nb_case *setting, const char *path,
                                   struct nb_error *error);

/* The step that a case poses: its file, linearised where the case is, for arithmetic of this unit of roundoff (0: of
 * any). features: of the step in the file; seconds: what reading and linearising took; both may be NULL. The caller
 * frees the step. */
struct nb_features;
enum nb_status nb_case_read_step(const struct nb_case *setting, double unit_roundoff, struct nb_problem *step,
                                 struct nb_features *features, double *seconds, struct nb_error *error);

/* "arch fb/mass pcr+jacobi assembled f64 30x40", for people. */
void nb_case_label(const struct nb_case *setting, char *text, size_t size);

/* The file of the step before, arch-0007.h5 of arch-0008.h5. NB_UNSUPPORTED, with the reason, where the name has no
 * number, or is the first. */
enum nb_status nb_case_previous(const struct nb_case *setting, char path[1024], struct nb_error *error);

/* Sets previous_hash; "" where the step before is not there. */
void nb_case_hash_previous(struct nb_case *setting);

/* Sets problem_hash from the problem's file and, of a Matrix Market system, its right-hand side. What is read later
 * says the hash of its own bytes: struct nb_problem and nb_newton_system have it. */
enum nb_status nb_case_hash_problem(struct nb_case *setting, struct nb_error *error);

/* NB_BAD_FILE where problem_hash is set and is not that of the bytes that were read: the file was replaced. */
enum nb_status nb_case_check_hash(const struct nb_case *setting, const char *read, struct nb_error *error);

/* The linear solver's own setting tol; 0: it spends all iterations. */
double nb_case_linear_tolerance(const struct nb_case *setting);

#endif
