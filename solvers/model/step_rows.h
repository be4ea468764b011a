/* A step as rows of impulses and velocities, for methods that work on p = h lambda alone:
 *
 *     U(p) = J u + base + (E/h^2) p,   M u = f + J^T p,   dU/dp = W = J H^-1 J^T + E/h^2
 *
 * with J, and base = violation - J u, of the last linearisation. Bilateral rows come first,
 * contacts after them, normal row first (solvers/model/model.h). */
#ifndef NB_STEP_ROWS_H
#define NB_STEP_ROWS_H

#include "solvers/model/model.h"
#include "solvers/strategy.h"

#define nb_step_rows NB(nb_step_rows)
#define nb_step_rows_assemble NB(nb_step_rows_assemble)
#define nb_step_rows_create NB(nb_step_rows_create)
#define nb_step_rows_free NB(nb_step_rows_free)
#define nb_step_rows_linearise NB(nb_step_rows_linearise)
#define nb_step_rows_publish NB(nb_step_rows_publish)
#define nb_step_rows_start NB(nb_step_rows_start)
#define nb_step_rows_velocity NB(nb_step_rows_velocity)

struct nb_step_rows {
    struct nb_model *model;  /* borrowed */
    struct nb_operator op;   /* W assembled in 3x3 blocks, with its diagonal [n] */
    size_t size, bilateral;      /* n rows, the first so many of them bilateral      */
    void *memory;                /* of the arrays below                              */
    nb_real *ones, *compliance;  /* [n] 1; diagonal of E/h^2, 0 in contact rows      */
    nb_real *base;               /* [n]                                              */
    nb_real *u, *defect, *momentum; /* [3 nodes]; u belongs to the p evaluated last  */
};

/* The model must outlive it. After creation u = 0 and nothing is linearised. A method that needs no W asks
 * for none: assembled = 0. */
enum nb_status nb_step_rows_create(struct nb_step_rows *rows, struct nb_model *model,
                                   int threads, int assembled, struct nb_error *error);
void nb_step_rows_free(struct nb_step_rows *rows);

/* u = u~, the motion without contact and bilateral forces, and the linearisation there. */
void nb_step_rows_start(struct nb_step_rows *rows);

/* J, W and the gaps at the present u. */
void nb_step_rows_linearise(struct nb_step_rows *rows);

/* W of the model's present J. */
void nb_step_rows_assemble(struct nb_step_rows *rows);

/* velocity [n] = U(p); u goes with p. */
void nb_step_rows_velocity(struct nb_step_rows *rows, const nb_real *p, nb_real *velocity);

/* u and lambda = p/h into the task, and its report. */
int nb_step_rows_publish(const struct nb_step_rows *rows, const nb_real *p, const struct nb_method_task *task,
                         const struct nb_linear_report *report);

#endif
