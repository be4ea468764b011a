/* hypre's conjugate gradients with BoomerAMG (Falgout and Yang 2002), one V-cycle an iteration; and that V-cycle
 * alone. */
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>
#include <stdlib.h>

#include "solvers/peers/peer.h"

struct hypre {
    const struct nb_peer_system *system;
    HYPRE_IJMatrix matrix;
    HYPRE_IJVector b, x;
    HYPRE_Solver solver, precond;
    int *row;
};

static void drop_solvers(struct hypre *hypre)
{
    if (hypre->solver)
        HYPRE_ParCSRPCGDestroy(hypre->solver);
    if (hypre->precond)
        HYPRE_BoomerAMGDestroy(hypre->precond);
    if (hypre->matrix)
        HYPRE_IJMatrixDestroy(hypre->matrix);
    hypre->solver = hypre->precond = NULL;
    hypre->matrix = NULL;
}

static void release(void *self)
{
    struct hypre *hypre = self;
    if (!hypre)
        return;
    drop_solvers(hypre);
    if (hypre->b)
        HYPRE_IJVectorDestroy(hypre->b);
    if (hypre->x)
        HYPRE_IJVectorDestroy(hypre->x);
    free(hypre->row);
    free(hypre);
}

static int start(void)
{
    static int started;
    if (!started)
        HYPRE_Init();
    started = 1;
    return 0;
}

static int make_vector(HYPRE_IJVector *vector, int rows)
{
    HYPRE_IJVectorCreate(MPI_COMM_SELF, 0, rows - 1, vector);
    HYPRE_IJVectorSetObjectType(*vector, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(*vector);
    return HYPRE_IJVectorAssemble(*vector);
}

static enum nb_status create(void **self, const struct nb_peer_system *system, const double *value,
                             struct nb_error *error)
{
    struct hypre *hypre = calloc(1, sizeof *hypre);
    int *row = malloc(((size_t)system->rows + 1) * sizeof *row);
    (void)value;
    if (!hypre || !row || nb_peer_start(start)) {
        free(hypre);
        free(row);
        return nb_fail(error, NB_OUT_OF_MEMORY, "hypre could not be started");
    }
    hypre->system = system;
    hypre->row = row;
    for (int i = 0; i < system->rows; ++i)
        row[i] = i;
    make_vector(&hypre->b, system->rows);
    make_vector(&hypre->x, system->rows);
    *self = hypre;
    return NB_OK;
}

static void fill_matrix(struct hypre *hypre)
{
    const struct nb_peer_system *system = hypre->system;
    HYPRE_IJMatrixCreate(MPI_COMM_SELF, 0, system->rows - 1, 0, system->rows - 1, &hypre->matrix);
    HYPRE_IJMatrixSetObjectType(hypre->matrix, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(hypre->matrix);
    for (int i = 0; i < system->rows; ++i) {
        int entries = system->start[i + 1] - system->start[i];
        HYPRE_IJMatrixSetValues(hypre->matrix, 1, &entries, &i, system->column + system->start[i],
                                system->value + system->start[i]);
    }
    HYPRE_IJMatrixAssemble(hypre->matrix);
}

/* The objects behind the handles. */
struct objects {
    void *matrix, *b, *x;
};

static struct objects objects_of(const struct hypre *hypre)
{
    struct objects objects = {NULL, NULL, NULL};
    HYPRE_IJMatrixGetObject(hypre->matrix, &objects.matrix);
    HYPRE_IJVectorGetObject(hypre->b, &objects.b);
    HYPRE_IJVectorGetObject(hypre->x, &objects.x);
    return objects;
}

/* Its defaults for a scalar problem, as a preconditioner. */
static void renew(struct hypre *hypre)
{
    drop_solvers(hypre);
    fill_matrix(hypre);
    HYPRE_BoomerAMGCreate(&hypre->precond);
    HYPRE_BoomerAMGSetTol(hypre->precond, 0);
    HYPRE_BoomerAMGSetMaxIter(hypre->precond, 1);
    HYPRE_BoomerAMGSetRelaxType(hypre->precond, 6); /* symmetric, as PCG wants it */
}

static enum nb_status check(struct nb_error *error)
{
    if (!HYPRE_GetError())
        return NB_OK;
    HYPRE_ClearAllErrors();
    return nb_fail(error, NB_BREAKDOWN, "hypre could not set up BoomerAMG");
}

static enum nb_status update(void *self, struct nb_error *error)
{
    struct hypre *hypre = self;
    renew(hypre);
    const struct objects objects = objects_of(hypre);
    HYPRE_ParCSRPCGCreate(MPI_COMM_SELF, &hypre->solver);
    HYPRE_PCGSetPrecond(hypre->solver, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                        (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup, hypre->precond);
    HYPRE_ParCSRPCGSetup(hypre->solver, objects.matrix, objects.b, objects.x);
    return check(error);
}

static enum nb_status update_precond(void *self, struct nb_error *error)
{
    struct hypre *hypre = self;
    renew(hypre);
    const struct objects objects = objects_of(hypre);
    HYPRE_BoomerAMGSetup(hypre->precond, objects.matrix, objects.b, objects.x);
    return check(error);
}

static struct nb_linear_report solve(void *self, const struct nb_peer_task *task)
{
    struct hypre *hypre = self;
    struct nb_linear_report report = {NB_LINEAR_CONVERGED, 0, ""};
    const struct objects objects = objects_of(hypre);
    const int rows = hypre->system->rows;
    HYPRE_IJVectorSetValues(hypre->b, rows, hypre->row, task->b);
    HYPRE_IJVectorSetValues(hypre->x, rows, hypre->row, task->x);
    HYPRE_PCGSetMaxIter(hypre->solver, task->iterations);
    HYPRE_PCGSetTol(hypre->solver, task->tolerance > 0 ? task->tolerance : 1e-300);
    HYPRE_ParCSRPCGSolve(hypre->solver, objects.matrix, objects.b, objects.x);
    HYPRE_PCGGetNumIterations(hypre->solver, &report.iterations);
    HYPRE_IJVectorGetValues(hypre->x, rows, hypre->row, task->x);
    if (report.iterations >= task->iterations)
        report.ending = NB_LINEAR_ITERATION_LIMIT;
    HYPRE_ClearAllErrors();
    return report;
}

/* One V-cycle from zero. */
static int apply(void *self, const double *r, double *z)
{
    struct hypre *hypre = self;
    const struct objects objects = objects_of(hypre);
    const int rows = hypre->system->rows;
    HYPRE_IJVectorSetValues(hypre->b, rows, hypre->row, r);
    HYPRE_ParVectorSetConstantValues(objects.x, 0);
    HYPRE_BoomerAMGSolve(hypre->precond, objects.matrix, objects.b, objects.x);
    HYPRE_IJVectorGetValues(hypre->x, rows, hypre->row, z);
    const int failed = HYPRE_GetError() & ~HYPRE_ERROR_CONV;
    HYPRE_ClearAllErrors();
    return !failed;
}

const struct nb_peer nb_peer_hypre = {
    .create = create, .update = update, .solve = solve, .free = release};
const struct nb_peer nb_peer_hypre_precond = {
    .create = create, .update = update_precond, .apply = apply, .free = release};
