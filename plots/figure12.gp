#: title   Newton's iterates on a stretched sheet, with and without geometric stiffness
#: size    174 x 60
#: panels  problem: sheet
#: curves  solver: newton:geometric_stiffness=none newton:geometric_stiffness=diagonal newton:geometric_stiffness=rows
#: where   kind=case mode=step linear=kkt operator=factored precision=f64 newton_iters=30
#: x       iteration
#: from    1
#: y       natural_map step_size
#
# Macklin et al. 2019, figure 12: the merit function, here the relative norm of the residual, and the
# step size as a measure of convergence.

do for [c=1:curves] {
    curve[c] = curve[c] eq '' ? '' : strstrt(name[c], 'none') ? 'without geometric stiffness' \
             : strstrt(name[c], 'diagonal') ? 'diagonal approximation' : 'in the rows'
}
label_of(r) = r == 1 ? 'merit function' : 'step size [m/s or N s]'

# Two rows of the data side by side.
panels = 2
set multiplot
margin_top = margin_top - titles
set xrange [0:x_high]
apart = margin_left + 3
across = (width - margin_left - margin_right - apart) / 2
do for [r=1:rows] {
    set lmargin at screen (margin_left + (r - 1)*(across + apart)) / width
    set rmargin at screen (margin_left + (r - 1)*(across + apart) + across) / width
    set tmargin at screen 1 - margin_top/height
    set bmargin at screen margin_bottom/height
    eval log_axis(r, 1)
    set xlabel 'Newton iteration' offset 0,0.4
    set ylabel label_of(r) offset 0.2,0
    plot for [c=1:curves] data index c - 1 using 1:1+r with linespoints ls look[c] notitle
}
eval key
unset multiplot
