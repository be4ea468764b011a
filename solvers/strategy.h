/* The slots: what a new solver, preconditioner, NCP function, scaling or operator has to provide.
 *
 * A strategy is one file in its slot folder that defines one constant struct whose name derives
 * from folder and file: solvers/precond/jacobi.c defines
 *
 *     const struct nb_precond NB(nb_precond_jacobi) = { .name = "jacobi", ... };
 *
 * It is compiled once per precision, listed, swept and tested without any other edit.
 *
 * set-up allocates, everything after it does not, free accepts NULL. Operators, right-hand sides
 * and problems are const to a strategy; its workspace is its own. */
#ifndef NB_STRATEGY_H
#define NB_STRATEGY_H

#define nb_find_linear NB(nb_find_linear)
#define nb_find_ncp NB(nb_find_ncp)
#define nb_find_operator NB(nb_find_operator)
#define nb_find_precond NB(nb_find_precond)
#define nb_find_scaling NB(nb_find_scaling)
#define nb_find_solver NB(nb_find_solver)
#define nb_linear NB(nb_linear)
#define nb_linear_task NB(nb_linear_task)
#define nb_linear_uses_precond NB(nb_linear_uses_precond)
#define nb_method_task NB(nb_method_task)
#define nb_model NB(nb_model)
#define nb_ncp NB(nb_ncp)
#define nb_operator NB(nb_operator)
#define nb_operator_apply NB(nb_operator_apply)
#define nb_operator_multiply NB(nb_operator_multiply)
#define nb_operator_strategy NB(nb_operator_strategy)
#define nb_operator_sweep NB(nb_operator_sweep)
#define nb_precond NB(nb_precond)
#define nb_precond_apply NB(nb_precond_apply)
#define nb_product NB(nb_product)
#define nb_scaling NB(nb_scaling)
#define nb_scaling_input NB(nb_scaling_input)
#define nb_scaling_own_units NB(nb_scaling_own_units)
#define nb_slot_adopt NB(nb_slot_adopt)
#define nb_slot_check NB(nb_slot_check)
#define nb_slot_row NB(nb_slot_row)
#define nb_solver_is_fresh NB(nb_solver_is_fresh)
#define nb_solver_iterations NB(nb_solver_iterations)
#define nb_solver_own_units NB(nb_solver_own_units)
#define nb_solver_runs_beside NB(nb_solver_runs_beside)
#define nb_solver_self_contained NB(nb_solver_self_contained)
#define nb_solver_strategy NB(nb_solver_strategy)
#define nb_solver_together NB(nb_solver_together)
#define nb_strategy_settings NB(nb_strategy_settings)

#include "problems/base/status.h"
#include "solvers/block/half.h"
#include "solvers/block/matrix.h"
#include "solvers/plugin.h"
#include "solvers/precision.h"
#include "solvers/settings.h"
#include "solvers/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nb_model;
struct NB(nb_product);
struct nb_elasticity;

/* An NCP function phi(a, b) = 0  <=>  0 <= a _|_ b >= 0, and the friction compliance that goes
 * with it (docs/theory/design.md, section 2; Macklin et al. 2019, equations 18, 23, 35 and appendix A). */
struct nb_ncp {
    const char *name, *title, *source;
    /* a [n] gap [m], b [n] = r lambda_n [m]; out: phi [n] [m], its derivatives [n], each in [0, 2]. */
    void (*normal)(size_t n, const nb_real *a, const nb_real *b, nb_real *phi, nb_real *dphi_da,
                   nb_real *dphi_db);
    /* slip [n] = |D^T u| [m/s], force [n] = |lambda_f| [N], limit [n] = mu lambda_n > 0 [N],
     * r [n] = r_f [m/(s N)]; out: Gamma [n] >= 0, finite [m/(s N)]. */
    void (*friction)(size_t n, const nb_real *slip, const nb_real *force, const nb_real *limit,
                     const nb_real *r, nb_real *compliance);
};

/* Complementarity scaling ("complementarity preconditioner", Macklin et al. 2019, section 7). */
struct nb_scaling_input {
    size_t contacts;
    nb_real time_step;       /* h [s] */
    const nb_real *diagonal; /* [3 contacts]: [J M^-1 J^T]_ii for normal and tangents, or as refined [1/kg] */
};
struct nb_scaling {
    const char *name, *title, *source;
    int own_units; /* r is a number in the problem's units, not of the diagonal */
    /* Makes another diagonal of [J M^-1 J^T]_ii at q-, in place; NULL: that one is it. */
    enum nb_status (*refine)(const struct nb_problem *problem, nb_real *diagonal, struct nb_error *error);
    /* out: r_normal [contacts] [m/N], r_friction [contacts] [m/(s N)], both > 0. */
    void (*compute)(const struct nb_scaling_input *input, nb_real *r_normal, nb_real *r_friction);
};

