#!/usr/bin/env bash
# make paper: makes anew, part by part, the records in data/records/ that the figures and the claims of the papers
# are read from (data/claims.list).
#
#     [BUILD=build] [FCLIB=folder] scripts/paper.sh [PART...]      all parts without an argument
#     scripts/paper.sh --list                                       the parts and what each takes
#
# A part whose records are newer than the program is left as it is, and a sweep goes on where it was, so that a
# killed run goes on. FCLIB names a folder of FCLIB problems (README).
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
problems=data/problems
results=data/results/paper
kept=data/records

# NAME, minutes on one core of a Xeon at 2.6 GHz beside much other work, what it makes. In this order.
parts='
fischer     3  Silcowitz et al. 2009, figures 2 to 4 and 8; Verschoor and Jalba 2019
spectra     1  Silcowitz et al. 2009, figures 6 and 7
boxes       1  Silcowitz et al. 2009, figure 10
balls       5  Todorov 2010, table 1 and figure 6
snake       3  thesis, figures 53 and 54, tables 5 and 6; pictures of a link and of a shell
trajectory  2  thesis, figure 36
descent     2  thesis, figures 26, 27, 30 and 31; section 5.8
grasp       3  thesis, figures 32 and 35
cloth       2  thesis, figure 34
fields      6  thesis, figures 38, 40, 41 and 46 to 49; table 4; chapter 8
structure   1  thesis, figures 5 and 6; Macklin et al. 2019, figure 5; Silcowitz et al. 2009, section 2
logs        2  thesis, figures 7 and 8
gel         1  thesis, figure 9
conditions  1  thesis, figure 28, and contacts of a pyramid of boxes
functions   1  Macklin et al. 2019, figures 6 and 9
forces      1  thesis, figure 33
noise       1  Macklin et al. 2019, section 10.3
humanoids   1  Macklin et al. 2019, table 2: counts; where the program has MuJoCo
batch       2  the same, of a scene, and section 11: islands
budgets     1  the same: assembly beside the linear solver at the printed budgets
frames      1  thesis, table 3
grains      3  thesis, figure 23
cards       3  thesis, figure 25
knock       2  the same: until it is knocked down
linear      7  Macklin et al. 2019, figures 11, 12, 17 and 18; damping; line search
multigrid   1  the same: a cylinder on its contacts; multigrid on walls
scenes      2  the same: figure 18 on every scene
laws        4  every nonlinear method on a step of each scene that came last: how each ends
beam       18  Macklin et al. 2019, figure 16
insertion   1  the same: figure 7
arch       19  Macklin et al. 2019, figure 14: the arch
stack       1  the same: the heavy stack
pile        2  the same: the pile of tables
seeds       1  the same: figure 17 and the line search on piles of other seeds
warm        1  the same: warm starts
stretch     2  Macklin et al. 2019, figure 13 and section 10.1.6
gripper     4  Macklin et al. 2019, figure 2
finger      1  the same, section 10.1.4: a finger alone
tomato      9  the same, figures 1 and 3: a soft ball onto a scale, by two fingers and by a hand
details     2  what came last: finer cloth, cloth within bodies, boxes that slide, stiff contacts, an absolute shift
'

# simulate SCENE OPTION...: appends its record to $out; one that breaks down is a result
simulate() { "$program" simulate "$@" -o "$out" >/dev/null 2>&1 || [ $? -eq 1 ]; }

# study STUDY OPTION...: scripts/python/ncpbench_studies.py
study() { NCPBENCH=$program PYTHONPATH=scripts/python /usr/bin/python3 -m ncpbench_studies "$@"; }

# solve PROBLEM OPTION...: the same
solve() { "$program" solve "$@" --json >>"$out" 2>/dev/null || [ $? -eq 1 ]; }

# export_new FILE SCENE OPTION...: where the program is newer
export_new() {
    local file=$problems/$1
    mkdir -p "${file%/*}"
    [ "$file" -nt "$program" ] || "$program" export "${@:2}" -o "$file" >/dev/null
}

export_sliding() {
    local speed
    for speed in 0.1 1 10; do export_new "sliding/sliding_$speed.h5" sliding_box --set "speed=$speed"; done
}

part_fischer() {
    local scene
    for scene in leaning_capsule box_pyramid two_boxes sparse_stack dense_wall; do
        scripts/problems.sh "$scene"
    done
    export_new methods/pneunet.h5 pneunet
    scripts/fclib.sh || :
    "$program" sweep data/methods.sweep -o "$out"
    time_whole
}

# With the set-up, which is timed once a run: in turn, nine times, told apart by a limit that none of them needs.
time_whole() {
    local run problem solver
    for run in {1..9}; do
        for problem in "$problems"/fclib/{CubeH8,LMGC_GlobalFrictionContactProblem00046}.hdf5; do
            for solver in mixed_conjugate_residual pgs:friction=cone proximal_newton; do
                [ ! -e "$problem" ] || solve "$problem" --linearized --newton-iters $((1000 + run)) \
                    --solver "$solver" --repetitions 9 --floor no
            done
        done
    done
}

part_spectra() {
    local scene
    for scene in two_boxes sparse_stack dense_wall; do
        scripts/problems.sh "$scene"
        study spectrum "$problems/$scene.h5" -o "$out" >/dev/null
    done
    export_new methods/one_contact.h5 balls_in_cube
    study spectrum "$problems/methods/one_contact.h5" -o "$out" >/dev/null
}

