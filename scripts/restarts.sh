#!/usr/bin/env bash
# Leaves out each restart strategy of the default in turn (solvers/outer/proximal_newton/restarts.h) and prints how
# many problems are solved to 1e-8, in how many iterations, and which are lost.
#
#     BUILD=build scripts/restarts.sh [PROBLEM...]
#
# Without arguments the problems are jammed fillings of 35 and 100 grains (steps 3 to 20) and piles at rest (80 and 120
# balls under a light lid, seeds 1 to 8), exported to data/problems/restarts; each also linearised. Half an hour on
# one core; what was solved is kept in data/results/restarts.txt, so that a run that is killed goes on where it was.
# docs/notes/jammed_steps.md has the results.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
folder=data/problems/restarts
results=data/results/restarts.txt
mkdir -p "$folder" "$(dirname "$results")"

if [ $# -eq 0 ]; then
    for count in 35 100; do
        [ -e "$folder/silo$count-0020.h5" ] || "$program" export granular_silo --set count=$count --steps 3:20 \
            --solver newton -o "$folder/silo$count.h5" >/dev/null || [ $? -eq 1 ]
    done
    for count in 80 120; do
        for seed in 1 2 3 4 5 6 7 8; do
            file=$folder/pile$count-$seed.h5
            [ -e "$file" ] || "$program" export granular_silo --set count=$count --set seed=$seed --set ratio=10 \
                --set jitter=0.05 --step 60 --solver apgd --newton-iters 300 -o "$file" >/dev/null || [ $? -eq 1 ]
        done
    done
    set -- "$folder"/*.h5
fi

# One line a solve: strategy left out, problem, form, iterations, least step error.
touch "$results"
for problem in "$@"; do
    for form in "" --linearized; do
        for skip in none relaxation incumbent relaxation_slow perturbed; do
            case="$skip $problem ${form:--}"
            grep -qF "$case " "$results" && continue
            record=$("$program" solve "$problem" --solver "proximal_newton:skip=$skip" $form --tol 1e-8 \
                --newton-iters 3000 --repetitions 0 --floor no --json) || [ $? -eq 1 ]
            steps=$(grep -o '"counts":{"newton":[0-9]*' <<<"$record" | grep -o '[0-9]*$')
            error=$(grep -o '"best":{[^}]*}' <<<"$record" | grep -o '"step_error":[^,}]*' | cut -d: -f2)
            echo "$case ${steps:-0} ${error:-1}" >>"$results"
        done
    done
done
awk '{ solved = $5 <= 1e-8; count[$1]++; good[$1] += solved; steps[$1] += solved ? $4 : 0
       if ($1 == "none") base[$2 $3] = solved
       else if (base[$2 $3] && !solved) lost[$1] = lost[$1] " " $2 ($3 == "-" ? "" : " " $3) }
     END { for (s in count) printf "%-16s %d of %d solved, %d iterations;%s\n", s, good[s], count[s], steps[s], lost[s] }' \
    "$results" | sort
