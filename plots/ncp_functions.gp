#: title   NCP functions side by side, per Newton iteration of one step
#: size    174 x 112
#: each    precision: f64 f32
#: panels  problem: heavy_stack arch table_pile
#: where   problem=heavy_stack,arch,table_pile
#: curves  ncp: fb min
#: where   kind=case mode=step solver=newton newton_form=scaled operator=assembled
#: where   linearized=false damping=0.75 newton_iters=30 linear_iters=40 linear=pcr precond=jacobi scaling=mass
#: x       iteration
#: from    1
#: y       constraint_error step_size
#: floors  fb
#
# Macklin et al. 2019, section 10.3: both reach high accuracy. Their forces: force_distribution.gp.
load plots.'figure18.gp'
