#!/usr/bin/env bash
# Every solver on the collection: `make evidence`, whose problems `make collection` has made.
#
#     BUILD=build JOBS=n [FULL=1] [PEERS=1] scripts/evidence.sh
#
# Without FULL=1 the 60 small problems, 1 s a case, in 11 minutes on two quiet cores; with it all of them, 10 s a case, which takes
# days on one machine: give a cluster its shards (docs/guide/evidence.md). Killed at any time, it goes on where it was.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
results=data/results
small=_small
[ -z "${FULL:-}" ] || small=
sweep=evidence$small
mkdir -p "$results" figures
records=()
for each in "$sweep" ${PEERS:+evidence_peers$small}; do
    echo "== sweep $each"
    "$program" sweep "data/$each.sweep" --jobs "${JOBS:-1}" -o "$results/$each.jsonl"
    records+=("$results/$each.jsonl")
done
pictures=$results/$sweep.zip
[ -n "${FULL:-}" ] || cp data/evidence/small.zip "$pictures"
PROGRAM=$program scripts/evidence/pictures.py "data/collection/${small:+small}${FULL:+full}" -o "$pictures"
scripts/evidence/page.py "${records[@]}" --pictures "$pictures" -o "figures/$sweep.html"
