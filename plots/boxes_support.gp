#: title   A heavy box on a light one
#: size    84 x 75
#: panels  scene: two_boxes
#: curves  solver: fischer_newton pgs
#: where   kind=simulation scene=two_boxes
#: x       time
#: y       observable
#
# Silcowitz et al. 2009, figure 10: projected Gauss-Seidel fails to support the upper box.

spacing = ceil(longest / 12.)

set multiplot
set xrange [0:x_high]
eval place(1, 1)
set yrange [0:1]
set format y '%.1f'
set xlabel 'time [s]' offset 0,0.4
set ylabel "height of the upper box's centre [m]" offset 0.8,0
plot for [c=1:curves] data index block(1, c) using 1:2 with lines ls look[c] notitle, \
     for [c=1:curves] data index block(1, c) using 1:2 \
         every spacing::spacing*c/(curves + 1) with points ls look[c] notitle
eval key
unset multiplot
