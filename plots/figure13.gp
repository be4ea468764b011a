#: title   Volume of a stretched block over its volume at rest, against stretch
#: size    84 x 70
#: panels  scene: material_extension
#: curves  material: 0 1
#: where   kind=simulation scene=material_extension rise=1 stretch=2
#: where   time_step=0.0083
#: x       time
#: y       observable
#
# Macklin et al. 2019, figure 13: the co-rotational linear material (Hooke) loses volume at large
# strains, the neo-Hookean one resists. The bench pulls the block to twice its length in one second.

spacing = ceil(longest / 12.)
do for [c=1:curves] { curve[c] = curve[c] eq '' ? '' : name[c] eq '0' ? 'co-rotational linear' : 'neo-Hookean' }
stretch(t) = 1 + t

set multiplot
eval place(1, 1)
set xrange [1:2]
set yrange [*:*]
set xlabel 'stretch' offset 0,0.4
set ylabel 'volume / volume at rest' offset 0.2,0
set arrow 1 from 1,1 to 2,1 nohead lw 0.7 lc rgb '#A0A0A0'
plot for [c=1:curves] data index block(1, c) using (stretch($1) <= 2 ? stretch($1) : NaN):2 \
         with lines ls look[c] notitle, \
     for [c=1:curves] data index block(1, c) using (stretch($1) <= 2 ? stretch($1) : NaN):2 \
         every spacing::spacing*c/(curves + 1) with points ls look[c] notitle
eval key
unset multiplot
