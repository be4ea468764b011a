#: title   Performance and data profiles over problems
#: input   profile
#: size    174 x 115
#: each    mode: step linear_system
#: panels  precision: f64 f32
#: curves  method
#: where   kind=case
#: cost    time
#: tolerance 1e-8
#: x       share
#: y       over_best cost
#
# Above, the performance profile of Dolan and More (2002): the share of problems that a method solves
# at a cost of at most so many times the cheapest method's. Below, the data profile of More and Wild
# (2009): the same share over the cost itself. Failures were masked before minima were taken.

room_for_labels = 13
down = (height - margin_top - margin_bottom - room_for_labels) / rows
above(r) = 1 - (margin_top + (r - 1)*(down + room_for_labels)) / height

# A panel without curves says why.
array reached[panels]
do for [p=1:panels] {
    reached[p] = 0
    do for [c=1:curves] {
        stats data index block(p, c) using (valid(1) ? 1 : 0) nooutput
        reached[p] = reached[p] + STATS_sum
    }
}

set multiplot
set yrange [0:1.03]
do for [r=1:rows] {
    do for [p=1:panels] {
        eval place(r, p)
        set format y only(p == 1, '%g')
        unset logscale x
        if (r == 1) { set format x '%g'; if (row_high[1] >= 4) { set logscale x 2 } } \
        else { set logscale x 10; set format x '10^{%L}' }
        set xrange [(r == 1 ? 1 : row_low[r]):(row_high[r] > row_low[r] ? row_high[r] : 2*row_low[r])]
        set xlabel (r == 1 ? 'cost over the cheapest' : cost_name) offset 0,0.4
        set ylabel only(p == 1, 'share of problems') offset 0.8,0
        set label 1 only(r == 1 && panels > 1, panel[p]) at graph 0.5,1.06 center
        set label 2 only(reached[p] == 0, 'none gets there') at graph 0.5,0.5 center
        plot for [c=1:curves] data index block(p, c) using (column(1+r)):1 with steps ls look[c] notitle, \
             for [c=1:curves] data index block(p, c) using (column(1+r)):1 with points ls look[c] notitle
    }
}
eval key
unset multiplot