part_balls() {
    local friction count margin edges method=implicit_complementarity:scale=none # as published
    balls() { # FRICTION COUNT SOLVER OPTION...
        study iterations balls_in_cube --runs 10 --steps 200 --linearized --tol 1e-8 -o "$out" \
            --newton-iters 100 --set "friction=$1" --set "count=$2" --solver "${@:3}" >/dev/null
    }
    for friction in 0.1 0.5 1.0 2.0; do
        for count in 5 10 15; do
            balls "$friction" "$count" "$method"
        done
        balls "$friction" 15 "$method" --warm-start
        for edges in tangent met ignored; do
            balls "$friction" 15 "$method:edges=$edges"
        done
    done
    for count in 5 10 15; do # the gap that makes a contact is not printed
        for margin in 0.005 0.01 0.02; do
            balls 1.0 "$count" proximal_newton --set "margin=$margin"
        done
    done
    study iterations ball_drop --linearized --solver "$method" -o "$out" >/dev/null
    # Figure 6: the lowest ball closes its gap in the 29th step.
    for method in "$method" pgs; do simulate ball_drop --steps 30 --newton-iters 1 --solver "$method"; done
    balls_beside_others
}

# On steps of "the cell that is likely to be typical", 10 balls of friction 1, beside other methods.
balls_beside_others() {
    local step solver
    for step in 60 100 140 180; do
        export_new "balls/balls_$step.h5" balls_in_cube --set friction=1 --set count=10 --set time_step=0.005 \
            --step "$step"
        for solver in implicit_complementarity:scale=none proximal_newton nsgs cone_fischer_newton; do
            solve "$problems/balls/balls_$step.h5" --linearized --solver "$solver" --newton-iters 200 --tol 1e-9 \
                --repetitions 9 --floor no
        done
    done
}

# The pendulums' iterations are not printed: several numbers of them.
part_descent() {
    local scene solver iterations momentum dual=(dual_ascent dual_ascent:motion=fast_projection)
    for scene in double_pendulum_mass double_pendulum_stiffness; do
        for iterations in 20 100 500 2000; do
            for solver in primal_descent:k_n=1e8 "${dual[@]}"; do
                simulate "$scene" --time 2 --newton-iters "$iterations" --solver "$solver"
            done
        done
        simulate "$scene" --time 2 --newton-iters 20 --solver proximal_newton
    done
    for momentum in nesterov chebyshev; do
        simulate double_pendulum_stiffness --time 2 --newton-iters 20 --solver "primal_descent:k_n=1e8:momentum=$momentum"
        simulate leaning_capsule --time 5 --newton-iters 20 \
            --solver "primal_descent:k_n=1e8:k_f=1e4:momentum=$momentum"
    done
    for iterations in 20 500; do
        for solver in primal_descent:k_n=1e8:k_f=1e8 "${dual[@]}" proximal_newton; do
            simulate cylinder_stack --time 2 --newton-iters "$iterations" --solver "$solver"
        done
    done
    for solver in primal_descent:k_n=1e8:k_f=1e8 primal_descent:k_n=1e8:k_f=1e6 primal_descent:k_n=1e8:k_f=1e5 \
        primal_descent:k_n=1e8:k_f=1e4 primal_descent:k_n=1e6:k_f=1e4 "${dual[@]}"; do
        simulate leaning_capsule --time 5 --newton-iters 20 --solver "$solver"
    done
}

# Curvature over a pressure that rises by half a psi a step, of three meshes, in either chamber and to half of it; at the
# printed budget the first step of a link and of one to ten snakes.
part_snake() {
    local mesh pressure precision count table5="--set along=12 --set across=6 --set high=3"
    for mesh in "4 2 2" "8 4 2" "12 6 3"; do
        set -- $mesh
        for pressure in 55158 -55158 27579; do
            simulate soft_snake --set "along=$1" --set "across=$2" --set "high=$3" --set gravity=0 \
                --set "pressure=$pressure" --set rise=1.6 --set time_step=0.1 --steps 16
        done
    done
    export_new snake/bent.h5 soft_snake --set along=8 --set across=4 --set pressure=55158 --step 60 # for pictures
    export_new snake/shell.h5 shell --step 30
    export_new snake/link.h5 soft_snake $table5
    for count in {1..10}; do
        export_new "snake/snakes_$count.h5" soft_snake $table5 --set links=4 --set "snakes=$count"
    done
    for precision in f64 f32; do
        for count in link snakes_{1..10}; do
            solve "$problems/snake/$count.h5" --solver newton --linear pcr --newton-iters 4 --linear-iters 20 \
                --operator factored --precision "$precision" --repetitions 9 --floor no
        done
    done
}

# From three starts, and once without the gradient to places.
part_trajectory() {
    local launch
    for launch in 2.8 3.1 3.4; do study trajectory --set "launch_x=$launch" -o "$out" >/dev/null; done
    study trajectory --set launch_x=2.8 --gradient velocity -o "$out" >/dev/null
}

# At the budget and time step of table 3.
part_grasp() {
    local solver
    for solver in primal_descent:k_n=1e6:k_f=1e{2,3,4,5,6} proximal_newton nsgs dual_ascent \
        dual_ascent:motion=fast_projection; do
        simulate grasp --set time_step=0.00415 --time 15 --newton-iters 80 --solver "$solver"
    done
}

