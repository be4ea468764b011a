#!/usr/bin/env bash
# 1 min: Thesis, figure 33.
# By each method, to convergence or 2000 iterations; on the cylinder with the 48 contacts of its ring in two orders, and
# with a part of them: all in two opposite quarters and each third in the others.
. scripts/paper/common.sh

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
