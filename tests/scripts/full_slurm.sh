#!/usr/bin/env bash
# A sweep on a real Slurm, by scripts/ncpbench-slurm: 8 shards, of which one is killed; the same command runs what is
# missing, and the merged file has the records of an undivided sweep, each once. The array is cut, as MaxArraySize is
# small. Skipped where Slurm is not installed, or without root, whom its daemons need.
set -euo pipefail
cd "$(dirname "$0")/../.."
for needed in slurmctld slurmd munged sbatch; do
    command -v $needed >/dev/null || { echo "skipped: no $needed (Debian's packages slurm-wlm and munge)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: Slurm's daemons need root"; exit 77; }
[ -d /sys/fs/cgroup ] || { echo "skipped: slurmd needs /sys/fs/cgroup"; exit 77; }
ncpbench=$(realpath "${BUILD:-build}")/ncpbench
export NCPBENCH=$ncpbench
submit=$PWD/scripts/ncpbench-slurm
. tests/support/cluster.sh
. tests/support/slurm.sh
folder=$(mktemp -d)
trap 'stop_slurm; rm -rf "$folder"' EXIT
say() { printf '%s: %s\n' "$(date +%T)" "$1"; }
fail() { say "$1"; tail -n 20 "$folder"/*.log; exit 1; }

make_sweep "$folder"
cd "$folder"
start_slurm "$folder/slurm" 6 || fail "Slurm does not start"
say "$problems problems, $cases cases"
"$ncpbench" sweep "$PWD/cluster.sweep" -o whole.jsonl >/dev/null 2>whole.log || fail "the undivided sweep fails"
say "the undivided sweep is done"

idle() { left=$(squeue --noheader --format %i) && [ -z "$left" ]; }
wait_until_idle() {
    for ((wait = 0; wait < 1200; ++wait)); do
        ! idle || return 0
        sleep 0.5
    done
    fail "jobs do not end"
}

"$submit" cluster.sweep -o results.jsonl --shards 8 -- --ntasks=1 >said
[ "$(grep -c '^submitted .*: shards' said)" -eq 2 ] || fail "the array was not cut: $(cat said)"
# The first shard that works is killed while it does.
kill_a_shard ""
if "$submit" cluster.sweep -o results.jsonl --shards 8 >again 2>&1; then fail "submitted twice"; fi
grep -q 'pending or running' again || fail "not told that jobs are running"
wait_until_idle
[ -s "results.$killed-of-8.jsonl.journal" ] || fail "the killed shard left no journal"
grep -qx -- "--array=$killed" results.slurm-*.log || fail "the merge does not tell that $killed is missing"
say "shard $killed was killed, the others are merged"

"$submit" cluster.sweep -o results.jsonl --shards 8 -- --ntasks=1 >said || fail "no second submission"
[ "$(grep -c '^submitted .*: shards' said)" -eq 1 ] || fail "more than shard $killed is submitted: $(cat said)"
wait_until_idle
"$submit" cluster.sweep -o results.jsonl --shards 8 >said || fail "the third call fails"
grep -q complete said || fail "not complete: $(cat said)"
same_records results.jsonl whole.jsonl "$cases"

# By hand, as the guide has it: the shards of an array that Slurm numbers from 0.
cat >by_hand.sh <<END
#!/bin/sh
$ncpbench sweep $folder/cluster.sweep -o $folder/hand.jsonl --shard auto
END
sbatch --wait --array=0-3 --output=hand-%a.log by_hand.sh >/dev/null || fail "the array by hand fails"
"$ncpbench" merge hand.*-of-4.jsonl -o hand.jsonl --spec cluster.sweep || fail "the array by hand is not complete"
same_records hand.jsonl whole.jsonl "$cases"
