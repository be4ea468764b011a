# The exact states of a contact (docs/theory/measure.md): it parts without a force; it stays, with a force anywhere in
# Coulomb's cone K; or it slides, with a force on the cone's edge that opposes the slip.
width = 174; left = 0; right = 17.4; bottom = 0; top = 4.3
load 'scripts/docs_images/plane.gp'
array name = ['open', 'stick', 'slip']
array force = ['r = 0', 'r in K', 'r = ρ(1, μt)']
array motion = ['U_N ≥ 0', 'U = 0', 'U = (0, −st)']
do for [k=1:3] {
    x = 5.8*(k - 1) + 2.9
    y = 1.45
    lift = k == 1 ? 0.55 : 0
    set arrow from x-2.4,y to x+2.4,y nohead linewidth 2
    set object 10*k polygon from x-0.8,y+lift to x+0.8,y+lift to x+0.8,y+lift+1.1 to x-0.8,y+lift+1.1 to x-0.8,y+lift \
        fillstyle solid border linecolor rgb grey fillcolor rgb '#EEEEEE' behind
    if (k > 1) { # the cone of the force on the body, from the contact up
        set object 10*k+1 polygon from x,y to x-0.8,y+2 to x+0.8,y+2 to x,y fillstyle solid noborder \
            fillcolor rgb middle back
    }
    set object 10*k+2 circle at x,y size 0.06 fillstyle solid fillcolor rgb 'black' front
    set label '{/:Bold '.name[k].'}' at x,top-0.3 center front
    set label force[k] at x-0.15,0.8 right textcolor rgb red
    set label motion[k] at x+0.15,0.8 left textcolor rgb blue
}
set arrow from 2.9,2.0 to 2.9,3.6 front arrowstyle 1 linecolor rgb blue
set arrow from 8.7,1.45 to 8.45,3.3 front arrowstyle 1 linecolor rgb red
set arrow from 14.5,1.45 to 13.76,3.3 front arrowstyle 1 linecolor rgb red
set arrow from 15.3,2.0 to 16.9,2.0 front arrowstyle 1 linecolor rgb blue
plot NaN
