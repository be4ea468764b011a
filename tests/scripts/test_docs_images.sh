#!/usr/bin/env bash
# Figures in docs/images are of the records and the figure files of today, and the pictures of the theory are what today's
# files drew; a change of any is told.
set -euo pipefail
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
export BUILD
command -v gnuplot >/dev/null || { echo "skipped: gnuplot is missing"; exit 77; }
scripts/docs_images.sh --check
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/scripts" "$copy/docs/images" "$copy/data/records"
cp scripts/docs_images.sh "$copy/scripts/"
cp -r scripts/docs_images "$copy/scripts/"
cp docs/images/{drawn.list,cone.png,states.png,islands.png} "$copy/docs/images/"
cp data/records/linear.jsonl.gz "$copy/data/records/"
cp -r plots "$copy/plots"
export BUILD=$PWD/$BUILD NCPBENCH_PLOTS=$copy/plots
"$copy/scripts/docs_images.sh" --check
for file in plots/convergence.gp scripts/docs_images/cone.gp docs/images/states.png; do
    cp "$copy/$file" "$copy/kept"
    echo '# another one' >>"$copy/$file"
    ! "$copy/scripts/docs_images.sh" --check 2>/dev/null || { echo "FAILED: $file changed, and is not told"; exit 1; }
    mv "$copy/kept" "$copy/$file"
done
echo "docs/images are of today"
