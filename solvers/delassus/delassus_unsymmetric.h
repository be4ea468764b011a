/* W of a linear step as its file gives it, symmetric or not, for methods that need no symmetry:
 *
 *     W = J M^-1 J^T,   u(p) = u(0) + M^-1 J^T p
 *
 * with the M, or W, of the file. The operators of the Newton systems hold the symmetric part only, and
 * M^-1 magnifies what they leave out: an M that is unsymmetric by 1.5e-7 of its largest entry makes W
 * wrong by 6 in 100 (CubeH8). All of it is computed at set-up, M^-1 J^T column by column with the
 * corrections of nb_model_respond; where to keep M^-1 J^T would take more memory or work than it saves, u(p) is
 * left to nb_model_respond. */
#ifndef NB_DELASSUS_UNSYMMETRIC_H
#define NB_DELASSUS_UNSYMMETRIC_H

#include "solvers/model/model.h"

#define nb_unsymmetric NB(nb_unsymmetric)
#define nb_unsymmetric_add_compliance NB(nb_unsymmetric_add_compliance)
#define nb_unsymmetric_add_responses NB(nb_unsymmetric_add_responses)
#define nb_unsymmetric_create NB(nb_unsymmetric_create)
#define nb_unsymmetric_fit NB(nb_unsymmetric_fit)
#define nb_unsymmetric_free NB(nb_unsymmetric_free)
#define nb_unsymmetric_respond NB(nb_unsymmetric_respond)
#define nb_unsymmetric_responses_pay NB(nb_unsymmetric_responses_pay)

struct nb_unsymmetric {
    struct nb_bsr matrix;      /* W; empty where W follows from 3x3 blocks of inertia        */
    nb_real *free_velocity;    /* [3 nodes] u(0); NULL where W itself was given, or not kept */
    nb_real *response;         /* [3 blocks x 3 nodes] row j: M^-1 J^T e_j; NULL likewise     */
};

/* Whether M^-1 J^T of a general M is of a size at which its columns are computed, and whether they are kept. */
int nb_unsymmetric_fit(const struct nb_model *model);
int nb_unsymmetric_responses_pay(const struct nb_model *model);

/* Leaves it empty for a model whose J moves, or whose inertia is of blocks. */
enum nb_status nb_unsymmetric_create(struct nb_unsymmetric *rows,
                                     const struct nb_model *model, struct nb_error *error);
/* W becomes W + C: bilateral rows of a linear step have no compliance but that of their padding. */
void nb_unsymmetric_add_compliance(struct nb_unsymmetric *rows,
                                   const struct nb_model *model);
void nb_unsymmetric_free(struct nb_unsymmetric *rows);

/* u [dofs] += M^-1 J^T p, p [rows]; response [rows x dofs] as above. */
void nb_unsymmetric_add_responses(const nb_real *response, const nb_real *p, size_t rows, size_t dofs,
                                  nb_real *u);

/* u [3 nodes] at p [3 blocks]; zero, and u untouched, where it does not know. */
int nb_unsymmetric_respond(const struct nb_unsymmetric *rows,
                           const struct nb_model *model, const nb_real *p, nb_real *u);

#endif
