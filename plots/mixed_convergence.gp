#: title   Conjugate residuals on the mixed problem
#: size    174 x 80
#: panels  problem: CubeH8 LMGC_GlobalFrictionContactProblem00046 pneunet
#: curves  solver: mixed_conjugate_residual:precond=none mixed_conjugate_residual:precond=diagonal mixed_conjugate_residual pgs:friction=cone proximal_newton
#: where   kind=case precision=f64 linearized=true newton_iters=1000,2000
#: where   solver=mixed_conjugate_residual:precond=none,mixed_conjugate_residual:precond=diagonal,mixed_conjugate_residual,pgs:friction=cone,proximal_newton
#: labels  CubeH8=CubeH8 of FCLIB,LMGC_GlobalFrictionContactProblem00046=LMGC 00046 of FCLIB
#: x       whole_seconds
#: y       step_error
#
# Verschoor and Jalba 2019: convergence with each preconditioner, the default being the inverse by blocks.
# Over seconds: an iteration is a product with the mixed system, a Gauss-Seidel sweep or a Newton iteration, and their
# prices differ. A curve begins where its set-up ends, as what the method saves is the set-up of others.

# Markers stand apart, and one at each curve's end. (stats leaves out what is outside of axes set before.)
array last[panels*curves]
array count[panels*curves]
do for [b=1:panels*curves] {
    undefine STATS_*
    stats data index b - 1 using (1e3*$1) nooutput
    last[b] = exists('STATS_max') ? STATS_max : NaN
    count[b] = exists('STATS_max') ? STATS_records : 1
}

set multiplot
between = 9
eval fit
do for [r=1:rows] { row_low[r] = row_low[r] < 1e-17 ? 1e-17 : row_low[r] } # zero but for round-off
set logscale x
do for [p=1:panels] {
    eval place(1, p)
    set autoscale x
    set xtics autofreq
    set format x '10^{%L}'
    eval log_axis(1, p == 1)
    set xlabel 'time [ms]' offset 0,0.4
    set ylabel only(p == 1, 'step error') offset 0.2,0
    eval title_panel(p)
    plot for [c=1:curves] data index block(p, c) using (1e3*$1):2 with lines ls look[c] notitle, \
         for [c=1:curves] data index block(p, c) using (1e3*$1):2 every ceil(count[block(p, c) + 1]/8.) \
             with points ls look[c] notitle, \
         for [c=1:curves] data index block(p, c) using (1e3*$1 == last[block(p, c) + 1] ? 1e3*$1 : NaN):2 \
             with points ls look[c] notitle
}
eval key
unset multiplot
