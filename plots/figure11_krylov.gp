#: title   Krylov methods on one linear subproblem
#: size    174 x 78
#: each    precision: f64 f32
#: panels  problem: heavy_stack arch
#: curves  linear: pcr pcr_single minres pcg pcg_single fpcg chebyshev
#: where   kind=case mode=linear_system linear!=cholesky precond=jacobi,none
#: where   linear!=jacobi,gauss_seidel,symmetric_gauss_seidel,sor,ssor,chebyshev_jacobi,momentum_jacobi
#: x       iteration
#: y       residual
#
# As figure 11, the Krylov methods among themselves.
load plots.'figure11.gp'
