#: title   Friction on a box that slides, over the direction, by the law that a solver has
#: size    84 x 80
#: panels  direction: 0 7.5 15 22.5 30 37.5 45 52.5 60 67.5 75 82.5 90
#: curves  solver: lemke:directions=4 lemke pgs:friction=outer:directions=4 pgs:friction=outer proximal_newton
#: where   kind=simulation scene=curved_slide across=0.4
#: x       time
#: y       kinetic_energy:drop
#
# Macklin et al. 2019, figure 5: what friction takes from the box in a step, over what the smooth cone takes along x
# (points), and what the support of a regular polygon says (lines). Each direction is a block of the data.

array force[panels*curves]
do for [p=1:panels] { do for [c=1:curves] {
    stats data index block(p, c) using 2 nooutput
    force[(p - 1)*curves + c] = STATS_max
} }
smooth = force[curves]
# A corner of n stands along x; it is reach from the centre.
support(n, reach, x) = reach*cos((x - 360./n*floor(x*n/360. + 0.5))*pi/180)

directions = panels
panels = 1
margin_top = margin_top - titles
set multiplot
eval fit
eval place(1, 1)
set xrange [0:90]
set yrange [0.65:1.5]
set xtics 15
set format x '%g'
set format y '%g'
set xlabel 'direction of the slide [degrees]' offset 0,0.4
set ylabel 'force along it / μ m g' offset 0.2,0
set samples 181
plot support(4, 1, x) ls look[1] notitle, support(8, 1, x) ls look[2] notitle, \
     support(4, sqrt(2), x) ls look[3] notitle, support(8, 1/cos(pi/8), x) ls look[4] notitle, 1 ls look[5] notitle, \
     for [c=1:curves] for [p=1:directions] '+' every ::0::0 using (90.*(p - 1)/(directions - 1)):(force[(p - 1)*curves + c]/smooth) \
         with points ls look[c] notitle
eval key
unset multiplot
