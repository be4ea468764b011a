#: title   A box slides, by its friction across or by the law that a solver has in its place
#: size    84 x 80
#: panels  scene: curved_slide
#: curves  across: 0.5 0.2 0.1 0.05
#: where   kind=simulation scene=curved_slide
#: x       time
#: y       observable
#
# Macklin 2020 (thesis), figures 5 and 6: where friction is anisotropic the path curves. Friction along is 0.5. Macklin et
# al. 2019, figure 5: a cone that is linearised into n directions is biased towards some of them.
y_name = 'left of the straight path [m]'
y_axis = ''
y_format = '%g'
load plots.'arch_creep.gp'
