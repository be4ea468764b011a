# What the parts of scripts/paper.sh share. They run in the root of the tree and append their records to $OUT.
# shellcheck shell=bash disable=SC2034 # parts use what is set here
set -euo pipefail
program=${BUILD:-build}/ncpbench
problems=data/problems
out=${OUT:?names the file of records}

# simulate SCENE OPTION...: appends its record to $out; one that breaks down is a result
simulate() { "$program" simulate "$@" -o "$out" >/dev/null 2>&1 || [ $? -eq 1 ]; }

# solve PROBLEM OPTION...: the same
solve() { "$program" solve "$@" --json >>"$out" 2>/dev/null || [ $? -eq 1 ]; }

# study STUDY OPTION...: runs a study of scripts/python/ncpbench_studies.py
study() { NCPBENCH=$program PYTHONPATH=scripts/python /usr/bin/python3 -m ncpbench_studies "$@"; }

# export_new FILE SCENE OPTION...: exports a step where the program is newer than the file
export_new() {
    local file=$problems/$1
    mkdir -p "${file%/*}"
    [ "$file" -nt "$program" ] || "$program" export "${@:2}" -o "$file" >/dev/null
}

# export_sliding: a box that slides, at three speeds
export_sliding() {
    local speed
    for speed in 0.1 1 10; do export_new "sliding/sliding_$speed.h5" sliding_box --set "speed=$speed"; done
}

# torus AROUND THROUGH: as OBJ, of twice as many triangles as points; its tube is 0.35 of the ring thick
torus() {
    awk -v n="$1" -v m="$2" 'BEGIN {
        for (i = 0; i < n; ++i) for (j = 0; j < m; ++j) {
            a = 8 * atan2(1, 1) * i / n; b = 8 * atan2(1, 1) * j / m; r = 1 + 0.35 * cos(b)
            printf "v %.9g %.9g %.9g\n", r * cos(a), r * sin(a), 0.35 * sin(b)
        }
        for (i = 0; i < n; ++i) for (j = 0; j < m; ++j) {
            p = i * m + 1; q = (i + 1) % n * m + 1; k = (j + 1) % m
            print "f", p + j, q + j, q + k; print "f", p + j, q + k, p + k
        }
    }'
}
