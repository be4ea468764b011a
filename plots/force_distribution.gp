#: title   Normal forces over redundant contacts, by method
#: size    174 x 79
#: panels  problem: cylinder house_of_cards
#: curves  method: newton_fb newton_min primal_descent:k_n=1e6:k_f=1e4 nsgs proximal_newton
#: where   kind=forces
#: x       contact
#: y       normal_force
#
# Macklin 2020 (thesis), figure 33: over contacts that share a load in no unique way, relaxed contact shares it
# evenly; what hard contact does depends on the method and the order of contacts. On the left the 48 corners
# of a cylinder on the ground, on the right the cards' edges.

set multiplot
between = 12
margin_top = margin_top + 4 # the panels' names are below a long key
eval fit
do for [p=1:panels] {
    eval place(1, p)
    set autoscale x
    set autoscale y
    if (panel[p] eq 'cylinder') { set logscale y; set yrange [0.1:1000]; set format y '%g' } \
    else { unset logscale y; set yrange [0:*]; set format y '%g' }
    scale = 1
    unit = 'N'
    if (panels == 1) { # long numbers would push the label out
        stats data index block(p, 1) using 2 nooutput
        power = STATS_max > 1e4 || (STATS_max > 0 && STATS_max < 0.1) ? floor(log10(STATS_max)) : 0
        scale = 10.**power
        unit = power ? sprintf('10^{%d} N', power) : unit
    }
    set xlabel 'contact, in order' offset 0,0.4
    set ylabel only(p == 1, 'normal force ['.unit.']') offset 0.2,0
    set label 1 panel[p] at graph 0.5,1.06 center
    plot for [c=1:curves] data index block(p, c) using 1:($2/scale) with linespoints \
        ls look[c] lw 1 notitle
}
eval key
unset multiplot
