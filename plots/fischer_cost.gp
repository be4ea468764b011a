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
margin_top = 18.5
between = 9
across = (width - margin_left - margin_right - (panels - 1)*between) / panels
down = (height - margin_top - margin_bottom - (rows - 1)*between) / rows
do for [r=1:rows] { row_low[r] = row_low[r] < 1e-17 ? 1e-17 : row_low[r] } # zero but for round-off
set logscale x
set xtics autofreq
set mxtics 10
do for [r=1:rows] {
    do for [p=1:panels] {
        eval place(r, p)
        eval log_axis(r, p == 1)
        set format x only(r == rows, '10^{%L}')
        set xlabel only(r == rows, 'time [s]') offset 0,0.4
        set ylabel only(p == 1, r == 1 ? 'natural map, normals' : 'natural map, friction') offset 0.8,0
        set label 1 only(r == 1, panel[p]) at graph 0.5,1.06 center
        plot for [c=1:curves] data index block(p, c) using 1:1+r with lines ls look[c] notitle, \
             for [c=1:curves] data index block(p, c) \
                 using 1:(stands_apart($0, $1, c) ? column(1+r) : NaN) with points ls look[c] notitle
    }
}
unset logscale x
eval key
unset multiplot
