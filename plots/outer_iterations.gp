#: title   Nonlinear methods: step error over iterations
#: size    174 x 165
#: each    precision: f64 f32
#: panels  problem: CubeH8 Box_Stacks-i0122-82-5 LMGC_GlobalFrictionContactProblem00046 LMGC_100_PR_PerioBox-i00361-60-03000 Capsules-i125-1213 heavy_stack arch beam balls_in_cube
#: curves  solver: proximal_newton cone_fischer_newton newton newton:step=armijo pgs:friction=cone nsgs nncg:friction=cone projected_gradient extragradient apgd admm dual_ascent:momentum=nesterov primal_descent:update=10
#: where   kind=case mode=step tol=1e-10 linearized=false
#: x       iteration
#: from    1e-6
#: y       step_error
#
# One panel a problem, three in a row; errors below 1e-12 are drawn there. With `plot --x time` over that of as many
# iterations, without set-up.

x_least = x_label[1:4] eq 'time' ? 1e-6 : 1
in_row = 3
grid_rows = row_of(panels)
room_for_labels = 6; least = 1e-12; between = 9 # two labels of ticks side by side
eval grid

set multiplot
set logscale x
set xrange [x_least:x_high]
if (row_low[1] < least) { row_low[1] = least }
do for [p=1:panels] {
    eval place(row_of(p), p)
    eval log_axis(1, column_of(p) == 1)
    set format x only(row_of(p) == grid_rows || p + in_row > panels, '10^{%L}')
    set xlabel only(row_of(p) == grid_rows || p + in_row > panels, x_label) offset 0,0.4
    set ylabel only(column_of(p) == 1, 'step error') offset 0.2,0
    set label 1 panel[p][1:28] at graph 0.5,1.06 center
    plot for [c=1:curves] data index block(p, c) using 1:($2 < least ? least : $2) \
             with linespoints ls look[c] pointnumber 5 linewidth 1.2 notitle
}
eval key
unset multiplot
