# What the pictures of docs/theory share: a plane in which both axes have the same scale, `width` mm wide and high enough
# for it, without axes. `left` and `bottom` are where it begins, `right` and `top` where it ends. Text is of 8 points.
dpi = 300.
set encoding utf8
pixels = width/25.4*dpi
set terminal pngcairo enhanced size pixels,pixels*(top - bottom)/(right - left) font 'DejaVu Sans Condensed,8' \
    fontscale dpi/96 linewidth dpi/144 background '#ffffff'
set output output
unset border
unset tics
unset key
set label enhanced
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen 1
set xrange [left:right]
set yrange [bottom:top]
blue = '#0072B2'
red = '#D55E00'
green = '#009E73'
grey = '#707070'
light = '#DCE9F2'
middle = '#B7D2E6'
set style arrow 1 head filled size screen 0.02,20 linewidth 2.5
set style arrow 2 nohead dashtype 3 linewidth 1.5 linecolor rgb grey
