#: title   Normal forces over redundant contacts at rest: quartiles over twelve time steps, by NCP function
#: input   quantiles
#: size    174 x 66
#: panels  method: newton_fb newton_min
#: curves  quantile: 0 0.25 0.5 0.75 1
#: where   kind=forces
#: where   problem=rest_pyramid-????
#: x       contact
#: y       normal_force
#
# Macklin et al. 2019, section 10.3: forces of the minimum map are noisy where contacts are redundant. Steps 20 to 31 of
# the pyramid of boxes, at rest, each solved by itself: 30 Newton iterations of 100 PCR iterations with IC(0). Dark: half
# of the steps lie between the quartiles; light: all; line: the median. Without noise there is a line only.

array lower[longest]
array smallest[longest]

set multiplot
between = 9
eval fit
set yrange [0:1.05*row_high[1]]
do for [p=1:panels] {
    eval place(1, p)
    set autoscale x
    set xlabel 'contact, in order' offset 0,0.4
    set ylabel only(p == 1, 'normal force [N]') offset 0.8,0
    set format y only(p == 1, '%g')
    set label 1 panel[p] at graph 0.5,1.06 center
    stats data index block(p, 1) using (smallest[int($0) + 1] = $2) nooutput
    stats data index block(p, 2) using (lower[int($0) + 1] = $2) nooutput
    plot data index block(p, 5) using 1:2:(smallest[int($0) + 1]) with filledcurves lc rgb '#CFE2F0' notitle, \
         data index block(p, 4) using 1:2:(lower[int($0) + 1]) with filledcurves lc rgb '#7FB3D5' notitle, \
         data index block(p, 3) using 1:2 with lines ls 1 notitle
}
key_plot = "plot NaN notitle, keyentry with lines ls 1 title 'median', " \
    ."keyentry with boxes fs solid lc rgb '#7FB3D5' title 'quartiles', " \
    ."keyentry with boxes fs solid lc rgb '#CFE2F0' title 'all steps'"
eval key
unset multiplot
