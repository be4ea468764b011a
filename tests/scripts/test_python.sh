#!/usr/bin/env bash
# The Python modules of scripts/python: tests/python/test_*.py under Debian's python3, whose packages they use.
set -u
cd "$(dirname "$0")/../.." || exit 1
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "skipped: no python3-numpy"; exit 77; }
[ -z "${SANITIZE:-}" ] || { echo "skipped: python3 is not built with $SANITIZE"; exit 77; }
for package in scipy h5py pandas; do
    /usr/bin/python3 -c "import $package" 2>/dev/null || echo "without python3-$package"
done
NCPBENCH_LIBRARY=$PWD/${BUILD:-build}/libncpbench.so
export NCPBENCH_LIBRARY PYTHONPATH=scripts/python PYTHONDONTWRITEBYTECODE=1
failed=0
for tests in tests/python/test_*.py; do
    /usr/bin/python3 "$tests" 2>&1 || failed=1
done
exit $failed
