#!/usr/bin/env bash
# The promise of one file: the preconditioner of docs/guide/tutorial.md, copied out of it, is built, listed, tested in
# every precision and solves, without any other edit. Edited, it is measured anew and no other is.
# An NCP function and a scaling have their accuracy floors, too.
set -euo pipefail
BUILD=${BUILD:-build}
unset MAKEFLAGS MAKELEVEL # the outer make's jobs are not this one's

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# The sources, and the objects with their times, so that only what changed is compiled.
cp -a Makefile docs solvers problems harness scripts tests plots "$copy"
# The same name: recorded dependencies are relative to it. Other tests may write there: tar's status is then 1.
{ tar -cf - --exclude="$BUILD/tests" "$BUILD" 2>/dev/null || [ $? -eq 1 ]; } | tar -xf - -C "$copy"
cd "$copy"
sed -n '/^```c$/,/^```$/p' docs/guide/tutorial.md | sed '/^```/d' >solvers/precond/row_sums.c
grep -q nb_precond_row_sums solvers/precond/row_sums.c

# The mean of two NCP functions is one, with the friction compliance of either; r is twice the mass scaling's.
cat >solvers/ncp/mean.c <<'END'
#include "solvers/contact/fischer_contact.h"
#include "solvers/contact/minimum_contact.h"
#include "solvers/strategy.h"

static void normal(size_t n, const nb_real *a, const nb_real *b, nb_real *phi, nb_real *dphi_da, nb_real *dphi_db)
{
    for (size_t i = 0; i < n; ++i) {
        nb_real min[3];
        NB(nb_fischer_normal)(a[i], b[i], phi + i, dphi_da + i, dphi_db + i);
        NB(nb_minimum_normal)(a[i], b[i], &min[0], &min[1], &min[2]);
        phi[i] = (phi[i] + min[0]) / 2;
        dphi_da[i] = (dphi_da[i] + min[1]) / 2;
        dphi_db[i] = (dphi_db[i] + min[2]) / 2;
    }
}

static void friction(size_t n, const nb_real *slip, const nb_real *force, const nb_real *limit, const nb_real *r,
                     nb_real *compliance)
{
    for (size_t i = 0; i < n; ++i)
        compliance[i] = NB(nb_minimum_friction)(slip[i], force[i], limit[i], r[i]);
}

const struct NB(nb_ncp) NB(nb_ncp_mean) = {
    .name = "mean", .title = "mean of min and fb", .source = "full_drop_in.sh", .normal = normal, .friction = friction};
END
sed -e 's/= h \*/= 2 * h */; s/scaling_mass/scaling_double_mass/; s/"mass"/"double_mass"/' solvers/scaling/mass.c \
    >solvers/scaling/double_mass.c

build() { make -s BUILD="$BUILD" "$@"; }
each=$BUILD/tests/solvers/per_precision
build all "$each"/test_{linear,ncp}_{f64,f32} "$BUILD"/tests/harness/test_floor_strategies

listed=$("$BUILD"/ncpbench list precond)
grep -q '^ *row_sums ' <<<"$listed"
for test in "$each"/test_{linear,ncp}_{f64,f32} "$BUILD"/tests/harness/test_floor_strategies; do "$test"; done
"$BUILD"/ncpbench export arch -o arch.h5
"$BUILD"/ncpbench solve arch.h5 --precond row_sums --newton-iters 40 --linear-iters 200 --tol 1e-8
"$BUILD"/ncpbench solve arch.h5 --ncp mean --scaling double_mass --linear cholesky --precond none --newton-iters 120 \
    --tol 1e-6 --json >mean.json
grep -q '"floor":{"residual":[0-9]' mean.json

# One that forgets its name, and a scene that reports nothing, are told instead of followed.
forgotten() { # forgotten FILE LINE WORDS
    cp "$1" kept.c
    sed -i "/$2/d" "$1"
    build all
    if "$BUILD"/ncpbench list 2>said; then exit 1; fi
    cat said
    grep -q "^ncpbench: $(basename "$1"): .*$3" said
    cp kept.c "$1"
}
forgotten solvers/precond/row_sums.c '\.name = ' 'name of its precond'
forgotten solvers/precond/row_sums.c '\.title = ' 'lacks \.title'
forgotten problems/scenes/ball_drop.c '\.observable = ' 'lacks its name'
build all

# expect RUN OTHER_BUILDS OPTION...: what the sweep says
expect() {
    "$BUILD"/ncpbench sweep pre.sweep -o pre.jsonl "${@:3}" >summary
    cat summary
    grep -q "4 cases, $1 run now, $((4 - $1)) reused" summary
    [ "$(sed -n 's/^ *\([0-9]*\) reused records were made by other builds.*--anew.*/\1/p' summary)" = "$2" ]
}
fingerprint() { "$BUILD"/ncpbench --version | sed -n 's/^build *//p'; }
cat >pre.sweep <<END
[sweep]
name = pre
[group all]
problem = arch.h5
solver = newton
newton_iters = 2
precond = jacobi, row_sums
precision = f64, f32
END
expect 4 ''
expect 0 ''

# Nothing changed: nothing is made.
touch before
build all
[ -z "$(find "$BUILD" -newer before -type f)" ]

# The formula changed: its own objects and the hashes are made, and its own cases measured.
first=$(fingerprint)
sed -i 's|1 / sum|0.5 / sum|' solvers/precond/row_sums.c
build all
[ "$(find "$BUILD" -newer before -name '*.o' ! -name row_sums.o | tr '\n' ' ')" = "$BUILD/solvers/source.o " ]
second=$(fingerprint)
[ "$first" != "$second" ]
expect 2 2
expect 0 2

# What all share changed, by a comment: all is reused, said to be so, and measured anew on request.
echo '/* edited */' >>solvers/linear/krylov/chebyshev.c
build all
[ "$second" != "$(fingerprint)" ]
expect 0 4
expect 4 '' --anew
expect 0 '' --anew

# The same sources make the same fingerprint, wherever they lie and in whatever folder they are built.
sed -i '$d' solvers/linear/krylov/chebyshev.c
build all
[ "$second" = "$(fingerprint)" ]
mkdir moved
cp -a Makefile scripts solvers problems harness moved
make -s -C moved BUILD=elsewhere elsewhere/generated/source_hashes.h
cmp "$BUILD/generated/source_hashes.h" moved/elsewhere/generated/source_hashes.h

# Other flags compile an object anew, and the same ones do not.
made() { # made OPTION...: whether the object is
    touch moved/before
    make -s "$@" -C moved BUILD=elsewhere elsewhere/problems/base/status.o
    if [ moved/elsewhere/problems/base/status.o -nt moved/before ]; then echo yes; else echo no; fi
}
[ "$(made) $(made) $(made ARCH=x86-64-v3) $(made ARCH=x86-64-v3) $(made)" = 'yes no yes no yes' ]
