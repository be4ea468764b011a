# The islands of a step (docs/theory/measure.md): contacts, joints and elements link what moves; what stands still links
# nothing. An island has one scale, by the largest approach that its contacts have to undo.
width = 174; left = 0; right = 17.4; bottom = 0; top = 6.0
load 'scripts/docs_images/plane.gp'
ground = 1.75
set arrow from 0.3,ground to 17.1,ground nohead linewidth 2
box(k, x, y, w, h) = sprintf("set object %d polygon from %g,%g to %g,%g to %g,%g to %g,%g to %g,%g fillstyle solid " \
    ."border linecolor rgb grey fillcolor rgb '#EEEEEE'", k, x, y, x + w, y, x + w, y + h, x, y + h, x, y)
hull(k, x, y, w, h) = sprintf("set object %d rectangle from %g,%g to %g,%g fillstyle solid noborder fillcolor rgb light " \
    ."behind", k, x, y, x + w, y + h)
dot(k, x, y) = sprintf("set object %d circle at %g,%g size 0.07 fillstyle solid fillcolor rgb 'black' front", k, x, y)
eval hull(1, 0.7, 1.45, 4.3, 4.2)
eval hull(2, 6.2, 1.45, 5.0, 4.2)
eval hull(3, 12.4, 1.45, 4.3, 4.2)
# a stack that lands
do for [k=0:2] {
    eval box(10 + k, 1.6, ground + 1.05*k, 1.7, 1.05)
    eval dot(20 + 2*k, 1.75, ground + 1.05*k)
    eval dot(21 + 2*k, 3.15, ground + 1.05*k)
}
set arrow from 3.9,4.9 to 3.9,3.4 front arrowstyle 1 linecolor rgb blue
set label 'V_N' at 4.05,4.2 textcolor rgb blue front
# two bodies of a joint, one of them on the ground
eval box(30, 6.9, ground, 1.7, 1.05)
eval dot(31, 7.05, ground)
eval dot(32, 8.45, ground)
set object 33 polygon from 8.55,2.75 to 9.95,4.45 to 10.4,4.08 to 9.0,2.38 to 8.55,2.75 fillstyle solid border \
    linecolor rgb grey fillcolor rgb '#EEEEEE'
set object 34 circle at 8.6,2.6 size 0.17 fillstyle solid border linecolor rgb 'black' fillcolor rgb 'white' front
set label 'joint' at 8.3,3.15 right textcolor rgb grey front
set arrow from 10.45,4.6 to 10.95,3.7 front arrowstyle 1 linecolor rgb blue
# one that touches nothing
set object 40 circle at 14.2,3.9 size 0.6 fillstyle solid border linecolor rgb grey fillcolor rgb '#EEEEEE'
set arrow from 14.8,3.9 to 16.2,4.4 front arrowstyle 1 linecolor rgb blue
set label '|U|' at 15.5,4.5 center textcolor rgb blue front
set label "{/:Bold one island:} contacts link\nits bodies. Errors are relative\nto the largest approach, V_N" at 2.85,1.05 center
set label "{/:Bold one island:} the joint links both.\nIts own rows are relative to\nthe island's energy E" at 8.7,1.05 center
set label "{/:Bold one island:} it has nothing\nto do, and is relative to\nits own motion" at 14.55,1.05 center
plot NaN
