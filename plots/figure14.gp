#: title   A scene, its contact points and its contact forces
#: input   scene
#: size    84 x 110
#
# Macklin et al. 2019, figure 14. Arrows are the contact forces on the bodies that they carry; where
# there are many, their sum for each two bodies. Open points lie behind a body.

unset border
unset tics
unset key

# Below the picture is a strip for the scales; the rest is filled, one metre the same both ways.
strip = 8.
edge = 1.5
eval fill_page

# The longest force is a tenth of the picture.
newton = longest > 0 ? 0.1 * lesser(span_x, span_y) / longest : 0

# The beam is within its slot: walls that stand still, which are the bluish ones, are clear.
if (problem eq 'beam') {
    do for [i=1:polygons] {
        if (colour[i] > 0 && (colour[i] & 255) > (colour[i] >> 16)) { colour[i] = colour[i] + 0xD0000000 }
    }
}

# Draws what lies in x from..to, y from..to at that place of the page.
# Polygons one by one; spheres and capsules as series of discs in between, deformable bodies as series
# of triangles, without borders: within one series the cairo terminals show those of hidden ones.
discs = 0
do for [i=1:polygons] { discs = discs + (colour[i] < 0) }
solids = "for [i=0:polygons-1] data index i using 1:2 with filledcurves closed " \
       . "    fc rgb colour[i+1] fs solid border lc rgb '#6A655C' lw 0.7, "
if (discs > 0) {
    solids = ""
    do for [i=0:polygons-1] {
        solids = solids.sprintf("data index %d using ", i).(colour[i+1] == -1 \
            ? "1:2:3:4 with circles fc rgb variable fs solid noborder, " \
            : colour[i+1] == -2 \
            ? "1:2:3 with filledcurves closed fc rgb variable fs solid noborder, " \
            : sprintf("1:2 with filledcurves closed fc rgb %d fs solid border ", colour[i+1]) \
              ."lc rgb '#6A655C' lw 0.7, ")
    }
}
bodies = "plot for [i=polygons:polygons+lines-1] data index i using 1:2:3 " \
      . "    with lines lc rgb variable lw 0.7, ".solids \
      . "data index polygons+lines using (\$3 == 1 ? \$1 : NaN):2 with points pt 6 ps dot lw 0.7 " \
      . "    lc rgb '#707070', " \
      . "data index polygons+lines using (\$3 == 0 ? \$1 : NaN):2 with points pt 7 ps dot " \
      . "    lc rgb '#202020'"
forces = ", data index polygons+lines+1 using 1:2:(newton*\$3):(newton*\$4) with vectors " \
       . "    head filled size screen 0.012,20 lc rgb '#D55E00' lw 1.2"

set multiplot
eval margins('shown')
eval ranges('shown')

set arrow 1 from screen edge/width,2.5/height to screen (edge + metre*bar)/width,2.5/height \
    heads size screen 0.006,90 lc rgb '#202020' lw 1
set label 1 sprintf('%g m', bar) at screen edge/width,4.7/height left
if (longest > 0) {
    size_x = metre * newton * force_bar
    set arrow 2 from screen 0.55,2.5/height to screen 0.55 + size_x/width,2.5/height \
        head filled size screen 0.012,20 lc rgb '#D55E00' lw 1.2
    set label 2 (force_bar < 1e3 ? sprintf('%g N', force_bar) : sprintf('%g kN', force_bar/1e3)) \
        .(joined ? ' on a joint' : ' on a contact') at screen 0.55,4.7/height left
}
if (inset) {
    set object 1 rectangle from inset_window[1],inset_window[3] to inset_window[2],inset_window[4] \
        fs empty border lc rgb '#0072B2' lw 1 front
}
dot = joined ? 0.2 : 0.3
eval bodies.forces
unset arrow
unset label
unset object

if (inset) {
    eval margins('inset_place')
    eval ranges('inset_window')
    set border 15 lw 1 lc rgb '#0072B2'
    dot = 0.5
    eval bodies
}
unset multiplot