# A box on a cloth, by both descents at equal iterations, and the cloth alone. The stiffness of contacts is not printed
# of it; the pairs of normal and friction are the four that section 5.6 prints of others. With friction by kappa beside
# the largest the box is thrown off, or the run breaks down.
part_cloth() {
    local stiffness count k_n fast=dual_ascent:motion=fast_projection
    cloth() { # STIFFNESS SOLVER [OPTION...]
        simulate cloth --time 1 --newton-iters "$count" --set "stiffness=$1" --solver "${@:2}"
    }
    for count in 20 50 100; do
        for stiffness in 1e2 1e4 1e6 1e8 1e10; do
            cloth "$stiffness" primal_descent:k_n=1e5
            cloth "$stiffness" "$fast"
        done
        # By kappa, and the pairs that the thesis prints of contacts.
        for k_n in 3e5 1e6 1e8 1e4:k_f=1e4 1e6:k_f=1e6 1e8:k_f=1e6 1e8:k_f=1e8; do
            cloth 1e10 "primal_descent:k_n=$k_n"
        done
        for stiffness in 1e8 1e10; do
            cloth "$stiffness" primal_descent:k_n=1e5 --set mass=0
            cloth "$stiffness" "$fast" --set mass=0
        done
    done
}

# torus AROUND THROUGH: as OBJ, of twice as many triangles as points; its tube is 0.35 of the ring thick
torus() {
    awk -v n="$1" -v m="$2" 'BEGIN {
        for (i = 0; i < n; ++i) for (j = 0; j < m; ++j) {
            a = 8 * atan2(1, 1) * i / n; b = 8 * atan2(1, 1) * j / m; r = 1 + 0.35 * cos(b)
            printf "v %.9g %.9g %.9g\n", r * cos(a), r * sin(a), 0.35 * sin(b)
        }
        for (i = 0; i < n; ++i) for (j = 0; j < m; ++j) {
            p = i * m + 1; q = (i + 1) % n * m + 1; k = (j + 1) % m
            print "f", p + j, q + j, q + k; print "f", p + j, q + k, p + k
        }
    }'
}

# Nearest points to distance fields, and what is missed where vertices or sampled points alone are tested.
part_fields() {
    local search count file seed descent refine
    for seed in 1 2 3; do # the way of a step along a gradient is not printed
        for descent in 0.1 0.03 0.3 1; do
            "$program" closest --seed "$seed" --descent "$descent" -o "$out" >/dev/null
        done
    done
    "$program" closest --element triangle -o "$out" >/dev/null
    "$program" closest --field cone --element triangle --grid 64 -o "$out" >/dev/null
    for search in 0 1 2 3; do
        simulate draped_cloth --set gap=0.02 --time 0.6 --set "search=$search"
        simulate draped_cloth --set field=6 --set gap=0.02 --time 0.6 --set "search=$search"
        simulate spool_rope --set ropes=8 --set along=1 --set segments=10 --set ratio=1 --time 0.6 --set "search=$search"
    done
    for count in 4 16 64; do
        simulate draped_cloth --set gap=0.02 --time 0.6 --set search=4 --set "iterations=$count"
    done
    for seed in 1 2 3; do # triangles that slide over the edges of a box
        for count in 4 16 32 64; do
            "$program" closest --seed "$seed" --field box --element triangle --count 100 --slide 256 \
                --iterations "$count" --repetitions 1 -o "$out" >/dev/null
        done
    done
    for search in 0 1 2 3; do
        simulate net --set fields=1 --time 0.6 --set "search=$search"
    done
    for refine in 1 2; do # contacts found anew within the step
        simulate draped_cloth --set gap=0.02 --time 0.6 --refine "$refine"
        simulate spool_rope --set ropes=8 --set along=1 --set segments=10 --set ratio=1 --time 0.6 --refine "$refine"
    done
    export_new fields/draped_cloth.h5 draped_cloth --set gap=0.02 --step 40
    export_new fields/draped_cloth_grid.h5 draped_cloth --set gap=0.02 --set grid=128 --step 40
    export_new fields/draped_spool.h5 draped_cloth --set gap=0.02 --set field=6 --step 40
    export_new fields/spool_rope.h5 spool_rope --set ropes=16 --step 10
    torus 24 12 >"$problems/fields/torus.obj"
    for seed in 1 2 3; do
        export_new "fields/tori_$seed.h5" random_pile --set "mesh=$problems/fields/torus.obj" --set count=12 \
            --set disorder=1 --set "seed=$seed" --step 60
    done
    for file in draped_cloth draped_cloth_grid draped_spool spool_rope tori_{1,2,3}; do
        "$program" closest "$problems/fields/$file.h5" --repetitions 25 -o "$out" >/dev/null
    done
}

part_details() {
    culling
    sliding
    sticking
    interrupted
    entangled
    stiffening
    absolute_shift
}

# Cloth of three meshes on the cone when it has come down, and the faces that spheres leave.
culling() {
    local cells
    for cells in 8 10 12; do
        export_new "fields/cloth_$cells.h5" draped_cloth --set "cells=$cells" --set gap=0.02 --step 70
        "$program" closest "$problems/fields/cloth_$cells.h5" --repetitions 1 -o "$out" >/dev/null
    done
}

# Steps in which contacts slide, with and without the running average.
sliding() {
    local number average
    export_sliding
    for number in 10 20 40; do export_new "sliding/heap_$number.h5" random_pile --set disorder=1 --step "$number"; done
    for number in sliding_0.1 sliding_1 sliding_10 heap_10 heap_20 heap_40; do
        for average in 1 4 16; do
            solve "$problems/sliding/$number.h5" --linearized --newton-iters 2000 --repetitions 0 --floor no \
                --solver "mixed_conjugate_residual:average=$average"
        done
    done
}

# Table 2's budget on a pile of tables dropped at random, as it forms and at rest.
sticking() {
    local seed step
    for seed in 1 2 3; do
        for step in 120 900; do
            export_new "sticking/tables_${seed}_$step.h5" table_pile --set disorder=1 --set "seed=$seed" --step "$step" \
                --solver newton --newton-iters 4 --linear-iters 20
            solve "$problems/sticking/tables_${seed}_$step.h5" --solver newton --newton-iters 4 --linear-iters 20 \
                --repetitions 0 --floor no
        done
    done
}

