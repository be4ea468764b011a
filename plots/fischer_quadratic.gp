#: title   Fischer-Newton on a problem of six unknowns
#: size    84 x 70
#: panels  problem: leaning_capsule
#: curves  solver: fischer_newton:damping=0 fischer_newton:scale=none:damping=0 fischer_newton
#: where   kind=case precision=f64 linearized=true problem=leaning_capsule newton_iters=20
#: x       iteration
#: y       box_map
#
# Silcowitz, Niebe and Erleben 2009, figure 2: quadratic convergence.

set multiplot
margin_top = margin_top - titles
eval fit
do for [r=1:rows] { row_low[r] = row_low[r] < 1e-17 ? 1e-17 : row_low[r] } # zero but for round-off
set xrange [0:x_high]
eval place(1, 1)
eval log_axis(1, 1)
set xlabel 'Newton iteration' offset 0,0.4
set ylabel 'natural map with box friction' offset 0.2,0
plot for [c=1:curves] data index block(1, c) using 1:2 with linespoints ls look[c] notitle
eval key
unset multiplot
