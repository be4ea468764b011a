#: title   Penetration of the heavy stack over time, by linear solver
#: size    84 x 75
#: panels  scene: heavy_stack
#: curves  linear: jacobi gauss_seidel pcg pcr
#: where   kind=simulation scene=heavy_stack
#: x       time
#: from    0.001
#: y       penetration
#
# Macklin et al. 2019, figure 14, middle: relaxation methods let the boxes interpenetrate, Krylov methods do not.

spacing = ceil(longest / 12.)

set multiplot
set xrange [0:x_high]
eval place(1, 1)
set logscale y
set yrange [1e-6:10]
set format y '10^{%L}'
set xlabel 'time [s]' offset 0,0.4
set ylabel 'penetration [m]' offset 0.8,0
plot for [c=1:curves] data index block(1, c) using 1:2 with lines ls look[c] notitle, \
     for [c=1:curves] data index block(1, c) using 1:2 \
         every spacing::spacing*c/(curves + 1) with points ls look[c] notitle
eval key
unset multiplot
