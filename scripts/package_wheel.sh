#!/usr/bin/env bash
# A wheel of the Python modules with the library of BUILD in it:
#
#     make && [BUILD=build] [PYTHON=python3] scripts/package_wheel.sh [FOLDER]     FOLDER is build/wheel if none is given
#
# It puts scripts/packaging/wheel, the modules and the library into a folder and has `python3 -m build` make the wheel,
# or pip's where `build` is not installed; neither needs a network, since setuptools and wheel are taken from PYTHON.
# It prints the wheel's path. What the library links (HDF5, OpenBLAS, SuiteSparse) is the machine's own.
set -euo pipefail
python=${PYTHON:-/usr/bin/python3}
build=$(realpath "$(dirname "$0")/../${BUILD:-build}")
folder=${1:-$build/wheel}
mkdir -p "$folder"
folder=$(realpath "$folder")
cd "$(dirname "$0")/.."
soversion=$(sed -n 's/^SOVERSION *:= *//p' Makefile)
version=$(sed -n 's/^#define NB_VERSION "\(.*\)"$/\1/p' harness/version.h)
library=$build/libncpbench.so.$soversion
fail() { echo "package_wheel: $1" >&2; exit 1; }
[ -f "$library" ] || fail "no $library: run make first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && "$python" -c 'import setuptools, wheel') 2>/dev/null ||
    fail "$python has no setuptools or no wheel: install python3-setuptools and python3-wheel"

cp scripts/packaging/wheel/* scripts/python/*.py "$work"
mkdir "$work/ncpbench_native" "$work/made"
cp "$library" "$work/ncpbench_native"
strip --strip-unneeded "$work/ncpbench_native/"*.so.* 2>/dev/null || : # a wheel without it is larger
echo '"""The library that ncpbench loads."""' >"$work/ncpbench_native/__init__.py"
modules=$(cd scripts/python && printf '"%s", ' *.py | sed 's/\.py"/"/g; s/, $//')
sed -i "s/@VERSION@/$version/; s/@MODULES@/$modules/" "$work/pyproject.toml"
cd "$work"
if "$python" -c 'import build.__main__' 2>/dev/null; then
    "$python" -m build --wheel --no-isolation --outdir made . >log 2>&1 || { cat log >&2; fail "build fails"; }
else
    "$python" -m pip wheel --no-build-isolation --no-deps --no-index -w made . >log 2>&1 ||
        { cat log >&2; fail "pip fails"; }
fi
cp made/*.whl "$folder"
echo "$folder/$(basename made/*.whl)"
