/* PETSc's Krylov methods (Balay et al.) on A as its AIJ matrix: KSP type and PC type by their names there; and its
 * preconditioners alone, by PCApply. */
#include <petscksp.h>
#include <stdlib.h>

#include "solvers/peers/peer.h"

enum { METHOD, PRECOND };
enum { TYPE };
const struct nb_setting nb_petsc_settings[] = {
    NB_LINEAR_COMMON_SETTINGS,
    {.name = "method", .choices = "cg,cr,minres", .meaning = "KSP type"},
    {.name = "precond", .choices = "jacobi,icc,gamg", .meaning = "PC type"},
    {.name = NULL},
};

const struct nb_setting nb_petsc_precond_settings[] = {
    [TYPE] = {.name = "type", .choices = "icc,gamg",
              .meaning = "incomplete Cholesky without fill, or smoothed aggregation, by scalar rows"},
    {.name = NULL},
};

static const char *const ksp_types[] = {KSPCG, KSPCR, KSPMINRES};
static const char *const pc_types[] = {PCJACOBI, PCICC, PCGAMG};
static const char *const lent_types[] = {PCICC, PCGAMG};

struct petsc {
    Mat matrix;
    KSP solver;
    Vec b, x;
    const struct nb_peer_task *task;
};

static void release(void *self)
{
    struct petsc *petsc = self;
    if (!petsc)
        return;
    KSPDestroy(&petsc->solver);
    VecDestroy(&petsc->b);
    VecDestroy(&petsc->x);
    MatDestroy(&petsc->matrix);
    free(petsc);
}

/* Once a process; options of its environment are forgotten, and errors are told by us. */
static int start(void)
{
    PetscBool running = PETSC_FALSE;
    if (PetscInitialized(&running))
        return 1;
    return !running && (PetscInitializeNoArguments() || PetscPopSignalHandler() || PetscOptionsClear(NULL) ||
                        PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
}

/* Aggregates are found anew for each matrix: what came before leaves no trace. */
static int build(struct petsc *petsc, const struct nb_peer_system *system, const char *ksp, const char *pc)
{
    PC precond = NULL;
    return MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, system->rows, system->rows, system->start,
                                     system->column, system->value, &petsc->matrix) ||
           MatSetOption(petsc->matrix, MAT_SYMMETRIC, PETSC_TRUE) ||
           MatSetOption(petsc->matrix, MAT_SPD, PETSC_TRUE) ||
           VecCreateSeqWithArray(PETSC_COMM_SELF, 1, system->rows, NULL, &petsc->b) ||
           VecCreateSeqWithArray(PETSC_COMM_SELF, 1, system->rows, NULL, &petsc->x) ||
           KSPCreate(PETSC_COMM_SELF, &petsc->solver) || KSPSetType(petsc->solver, ksp) ||
           KSPGetPC(petsc->solver, &precond) || PCSetType(precond, pc) ||
           PCGAMGSetReuseInterpolation(precond, PETSC_FALSE);
}

static enum nb_status set_up(void **self, const struct nb_peer_system *system, const char *ksp, const char *pc,
                             struct nb_error *error)
{
    struct petsc *petsc = calloc(1, sizeof *petsc);
    if (!petsc)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for PETSc");
    if (nb_peer_start(start) || build(petsc, system, ksp, pc)) {
        release(petsc);
        return nb_fail(error, NB_UNSUPPORTED, "PETSc refuses %s with %s", ksp, pc);
    }
    *self = petsc;
    return NB_OK;
}

static enum nb_status create(void **self, const struct nb_peer_system *system, const double *value,
                             struct nb_error *error)
{
    return set_up(self, system, ksp_types[(int)value[METHOD]], pc_types[(int)value[PRECOND]], error);
}

static enum nb_status create_precond(void **self, const struct nb_peer_system *system, const double *value,
                                     struct nb_error *error)
{
    return set_up(self, system, KSPPREONLY, lent_types[(int)value[TYPE]], error);
}

static enum nb_status update(void *self, struct nb_error *error)
{
    struct petsc *petsc = self;
    if (MatAssemblyBegin(petsc->matrix, MAT_FINAL_ASSEMBLY) ||
        MatAssemblyEnd(petsc->matrix, MAT_FINAL_ASSEMBLY) ||
        KSPSetOperators(petsc->solver, petsc->matrix, petsc->matrix) || KSPSetUp(petsc->solver))
        return nb_fail(error, NB_BREAKDOWN, "PETSc could not set up its preconditioner");
    return NB_OK;
}

static PetscErrorCode monitor(KSP solver, PetscInt iteration, PetscReal norm, void *context)
{
    const struct petsc *petsc = context;
    const PetscScalar *x = NULL;
    Vec solution = NULL;
    (void)norm;
    if (KSPBuildSolution(solver, NULL, &solution) || VecGetArrayRead(solution, &x))
        return 1;
    petsc->task->observe(petsc->task->context, (int)iteration, x);
    return VecRestoreArrayRead(solution, &x);
}

static struct nb_linear_report end(const struct petsc *petsc)
{
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    PetscInt iterations = 0;
    struct nb_linear_report report = {NB_LINEAR_BREAKDOWN, 0, ""};
    KSPGetConvergedReason(petsc->solver, &reason);
    KSPGetIterationNumber(petsc->solver, &iterations);
    report.iterations = (int)iterations;
    report.detail = KSPConvergedReasons[reason];
    if (reason > 0)
        report.ending = NB_LINEAR_CONVERGED;
    else if (reason == KSP_DIVERGED_ITS)
        report.ending = NB_LINEAR_ITERATION_LIMIT;
    else if (reason == KSP_DIVERGED_NANORINF)
        report.ending = NB_LINEAR_NON_FINITE;
    return report;
}

static struct nb_linear_report solve(void *self, const struct nb_peer_task *task)
{
    struct petsc *petsc = self;
    const struct nb_linear_report failed = {NB_LINEAR_BREAKDOWN, 0, "PETSc reports an error"};
    const double tolerance = task->tolerance > 0 ? task->tolerance : 1e-300;
    petsc->task = task;
    if (KSPSetTolerances(petsc->solver, tolerance, 1e-300, 1e300, task->iterations) ||
        KSPMonitorCancel(petsc->solver) ||
        (task->observe && KSPMonitorSet(petsc->solver, monitor, petsc, NULL)) ||
        VecPlaceArray(petsc->b, task->b) || VecPlaceArray(petsc->x, task->x))
        return failed;
    const PetscErrorCode code = KSPSolve(petsc->solver, petsc->b, petsc->x);
    VecResetArray(petsc->b);
    VecResetArray(petsc->x);
    return code ? failed : end(petsc);
}

static int apply(void *self, const double *r, double *z)
{
    struct petsc *petsc = self;
    PC precond = NULL;
    if (KSPGetPC(petsc->solver, &precond) || VecPlaceArray(petsc->b, r) || VecPlaceArray(petsc->x, z))
        return 0;
    const PetscErrorCode code = PCApply(precond, petsc->b, petsc->x);
    VecResetArray(petsc->b);
    VecResetArray(petsc->x);
    return !code;
}

const struct nb_peer nb_peer_petsc = {
    .observes = 1, .create = create, .update = update, .solve = solve, .free = release};
const struct nb_peer nb_peer_petsc_precond = {
    .create = create_precond, .update = update, .apply = apply, .free = release};
