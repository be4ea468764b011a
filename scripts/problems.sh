#!/usr/bin/env bash
# Exports the canonical problems of data/problems.list, in parallel, and only what changed:
#
#     BUILD=build JOBS=n PROBLEMS=folder scripts/problems.sh [NAME...]
#
# A problem is exported anew where its line of the list or the code that its bits depend on has changed:
# all of problems/, of other scenes only what they share, and of solvers/ what its simulation uses.
# NAME.key says what a file was made of; a new preconditioner, figure or test changes no key. How much time is left
# is told by the seconds that the list has behind a "#". A model in the place of a scene is imported; where the program
# has no MuJoCo, that problem is skipped, and one that is there stays.
set -euo pipefail
shopt -s extglob
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
folder=${PROBLEMS:-data/problems}
list=data/problems.list
slots='@(outer|ncp|scaling|linear|precond|operator)' # of strategies, a file each

# all_problems: "NAME SCENE OPTIONS..." of the list, then of scenes that are not listed
all_problems() {
    awk '/^ *(#|$)/ { next }
        { sub(/ *#.*/, "") }
        FNR == NR { print; listed[$1] = 1; next }
        FNR > 1 && !($1 in listed) { print $1, $1 }' "$list" <("$program" list scene)
}

# chosen NAME...: the lines of these names, or all lines
chosen() {
    local name
    [ $# -gt 0 ] || { echo "$problems"; return; }
    for name in "$@"; do
        grep "^$name " <<<"$problems" || { echo "problems: no problem $name in $list" >&2; return 1; }
    done
}

# Every file that some problem's bits depend on is hashed once: into hash[FILE] of a scene or strategy, which some
# problems use, and into the one hash of all others.
declare -A hash
hash_sources() {
    local digest file common=
    while read -r digest file; do
        case $file in
        solvers/@(cuda|peers)/*) ;;
        solvers/$slots/*/*) common+="$digest $file"$'\n' ;;
        solvers/$slots/* | problems/scenes/*) hash[$file]=$digest ;;
        *) common+="$digest $file"$'\n' ;;
        esac
    done < <(find problems solvers harness/simulate/settle.c harness/cli/command_export.c \
        harness/cli/command_export.c -name '*.[ch]' | LC_ALL=C sort | xargs sha256sum)
    common_hash=$(sha256sum <<<"$common" | cut -d ' ' -f 1)
}

# is_model SCENE: whether it is a file for `ncpbench import`
is_model() { [[ $1 == */*.@(xml|urdf) ]]; }
has_mujoco() { ! grep -q '^MuJoCo *none' <<<"$("$program" --version)"; }

# find_key NAME SCENE OPTION...: into key what the problem is made of: its line of the list, the common hash,
# and the hashes of its scene and of the strategies that its simulation uses
find_key() {
    local name used
    used=" proximal_newton newton fischer_burmeister mass pcr jacobi assembled ${*:3} "
    used=${used// min / min_map }
    key="$*"$'\n'"$common_hash all others"
    ! is_model "$2" || key+=$'\n'$(sha256sum "$2" harness/cli/command_import.c)
    for file in "${files[@]}"; do
        name=${file##*/} name=${name%.c}
        case $file in
        problems/scenes/*) [ "$name" = "$2" ] || continue ;;
        *) [[ $used == *" $name "* ]] || continue ;;
        esac
        key+=$'\n'"${hash[$file]} $file"
    done
}

# find_target NAME: into target the file, or the folder of several
find_target() {
    case $1 in
    */*) target=$folder/${1%/*} ;;
    *) target=$folder/$1.h5 ;;
    esac
}

# seconds_of NAME: what its export takes on one core, by the list; 1 where that says nothing
seconds_of() {
    awk -v name="$1" 'BEGIN { seconds = 1 }
        $1 == name && match($0, /# *[0-9]+ s/) { seconds = substr($0, RSTART + 1, RLENGTH - 3) + 0 }
        END { print seconds }' "$list"
}

# left: how many of the stale are done, and how long the others take by the list
left() {
    local i count=0 sum=0 longest=0
    for i in "${!stale[@]}"; do
        [ ! -e "${stale[i]}.key" ] || { count=$((count + 1)); continue; }
        sum=$((sum + seconds[i])) longest=$((seconds[i] > longest ? seconds[i] : longest))
    done
    sum=$(((sum + jobs - 1) / jobs))
    echo "$count of ${#stale[@]}$([ "$sum" -eq 0 ] || echo ", about $((sum > longest ? sum : longest)) s left")"
}

# export_one NAME SCENE OPTION...: to target with its key, whole or not at all
export_one() {
    local name=$1 scene=$2 started=$SECONDS command=export
    ! is_model "$scene" || command=import
    rm -rf "$target.new"
    case $name in
    */*) mkdir -p "$target.new" && set -- "$target.new/${name##*/}.h5" "${@:3}" ;;
    *) set -- "$target.new" "${@:3}" ;;
    esac
    if ! "$program" $command "$scene" -o "$@" >"$target.log" 2>&1; then
        echo "problems: $name: $(tail -n 1 "$target.log")" >&2
        rm -rf "$target.new" "$target.log"
        return
    fi
    rm -rf "$target" "$target.log"
    mv "$target.new" "$target"
    echo "$key" >"$target.key"
    echo "  $name in $((SECONDS - started)) s ($(left))"
}

# list_sizes: of what is there
list_sizes() {
    local name present=()
    while read -r name _; do
        find_target "$name"
        [ ! -e "$target" ] || present+=("$target")
    done <<<"$lines"
    du -sk --apparent-size "${present[@]}" | awk -v folder="$folder/" -v seconds="$SECONDS" '
        BEGIN { printf "%-28s %9s\n", "problem", "kB" }
        { name = substr($2, length(folder) + 1); sub(/\.h5$/, "", name); printf "%-28s %9d\n", name, $1; sum += $1 }
        END { printf "together %.1f MB, in %d s\n", sum / 1024, seconds }'
}

mkdir -p "$folder"
problems=$(all_problems)
twice=$(cut -d ' ' -f 1 <<<"$problems" | sort | uniq -d)
[ -z "$twice" ] || { echo "problems: $list has twice:" $twice >&2; exit 1; }
lines=$(chosen "$@")
hash_sources
mapfile -t files < <(printf '%s\n' "${!hash[@]}" | LC_ALL=C sort)

jobs=${JOBS:-$(nproc)}
stale=() todo=() keys=() seconds=()
while read -ra line; do
    if is_model "${line[1]}" && ! has_mujoco; then
        echo "  ${line[0]} is skipped: the program is built without MuJoCo (scripts/install_deps.sh --import)"
        continue
    fi
    find_key "${line[@]}"
    find_target "${line[0]}"
    [ -e "$target" ] && [ -e "$target.key" ] && [ "$(<"$target.key")" = "$key" ] && continue
    rm -rf "$target.key"
    stale+=("$target") todo+=("${line[*]}") keys+=("$key") seconds+=("$(seconds_of "${line[0]}")")
done <<<"$lines"
for i in "${!stale[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    target=${stale[i]} key=${keys[i]}
    read -ra line <<<"${todo[i]}"
    export_one "${line[@]}" &
done
wait
failed=0
for target in "${stale[@]}"; do
    [ -e "$target.key" ] || failed=1
done
[ $# -gt 0 ] || list_sizes
exit $failed
