#!/usr/bin/env bash
# Exports the canonical problems of data/problems.list, in parallel, and only what changed:
#
#     BUILD=build JOBS=n PROBLEMS=folder scripts/problems.sh [NAME...]
#
# A problem is exported anew where its options or the code that its bits depend on have changed:
# all of problems/, of other scenes only what they share, and of solvers/ what its simulation
# uses. The key in NAME.key says what a file was made of; a new preconditioner, figure or test
# changes no key.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
folder=${PROBLEMS:-data/problems}
list=data/problems.list
limit_mb=60

# all_problems: "NAME SCENE OPTIONS..." of the list, then of scenes that are not listed
all_problems() {
    grep -v '^ *\(#\|$\)' "$list"
    local scene
    "$program" list scene | awk 'NR > 1 { print $1 }' | while read -r scene; do
        grep -q "^$scene " "$list" || echo "$scene $scene"
    done
}

# sources SCENE OPTION...: the files that decide the problem's bits
sources() {
    local scene=$1 file
    local used=" proximal_newton newton fischer_burmeister mass pcr jacobi assembled ${*:2} "
    used=${used// min / min_map }
    find problems solvers -name '*.[ch]' | LC_ALL=C sort | while read -r file; do
        case $file in
        problems/scenes/*) [ "$file" = "problems/scenes/$scene.c" ] || continue ;;
        solvers/cuda/* | solvers/peers/*) continue ;;
        solvers/{outer,ncp,scaling,linear,precond,operator}/*/* | solvers/precision/*) ;;
        solvers/{outer,ncp,scaling,linear,precond,operator}/*) [[ $used == *" $(basename "$file" .c) "* ]] || continue ;;
        esac
        echo "$file"
    done
    echo harness/simulate/settle.c harness/simulate/export_step.c harness/cli/command_export.c | tr ' ' '\n'
}

# key NAME SCENE OPTION...
key() {
    { echo "$@"; sources "${@:2}" | xargs cat; } | sha256sum | cut -d ' ' -f 1
}

# target NAME: the file, or the folder of several
target() {
    case $1 in
    */*) echo "$folder/${1%/*}" ;;
    *) echo "$folder/$1.h5" ;;
    esac
}

# export_one NAME SCENE OPTION...: whole or not at all
export_one() {
    local name=$1 scene=$2 made started=$SECONDS
    made=$(target "$name")
    rm -rf "$made.new"
    case $name in
    */*) mkdir -p "$made.new" && set -- "$made.new/${name##*/}.h5" "${@:3}" ;;
    *) set -- "$made.new" "${@:3}" ;;
    esac
    if ! "$program" export "$scene" -o "$@" >"$made.log" 2>&1; then
        echo "problems: $name: $(tail -n 1 "$made.log")" >&2
        rm -rf "$made.new" "$made.log"
        return 1
    fi
    rm -rf "$made" "$made.log"
    mv "$made.new" "$made"
    echo "  $name in $((SECONDS - started)) s"
}

# refresh NAME SCENE OPTION...: exports what has another key than its file
refresh() {
    local made wanted
    made=$(target "$1")
    wanted=$(key "$@")
    if [ -e "$made" ] && [ "$(cat "$made.key" 2>/dev/null)" = "$wanted" ]; then
        return 0
    fi
    rm -f "$made.key"
    export_one "$@" && echo "$wanted" >"$made.key"
}

# chosen NAME...: the lines of these names, or all lines
chosen() {
    local name
    [ $# -gt 0 ] || { all_problems; return; }
    for name in "$@"; do
        all_problems | grep "^$name " ||
            { echo "problems: no problem $name in $list" >&2; return 1; }
    done
}

if [ "${1:-}" = --one ]; then # in a process of its own
    # shellcheck disable=SC2086
    refresh $2
    exit
fi

mkdir -p "$folder"
started=$SECONDS
twice=$(all_problems | awk '{ print $1 }' | sort | uniq -d)
[ -z "$twice" ] || { echo "problems: $list has twice:" $twice >&2; exit 1; }
lines=$(chosen "$@")
failed=0
# Quotes would keep xargs from a line's options apart from it: lines have none.
echo "$lines" | xargs -P "${JOBS:-$(nproc)}" -d '\n' -n 1 "$0" --one || failed=1

[ $# -gt 0 ] || {
    printf '%-28s %9s\n' problem kB
    echo "$lines" | while read -r name _; do
        made=$(target "$name")
        [ ! -e "$made" ] ||
            printf '%-28s %9d\n' "$name" "$(du -sk --apparent-size "$made" | cut -f 1)"
    done | tee "$folder/sizes.txt"
    total=$(awk '{ n += $2 } END { printf "%.1f", n / 1024 }' "$folder/sizes.txt")
    rm "$folder/sizes.txt"
    echo "together $total MB of $limit_mb MB, in $((SECONDS - started)) s"
    awk "BEGIN { exit $total > $limit_mb }" ||
        { echo "problems: the files are too large" >&2; failed=1; }
}
exit $failed
