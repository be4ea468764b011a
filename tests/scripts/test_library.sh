#!/usr/bin/env bash
# libncpbench.so in a host program: it has a soname and no symbol but those that harness/ncpbench.h declares; four threads
# that solve at once get the bits of one; and locale, signal handlers, BLAS threads and HDF5's error handler of the host
# stay, whatever the locale's decimal point is. It prints nothing, and calls nothing that ends the program.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
library=$BUILD/libncpbench.so
work=$(mktemp -d "${TMPDIR:-/tmp}/ncpbench-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
fault() {
    echo "$1" >&2
    failed=1
}

soname=$(objdump -p "$library" | sed -n 's/^ *SONAME *//p')
[ "$soname" = "$(basename "$(readlink "$library")")" ] || fault "$library is no link to its soname \"$soname\""
case $soname in libncpbench.so.[1-9]*) ;; *) fault "the soname is \"$soname\"" ;; esac

# Every function that the header declares is there, and nothing else.
nm -D --defined-only "$library" | sed -n 's/^[0-9a-f]* [TDBRW] \(.*\)@@.*/\1/p' | sort >"$work/public"
grep -vn '^nb_' "$work/public" && fault "public, but not ours"
for name in nb_problem_read nb_solver_run nb_judge_evaluate nb_metrics nb_simulate nb_linear_bench_run; do
    grep -qx "$name" "$work/public" || fault "$name is not public"
done
${CC:-gcc} -std=c17 -D_GNU_SOURCE -E -P -I. harness/ncpbench.h >"$work/header"
while read -r name; do
    grep -qw "$name" "$work/header" || fault "$name is public, but not in harness/ncpbench.h"
done <"$work/public"
[ "$(wc -l <"$work/public")" -ge 80 ] || fault "only $(wc -l <"$work/public") public symbols"

# What ends a program, speaks to its user or changes what all of it shares is not called.
nm -D --undefined-only "$library" | sed 's/^ *[Uw] \([^@]*\).*/\1/' >"$work/needed"
for name in exit abort quick_exit printf __printf_chk puts putchar perror vprintf setlocale openblas_set_num_threads \
    omp_set_num_threads goto_set_num_threads stdout mallopt atexit raise; do
    grep -qx "$name" "$work/needed" && fault "the library calls $name"
done

# A program that links the static library, all of it, needs no simulator: only ncpbench import reads models.
nm -u "$BUILD/libncpbench.a" | grep ' U mj' && fault "the static library needs MuJoCo"

# In C++ the header names the same functions.
echo '#include "harness/ncpbench.h"
int main() { return nb_options_default().threads - 1; }' >"$work/host.cpp"
if command -v g++ >/dev/null; then
    # shellcheck disable=SC2086 # options
    g++ -std=c++17 ${SANITIZE:-} -Wall -Wextra -Werror -I. -o "$work/host_cpp" "$work/host.cpp" "$library" &&
        LD_LIBRARY_PATH=$BUILD "$work/host_cpp" || fault "a program in C++ does not find the library's functions"
fi

read -ra flags <<<"$(pkg-config --cflags hdf5-serial openblas)"
read -ra libraries <<<"$(pkg-config --libs hdf5-serial openblas)"
# shellcheck disable=SC2086
${CC:-gcc} -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -g ${SANITIZE:-} -Iharness -I. \
    "${flags[@]}" tests/support/host.c -o "$work/host" "$library" "${libraries[@]}" -lpthread || exit 1
for scene in box_pyramid heavy_stack double_pendulum_mass capsule; do
    [ $scene != capsule ] || { "$BUILD/ncpbench" export leaning_capsule -o "$work/capsule.h5"; continue; }
    "$BUILD/ncpbench" export $scene --step 3 -o "$work/$scene.h5"
done >/dev/null || exit 1

echo leak:__argz_add_sep >"$work/leaks" # of the C library's, where LOCPATH is set
# host_in LOCALE: the host there says that all is the same, and nothing else
host_in() {
    LSAN_OPTIONS=suppressions=$work/leaks:print_suppressions=0 \
        OMP_NUM_THREADS=1 LD_LIBRARY_PATH=$BUILD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} LOCPATH=$work LC_ALL=$1 \
        timeout -s KILL 200 "$work/host" "$work" "$work"/*.h5 >"$work/said" 2>&1
    local code=$?
    [ $code = 0 ] && [ "$(cat "$work/said")" = same ] || { cat "$work/said"; fault "the host ends with $code in $1"; }
    rm -f "$work/step.h5" "$work/damaged.h5"
}
host_in C
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
    cp "$work/a.mtx" "$work/c.mtx"
    host_in de_DE.UTF-8
    cmp "$work/a.mtx" "$work/c.mtx" || fault "Matrix Market text depends on the locale"
else
    echo "no localedef: not tried with a decimal comma"
fi
exit $failed
