#: title   Linear systems by precision: reached errors and what precision allows
#: size    174 x 125
#: panels  problem: heavy_stack arch beam dense_wall sparse_stack box_pyramid house_of_cards cylinder_stack table_pile
#: curves  arithmetic: f64 f32 f32_sums f64:in=f32 f64:in=f16 f64:in=bf16
#: where   kind=case mode=linear_system linear=pcr*
#: x       sizes.rows
#: y       errors.residual_max errors.forward_error floor.residual floor.component_residual
#: y       floor.forward floor.component_forward
#
# Above, the largest entry of the residual, relative to that of the right-hand side; below, that of the
# error, relative to x*; both equilibrated (docs/reference/records.md). Bars are the floors of the run's precision,
# long norm-wise, short component-wise. A filled marker is within a factor of 10 of the component-wise floor.

rows = 2
margin_top = margin_top + 14
margin_bottom = 3 + foot
between = 1.5
across = (width - margin_left - margin_right - (panels - 1)*between) / panels
down = (height - margin_top - margin_bottom - (rows - 1)*3*between) / rows
above(r) = 1 - (margin_top + (r - 1)*(down + 3*between)) / height

# Both rows share their range with their floors.
lesser(a, b) = a < b ? a : b
greater(a, b) = a > b ? a : b
row_low[1] = lesser(row_low[1], lesser(row_low[3], row_low[4]))
row_high[1] = greater(row_high[1], greater(row_high[3], row_high[4]))
row_low[2] = lesser(row_low[2], lesser(row_low[5], row_low[6]))
row_high[2] = greater(row_high[2], greater(row_high[5], row_high[6]))

reached(r, value, floor) = value <= 10*floor ? value : NaN
missed(r, value, floor) = value <= 10*floor ? NaN : value
wide(r) = r == 1 ? 4 : 6
narrow(r) = wide(r) + 1

set multiplot
set label 2 'long bar: norm-wise floor   short bar: component-wise floor   filled: within 10 times it' \
    at screen 0.5,1 - (6 + 3.7*key_rows)/height center font small
set xrange [0:curves + 1]
unset xtics
set style line 201 linecolor rgb '#303030' linewidth 1.5
set style line 202 linecolor rgb '#303030' linewidth 2.5
do for [r=1:rows] {
    do for [p=1:panels] {
        eval place(r, p)
        eval log_axis(r, p == 1)
        set ylabel only(p == 1, r == 1 ? 'residual' : 'forward error') offset 0.2,0
        set label 1 only(r == 1, panel[p]) at graph 0.5,1.03 left rotate by 35 font small
        if (r + p > 2) { unset label 2 }
        plot for [c=1:curves] data index block(p, c) using (c - 0.45):(column(wide(r))):(0.9):(0) \
                 with vectors nohead ls 201 notitle, \
             for [c=1:curves] data index block(p, c) using (c - 0.25):(column(narrow(r))):(0.5):(0) \
                 with vectors nohead ls 202 notitle, \
             for [c=1:curves] data index block(p, c) \
                 using (c):(reached(r, column(1+r), column(narrow(r)))) with points ls look[c] notitle, \
             for [c=1:curves] data index block(p, c) \
                 using (c):(missed(r, column(1+r), column(narrow(r)))) with points ls look[c] \
                 pointtype curve_hollow[c] linewidth 1 pointsize 0.6 notitle
    }
}
key_plot = 'plot NaN notitle, for [c=1:curves] keyentry with points ls look[c] title curve[c]'
eval key
unset multiplot
set label 2 'long bar: norm-wise floor   short bar: component-wise floor   filled: within 10 times it' \
    at screen 0.5,1 - (6 + 3.7*key_rows)/height center font small
