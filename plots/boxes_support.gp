#: title   A heavy box on a light one
#: size    174 x 75
#: panels  scene: two_boxes
#: curves  solver: fischer_newton pgs
#: where   kind=simulation scene=two_boxes
#: x       time
#: y       observable
#
# Silcowitz et al. 2009, figure 10: projected Gauss-Seidel fails to support the upper box.
y_name = "height of the upper box's centre [m]"
y_axis = 'set yrange [0:1]'
y_format = '%.1f'
load plots.'arch_creep.gp'