/* The Schur operator A = L J H^-1 J^T L + C, L the diagonal row scaling, C the compliance with the
 * identity shift in it (docs/theory/design.md, section 4; Macklin et al. 2019, 59). C is diagonal but for the model's
 * bilateral_compliance, whose 3x3 blocks couple bilateral rows. Or another matrix K of the same system, by whose
 * solution A's is known: a strategy that condenses. */
struct nb_operator {
    const struct nb_operator_strategy *strategy;
    void *self;              /* the strategy's own */
    const struct nb_model *model; /* NULL where the matrix came from a file */
    size_t size;             /* rows n = 3 blocks; of a strategy that condenses other: set-up sets it */
    int threads;
    enum nb_storage storage; /* of A in its product; in 16 bits, matrix holds the same numbers */
    nb_real *diagonal;       /* [n] of A */
    const nb_real *row_scale; /* [n] L; NULL: ones           (valid after update) */
    const nb_real *compliance; /* [n] diag C + shift; NULL: part of matrix already */
    struct nb_bsr *matrix; /* A itself, or NULL where it is not assembled     */
    /* A copied for products (solvers/block/product.h); NULL: not since the matrix changed, or never. */
    const struct NB(nb_product) *product;
    /* Where update may write A instead, in the product's layout, so that the values of matrix stay those of
     * some earlier update; NULL: into matrix. */
    struct NB(nb_product) *direct;
    long applications;       /* counted by nb_operator_apply; products inside a preconditioner are not */
    const struct nb_options *options; /* of the run, while linear solver and preconditioner are set up */
};
struct nb_operator_strategy {
    const char *name, *title;
    int own_product; /* apply does not read op->product: none is made */
    /* Allocates for the model's fixed pattern. */
    enum nb_status (*setup)(struct nb_operator *op, const struct nb_model *model, struct nb_error *error);
    /* New values: the model's Jacobian, its coupling compliance, and the two diagonals [n]. */
    void (*update)(struct nb_operator *op, const nb_real *row_scale, const nb_real *compliance);
    void (*apply)(const struct nb_operator *op, const nb_real *x, nb_real *y);
    /* One sweep over the scalar rows, in order or backward: x_i += omega (b - A x)_i / A_ii. */
    void (*relax)(struct nb_operator *op, const nb_real *b, nb_real *x, nb_real omega, int backward);
    /* Why relax cannot run on this model, or NULL; may be NULL itself: it always can. */
    const char *(*cannot_relax)(const struct nb_operator *op);
    /* Where the matrix is K of the velocities but pads', H + J^T L C^-1 L J; else NULL: the right side of
     * K x = condense(b) [3 nodes], b [3 blocks], and p of A p = b from x = H^-1 J^T L p, of which it adds the pads'. */
    void (*condense)(const struct nb_operator *op, const nb_real *b, nb_real *out);
    void (*recover)(const struct nb_operator *op, nb_real *x, const nb_real *b, nb_real *p);
    /* Accepts a partly set-up operator. */
    void (*free)(struct nb_operator *op);
};
/* y = A x, counted. x, y [n], not overlapping. */
void nb_operator_apply(struct nb_operator *op, const nb_real *x, nb_real *y);
/* What a strategy whose matrix is stored has for apply and relax. */
void nb_operator_multiply(const struct nb_operator *op, const nb_real *x, nb_real *y);
void nb_operator_sweep(struct nb_operator *op, const nb_real *b, nb_real *x, nb_real omega, int backward);

/* A preconditioner P ~ A: symmetric positive definite, fixed during one linear solve. setup,
 * update, restart and free may be NULL: nothing to do. */
