#: title   A scale's reading, cards, a stroked sheet, a weight on grains, bowls, a bent link, cloth in bodies, boxes, over time
#: size    84 x 80
#: each    scene: tomato hand house_of_cards gel_stroke granular_silo bowls soft_snake draped_cloth spool_rope net two_boxes
#: panels  precision: f64
#: curves  solver: newton:geometric_stiffness=diagonal proximal_newton primal_descent:k_n=1e6:k_f=1e4 dual_ascent
#: where   kind=simulation
#: where   scene=tomato,hand,house_of_cards,gel_stroke,granular_silo,bowls,soft_snake,draped_cloth,spool_rope,net,two_boxes
#: x       time
#: y       observable
#
# Macklin et al. 2019, figure 1: the scale "accurately reads the weight", at the printed budget of Newton's method, 4 x
# 50, too; what is judged is its last reading, for each of three squeezes, of which one is drawn; figure 3: a hand, at its
# budget, 6 x 50, by how far it closes in degrees. Macklin 2020 (thesis),
# figure 25: with primal descent a house of cards stands as it does with dual ascent "until knocked down by an external
# body", here a ball of 1 kg at 1 s, at the printed budget of 100 iterations of a quarter of a frame; proximal Newton
# solves its steps. Thesis, figure 9: a sheet follows two fingers where their structure is along the stroke (0), and
# hardly where it is across (90 degrees). Figure 23: a weight on 1000 grains, with either descent at the printed 30
# iterations, by the pressure or by the mass ratio as printed, and on 100 with 1000 iterations of apgd, which
# carry it until a wall is removed at 1.25 s. Figure 24: the uppermost of four bowls that are dropped by 3 cm, with
# either descent at the printed 15 iterations. Figures 53 and 54: a link of the soft snake over the pressure in either
# chamber, which rises by 5 psi a second, by its mesh.
# Figures 38, 40, 41, 46 and 47: how deep cloth, ropes and a net are in a body with sharp edges, by the method that
# finds the nearest points of their faces. Silcowitz et al. 2009, figure 10: projected Gauss-Seidel fails to support a
# heavy box on a light one.
y_name = variant eq 'tomato' || variant eq 'hand' ? 'reading over the weight' : variant eq 'gel_stroke' ? 'way of the sheet [m]' \
    : variant eq 'granular_silo' ? 'height of the weight [m]' : variant eq 'soft_snake' ? 'curvature [1/m]' \
    : variant eq 'bowls' ? 'height of the uppermost bowl [m]' \
    : variant eq 'draped_cloth' || variant eq 'spool_rope' || variant eq 'net' ? 'depth in the body [m]' \
    : variant eq 'two_boxes' ? 'height of the upper box''s centre [m]' \
    : 'height of the top card [m]'
if (variant eq 'soft_snake') { x_name = 'pressure [psi]'; x_scale = 5. }
y_axis = variant eq 'soft_snake' ? 'set yrange [-row_high[1]:row_high[1]]' : 'set yrange [0:*]'
y_format = '%g'
points_apart = 10.
load plots.'arch_creep.gp'
