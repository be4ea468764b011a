#: title   Iterative linear solvers on one linear subproblem
#: size    174 x 78
#: each    precision: f64 f32
#: panels  problem: heavy_stack arch
#: curves  linear: jacobi gauss_seidel pcg pcr
#: where   kind=case mode=linear_system linear=jacobi,gauss_seidel,pcg,pcr precond=jacobi,none
#: x       iteration
#: y       residual
#: floors  yes
#
# Macklin et al. 2019, figure 11. The residual is b - A x in float64, whatever the precision of the
# solver, relative to that at the start, in the norm of the inverse diagonal.

# Markers stand apart, and not above each other.
spacing = ceil(longest / 12.)

set multiplot
set xrange [x_low:x_high]
do for [p=1:panels] {
    eval panel_axes(1, p, 'linear iteration', \
                    '‖{/:Italic b} − {/:Italic Ax}‖ / ‖{/:Italic b}‖, norm of diag({/:Italic A})^{−1}')
    do for [c=1:curves] { eval name_floors(1, p, c) }
    plot for [c=1:curves] data index block(p, c) using 1:2 with lines ls look[c] notitle, \
         for [c=1:curves] data index block(p, c) using 1:2 every spacing::spacing*(c-1)/curves \
             with points ls look[c] notitle
}
eval key
unset multiplot
