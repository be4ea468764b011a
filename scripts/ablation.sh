#!/usr/bin/env bash
# Leaves out parts of the default in turn, by its own settings: sweeps, interior points, each restart strategy
# (solvers/outer/proximal_newton/restarts.h). A solve to 1e-8 each, of at most 3000 iterations, 20 s and no repetition,
# is a record in data/results/ablation.jsonl; a run that is killed goes on where it was. docs/notes/jammed_steps.md has
# tables of data/records/ablation.jsonl.gz.
#
#     BUILD=build scripts/ablation.sh [PROBLEM...]
#
# Without arguments the problems are jammed fillings of 35 and 100 grains (steps 3 to 20) and piles at rest (80 and 120
# balls under a light lid, seeds 1 to 8), exported to data/problems/jammed, those of `make collection`, half an hour
# on one core, and every third step of cloths on a cone and on a sphere, exported to data/problems/cloth.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
folder=data/problems/jammed
results=data/results/ablation.jsonl
mkdir -p "$folder" data/problems/cloth "$(dirname "$results")"

# cloth NAME [OPTION...]: half a second of draped_cloth, in which it falls onto its body and folds
cloth() {
    local name=$1
    shift
    [ -e "data/problems/cloth/$name-0060.h5" ] || "$program" export draped_cloth --set time_step=0.0083 "$@" --steps 0:60:3 \
        -o "data/problems/cloth/$name.h5" >/dev/null || [ $? -eq 1 ]
}

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
    cloth cone
    cloth sphere --set field=0
    cloth rough --set friction=1
    cloth high --set gap=0.02
    cloth stiff --set stiffness=1e6
    shopt -s nullglob
    set -- "$folder"/*.h5 data/problems/cloth/*.h5 data/collection/small/*/*.h5 data/fclib/*.hdf5
fi

touch "$results"
for problem in "$@"; do
    for part in "" :sweeps=no :interior=no :skip={softer,relaxation,incumbent,relaxation_slow,perturbed}; do
        grep -qF "\"solver\":\"proximal_newton$part\"" <<<"$(grep -F "\"problem_file\":\"$problem\"" "$results")" && continue
        (ulimit -t 20 && "$program" solve "$problem" --solver "proximal_newton$part" --tol 1e-8 --newton-iters 3000 \
            --repetitions 0 --floor no --json) >"$results.new" || [ $? -eq 1 ] || : >"$results.new"
        cat "$results.new" >>"$results"
    done
done
rm -f "$results.new"
"$program" query "$results" "select solver, count(*) as problems, sum(ending = 'converged') as solved from cases group by 1"
