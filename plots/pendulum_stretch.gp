#: title   Stretch of two double pendulums, of mass ratio and of stiffness ratio 10000
#: size    174 x 70
#: panels  scene: double_pendulum_mass double_pendulum_stiffness
#: curves  solver: primal_descent:k_n=1e8 dual_ascent dual_ascent:motion=fast_projection proximal_newton
#: where   kind=simulation scene=double_pendulum_mass,double_pendulum_stiffness
#: x       time
#: y       observable
#
# Macklin 2020 (thesis), figures 26 and 27: the ill-conditioning of dual methods by mass ratios and of primal
# ones by stiffness ratios, as stretch at 20 iterations a step. proximal_newton shows the solution's own: of
# the springs on the right, and none (1e-12 m) of the rigid rods on the left.

spacing = ceil(longest / 10.)
array most[panels] # of the last curve
do for [p=1:panels] { stats data index block(p, curves) using 2 nooutput; most[p] = STATS_max }

set multiplot
between = 9
eval fit
set xrange [0:x_high]
do for [p=1:panels] {
    eval place(1, p)
    set logscale y
    set yrange [1e-4:1e2]
    set format y only(p == 1, '10^{%L}')
    set xlabel 'time [s]' offset 0,0.4
    set ylabel only(p == 1, 'stretch [m]') offset 0.2,0
    set label 1 panel[p] at graph 0.5,1.06 center
    set label 2 below_axis(curves, most[p], 1e-4, 'm') at graph 0.98,0.05 right font small noenhanced
    plot for [c=1:curves] data index block(p, c) using 1:($2 > 1e-4 ? $2 : NaN) with lines ls look[c] notitle, \
         for [c=1:curves] data index block(p, c) using 1:($2 > 1e-4 ? $2 : NaN) \
             every spacing::spacing*c/(curves + 1) with points ls look[c] notitle
}
eval key
unset multiplot