# Todorov's method, ended early.
interrupted() {
    local friction iterations
    for friction in 0.1 0.5 1 2; do
        for iterations in 0 1 2 3 5 10 100; do
            simulate balls_in_cube --set "friction=$friction" --steps 200 --newton-iters "$iterations" \
                --solver implicit_complementarity:scale=none
        done
    done
}

# Cloth that begins within bodies, by the source's solver and its two methods (thesis, figure 44).
entangled() {
    local field search gap
    for gap in -0.05 -0.08 -0.11; do
        for field in 0 1 2 3 4; do
            for search in 1 2; do
                simulate draped_cloth --set "field=$field" --set "gap=$gap" --set "search=$search" --time 0.6 \
                    --solver dual_ascent:motion=fast_projection --newton-iters 200
            done
        done
    done
}

# A weight on contacts that become stiffer, and on hard ones (thesis, figure 29).
stiffening() {
    local solver
    export_new relaxed/weight.h5 cylinder_stack --set count=1 --set mass=100
    for solver in primal_descent:k_n=1e{6,7,8,9,10} proximal_newton; do
        solve "$problems/relaxed/weight.h5" --newton-iters 2000 --repetitions 0 --floor no --solver "$solver"
    done
}

# The arch of part "arch" with the shift of Macklin et al. 2019, section 8.4.
absolute_shift() {
    local precision linear each
    for precision in f64 f32; do
        each=(simulate arch --time 25 --solver newton:shift=absolute --shift 1e-6 --newton-iters 6 --linear-iters 20
            --precision "$precision")
        for linear in pcr pcg; do "${each[@]}" --linear "$linear"; done
        for linear in cholesky jacobi gauss_seidel; do "${each[@]}" --linear "$linear" --precond none; done
    done
}

# Where a box slides by its friction across its structure, and by the law of friction where that is isotropic.
part_structure() {
    local across direction solver
    for across in 0.2 0.1 0.05; do
        simulate curved_slide --time 0.6 --set "across=$across" --set direction=30 --solver proximal_newton
    done
    for direction in 0 5 10 15 20 22.5 30 45; do
        for solver in lemke:directions=4 lemke pgs:friction=outer pgs fischer_newton proximal_newton; do
            simulate curved_slide --time 0.6 --set across=0.5 --set "direction=$direction" --solver "$solver"
        done
    done
}

# With structure that steers them, from three starts, and without.
part_logs() {
    local seed steer
    for steer in 20 -20; do
        for seed in 1 2 3; do
            simulate log_slide --time 2.5 --set "seed=$seed" --set "steer=$steer"
        done
        simulate log_slide --time 2.5 --set across=0.2 --set "steer=$steer"
    done
}

# A soft sheet that fingers stroke level and up, with structure along their way and across it, and without.
part_gel() {
    local across heading structure
    for across in 0.1 0.8; do
        for heading in 0 90; do
            for structure in 0 90; do
                simulate gel_stroke --time 0.9 --set "across=$across" --set "heading=$heading" \
                    --set "structure=$structure"
            done
        done
    done
}

part_conditions() {
    local each=(study conditioning particle_chain --set compliance=1e-10 --axis z --to 1e6 --points 19 -o "$out")
    "${each[@]}" >/dev/null
    "${each[@]}" --set ratio=1 --vary stiffness_ratio >/dev/null
    study conditioning box_pyramid --contacts --vary contact_compliance+friction_compliance --from 1e-4 --to 1e-12 \
        --points 17 -o "$out" >/dev/null
}

part_functions() { study functions -o "$out" >/dev/null; }

# arrange_contacts FROM.h5 TO.h5 CONTACT...: the linearised step with these of its contacts, in this order
arrange_contacts() {
    local step=${2%.h5} vector
    "$program" convert "$1" "$step.mtx" >/dev/null 2>&1
    awk -v kept="${*:3}" 'BEGIN { count = split(kept, old); for (i = 1; i <= count; i++) place[old[i]] = i }
        NR == 1 { print; next }
        NR == 2 { rows = $1; next }
        { contact = int(($2 - 1) / 3) }
        contact in place { $2 += 3 * (place[contact] - 1 - contact); line[++entries] = $0 }
        END { print rows, 3 * count, entries; for (i = 1; i <= entries; i++) print line[i] }' \
        "$step.H.mtx" >"$step.new" && mv "$step.new" "$step.H.mtx"
    for vector in "w 3" "mu 1"; do
        awk -v kept="${*:3}" -v axes="${vector#* }" 'BEGIN { count = split(kept, old) }
            NR == 1 { print }
            { line[NR] = $0 }
            END {
                print axes * count, 1
                for (i = 1; i <= count; i++) for (axis = 0; axis < axes; axis++) print line[3 + axes * old[i] + axis]
            }' "$step.${vector% *}.mtx" >"$step.new" && mv "$step.new" "$step.${vector% *}.mtx"
    done
    "$program" convert "$step.mtx" "$2" >/dev/null 2>&1
    rm "$step".*.mtx
}

