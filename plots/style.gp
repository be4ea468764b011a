# The look that all figures share. It is loaded after the figure's variables (docs/reference/figures.md)
# and before the figure's own file. Sizes are true: text is 8 pt in a figure `width` mm wide.

mm = 1 / 25.4
width = 1. * width
height = 1. * height
font = 'DejaVu Sans Condensed'
set encoding utf8
set minussign
# gnuplot counts a text's points as 1/96 inch and a line's width of 1 as 1/144 inch in PDF, one
# pixel in PNG.
dpi = 300.
name_of_output = exists('output_name') ? output_name : 'figure'
terminal = "if (format eq 'pdf') { set terminal pdfcairo enhanced size width*mm,height*mm font font.',8' fontscale 0.75 " \
    ."linewidth 1 pointscale 1 } else { if (format eq 'svg') { set terminal svg enhanced size width*mm*96,height*mm*96 " \
    ."font font.',8' fontscale 96/72. linewidth 96/144. background '#ffffff' name name_of_output } else { " \
    ."set terminal pngcairo enhanced size width*mm*dpi,height*mm*dpi font font.',8' fontscale dpi/96 " \
    ."linewidth dpi/144 pointscale dpi/144 } }"
eval terminal
set output output

set border 3 linewidth 1 linecolor rgb '#404040'
set tics nomirror out scale 0.6,0.3 textcolor rgb '#202020'
set label noenhanced

# Okabe and Ito's palette, told apart by the colour-blind; markers and dashes tell curves apart in
# greyscale. Curves beyond the seventh repeat the colours with dashes, beyond the fourteenth with dots
# and open markers.
set dashtype 11 (7,3)
set dashtype 12 (2,2.5)
array palette[7] = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000]
array marker[7] = [7, 5, 9, 13, 11, 15, 2]
array open_marker[7] = [6, 4, 8, 12, 10, 14, 1]
cycle(c) = (c - 1) % 7 + 1
do for [c=1:64] {
    lap = (c - 1)/7 % 3
    dashes = lap ? 10 + lap : 1
    set style line c linecolor rgb palette[cycle(c)] linewidth 2 dashtype dashes \
        pointtype (lap == 2 ? open_marker[cycle(c)] : marker[cycle(c)]) pointsize 0.55
}
set style line 101 linewidth 1.5 dashtype (10,6) # norm-wise floor
set style line 102 linewidth 1.5 dashtype (2,4)  # component-wise floor
small = ',6.5'

# Ranges over all panels, of x and of each row's magnitudes without zero; a floor has room for its name beside
# its line.
magnitude(y) = abs(y) > 0 ? abs(y) : NaN
room_for_name = 5.
if (exists('floor_norm')) {
    array row_low[rows]
    array row_high[rows]
    x_low = 1; x_high = 1
    undefine RANGE_*
    stats data using 1 name 'RANGE' nooutput
    if (exists('RANGE_min')) { x_low = RANGE_min; x_high = RANGE_max }
    do for [r=1:rows] {
        undefine RANGE_*
        stats data using (magnitude(column(1 + r))) name 'RANGE' nooutput
        row_low[r] = exists('RANGE_min') ? RANGE_min : 1e308
        row_high[r] = exists('RANGE_max') ? RANGE_max : 0
        do for [k=(r - 1)*panels*curves + 1:r*panels*curves] {
            do for [kind=1:2] {
                value = kind == 1 ? floor_norm[k] : floor_component[k]
                if (value == value && value/room_for_name < row_low[r]) { row_low[r] = value/room_for_name }
                if (value == value && value*room_for_name > row_high[r]) { row_high[r] = value*room_for_name }
            }
        }
        if (row_low[r] > row_high[r]) { row_low[r] = 1; row_high[r] = 1 }
    }
}

# Where the figure's data are: a block of the .dat file, an entry of the arrays of floors.
block(p, c) = (p - 1)*curves + c - 1
entry(r, p, c) = ((r - 1)*panels + p - 1)*curves + c

# A grid of panels, row r from the top, column p from the left, with one key above. Margins [mm].
if (!exists('panels')) { panels = 1; rows = 1; floors_of = ''; curves = 1; array curve[1] = [''] } # a picture
# The key's columns are as wide as the longest name; its rows take the room that they need.
longest_name = 0
do for [c=1:curves] { longest_name = strlen(curve[c]) > longest_name ? strlen(curve[c]) : longest_name }
key_columns = floor(width / (9.5 + 1.5*longest_name)) > 1 ? floor(width / (9.5 + 1.5*longest_name)) : 1
key_rows = ceil(1.*curves / key_columns)
margin_left = 14; margin_right = 4; margin_bottom = 9.5; between = 5
margin_top = 7.5 + 3.7*(key_rows > 1 ? key_rows : 1)
fit = 'across = (width - margin_left - margin_right - (panels - 1)*between) / panels; ' \
    .'down = (height - margin_top - margin_bottom - (rows - 1)*between) / rows'
