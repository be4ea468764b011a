#: title   Sag of a cloth onto which a box falls, over the stiffness of its edges, by two descents
#: size    84 x 80
#: each    newton_iters: 20 50 100
#: panels  stiffness: 100 10000 1000000 100000000 10000000000
#: curves  solver: primal_descent:k_n=1e5 dual_ascent:motion=fast_projection
#: where   kind=simulation scene=cloth mass=1 solver=primal_descent:k_n=1e5,dual_ascent:motion=fast_projection
#: x       time
#: y       observable
#
# Macklin 2020 (thesis), figure 34 and section 5.6: with as many iterations a step primal descent is stiffer, and from
# about k = 1e8 N/m on the dual solution does not become stiffer; here that is so from 1e4 on. The largest sag in a
# second, and that at its end, when with dual ascent the box has fallen through and the cloth swings back. A run that
# breaks down has no point: primal descent at 1e2 N/m with 20 iterations, when the sag has come to 9e149 m, and with
# 100, at 8e135 m. k_n [N/m] is the stiffness of contacts.

array stiffness[panels]
array largest[panels*curves]
array at_end[panels*curves]
broken = ''
do for [p=1:panels] {
    stiffness[p] = real(panel[p])
    do for [c=1:curves] {
        k = p + (c - 1)*panels
        largest[k] = NaN
        at_end[k] = NaN
        entries = points[block(p, c) + 1]
        if (entries > 0 && entries < longest) {
            broken = broken.sprintf("set label %d 'breaks down' at %g,graph 0.99 point ls %d ", 10 + k, stiffness[p], c) \
                .'offset 0.6,0 font small; '
        }
        if (entries == longest) {
            stats data index block(p, c) using (at_end[k] = $2) nooutput
            largest[k] = STATS_max
        }
    }
}
tested = panels
panels = 1
margin_top = margin_top - titles + 3.6 # the key has a row for the ends

set multiplot
eval fit
eval place(1, 1)
set logscale xy
set xrange [stiffness[1]/2:2*stiffness[tested]]
set yrange [3e-3:2]
set format xy '10^{%L}'
set mytics 10
unset mxtics
set xtics 100
set xlabel 'stiffness of an edge [N/m]' offset 0,0.4
set ylabel 'sag of the cloth [m]' offset 0.2,0
eval broken
plot for [c=1:curves] stiffness using 2:(largest[$1 + (c - 1)*tested]) with linespoints ls look[c] notitle, \
     for [c=1:curves] stiffness using 2:(at_end[$1 + (c - 1)*tested]) with linespoints ls look[c] lw 1 dt 3 notitle
key_plot = "plot NaN notitle, for [c=1:curves] keyentry with linespoints ls look[c] title curve[c], " \
    ."keyentry with lines lc rgb '#404040' lw 1 dt 3 title 'at the end; above, the largest'"
eval key
unset multiplot
