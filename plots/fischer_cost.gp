#: title   Fischer-Newton and projected Gauss-Seidel over time
#: size    174 x 105
#: panels  problem: two_boxes sparse_stack dense_wall
#: curves  solver: fischer_newton:damping=0 fischer_newton fischer_newton:subsolve=conjugate pgs nncg
#: where   kind=case precision=f64 linearized=true problem=two_boxes,sparse_stack,dense_wall
#: where   solver=fischer_newton:damping=0,fischer_newton,fischer_newton:subsolve=conjugate,pgs,nncg
#: x       seconds
#: y       box_normal box_friction
#
# Silcowitz, Niebe and Erleben 2009, figure 8, over seconds instead of units of one Gauss-Seidel iteration.
# The normal part above, the tangents below; all methods solve the problem with box friction.

set multiplot
between = 9
eval fit
do for [r=1:rows] { row_low[r] = row_low[r] < 1e-17 ? 1e-17 : row_low[r] } # zero but for round-off
set logscale x
set xtics autofreq
set mxtics 10
do for [r=1:rows] {
    do for [p=1:panels] {
        eval panel_axes(r, p, 'time [s]', r == 1 ? 'natural map, normals' : 'natural map, friction')
        set format x only(r == rows, '10^{%L}')
        plot for [c=1:curves] data index block(p, c) using 1:1+r with lines ls look[c] notitle, \
             for [c=1:curves] data index block(p, c) \
                 using 1:(stands_apart($0, $1, c) ? column(1+r) : NaN) with points ls look[c] notitle
    }
}
unset logscale x
eval key
unset multiplot
