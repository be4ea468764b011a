#: title   Deformable bodies by the strain of their volume
#: input   scene
#: size    84 x 70
#
# Macklin et al. 2019, figures 2 and 13: the colour is det F - 1 of the tetrahedron behind a face. Other
# bodies are grey or as in figure 14. Triangles have no borders (figure14.gp).

unset border
unset tics
unset key
unset label

strip = 13.
edge = 2.
eval fill_page

# The range of strain in the triangles, the same both ways, and never empty.
extreme = 1e-3
do for [i=1:polygons] {
    if (colour[i] == -2) {
        stats data index i-1 using 4 nooutput
        if (exists("STATS_min")) { # else nothing of them is to be seen
            extreme = abs(STATS_min) > extreme ? abs(STATS_min) : extreme
            extreme = abs(STATS_max) > extreme ? abs(STATS_max) : extreme
        }
    }
}

# From blue through white to red.
part(e) = e/extreme > 1 ? 1 : e/extreme < -1 ? -1 : e/extreme
mix(a, b, t) = int(a + (b - a)*t + 0.5)
tint(e) = part(e) > 0 \
    ? 65536*mix(0xF7, 0xD5, part(e)) + 256*mix(0xF7, 0x5E, part(e)) + mix(0xF7, 0x00, part(e)) \
    : 65536*mix(0xF7, 0x00, -part(e)) + 256*mix(0xF7, 0x72, -part(e)) + mix(0xF7, 0xB2, -part(e))

solids = ''
do for [i=0:polygons-1] {
    solids = solids.sprintf('data index %d using ', i).(colour[i+1] == -1 \
        ? "1:2:3:4 with circles fc rgb variable fs solid noborder, " \
        : colour[i+1] == -2 \
        ? "1:2:(tint(\$4)) with filledcurves closed fc rgb variable fs solid noborder, " \
        : "1:2 with filledcurves closed fc rgb '#F4F4F4' fs solid border lc rgb '#909090' lw 0.7, ")
}

eval margins('shown')
eval ranges('shown')
set cbrange [-extreme:extreme]
set palette defined (-1 '#0072B2', 0 '#F7F7F7', 1 '#D55E00')
set colorbox horizontal user origin screen 0.25,7./height size screen 0.5,2.2/height noborder
set cbtics scale 0.3 offset 0,0.6 (sprintf('−%.2g', extreme) -extreme, '0' 0, \
    sprintf('%.2g', extreme) extreme)
set cblabel 'strain of volume' offset 0,0.5
plot for [i=polygons:polygons+lines-1] data index i using 1:2:3 with lines lc rgb variable lw 0.7, \
    @solids '+' using (NaN):(NaN):(0) with points palette
