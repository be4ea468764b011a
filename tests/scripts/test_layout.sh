#!/usr/bin/env bash
# The tree goes one way, harness -> solvers -> problems: no include runs upward. And nobody has to search a
# folder of more than 45 files.
set -eu
cd "$(dirname "$0")/../.."
failed=0

# forbid FOLDER PATTERN: no file of the folder includes a header that matches
forbid() {
    if grep -rnE "^#include \"($2)/" "$1" --include='*.c' --include='*.h' --include='*.cu' --include='*.cuh'; then
        echo "$1 includes what stands above it ($2)" >&2
        failed=1
    fi
}
forbid problems 'solvers|harness|tests'
forbid solvers 'harness|tests'
forbid harness 'tests'
forbid harness/judge 'solvers' # no solver shares the judge's code, nor the judge a solver's
for below in records claims collection report sweep simulate figures judge floor case; do
    forbid "harness/$below" 'harness/cli'
done
for below in records simulate judge floor; do
    forbid "harness/$below" 'harness/case'
done

# Where there is no repository, as in an unpacked archive, all files count that are no build's.
files=$(git ls-files 2>/dev/null || find solvers problems harness tests plots scripts data docs -type f)
crowded=$(printf '%s\n' "$files" | sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 45 { print $2 " holds " $1 " files" }')
[ -z "$crowded" ] || { echo "$crowded, more than 45" >&2; failed=1; }
exit $failed
