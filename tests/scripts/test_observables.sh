#!/usr/bin/env bash
# Each entry of a simulation's trace is of one moment: the observable of the state that the step ends in, beside its
# time and its energies, against what the scheme gives exactly. Skipped without python3.
set -euo pipefail
cd "$(dirname "$0")/../.."
ncpbench=$(realpath "${BUILD:-build}")/ncpbench
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run() { "$ncpbench" simulate "$@" --json >"$folder/$1.json"; }
run sliding_box --steps 20 --set speed=2 --set friction=0.3 --set mass=10
run incline --steps 20 --set angle=30 --set friction=0.2
run ball_drop --steps 5
run box_on_plane --steps 5
cd "$folder"
python3 - <<'END'
import json
from math import cos, radians, sin, sqrt


def trace(scene):
    record = json.load(open(scene + ".json"))
    return record["trace"], record["settings"]


def check(what, found, expected, tolerance=1e-6):
    assert abs(found - expected) < tolerance, f"{what}: {found} instead of {expected}"


t, _ = trace("sliding_box")
for time, speed, energy in zip(t["time"], t["observable"], t["kinetic_energy"]):
    check("sliding_box", speed, 2 - 0.3 * 9.81 * time)
    check("sliding_box, by its energy", speed, sqrt(2 * energy / 10))
t, _ = trace("incline")
for time, speed in zip(t["time"], t["observable"]):
    check("incline", speed, 9.81 * (sin(radians(30)) - 0.2 * cos(radians(30))) * time)
t, _ = trace("ball_drop")
for time, velocity in zip(t["time"], t["observable"]):
    check("ball_drop", velocity, -9.81 * time)
t, _ = trace("box_on_plane")
check("box_on_plane", t["observable"][-1], t["observable"][0], 1e-4)
END