struct nb_precond {
    const char *name, *title, *source;
    /* Ended by a NULL name; NULL: none. setup reads op->options->precond with nb_settings_read. */
    const struct nb_setting *settings;
    int needs_matrix; /* cannot run where op->matrix is NULL: setup is then not called */
    /* Allocates into *self (may stay NULL). NB_UNSUPPORTED with the reason where it cannot work. */
    enum nb_status (*setup)(void **self, const struct nb_operator *op, struct nb_error *error);
    /* The operator's values changed. */
    enum nb_status (*update)(void *self, const struct nb_operator *op, struct nb_error *error);
    /* A run begins: the next update is to do what the first one did, whatever matrices came before. Needed by
     * what carries something from one matrix to the next. */
    void (*restart)(void *self);
    /* z = P^-1 r; r, z [n], not overlapping. */
    void (*apply)(const void *self, const struct nb_operator *op, const nb_real *r, nb_real *z);
    void (*free)(void *self);
    /* Where P is diagonal: the diagonal of P^-1 [n], which solvers then fuse with updates of their own;
     * may be NULL. */
    const nb_real *(*diagonal)(const void *self);
    int products_only;  /* reads A by nb_operator_apply and op->diagonal: op->matrix may be out of date */
};

/* What a linear solver is asked for. */
struct nb_linear_task {
    struct nb_operator *op;
    const struct nb_precond *precond;
    void *precond_self;
    struct nb_run *run;  /* counts applications of the preconditioner */
    const nb_real *b;    /* [n] right-hand side */
    nb_real *x;          /* [n] in: the start, zero in a Newton iteration; out: the result */
    int iterations;      /* at most */
    nb_real tolerance;   /* stop at ||b - A x|| <= tolerance ||b|| in the norm of D^-1, D = diag A
                            (nb_residual_norm); 0: only where arithmetic ends */
    /* After each iteration, with the iterate; may be NULL. For traces only. */
    void (*observe)(void *context, int iteration, const nb_real *x);
    void *observe_context;
};
/* z = P^-1 r, counted. */
void nb_precond_apply(const struct nb_linear_task *task, const nb_real *r, nb_real *z);

struct nb_linear {
    const char *name, *title, *source;
    /* NB_LINEAR_COMMON_SETTINGS and its own, ended by a NULL name; NULL: the common ones. setup reads its own
     * from op->options->linear with nb_settings_read: they begin at value[NB_LINEAR_COMMON]. */
    const struct nb_setting *settings;
    int direct;         /* ignores the iteration limit                      */
    int preconditioned; /* uses the preconditioner; others run with none only */
    int foreign;        /* keeps A in a form of its own: needs no products with the operator */
    int products_only;  /* reads A by nb_operator_apply and op->diagonal: op->matrix may be out of date */
    int needs_matrix;   /* cannot run where op->matrix is NULL: setup is then not called */
    int relaxes;        /* calls op->strategy->relax: the same where the operator cannot */
    int vectors;        /* where setup is NULL: self is so many vectors [n], zero at first, one after the other */
    /* Allocates. setup, update and free may be NULL: nothing to do. */
    enum nb_status (*setup)(void **self, const struct nb_operator *op, struct nb_error *error);
    /* The operator's values changed: factorise, estimate. Counted as assembly time. A matrix that
     * is not positive definite gives NB_BREAKDOWN and the reason. */
    enum nb_status (*update)(void *self, struct nb_operator *op, struct nb_error *error);
    /* On breakdown x is the best iterate so far. */
    struct nb_linear_report (*solve)(void *self, const struct nb_linear_task *task);
    void (*free)(void *self);
};

/* A nonlinear method: the whole of a run (docs/guide/own_solver.md has one). */
struct nb_method_task {
    struct nb_model *model;
    const struct nb_options *options;
    const struct nb_observer *observer;    /* NULL in timed runs */
    int iterations;  /* at most */
    nb_real *u;      /* [3 model->nodes], on entry zero, or where a warm method begins      */
    nb_real *lambda; /* [3 model->blocks] [N], likewise                                     */
    /* Widens the iterate in u and lambda and calls the observer; true to stop. To be called with 0 first and
     * after each iteration; the last reported iterate is to stay in u and lambda. linear is the last linear solve;
     * NULL where there was none. */
    int (*report)(const struct nb_method_task *task, int iteration, const struct nb_linear_report *linear);
    void *report_context;
    struct nb_run *run;
    double *untimed; /* [s] of the run that are no part of the method, zero on entry; a plugin's do not count */
};

/* Limits of iterations where none is asked for: of Newton's methods and what names no other, and of methods
 * that do not factorise in each. */
enum { NB_NEWTON_ITERATIONS = 30, NB_FIRST_ORDER_ITERATIONS = 1000 };

