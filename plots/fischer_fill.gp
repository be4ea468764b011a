#: title   Fill of the Delassus matrix
#: size    174 x 66
#: panels  problem: two_boxes sparse_stack dense_wall
#: curves  kind: fill
#: where   kind=fill
#: x       column
#: y       row magnitude
#
# Silcowitz, Niebe and Erleben 2009, figure 6: entries of A = J M^-1 J^T, shaded by the root of
# their magnitude; black is the largest.

set multiplot
rows = 1
between = 13
eval fit
set palette defined (0 '#e8e8e8', 1 'black')
set cbrange [0:1]
set size square
do for [p=1:panels] {
    eval place(1, p)
    if (p == panels) { # the scale, in the place of a key
        set colorbox horizontal user origin screen 0.4,1 - 3/height size screen 0.2,2/height
        set cbtics ('0' 0, 'largest entry' 1) scale 0 offset 0,0.6
    } else {
        unset colorbox
    }
    set xlabel 'column' offset 0,0.4
    set ylabel only(p == 1, 'row') offset 0.2,0
    set label 1 panel[p] at graph 0.5,1.06 center
    set autoscale xy
    stats data index block(p, 1) using 1 nooutput
    set xrange [-0.5:STATS_max + 0.5]
    set yrange [STATS_max + 0.5:-0.5]
    cell = across / (STATS_max + 1) / 2.1
    if (STATS_max < 300) {
        plot data index block(p, 1) using 1:2:(0.5):(0.5):(sqrt($3)) with boxxyerror fillcolor palette \
            fillstyle solid noborder notitle
    } else { # so many are points, which take a third of a box in the file
        plot data index block(p, 1) using 1:2:(sqrt($3)) with points pt 5 pointsize cell lc palette notitle
    }
}
unset multiplot
