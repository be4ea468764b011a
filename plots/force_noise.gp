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
    set ylabel only(p == 1, 'normal force [N]') offset 0.2,0
    set format y only(p == 1, '%g')
    set label 1 panel[p] at graph 0.5,1.06 center
    eval quartiles
}
key_plot = key_of_quartiles
eval key
unset multiplot
