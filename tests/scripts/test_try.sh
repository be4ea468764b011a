#!/usr/bin/env bash
# ncpbench try, as a user meets it: a preconditioner that is better, one that is not definite, one that crashes, one
# that hangs, one in C++, a file that does not compile. On one small problem, so that it is quick; times are not judged.
set -euo pipefail
BUILD=${BUILD:-build}
root=$PWD
program=$PWD/$BUILD/ncpbench
plugin=$PWD/scripts/ncpbench-plugin

[ -z "${SANITIZE:-}" ] || { echo "plugins are built without the sanitizer"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp solvers/precond/jacobi.c "$folder/exact_diagonal.c"
sed -i 's/nb_precond_jacobi/nb_precond_exact_diagonal/; s/"jacobi"/"exact_diagonal"/' "$folder/exact_diagonal.c"
cd "$folder"


# define NAME STATEMENT [SUFFIX]: a preconditioner that applies the statement
define() {
    cat >"$1.${3:-c}" <<END
#include "solvers/strategy.h"
static void apply(const void *self, const struct NB(nb_operator) *op, const nb_real *r, nb_real *z)
{
    (void)self;
    for (size_t i = 0; i < op->size; ++i)
        $2;
}
${4:-} const struct NB(nb_precond) NB(nb_precond_$1) = {.name = "$1", .title = "$1", .source = "test", .apply = apply};
END
}
define indefinite 'z[i] = i % 7 ? r[i] : -r[i]'
define crasher '*(volatile int *)8 = (int)(r[i] + z[i])'
define endless 'for (;;) *(volatile nb_real *)&z[i] = r[i]'
define written_in_cpp 'z[i] = r[i] / op->diagonal[i]' cpp 'extern "C"'
echo 'int x = ;' >broken.c

"$program" export heavy_stack -o heavy_stack.h5 --newton-systems
cat >mine.sweep <<'END'
[sweep]
name = mine
repetitions = 5
time_limit = 20

[group systems]
mode = linear_system
problem = heavy_stack.h5
system = 2, 3
linear = pcr:tol=1e-8
precond = jacobi, none, @
linear_iters = 500
END
sed 's/system = 2, 3/system = 2/' mine.sweep >one.sweep

try() { # FILE [CODE]: 1 where the trial finds it at fault
    local code=0
    NO_COLOR=1 "$program" try "$1" --on mine.sweep >said 2>log || code=$?
    [ $code -eq "${2:-0}" ] || { cat said log >&2; false; }
}

for name in exact_diagonal.c written_in_cpp.cpp; do
    try $name
    grep -q "^${name%.*}, a preconditioner, is on linear systems " said
    grep -q '^Tried on a small system, it is finite, linear, symmetric and positive definite' said
    grep -Eq '^jacobi +systems +2 ' said
    [ "$(wc -l <said)" -le 15 ]
    [ -s "try-${name%.*}/report.html" ] && [ -s "try-${name%.*}/report.md" ]
    grep -q '"probe":"fine"' "try-${name%.*}/records.jsonl"
done

try indefinite.c 1
grep -q 'at fault: not positive definite' said
grep -q '"probe":"not positive definite' try-indefinite/records.jsonl

# What is wrong only where the problem's own system is: entries that are not written, beside z, in r, a row and column.
define unwritten 'if (op->size == 75 || i < 50) z[i] = r[i] / op->diagonal[i]'
define beyond 'z[i] = r[i] / op->diagonal[i], z[op->size == 75 ? 0 : op->size] = r[0] / op->diagonal[0]'
define changing 'z[i] = r[i] / op->diagonal[i], ((nb_real *)r)[i] *= op->size == 75 ? 1 : 2'
define lopsided 'z[i] = (r[i] + (i == 40 && op->size != 75 ? 9 * r[12] : 0)) / op->diagonal[i]'
for fault in 'unwritten z\[50\] of 60 is not written' 'beyond z\[60\] is written, beside the 60' \
    'changing r\[0\] is changed' 'lopsided not symmetric.* in row 40, column 12'; do
    try "${fault%% *}.c" 1
    grep -q "positive definite; on system [23] of heavy_stack, it is at fault: ${fault#* }" said || { cat said; false; }
done

# A copy of one entry too many, of a NaN over a NaN.
define copying 'z[i] = r[i]; if (1) z[op->size] = r[op->size]'
try copying.c 1
grep -q 'at fault: z\[75\] is written, beside the 75' said
grep -q 'ncpbench-plugin copying.c -fsanitize=address' said
# So built, it is stopped at its line, by a sanitizer that the program is started again with.
if [ -z "${SANITIZE:-}" ] && "$plugin" copying.c -g -fsanitize=address >/dev/null 2>&1; then
    try ./copying.so 1
    grep -q 'at fault: exit status 1' said
    grep -q 'AddressSanitizer says at which line in .*copying.so.asan.PROCESS' said
    grep -q 'AddressSanitizer: use-after-poison' copying.so.asan.*
    grep -q 'in apply .*copying.c:' copying.so.asan.*
fi

try crasher.c 1
grep -q 'at fault: killed by SIGSEGV' said
grep -q 'worse than jacobi; worse than none' said
grep -q 'It fails on heavy_stack' said

# One that hangs has its time once for all cases; records of another spec in the same folder do not count.
NO_COLOR=1 "$program" try endless.c --on mine.sweep --time-limit 0.5 >said 2>log && false
grep -q 'at fault: does not return within' said
grep -q '^Its time of 0.5 s was over before 1 of its cases' said

# One that is too slow for its first repetitions, and one that stops the process above it: a verdict and a report.
define sluggish 'z[i] = (i ? 0 : 0 * usleep(5000)) + r[i] / op->diagonal[i]'
define stopper 'z[i] = (i ? 0 : 0 * kill(getppid(), 19)) + r[i] / op->diagonal[i]'
sed -i '1i #define _DEFAULT_SOURCE\n#include <signal.h>\n#include <unistd.h>' sluggish.c stopper.c
NO_COLOR=1 "$program" try sluggish.c --on one.sweep --time-limit 0.1 >said 2>log || [ $? -eq 1 ] # as its trial had time
grep -q '^sluggish, a preconditioner, is ' said
grep -q '^Its time of 0.1 s was over before' said || { cat said log; false; }
[ -s try-sluggish/report.html ] && [ -s try-sluggish/report.md ]
NO_COLOR=1 timeout 300 "$program" try stopper.c --on mine.sweep --time-limit 10 >said 2>log || [ $? -eq 1 ]
grep -q '^stopper, a preconditioner, is ' said
# One that hangs later, in the next process that has a system of the sweep, is named; one that is too slow for its
# repetitions is judged by those that it has.
cat >late.c <<'END'
#include <fcntl.h>
#include <unistd.h>
#include "solvers/strategy.h"
static void apply(const void *self, const struct nb_operator *op, const nb_real *r, nb_real *z)
{
    static int first = 1;
    (void)self;
    if (first && op->size == 60 && open("late-was-here", O_CREAT | O_EXCL, 0600) < 0)
        for (;;)
            pause();
    first = 0;
    for (size_t i = 0; i < op->size; ++i)
        z[i] = r[i] / op->diagonal[i];
}
const struct nb_precond NB(nb_precond_late) = {.name = "late", .title = "late", .source = "test", .apply = apply};
END
define slow 'z[i] = (i ? 0 : 0 * usleep(100000)) + r[i] / op->diagonal[i]'
sed -i '1i #define _DEFAULT_SOURCE\n#include <unistd.h>' slow.c
for name in late slow; do
    NO_COLOR=1 "$program" try $name.c --on one.sweep --time-limit 2 >said 2>log || [ $? -eq 1 ]
    [ -s "try-$name/report.html" ]
done
grep -q '^Its time of 2 s was over before 1 of its cases' said
grep -q '"ending":"timed_out"' try-late/records.jsonl
grep -q 'in a timed repetition' try-late/records.jsonl
sed -i 's/system = 2, 3/system = 4/' mine.sweep
try exact_diagonal.c
grep -Eq '^jacobi +systems +1 ' said

# Compiled in, against others of one's own choice; an unknown one, a file that is wrong, a spec without the axis.
"$program" try precond=ssor --on mine.sweep --against jacobi >said 2>log
grep -q '^ssor, a preconditioner, is on linear systems .*jacobi\.$' said

# What the strategy itself decides need not agree: no preconditioner with a direct solver, a method's own iterations.
other() { # NAME LINES...: a spec
    printf '%s\n' '[sweep]' 'name = other' 'time_limit = 20' 'floors = no' '[group a]' 'problem = heavy_stack.h5' \
        "${@:2}" >"$1.sweep"
}
other linear 'mode = linear_system' 'linear = cholesky, @' 'precond = jacobi'
other solver 'solver = proximal_newton, @' 'tol = 1e-4'
for strategy in linear=pcr solver=pgs; do
    "$program" try $strategy --on ${strategy%=*}.sweep >said 2>log
    grep -Eq '^(cholesky +systems|proximal_newton +steps) +1 ' said
done

refuse() { # WORDS ARGUMENT...: exit 2, with these words
    local code=0
    "$program" try "${@:2}" >said 2>log || code=$?
    [ $code -eq 2 ] && grep -q "$1" log || { cat log; return 1; }
}
refuse 'precond=ssor' ssor --on mine.sweep
refuse 'nearest: jacobi' precond=ssor --on mine.sweep --against jacob
refuse 'does not compile' broken.c --on mine.sweep
refuse 'No such file' precond=ssor --on nowhere.sweep
refuse 'no strategy of this name' nonsense
refuse 'unknown precond' min --on mine.sweep

# Over a setting of its own: a table for the values, each by the words of a comparison, a gap with its reason, a figure;
# over one of the case; what is wrong is named with what is allowed.
cat >relaxed.c <<'END'
#include <stdlib.h>
#include "solvers/settings.h"
#include "solvers/solve.h"
#include "solvers/strategy.h"
static const struct nb_setting settings[] = {
    {.name = "omega", .value = 1, .minimum = 0, .maximum = 2, .above_minimum = 1, .meaning = "factor"},
    {.name = "order", .choices = "forward,backward", .meaning = "of the sweep"},
    {.name = NULL}};
static enum nb_status setup(void **self, const struct NB(nb_operator) *op, struct nb_error *error)
{
    double value[2];
    *self = NULL;
    if (nb_settings_read(settings, op->options->precond, value, error))
        return NB_BAD_INPUT;
    if (value[0] > 1.9)
        return nb_fail(error, NB_BREAKDOWN, "omega is too near to 2");
    *self = malloc(sizeof(nb_real));
    *(nb_real *)*self = (nb_real)value[0];
    return NB_OK;
}
static void apply(const void *self, const struct NB(nb_operator) *op, const nb_real *r, nb_real *z)
{
    const nb_real omega = *(const nb_real *)self;
    for (size_t i = 0; i < op->size; ++i)
        z[i] = r[i] * (omega < 1 && i % 2 ? omega : 1) / op->diagonal[i];
}
const struct NB(nb_precond) NB(nb_precond_relaxed) = {.name = "relaxed", .title = "relaxed", .source = "test",
    .settings = settings, .setup = setup, .apply = apply, .free = free};
END
sed -i 's/system = 4/system = 2, 3/' mine.sweep
"$plugin" relaxed.c >/dev/null 2>&1
vary() { # OPTION...
    NO_COLOR=1 "$program" try relaxed.so --on mine.sweep "$@" >said 2>log || { cat said log >&2; false; }
}
vary --vary omega=0.25:1.95:3
grep -q '^Over omega of relaxed, on linear systems:$' said
for value in 0.25 1 1.1; do grep -Eq "^$value +2 of 2 " said || { cat said; false; }; done # 1: what it is otherwise
grep -Eq '^1\.95 +0 of 2 +- .*worse than it; breakdown: .*omega is too near to 2' said
# Which of the three is the fastest is a time's; that it is one, and the one that the sentence names, is not.
best=$(sed -n 's/^\([0-9.]*\) .* the best$/\1/p' said)
grep -q "^Of 4 values of omega, $best is the best" said || { cat said; false; }
grep -q '<section id=curve>' try-relaxed/report.html
grep -q '"curve":{"setting":"omega","of":"relaxed","steps":null,"linear_systems":{' try-relaxed/report.html
grep -q '^| `omega`, on linear systems ' try-relaxed/report.md
if command -v gnuplot >/dev/null; then
    [ -s try-relaxed/over_omega.pdf ]
    [ -s try-relaxed/over_omega.png ]
    grep -q '<figure id=over><svg' try-relaxed/report.html
fi
vary --vary order=forward,backward --json
python3 - said <<'END'
import json, sys
said = json.load(open(sys.argv[1]))
curve = said["curve"]
assert said["command"] == "try" and curve["setting"] == "order" and curve["steps"] is None, curve
assert [point["value"] for point in curve["linear_systems"]["points"]] == ["forward", "backward"], curve
assert [point["usual"] for point in curve["linear_systems"]["points"]] == [True, False], curve
assert len(said["against"]) == 2 and said["against"][0]["a"] == ["precond=jacobi"], said["against"]
END
vary --vary linear_iters=2,500
grep -Eq '^2 +0 of 2 ' said
grep -Eq '^500 +2 of 2 .*the best$' said
refuse 'omega: "2.5" is not allowed; allowed: > 0 and <= 2' relaxed.so --on mine.sweep --vary omega=0.5,2.5
refuse 'neither relaxed nor a case has such a setting; nearest: omega' relaxed.so --on mine.sweep --vary omgea=1,2
refuse 'is not NAME=FROM:TO:COUNT' relaxed.so --on mine.sweep --vary omega
refuse 'with 2 to 15 values' relaxed.so --on mine.sweep --vary omega=0.5:1:90
refuse 'with 2 to 15 values' relaxed.so --on mine.sweep --vary linear_iters=1:1.2:3 # all of them are 1
refuse 'linear_iters' relaxed.so --on mine.sweep --vary linear_iters=1.5,2
sed 's/precond = .*/precond = jacobi, @:omega=0.5, @:omega=1.5/' mine.sweep >several.sweep
refuse 'several.sweep: lists relaxed as relaxed:omega=0.5 and as relaxed:omega=1.5, and one is judged' relaxed.so --on several.sweep

# The first gate of docs/guide/ci.md, as that page has it: passed by the same code, not by one that takes more
# iterations.
gate=$(awk '/^```sh$/ { p = 1; next } /^```$/ { if (p) exit } p' "$root/docs/guide/ci.md")
ncpbench() { "$program" "$@" >said 2>log; }
ncpbench-plugin() { "$plugin" "$@" >/dev/null 2>&1; }
sed 's/@/mine/' mine.sweep >gate.sweep && mv gate.sweep mine.sweep
define mine 'z[i] = r[i] / op->diagonal[i]'
ncpbench-plugin mine.c
ncpbench sweep mine.sweep -o old.jsonl --plugin ./mine.so
eval "$gate" || { cat said log; false; }
grep -q -- '--fail-if iterations:5%: passed' said
define mine 'z[i] = r[i] * (i % 2 ? 1 : 30) / op->diagonal[i]'
rm new.jsonl
code=0
eval "$gate" || code=$?
[ $code -eq 1 ] && grep -q -- '--fail-if iterations:5%: failed' said || { cat said log; false; }
