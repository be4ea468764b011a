#: title   Boxes on a slope with a field of structure: where the leftmost is
#: size    84 x 80
#: panels  scene: steered_boxes
#: curves  pattern: 0 1 2
#: labels  0=channel,1=spread,2=slalom
#: where   kind=simulation scene=steered_boxes solver=proximal_newton
#: x       time
#: y       observable
#
# Macklin 2020 (thesis), figure 6: the ground's structure, turned from place to place, channels boxes, spreads them, or
# leads them through a slalom.
y_name = 'from the middle [m]'
y_axis = ''
y_format = '%g'
load plots.'arch_creep.gp'