struct nb_solver_strategy {
    const char *name, *title, *source;
    int self_contained; /* the options' NCP function, scaling and linear solver play no part */
    int warm;           /* run begins at the task's u and lambda, not at rest                */
    int iterations;     /* at most, where the options ask for the method's own limit; 0: Newton's */
    int together;       /* sees all islands of a step as one system where the options do not say: its budget of
                           iterations is of the whole step, or it takes islands apart itself */
    int alone;          /* no two of its runs may go on at once: it keeps state outside of self */
    int fresh;          /* its timed run is to be the only one of a process: it is its own warm-up, by another step */
    /* Ended by a NULL name; NULL: none. setup reads options->solver with nb_settings_read. */
    const struct nb_setting *settings;
    /* How elements are to enter the model, from the solver's text with its settings (checked); NULL: in
     * full. */
    void (*elasticity)(const char *solver, struct nb_elasticity *elasticity);
    /* Whether, with valid options, it is to see the step in the problem's units instead of those that
     * solvers/intrinsic_units.h finds: where a setting is a number in them, such as a stiffness [N/m], or a paper's
     * formula holds in SI. NULL: never. */
    int (*own_units)(const struct nb_options *options);
    /* Allocates; called before each run, and timed with it. setup and free may be NULL: nothing to do. */
    enum nb_status (*setup)(void **self, struct nb_model *model,
                            const struct nb_options *options, struct nb_error *error);
    /* Goes through the same iterates observed or not, and keeps nothing for the next run: timed runs are
     * judged, too. Counts into task->run, newton_iterations at least. */
    enum nb_status (*run)(void *self, const struct nb_method_task *task, struct nb_error *error);
    void (*free)(void *self);
};

/* Lookup within the present precision; NULL where there is no such name. Settings after a colon are
 * not looked at (solvers/settings.h). */
const struct nb_ncp *nb_find_ncp(const char *name);
const struct nb_scaling *nb_find_scaling(const char *name);
const struct nb_linear *nb_find_linear(const char *name);
const struct nb_precond *nb_find_precond(const char *name);
const struct nb_operator_strategy *nb_find_operator(const char *name);
const struct nb_solver_strategy *nb_find_solver(const char *name);

/* The listing behind solvers/registry.h: row `index` of a kind, 0 past its end. */
struct nb_registry_row;
int nb_slot_row(const char *kind, size_t index, struct nb_registry_row *row);
/* Whether the nonlinear method of that name is self-contained. */
int nb_solver_self_contained(const char *solver);
/* Whether the method of that name sees all islands together by default, and whether runs of it may go on at once:
 * it is self-contained, since linear solvers of other libraries need not allow that. */
int nb_solver_together(const char *solver);
int nb_solver_runs_beside(const char *solver);
/* Whether the options' method sees steps in the problem's units. */
int nb_solver_own_units(const struct nb_options *options);
/* The own_units of methods that take r of the options' scaling. */
int nb_scaling_own_units(const struct nb_options *options);
/* Whether a timed run of that method is to be the only one of its process. */
int nb_solver_is_fresh(const char *solver);
/* The limit of iterations of the nonlinear method of that name. */
int nb_solver_iterations(const char *solver);
/* The settings of a solver, linear solver or preconditioner; NULL: none. */
const struct nb_setting *nb_strategy_settings(const char *kind, const char *name);
/* Whether the linear solver of that name uses a preconditioner. */
int nb_linear_uses_precond(const char *linear);
/* Whether each strategy of the tree has a name of its own, a title and its functions: NB_BAD_FILE names the file. */
enum nb_status nb_slot_check(struct nb_error *error);
/* Adds a plugin's strategies; added [8] tells which (solvers/plugin.h). */
enum nb_status nb_slot_adopt(void *handle, const char *stem, const char *path,
                             struct nb_registry_row *added, int *count, struct nb_error *error);

/* The layout that a plugin and the program have to share. */
#define NB_ABI                                                                                   \
    {NB_ABI_VERSION,                                                                             \
     {sizeof(struct nb_operator), sizeof(struct nb_bsr), sizeof(struct nb_precond),  \
      sizeof(struct nb_linear), sizeof(struct nb_linear_task),                           \
      sizeof(struct nb_solver_strategy), sizeof(nb_real), sizeof(nb_matrix),                 \
      sizeof(struct nb_model), sizeof(struct nb_method_task), sizeof(struct nb_options), \
      sizeof(struct nb_run), sizeof(struct nb_ncp), sizeof(struct nb_scaling_input)}}
#ifdef NB_PLUGIN
#include "solvers/model/model.h"
extern const struct nb_abi NB(nb_abi);
const struct nb_abi NB(nb_abi) = NB_ABI;
#endif

#ifdef __cplusplus
}
#endif

#endif
