/* Siconos' solvers of frictional contact (Acary et al. 2019), through its C interface. Linear steps
 * without bilateral rows: local ones as they are, global ones by the global solvers, or reduced to W and
 * q by Siconos itself when the solver is created.
 *
 * Every solve starts from zero on a fresh copy of the problem, since Siconos keeps factorisations and
 * conversions in its matrices. The copy is not part of the solve. */
#include "solvers/peers/peer.h"

#include <stdlib.h>
#include <string.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <NumericsVerbose.h>

#include "problems/base/clock.h"

enum { METHOD, STORAGE, TOLERANCE, SETTINGS };
const struct nb_setting nb_siconos_settings[] = {
    [METHOD] = {.name = "method",
                .choices = "nsgs,nsgs_pli,prox,nsn_ac,nsn_fb,admm,eg,fpp,"
                           "global_nsgs,global_nsn_ac,global_admm,global_eg,global_fpp",
                .meaning = "nonsmooth Gauss-Seidel, also with local iterations of projection; proximal point; "
                           "nonsmooth Newton of Alart and Curnier or Fischer and Burmeister; alternating "
                           "directions; extragradient; fixed-point projection; on W, or on M (global)"},
    [STORAGE] = {.name = "storage", .choices = "sparse,blocks,dense", .meaning = "of W"},
    [TOLERANCE] = {.name = "tolerance", .value = 1e-10, .minimum = 0, .maximum = 1, .above_minimum = 1,
                   .meaning = "at which Siconos stops by its own measure"},
    [SETTINGS] = {.name = NULL},
};

enum storage { SPARSE, BLOCKS, DENSE };

/* What METHOD chooses. */
static const struct method {
    int local;       /* SICONOS_FRICTION_3D_..., or 0: global only                     */
    int global;      /* SICONOS_GLOBAL_FRICTION_3D_...; 0: global problems are reduced */
    int one_contact; /* SICONOS_FRICTION_3D_ONECONTACT_... inside; 0: its default      */
} methods[] = {
    {.local = SICONOS_FRICTION_3D_NSGS},
    {.local = SICONOS_FRICTION_3D_NSGS,
     .one_contact = SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration},
    {.local = SICONOS_FRICTION_3D_PROX},
    {.local = SICONOS_FRICTION_3D_NSN_AC},
    {.local = SICONOS_FRICTION_3D_NSN_FB},
    {.local = SICONOS_FRICTION_3D_ADMM},
    {.local = SICONOS_FRICTION_3D_EG},
    {.local = SICONOS_FRICTION_3D_FPP},
    {.global = SICONOS_GLOBAL_FRICTION_3D_NSGS},
    {.global = SICONOS_GLOBAL_FRICTION_3D_NSN_AC},
    {.global = SICONOS_GLOBAL_FRICTION_3D_ADMM},
    {.global = SICONOS_GLOBAL_FRICTION_3D_VI_EG},
    {.global = SICONOS_GLOBAL_FRICTION_3D_VI_FPP},
};

struct siconos {
    const struct nb_problem *problem;
    const struct method *method;
    double tolerance;
    FrictionContactProblem *local;        /* what is copied for each solve: one of these */
    GlobalFrictionContactProblem *global;
    double *r, *velocity, *v;             /* [3 contacts], [3 contacts], [dofs] */
};

static void release(void *self)
{
    struct siconos *siconos = self;
    if (siconos->local)
        frictionContactProblem_free(siconos->local);
    if (siconos->global)
        globalFrictionContact_free(siconos->global);
    free(siconos->r);
    free(siconos->velocity);
    free(siconos->v);
    free(siconos);
}

