#: title   Newton's method by the fraction t of its step
#: size    174 x 78
#: panels  problem: heavy_stack arch table_pile
#: where   problem=heavy_stack,arch,table_pile
#: curves  damping: 0.25 0.5 0.6 0.75 0.9 1
#: where   kind=case mode=step solver=newton ncp=fb newton_form=scaled operator=assembled
#: where   linearized=false scaling=mass newton_iters=60 linear_iters=40 linear=pcr precond=jacobi precision=f64
#: x       iteration
#: from    1
#: y       constraint_error
#
# Macklin et al. 2019, section 8.1: "we have not found our method to be particularly sensitive to its setting".
load plots.'figure18.gp'
