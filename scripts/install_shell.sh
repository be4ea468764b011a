#!/usr/bin/env bash
# install_shell.sh NCPBENCH SHARE: the manual pages of all commands, and completion for bash and zsh, below SHARE.
set -euo pipefail
ncpbench=$1 share=$2
install -d "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/site-functions"
"$ncpbench" completion bash >"$share/bash-completion/completions/ncpbench"
"$ncpbench" completion zsh >"$share/zsh/site-functions/_ncpbench"
"$ncpbench" man >"$share/man/man1/ncpbench.1"
for command in $("$ncpbench" help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    "$ncpbench" man "$command" >"$share/man/man1/ncpbench-$command.1"
done

# The scripts' pages are their heads.
for name in ncpbench-plugin ncpbench-slurm ncpbench-parallel; do
    head=$(sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$(dirname "$0")/$name" | sed 's/\\/\\e/g; s/-/\\-/g; s/^[.'\'']/\\\&&/')
    summary=$(head -n 1 <<<"$head" | sed 's/[.:]\( .*\)\{0,1\}$//')
    printf '.TH "%s" 1 "" "%s" "ncpbench manual"\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n%s\n.fi\n' \
        "${name^^}" "$("$ncpbench" --version | sed -n 1p)" "${name//-/\\-}" "$summary" "$head" >"$share/man/man1/$name.1"
done
