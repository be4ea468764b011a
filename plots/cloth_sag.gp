#: title   A box falls onto cloth, by its stiffness in N/m and two descents with 20 iterations a step
#: size    174 x 66
#: panels  stiffness: 100 10000 1000000 100000000 10000000000
#: labels  100=k = 1e2 N/m,10000=1e4 N/m,1000000=1e6 N/m,100000000=1e8 N/m,10000000000=1e10 N/m
#: curves  solver: primal_descent:k_n=1e5 dual_ascent:motion=fast_projection
#: where   kind=simulation scene=cloth mass=1 newton_iters=20
#: x       time
#: y       observable
#
# Macklin 2020 (thesis), figure 34 and section 5.6: primal descent is stiffer, and from about k = 1e8 on the dual
# solution does not become stiffer; here that is so from 1e4 on. k_n is that of contacts.
y_name = 'sag of the cloth [m]'
y_axis = ''
y_format = '%g'
load plots.'arch_creep.gp'
