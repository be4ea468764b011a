// Eigen's conjugate gradients (Guennebaud et al.), preconditioned by the diagonal or by incomplete Cholesky. The
// only file in C++: Eigen has no other interface.
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <new>

extern "C" {
#include "solvers/peers/peer.h"
}

namespace {

using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Columns = Eigen::SparseMatrix<double>;
using Diagonal = Eigen::ConjugateGradient<Rows, Eigen::Lower | Eigen::Upper>;
using Incomplete = Eigen::ConjugateGradient<Columns, Eigen::Lower | Eigen::Upper,
                                            Eigen::IncompleteCholesky<double>>;

struct Solver {
    const nb_peer_system *system;
    bool incomplete;
    Rows rows;
    Columns columns;
    Diagonal diagonal;
    Incomplete cholesky;
};

nb_status create(void **self, const nb_peer_system *system, const double *value, nb_error *error)
{
    Solver *solver = new (std::nothrow) Solver;
    if (!solver)
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for Eigen");
    solver->system = system;
    solver->incomplete = value[0] > 0;
    *self = solver;
    return NB_OK;
}

nb_status update(void *self, nb_error *error)
{
    Solver *solver = static_cast<Solver *>(self);
    const nb_peer_system &system = *solver->system;
    try {
        solver->rows = Eigen::Map<const Rows>(system.rows, system.rows, system.start[system.rows],
                                              system.start, system.column, system.value);
        if (solver->incomplete) {
            solver->columns = solver->rows;
            solver->cholesky.compute(solver->columns);
        } else {
            solver->diagonal.compute(solver->rows);
        }
    } catch (const std::bad_alloc &) {
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for Eigen");
    }
    if (solver->incomplete && solver->cholesky.preconditioner().info() != Eigen::Success)
        return nb_fail(error, NB_BREAKDOWN, "Eigen could not set up its preconditioner");
    return NB_OK;
}

template <class Method> nb_linear_report run(Method &method, int rows, const nb_peer_task *task)
{
    const Eigen::Map<const Eigen::VectorXd> b(task->b, rows);
    Eigen::Map<Eigen::VectorXd> x(task->x, rows);
    method.setMaxIterations(task->iterations);
    method.setTolerance(task->tolerance > 0 ? task->tolerance : 1e-300);
    x = method.solve(b);
    nb_linear_report report = {NB_LINEAR_CONVERGED, static_cast<int>(method.iterations()), ""};
    if (!x.allFinite())
        report.ending = NB_LINEAR_NON_FINITE;
    else if (method.info() != Eigen::Success)
        report.ending = NB_LINEAR_ITERATION_LIMIT;
    return report;
}

nb_linear_report solve(void *self, const nb_peer_task *task)
{
    Solver *solver = static_cast<Solver *>(self);
    return solver->incomplete ? run(solver->cholesky, solver->system->rows, task)
                              : run(solver->diagonal, solver->system->rows, task);
}

void release(void *self)
{
    delete static_cast<Solver *>(self);
}

} // namespace

extern "C" const nb_peer nb_peer_eigen = {0, create, update, solve, release, nullptr};
