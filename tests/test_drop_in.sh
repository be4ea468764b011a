#!/usr/bin/env bash
# The promise of one file: the README's preconditioner, copied out of it, is built, listed, tested in
# every precision and solves, without any other edit.
set -euo pipefail
BUILD=${BUILD:-build}
unset MAKEFLAGS MAKELEVEL # the outer make's jobs are not this one's

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# The sources, and the objects with their times, so that only what changed is compiled.
cp -a Makefile README.md solvers problems harness scripts tests plots "$copy"
cp -a "$BUILD" "$copy/$BUILD" # the same name: recorded dependencies are relative to it
cd "$copy"
sed -n '/^## Add a preconditioner$/,/^## /p' README.md | sed -n '/^```c$/,/^```$/p' | sed '/^```/d' >solvers/precond/row_sums.c
grep -q nb_precond_row_sums solvers/precond/row_sums.c

flags=()
[ -z "${SANITIZE:-}" ] || flags=(SANITIZE="$SANITIZE" OPTIMIZE=-O1)
make -s "${flags[@]}" BUILD="$BUILD" all "$BUILD"/tests/test_linear_f64 "$BUILD"/tests/test_linear_f32

listed=$("$BUILD"/ncpbench list precond)
grep -q '^ *row_sums ' <<<"$listed"
"$BUILD"/tests/test_linear_f64
"$BUILD"/tests/test_linear_f32
"$BUILD"/ncpbench export arch -o arch.h5
"$BUILD"/ncpbench solve arch.h5 --precond row_sums --newton-iters 40 --linear-iters 200 --tol 1e-8
