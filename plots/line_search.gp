#: title   Newton's method with the constant step and with a line search, with and without friction
#: size    174 x 78
#: panels  problem: dense_wall heavy_stack dense_wall_mu0 heavy_stack_mu0
#: where   problem=dense_wall,heavy_stack,dense_wall_mu0,heavy_stack_mu0
#: curves  solver: newton newton:step=armijo newton:step=backtracking
#: where   kind=case mode=step ncp=fb newton_form=scaled operator=assembled linearized=false damping=0.75 scaling=mass
#: where   newton_iters=60 linear=cholesky precision=f64 shift=1e-08
#: x       iteration
#: from    1
#: y       constraint_error
#
# Macklin et al. 2019, section 8.1: a line search works well without friction, and often stalls with it. Of theirs
# (backtracking) the symmetric form stalls without friction, too.
load plots.'figure18.gp'
