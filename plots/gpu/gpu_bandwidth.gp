#: title   Bandwidth of an iteration of PCR on the card
#
# Bytes that an iteration must move over its time, over these bytes; a copy on the card is the most that it can reach.

# scripts/gpu_figures.py sets data, output, format, curves, curve[] and roof [B/s]. One block of `data` a curve: bytes,
# bytes a second.
set format xy '10^{%L}'
set xlabel 'bytes of an iteration'
set ylabel 'bandwidth [B/s]'
plot for [c=1:curves] data index c-1 using 1:2 with linespoints linecolor rgb palette[look(c)] \
         pointtype marker[look(c)] pointsize 0.6 title curve[c], \
     roof > 0 ? roof : 1/0 with lines linecolor rgb '#808080' dashtype 2 title (roof > 0 ? 'copy' : '')
