#: title   A box falls onto inextensible cloth, by two descents with 100 iterations a step
#: size    84 x 80
#: panels  newton_iters: 100
#: curves  solver: primal_descent:k_n=1e5 dual_ascent:motion=fast_projection
#: where   kind=simulation scene=cloth stiffness=10000000000 mass=1 newton_iters=100
#: x       time
#: y       observable
#
# Macklin 2020 (thesis), figure 34: primal descent is stiffer. k_n is that of contacts.
y_name = 'sag of the cloth [m]'
y_axis = ''
y_format = '%g'
load plots.'arch_creep.gp'
