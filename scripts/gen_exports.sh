#!/bin/sh
# Writes the linker's version script of libncpbench.so: public is what harness/ncpbench.h declares and the static
# library defines, all else is local.
#
#     CC=gcc scripts/gen_exports.sh VERSION build/libncpbench.a OUTPUT
set -eu
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-gcc} -std=c17 -D_GNU_SOURCE -E -P -I. harness/ncpbench.h | grep -oE '\bnb_[a-z0-9_]+' | sort -u >"$work/declared"
nm -g --defined-only "$2" 2>/dev/null | sed -n 's/^[0-9a-f]* [A-Z] //p' | sort -u >"$work/defined"
{
    printf 'NCPBENCH_%s {\nglobal:\n' "$1"
    comm -12 "$work/declared" "$work/defined" | sed 's/.*/    &;/'
    printf 'local:\n    *;\n};\n'
} >"$work/exports"
mv "$work/exports" "$3"
