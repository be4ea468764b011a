#!/usr/bin/env bash
# scripts/gpu_figures.py on made-up records, which exist for the length of this test only: what it prints of
# them follows from simple numbers. Skipped without python3; figures are drawn only where gnuplot is.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "test_gpu_figures: $1" >&2
    exit 1
}

# One core takes 1 us a contact and the device 0.1 ms: they cross at 100 contacts. An iteration takes 2 us,
# and the copy moves twice as much as an iteration must.
python3 - "$folder" <<'END'
import json, sys
folder = sys.argv[1]

def case(problem, mode, seconds, **given):
    settings = {"problem": problem, "mode": mode, "precision": "f64", "solver": None, "linear": None,
                "threads": 1, "operator": "assembled", "newton_iters": 6, "linear_iters": 20}
    settings.update({k: v for k, v in given.items() if k in settings})
    return {"kind": "case", "key": repr((problem, mode, sorted(given.items()))), "settings": settings,
            "times": {"median": seconds}, "counts": given.get("counts", {"newton": 4, "linear": 40}),
            "sizes": given.get("sizes", {}), "errors": given.get("errors", {})}

records = []
for contacts in (10, 1000):
    name, sizes = "stacks_%d" % contacts, {"contacts": contacts}
    records.append(case(name, "step", contacts * 1e-6, solver="newton", linear="pcr", sizes=sizes))
    records.append(case(name, "step", 1e-4, solver="cuda_newton", linear="pcr", sizes=sizes))
    records.append(case(name, "step", contacts * 6e-7, solver="newton", linear="pcr", threads=2, sizes=sizes))
    for linear in ("cuda_pcr", "cuda_pcr:by=library"):
        records.append(case(name, "step", 2e-4, solver="newton", linear=linear, sizes=sizes))
records.append(case("arch_step", "step", 1e-4, solver="cuda_newton:by=block", linear="pcr",
                    sizes={"contacts": 126}))
records.append(case("arch_step", "step", 2e-4, solver="cuda_newton", linear="pcr", operator="factored",
                    sizes={"contacts": 126}))
records.append(case("arch_step", "step", 5e-5, solver="cuda_newton:storage=f16:by=grid", linear="pcr",
                    sizes={"contacts": 126}))
records.append(case("arch_step", "step", 1e-9, solver="cuda_newton", linear="pcr", newton_iters=1,
                    sizes={"contacts": 126}))
records.append(case("silo_64k", "step", 1e-2, solver="cuda_newton", linear="pcr",
                    sizes={"contacts": 3}, errors={"step_error": 0.125, "penetration": 0.25}))
for linear in ("jacobi", "gauss_seidel:tol=1e-3"):
    records.append(case("arch_step", "step", 1e-9, solver="cuda_newton:by=block", linear=linear,
                        sizes={"contacts": 126}, errors={"step_error": 0.5}))
rows, blocks = 3000, 10000
moved = blocks * 76 + rows / 3 * (4 + 16 * 24)
for count in (50, 250):
    records.append(case("silo_64k", "linear_system", 1e-3 + count * 2e-6, linear="cuda_pcr",
                        counts={"newton": 0, "linear": count}, errors={"residual": 0.5},
                        sizes={"rows": rows, "entries": 9 * blocks, "contacts": 1000}))
with open(folder + "/made_up.jsonl", "w") as out:
    out.writelines(json.dumps(one) + "\n" for one in records)
with open(folder + "/copy.json", "w") as out:
    json.dump({"device": "none", "copy": 2 * moved / 2e-6}, out)
END
scripts/gpu_figures.py "$folder/made_up.jsonl" "$folder/missing.jsonl" -o "$folder/figures" \
    --copy "$folder/copy.json" >"$folder/said"

said() {
    grep -qE "$1" "$folder/said" || { cat "$folder/said" >&2; fail "does not say: $1"; }
}
said '^  at 100 contacts$'
said 'Arch +6 x 20 +7\.90 +f64 whole step, block +0\.1000 +79\.0 times'
said 'arch_step +f64 +126 contacts: whole step, block 0\.1, whole step, by factors 0\.2, whole step, grid, storage=f16 0\.05$'
said 'arch_step +f64 jacobi +whole step, block +1e-06 +5\.000e-01$'
said 'arch_step +f64 gauss_seidel +whole step, block +1e-06 +5\.000e-01$'
said 'silo_64k +f64 persistent +1\.148 +2\.0 +50\.0 % +5\.000e-01 after 250'
said 'silo_64k +f64 whole step +4 x 10 +10\.00 +1\.250e-01 +2\.500e-01 m'
for curve in 'CPU, 1 core' 'CPU, 2 cores' library persistent 'whole step'; do
    grep -qx "# $curve" "$folder/figures/gpu_size.dat" || fail "gpu_size lacks: $curve"
done
for figure in gpu_size gpu_bandwidth gpu_roofline; do
    [ -s "$folder/figures/$figure.pdf" ] && [ -s "$folder/figures/$figure.png" ] || fail "no $figure"
done

# Without gnuplot, as on a machine that has little but a card, the tables all the same.
python=$(python3 -c 'import sys; print(sys.executable)')
PATH=$folder "$python" scripts/gpu_figures.py "$folder/made_up.jsonl" -o "$folder/none" >"$folder/said"
said '^  at 100 contacts$'
said 'figures need gnuplot'
