#!/usr/bin/env bash
# make lint: what a machine can say of the code's form. Says where, and ends with 1, where something is not as it
# should be: the layout of the tree, the length of files and lines, stray blanks, words that we do not use, scripts
# (where shellcheck is installed) and, of the C lines that differ from BASE, .clang-format (where it is installed).
# BASE is origin/main where there is one, else HEAD.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0

# report WHAT: the lines of stdin are where it is so
report() {
    local found
    found=$(cat)
    [ -n "$found" ] || return 0
    printf '%s\n' "$found" | while read -r line; do echo "lint: $line: $1"; done >&2
    failed=1
}

tracked() { git ls-files --cached --others --exclude-standard "$@" | while read -r f; do [ -f "$f" ] && echo "$f"; done; }
sources=$(tracked '*.c' '*.h' '*.cu' '*.cuh' '*.cpp')
scripts=$(tracked '*.sh' scripts/ncpbench-plugin)
python=$(tracked '*.py')
pages=$(tracked '*.md' '*.gp' '*.py' | grep -v '^CHANGELOG')

tests/scripts/test_layout.sh || failed=1
report "more than 600 lines" < <(wc -l $sources $python | awk '$1 > 600 && $2 != "total" { print $2 }')
report "more than 120 characters" < <(awk 'length($0) > 120 { print FILENAME ":" FNR }' $sources)
report "blanks at the end" < <(grep -nE '[[:blank:]]+$' $sources $scripts | cut -d: -f1,2)
# The reader goes before the writer has written all, and pipefail takes the writer's death for a failure, now and then.
report "pipefail, and a pipe into head or grep -q" < <(grep -lr pipefail scripts |
    xargs grep -nE '[^|]\|[[:blank:]]*(head|grep -[a-zA-Z]*q)' | grep -v ': *#' | cut -d: -f1,2)
report "a tab" < <(grep -n "$(printf '\t')" $sources | cut -d: -f1,2)

# Words of our own for what the field has a word for: docs/theory/notation.md and the standard literature have it.
words='design section|cone_path|nb_cone|nb_engine|nb_parts|sweep_watch|proximal_start'
report "a word of our own (scripts/lint.sh)" < <(grep -nwE "$words" $sources $pages | grep -v '^scripts/lint.sh' | cut -d: -f1,2)

if command -v shellcheck >/dev/null; then
    shellcheck -S warning $scripts >&2 || failed=1
fi
base=${BASE:-$(git rev-parse -q --verify origin/main >/dev/null && echo origin/main || echo HEAD)}
if command -v git-clang-format >/dev/null && changes=$(git merge-base "$base" HEAD 2>/dev/null); then
    style=$(git clang-format --diff --extensions c,h "$changes" 2>&1)
    case $style in
    *'no modified files'* | *'did not modify'*) ;;
    *) printf '%s\nlint: the above is what .clang-format would change (git clang-format %s)\n' "$style" "$base" >&2 ;;
    esac
fi
exit $failed
