#!/usr/bin/env bash
# solvers/cuda/step is compiled once a precision, as C++: where two of these objects give an inline function the
# same name, the linker keeps one of them for all, with another precision's sizes.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
objects=("$build"/*/solvers/cuda/step/*.o)
[ -e "${objects[0]}" ] || { echo "built without CUDA"; exit 77; }
shared=$(for object in "${objects[@]}"; do
    nm --defined-only "$object" | awk '$2 ~ /[WVu]/ && $3 ~ /step_/ { print $3 }' | sort -u
done | sort | uniq -d)
[ -z "$shared" ] || { printf 'in more than one precision:\n%s\n' "$shared"; exit 1; }
