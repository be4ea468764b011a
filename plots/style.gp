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

# What all curves share, below the figure: in as many lines as it takes. A character is about 1.1 mm wide.
foot = 0
foot_text = ''
if (exists('shared_parts')) {
    in_line = 0
    do for [k=1:shared_parts] {
        part = shared[k + 1]
        breaks = in_line > 0 && in_line + strlen(part) + 3 > (width - 6)/1.1
        foot_text = foot_text.(breaks ? "\n" : in_line ? ' · ' : '').part
        foot = foot + (breaks || in_line == 0 ? 3.2 : 0)
        in_line = breaks || in_line == 0 ? strlen(part) : in_line + strlen(part) + 3
    }
}
foot = foot > 0 ? foot + 1 : 0
height = height + (exists('own_size') ? 0 : foot)
terminal = "if (format eq 'pdf') { set terminal pdfcairo enhanced size width*mm,height*mm font font.',8' fontscale 0.75 " \
    ."linewidth 1 pointscale 1 } else { if (format eq 'svg') { set terminal svg enhanced size width*mm*96,height*mm*96 " \
    ."font font.',8' fontscale 96/72. linewidth 96/144. background '#ffffff' } else { if (format eq 'gif') { " \
    ."set terminal gif enhanced animate delay delay loop 0 size width*mm*150,height*mm*150 font font.',8' " \
    ."fontscale 150/96. linewidth 150/144. background '#ffffff' } else { " \
    ."set terminal pngcairo enhanced size width*mm*dpi,height*mm*dpi font font.',8' fontscale dpi/96 " \
    ."linewidth dpi/144 pointscale dpi/144 } } }"
eval terminal
set output output

set border 3 linewidth 1 linecolor rgb '#404040'
set tics nomirror out scale 0.6,0.3 textcolor rgb '#202020'
set label noenhanced

