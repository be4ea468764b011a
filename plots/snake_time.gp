#: title   Time of the first step of one to ten snakes
#: size    84 x 80
#: panels  problem: snakes_1 snakes_2 snakes_3 snakes_4 snakes_5 snakes_6 snakes_7 snakes_8 snakes_9 snakes_10
#: curves  precision: f32 f64
#: where   kind=case problem=snakes_*
#: x       sizes.contacts
#: y       times.median
#
# Macklin 2020 (thesis), table 6 and section 7.1.3: time grows linearly with the number of snakes, and one snake takes
# 8.9 s a frame on a processor, a tenth of which is the grey line. The time of one core at the printed budget,
# 4 x 20 PCR; the dotted lines go from the origin through that of one snake. The printed times of a GPU are a frame's.

array printed[10] = [0.0116, 0.0265, 0.0342, 0.0465, 0.056, 0.0648, 0.0734, 0.0871, 0.0954, 0.1059] # [s]
tenth = 0.89
array snakes[panels]
array seconds[panels*curves]
highest = 1.05*tenth
do for [p=1:panels] {
    snakes[p] = real(panel[p][8:]) # of "snakes_10"
    do for [c=1:curves] {
        seconds[p + (c - 1)*panels] = NaN
        if (points[block(p, c) + 1] > 0) {
            stats data index block(p, c) using (seconds[p + (c - 1)*panels] = $2) nooutput
            highest = seconds[p + (c - 1)*panels] > highest ? seconds[p + (c - 1)*panels] : highest
        }
    }
}
tested = panels
panels = 1
margin_top = margin_top - titles

set multiplot
eval fit
eval place(1, 1)
set xrange [0:snakes[tested] + 0.3]
set yrange [0:1.05*highest]
set xtics 1
set format y '%g'
set xlabel 'snakes' offset 0,0.4
set ylabel 'time of a step [s]' offset 0.2,0
set arrow 1 from 0,tenth to graph 1, first tenth nohead lc rgb '#A0A0A0' lw 1 back
set label 1 'a tenth of 8.9 s' at graph 0.02, first tenth offset 0,0.45 font small tc rgb '#606060'
plot for [c=1:curves] seconds[1 + (c - 1)*tested]*x/snakes[1] with lines ls look[c] lw 1 dt 3 notitle, \
     for [c=1:curves] snakes using 2:(seconds[$1 + (c - 1)*tested]) with linespoints ls look[c] notitle, \
     printed using 1:2 with linespoints lc rgb '#404040' lw 1 pt 2 ps 0.6 notitle
unset arrow 1
key_plot = "plot NaN notitle, for [c=1:curves] keyentry with linespoints ls look[c] title curve[c], " \
    ."keyentry with linespoints lc rgb '#404040' lw 1 pt 2 ps 0.6 title 'GPU, printed'"
eval key
unset multiplot
