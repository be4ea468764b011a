# What all figures here have in common; scripts/gpu_figures.py loads it first.
if (format eq 'pdf') {
    set terminal pdfcairo enhanced size 129/25.4,84/25.4 font 'DejaVu Sans Condensed,8'
} else {
    set terminal pngcairo enhanced size 1524,992 font 'DejaVu Sans Condensed,8' \
        fontscale 3.125 linewidth 2 pointscale 2
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
set grid ytics linecolor rgb '#E0E0E0'
set key outside right top Left reverse
