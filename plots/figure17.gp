#: title   Complementarity scalings, per Newton iteration of one step
#: size    174 x 105
#: each    precision: f32 f64
#: panels  problem: heavy_stack arch table_pile
#: curves  scaling: identity timestep mass
#: where   kind=case mode=step solver=newton ncp=fb newton_form=scaled operator=assembled
#: where   linearized=false damping=0.75 newton_iters=30 linear_iters=40 precond=jacobi,none
#: where   linear=pcr
#: x       iteration
#: from    1
#: y       constraint_error step_size
#: floors  mass
#
# Macklin et al. 2019, figure 17: maximum constraint error above, step size below.
# Iteration 0 (no motion, no force) is left out: it violates momentum only.
load plots.'figure18.gp'
