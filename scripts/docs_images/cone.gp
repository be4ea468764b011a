# Coulomb's law in the plane of the normal and of the slip: R in the cone K, Û = U + (mu |U_T|, 0, 0) in its dual K*, Û
# at right angles to R, and R the point of K nearest to R - Û. Where the contact slips, R is on the edge of K.
width = 100; left = -3.1; right = 4.8; bottom = -0.5; top = 3.35
load 'scripts/docs_images/plane.gp'
mu = 0.5
slip = 1.6
size = 2.3
set object 1 polygon from 0,0 to -3,3*mu to -3,3.1 to 4.7,3.1 to 4.7,4.7*mu to 0,0 fillstyle solid noborder fillcolor rgb light behind
set object 2 polygon from 0,0 to -3.1*mu,3.1 to 3.1*mu,3.1 to 0,0 fillstyle solid noborder fillcolor rgb middle behind
set arrow from -3,0 to 4.7,0 nohead linewidth 1 linecolor rgb grey
set arrow from 0,-0.3 to 0,3.2 nohead linewidth 1 linecolor rgb grey
set label 'tangent' at 4.7,-0.2 right textcolor rgb grey
set label 'normal' at 0.08,3.22 left textcolor rgb grey
set arrow from 0,0 to size*mu,size arrowstyle 1 linecolor rgb red
set arrow from 0,0 to -slip,0 arrowstyle 1 linecolor rgb blue
set arrow from 0,0 to -slip,mu*slip arrowstyle 1 linecolor rgb blue
set arrow from -slip,0 to -slip,mu*slip arrowstyle 2
set arrow from size*mu+slip,size-mu*slip to size*mu,size arrowstyle 2
set object 3 circle at size*mu+slip,size-mu*slip size 0.045 fillstyle solid fillcolor rgb grey
# the right angle between R and Û
n = sqrt(1 + mu*mu); a = 0.22
set arrow from a*mu/n,a/n to a*(mu - 1)/n,a*(1 + mu)/n nohead linewidth 1
set arrow from a*(mu - 1)/n,a*(1 + mu)/n to -a/n,a*mu/n nohead linewidth 1
set label '{/:Bold R}' at size*mu+0.1,size+0.1 textcolor rgb red
set label '{/:Bold U}' at -slip-0.05,-0.2 center textcolor rgb blue
set label '{/:Bold Û}' at -slip,mu*slip+0.2 center textcolor rgb blue
set label 'μ|U_T|' at -slip-0.1,mu*slip/2 right textcolor rgb grey
set label 'R − Û' at size*mu+slip+0.12,size-mu*slip+0.02 textcolor rgb grey
set label '{/:Bold K}: |R_T| ≤ μ R_N' at 0,2.8 center
set label '{/:Bold K*}' at -2.5,2.2 center
set label "R is the point of K\nnearest to R − Û" at size*mu+0.8,size+0.2 textcolor rgb grey
plot NaN
