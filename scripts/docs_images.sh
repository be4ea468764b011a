#!/usr/bin/env bash
# The figures in docs/images that are drawn from kept records, and what they were drawn of: drawn.list has the SHA-256 of
# their numbers and of the files in plots/ that draw them.
#
#     [BUILD=build] scripts/docs_images.sh            draws them anew
#     [BUILD=build] scripts/docs_images.sh --check    ends with 1 where one is not of today's program and records
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# draw FORMAT NAME FIGURE RECORDS [OPTION...]
draw() {
    "$program" plot "${@:3}" --format "$1" --name "$2" -o "$folder" >/dev/null
}

# draw_all FORMAT
draw_all() {
    draw "$1" convergence convergence data/records/linear.jsonl.gz --curves linear=jacobi,gauss_seidel,pcg,pcr,cholesky \
        --panels problem=heavy_stack,arch,beam-0060 --where solver=newton --where precision=f64 --where ncp=fb \
        --where scaling=mass --where newton_form=scaled --where operator=assembled --where damping=0.75 \
        --where newton_iters=30 --where linear_iters=40 --where precond=jacobi,none
    draw "$1" figure18 figure18 data/records/linear.jsonl.gz --each precision=f32 --where problem=heavy_stack,arch
}

# what_is_drawn: of what the pictures are made
what_is_drawn() {
    (cd "$folder" && sha256sum ./*.dat)
    sha256sum plots/convergence.gp plots/figure18.gp plots/style.gp
}

if [ "${1:-}" = --check ]; then
    draw_all svg
    what_is_drawn | diff docs/images/drawn.list - >/dev/null && exit 0
    echo "docs/images: figures are of other records or plots: scripts/docs_images.sh draws them anew" >&2
    exit 1
fi
draw_all png
what_is_drawn >docs/images/drawn.list
for picture in "$folder"/*.png; do
    name=$(basename "$picture" .png)
    cp "$picture" "docs/images/${name%_*}.png"
done
