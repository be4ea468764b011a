#: title   Height of a cube that two fingers lift and hold, by stiffness of friction
#: size    84 x 80
#: panels  scene: grasp
#: curves  solver: primal_descent:k_n=1e6:k_f=1e2 primal_descent:k_n=1e6:k_f=1e3 primal_descent:k_n=1e6:k_f=1e4 primal_descent:k_n=1e6:k_f=1e6 dual_ascent proximal_newton
#: where   kind=simulation scene=grasp solver!=nsgs,*k_f=1e5
#: x       time
#: y       observable
#
# Macklin 2020 (thesis), figures 32 and 35: with little friction stiffness k_f [N s/m] the grasp slips, with much it holds
# as with hard contact (proximal Newton).
y_name = 'height of the cube [m]'
y_axis = 'set yrange [0:0.09]'
y_format = '%g'
points_apart = 10.
load plots.'arch_creep.gp'
