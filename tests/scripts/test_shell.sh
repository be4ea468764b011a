#!/usr/bin/env bash
# Completion and manual pages as they are installed: completion in this bash, and in zsh where it is there; the pages by
# groff and mandoc where these are.
set -euo pipefail
BUILD=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/install_shell.sh "$BUILD/ncpbench" "$work"
commands=$("$BUILD/ncpbench" help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
fail() {
    echo "$*" >&2
    exit 1
}

# complete WORD... : what the last word may become
# shellcheck source=/dev/null
source "$work/bash-completion/completions/ncpbench"
complete_words() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _ncpbench 2>/dev/null || true # compopt is for a shell that asks
    echo "${COMPREPLY[*]-}"
}
# names KIND BEGINNING: what the program itself lists, in a line
names() { "$BUILD/ncpbench" list "$1" | sed -n "s/^  \($2[a-z0-9_]*\) .*/\1/p" | xargs; }
# expect WORDS COMPLETION...
expect() {
    local found
    # shellcheck disable=SC2086
    found=$(complete_words $1 "${@:3}")
    [[ $found == "$2" ]] || fail "ncpbench completes '$1 ${*:3}' to '$found', not to '$2'"
}
[[ "$(names ncp '')" == *' '* ]] || fail 'the program lists no two NCP functions'
expect 'ncpbench sol' solve
expect 'ncpbench com' 'compare completion'
expect 'ncpbench solve --newton-i' --newton-iters
expect 'ncpbench solve f.h5 --precision f32' "$(names precision f32)"
expect 'ncpbench solve --precision = f6' "$(names precision f6)"
expect 'ncpbench solve --ncp =' "$(names ncp '')"
expect 'ncpbench solve --output x' ''
expect 'ncpbench solve -o x' ''
expect 'ncpbench solve f' ''
expect 'ncpbench export arc' arch
expect 'ncpbench export arch --set fric' friction=
expect 'ncpbench simulate arch --set friction = 0' ''
expect 'ncpbench list pre' 'precond precision'
expect 'ncpbench plot figure17' figure17
expect 'ncpbench help swe' sweep
expect 'ncpbench man swe' sweep
expect 'ncpbench completion z' zsh
for command in $commands; do
    expect "ncpbench $command --hel" --help
    [[ " $(complete_words ncpbench '') " == *" $command "* ]] || fail "$command is not completed"
    options=$("$BUILD/ncpbench" "$command" --help | sed -n 's/^  \(-., \)\{0,1\}--\([a-z-]*\).*/--\2/p')
    for option in $options; do
        [[ " $(complete_words ncpbench "$command" --) " == *" $option "* ]] || fail "$command $option is not completed"
        grep -qF -- "$option" <(sed 's/\\-/-/g' "$work/man/man1/ncpbench-$command.1") ||
            fail "the page of $command has no $option"
    done
done

if command -v zsh >/dev/null; then
    zsh -n "$work/zsh/site-functions/_ncpbench"
    found=$(zsh -fc "compdef() { :; }; source '$work/zsh/site-functions/_ncpbench'; _ncpbench_words solve --ncp f")
    [[ $found == "$(names ncp '')" ]] || fail "zsh completes --ncp to '$found'"
fi

for page in "$work"/man/man1/*.1; do
    if command -v groff >/dev/null; then
        complaints=$(groff -man -ww -z -Tutf8 -k "$page" 2>&1)
        [[ -z $complaints ]] || fail "$complaints"
    fi
    if command -v mandoc >/dev/null; then
        complaints=$(mandoc -Tlint -Wwarning "$page" 2>&1 | grep -v 'missing date' || true)
        [[ -z $complaints ]] || fail "$complaints"
    fi
done
[[ $(find "$work/man/man1" -name '*.1' | wc -l) == $(($(wc -w <<<"$commands") + 4)) ]] || fail 'not one page a command and script'
grep -q 'Solves one step' "$work/man/man1/ncpbench-solve.1"
