#: title   Tables that are dropped at random come to rest
#: size    174 x 60
#: panels  linear: pcr jacobi
#: curves  scene: table_pile
#: where   kind=simulation scene=table_pile disorder=1
#: x       time
#: from    0.001
#: y       kinetic_energy
#
# Macklin et al. 2019, figure 14, bottom: stable piles.
y_name = 'kinetic energy [J]'
y_axis = 'set logscale y'
y_format = '10^{%L}'
xy = '1:2'
key_plot = 'plot NaN notitle'
margin_top = margin_top - key_room
load plots.'arch_creep.gp'
