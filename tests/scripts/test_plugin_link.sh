#!/usr/bin/env bash
# ncpbench-plugin hands to the link what is the link's: a preconditioner may stand on a library of its own, named by its
# folder and name in one word or two, by its file, as an archive or an object, with blanks in their names; one that is not
# there is no success.
set -euo pipefail
BUILD=${BUILD:-build}
program=$PWD/$BUILD/ncpbench
plugin=$PWD/scripts/ncpbench-plugin

[ -z "${SANITIZE:-}" ] || { echo "plugins are built without the sanitizer"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir lib
echo 'double reciprocal(double d) { return 1 / d; }' >reciprocal.c
${CC:-cc} -shared -fPIC reciprocal.c -o lib/libreciprocal.so
${CC:-cc} -c -fPIC reciprocal.c -o reciprocal.o
ar rcs lib/libarchived.a reciprocal.o
cat >borrowed.c <<'END'
#include "solvers/strategy.h"
double reciprocal(double d);
static void apply(const void *self, const struct nb_operator *op, const nb_real *r, nb_real *z)
{
    (void)self;
    for (size_t i = 0; i < op->size; ++i)
        z[i] = r[i] * (nb_real)(FACTOR * reciprocal(op->diagonal[i]));
}
const struct nb_precond NB(nb_precond_borrowed) = {.name = "borrowed", .title = "t", .source = "test", .apply = apply};
END
"$program" export two_boxes --newton-systems -o boxes.h5 >/dev/null

build() { # OPTION...: builds, loads and solves with it
    rm -f borrowed.so
    "$plugin" borrowed.c -DFACTOR=1 "$@" >log 2>&1 || { cat log; false; }
    "$program" linear boxes.h5 --linear pcg --precond borrowed --plugin ./borrowed.so >said 2>&1 || { cat said; false; }
}
build -Llib -lreciprocal -Wl,-rpath,"$PWD/lib"
build -L lib -l reciprocal -Xlinker -rpath -Xlinker "$PWD/lib"
build "$PWD/lib/libreciprocal.so"
build lib/libarchived.a
build reciprocal.o
build -Llib -larchived -O0 -g
LDFLAGS="-Llib -larchived" build
mkdir "a b"
cp lib/libarchived.a "a b/an archive.a"
cp reciprocal.o "a b/an object.o"
cp lib/libreciprocal.so "a b"
build "-La b" -lreciprocal "-Wl,-rpath,$PWD/a b"
build -L "a b" -l:libreciprocal.so -Xlinker -rpath -Xlinker "$PWD/a b"
build "a b/an archive.a" '-DNAMED="it is \"a name\""'
build "a b/an object.o" -I "a b" -z now
build -Llib -Wl,--whole-archive -larchived -Wl,--no-whole-archive
echo '-Llib -larchived' >options
build @options

# -o is a folder, wherever it stands.
"$plugin" borrowed.c -DFACTOR=1 reciprocal.o -o "a b/made here" -O1 >log 2>&1 || { cat log; false; }
"$program" list precond --plugin "a b/made here/borrowed.so" | grep -q borrowed
if "$plugin" borrowed.c -DFACTOR=1 -lno_such_library >log 2>&1; then
    echo "a library that is not there was taken"
    false
fi
grep -q no_such_library log

# A function of another signature, which would be called with what it does not take, and one that nobody defines, are no
# success; what a strategy lacks is named.
refuse() { # SED_COMMAND WORDS
    sed "$1" borrowed.c >wrong.c
    sed -i 's/borrowed/wrong/g' wrong.c
    if "$plugin" wrong.c -DFACTOR=1 reciprocal.o >log 2>&1 && "$program" list precond --plugin ./wrong.so >>log 2>&1; then
        echo "a plugin was taken after $1"
        exit 1
    fi
    grep -q "$2" log || { cat log; exit 1; }
}
refuse 's/nb_real \*z)/nb_real *z, int more)/' 'incompatible pointer type'
refuse 's/^double reciprocal.*//' 'implicit declaration'
refuse 's/\.apply = apply/.apply = apply, .title = NULL/' '"wrong" lacks \.title'
refuse 's/, \.apply = apply/, .settings = apply ? NULL : NULL/' '"wrong" lacks \.apply'
