#!/usr/bin/env bash
# What a user of the library does: installs it, compiles the program of docs/guide/c_interface.md against it, builds the
# preconditioner of docs/guide/tutorial.md as a plugin and sweeps with it, beside plugins that misbehave.
set -euo pipefail
BUILD=${BUILD:-build}
unset MAKEFLAGS MAKELEVEL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s BUILD="$BUILD" STAGE="$work/stage" install PREFIX="$work/usr" >"$work/told"
# Its last line is all that a shell needs to find it.
(
    unset PYTHONPATH PKG_CONFIG_PATH
    eval "$(tail -1 "$work/told")"
    [ "$(command -v ncpbench)" = "$work/usr/bin/ncpbench" ]
    pkg-config --exists ncpbench
    [ -s "$PYTHONPATH/ncpbench.py" ]
)
for file in bash-completion/completions/ncpbench zsh/site-functions/_ncpbench man/man1/ncpbench-solve.1; do
    [ -s "$work/usr/share/$file" ]
done
export PKG_CONFIG_PATH=$work/usr/lib/pkgconfig
unset LD_LIBRARY_PATH # what is compiled by pkg-config starts as it is
ncpbench=$work/usr/bin/ncpbench
plugin=$work/usr/bin/ncpbench-plugin

# block PAGE: the block of C of that page of the guide
block() { sed -n '/^```c$/,/^```$/p' "docs/guide/$1.md" | sed '/^```/d'; }

# The page's program solves and judges.
block c_interface >"$work/solve.c"
# shellcheck disable=SC2046,SC2086
gcc -std=c17 -Wall -Wextra -Werror ${SANITIZE:-} -o "$work/solve" "$work/solve.c" \
    $(pkg-config --cflags --libs ncpbench)
"$ncpbench" export heavy_stack -o "$work/stack.h5" --newton-systems >/dev/null
"$work/solve" "$work/stack.h5" | tee "$work/answer"
grep -Eq 'error [0-9.]+e-1[0-9]' "$work/answer"
# With the static library it gives the same.
# shellcheck disable=SC2046,SC2086
gcc -std=c17 -Wall -Wextra -Werror ${SANITIZE:-} -o "$work/solve_static" "$work/solve.c" \
    $(pkg-config --cflags --libs --static ncpbench | sed 's/-lncpbench/-l:libncpbench.a/')
ldd "$work/solve" | grep libncpbench.so >/dev/null
! ldd "$work/solve_static" | grep libncpbench.so || exit 1
"$work/solve_static" "$work/stack.h5" | cmp - "$work/answer"
# So does a program that has the whole of it, as plugins need.
# shellcheck disable=SC2046,SC2086
gcc -std=c17 -Wall -Wextra -Werror ${SANITIZE:-} -rdynamic -o "$work/solve_whole" "$work/solve.c" \
    $(pkg-config --cflags --libs --static ncpbench |
        sed 's/-lncpbench/-Wl,--whole-archive -l:libncpbench.a -Wl,--no-whole-archive/')
