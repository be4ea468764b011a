#!/usr/bin/env bash
# How the export of granular_silo grows with the number of grains: time, peak memory and size of the
# file, and the exponent p of each from row to row, growth = (ratio of the grains)^p. As Markdown.
#
#     BUILD=build STEP=0 scripts/silo_scaling.sh [COUNT...]     default: 1000 4000 16000 64000 256000
#
# STEP > 0 simulates before, with the options in OPTIONS. 64000 grains need 8 GiB at most and 256000
# need 20 GiB: a larger peak fails.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${BUILD:-build}/ncpbench")
counts=("$@")
[ $# -gt 0 ] || counts=(1000 4000 16000 64000 256000)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# measure COUNT: "count contacts seconds MiB MB"; the peak is that of the child process
measure() {
    python3 - "$program" "$folder/silo.h5" "$1" "${STEP:-0}" ${OPTIONS:-} <<'END'
import os, resource, subprocess, sys, time
program, path, count, step = sys.argv[1:5]
start = time.monotonic()
out = subprocess.run([program, "export", "granular_silo", "-o", path, "--step", step,
                      "--set", "count=" + count] + sys.argv[5:], capture_output=True, text=True)
seconds = time.monotonic() - start
if out.returncode:
    sys.exit("silo_scaling: %s grains: %s" % (count, out.stderr.strip() or out.stdout.strip()))
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
contacts = out.stdout.split(" contacts")[0].split()[-1]
print(count, contacts, "%.2f" % seconds, "%.0f" % peak, "%.2f" % (os.path.getsize(path) / 1e6))
END
    rm -f "$folder/silo.h5"
}

echo "| grains | contacts | time [s] | p | peak memory [MiB] | p | file [MB] | p |"
echo "|---|---|---|---|---|---|---|---|"
for count in "${counts[@]}"; do
    measure "$count" >"$folder/row"
    cat "$folder/row" >>"$folder/rows"
    tail -n 2 "$folder/rows" | awk '
        function exponent(now, before) {
            return NR > 1 && before > 0 && now > 0 ? sprintf("%.2f", log(now / before) / grown) : ""
        }
        { if (NR > 1) grown = log($1 / count); if (NR > 1 && grown == 0) grown = 1
          row = sprintf("| %d | %d | %s | %s | %s | %s | %s | %s |", $1, $2, $3, exponent($3, time),
                        $4, exponent($4, peak), $5, exponent($5, size))
          count = $1; time = $3; peak = $4; size = $5 }
        END { print row }'
    awk '{ exit ($1 <= 64000 && $4 > 8192) || ($1 <= 256000 && $4 > 20480) }' "$folder/row" ||
        { echo "silo_scaling: $count grains need too much memory" >&2; exit 1; }
done
