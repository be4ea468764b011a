#: title   Eigenvalues of the Delassus matrix
#: size    174 x 60
#: panels  problem: two_boxes sparse_stack dense_wall
#: curves  kind: spectrum
#: where   kind=spectrum
#: x       index
#: y       eigenvalue
#
# Silcowitz, Niebe and Erleben 2009, figure 7: the spectrum of A = J M^-1 J^T.

set multiplot
between = 13
margin_top = margin_top - key_room
eval fit
do for [p=1:panels] {
    eval place(1, p)
    set autoscale xy
    set xtics autofreq
    set xrange [0:*]
    set yrange [0:*]
    set xlabel 'index, ascending' offset 0,0.4
    set ylabel only(p == 1, 'eigenvalue [1/kg]') offset 0.2,0
    set label 1 panel[p] at graph 0.5,1.06 center
    stats data index block(p, 1) using 2 nooutput
    largest = STATS_max
    stats data index block(p, 1) using (abs($2) <= 1e-10*largest) nooutput
    set label 2 sprintf('%.0f %% are zero', 100*STATS_mean) at graph 0.04,0.93 left font small
    plot data index block(p, 1) using 1:($2 < 0 ? 0 : $2) with points ls look[1] pointsize 0.3 notitle
}
unset multiplot