"$work/solve_whole" "$work/stack.h5" | cmp - "$work/answer"
# The installed Python module finds the installed library. Not under a sanitizer, which python3 is not built with.
if [ -z "${SANITIZE:-}" ] && /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    (cd "$work" && PYTHONPATH=$work/usr/lib/python3/dist-packages /usr/bin/python3 -c '
import ncpbench, ncpbench_library
print(ncpbench_library.library._name)
print(ncpbench.solve(ncpbench.read_problem("stack.h5"), tol=1e-8).converged)') >"$work/answer"
    printf '%s\nTrue\n' "$work/usr/lib/libncpbench.so.1" | cmp - "$work/answer"
fi
refused() { # refused COMPLAINT COMMAND...
    local complaint=$1
    shift
    if "$@" >/dev/null 2>"$work/complaint"; then
        echo "not refused: $*"
        exit 1
    fi
    grep -q "$complaint" "$work/complaint"
}
refused nowhere.h5 "$work/solve" "$work/nowhere.h5"

# The tutorial's preconditioner as a plugin, under another name than the tree could have.
block tutorial >"$work/block.c"
name=$(grep -o 'NB(nb_precond_[a-z0-9_]*) = ' "$work/block.c" | sed 's/NB(nb_precond_//; s/) = //')
sed "s/nb_precond_$name)/nb_precond_mine)/; s/\.name = \"$name\"/.name = \"mine\"/" "$work/block.c" >"$work/mine.c"
CFLAGS="-O1 ${SANITIZE:-}" "$plugin" "$work/mine.c" >/dev/null
"$ncpbench" list precond --plugin "$work/mine.so" >"$work/answer"
grep -q '^  mine ' "$work/answer"
"$ncpbench" solve "$work/stack.h5" --solver newton --precond mine --plugin="$work/mine.so" --tol 1e-8 >/dev/null

# The same in C++ takes the same steps, and calls the program's functions by their names in C.
cp tests/support/cpp_rows.cpp "$work"
CFLAGS="-O1 -Wall -Wextra -Werror ${SANITIZE:-}" "$plugin" "$work/cpp_rows.cpp" >/dev/null
[ "$(nm -D "$work/cpp_rows.so" | grep -c ' U nb_fail$')" = 1 ]
for row in mine cpp_rows; do
    "$ncpbench" solve "$work/stack.h5" --solver newton --precond $row --plugin "$work/mine.so" \
        --plugin "$work/cpp_rows.so" --tol 1e-8 | grep -E '^(work|verdict)' >"$work/took_$row"
done
grep -q '^verdict *converged' "$work/took_mine"
cmp "$work/took_mine" "$work/took_cpp_rows"

# Plugins that crash, hang, return NaN, and are not symmetric: all reported, none harms the others.
misbehave() { # misbehave NAME STATEMENT
    cat >"$work/$1.c" <<END
#include <math.h>
#include "solvers/strategy.h"
static void apply(const void *self, const struct NB(nb_operator) *op, const nb_real *r, nb_real *z)
{
    (void)self;
    for (size_t i = 0; i < op->size; ++i)
        z[i] = r[i];
    $2
}
const struct NB(nb_precond) NB(nb_precond_$1) = {.name = "$1", .title = "bad", .apply = apply};
END
    CFLAGS="-O1 ${SANITIZE:-}" "$plugin" "$work/$1.c" >/dev/null
}
misbehave crashing '*(volatile int *)0 = 1;'
misbehave hanging 'for (volatile int k = 0;; k = 1) {}'
misbehave not_a_number 'z[0] = (nb_real)NAN;'
misbehave skewed 'z[0] += r[1];'
cat >"$work/bad.sweep" <<END
[sweep]
name = bad
repetitions = 5
time_limit = 1
[group all]
mode = linear_system
problem = $work/stack.h5
linear = pcr
precond = jacobi, mine, crashing, hanging, not_a_number, skewed
linear_iters = 40
END
sweep() {
    # shellcheck disable=SC2046 # an option a word
    "$ncpbench" sweep "$work/bad.sweep" -o "$work/bad.jsonl" \
        $(for p in mine crashing hanging not_a_number skewed; do echo --plugin "$work/$p.so"; done) \
        2>"$work/notes" >"$work/summary" || { cat "$work/notes"; exit 1; }
}
sweep
cat "$work/notes"
grep -q 'preconditioner crashing: .* (in [a-z0-9_]*)' "$work/notes"
grep -q 'preconditioner hanging: does not return' "$work/notes"
grep -q 'preconditioner not_a_number: .*not finite' "$work/notes"
grep -q 'preconditioner skewed: not symmetric' "$work/notes"
[ "$(grep -c 'preconditioner mine:' "$work/notes")" = 0 ]
ending() { grep "\"precond\":\"$1\"" "$work/bad.jsonl" | grep -o '"ending":"[a-z_]*"' | cut -d'"' -f4; }
[ "$(ending crashing)" = crashed ]
[ "$(ending hanging)" = timed_out ]
case $(ending not_a_number) in breakdown | diverged) ;; *) exit 1 ;; esac
[ "$(ending mine)" = "$(ending jacobi)" ]

