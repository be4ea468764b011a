#: title   Fischer-Newton with and without a staggered start
#: size    174 x 105
#: panels  problem: two_boxes box_pyramid
#: curves  solver: fischer_newton:damping=0 fischer_newton:damping=0:start=plain fischer_newton fischer_newton:start=plain
#: where   kind=case precision=f64 linearized=true newton_iters=60 problem=two_boxes,box_pyramid
#: where   solver=fischer_newton:damping=0,fischer_newton:damping=0:start=plain,fischer_newton,fischer_newton:start=plain
#: x       iteration
#: y       box_normal box_friction
#
# Silcowitz, Niebe and Erleben 2009, figure 4: the semi-staggered start on the large mass ratio
# (here beside another case). Natural map with box friction, normal part above, tangents below.
load plots.'fischer_line_search.gp'
