#: title   All iterative linear solvers on one linear subproblem
#: size    174 x 105
#: each    precision: f64 f32
#: panels  problem: heavy_stack arch
#: curves  linear: jacobi gauss_seidel pcg pcr symmetric_gauss_seidel sor ssor chebyshev_jacobi momentum_jacobi
#: where   kind=case mode=linear_system linear!=cholesky precond=jacobi,none
#: x       iteration
#: y       residual
#
# As figure 11, with every iterative linear solver of the records.
load plots.'figure11.gp'