# Tried by the installed program, from its source alone.
(cd "$work" && [ -s usr/share/ncpbench/data/problems.list ] && sed 's/^precond = .*/precond = jacobi, @/' bad.sweep >mine.sweep &&
    CFLAGS="-O1 ${SANITIZE:-}" "$ncpbench" try mine.c --on mine.sweep >tried 2>/dev/null)
grep -q '^mine, a preconditioner, is on linear systems .* jacobi\.$' "$work/tried"
[ -s "$work/try-mine/report.html" ]
(cd "$work" && CFLAGS="-O1 ${SANITIZE:-}" "$ncpbench" try cpp_rows.cpp --on mine.sweep >tried 2>/dev/null)
grep -q '^cpp_rows, a preconditioner, is on linear systems .* jacobi\.$' "$work/tried"

# Built again from another source, a plugin is measured anew, and nothing else is.
grep '"precond":"mine"' "$work/bad.jsonl" | grep -Eq '"strategies":\{[^}]*"precond":"[0-9a-f]{16}"'
sed -i 's|1 / sum|0.5 / sum|' "$work/mine.c"
CFLAGS="-O1 ${SANITIZE:-}" "$plugin" "$work/mine.c" >/dev/null
sweep
grep -q '6 cases, 1 run now, 5 reused' "$work/summary"

# The method of docs/guide/own_solver.md as a plugin; and with faults, of which none may look like a result.
block own_solver >"$work/projected_jacobi.c"
cp tests/support/faulty_solver.c "$work/faulty.c"
CFLAGS="-O1 -Wall -Wextra -Werror ${SANITIZE:-}" "$plugin" "$work/projected_jacobi.c" >/dev/null
CFLAGS="-O1 ${SANITIZE:-}" "$plugin" "$work/faulty.c" >/dev/null
"$ncpbench" export arch -o "$work/arch.h5" >/dev/null
"$ncpbench" solve "$work/arch.h5" --plugin "$work/projected_jacobi.so" --tol 0.2 \
    --solver projected_jacobi:omega=0.2 | grep '^ended *converged$'
cat >"$work/faults.sweep" <<END
[sweep]
name = faults
floors = no
[group seen]
problem = $work/arch.h5
solver = $(for fault in none early keeps silent mute deaf back another untimed changes prepares; do printf 'faulty:fault=%s,\n    ' $fault; done)projected_jacobi:omega=0.2
newton_iters = 1000
tol = 0.2
[group short]
problem = $work/arch.h5
solver = faulty:fault=beyond
newton_iters = 3
END
"$ncpbench" sweep "$work/faults.sweep" -o "$work/faults.jsonl" --plugin "$work/faulty.so" \
    --plugin "$work/projected_jacobi.so" >/dev/null
