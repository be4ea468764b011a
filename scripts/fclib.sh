#!/usr/bin/env bash
# Lays FCLIB's problems down where the sweeps look for them, data/problems/fclib:
#
#     scripts/fclib.sh [FOLDER]       without one $FCLIB or ../shared/fclib
#
# Of each name in data/fclib.list it looks for the file whose SHA-256 stands there, in FOLDER and below, and links it.
# One line says what is there now; ends with 1 where one is missing. docs/guide/fclib.md says where they come from.
set -euo pipefail
from=$(realpath -m "${1:-${FCLIB:-$(dirname "$0")/../../shared/fclib}}")
cd "$(dirname "$0")/.."
to=data/problems/fclib

# holds FILE SUM: it is there, with that content
holds() { [ -f "$1" ] && [ "$(sha256sum <"$1")" = "$2  -" ]; }

# link SUM NAME: unless it is there
link() {
    local file other=
    ! holds "$to/$2" "$1" || return 0
    while IFS= read -r -d '' file; do
        if holds "$file" "$1"; then
            mkdir -p "$to"
            ln -sfn "$file" "$to/$2"
            return 0
        fi
        other=$file
    done < <(find -L "$from" -type f -name "$2" -print0 2>/dev/null | sort -z)
    [ -z "$other" ] || echo "fclib: $other has another content than $2 in data/fclib.list" >&2
    return 1
}

count=0
missing=()
while read -r sum name; do
    case $sum in '' | '#'*) continue ;; esac
    count=$((count + 1))
    link "$sum" "$name" || missing+=("$name")
done <data/fclib.list
if [ ${#missing[@]} -eq 0 ]; then
    echo "fclib: all $count problems are in $to"
elif [ ${#missing[@]} -eq $count ]; then
    echo "fclib: optional, none of its $count problems is in $from (docs/guide/fclib.md)"
else
    echo "fclib: optional, of $count problems ${#missing[@]} are missing in $from: ${missing[*]} (docs/guide/fclib.md)"
fi
[ ${#missing[@]} -eq 0 ]
