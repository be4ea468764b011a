#: title   Nonlinear methods: step error over time
#: size    174 x 165
#: each    precision: f64 f32
#: panels  problem: CubeH8 Box_Stacks-i0122-82-5 LMGC_GlobalFrictionContactProblem00046 LMGC_100_PR_PerioBox-i00361-60-03000 Capsules-i125-1213 heavy_stack arch beam balls_in_cube
#: curves  solver: proximal_newton cone_fischer_newton newton newton:step=armijo pgs:friction=cone nsgs nncg:friction=cone projected_gradient extragradient apgd admm dual_ascent:momentum=nesterov primal_descent:update=10
#: where   kind=case mode=step tol=1e-10 linearized=false
#: x       seconds
#: from    1e-6
#: y       step_error
#
# As outer_iterations. Time is that of as many iterations, without set-up.
abscissa = 'time [s]'; x_least = 1e-6
load plots.'outer_iterations.gp'