fault() { # fault NAME ENDING REASON
    grep "\"solver\":\"faulty:fault=$1\"" "$work/faults.jsonl" >"$work/record"
    grep -q "\"ending\":\"$2\",\"detail\":\"[^\"]*$3" "$work/record" || { cut -c1-1500 "$work/record"; exit 1; }
}
fault none converged ''
fault untimed converged ''
fault changes converged ''
# Each run begins with a set-up: what is done there is timed, and what one has kept is gone.
fault prepares converged ''
grep -o '"median":[0-9.e-]*' "$work/record" | awk -F: '{ exit !($2 >= 0.02) }'
fault keeps breakdown 'a timed run ends after 0 iterations with the error .*, in a timed repetition'
fault early breakdown 'a timed run ends after 0 iterations with the error .*, in a timed repetition'
fault silent breakdown 'left another iterate, .* than it reported last, at iteration 0'
fault mute breakdown 'reported no iterate'
fault deaf breakdown 'went on when it was told to stop'
fault back breakdown 'reported iteration -1 after 0'
fault another breakdown 'left another iterate'
fault beyond breakdown 'reported iteration 4 after 3, of at most 3'
code=0
"$ncpbench" solve "$work/arch.h5" --plugin "$work/faulty.so" --solver faulty:fault=mute >"$work/answer" || code=$?
[ "$code" = 1 ] # it broke down, though no tolerance was asked for
grep -q '^verdict *not usable: breakdown' "$work/answer"
grep -q '^judged *nothing' "$work/answer"
[ "$(grep -c '"median":[0-9]' "$work/faults.jsonl")" = 5 ] # nothing else has a time

# So is a linear solver's word.
cp tests/support/faulty_linear.c "$work"
CFLAGS="-O1 -Wall -Wextra -Werror ${SANITIZE:-}" "$plugin" "$work/faulty_linear.c" >/dev/null
cat >"$work/words.sweep" <<END
[sweep]
name = words
[group all]
mode = linear_system
problem = $work/stack.h5
linear = $(for fault in none lies beyond early; do printf 'faulty_linear:fault=%s,\n    ' $fault; done)pcr
linear_iters = 40
END
"$ncpbench" sweep "$work/words.sweep" -o "$work/faults.jsonl" --plugin "$work/faulty_linear.so" >/dev/null
word() { # word NAME ENDING REASON
    grep "\"linear\":\"faulty_linear:fault=$1\"" "$work/faults.jsonl" >"$work/record"
    grep -q "\"ending\":\"$2\",\"detail\":\"$3" "$work/record" || { cut -c1-1500 "$work/record"; exit 1; }
}
word none iteration_limit ''
word lies stagnated 'the solver says converged, at a residual of'
word beyond breakdown 'the solver made iteration 41 of at most 40'
word early breakdown 'a timed run ends after 0 iterations with the residual 1,'

# What is not a plugin is refused in a sentence.
refused 'nowhere.so: No such file' "$ncpbench" list --plugin "$work/nowhere.so"
echo 'int nothing;' >"$work/nothing.c"
gcc -shared -fPIC -o "$work/nothing.so" "$work/nothing.c"
refused 'nothing.so: not a plugin' "$ncpbench" list --plugin "$work/nothing.so"
misbehave incomplete ''
sed -i 's/, \.apply = apply/, .update = NULL/' "$work/incomplete.c"
CFLAGS="-O1 ${SANITIZE:-}" "$plugin" "$work/incomplete.c" >/dev/null
refused 'precond "incomplete" lacks' "$ncpbench" list --plugin "$work/incomplete.so"
sed 's/\.name = "incomplete"/.name = "in:complete"/' "$work/incomplete.c" >"$work/named.c"
sed -i 's/nb_precond_incomplete/nb_precond_named/' "$work/named.c"
CFLAGS="-O1 ${SANITIZE:-}" "$plugin" "$work/named.c" >/dev/null
refused 'not of letters' "$ncpbench" list --plugin "$work/named.so"
for bytes in 30 100 4000; do
    head -c $bytes "$work/mine.so" >"$work/cut.so"
    refused 'cut.so: ' "$ncpbench" list --plugin "$work/cut.so"
done
refused 'shared object NAME.so' "$ncpbench" list --plugin "$work/mine.c"
# Built for another layout, of what only nonlinear methods read: last, as it edits the installed header.
sed -i 's/int nodes, blocks, /int added, nodes, blocks, /' "$work/usr/include/ncpbench/solvers/model/model.h"
CFLAGS="-O1 ${SANITIZE:-}" "$plugin" "$work/projected_jacobi.c" >/dev/null
refused 'compiled for another version' "$ncpbench" list --plugin "$work/projected_jacobi.so"
