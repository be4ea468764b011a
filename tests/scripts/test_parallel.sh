#!/usr/bin/env bash
# ncpbench-parallel on this machine alone, without ssh: names of files are names, whatever they hold, what GNU parallel
# would replace in a command among it. Skipped where it is not installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
parallel --version 2>/dev/null | grep -q 'GNU parallel' || { echo "skipped: no GNU parallel"; exit 77; }
NCPBENCH=$(realpath "${BUILD:-build}")/ncpbench
export NCPBENCH
run=$PWD/scripts/ncpbench-parallel
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$1"; cat "$folder/said"; exit 1; }

# shellcheck disable=SC2016 # as they stand
for name in "it's" 'a{}b{.}' '{#}{%}{1}' '{= touch("ran") =}' '$(touch ran)`touch ran`' $'line\nend {}'; do
    here=$folder/work/$name
    mkdir -p "$here"
    "$NCPBENCH" export box_on_plane -o "$here/a.h5" >/dev/null
    "$NCPBENCH" export two_boxes -o "$here/b.h5" >/dev/null
    printf '[sweep]\nname = s\nrepetitions = 5\nfloors = no\n[group g]\nproblem = *.h5\nsolver = nsgs\ntol = 1e-6\n' \
        >"$here/s.sweep"
    (cd "$here" && "$run" ./s.sweep -o "$here/r.jsonl" --hosts : --shards 2) >"$folder/said" 2>&1 || fail "$name: fails"
    [ -z "$(find "$folder" -name ran)" ] || fail "$name: was run as a command"
    [ "$(grep -c '"kind":"case"' "$here/r.jsonl")" -eq 2 ] || fail "$name: not two cases"
done
