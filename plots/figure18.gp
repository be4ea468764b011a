#: title   Linear solvers, per Newton iteration of one step
#: size    174 x 112
#: each    precision: f32 f64
#: panels  problem: heavy_stack arch beam-0060 beam pneunet
#: curves  linear: jacobi gauss_seidel pcg pcr cholesky
#: where   linear=jacobi,gauss_seidel,pcg,pcr,cholesky
#: where   kind=case mode=step solver=newton ncp=fb newton_form=scaled operator=assembled,factored
#: where   linearized=false damping=0.75 newton_iters=30 linear_iters=40 precond=jacobi,none
#: where   scaling=mass
#: x       iteration
#: from    1
#: y       constraint_error step_size
#: floors  yes
#
# Macklin et al. 2019, figure 18: maximum constraint error above, step size below.
# Iteration 0 (no motion, no force) is left out: it violates momentum only.

set multiplot
set xrange [0:x_high]
do for [r=1:rows] {
    do for [p=1:panels] {
        eval panel_axes(r, p, 'Newton iteration', r == 1 ? 'constraint error [m/s]' : 'step size [m/s or N s]')
        do for [c=1:curves] { eval name_floors(r, p, c) }
        plot for [c=1:curves] floor_norm[entry(r, p, c)] with lines ls 101 \
                 lc rgb floor_colour(r, p, c) notitle, \
             for [c=1:curves] data index block(p, c) using 1:1+r with linespoints ls look[c] notitle
    }
}
eval key
unset multiplot
