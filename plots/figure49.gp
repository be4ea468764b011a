#: title   Contacts over the faces that pass the test of bounding spheres
#: size    84 x 80
#: panels  kind: culling
#: curves  problem_file: data/problems/fields/draped_cloth.h5
#: labels  data/problems/fields/draped_cloth.h5=cone,data/problems/fields/draped_cloth_grid.h5=its grid,data/problems/fields/draped_spool.h5=spool,data/problems/fields/spool_rope.h5=ropes,data/problems/fields/tori_1.h5=tori 1,data/problems/fields/tori_2.h5=tori 2,data/problems/fields/tori_3.h5=tori 3
#: where   kind=culling method=golden_section
#: x       .near
#: y       .contacts
#
# Macklin 2020 (thesis), figure 49: for rigid bodies and for cloth that lies on a body, the contacts are "close to the
# number passing bounding sphere checks", which the line is; here less than half, but of ropes, whose segments have
# contacts at their ends, too. Cloth on a cone, on its grid, and on a spool, ropes on a spool, heaps of tori.

set multiplot
margin_top = margin_top - titles
eval fit
eval place(1, 1)
most = 1.1*(x_high > row_high[1] ? x_high : row_high[1])
set xrange [0:most]
set yrange [0:most]
set xlabel 'faces within their bounding spheres' offset 0,0.4
set ylabel 'contacts' offset 0.2,0
set arrow 1 from 0,0 to most,most nohead lc rgb '#A0A0A0' dt 2 back
plot for [c=1:curves] data index block(1, c) using 1:2 with points ls look[c] notitle
unset arrow 1
key_plot = "plot NaN notitle, for [c=1:curves] keyentry with points ls look[c] title curve[c]"
eval key
unset multiplot
