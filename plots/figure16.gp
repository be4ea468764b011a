#: title   The beam over steps of its insertion: quartiles of the constraint error per Newton iteration
#: input   quantiles
#: size    174 x 62
#: each    precond: jacobi ic0
#: panels  scaling: identity timestep mass effective
#: curves  quantile: 0 0.25 0.5 0.75 1
#: where   kind=case mode=step solver=newton ncp=fb newton_form=scaled operator=assembled
#: where   linearized=false damping=0.75 newton_iters=100 linear_iters=40 linear=pcr precision=f64
#: where   problem=beam-????
#: x       iteration
#: y       constraint_error
#
# Macklin et al. 2019, figure 16: 100 Newton iterations of 40 PCR iterations on each step that the
# sweep names; `effective` is ours. Dark: half of them lie between the quartiles; light: all; line: the median.

array lower[longest]
array smallest[longest]

set multiplot
set xrange [0:x_high]
do for [p=1:panels] {
    eval panel_axes(1, p, 'Newton iteration', 'constraint error [m/s]')
    eval quartiles
}
key_plot = key_of_quartiles
eval key
unset multiplot
