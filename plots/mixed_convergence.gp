#: title   Conjugate residuals on the mixed problem
#: size    174 x 80
#: panels  problem: CubeH8 LMGC_GlobalFrictionContactProblem00046 pneunet
#: curves  solver: mixed_conjugate_residual:precond=none mixed_conjugate_residual:precond=diagonal mixed_conjugate_residual pgs:friction=cone proximal_newton
#: where   kind=case precision=f64 linearized=true
#: where   solver=mixed_conjugate_residual:precond=none,mixed_conjugate_residual:precond=diagonal,mixed_conjugate_residual,pgs:friction=cone,proximal_newton
#: x       iteration
#: y       step_error
#
# Verschoor and Jalba 2019: convergence with each preconditioner, the default being the inverse by blocks.
# One iteration is a product with the mixed system, a Gauss-Seidel sweep, or a Newton iteration.

# Markers stand apart, and one at each curve's end. (stats leaves out what is outside of axes set before.)
array last[panels*curves]
array widest[panels]
do for [p=1:panels] {
    widest[p] = 1
    do for [c=1:curves] {
        stats data index block(p, c) using 1 nooutput
        last[block(p, c) + 1] = STATS_max
        widest[p] = STATS_max > widest[p] ? STATS_max : widest[p]
    }
}

set multiplot
between = 9
eval fit
do for [r=1:rows] { row_low[r] = row_low[r] < 1e-17 ? 1e-17 : row_low[r] } # zero but for round-off
do for [p=1:panels] {
    eval place(1, p)
    set autoscale x
    set xrange [0:*]
    set xtics autofreq
    eval log_axis(1, p == 1)
    set xlabel 'iteration' offset 0,0.4
    set ylabel only(p == 1, 'step error') offset 0.2,0
    set label 1 (strlen(panel[p]) > 20 ? panel[p][1:11].' '.panel[p][strlen(panel[p])-4:] : panel[p]) \
        at graph 0.5,1.06 center
    spacing = ceil(widest[p] / 8.)
    plot for [c=1:curves] data index block(p, c) using 1:2 with lines ls look[c] notitle, \
         for [c=1:curves] data index block(p, c) using 1:2 every spacing::spacing*c/(curves + 1) \
             with points ls look[c] notitle, \
         for [c=1:curves] data index block(p, c) using 1:($1 == last[block(p, c) + 1] ? $2 : NaN) \
             with points ls look[c] notitle
}
eval key
unset multiplot
