#!/usr/bin/env bash
# make paper: makes anew, part by part, the records in data/records/ that the figures and the claims of the papers
# are read from (data/claims.list).
#
#     [BUILD=build] [FCLIB=folder] scripts/paper.sh [PART...]      all parts without an argument
#     scripts/paper.sh --list                                       the parts, their minutes and what each makes
#
# A part is a file of scripts/paper/parts/, and no other place names it. Its second line says how many minutes it takes
# on one core of a Xeon at 2.6 GHz beside much other work, and what it makes. A part whose records are newer than the
# program is left as it is, and a sweep goes on where it was, so that a killed run goes on. A part with a claim whose
# times scatter too much to decide it is measured once more at the end. FCLIB names a folder of FCLIB problems (README).
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
parts=scripts/paper/parts
results=data/results/paper
kept=data/records

names() { basename -s .sh "$parts"/*.sh; }

# about FILE...: of each part its name, its minutes and what it makes
about() {
    awk 'FNR == 2 {
        name = FILENAME
        gsub(/.*\/|[.]sh$/, "", name)
        minutes = $2
        gsub(/^# [0-9]+ min: |[.]$/, "")
        printf "%-10s %3d  %s\n", name, minutes, $0
    }' "$@"
}

if [ "${1:-}" = --list ]; then
    about "$parts"/*.sh
    exit
fi
for part in "$@"; do
    [ -f "$parts/$part.sh" ] || {
        echo "paper.sh: no part \"$part\"; there are: $(names | tr '\n' ' ')" >&2
        exit 2
    }
done

mkdir -p data/problems "$results" "$kept"
chosen=("$@")
[ $# -gt 0 ] || mapfile -t chosen < <(names)
number=0

# make_part PART: its records, packed
make_part() {
    local part=$1 begun=$SECONDS out=$results/$1.jsonl
    grep -q ' sweep data/' "$parts/$part.sh" || rm -f "$out" # a sweep goes on
    OUT=$out "$parts/$part.sh"
    if [ ! -e "$out" ]; then
        echo "   $part: nothing to run here; its records stay"
        return
    fi
    scripts/paper/pack.py "$out" "$kept/$part.jsonl.gz"
    touch "$out.done"
    echo "   $part took $((SECONDS - begun)) s"
}

# scattered: the parts of claims that are not decided as their times scatter, where some verdict is expected
scattered() {
    "$program" claims --complete | awk '
        /^[a-z]/ { differs = /^not decided/ && /DIFFERS/; scatters = 0 }
        differs && /of times that scatter/ { scatters = 1 }
        scatters && sub(/.*make paper P=/, "") { gsub(/"/, ""); print; scatters = 0 }' | tr ' ' '\n' | sort -u
}

for part in "${chosen[@]}"; do
    number=$((number + 1))
    if [ "$results/$part.jsonl.done" -nt "$program" ]; then
        echo "== $number of ${#chosen[@]}, $part: done before"
        continue
    fi
    echo "== $number of ${#chosen[@]}, minutes by now $((SECONDS / 60)): $(about "$parts/$part.sh")"
    make_part "$part"
done
# What other programs did to times is told by the times; such a part is measured once more, whatever its verdict was.
for part in $(scattered); do
    case " ${chosen[*]} " in *" $part "*) ;; *) continue ;; esac
    echo "== $part once more: its times scatter"
    rm -f "$results/$part.jsonl" "$results/$part.jsonl.journal"
    make_part "$part"
done
echo "== $number parts in $SECONDS s; the records are in $kept"