# One colour, marker and dash a method, in every figure (harness/figures/look.h): KIND NAME RRGGBB MARKER DASH, and a
# title where the registry's is long for a key. The colours are those of Okabe and Ito, without black and yellow, and
# indigo and grey of Tol's: told apart by the colour-blind; markers and dashes tell curves apart in grey. What is not
# listed has a colour by its name, or is a user's own: black and thicker. Relatives share a colour.
#: look linear jacobi                   0072B2 circle        solid
#: look linear chebyshev_jacobi         0072B2 open_circle   dashed  Jacobi with Chebyshev
#: look linear momentum_jacobi          0072B2 pentagon      dotted  Jacobi with momentum
#: look linear gauss_seidel             D55E00 square        solid
#: look linear symmetric_gauss_seidel   D55E00 open_square   dashed
#: look linear sor                      56B4E9 pentagon      solid   SOR
#: look linear ssor                     56B4E9 open_pentagon dashed  SSOR
#: look linear pcg                      009E73 triangle      solid   PCG
#: look linear pcg_single               009E73 open_triangle dashed  PCG, single reduction
#: look linear fpcg                     009E73 plus          dotted  flexible CG
#: look linear pcr                      CC79A7 diamond       solid   PCR
#: look linear pcr_single               CC79A7 open_diamond  dashed  PCR, single reduction
#: look linear minres                   332288 cross         solid   MINRES
#: look linear chebyshev                777777 cross         dotted  Chebyshev
#: look linear cholesky                 E69F00 nabla         solid
#: look linear ldlt                     E69F00 open_nabla    dashed  LDLᵀ
#: look linear dense_cholesky           E69F00 plus          dashed
#: look linear dense_ldlt               E69F00 cross         dashdot dense LDLᵀ
#: look linear kkt                      332288 square        dashdot
#: look linear cholmod_plain            777777 nabla         dashdot CHOLMOD
#: look linear eigen                    777777 triangle      dashdot Eigen
#: look linear hypre                    777777 diamond       dashdot hypre
#: look linear petsc                    777777 pentagon      dashdot PETSc
#: look precond none                    777777 open_circle   dotted
#: look precond jacobi                  0072B2 circle        solid   Jacobi
#: look precond block_jacobi            56B4E9 pentagon      dashed  block Jacobi
#: look precond ssor                    D55E00 square        solid   SSOR
#: look precond ic0                     009E73 triangle      solid   IC(0)
#: look precond fsai                    CC79A7 diamond       dashed  FSAI
#: look precond amg                     E69F00 nabla         solid   AMG
#: look precond deflation               332288 cross         dashdot
#: look pair pcr                        000000 circle        solid
#: look pair pcg                        000000 circle        dashed
#: look pair fpcg                       000000 circle        dashdot
#: look pair minres                     000000 circle        dotted
#: look solver newton                   0072B2 circle        solid   Newton
#: look solver newton_fb                0072B2 circle        solid   Newton, Fischer-Burmeister
#: look solver newton_min               0072B2 open_circle   dashed  Newton, minimum map
#: look solver proximal_newton          D55E00 square        solid   proximal Newton
#: look solver cone_fischer_newton      56B4E9 open_pentagon dashed  conical Fischer-Newton
#: look solver fischer_newton           56B4E9 pentagon      solid   Fischer-Newton
#: look solver pgs                      009E73 triangle      solid   PGS
#: look solver nsgs                     009E73 open_triangle dashed  NSGS
#: look solver nncg                     009E73 plus          dotted  NNCG
#: look solver projected_gradient       CC79A7 diamond       solid   projected gradient
#: look solver apgd                     CC79A7 open_diamond  dashed  APGD
#: look solver extragradient            CC79A7 cross         dotted  extragradient
#: look solver admm                     E69F00 nabla         solid   ADMM
#: look solver dual_ascent              E69F00 open_square   dashed  dual ascent
#: look solver primal_descent           332288 square        dashdot primal descent
#: look solver implicit_complementarity 777777 cross         solid   implicit complementarity
#: look solver mixed_conjugate_residual E69F00 open_nabla    dashed  mixed conjugate residuals
#: look solver siconos                  777777 diamond       dashdot Siconos
#: look solver mujoco                   777777 nabla         dashdot MuJoCo
#: look ncp fb                          0072B2 circle        solid
#: look ncp min                         D55E00 square        dashed
#: look scaling identity                0072B2 circle        solid   r = 1
#: look scaling timestep                D55E00 square        dashed  r from the time step
#: look scaling mass                    009E73 triangle      solid   r = effective mass
#: look scaling effective               CC79A7 diamond       solid   r = mass with joints
#: look operator assembled              0072B2 circle        solid   assembled blocks
#: look operator factored               D55E00 square        dashed
#: look precision f64                   0072B2 circle        solid
#: look precision f32                   D55E00 square        dashed
#: look precision f32_sums              009E73 triangle      dotted  float32, float64 sums
#: look arithmetic f64                  0072B2 circle        solid
#: look arithmetic f32                  D55E00 square        dashed
#: look arithmetic f32_sums             009E73 triangle      dotted  float32, float64 sums
#: look arithmetic f64:in=f32           CC79A7 diamond       solid   float64, solved in float32
#: look arithmetic f64:in=f16           E69F00 nabla         dashed  float64, solved in float16
#: look arithmetic f64:in=bf16          56B4E9 pentagon      dotted  float64, solved in bfloat16

if (!exists('curve_colour')) { # a picture
    panels = 1; rows = 1; floors_of = ''; curves = 1
    array curve[1] = ['']
    array curve_colour[1] = [0]
    array curve_marker[1] = [7]
    array curve_dash[1] = [1]
    array curve_own[1] = [0]
    # What is shown fills the page above a strip and within edges [mm], one metre the same both ways: `eval fill_page`.
    # `eval margins('shown')` and `eval ranges('shown')` are then the place and the range of that array: x from, to, y
    # from, to.
    lesser(a, b) = a < b ? a : b
    span_x = shown[2] - shown[1]; span_y = shown[4] - shown[3]
    middle_x = 0.5 * (shown[1] + shown[2]); middle_y = 0.5 * (shown[3] + shown[4])
    x_at(x) = (width/2 + metre*(x - middle_x)) / width
    y_at(y) = (strip + (height - strip - edge)/2 + metre*(y - middle_y)) / height
    fill_page = 'metre = lesser((width - 2*edge) / span_x, (height - strip - edge) / span_y)'
    margins(x) = sprintf('set lmargin at screen x_at(%s[1]); set rmargin at screen x_at(%s[2]); ', x, x) \
        .sprintf('set bmargin at screen y_at(%s[3]); set tmargin at screen y_at(%s[4])', x, x)
    ranges(x) = sprintf('set xrange [%s[1]:%s[2]]; set yrange [%s[3]:%s[4]]', x, x, x, x)
}
set dashtype 12 (7,3)
set dashtype 13 (2,2.5)
set dashtype 14 (8,2.5,2,2.5)
do for [c=1:curves] {
    dashes = curve_dash[c] == 1 ? 1 : 10 + curve_dash[c]
    set style line c linecolor rgb curve_colour[c] linewidth (curve_own[c] ? 3 : 2) \
        dashtype dashes pointtype curve_marker[c] \
        pointsize (curve_own[c] ? 0.75 : 0.55)*(curve_marker[c] < 4 ? 1.4 : 1)
}
set style line 101 linewidth 1.5 dashtype (10,6) # norm-wise floor
small = ',7'

