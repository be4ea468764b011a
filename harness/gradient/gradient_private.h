/* What the parts of nb_gradient share. Rows are the problem's multipliers: bilateral ones, then three a contact.
 * Unknowns are the velocities, then the rows that take part. */
#ifndef NB_GRADIENT_PRIVATE_H
#define NB_GRADIENT_PRIVATE_H

#include "harness/gradient/gradient.h"
#include "problems/base/arena.h"
#include "solvers/model/model.h"

struct nb_gradient {
    const struct nb_problem *problem; /* borrowed */
    struct NB(nb_model) *model;       /* evaluated at u */
    int dofs, bilaterals, contacts, rows, plain; /* plain: bilateral rows that are no element's */
    int size;                 /* of the system */
    double time_step;
    struct nb_csr mass;       /* M */
    struct nb_csr transposed; /* (dF/dx)^T */
    struct nb_csr scaled;     /* the same, scaled and regularised */
    void *numeric;            /* UMFPACK's factor of it */
    double margin;
    int margin_contact, redundant;
    double residual;
    void *memory;             /* of the arrays */
    double *u;                /* [dofs] */
    double *particle;         /* [3 particles] at q+ */
    double *impulse;          /* [rows] p = h lambda */
    double *velocity;         /* [rows] at u, without compliance */
    double *inverse_mass;     /* [rows] w */
    double *direction;        /* [2 contacts] of U_T where a contact slides */
    int *state;               /* [contacts] */
    int *entry;               /* [rows] the unknown that it is, or -1 */
    int *row_of;              /* [rows] back, of unknown dofs + k */
    int *shared;              /* [rows] is one of redundant rows */
    double *scale_in;         /* [size at most] C */
    double *scale_out;        /* [size at most] R: (R F C)^T is scaled */
    double *weight;           /* right-hand side */
    double *adjoint;          /* z */
    double *left, *change;    /* room */
};

/* The model's row of a row, and whether it vanishes at the solution: bilateral, or the normal or a sticking tangent. */
int nb_gradient_model_row(const struct nb_gradient *g, int row);
bool nb_gradient_is_closed(const struct nb_gradient *g, int row);

/* gradient_system.c: transposed, scaled and the factor. */
enum nb_status nb_gradient_assemble(struct nb_gradient *g, struct nb_error *error);

/* Solves (dF/dx)^T z = right [size] into z by the factor and corrections, and returns what is left, relative. left is
 * that, scaled. */
double nb_gradient_correct(struct nb_gradient *g, const double *right, double *z, double *left);

#endif
