#!/usr/bin/env bash
# The figures in docs/images that are drawn from kept records, the pictures that scripts/docs_images/ draws of the theory,
# and what they were drawn of: drawn.list has the SHA-256 of the figures' numbers, of the files that draw figures and
# pictures, and of these pictures.
#
#     [BUILD=build] scripts/docs_images.sh            draws them anew
#     [BUILD=build] scripts/docs_images.sh --check    ends with 1 where one is not of today's program, records and files
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

pictures='cone states islands'
draw_pictures() {
    local name
    for name in $pictures; do gnuplot -e "output='$folder/$name.png'" "scripts/docs_images/$name.gp"; done
}

# what_is_drawn: of what the figures and pictures are made
what_is_drawn() {
    local name
    (cd "$folder" && sha256sum ./*.dat)
    sha256sum plots/convergence.gp plots/figure18.gp plots/style.gp scripts/docs_images/*.gp
    for name in $pictures; do sha256sum "docs/images/$name.png"; done
}

draw_pictures
if [ "${1:-}" = --check ]; then
    draw_all svg
    what_is_drawn | diff docs/images/drawn.list - >/dev/null && exit 0
    echo "docs/images: figures are of other records or plots: scripts/docs_images.sh draws them anew" >&2
    exit 1
fi
draw_all png
for picture in "$folder"/*.png; do
    name=$(basename "$picture" .png)
    cp "$picture" "docs/images/${name%_*}.png"
done
what_is_drawn >docs/images/drawn.list
