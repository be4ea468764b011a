#: title   Nearest points of 1000 random segments: error by iteration, median and quartiles
#: size    174 x 66
#: panels  method: projected_gradient frank_wolfe golden_section
#: curves  quantile: 0.25 0.5 0.75
#: labels  0.25=lower quartile,0.5=median,0.75=upper quartile,frank_wolfe=Frank-Wolfe,golden_section=golden section
#: where   kind=closest element=segment
#: where   method!=corners seed=1 descent=0.1
#: x       iteration
#: y       excess
#
# Macklin 2020 (thesis), figure 48, where the segments lie beside a horseshoe in the plane; here beside a spool. The error
# is that of the distance, over the segment's length; all begin at the nearer end,
# which for a quarter of them is the answer: the lower quartile lies on the axis, at 1e-10 or below.

set multiplot
between = 9
eval fit
set xrange [0:x_high]
set logscale y
set format y '10^{%L}'
set yrange [1e-10:1]
floored(y) = y > 1e-10 ? y : 1e-10
do for [p=1:panels] {
    eval place(1, p)
    set xlabel 'iteration' offset 0,0.4
    set ylabel only(p == 1, 'error over length') offset 0.2,0
    set format y only(p == 1, '10^{%L}')
    set label 1 panel[p] at graph 0.5,1.06 center noenhanced
    plot for [c=1:curves] data index block(p, c) using 1:(floored($2)) with lines ls look[c] notitle
}
key_plot = "plot NaN notitle, for [c=1:curves] keyentry with lines ls look[c] title curve[c]"
eval key
unset multiplot
