#: title   A number of every method on every problem
#: input   bars
#: size    174 x 80
#: each    mode: step linear_system
#: panels  problem
#: curves  method
#: where   kind=case
#: cost    time
#: tolerance 1e-8
#: x       records
#: y       median lower upper
#
# Median and quartiles, a panel for each problem: the figure of `ncpbench plot bars`. Where the median is a failure, the
# records' ending stands in the bar's place, and where it is below a logarithmic axis, its number.

rows = 1
do for [r=2:3] {
    if (row_high[r] > 0 && row_low[r] < row_low[1]) { row_low[1] = row_low[r] }
    if (row_high[r] > row_high[1]) { row_high[1] = row_high[r] }
}

# Bars are about 5 mm wide, 3 mm where there are many; as many panels stand in a row as there is room for. No figure is
# taller than a page.
wanted = (panels*curves > 60 ? 3. : 5.)*curves + 4
in_row = floor((width - margin_left - margin_right) / wanted)
in_row = in_row < 1 ? 1 : in_row > panels ? panels : in_row
grid_rows = row_of(panels)
between = 3
room_for_labels = 8
margin_bottom = 4 + foot
if (!exists('own_size')) {
    tall = (240 - margin_top - margin_bottom - (grid_rows - 1)*room_for_labels) / grid_rows
    tall = tall > 50 ? 50. : tall < 20 ? 20. : tall
    height = margin_top + margin_bottom + tall*grid_rows + (grid_rows - 1)*room_for_labels
    eval resize
}
eval grid

# Room for how many failed, above a bar.
do for [k=1:panels*curves] { if (strstrt(summary[k], ' of ')) { crowded = 1 } }
row_high[1] = row_high[1]*(exists('crowded') ? 4 : 1)
row_low[1] = row_low[1] > 0 && row_low[1] < 1e-17 && row_high[1] > 1e-16 ? 1e-17 : row_low[1] # zero but for round-off
wide = row_low[1] > 0 && row_high[1] > 20*row_low[1]
# Filled, or hatched where the curve would be dashed.
filling(c) = curve_dash[c] == 1 ? 3 : 2 + curve_dash[c]
foot_of_axis = wide ? 10.**low(1) : 0
set style arrow 2 heads size screen 0.004,90 fixed linecolor rgb '#FFFFFF' linewidth 3
set style arrow 1 heads size screen 0.004,90 fixed linecolor rgb '#202020' linewidth 1
set boxwidth 0.75
unset xtics

# Large and small numbers on a linear axis in thousands, millions ..., thousandths.
power = wide || (row_high[1] < 1e4 && row_high[1] >= 0.01) ? 0 : 3*floor(log10(row_high[1])/3 + 1e-9)
scale = 10.**power
y_label = label[1].only(power != 0, sprintf(' / 10^{%d}', power))

# No bar is wider than 12 mm.
shown_bars = across/12. > curves + 0.4 ? across/12. : curves + 0.4

set multiplot
set xrange [(curves + 1 - shown_bars)/2.:(curves + 1 + shown_bars)/2.]
do for [p=1:panels] {
    eval place(row_of(p), p)
    if (wide) {
        eval log_axis(1, column_of(p) == 1)
    } else {
        set yrange [0:1.1*row_high[1]/scale]
        set format y only(column_of(p) == 1, '%g')
    }
    set ylabel only(column_of(p) == 1, y_label) offset (wide ? 0.3 : -0.5),0
    eval title_panel(p)
    plot for [c=1:curves] data index block(p, c) using (c):($2/scale) with boxes fillstyle pattern filling(c) \
             linecolor rgb curve_colour[c] linewidth 1 notitle, \
         for [style=2:1:-1] for [c=1:curves] data index block(p, c) \
             using (c):($3/scale):(0):((valid(4) ? $4 - $3 : $3*1e6)/scale) with vectors arrowstyle style notitle, \
         for [c=1:curves] data index block(p, c) \
             using (c):(!valid(2) ? foot_of_axis : valid(4) ? $4/scale : NaN):(summary[(p - 1)*curves + c]) \
             with labels rotate by 90 left offset character 0,0.5 noenhanced font small notitle, \
         for [c=1:curves] data index block(p, c) \
             using (c):(valid(2) && !valid(4) ? $2/scale : NaN):(summary[(p - 1)*curves + c]) \
             with labels rotate by 90 left offset character 0.9,0.5 noenhanced font small notitle, \
         for [c=1:curves] data index block(p, c) \
             using (c):(wide && valid(2) && $2 <= foot_of_axis ? foot_of_axis : NaN): \
                 (valid(2) && $2 == 0 ? '0' : sprintf('%.0e', $2)) \
             with labels rotate by 90 left offset character 0,0.5 noenhanced font small notitle
}
key_plot = "plot NaN notitle, for [c=1:curves] keyentry with boxes fillstyle pattern filling(c) " \
    ."linecolor rgb curve_colour[c] linewidth 1 title curve[c]"
eval key
unset multiplot
