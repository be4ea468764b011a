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
margin_top = margin_top + (panels > 2 ? 4 : 0)
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

# The axis of costs begins at 1, 2 ... 9 times a power of ten, where it ends, too. As many of these are
# labelled as there is room for, of an axis of many decades every second power of ten or fewer. A label is
# up to 11 mm wide; those of two panels, and the last one of all, have room at the sides.
room_for_number = 11.
margin_right = 6; between = panels > 2 ? 6 : 11
across = (width - margin_left - margin_right - (panels - 1)*between) / panels
power = row_low[2] > 0 ? 10.**floor(log10(row_low[2]) + 1e-9) : 1.
cost_low = row_low[2] > 0 ? floor(row_low[2]/power + 1e-9)*power : 1.
cost_high = row_high[2] > 1.01*cost_low ? row_high[2] : 2*cost_low
hair = 1e-6 # gnuplot drops a tick at the very end of an axis
span = log10(cost_high/cost_low)
first = floor(log10(cost_low) + 1e-9)
last = ceil(log10(cost_high) - 1e-9)
stride = ceil(room_for_number*span/across)
array digits[4] = [' 1 ', ' 1 2 5 ', ' 1 2 3 5 7 ', ' 1 2 3 4 5 6 7 8 9 ']
array nearest[4] = [1, log10(2), log10(7/5.), log10(10/9.)]
has(d, m) = strstrt(digits[d], sprintf(' %d ', m)) > 0
shown(m, e) = m*10.**e > 0.999*cost_low && m*10.**e < 1.001*cost_high
labels(d) = sum [e=first:last] sum [m=1:9] has(d, m) && shown(m, e)
densest = 1
do for [d=2:4] { if (nearest[d]*across/span >= room_for_number || labels(d - 1) < 2) { densest = d } }
plain = cost_low >= 0.1 && cost_high < 1e5
number(m, e) = plain ? sprintf('%g', m*10.**e) \
    : (m > 1 ? sprintf('%d·', m) : '').sprintf(e < 0 ? '10^{−%d}' : '10^{%d}', abs(e))
labelled(m, e) = has(densest, m) && (m > 1 || int(e) % int(stride) == 0)
mark(m, e) = !shown(m, e) || (m > 1 && span > 6) ? '' : sprintf("set xtics add ('%s' %.17g %d); ", \
    only(labelled(m, e), number(m, e)), m*10.**e, !labelled(m, e))
marks(m, e) = m > 9 ? '' : mark(m, e).marks(m + 1, e)
decades(e) = e > last ? '' : marks(1, e).decades(e + 1)
cost_axis = 'set logscale x 10; set xtics (); '.decades(first)
few(p) = p > 0 && problems[p] < least_problems
count(p) = sprintf('%d problem%s', problems[p], only(problems[p] != 1, 's'))

# Of few problems a share says little: a table in the place of both panels. Where there is no profile at all the table
# names the methods, else the key does.
drawn = 0
do for [p=1:panels] { drawn = drawn + !few(p) }
if (drawn == 0) {
    key_rows = 0
    margin_top = panels > 2 ? 11 : 7
    margin_bottom = 1 + foot
    if (!exists('own_size')) {
        height = margin_top + margin_bottom + 4.5*(curves + 2)
        eval resize
    }
    key_plot = 'plot NaN notitle'
}
head(p) = panel[p].(panels > 2 ? "\n" : ', ').count(p).only(few(p), panels > 2 ? ', too few' : ': too few for a profile')
plain_title(c) = strstrt(curve[c], ': none') ? curve[c][1:strstrt(curve[c], ': none') - 1] : curve[c]
entry_of(p, c) = only(drawn == 0, plain_title(c).': ').summary[(p - 1)*curves + c]
without_unit(name) = strstrt(name, ' [s]') ? name[1:strstrt(name, ' [s]') - 1] : name # the means have their own
table_row(c) = 1 - 1.*c/(curves + 2)

set multiplot
set yrange [0:1.03]
do for [p=1:panels] {
    if (few(p)) {
        set lmargin at screen left(p)
        set rmargin at screen left(p) + across/width
        set tmargin at screen 1 - margin_top/height
        set bmargin at screen margin_bottom/height
        unset logscale x
        unset border
        unset tics
        unset xlabel
        unset ylabel
        set xrange [0:1]
        set label 1 head(p) at graph 0.5,(panels > 2 ? 1.07 : 1.03) center noenhanced
        do for [c=1:curves] {
            if (drawn) {
                set label 2 + c entry_of(p, c) at graph 0.06,table_row(c) left noenhanced font small \
                    point ls look[c] offset 1,0
            } else {
                set label 2 + c entry_of(p, c) at graph 0.04,table_row(c) left noenhanced font small
            }
        }
        set label 3 + curves only(panels <= 2, 'mean: shifted geometric, of the '.without_unit(cost_name[p])) \
            at graph 0.04,table_row(curves + 1) left font small
        plot -1 notitle
        unset label
        continue
    }
    set border 3
    do for [r=1:rows] {
        eval place(r, p)
        set xtics nomirror out scale 0.6,0.3
        set ytics nomirror out scale 0.6,0.3
        set format y only(p == 1 || few(p - 1), '%g')
        unset logscale x
        if (r == 1) {
            set xtics autofreq
            set format x '%g'
            set xrange [1:(row_high[1] > 1 ? row_high[1] : 2)]
            if (row_high[1] >= 4) { set logscale x 2 }
        } else {
            eval cost_axis
            set xrange [(1 - hair)*cost_low:(1 + hair)*cost_high]
        }
        set xlabel (r == 1 ? 'cost over the cheapest' : cost_name[p]) offset 0,0.4
        set ylabel only(p == 1 || few(p - 1), 'share of problems') offset 0.2,0
        set label 1 only(r == 1, head(p)) at graph 0.5,(panels > 2 ? 1.2 : 1.06) center noenhanced
        set label 2 only(reached[p] == 0, 'none gets there') at graph 0.5,0.5 center
        plot for [c=1:curves] data index block(p, c) using 1+r:1 with steps ls look[c] notitle, \
             for [c=1:curves] data index block(p, c) using 1+r:1 with points ls look[c] notitle
    }
    unset label
}
eval key
unset multiplot
