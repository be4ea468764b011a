#!/usr/bin/env bash
# Table 1 of Todorov 2010 beside this program's, as Markdown: iterations a time step, and the share of
# iterations that took the Newton point.
#
#     [BUILD=build] [SOLVER=implicit_complementarity] scripts/implicit_table.sh [RUNS]
#
# RUNS runs of 200 steps for each of the 12 conditions; 3 without an argument, 10 in the paper. Sizes,
# speeds and the cube's side are not printed: those of the scene balls_in_cube are used. A step counts as
# solved where the natural map reaches 1e-8 within 100 iterations; without that the method ended in a
# local minimum, and the run goes on from there, as in the paper.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
solver=${SOLVER:-implicit_complementarity}
runs=${1:-3}
case $runs in
'' | *[!0-9]* | 0*) echo "implicit_table.sh: RUNS is \"$runs\"; allowed: 1, 2, ..." >&2; exit 2 ;;
esac

# row MU BALLS CONTACTS ITERATIONS SHARE: one condition, with what the paper prints
row() {
    "$program" iterations balls_in_cube --runs "$runs" --steps 200 --linearized --tol 1e-8 \
        --solver "$solver" --newton-iters 100 --set "friction=$1" --set "count=$2" |
        awk -v mu="$1" -v balls="$2" -v contacts="$3" -v iterations="$4" -v share="$5" '
            { last = $0 }
            END { split(last, f); printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
                  mu, balls, contacts, f[2], iterations, f[3], share, f[4], f[5] }'
}

echo "| μ | balls | contacts, printed | here | iterations, printed | here | Newton points [%], printed | here | solved [%] |"
echo "|---|---|---|---|---|---|---|---|---|"
row 0.1 5 7 3.8 99
row 0.1 10 16 4.8 98
row 0.1 15 27 6.5 90
row 0.5 5 7 2.6 95
row 0.5 10 16 5.3 85
row 0.5 15 27 7.5 73
row 1.0 5 7 2.8 90
row 1.0 10 16 4.9 71
row 1.0 15 27 10.2 60
row 2.0 5 7 2.9 88
row 2.0 10 16 4.6 71
row 2.0 15 27 16.2 55
