#!/usr/bin/env bash
# Linear solvers and preconditioners against the libraries that users would pick, on the Schur systems
# of the scenes, in one run in which all solvers of a system take turns:
#
#     make bench-linear PEERS=1          6 to 13 minutes, of which two export the silos; 12 GB
#
# Without PEERS=1 at the build there is nothing to compare with. Results: data/results/linear.jsonl and
# figures/linear_*/; a rerun does what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build-peers}
ncpbench=$BUILD/ncpbench
problems=data/problems/linear
results=data/results/linear.jsonl
mkdir -p "$problems" data/results

# system NAME SCENE OPTIONS: one representative Newton system, unless it is there.
system() {
    local name=$1
    shift
    [ -e "$problems/$name.h5" ] ||
        "$ncpbench" export "$@" -o "$problems/$name.h5" --newton-systems --system 4 \
            --solver newton --newton-iters 6 --linear-iters 40
}
system arch arch
system heavy_stack heavy_stack
system beam beam --step 100
system dense_wall dense_wall
system sparse_stack sparse_stack
system box_pyramid box_pyramid
system house_of_cards house_of_cards
system balls_in_cube balls_in_cube
system cylinder_stack cylinder_stack
system table_pile table_pile --step 60
# Grains that have begun to carry the weight: before the first step their systems are easy.
system silo_4k granular_silo --set count=4000 --step 5
system silo_16k granular_silo --set count=16000 --step 5
system silo_64k granular_silo --set count=64000 --step 5

"${CC:-gcc}" -O3 -march=native -o "$BUILD/triad" scripts/triad.c
"$ncpbench" sweep data/linear.sweep ${PEERS:+data/linear_peers.sweep} -o "$results"
"$ncpbench" report "$results" --tol 1e-6
echo "triad on one core: $("$BUILD"/triad 128) GB/s from memory, $("$BUILD"/triad 2) GB/s in cache"
# Profiles of single methods. The largest systems are timed by the iteration only: no method gets there.
for tolerance in 1e-6 1e-10; do
    "$ncpbench" profile "$results" --curves linear_method --panels precision --where precision=f64 \
        --where threads=1 --where 'problem!=silo_16k,silo_64k' --where 'precond!=amg,block_jacobi' \
        --tol "$tolerance" -o "figures/linear_$tolerance"
done
