#: title   A box slides with isotropic friction, by the law that a solver has in its place
#: size    84 x 80
#: panels  scene: curved_slide
#: curves  solver: lemke:directions=4 lemke pgs:friction=outer proximal_newton
#: where   kind=simulation scene=curved_slide direction=10 across=0.5
#: x       time
#: y       observable
#
# Macklin et al. 2019, figure 5: a cone that is linearised into n directions is biased towards some of them.
y_name = 'left of the straight path [m]'
y_axis = ''
y_format = '%g'
load plots.'arch_creep.gp'
