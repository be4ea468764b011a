#: title   Roofline of PCR on the card
#
# Operations of an iteration over its time, over its operations a byte; the line is what the bandwidth of a copy allows.

# scripts/gpu_figures.py sets data, output, format, curves, curve[] and roof [B/s]. One block of `data` a curve:
# operations a byte, operations a second.
set format y '10^{%L}'
set xrange [0.05:1]
set xlabel 'operations a byte'
set ylabel 'operations a second [1/s]'
plot for [c=1:curves] data index c-1 using 1:2 with points linecolor rgb palette[look(c)] \
         pointtype marker[look(c)] pointsize 0.6 title curve[c], \
     roof > 0 ? roof * x : 1/0 with lines linecolor rgb '#808080' dashtype 2 title (roof > 0 ? 'copy' : '')
