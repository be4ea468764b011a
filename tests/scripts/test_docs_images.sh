#!/usr/bin/env bash
# Figures in docs/images are of the records and the figure files of today; a change of either is told.
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
cp docs/images/drawn.list "$copy/docs/images/"
cp data/records/linear.jsonl.gz "$copy/data/records/"
cp -r plots "$copy/plots"
export BUILD=$PWD/$BUILD NCPBENCH_PLOTS=$copy/plots
"$copy/scripts/docs_images.sh" --check
echo '# another figure' >>"$copy/plots/convergence.gp"
! "$copy/scripts/docs_images.sh" --check 2>/dev/null || { echo "FAILED: a figure file that changed is not told"; exit 1; }
echo "docs/images are of today"
