#: title   How far a capsule slips that leans against a wall, by stiffness of contact and friction
#: size    84 x 75
#: panels  scene: leaning_capsule
#: curves  solver: primal_descent:k_n=1e8:k_f=1e8 primal_descent:k_n=1e8:k_f=1e6 primal_descent:k_n=1e8:k_f=1e5 primal_descent:k_n=1e8:k_f=1e4 primal_descent:k_n=1e6:k_f=1e4 dual_ascent
#: where   kind=simulation scene=leaning_capsule solver!=dual_ascent:*
#: x       time
#: y       observable:drop
#
# Macklin 2020 (thesis), figure 31: normal contact stiffer than friction makes primal descent slip. 20 iterations
# a step; the centre has fallen since the first step.
y_name = 'fall of the centre [m]'
y_axis = 'set logscale y; set yrange [1e-7:1]'
y_format = '10^{%L}'
points_apart = 10.
xy = '1:($2 > 1e-7 ? $2 : NaN)'
load plots.'arch_creep.gp'