# By each method, to convergence or 2000 iterations; on the cylinder with the 48 contacts of its ring in two orders, and
# with a part of them: all in two opposite quarters and each third in the others.
part_forces() {
    local problem each budget ncp
    export_new methods/cylinder.h5 cylinder_stack --set count=1 --set mass=100
    export_new methods/house_of_cards.h5 house_of_cards --set time_step=0.00415
    arrange_contacts "$problems/methods/cylinder.h5" "$problems/methods/cylinder_reversed.h5" {47..0}
    arrange_contacts "$problems/methods/cylinder.h5" "$problems/methods/cylinder_uneven.h5" {0..12} 15 18 21 {24..36} \
        39 42 45
    for each in primal_descent:k_n=1e6:k_f=1e4 nsgs; do
        "$program" solve "$problems/methods/cylinder_reversed.h5" --forces "$out" --repetitions 0 --floor no \
            --newton-iters 2000 --solver "$each" >/dev/null
    done
    # Held at rest by two fingertips of 30 corners, unevenly.
    export_new methods/grasp.h5 grasp --set corners=30 --set uneven=0.5 --set time_step=0.00415 --step 400 \
        --solver proximal_newton
    arrange_contacts "$problems/methods/grasp.h5" "$problems/methods/grasp_reversed.h5" {59..0}
    for each in primal_descent:k_n=1e6:k_f=1e4 nsgs; do
        "$program" solve "$problems/methods/grasp_reversed.h5" --forces "$out" --repetitions 0 --floor no \
            --newton-iters 2000 --solver "$each" >/dev/null
    done
    for problem in cylinder cylinder_uneven grasp house_of_cards; do
        each=("$program" solve "$problems/methods/$problem.h5" --forces "$out" --repetitions 0 --floor no)
        "${each[@]}" --solver newton --ncp fb --newton-iters 60 --linear-iters 100 >/dev/null
        "${each[@]}" --solver newton --ncp min --newton-iters 60 --linear-iters 100 >/dev/null
        # The paper's precision and budget, and more, up to as many iterations as above.
        for budget in "6 20" "20 50" "60 100"; do
            for ncp in fb min; do
                "${each[@]}" --solver newton --ncp "$ncp" --newton-iters "${budget% *}" \
                    --linear-iters "${budget#* }" --precision f32 >/dev/null
            done
        done
        "${each[@]}" --solver primal_descent:k_n=1e6:k_f=1e4 --newton-iters 2000 >/dev/null
        "${each[@]}" --solver nsgs --newton-iters 2000 >/dev/null
        "${each[@]}" --solver proximal_newton --newton-iters 60 >/dev/null
    done
}

