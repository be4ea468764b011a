#!/usr/bin/env bash
# A sweep over two hosts by GNU parallel and ssh, scripts/ncpbench-parallel: both are this machine, by an ssh server of
# the test's own on the loopback address. A shard is killed, the same command runs what is missing, and the merged file
# has the records of an undivided sweep, each once. Skipped where GNU parallel or an ssh server is not installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
sshd=$(command -v sshd /usr/sbin/sshd | head -n 1) || true
for needed in parallel ssh ssh-keygen "${sshd:-sshd}"; do
    command -v "$needed" >/dev/null || { echo "skipped: no $needed (Debian's packages parallel, openssh-server)"; exit 77; }
done
parallel --version 2>/dev/null | grep -q 'GNU parallel' || { echo "skipped: parallel is not GNU parallel"; exit 77; }
ncpbench=$(realpath "${BUILD:-build}")/ncpbench
export NCPBENCH=$ncpbench
run=$PWD/scripts/ncpbench-parallel
. tests/support/cluster.sh
folder=$(mktemp -d)
trap '[ ! -e "$folder/sshd.pid" ] || kill "$(cat "$folder/sshd.pid")"; rm -rf "$folder"' EXIT
say() { printf '%s: %s\n' "$(date +%T)" "$1"; }
fail() { say "$1"; tail -n 20 "$folder"/*.log; exit 1; }

# Keys, server and client of this test alone.
start_server() {
    ssh-keygen -q -t ed25519 -N '' -f "$folder/host_key"
    ssh-keygen -q -t ed25519 -N '' -f "$folder/key"
    cp "$folder/key.pub" "$folder/authorized_keys"
    chmod 600 "$folder/authorized_keys"
    [ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
    "$sshd" -f /dev/null -p 26022 -o ListenAddress=127.0.0.1 -h "$folder/host_key" -o PidFile="$folder/sshd.pid" \
        -o AuthorizedKeysFile="$folder/authorized_keys" -o StrictModes=no -o PasswordAuthentication=no \
        -E "$folder/sshd.log"
    cat >"$folder/ssh" <<END
#!/bin/sh
exec ssh -F /dev/null -p 26022 -i $folder/key -o BatchMode=yes -o StrictHostKeyChecking=no \
    -o UserKnownHostsFile=$folder/known_hosts -o LogLevel=ERROR "\$@"
END
    chmod +x "$folder/ssh"
    export PARALLEL_SSH=$folder/ssh
    for ((wait = 0; wait < 40; ++wait)); do
        ! "$folder/ssh" 127.0.0.1 true 2>/dev/null || return 0
        sleep 0.25
    done
    "$folder/ssh" 127.0.0.1 true
}

# The hosts compute as this shell is told to: an old processor's kernels, which none of them would take by itself.
export OPENBLAS_CORETYPE=Nehalem
make_sweep "$folder"
cd "$folder"
start_server || { echo "skipped: no login over ssh to 127.0.0.1"; exit 77; }
say "$problems problems, $cases cases"
"$ncpbench" sweep "$PWD/cluster.sweep" -o whole.jsonl >/dev/null 2>whole.log || fail "the undivided sweep fails"
say "the undivided sweep is done"

status=0
"$run" cluster.sweep -o results.jsonl --hosts 127.0.0.1,localhost >said 2>run.log &
sweep=$!
kill_a_shard "^$ncpbench .*"
wait $sweep || status=$?
[ $status -eq 1 ] || fail "exit code $status instead of 1"
grep -qx -- "--array=$killed" said || fail "not told that $killed is missing: $(cat said)"
say "shard $killed was killed, the others are merged"

"$run" cluster.sweep -o results.jsonl --hosts 127.0.0.1,localhost >said 2>run.log || fail "the second call fails"
same_records results.jsonl whole.jsonl "$cases"
[ "$(grep -c '"blas":"OpenBLAS [^"]* Nehalem ' results.jsonl)" -eq "$(wc -l <results.jsonl)" ] ||
    fail "OPENBLAS_CORETYPE did not reach the hosts"

# A shard that another process holds, as one whose connection broke, is named, and done once it is free.
rm results.jsonl results.2-of-8.jsonl
python3 -c 'import fcntl, signal
with open("results.2-of-8.jsonl", "a") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    print("locked", flush=True)
    signal.pause()' >held &
holder=$!
until [ -s held ]; do sleep 0.1; done
status=0
"$run" cluster.sweep -o results.jsonl --hosts 127.0.0.1,localhost >said 2>run.log || status=$?
[ $status -eq 1 ] || fail "exit code $status of a held shard, instead of 1"
grep -q '^ncpbench-parallel: shard 2 is still running' run.log || fail "not told that shard 2 is held"
kill $holder
"$run" cluster.sweep -o results.jsonl --hosts 127.0.0.1,localhost >said 2>run.log || fail "the call after it fails"
same_records results.jsonl whole.jsonl "$cases"
