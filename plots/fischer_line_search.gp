#: title   Fischer-Newton with and without a line search
#: size    174 x 105
#: panels  problem: two_boxes box_pyramid
#: curves  solver: fischer_newton:damping=0 fischer_newton:damping=0:line_search=none fischer_newton fischer_newton:line_search=none
#: where   kind=case precision=f64 linearized=true newton_iters=60 problem=two_boxes,box_pyramid
#: where   solver=fischer_newton:damping=0,fischer_newton:damping=0:line_search=none,fischer_newton,fischer_newton:line_search=none
#: x       iteration
#: y       box_normal box_friction
#
# Silcowitz, Niebe and Erleben 2009, figure 3: the line search on the pyramid
# (here beside another case). Natural map with box friction, normal part above, tangents below.

set multiplot
eval fit
do for [r=1:rows] { row_low[r] = row_low[r] < 1e-17 ? 1e-17 : row_low[r] } # zero but for round-off
set xrange [0:x_high]
do for [r=1:rows] {
    do for [p=1:panels] {
        eval panel_axes(r, p, 'Newton iteration', r == 1 ? 'natural map, normals' : 'natural map, friction')
        plot for [c=1:curves] data index block(p, c) using 1:1+r with linespoints ls look[c] notitle
    }
}
eval key
unset multiplot
