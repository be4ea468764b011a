#!/usr/bin/env bash
# 1 min: Thesis, table 3.
# A step at the printed number of iterations; a frame of 16.6 ms has 2, 2, 4 and 8 of them.
. scripts/paper/common.sh

export_new methods/cylinder_stack.h5 cylinder_stack
export_new methods/leaning_capsule.h5 leaning_capsule
export_new methods/house_of_cards.h5 house_of_cards --set time_step=0.00415
export_new methods/granular_silo.h5 granular_silo --set time_step=0.002075 --step 20 --solver newton
frame() {
    local solver
    for solver in "${@:3}"; do
        solve "$problems/methods/$1.h5" --newton-iters "$2" --repetitions 9 --floor no --solver "$solver"
    done
}
frame cylinder_stack 20 primal_descent:k_n=1e8:k_f=1e8 dual_ascent
frame leaning_capsule 20 primal_descent:k_n=1e8:k_f=1e6 dual_ascent
frame house_of_cards 100 primal_descent:k_n=1e6:k_f=1e4 dual_ascent
frame granular_silo 30 primal_descent:k_n=1e4:k_f=1e4 dual_ascent
# To the end, with the fixed step length, and with a longer one.
ends() {
    solve "$problems/methods/$1.h5" --newton-iters 2000 --repetitions 0 --floor no --solver "$2"
}
ends cylinder_stack primal_descent:k_n=1e8:k_f=1e8
ends leaning_capsule primal_descent:k_n=1e8:k_f=1e6
ends house_of_cards primal_descent:k_n=1e6:k_f=1e4
ends granular_silo primal_descent:k_n=1e4:k_f=1e4
for seed in 2 3; do
    export_new "methods/granular_silo_$seed.h5" granular_silo --set "seed=$seed" --set time_step=0.002075 --step 20 \
        --solver newton
    ends "granular_silo_$seed" primal_descent:k_n=1e4:k_f=1e4
    ends "granular_silo_$seed" primal_descent:k_n=1e4:k_f=20.75
done
ends cylinder_stack primal_descent:k_n=1e8:k_f=1e8:alpha=2
# With k_f as a stiffness, over a time step; of the cards that of normals.
ends cylinder_stack primal_descent:k_n=1e8:k_f=8.3e5
ends leaning_capsule primal_descent:k_n=1e8:k_f=8300
ends house_of_cards primal_descent:k_n=1e6:k_f=4150
ends granular_silo primal_descent:k_n=1e4:k_f=20.75
