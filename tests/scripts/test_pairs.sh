#!/usr/bin/env bash
# Distances and contacts of random pairs of all kinds of shapes against brute force (tests/scripts/pairs.py): a few of each
# kind here, 10 000 in full_pairs.sh. Skipped without python3-h5py and python3-numpy.
set -eu
cd "$(dirname "$0")/../.."
python=
for each in /usr/bin/python3 python3; do
    if [ -z "$python" ] && "$each" -c 'import h5py, numpy' 2>/dev/null; then python=$each; fi
done
[ -n "$python" ] || { echo "skipped: no python3-h5py"; exit 77; }
PYTHONPATH=tests/python "$python" tests/scripts/pairs.py "${BUILD:-build}/ncpbench" "${PAIRS:-100}"
