#!/usr/bin/env bash
# The wheel of scripts/package_wheel.sh, installed in a fresh virtual environment without a network, solves a problem by
# the library that it brings, from a folder that knows nothing of this one. Its bits are those of the tree.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=/usr/bin/python3
skip() { echo "skipped: $1"; exit 77; }
[ -z "${SANITIZE:-}" ] || skip "python3 is not built with $SANITIZE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for module in numpy setuptools wheel pip ensurepip; do
    (cd "$work" && $python -c "import $module") 2>/dev/null || skip "no $module in $python"
done
unset PYTHONPATH NCPBENCH_LIBRARY LD_LIBRARY_PATH
wheel=$(scripts/package_wheel.sh "$work")
case $wheel in "$work"/ncpbench-*-py3-none-*.whl) ;; *) echo "test_wheel: its name is $wheel" >&2; exit 1 ;; esac

# numpy is the machine's.
$python -m venv --system-site-packages "$work/venv"
"$work/venv/bin/python" -m pip install -q --no-index --disable-pip-version-check "$wheel"
"${BUILD:-build}/ncpbench" export box_pyramid -o "$work/p.h5" >/dev/null
cat >"$work/solve.py" <<'END'
import sys
import ncpbench, ncpbench_convert, ncpbench_library, ncpbench_recorders
answer = ncpbench.solve(ncpbench.read_problem("p.h5"), tol=1e-8)
print(answer.converged, answer.iterations, answer.v.tobytes().hex())
print(ncpbench_library.library._name, ncpbench.__file__, file=sys.stderr)
END
(cd "$work" && venv/bin/python solve.py >theirs 2>where)
site=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
plat=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
grep -qE "^($site|$plat)/ncpbench_native/libncpbench\.so\.[0-9]+ ($site|$plat)/ncpbench.py$" "$work/where" ||
    { echo "test_wheel: taken from $(cat "$work/where")" >&2; exit 1; }
PYTHONPATH=$PWD/scripts/python NCPBENCH_LIBRARY=$(realpath "${BUILD:-build}")/libncpbench.so
export PYTHONPATH NCPBENCH_LIBRARY
(cd "$work" && $python solve.py 2>/dev/null) | cmp - "$work/theirs"
grep -q '^True [1-9]' "$work/theirs"
[ "$("$work/venv/bin/python" -m pip uninstall -q -y ncpbench 2>&1; find "$work/venv" -name 'ncpbench*' | wc -l)" = 0 ]
