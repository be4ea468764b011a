#: title   Logs in a ravine with structure: how far from its middle
#: size    84 x 80
#: panels  across: 0.8 0.2
#: curves  steer: -20 20
#: labels  -20=structure to the outside,20=to the middle,0.8=friction across 0.8,0.2=0.2
#: where   kind=simulation scene=log_slide seed=1
#: x       time
#: y       observable
#
# Macklin 2020 (thesis), figures 7 and 8: structure that is turned from downhill towards the middle of a ravine steers
# logs to a building there, structure that is turned away steers them around it. Friction along is 0.2: where it is so
# across, too, right, structure does nothing.
y_name = 'from the middle [m]'
y_axis = 'set yrange [0:3.6]'
y_format = '%g'
points_apart = 10.
load plots.'arch_creep.gp'
