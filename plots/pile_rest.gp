#: title   Tables that are dropped at random come to rest
#: size    84 x 75
#: panels  scene: table_pile
#: curves  linear: pcr jacobi
#: where   kind=simulation scene=table_pile disorder=1
#: x       time
#: from    0.001
#: y       kinetic_energy
#
# Macklin et al. 2019, figure 14, bottom: stable piles.

set multiplot
set xrange [0:x_high]
eval place(1, 1)
set logscale y
set format y '10^{%L}'
set xlabel 'time [s]' offset 0,0.4
set ylabel 'kinetic energy [J]' offset 0.2,0
plot for [c=1:curves] data index block(1, c) using 1:2 with lines ls look[c] notitle
eval key
unset multiplot
