#!/usr/bin/env bash
# docs/examples/no_solution.py on a slider that a contact pushes out along its slope: with friction 2 the force that pushes it
# out holds it back by more, so that no solution exists; with friction 0.5 one does, as where the slider moves away by
# itself. Skipped without python3-scipy.
set -eu
cd "$(dirname "$0")/../.."
python=
for each in /usr/bin/python3 python3; do
    if [ -z "$python" ] && "$each" -c 'import h5py, numpy, scipy' 2>/dev/null; then python=$each; fi
done
[ -n "$python" ] || { echo "skipped: no python3-scipy"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# M v = f + H r with M = 1 and H = (1, 1, 0), U_N = v - 1.
write() {
    "$python" - "$1" "$2" "$3" <<'END_OF_PYTHON'
import sys
import h5py
import numpy as np

def put(group, name, rows, columns, row, column, value):
    at = group.create_group(name)
    for key, number in (('m', rows), ('n', columns), ('nz', len(value))):
        at[key] = np.array([number], dtype=np.int32)
    at['p'], at['i'], at['x'] = np.array(column, np.int32), np.array(row, np.int32), np.array(value, float)

with h5py.File(sys.argv[1], 'w') as file:
    step = file.create_group('fclib_global')
    put(step, 'M', 1, 1, [0], [0], [1])
    put(step, 'H', 1, 3, [0, 0], [0, 1], [1, 1])
    for name, value in (('f', [float(sys.argv[2])]), ('w', [-1, 0, 0]), ('mu', [float(sys.argv[3])])):
        step[f'vectors/{name}'] = np.array(value, float)
END_OF_PYTHON
    "$python" docs/examples/no_solution.py "$1"
}
write "$folder/held.hdf5" 0 2 | grep -q ': no solution$' || { echo "friction 2: a solution was found"; exit 1; }
write "$folder/slides.hdf5" 0 0.5 | grep -q 'may be a solution' || { echo "friction 0.5: no solution"; exit 1; }
write "$folder/leaves.hdf5" 3 2 | grep -q 'may be a solution' || { echo "moves away: no solution"; exit 1; }
