#: title   Normal forces over redundant contacts, by method
#: size    174 x 56
#: each    problem: cylinder grasp house_of_cards
#: panels  method: newton_fb newton_min primal_descent:k_n=1e6:k_f=1e4 nsgs proximal_newton
#: curves  precision: f64 f32
#: where   kind=forces
#: x       contact
#: y       normal_force
#
# Macklin 2020 (thesis), figure 33: over contacts that share a load in no unique way, relaxed contact shares it
# evenly; what hard contact does depends on the method and the order of contacts. The 48 corners of a cylinder on the
# ground, the 60 of two fingertips that hold a cube, the cards' edges. The axis ends at four times the mean.

stats data index block(1, 1) using 2 nooutput
mean = STATS_mean

set multiplot
between = 4
eval fit
set yrange [0:4*mean]
do for [p=1:panels] {
    eval place(1, p)
    set format y only(p == 1, '%g')
    set xrange [0:*]
    set xlabel 'contact, in order' offset 0,0.4
    set ylabel only(p == 1, 'normal force [N]') offset 0.2,0
    set xtics 0,(longest > 60 ? 40 : 20)
    set label 1 (strlen(panel[p]) > 26 ? panel[p][1:strstrt(panel[p], ',') - 1] : panel[p]) \
        at graph 0.5,1.06 center font small
    plot for [c=1:curves] data index block(p, c) using 1:2 with points ls look[c] lw 1 notitle
}
eval key
unset multiplot
