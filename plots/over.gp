#: title   Time and iterations over a setting
#: size    174 x 96
#: panels  on: whole\ steps linear\ systems
#: curves  problem: all\ problems
#: where   kind=curve
#: x       value
#: y       time low high verdict iterations
#
# What `ncpbench try --vary` draws: time to the tolerance over that at the best value, with its 95 % interval, of all
# problems together and of each, and linear iterations, or of methods without a linear solver their own, likewise. A
# full marker is the best value or cannot be told from it; where a value solves nothing there is a gap.

lesser(a, b) = a < b ? a : b
greater(a, b) = a > b ? a : b
from_time = lesser(row_low[1], row_low[2]); to_time = greater(row_high[1], row_high[3])
from(r) = r == 1 ? 0.95*from_time : 0.95*row_low[5]
to(r) = r == 1 ? 1.05*to_time : 1.05*row_high[5]
rows = 2
margin_bottom = margin_bottom + 1
eval fit
far = x_low > 0 && x_high/x_low >= 50
if (far) { set logscale x }
room = far ? (x_high/x_low)**0.03 : 0.03*(x_high - x_low)
set xrange [far ? x_low/room : x_low - room:far ? x_high*room : x_high + room]
steep(r) = to(r)/from(r) > 5
array ratios[22]
do for [k=1:22] { ratios[k] = 10.**((k - 1)/3)*(k % 3 == 1 ? 0.01 : k % 3 == 2 ? 0.02 : 0.05) }

set multiplot
do for [r=1:2] {
    do for [p=1:panels] {
        eval place(r, p)
        unset ytics
        set ytics nomirror out scale 0.6,0.3 textcolor rgb '#202020'
        if (steep(r)) {
            set logscale y
            set ytics ()
            do for [k=1:22] { set ytics add (only(p == 1, sprintf('%g', ratios[k])) ratios[k]) }
        } else { unset logscale y; set ytics autofreq }
        set yrange [from(r):to(r)]
        if (p > 1) { set format y '' } else { set format y '%g' }
        set format x only(r == 2, far ? '10^{%L}' : '%g')
        set xlabel only(r == 2, x_label) offset 0,0.4 noenhanced
        set ylabel only(p == 1, r == 1 ? 'time / the best''s' : 'iterations / the best''s') offset 0.2,0
        set label 1 only(r == 1, panel[p]) at graph 0.5,1.06 center
        plot data index block(p, 1) using (r == 1 ? $1 : NaN):3:4 with filledcurves lc rgb '#CFE2F0' notitle, \
             for [c=2:curves] data index block(p, c) using 1:(r == 1 ? $2 : NaN) \
                 with lines ls look[lesser(c, curves)] lw 1 notitle, \
             data index block(p, 1) using 1:(r == 1 ? $2 : $6) with linespoints ls look[1] lw 2.5 pt 7 ps 0.8 notitle, \
             data index block(p, 1) using 1:($5 > 1 ? (r == 1 ? $2 : $6) : NaN) with points pt 7 ps 0.45 \
                 lc rgb '#FFFFFF' notitle
    }
}
eval key
unset multiplot