# The forces of steps at rest, each solved by itself.
part_noise() {
    local step ncp share budget
    rm -rf "$problems/rest"
    mkdir -p "$problems/rest"
    "$program" export arch --steps 20:31 -o "$problems/rest/rest_arch.h5" >/dev/null
    "$program" export box_pyramid --steps 20:31 -o "$problems/rest/rest_pyramid.h5" >/dev/null
    for step in "$problems"/rest/*.h5; do
        for ncp in fb min; do
            "$program" solve "$step" --solver newton --ncp "$ncp" --newton-iters 30 --linear pcr --precond ic0 \
                --linear-iters 100 --forces "$out" --repetitions 0 --floor no >/dev/null
        done
    done
    # A cylinder on its ring of contacts at the paper's precision, and its forces shared afterwards.
    for share in alone shared; do
        export_new "methods/cylinder_$share.h5" cylinder_stack --set count=1 --set mass=100
        for budget in "6 20" "20 50" "60 100"; do
            # shellcheck disable=SC2046 # an option or none
            solve "$problems/methods/cylinder_$share.h5" --solver newton --ncp min --newton-iters "${budget% *}" \
                --linear-iters "${budget#* }" --precision f32 --tol 1e-6 --forces "$out" --repetitions 0 --floor no \
                $([ "$share" = alone ] || echo --redistribute) >/dev/null
        done
    done
}

# A step at the printed number of iterations; a frame of 16.6 ms has 2, 2, 4 and 8 of them.
part_frames() {
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
    ends cylinder_stack primal_descent:k_n=1e8:k_f=1e8:alpha=2
}

# Figure 23 with fewer of its 256 000 grains, and a wall that is removed after 1.25 s; 100 of them with steps that are
# solved as far as it takes for the grains to carry the weight until then.
part_grains() {
    local solver
    silo() { # COUNT OPTION...
        simulate granular_silo --set "count=$1" --set open=1.25 --set time_step=0.002075 --time 1.5 "${@:2}"
    }
    silo 100 --solver apgd --newton-iters 1000
    for solver in primal_descent:k_n=1e4:k_f=1e4 dual_ascent; do
        silo 1000 --solver "$solver" --newton-iters 30
    done
}

# The house of cards at table 3's budget and time step; the stiffnesses are not printed. With a tenth of the iterations
# it falls.
part_cards() {
    local solver
    for solver in primal_descent:k_n=1e5:k_f=1e3 primal_descent:k_n=1e6:k_f=1e4 primal_descent:k_n=1e7:k_f=1e5 \
        dual_ascent; do
        simulate house_of_cards --set time_step=0.00415 --time 3 --newton-iters 100 --solver "$solver"
    done
    simulate house_of_cards --set time_step=0.00415 --time 3 --newton-iters 10 --solver dual_ascent
}

# Balls are thrown at it, at the same budget, and with the steps solved.
part_knock() {
    local mass solver
    thrown() {
        simulate house_of_cards --set knock=1 --set "ball_mass=$1" --set time_step=0.00415 --time 2 --solver "${@:2}"
    }
    for mass in 1 4 16; do
        for solver in primal_descent:k_n=1e6:k_f=1e4 dual_ascent; do
            thrown "$mass" "$solver" --newton-iters 100
        done
    done
    thrown 1 proximal_newton
}

# By how much the fingers press is ours: four ways, each at the budget of table 2, 4 x 50, and solved. What is too
# slippery stays where it is.
part_tomato() {
    local squeeze
    local printed=(--solver newton:geometric_stiffness=diagonal --newton-iters 4 --linear-iters 50 --operator factored)
    for squeeze in 0.012 0.015 0.018 0.02; do
        simulate tomato --set "squeeze=$squeeze" --time 5 "${printed[@]}"
    done
    simulate tomato --time 7 # after 4.8 s the ball, which stands on a node of its mesh, tips onto a face
    simulate tomato --set friction=0.1 --time 5 "${printed[@]}"
    weigh_by_hand
}

# At the budget of table 2, 6 x 50. How far the hand closes and the margin are ours: three of each. By 2 degrees it does
# not reach the ball.
weigh_by_hand() {
    local setting
    for setting in flexion=10 flexion=8 flexion=12 flexion=2 margin=0.015 margin=0.02 margin=0.025; do
        simulate hand --set "$setting" --time 4.2 --solver newton:geometric_stiffness=diagonal --newton-iters 6 \
            --linear-iters 50 --operator factored
    done
}

# Inflated, and not; the pressure is at its full value after a second.
part_finger() {
    local pressure
    for pressure in 2e7 0; do simulate pneunet_finger --set "pressure=$pressure" --time 1.2; done
}

# Stacks without friction are beside those with it.
part_linear() {
    local scene number
    scripts/problems.sh heavy_stack arch table_pile beam/beam sheet box_pyramid dense_wall \
        sliding_box incline balls_in_cube random_pile house_of_cards \
        hinge_limits double_pendulum_mass double_pendulum_stiffness
    for scene in heavy_stack arch box_pyramid dense_wall; do
        export_new "frictionless/${scene}_mu0.h5" "$scene" --set friction=0
    done
    for number in 28 30 32 35; do
        export_new "inclines/incline_$number.h5" incline --set "angle=$number"
    done
    export_sliding
    for number in 1 2 3; do
        export_new "thrown/thrown_$number.h5" random_pile --set speed=30 --set disorder=1 --set walls=1 \
            --set "seed=$number"
    done
    "$program" sweep data/paper.sweep -o "$out"
}

part_multigrid() {
    local number
    export_new methods/cylinder.h5 cylinder_stack --set count=1 --set mass=100
    for number in 8 16 24; do
        export_new "walls/wall_$number.h5" dense_wall --set "columns=$number" --set "rows=$number" --newton-systems \
            --system 3
    done
    "$program" sweep data/multigrid.sweep -o "$out"
}

part_scenes() {
    local scene
    for scene in $("$program" list scene | awk '/^  / && !/^  (pneunet|material_ext|sheet|granular|tomato)/ { print $1 }'); do
        export_new "first/${scene}_first.h5" "$scene"
    done
    "$program" sweep data/scenes.sweep -o "$out"
}

# Every nonlinear method on a step of each scene of the laws and bodies that came last, none of them at rest. The names
# are no other part's, so that no claim reads them but vj_gaps.
part_laws() {
    law_of() { export_new "laws/law_$1.h5" "${@:2}" --solver proximal_newton; } # NAME SCENE OPTION...
    law() { law_of "$1" "$@"; }
    law curved_slide --set twist=20 --step 10
    law steered_boxes --step 20
    law gel_stroke --set cells=4 --step 40
    law grasp --set corners=12 --set uneven=0.5 --step 80
    law cloth --set cells=8 --step 30
    law net --set cells=8 --step 30
    law shell --step 30
    law humanoid_batch --step 120
    law tomato --step 90
    law hand --step 60
    law house_of_cards --set knock=0.2 --step 26
    law gears --set count=3 --step 60
    law gear_train --step 20
    law bowls --set count=2 --set sides=6 --step 10
    law log_slide --step 30
    law granular_silo --set count=20 --step 5
    law table_pile --set disorder=1 --step 40
    law draped_cloth --set cells=6 --step 30
    law spool_rope --step 10
    law soft_snake --step 10
    law bouncing_ball --step 135
    law_of consistent_shell shell --set consistent=1 --step 30
    law_of soft_grasp grasp --set corners=12 --set uneven=0.5 --set contact_compliance=1e-5 \
        --set friction_compliance=1e-4 --step 80
    law_of net_of_fields net --set cells=8 --set fields=1 --step 30
    law_of draped_spool draped_cloth --set cells=6 --set field=6 --step 30
    torus 12 6 >"$problems/laws/torus.obj"
    law_of tori random_pile --set "mesh=$problems/laws/torus.obj" --set count=4 --set disorder=1 --step 40
    "$program" sweep data/laws.sweep -o "$out"
}

# Every step, by the paper's scalings and one that sees joints; the paper's two in its precision, too.
part_beam() {
    local step scaling precond each
    scripts/problems.sh beam/beam
    for step in "$problems"/beam/beam-????.h5; do
        each=(solve "$step" --solver newton --linear pcr --newton-iters 100 --linear-iters 40 --repetitions 0)
        for scaling in identity timestep mass effective; do
            for precond in jacobi ic0; do
                "${each[@]}" --scaling "$scaling" --precond "$precond"
            done
        done
        for scaling in identity mass; do
            "${each[@]}" --scaling "$scaling" --precond jacobi --precision f32 --floor no
        done
    done
}

# Figure 7 at the budget of table 2, 6 x 50; relaxation with "hundreds of iterations", too.
part_insertion() {
    local linear precision iterations each
    for precision in f64 f32; do
        each=(simulate beam --steps 132 --solver newton --newton-iters 6 --precision "$precision")
        for linear in pcr pcg; do
            "${each[@]}" --linear-iters 50 --linear "$linear"
        done
        for iterations in 50 500; do
            for linear in jacobi gauss_seidel; do
                "${each[@]}" --linear-iters "$iterations" --linear "$linear" --precond none
            done
        done
    done
    simulate beam --steps 132 --solver newton --newton-iters 6 --linear cholesky --precond none
    simulate beam --steps 132
    each=(beam --step 120 --solver newton --newton-iters 6 --linear-iters 50 --linear) # for pictures
    export_new insertion/beam_pcr.h5 "${each[@]}" pcr
    for linear in jacobi cholesky; do
        export_new "insertion/beam_$linear.h5" "${each[@]}" "$linear" --precond none
    done
}

# At the budget of table 2, 6 x 20, long enough for the relaxation methods to fall; "even with hundreds of iterations"
# that takes longer. The paper's shift, absolute 1e-6, is 7e-6 of the median diagonal.
part_arch() {
    local linear shift precision
    simulate arch --time 160 --newton-iters 6 --linear-iters 20 --linear pcr --precision f32 # of two the last is drawn
    simulate arch --time 25 --solver newton --newton-iters 6 --linear-iters 20 --linear pcr
    simulate arch --time 25 --solver newton --newton-iters 6 --linear-iters 20 --linear pcr --precision f32
    simulate arch --time 25 --solver newton --newton-iters 6 --linear-iters 20 --linear pcg
    for shift in 1e-6 7e-6 1e-5 2e-5; do
        for precision in f64 f32; do
            simulate arch --time 25 --solver newton --newton-iters 6 --linear-iters 20 --linear pcr --shift "$shift" \
                --precision "$precision"
        done
    done
    for shift in 1e-8 1e-6 7e-6 1e-5 2e-5; do
        for precision in f64 f32; do
            simulate arch --time 25 --solver newton --newton-iters 6 --linear cholesky --precond none --shift "$shift" \
                --precision "$precision"
        done
        simulate arch --time 25 --solver newton --newton-iters 6 --linear pcg --linear-iters 20 --shift "$shift" \
            --precision f32
    done
    for linear in jacobi gauss_seidel; do
        simulate arch --time 25 --newton-iters 6 --linear-iters 20 --linear "$linear" --precond none
        simulate arch --time 25 --newton-iters 6 --linear-iters 20 --linear "$linear" --precond none --precision f32
        simulate arch --time 160 --newton-iters 6 --linear-iters 200 --linear "$linear" --precond none --precision f32
    done
}

part_stack() {
    local linear precision each
    for precision in f64 f32; do
        each=(simulate heavy_stack --time 2 --newton-iters 6 --linear-iters 40 --precision "$precision")
        for linear in pcr pcg; do
            "${each[@]}" --linear "$linear"
        done
        for linear in jacobi gauss_seidel; do
            "${each[@]}" --linear "$linear" --precond none
        done
    done
}

# Figure 10 at its iterations: 150 of PGS, 10 of Newton's method with 15 inner ones and 7 halvings; and with exact solves.
part_boxes() {
    local ratio solver
    for ratio in 100 1000 10000; do
        for solver in fischer_newton fischer_newton:damping=0:scale=none pgs; do
            simulate two_boxes --set "ratio=$ratio" --time 2 --solver "$solver" --newton-iters 150
        done
        for solver in fischer_newton:subsolve=conjugate:halvings=7 \
            fischer_newton:subsolve=conjugate:halvings=7:damping=0:scale=none; do
            simulate two_boxes --set "ratio=$ratio" --time 2 --solver "$solver" --newton-iters 10
        done
    done
}

# Stacks at rest, and scenes that move.
part_warm() {
    local scene
    for scene in box_pyramid heavy_stack balls_in_cube random_pile:disorder=1 hinge_limits; do
        warm() {
            study iterations ${scene/:/ --set } --steps 40 --tol 1e-6 --solver newton --newton-iters 60 --linear cholesky \
                --precond none -o "$out" "$@" >/dev/null
        }
        warm
        warm --warm-start
    done
    # At a budget like those of table 2, in its precision.
    for scene in box_pyramid dense_wall sparse_stack hinge_limits; do # the wall breaks down
        warm() { simulate "$scene" --time 2 --solver newton --newton-iters 6 --linear-iters 20 --precision f32 "$@"; }
        warm
        warm --warm-start
    done
}

# The regular pile, and the same tables dropped at random; by relaxation, too.
part_pile() {
    local seed disorder
    simulate table_pile --set disorder=1 --time 12 --newton-iters 4 --linear-iters 20 --linear jacobi --precond none
    for disorder in 0 1; do
        for seed in 1 2 3; do
            simulate table_pile --set "seed=$seed" --set "disorder=$disorder" --time 12 --solver newton \
                --newton-iters 4 --linear-iters 20
        done
    done
}

# As data/problems.list has it, with three seeds: the scalings, and line searches.
part_seeds() {
    local seed scaling step
    for seed in 1 2 3; do
        export_new "seeds/tables_$seed.h5" table_pile --set "seed=$seed" --settled --solver newton
        for scaling in identity timestep mass; do
            solve "$problems/seeds/tables_$seed.h5" --solver newton --scaling "$scaling" --newton-iters 30 \
                --linear-iters 40 --precision f32 --repetitions 0 --floor no
        done
        for step in "" :step=backtracking :step=armijo; do
            solve "$problems/seeds/tables_$seed.h5" --solver "newton$step" --newton-iters 60 --linear cholesky \
                --precond none --repetitions 0 --floor no
        done
    done
}

# Without geometric stiffness the neo-Hookean block breaks down after 0.6 s.
part_stretch() {
    local material stiffness
    for material in 0 1; do
        simulate material_extension --set "material=$material" --time 1.1
        for stiffness in none diagonal; do
            simulate material_extension --set "material=$material" --time 1.1 --newton-iters 6 --linear kkt \
                --solver "newton:geometric_stiffness=$stiffness" --operator factored --precond none
        done
    done
    simulate material_extension --set material=1 --time 1.1 --newton-iters 6 --linear kkt \
        --solver newton:geometric_stiffness=diagonal:compliance=diagonal --operator factored --precond none
}

# The counts of table 2.
part_humanoids() {
    if "$program" import data/models/humanoid.xml --step 20 -o "$problems/humanoid_first.h5" >/dev/null 2>&1; then
        scripts/problems.sh humanoids
        solve "$problems/humanoids.h5" --solver newton --newton-iters 1 --repetitions 0 --floor no
    fi
}

# Islands: with other torques, too, each at the budget of table 2.
part_batch() {
    local seed islands
    scripts/problems.sh humanoid_batch
    solve "$problems/humanoid_batch.h5" --solver newton --newton-iters 1 --repetitions 0 --floor no
    for seed in 1 2 3; do
        export_new "batch/humanoids_$seed.h5" humanoid_batch --set count=36 --set "seed=$seed" --step 240 \
            --solver newton --newton-iters 8 --linear cholesky --precond none
        for islands in apart together; do
            solve "$problems/batch/humanoids_$seed.h5" --solver newton --newton-iters 4 --linear-iters 10 \
                --islands "$islands" --precision f32 --repetitions 0 --floor no
        done
    done
}

part_budgets() {
    local budget
    scripts/problems.sh arch table_pile beam/beam humanoid_batch
    for budget in "arch 6 20" "table_pile 4 20" "beam/beam-0060 6 50" "humanoid_batch 4 10"; do
        set -- $budget
        solve "$problems/$1.h5" --solver newton --linear pcr --newton-iters "$2" --linear-iters "$3" --repetitions 5 \
            --floor no --precision f32
    done
}

# The paper's budget, without friction, too, and a direct solver that gets further; the ball is up at 1.3 s.
part_gripper() {
    simulate pneunet --time 1.6 --solver newton:geometric_stiffness=diagonal --newton-iters 4 --linear-iters 80 \
        --operator factored
    simulate pneunet --set friction=0 --time 1.6 --solver newton:geometric_stiffness=diagonal --newton-iters 4 \
        --linear-iters 80 --operator factored
    simulate pneunet --time 1.6 --solver newton --newton-iters 8 --linear kkt --precond none --operator factored
}

# pack PART: its records, compressed: of a problem file that was exported anew those of the last one; six digits of
# traces, as half of the bytes would be digits that nobody reads; of the beam's thousand only the traces that figure 16
# and its claims read
pack() {
    python3 - "$results/$1.jsonl" "$kept/$1.jsonl.gz" <<'END'
import gzip, json, os, sys


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return {name: rounded(each) for name, each in value.items()} if isinstance(value, dict) else value


def thinned(trace):
    """Long simulations in the tenth of their entries that is enough to draw them."""
    return {name: each[::10] for name, each in trace.items() if name in ("time", "observable")}


read = ("iteration", "constraint_error", "step_error") if "beam." in sys.argv[2] else None
records = [json.loads(line) for line in open(sys.argv[1])]
last = {record["settings"]["problem_file"]: record["settings"].get("problem_hash")
        for record in records if "problem_file" in record["settings"]}
records = [record for record in records
           if last.get(record["settings"].get("problem_file")) == record["settings"].get("problem_hash")
           or "problem_file" not in record["settings"]]
present = {record["settings"].get("problem_hash") for record in records if record["kind"] != "floor"}
lines = []
for record in records:
    if record["kind"] == "floor" and record["settings"]["problem_hash"] not in present:
        continue
    if record["kind"] == "simulation" and len(record["trace"]["time"]) > 5000:
        record["trace"] = thinned(record["trace"])
    if "trace" in record:
        record["trace"] = {name: rounded(each) for name, each in record["trace"].items() if not read or name in read}
    lines.append(json.dumps(record, separators=(",", ":"), allow_nan=False))
with open(sys.argv[2] + ".new", "wb") as file:
    file.write(gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0))
os.replace(sys.argv[2] + ".new", sys.argv[2])
END
}

names() { awk 'NF { print $1 }' <<<"$parts"; }

if [ "${1:-}" = --list ]; then
    echo "$parts" | sed '/^$/d'
    exit
fi
for part in "$@"; do
    declare -F "part_$part" >/dev/null || {
        echo "paper.sh: no part \"$part\"; there are: $(names | tr '\n' ' ')" >&2
        exit 2
    }
done

mkdir -p "$problems" "$results" "$kept"
chosen=("$@")
[ $# -gt 0 ] || mapfile -t chosen < <(names)
started=$SECONDS
number=0
for part in "${chosen[@]}"; do
    number=$((number + 1)) begun=$SECONDS
    out=$results/$part.jsonl
    if [ "$out.done" -nt "$program" ]; then
        echo "== $number of ${#chosen[@]}, $part: done before"
        continue
    fi
    echo "== $number of ${#chosen[@]}, minutes by now $((SECONDS / 60)): $(grep "^$part " <<<"$parts")"
    case $part in
    fischer | linear | multigrid | scenes | laws) ;; # sweeps go on
    *) rm -f "$out" ;;
    esac
    "part_$part"
    if [ ! -e "$out" ]; then
        echo "   $part: nothing to run here; its records stay"
        continue
    fi
    pack "$part"
    touch "$out.done"
    echo "   $part took $((SECONDS - begun)) s"
done
echo "== $number parts in $((SECONDS - started)) s; the records are in $kept"
