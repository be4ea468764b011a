#!/usr/bin/env bash
# 9 min: Macklin et al. 2019, figures 1 and 3: a soft ball onto a scale, by two fingers and by a hand.
# By how much the fingers press is ours: four ways, each at the budget of table 2, 4 x 50, and solved. What is too
# slippery stays where it is.
. scripts/paper/common.sh

# At the budget of table 2, 6 x 50. How far the hand closes and the margin are ours: three of each. By 2 degrees it does
# not reach the ball.
weigh_by_hand() {
    local setting
    for setting in flexion=10 flexion=8 flexion=12 flexion=2 margin=0.015 margin=0.02 margin=0.025; do
        simulate hand --set "$setting" --time 4.2 --solver newton:geometric_stiffness=diagonal --newton-iters 6 \
            --linear-iters 50 --operator factored
    done
}

printed=(--solver newton:geometric_stiffness=diagonal --newton-iters 4 --linear-iters 50 --operator factored)
for squeeze in 0.012 0.015 0.018 0.02; do
    simulate tomato --set "squeeze=$squeeze" --time 5 "${printed[@]}"
done
simulate tomato --time 7 # after 4.8 s the ball, which stands on a node of its mesh, tips onto a face
simulate tomato --set friction=0.1 --time 5 "${printed[@]}"
weigh_by_hand
