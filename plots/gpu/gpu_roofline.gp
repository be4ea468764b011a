# Operations of an iteration of PCR over its time, over its operations a byte; scripts/gpu_figures.py sets data,
# output, format, curves, curve[] and roof [B/s]. One block of `data` a curve: operations a byte, operations a second.
if (format eq 'pdf') {
    set terminal pdfcairo enhanced size 129/25.4,84/25.4 font 'DejaVu Sans Condensed,8'
} else {
    set terminal pngcairo enhanced size 1524,992 font 'DejaVu Sans Condensed,8' fontscale 3.125 linewidth 2 pointscale 2
}
set output output
set encoding utf8
set minussign
set border 3 linecolor rgb '#404040'
set tics nomirror
array palette[7] = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000]
array marker[7] = [7, 5, 9, 13, 11, 15, 2]
look(c) = (c - 1) % 7 + 1
set logscale xy
set format y '10^{%L}'
set xrange [0.05:1]
set xlabel 'operations a byte'
set ylabel 'operations a second [1/s]'
set grid ytics linecolor rgb '#E0E0E0'
set key outside right top Left reverse
plot for [c=1:curves] data index c-1 using 1:2 with points linecolor rgb palette[look(c)] \
         pointtype marker[look(c)] pointsize 0.6 title curve[c], \
     roof > 0 ? roof * x : 1/0 with lines linecolor rgb '#808080' dashtype 2 title (roof > 0 ? 'copy' : '')