static double *copy_of(const double *values, int count)
{
    double *copy = malloc(((size_t)count + 1) * sizeof *copy);
    if (copy)
        memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

/* A compressed matrix in Siconos' compressed columns; transposed: its transpose. Where Siconos
 * leaves the choice, CXSparse solves with it: on these problems it is faster than MUMPS. */
static NumericsMatrix *sparse_matrix(const struct nb_csr *from, int transposed)
{
    NumericsMatrix *matrix = NM_create(NM_SPARSE, transposed ? from->columns : from->rows,
                                       transposed ? from->rows : from->columns);
    NM_triplet_alloc(matrix, from->start[from->rows] + 1);
    matrix->matrix2->origin = NSM_TRIPLET;
    for (int i = 0; i < from->rows; ++i)
        for (int k = from->start[i]; k < from->start[i + 1]; ++k)
            NM_entry(matrix, transposed ? from->column[k] : i, transposed ? i : from->column[k],
                     from->value[k]);
    NM_csc(matrix);
    matrix->matrix2->origin = NSM_CSC;
    NM_clearTriplet(matrix);
    NM_setSparseSolver(matrix, NSM_CSPARSE);
    return matrix;
}

/* W in another storage, which some methods prefer. */
static NumericsMatrix *store(NumericsMatrix *sparse, enum storage storage)
{
    if (storage == SPARSE)
        return sparse;
    NumericsMatrix *other = NM_create(storage == DENSE ? NM_DENSE : NM_SPARSE_BLOCK,
                                      sparse->size0, sparse->size1);
    if (storage == DENSE)
        NM_to_dense(sparse, other);
    else
        SBM_from_csparse(3, NM_csc(sparse), other->matrix1);
    NM_clear(sparse);
    free(sparse);
    return other;
}

static void build_local(struct siconos *siconos, enum storage storage)
{
    const struct nb_linear_step *step = &siconos->problem->linear;
    siconos->local = frictionContactProblem_new_with_data(
        3, step->contacts, store(sparse_matrix(&step->delassus, 0), storage),
        copy_of(step->contact_velocity, 3 * step->contacts), copy_of(step->friction, step->contacts));
}

static void build_global(struct siconos *siconos)
{
    const struct nb_linear_step *step = &siconos->problem->linear;
    GlobalFrictionContactProblem *global = globalFrictionContactProblem_new();
    global->dimension = 3;
    global->numberOfContacts = step->contacts;
    global->M = sparse_matrix(&step->mass, 0);
    global->H = sparse_matrix(&step->contact_jacobian, 1);
    global->q = copy_of(step->force, step->dofs);
    global->b = copy_of(step->contact_velocity, 3 * step->contacts);
    global->mu = copy_of(step->friction, step->contacts);
    siconos->global = global;
}

/* Siconos reduces a global problem itself; the global one is kept for v. */
static enum nb_status reduce(struct siconos *siconos, enum storage storage,
                             struct nb_error *error)
{
    GlobalFrictionContactProblem *copy = globalFrictionContact_copy(siconos->global);
    siconos->local = globalFrictionContact_reformulation_FrictionContact(copy);
    globalFrictionContact_free(copy);
    if (!siconos->local || !siconos->local->M)
        return nb_fail(error, NB_BREAKDOWN, "Siconos could not reduce the global problem");
    if (siconos->local->M->storageType == NM_SPARSE)
        siconos->local->M = store(siconos->local->M, storage);
    NM_setSparseSolver(siconos->local->M, NSM_CSPARSE);
    return NB_OK;
}

static enum nb_status check(const struct nb_problem *problem, const struct method *method,
                            struct nb_error *error)
{
    if (problem->form == NB_NONLINEAR)
        return nb_fail(error, NB_UNSUPPORTED, "Siconos takes linear steps here: use --linearized");
    if (problem->linear.bilaterals > 0)
        return nb_fail(error, NB_UNSUPPORTED, "Siconos' methods take no bilateral rows, of which the step has %d",
                       problem->linear.bilaterals);
    if (problem->linear.contacts == 0)
        return nb_fail(error, NB_UNSUPPORTED, "there is no contact to solve");
    if (problem->form == NB_LINEAR_LOCAL && !method->local)
        return nb_fail(error, NB_UNSUPPORTED, "a global solver needs a global problem");
    return NB_OK;
}

static enum nb_status create(void **self, const struct nb_problem *problem, const double *value,
                             struct nb_error *error)
{
    const struct method *method = methods + (int)value[METHOD];
    const enum storage storage = (enum storage)value[STORAGE];
    enum nb_status status = check(problem, method, error);
    if (status)
        return status;
    struct siconos *siconos = calloc(1, sizeof *siconos);
    if (!siconos)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for Siconos");
    const size_t rows = 3 * (size_t)problem->linear.contacts;
    siconos->problem = problem;
    siconos->method = method;
    siconos->tolerance = value[TOLERANCE];
    siconos->r = calloc(rows + 1, sizeof *siconos->r);
    siconos->velocity = calloc(rows + 1, sizeof *siconos->velocity);
    siconos->v = calloc((size_t)problem->linear.dofs + 1, sizeof *siconos->v);
    numerics_set_verbose(0);
    /* MUMPS, which its Newton methods use as Debian builds them, ends the process without MPI. */
    nb_peer_start(NULL);
    if (!siconos->r || !siconos->velocity || !siconos->v)
        status = nb_fail(error, NB_OUT_OF_MEMORY, "no memory for Siconos");
    else if (problem->form == NB_LINEAR_LOCAL)
        build_local(siconos, storage);
    else
        build_global(siconos);
    if (!status && siconos->global && !method->global)
        status = reduce(siconos, storage, error);
    if (status) {
        release(siconos);
        return status;
    }
    *self = siconos;
    return NB_OK;
}

static SolverOptions *options_of(const struct siconos *siconos, int id, int iterations)
{
    SolverOptions *options = solver_options_create(id);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    options->dparam[SICONOS_DPARAM_TOL] = siconos->tolerance;
    if (siconos->method->one_contact) {
        if (options->numberOfInternalSolvers > 0 && options->internalSolvers[0])
            solver_options_delete(options->internalSolvers[0]);
        options->internalSolvers[0] = solver_options_create(siconos->method->one_contact);
    }
    return options;
}

static int solve(void *self, int iterations, double *untimed)
{
    struct siconos *siconos = self;
    const double start = nb_seconds();
    const int rows = 3 * siconos->problem->linear.contacts;
    const int global = siconos->global && siconos->method->global;
    FrictionContactProblem *local = global ? NULL : frictionContact_copy(siconos->local);
    GlobalFrictionContactProblem *whole = global ? globalFrictionContact_copy(siconos->global) : NULL;
    SolverOptions *options = options_of(siconos, global ? siconos->method->global
                                                        : siconos->method->local, iterations);
    NM_setSparseSolver(global ? whole->M : local->M, NSM_CSPARSE);
    memset(siconos->r, 0, (size_t)rows * sizeof *siconos->r);
    memset(siconos->velocity, 0, (size_t)rows * sizeof *siconos->velocity);
    memset(siconos->v, 0, (size_t)siconos->problem->linear.dofs * sizeof *siconos->v);
    const double begin = nb_seconds();
    if (global)
        gfc3d_driver(whole, siconos->r, siconos->velocity, siconos->v, options);
    else
        fc3d_driver(local, siconos->r, siconos->velocity, options);
    const double end = nb_seconds();
    const int done = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    free(options);
    if (local)
        frictionContactProblem_free(local);
    if (whole)
        globalFrictionContact_free(whole);
    *untimed += begin - start + (nb_seconds() - end);
    return done;
}

static void solution(void *self, double *r, double *u)
{
    struct siconos *siconos = self;
    const int rows = 3 * siconos->problem->linear.contacts;
    memcpy(r, siconos->r, (size_t)rows * sizeof *r);
    if (!siconos->global) {
        memcpy(u, siconos->velocity, (size_t)rows * sizeof *u);
        return;
    }
    if (!siconos->method->global)
        globalFrictionContact_computeGlobalVelocity(siconos->global, siconos->r, siconos->v);
    memcpy(u, siconos->v, (size_t)siconos->problem->linear.dofs * sizeof *u);
}

const struct nb_peer_contact nb_peer_siconos = {
    .library = "Siconos", .create = create, .solve = solve, .solution = solution, .free = release};
