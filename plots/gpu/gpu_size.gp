#: title   Time of a step over its size, on the card and on its host
#
# Time of a Newton step over its contacts, by where its linear systems are solved.

# scripts/gpu_figures.py sets data, output, format, curves and curve[]. One block of `data` a curve: contacts, seconds.
set format xy '10^{%L}'
set xlabel 'contacts'
set ylabel 'time of a step [s]'
plot for [c=1:curves] data index c-1 using 1:2 with linespoints linecolor rgb palette[look(c)] \
         pointtype marker[look(c)] pointsize 0.6 title curve[c]
