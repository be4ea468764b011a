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
y_name = 'penetration [m]'
y_axis = 'set logscale y; set yrange [1e-6:10]'
y_format = '10^{%L}'
load plots.'arch_creep.gp'
