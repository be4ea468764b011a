#: title   Friction's compliance and its error over the force, by NCP function
#: size    174 x 70
#: each    scaling: identity timestep mass
#: panels  quantity: compliance friction_error
#: curves  ncp: fb min
#: where   kind=function
#: where   quantity!=normal
#: x       force
#: y       value
#
# Macklin et al. 2019, figure 6: a contact that slides at 0.5 m/s with mu lambda_n = 5 N. The error is zero at the
# cone's limit, the dashed line, beyond which the compliance drives the force back.

set multiplot
between = 16
margin_top = margin_top - titles
eval fit
set xrange [0:10]
do for [p=1:panels] {
    error = panel[p] eq 'friction_error'
    eval place(1, p)
    set arrow 1 from 5, graph 0 to 5, graph 1 nohead lc rgb '#A0A0A0' dt 2 back
    if (error) { set yrange [-1:0.6]; set ytics 0.4 } else { set yrange [0:0.5]; set ytics 0.1 }
    set xlabel 'friction force |λ_f| [N]' offset 0,0.4
    set ylabel (error ? 'φ_f [m/s]' : 'compliance Γ [m/(s N)]') offset 0.2,0
    plot for [c=1:curves] data index block(p, c) using 1:2 with lines ls look[c] notitle
}
unset arrow 1
key_plot = "plot NaN notitle, for [c=1:curves] keyentry with lines ls look[c] title curve[c]"
eval key
unset multiplot