# Ranges over all panels, of x and of each row's magnitudes without zero. A floor that curves come near has room for its
# name above its line, or below its band; one that lies further below all of them than `near` is told at the foot of
# its panel.
near = 30.
magnitude(y) = abs(y) > 0 ? abs(y) : NaN
room_for_name = 5.
band = 10. # from a component-wise floor down, which is a band
if (exists('floor_norm')) {
    array row_low[rows]
    array row_high[rows]
    array row_room[rows] # below all curves, of the axis' decades; two floors that are told there take two lines
    x_low = 1; x_high = 1
    undefine RANGE_*
    stats data using 1 name 'RANGE' nooutput
    if (exists('RANGE_min')) { x_low = RANGE_min; x_high = RANGE_max }
    do for [r=1:rows] {
        undefine RANGE_*
        stats data using (magnitude(column(1 + r))) name 'RANGE' nooutput
        row_low[r] = exists('RANGE_min') ? RANGE_min : 1e308
        row_high[r] = exists('RANGE_max') ? RANGE_max : 0
        lowest = exists('RANGE_min') ? RANGE_min : 0
        row_room[r] = 0.08
        do for [k=(r - 1)*panels*curves + 1:r*panels*curves] {
            if (floor_norm[k] <= lowest/near && floor_component[k] <= lowest/near) { row_room[r] = 0.17 }
            do for [kind=1:2] {
                value = kind == 1 ? floor_norm[k] : floor_component[k]
                below = kind == 1 ? 1.5 : room_for_name*band
                if (value == value && value > lowest/near && value/below < row_low[r]) { row_low[r] = value/below }
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
# The key's columns are as wide as the longest name; its rows take the room that they need. A figure whose panels have no
# titles takes `titles` off margin_top, one without a key `key_room`.
longest_name = 0
do for [c=1:curves] { longest_name = strlen(curve[c]) > longest_name ? strlen(curve[c]) : longest_name }
key_columns = floor(width / (9.5 + 1.5*longest_name)) > 1 ? floor(width / (9.5 + 1.5*longest_name)) : 1
key_rows = ceil(1.*curves / key_columns)
margin_left = 15; margin_right = 4; margin_bottom = 9.5 + foot; between = 5
titles = 3.5; key_room = 1 + 3.6*(key_rows > 1 ? key_rows : 1)
margin_top = 3 + titles + key_room
fit = 'across = (width - margin_left - margin_right - (panels - 1)*between) / panels; ' \
    .'down = (height - margin_top - margin_bottom - (rows - 1)*between) / rows'
eval fit # again where a figure changes the margins
resize = 'eval terminal; set output output; eval fit' # where a figure changes its height, before it draws
left(p) = (margin_left + (p - 1)*(across + between)) / width
# A panel's title at full size, or, where that is wider than the panel, on lines of small letters: `eval title_panel(p)`.
# In no scene's title is a letter wider than 1.4 mm on average, a small one than 1.25.
is_wide(t) = 1.4*strlen(t) > across + between
last_blank(t, k) = k < 1 || t[k:k] eq ' ' ? k : last_blank(t, k - 1)
cut(t, most) = last_blank(t, most + 1) > 0 ? last_blank(t, most + 1) : strstrt(t, ' ') # 0: in one word
lines(t, most) = strlen(t) <= most || cut(t, most) == 0 ? t \
    : t[1:cut(t, most) - 1]."\n".lines(t[cut(t, most) + 1:], most)
fitting(t) = is_wide(t) ? lines(t, floor((across + between)/1.25)) : t
title_panel(p) = sprintf("set label 1 fitting(panel[%d]) at graph 0.5,1.06 center ", p) \
    .sprintf("font '%s' offset 0,%g", is_wide(panel[p]) ? small : font.',8', 0.5*(strstrt(fitting(panel[p]), "\n") > 0))
above(r) = 1 - (margin_top + (r - 1)*(down + between)) / height
place(r, p) = sprintf('set lmargin at screen %.6f; set rmargin at screen %.6f; ', \
                      left(p), left(p) + across/width) \
            . sprintf('set tmargin at screen %.6f; set bmargin at screen %.6f', \
                      above(r), above(r) - down/height)

# One row of panels broken into grid_rows = row_of(panels) of `in_row` each, with room_for_labels [mm] between them, for
# `eval place(row_of(p), p)`: `eval grid` where height and margins are known.
column_of(p) = (p - 1) % in_row + 1
row_of(p) = int((p - 1) / in_row) + 1
grid = 'across = (width - margin_left - margin_right - (in_row - 1)*between) / in_row; ' \
    .'down = (height - margin_top - margin_bottom - (grid_rows - 1)*room_for_labels) / grid_rows; ' \
    .'above(r) = 1 - (margin_top + (r - 1)*(down + room_for_labels)) / height; ' \
    .'left(p) = (margin_left + (column_of(p) - 1)*(across + between)) / width'

# Floors, before a panel is drawn: `eval name_floors(r, p, c)` for each curve. The norm-wise one is named, and the figure
# draws its line; rounding errors add up to the component-wise one at most and cancel in part: it is a band from there
# down to a tenth. Where curves of a panel have different floors, or a figure shows one curve's only, they take the
# colours of the curves.
is_number(x) = x == x
floors_in(r, p) = sum [c=1:curves] is_number(floor_norm[entry(r, p, c)]) || is_number(floor_component[entry(r, p, c)])
bands(r, p, end) = end < 2 ? 0 : sum [c=1:end-1] is_number(floor_component[entry(r, p, c)])
floor_colour(r, p, c) = floors_in(r, p) > 1 || strlen(floors_of) ? curve_colour[c] : 0x303030
bottom(r) = row_low[r] > 0 ? 10.**low(r) : 0
is_below(r, value) = is_number(value) && value < bottom(r)
below_before(r, p, c, floors) = c < 2 ? 0 : sum [b=1:c-1] is_below(r, value_of(floors, r, p, b))
value_of(floors, r, p, c) = floors == 1 ? floor_norm[entry(r, p, c)] : floor_component[entry(r, p, c)]
foot_of(r, p, floors) = (floors == 1 || below_before(r, p, curves + 1, 1) == 0 ? 1.7 : 4.7) / down # mm from the axis
fits_below(text) = 0.95*(strlen(text) + 7) > across ? 'floor' : text # a letter is about that wide [mm]
told_below(tag, r, p, c, floors, text) = sprintf("set label %d '%s' at graph 0.015, graph %g font '%s' " \
    ."tc rgb %d", tag, only(below_before(r, p, c, floors) == 0, \
        sprintf('%s: %.0e', fits_below(text), value_of(floors, r, p, c))), foot_of(r, p, floors), small, \
        strlen(floors_of) ? curve_colour[c] : 0x303030)
name_norm(tag, r, p, c, text, colour) = is_below(r, floor_norm[entry(r, p, c)]) \
    ? told_below(tag, r, p, c, 1, text) : is_number(floor_norm[entry(r, p, c)]) \
    ? sprintf("set label %d '%s' at graph 0.015, first %.6e offset 0,0.45 font '%s' tc rgb %d", \
              tag, text, floor_norm[entry(r, p, c)], small, colour) \
    : sprintf("set label %d ''", tag)
no_band(tag) = sprintf("set object %d rectangle from graph 0,0 to graph 0,0 fillstyle empty noborder", tag)
name_component(tag, r, p, c, text, colour) = is_below(r, floor_component[entry(r, p, c)]) \
    ? told_below(tag, r, p, c, 2, 'component-wise floor').'; '.no_band(tag) \
    : is_number(floor_component[entry(r, p, c)]) \
    ? sprintf("set label %d '%s' at graph 0.985, first %.6e right offset 0,-0.5 font '%s' tc rgb 0x303030; ", \
              tag, text, floor_component[entry(r, p, c)]/band, small) \
    . sprintf("set object %d rectangle from graph 0, first %.6e to graph 1, first %.6e behind ", \
              tag, floor_component[entry(r, p, c)]/band, floor_component[entry(r, p, c)]) \
    . sprintf("fillstyle transparent solid 0.15 noborder fillcolor rgb %d", colour) \
    : sprintf("set label %d ''; ", tag).no_band(tag)
name_floors(r, p, c) = \
    name_norm(1 + 2*c, r, p, c, 'norm-wise floor', floor_colour(r, p, c)).'; ' \
  . name_component(2 + 2*c, r, p, c, only(bands(r, p, c) == 0, 'component-wise floor' \
                   .only(bands(r, p, curves + 1) > 1, 's')), floor_colour(r, p, c))

# One key for all panels, and the line below, from a plot of its own that shows nothing else: `eval key` comes last.
# A curve that no panel has is not in it.
key_axes = "set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; " \
    . "set bmargin at screen 0.5; unset border; unset tics; unset xlabel; unset ylabel; " \
    . "unset label; unset object; unset logscale; set xrange [0:1]; set yrange [0:1]; " \
    . "set label 1 foot_text at screen 0.5,(foot - 2.3)/height center noenhanced font small tc rgb '#404040'; " \
    . "set key at screen 0.5,0.99 center top horizontal Left reverse noenhanced samplen 2.2 maxcols key_columns; "
key_plot = "plot NaN notitle, for [c=1:curves] keyentry with linespoints ls look[c] title curve[c]"
key = 'eval key_axes; eval key_plot'
unset key
only(condition, text) = condition ? text : ''

# Markers of a curve with many points, a factor of `apart` in x from one to the next, those of curve c between
# the other curves': `using 1:(stands_apart($0, $1, c) ? $2 : NaN) with points`.
apart = 2.
begun = 0.
stands_apart(i, x, c) = i < 1 ? (begun = x*apart**(1.*c/curves - 1), 0) : x < apart*begun ? 0 : (begun = x, 1)

# Panel p's quantiles 0, 0.25, 0.5, 0.75 and 1, as curves, filled between: `eval quartiles` draws, with the arrays
# lower and smallest [longest], and key_plot = key_of_quartiles.
quartiles = "stats data index block(p, 1) using (smallest[int($0) + 1] = $2) nooutput; " \
    ."stats data index block(p, 2) using (lower[int($0) + 1] = $2) nooutput; " \
    ."plot data index block(p, 5) using 1:2:(smallest[int($0) + 1]) with filledcurves lc rgb '#CFE2F0' notitle, " \
    ."data index block(p, 4) using 1:2:(lower[int($0) + 1]) with filledcurves lc rgb '#7FB3D5' notitle, " \
    ."data index block(p, 3) using 1:2 with lines ls 1 notitle"
key_of_quartiles = "plot NaN notitle, keyentry with lines ls 1 title 'median', " \
    ."keyentry with boxes fs solid lc rgb '#7FB3D5' title 'quartiles', " \
    ."keyentry with boxes fs solid lc rgb '#CFE2F0' title 'all steps'"

# The name of a curve that lies below the axis all along, and how far: `most` is its largest value.
below_axis(c, most, least, unit) = only(most > 0 && most < least, \
    sprintf('%s: below 1e%d %s', curve[c], ceil(log10(most > 0 ? most : 1)), unit))

# The logarithmic axis of row r, labelled where shown: `eval log_axis(r, shown)`. There are at most
# eight labelled ticks, every one, two, three ... decades; small ticks divide what is between.
low(r) = floor(log10(row_low[r]) - row_room[r]*log10(row_high[r]/row_low[r]))
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
    .sprintf("set format x '%s'; set xlabel '%s' offset 0,0.4; set ylabel '%s' offset 0.2,0; ", \
             only(r == rows, '%g'), only(r == rows, x), only(p == 1, y)) \
    .(r == 1 ? title_panel(p) : "set label 1 ''")
