#!/usr/bin/env bash
# ncpbench-slurm without Slurm: programs of its names run a task at once, by the first line of its script, as a node
# does. Names of files are names, whatever they hold; what is written passes shellcheck; a link that lies where the
# script is written is not followed.
set -euo pipefail
cd "$(dirname "$0")/../.."
NCPBENCH=$(realpath "${BUILD:-build}")/ncpbench
export NCPBENCH
submit=$PWD/scripts/ncpbench-slurm
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$1"; cat "$folder"/*.log "$folder"/said 2>/dev/null || true; exit 1; }

# --print shows what would be submitted, without Slurm, and writes nothing.
mkdir "$folder/shown"
"$NCPBENCH" export box_on_plane -o "$folder/shown/p.h5" >"$folder/said"
printf '[sweep]\nname = s\n[group g]\nproblem = p.h5\nsolver = nsgs\n' >"$folder/shown/s.sweep"
"$submit" "$folder/shown/s.sweep" -o "$folder/shown/r.jsonl" --shards 1 --print -- --exclusive >"$folder/said" 2>&1 ||
    fail "--print needs Slurm"
grep -q '^# .*sbatch --exclusive --array 1-1 ' "$folder/said" && grep -q '^#!/bin/sh$' "$folder/said" || fail "--print"
[ "$(ls "$folder/shown")" = "$(printf 'p.h5\ns.sweep')" ] || fail "--print writes"

mkdir "$folder/bin"
export PATH=$folder/bin:$PATH SBATCH=$folder
printf '#!/bin/sh\n' >"$folder/bin/squeue"
printf '#!/bin/sh\necho "MaxArraySize = 1001"\n' >"$folder/bin/scontrol"
cat >"$folder/bin/sbatch" <<'END'
#!/usr/bin/env bash
array=
while [ $# -gt 2 ]; do
    [ "$1" != --array ] || array=$2
    [ "$1" != --output ] || printf '%s\n' "$2" >>"$SBATCH/outputs"
    shift
done
shell=$(sed -n '1s/^#!//p' "$1")
for task in $(tr , '\n' <<<"$array" | awk -F- 'NF { for (i = $1; i <= (NF > 1 ? $2 : $1); ++i) print i }'); do
    SLURM_ARRAY_TASK_ID=$task "$shell" "$1" "$2" >>"$SBATCH/tasks.log" 2>&1
done
[ -n "$array" ] || "$shell" "$1" "$2" >>"$SBATCH/merge.log" 2>&1
echo 42
END
chmod +x "$folder"/bin/*

# shellcheck disable=SC2016 # as they stand
for name in plain "it's" 'a b;touch ran' $'t\t\'& touch ran #' $'line\nend' '$(touch ran)`touch ran`' 'l"ö\ser, 100%' -x '*'; do
    here=$folder/work/$name
    mkdir -p "$here"
    "$NCPBENCH" export box_on_plane -o "$here/a.h5" >/dev/null
    "$NCPBENCH" export two_boxes -o "$here/b.h5" >/dev/null
    printf '[sweep]\nname = s\nrepetitions = 5\nfloors = no\n[group g]\nproblem = *.h5\nsolver = nsgs\ntol = 1e-6\n' \
        >"$here/s.sweep"
    echo precious >"$folder/victim"
    ln -s "$folder/victim" "$here/r.slurm.sh"
    rm -f "$folder"/*.log "$folder/outputs"
    (cd "$here" && "$submit" ./s.sweep -o "$here/r.jsonl" --shards 2 --where 'solver=nsgs,it'\''s') >"$folder/said" 2>&1 ||
        fail "$name: is not submitted"
    [ -z "$(find "$folder" -name ran)" ] || fail "$name: was run as a command"
    [ "$(grep -c '"kind":"case"' "$here/r.jsonl")" -eq 2 ] || fail "$name: not two cases"
    [ "$(cat "$folder/victim")" = precious ] || fail "$name: a link was followed"
    if [[ $name = *%* ]]; then grep -q '100%%/r.slurm-' "$folder/outputs" || fail "sbatch would replace the %"; fi
    ! command -v shellcheck >/dev/null || shellcheck "$here/r.slurm.sh" || fail "$name: shellcheck"
done