eval fit # again where a figure changes the margins
resize = 'eval terminal; set output output; eval fit' # where a figure changes its height, before it draws
left(p) = (margin_left + (p - 1)*(across + between)) / width
above(r) = 1 - (margin_top + (r - 1)*(down + between)) / height
place(r, p) = sprintf('set lmargin at screen %.6f; set rmargin at screen %.6f; ', \
                      left(p), left(p) + across/width) \
            . sprintf('set tmargin at screen %.6f; set bmargin at screen %.6f', \
                      above(r), above(r) - down/height)

# Floors are named where they are drawn: `eval name_floors(r, p, c)` for each curve. Where curves of
# a panel have different floors, lines and names take the colours of the curves.
is_number(x) = x == x
floors_in(r, p) = sum [c=1:curves] is_number(floor_norm[entry(r, p, c)])
floor_colour(r, p, c) = floors_in(r, p) > 1 ? palette[cycle(look[c])] : 0x303030
name_floor(tag, value, text, shift, colour) = is_number(value) \
    ? sprintf("set label %d %s at graph 0.015, first %.6e offset 0,%g font '%s' tc rgb %d", \
              tag, text, value, shift, small, colour) \
    : sprintf("set label %d ''", tag)
whose = strlen(floors_of) ? ', '.floors_of : ''
name_floors(r, p, c) = \
    name_floor(1 + 2*c, floor_norm[entry(r, p, c)], "'norm-wise floor'.whose", 0.45, \
               floor_colour(r, p, c)).'; ' \
  . name_floor(2 + 2*c, floor_component[entry(r, p, c)], "'component-wise floor'", -0.5, \
               floor_colour(r, p, c))

# One key for all panels, from a plot of its own that shows nothing else: `eval key` comes last.
key = "set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; " \
    . "set bmargin at screen 0.5; unset border; unset tics; unset xlabel; unset ylabel; " \
    . "unset label; unset logscale; set xrange [0:1]; set yrange [0:1]; " \
    . "set key at screen 0.5,0.99 center top horizontal Left reverse noenhanced samplen 2.2 maxcols key_columns; " \
    . "plot NaN notitle, for [c=1:curves] keyentry with linespoints ls look[c] title curve[c]"
unset key
only(condition, text) = condition ? text : ''

# Markers of a curve with many points, a factor of `apart` in x from one to the next, those of curve c between
# the other curves': `using 1:(stands_apart($0, $1, c) ? $2 : NaN) with points`.
apart = 2.
begun = 0.
stands_apart(i, x, c) = i < 1 ? (begun = x*apart**(1.*c/curves - 1), 0) : x < apart*begun ? 0 : (begun = x, 1)

# The name of a curve that lies below the axis all along, and how far: `most` is its largest value.
below_axis(c, most, least, unit) = only(most > 0 && most < least, \
    sprintf('%s: below 1e%d %s', curve[c], ceil(log10(most > 0 ? most : 1)), unit))

# The logarithmic axis of row r, labelled where shown: `eval log_axis(r, shown)`. There are at most
# eight labelled ticks, every one, two, three ... decades; small ticks divide what is between.
low(r) = floor(log10(row_low[r]) - 0.08*log10(row_high[r]/row_low[r]))
high(r) = ceil(log10(row_high[r])) > low(r) ? ceil(log10(row_high[r])) : low(r) + 1
step(r) = ceil((high(r) - low(r)) / 8.)
major(e, r) = int(e) % int(step(r)) == 0
tick(e, r, shown) = sprintf("set ytics add ('%s' 1e%d %d); ", \
    only(major(e, r) && shown, sprintf(e < 0 ? '10^{−%d}' : '10^{%d}', abs(e))), e, !major(e, r))
ticks(e, r, shown) = e > high(r) ? '' : tick(e, r, shown).ticks(e + 1, r, shown)
log_axis(r, shown) = sprintf('set logscale y; set yrange [1e%d:1e%d]; ', low(r), high(r)) \
    . (step(r) > 1 ? 'set mytics default; set ytics (); '.ticks(low(r), r, shown) \
       : "set mytics 10; set ytics autofreq; set format y '".only(shown, '10^{%L}')."'")

# The panel in row r and column p: its place and logarithmic axis, labels below the last row and left of the first
# column, the panel's name above: `eval panel_axes(r, p, 'iteration', 'error [m/s]')`.
panel_axes(r, p, x, y) = place(r, p).'; '.log_axis(r, p == 1).'; ' \
    .sprintf("set format x '%s'; set xlabel '%s' offset 0,0.4; set ylabel '%s' offset 0.8,0; ", \
             only(r == rows, '%g'), only(r == rows, x), only(p == 1, y)) \
    .sprintf("set label 1 only(%d == 1, panel[%d]) at graph 0.5,1.06 center", r, p)
