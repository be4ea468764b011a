#: title   Convergence
#: size    174 x 75
#: each    mode: step linear_system
#: panels  problem
#: curves  method
#: where   kind=case,trajectory
#: x       iteration
#: y       error
#: floors  yes
#
# Any array of the trace over iterations or time, a panel for each value, up to three in a row: the figure of
# `ncpbench plot convergence`.

in_row = panels < 4 ? panels : panels == 4 ? 2 : 3
grid_rows = row_of(panels)
room_for_labels = 6
between = 8
is_titled(p) = panels > 1 || panel[p] ne variant
margin_top = margin_top - (is_titled(1) ? 0 : titles)
if (!exists('own_size')) {
    height = margin_top + margin_bottom + grid_rows*(grid_rows > 1 ? 45. : 58.) + (grid_rows - 1)*room_for_labels
    eval resize
}
eval grid

# Over three decades of x, or where some curves are much shorter than others, in points or in x, the axis is
# logarithmic; a first point at zero is left out there.
shortest = longest
do for [k=1:panels*curves] { if (points[k] > 1 && points[k] < shortest) { shortest = points[k] } }
least_end = x_high
do for [k=0:panels*curves - 1] {
    if (points[k + 1] > 1) {
        stats data index k using 1 name 'END' nooutput
        if (END_max > 0 && END_max < least_end) { least_end = END_max }
    }
}
far = (x_low > 0 && x_high/x_low > 1e3) || x_label[1:4] eq 'time' || longest > 8*shortest \
    || x_high > 20*least_end
if (far && x_low <= 0) {
    stats data using (abs($1) > 0 ? $1 : NaN) name 'POSITIVE' nooutput
    x_low = exists('POSITIVE_min') ? POSITIVE_min : 1e-6
}
if (far) { set logscale x; set format x '10^{%L}'; set xtics 10**ceil(6.*log10(x_high/x_low)/across) }
set xrange [x_low:x_high]
apart = far ? (x_high/x_low)**0.1 : apart

# About ten markers a curve, and one at its end.
spacing(p, c) = ceil(points[block(p, c) + 1] / 10.)
marked(i, x, p, c) = i == points[block(p, c) + 1] - 1 ? 1 \
    : far ? stands_apart(i, x, c) : int(i + spacing(p, c)*(c - 1)/curves) % int(spacing(p, c)) == 0
steep = row_high[1] > 20*row_low[1]

set multiplot
do for [p=1:panels] {
    last_row = p + in_row > panels
    eval place(row_of(p), p)
    if (steep) {
        eval log_axis(1, column_of(p) == 1)
    } else {
        set yrange [0:1.05*row_high[1]]
        set format y only(column_of(p) == 1, '%g')
    }
    set format x only(last_row, far ? '10^{%L}' : '%g')
    set xlabel only(last_row, x_label) offset 0,0.4 noenhanced
    set ylabel only(column_of(p) == 1, label[1]) offset (steep ? 0.2 : -0.5),0 noenhanced
    if (is_titled(p)) { eval title_panel(p) }
    do for [c=1:curves] { eval name_floors(1, p, c) }
    plot for [c=1:curves] floor_norm[entry(1, p, c)] with lines ls 101 lc rgb floor_colour(1, p, c) notitle, \
         for [c=1:curves] data index block(p, c) using 1:2 with lines ls look[c] notitle, \
         for [c=1:curves] data index block(p, c) using 1:(marked($0, $1, p, c) ? $2 : NaN) \
             with points ls look[c] notitle
}
eval key
unset multiplot
