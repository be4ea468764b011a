#!/usr/bin/env bash
# Writes the outputs of the commands on records, in every format, and the numbers of their figures to a folder:
#
#     [BUILD=build] scripts/golden.sh FOLDER [RECORDS.jsonl]
#
# Without RECORDS all that is made from data/records/, which takes minutes: two such folders, of before and after a
# change, are compared by `diff -r`. With RECORDS what is made from these; tests/scripts/test_golden.sh holds that of
# tests/golden/records.jsonl.gz to the files beside it, and `make golden` rewrites them. Figures are not drawn: only the
# numbers that gnuplot would get are kept; of a page figures and data; the commit that has written it is left out.
set -euo pipefail
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: scripts/golden.sh FOLDER [RECORDS.jsonl]" >&2; exit 2; }
mkdir -p "$1"
folder=$(realpath "$1")
cd "$(dirname "$0")/.."
export BUILD=${BUILD:-build}
program=$PWD/$BUILD/ncpbench
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir "$work/bin" "$work/problems"
cat >"$work/bin/gnuplot" <<'END'
#!/bin/sh
case $* in
--version) echo "gnuplot 5.4 patchlevel 4" ;;
*) echo '<svg xmlns="http://www.w3.org/2000/svg"></svg>' ;;
esac
END
chmod +x "$work/bin/gnuplot"
PATH=$work/bin:$PATH

# keep NAME ARGUMENT...: what the program prints, its messages and its exit code
keep() {
    local code=0
    "$program" "${@:2}" >"$folder/$1" 2>"$folder/$1.messages" || code=$?
    [ $code -eq 0 ] || echo "exit code $code" >>"$folder/$1.messages"
    [ -s "$folder/$1" ] || rm "$folder/$1"
    [ -s "$folder/$1.messages" ] || rm "$folder/$1.messages"
}

# tables NAME RECORDS...: all tables and pages
tables() {
    local name=$1
    shift
    keep "$name.report" report "$@" --tol 1e-6
    keep "$name.report.own_tol" report "$@"
    keep "$name.report.csv" report "$@" --csv
    keep "$name.report.json" report "$@" --tol 1e-6 --json
    keep "$name.compare.linear" compare "$@" --a linear=pcr --b linear=pcg --tol 1e-6
    keep "$name.compare.json" compare "$@" --a linear=gauss_seidel --b linear=jacobi --tol 1e-6 --json
    keep "$name.compare.precision" compare "$@" --a precision=f64 --b precision=f32
    keep "$name.summary" report "$@" --tol 1e-6 --summary --html "$work/page.html" --markdown "$work/page.md"
    if [ -e "$work/page.html" ]; then
        sed -n '/^<main>/,/^<\/script>/p' "$work/page.html" |
            sed 's/},/},\n/g; s/\],"/],\n"/g' >"$folder/$name.page.data"
        mv "$work/page.md" "$folder/$name.page.md"
        rm "$work/page.html"
    fi
}

if [ $# -eq 2 ]; then
    tables records "$2"
    for curves in method linear; do
        keep "profile.$curves" profile "$2" --curves $curves --tol 1e-6 -o "$folder"
    done
    keep convergence plot convergence "$2" --curves linear --panels problem -o "$folder"
    keep bars plot bars "$2" --y time --tol 1e-6 --curves linear --each precision -o "$folder"
else
    for file in data/records/*.jsonl.gz; do
        tables "$(basename "$file" .jsonl.gz)" "$file"
    done
    tables all data/records/*.jsonl.gz
    keep claims claims
    keep claims.json claims --json
    keep claims.check claims --check
    scripts/paper/page.py "$folder/claims.md" || true
    for scene in box_on_plane heavy_stack; do
        "$program" export $scene -o "$work/problems/${scene}_first.h5" >/dev/null
    done
    keep index index "$work/problems" --records data/records/scenes.jsonl.gz
    for form in csv json; do
        keep index.$form index "$work/problems" --records data/records/scenes.jsonl.gz --$form
    done
    scripts/figures.sh "$folder/figures" >"$folder/figures.log" 2>&1 || true
    for curves in method linear precision; do
        keep "profile.$curves" profile data/records/scenes.jsonl.gz data/records/pile.jsonl.gz --curves $curves \
            --class all --tol 1e-6 -o "$folder/profile_$curves"
    done
fi
find "$folder" -type f \( -name '*.pdf' -o -name '*.png' -o -name '*.svg' \) -delete
find "$folder" -type f -exec sed -Ei "s|$work|.|g; s|$folder|.|g; s|(ncpbench [0-9.]+) \([0-9a-z-]+\)|\1|g" {} +
