#: title   The arch over time: how far the crown has risen or, negative, sunk
#: size    84 x 70
#: panels  precision: f64 f32
#: curves  linear: jacobi gauss_seidel pcg pcr cholesky
#: where   kind=simulation scene=arch linear_iters=20,*
#: x       time
#: y       observable:drop
#
# The claim of Macklin et al. 2019, figure 14, top: with Krylov or direct linear solvers the arch
# stands, with relaxation it creeps and falls. With a shift of 1e-8 of the mean diagonal it falls
# with Cholesky as well. With `--curves shift` the way of the crown is drawn by the shift, of which
# the claims demand 1 cm at most: theirs, absolute 1e-6, is 7e-6 of the median diagonal, and in
# float32 1e-8 acts as 1e-6.

# Over time; other figures change what stands at y, and have one panel.
if (!exists('y_name') && strstrt(curve[1], 'shift')) {
    y_name = 'way of the crown [m]'
    xy = '(x_scale*$1):(abs($2))'
    y_axis = 'set logscale y; set yrange [1e-4:1]'
    y_format = '10^{%L}'
}
if (!exists('y_name')) {
    y_name = 'rise of the crown [m]'
    xy = '(x_scale*$1):(-$2)'
    y_axis = ''
    y_format = '%g'
}
if (!exists('xy')) { xy = '(x_scale*$1):2' }
if (!exists('x_name')) { x_name = 'time [s]'; x_scale = 1. }
if (!exists('points_apart')) { points_apart = 12. }
if (!exists('lines')) { lines = 'with lines ls look[c]' }
spacing = ceil(longest / points_apart)

set multiplot
if (panels == 1) { margin_top = margin_top - titles }
eval fit
set xrange [0:x_high*x_scale]
eval y_axis
do for [p=1:panels] {
    eval place(1, p)
    set format y only(p == 1, y_format)
    set xlabel x_name offset 0,0.4
    set ylabel only(p == 1, y_name) offset 0.2,0
    set label 1 only(panels > 1, panel[p]) at graph 0.5,1.06 center
    plot for [c=1:curves] data index block(p, c) using @xy @lines notitle, \
         for [c=1:curves] data index block(p, c) using @xy \
             every spacing::spacing*c/(curves + 1) with points ls look[c] notitle
}
eval key
unset multiplot
