#: title   Penetration of the heavy stack over time, by linear solver
#: size    174 x 56
#: panels  linear: jacobi gauss_seidel pcg pcr
#: curves  precision: f64 f32
#: where   kind=simulation scene=heavy_stack
#: x       time
#: from    0.001
#: y       penetration
#
# Macklin et al. 2019, figure 14, middle: relaxation methods let the boxes interpenetrate, Krylov methods do not.
# A point a step: at rest the penetration alternates from one step to the next.
y_name = 'penetration [m]'
y_axis = 'set logscale y; set yrange [1e-6:1]'
y_format = '10^{%L}'
xy = '1:2'
lines = 'with points ls look[c] pointtype 7 pointsize 0.15'
load plots.'arch_creep.gp'
