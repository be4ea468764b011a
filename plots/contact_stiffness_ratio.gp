#: title   How far a capsule slips that leans against a wall, by stiffness of contact and friction
#: size    84 x 75
#: panels  scene: leaning_capsule
#: curves  solver: primal_descent:k_n=1e8:k_f=1e8 primal_descent:k_n=1e8:k_f=1e6 primal_descent:k_n=1e8:k_f=1e5 primal_descent:k_n=1e8:k_f=1e4 primal_descent:k_n=1e6:k_f=1e4 dual_ascent
#: where   kind=simulation scene=leaning_capsule solver!=dual_ascent:*
#: x       time
#: y       observable:drop
#
# Macklin 2020 (thesis), figure 31: normal contact stiffer than friction makes primal descent slip. 20 iterations
# a step; the centre has fallen since the first step.

spacing = ceil(longest / 10.)

set multiplot
eval fit
eval place(1, 1)
set xrange [0:x_high]
set logscale y
set yrange [1e-7:1]
set format y '10^{%L}'
set xlabel 'time [s]' offset 0,0.4
set ylabel 'fall of the centre [m]' offset 0.8,0
plot for [c=1:curves] data index c - 1 using 1:($2 > 1e-7 ? $2 : NaN) with lines ls look[c] notitle, \
     for [c=1:curves] data index c - 1 using 1:($2 > 1e-7 ? $2 : NaN) \
         every spacing::spacing*c/(curves + 1) with points ls look[c] notitle
eval key
unset multiplot
