#: title   All linear solvers, per Newton iteration of one step
#: size    174 x 140
#: each    precision: f32 f64
#: panels  problem: heavy_stack arch
#: curves  linear: jacobi gauss_seidel pcg pcr cholesky symmetric_gauss_seidel sor ssor chebyshev_jacobi momentum_jacobi
#: where   kind=case mode=step solver=newton ncp=fb newton_form=scaled operator=assembled
#: where   linearized=false damping=0.75 newton_iters=30 linear_iters=40 precond=jacobi,none
#: where   scaling=mass
#: x       iteration
#: from    1
#: y       constraint_error step_size
#: floors  yes
#
# As figure 18, with every linear solver of the records.
load plots.'figure18.gp'
