#: title   A stack of cylinders, 4096:1, by iterations a step
#: size    174 x 100
#: panels  newton_iters: 20 500
#: curves  solver: primal_descent:k_n=1e8:k_f=1e8 dual_ascent dual_ascent:motion=fast_projection proximal_newton
#: where   kind=simulation scene=cylinder_stack
#: x       time
#: y       observable penetration
#
# Macklin 2020 (thesis), figure 30: with the lightest cylinder below, primal descent stacks in 20 iterations and
# dual ascent does not in 500. A curve that ends early is a simulation that broke down.
# At the height of the top cylinder primal descent and proximal Newton are one line.

spacing = ceil(longest / 10.)
array most[panels] # penetration of the last curve
do for [p=1:panels] { stats data index block(p, curves) using 3 nooutput; most[p] = STATS_max }

set multiplot
set xrange [0:x_high]
do for [r=1:rows] {
    do for [p=1:panels] {
        eval place(r, p)
        if (r == 1) { unset logscale y; set yrange [0.9:1.3]; set ytics 0.1; set format y only(p == 1, '%.1f') } \
        else { set logscale y; set yrange [1e-6:1]; set ytics autofreq; set format y only(p == 1, '10^{%L}') }
        set format x only(r == rows, '%g')
        set xlabel only(r == rows, 'time [s]') offset 0,0.4
        set ylabel only(p == 1, r == 1 ? 'height of the top cylinder [m]' : 'penetration [m]') offset 0.2,0
        set label 1 only(r == 1, panel[p].' iterations a step') at graph 0.5,1.06 center
        set label 2 only(r == 2, below_axis(curves, most[p], 1e-6, 'm')) at graph 0.98,0.05 right font small noenhanced
        plot for [c=1:curves - 1] data index block(p, c) using 1:1+r with lines ls look[c] notitle, \
             data index block(p, curves) using 1:1+r with lines ls look[curves] dashtype 2 notitle, \
             for [c=1:curves] data index block(p, c) using 1:1+r every spacing::spacing*c/(curves + 1) \
                 with points ls look[c] notitle
    }
}
eval key
unset multiplot
