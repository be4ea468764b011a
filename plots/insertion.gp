#: title   The beam's tip on its way into the slot, by linear solver at 6 x 50
#: size    84 x 75
#: panels  precision: f64 f32
#: curves  linear: jacobi gauss_seidel pcg pcr cholesky
#: where   kind=simulation scene=beam solver=newton linear_iters=50,*
#: x       time
#: y       observable
#
# Macklin et al. 2019, figure 7: relaxation struggles to make the joints stiff, so that the tip stays behind, direct
# methods struggle with the contacts near the end, and PCR does neither. The pictures, by figure14, are of step 120 in
# float64 with PCR, Jacobi and Cholesky: below the slot the depth of the tip is that in the slot's direction.
y_name = 'depth of the tip in the slot [m]'
y_axis = 'unset logscale y; set yrange [-0.4:0.45]'
y_format = '%g'
load plots.'arch_creep.gp'
