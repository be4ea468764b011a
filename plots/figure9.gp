#: title   NCP functions of one contact over its force, by scaling
#: size    174 x 66
#: panels  scaling: identity timestep mass
#: curves  ncp: fb min
#: where   kind=function quantity=normal
#: x       force
#: y       value
#
# Macklin et al. 2019, figure 9: phi(c, r lambda) of c = lambda/4 - 1/8, which is solved by lambda = 1/2. With r = 1/4,
# the compliance, the minimum map is a line, and Newton's method takes one iteration from anywhere. A scaling of
# one's own has its panel, an NCP function its curve.

set multiplot
between = 9
eval fit
set xrange [-0.5:1.5]
set yrange [-0.8:0.5]
set xtics 0.5
set ytics 0.2
set arrow 1 from -0.5,0 to 1.5,0 nohead lc rgb '#A0A0A0' dt 2 back
do for [p=1:panels] {
    eval place(1, p)
    set xlabel 'force λ [N]' offset 0,0.4
    set ylabel only(p == 1, 'φ [m]') offset 0.2,0
    set format y only(p == 1, '%g')
    set label 1 panel[p] at graph 0.5,1.06 center
    plot for [c=1:curves] data index block(p, c) using 1:2 with lines ls look[c] notitle
}
unset arrow 1
key_plot = "plot NaN notitle, for [c=1:curves] keyentry with lines ls look[c] title curve[c]"
eval key
unset multiplot
