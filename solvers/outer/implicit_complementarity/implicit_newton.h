/* Implicit complementarity (Todorov 2010): find x in R^3 per contact with
 *
 *     r(x) = W Sigma f(x) - f(x) - x + v_0 = 0,   l(x) = ||r||^2 / 2            (15), (19)
 *
 * by Gauss-Newton on l, semismooth. p = Sigma f are the impulses [N s], and f, v, x and r
 * velocities: the paper has Sigma = 1 and so depends on units. One value of Sigma per contact
 * leaves the cone as it is. Bilateral rows have f = -x, v = 0. */
#ifndef NB_IMPLICIT_NEWTON_H
#define NB_IMPLICIT_NEWTON_H

#include "solvers/contact/implicit_map.h"
#include "solvers/model/step_rows.h"
#include "solvers/sparse/factor.h"

#define nb_implicit NB(nb_implicit)
#define nb_implicit_create NB(nb_implicit_create)
#define nb_implicit_crossing NB(nb_implicit_crossing)
#define nb_implicit_evaluate NB(nb_implicit_evaluate)
#define nb_implicit_free NB(nb_implicit_free)
#define nb_implicit_iterate NB(nb_implicit_iterate)
#define nb_implicit_linearise NB(nb_implicit_linearise)
#define nb_implicit_newton_point NB(nb_implicit_newton_point)
#define nb_implicit_prepare NB(nb_implicit_prepare)
#define nb_implicit_return_to_edges NB(nb_implicit_return_to_edges)
#define nb_implicit_search NB(nb_implicit_search)
#define nb_implicit_start NB(nb_implicit_start)
#define nb_implicit_start_warm NB(nb_implicit_start_warm)
#define nb_implicit_stay_on_edges NB(nb_implicit_stay_on_edges)
#define nb_implicit_transposed NB(nb_implicit_transposed)

/* What the method makes of edges, in the order in which the paper comes to it (III.B to III.D), the last first. */
enum nb_implicit_edges {
    NB_IMPLICIT_FOLLOWED, /* points move in the tangent planes of active edges, and return to curved ones */
    NB_IMPLICIT_TANGENT,  /* they do not return to curved ones */
    NB_IMPLICIT_MET,      /* the line search may end on an edge, where (26) is the slope, and no more */
    NB_IMPLICIT_IGNORED   /* nor does it look for any */
};

enum nb_implicit_scale { NB_IMPLICIT_BY_CONTACT, NB_IMPLICIT_BY_STEP, NB_IMPLICIT_UNSCALED };

/* Where the line search met an edge. */
struct nb_implicit_crossing {
    nb_real alpha;
    int contact, edge;
};

struct nb_implicit {
    struct nb_step_rows rows;
    int scale;                    /* enum nb_implicit_scale                            */
    int edges;                    /* enum nb_implicit_edges                            */
    int sticking;                 /* the start is as nb_implicit_start says            */
    struct nb_factor *factor;     /* of B^T H B                                        */
    struct nb_bsr normal;         /* blocks k >= j of B^T J^T J B, in the pattern of all */
    int *mirror;                  /* of W's block (i, j): the position of (j, i)       */
    void *memory;                 /* of the arrays below                               */
    int *where;                   /* [blocks] scratch                                  */
    int *on, *active;             /* [contacts] enum nb_implicit_edge: x lies on, stays on  */
    struct nb_implicit_crossing *crossing; /* [3 contacts]                             */
    nb_real *sigma;               /* [n]                                               */
    nb_real *x, *newton, *cauchy, *trial, *best; /* [n]                                */
    nb_real *residual, *residual_trial; /* [n] r                                       */
    nb_real *p, *velocity;        /* [n] at the point evaluated last                   */
    nb_real *kept, *kept_u;       /* [n], [3 nodes] p and u where r was least          */
    nb_real *back;                /* [n] q = (W Sigma - 1)^T r                         */
    nb_real *gradient, *step, *work; /* [n] g; steps                                   */
    nb_real *slope, *basis;       /* [9 blocks] df/dx at x, B                          */
    nb_matrix *jacobian;          /* [9 blocks of W] J B                               */
    nb_real lambda, mean;         /* of Levenberg and Marquardt; times mean diag B^T J^T J B */
    nb_real objective;            /* l(x)                                              */
    int tried;                    /* points at which l was evaluated in this iteration */
    int crossed;                  /* its line search ended where it met an edge        */
};

/* The model must outlive it. */
enum nb_status nb_implicit_create(struct nb_implicit **self, struct nb_model *model,
                                  int scale, int threads, struct nb_error *error);
void nb_implicit_free(struct nb_implicit *self);

/* u = u~; sticking: x where v = 0 in all contacts, f = (W Sigma)^+ (-v_0) (III.F); else x = 0. */
void nb_implicit_start(struct nb_implicit *self);

/* The gaps and W at the present u; x = v - f from the velocity and impulse there. */
void nb_implicit_linearise(struct nb_implicit *self);

/* l(x), r into out; p, velocity and u go with x. */
nb_real nb_implicit_evaluate(struct nb_implicit *self, const nb_real *x, nb_real *out);

/* Active edges, B, df/dx and the gradient at x, after an evaluation there. */
void nb_implicit_prepare(struct nb_implicit *self);

/* The Newton point (22), (28), projected on active edges; its predicted decrease of l. Zero
 * where the matrix has no factor. */
nb_real nb_implicit_newton_point(struct nb_implicit *self);

/* The best point of x : x_C and x_C : x_N, edge crossings and cubic minimisers between them
 * included (III.C). Nonzero, and x moved, where l is lower there. */
int nb_implicit_search(struct nb_implicit *self);

/* out = q = (W Sigma - 1)^T r of the given residual. */
void nb_implicit_transposed(struct nb_implicit *self, const nb_real *r, nb_real *out);

/* Moves contacts on active edges to the nearest point of the edge. */
void nb_implicit_return_to_edges(const struct nb_implicit *self, nb_real *x);

/* A step has been taken: contacts on active edges are on them still. */
void nb_implicit_stay_on_edges(struct nb_implicit *self);

/* x where the task's motion u [3 nodes] and forces lambda [n] leave off, in place of nb_implicit_start. */
void nb_implicit_start_warm(struct nb_implicit *self, const nb_real *u, const nb_real *lambda);

/* One iteration of the pseudocode III.E; zero where no better point was found. */
int nb_implicit_iterate(struct nb_implicit *self, struct nb_run *run);

#endif
