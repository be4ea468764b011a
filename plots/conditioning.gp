#: title   Condition numbers of the primal and dual systems of a chain of 16 particles, and of a pyramid's contacts
#: size    174 x 70
#: panels  vary: ratio stiffness_ratio contact_compliance+friction_compliance
#: curves  system: primal dual
#: where   kind=conditioning
#: x       value
#: y       condition
#
# Macklin 2020 (thesis), figure 28: M + h^2 J^T K J and h^2 J M^-1 J^T + K^-1 mirror each other in the mass of
# the last particle over the others, and in the stiffness of the other links over the first. On the right all contacts
# of a pyramid of boxes are equally soft.

set multiplot
between = 9
margin_top = margin_top - titles
eval fit
set logscale x
set format x '10^{%L}'
do for [p=1:panels] {
    eval place(1, p)
    eval log_axis(1, p == 1)
    soft = strstrt(panel[p], 'compliance')
    if (soft) { set xtics 100 } else { set xtics autofreq }
    set xlabel (soft ? 'compliance [m/N]' : panel[p] eq 'ratio' ? 'mass ratio' : 'stiffness ratio') offset 0,0.4
    set ylabel only(p == 1, 'condition number') offset 0.2,0
    plot for [c=1:curves] data index block(p, c) using 1:2 with linespoints ls look[c] notitle
}
eval key
unset multiplot
