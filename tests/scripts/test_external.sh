#!/usr/bin/env bash
# A solver in another program, in a sweep and by hand; programs that die, hang, babble or answer wrongly end as a recorded
# breakdown with one line; and `judge` of what stands in a file.
set -u
cd "$(dirname "$0")/../.." || exit 1
program=$PWD/${BUILD:-build}/ncpbench
example=$PWD/docs/examples/external_solver.py
python=$PWD/scripts/python
/usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null || { echo "skipped: no python3-h5py"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/ncpbench-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir steps
export TMPDIR=$work/steps
failed=0
# expect CODE TEXT COMMAND...: its exit code, and what it says
expect() {
    local code=$1 text=$2
    shift 2
    "$@" >said 2>&1
    local got=$?
    [ $got = "$code" ] && grep -qF -- "$text" said && return
    echo "exit code $got, not $code, or no \"$text\": $*" >&2
    cat said >&2
    failed=1
}

"$program" export box_on_plane --step 10 -o box.h5 >/dev/null || exit 1
expect 0 'converged: projected Gauss-Seidel' "$program" solve box.h5 --linearized --tol 1e-6 -o answer.h5 \
    --solver "external:command=/usr/bin/python3 $example:tol=1e-10"
expect 0 'within --tol' "$program" judge answer.h5 --tol 1e-6
expect 1 'not within --tol' "$program" judge answer.h5 --tol 1e-300
expect 2 'holds no /solution' "$program" judge box.h5

# By ncpbench.py, whose library python3 loads; a sanitizer's it cannot.
if [ -z "${SANITIZE:-}" ]; then
    expect 0 'converged: projected gradients' env PYTHONPATH="$python" NCPBENCH_LIBRARY="${program%ncpbench}libncpbench.so" \
        "$program" solve box.h5 --linearized --tol 1e-6 \
        --solver "external:command=/usr/bin/python3 ${example%external_solver.py}short_solver.py:tol=1e-10"
    printf 'import ncpbench\nncpbench.serve("bad", lambda problem: 1 / 0)\n' >bad.py
    expect 1 'python3 bad.py: ZeroDivisionError: division by zero' env PYTHONPATH="$python" \
        NCPBENCH_LIBRARY="${program%ncpbench}libncpbench.so" "$program" solve box.h5 --linearized \
        --solver "external:command=/usr/bin/python3 bad.py"
    grep -q '^Traceback' said || { echo "no traceback" >&2; failed=1; }
fi

read -ra hdf5 <<<"$(pkg-config --cflags --libs hdf5-serial)"
g++ -std=c++17 -O1 -Wall -Wextra -Werror "${example%.py}.cpp" "${hdf5[@]}" -o in_cpp || failed=1
expect 0 'converged: projected Gauss-Seidel in C++' "$program" solve box.h5 --linearized --tol 1e-6 \
    --solver external:command=./in_cpp:tol=1e-10

# Cases that died of one thing say so once, at the end of the sweep.
"$program" export box_on_plane --step 11 -o later.h5 >/dev/null || exit 1
echo 'import a_module_that_is_not_there' >dead.py
printf '[sweep]\nname = dead\nfloors = no\n[group all]\nproblem = box.h5, later.h5\nlinearized = yes\n%s\n' \
    'solver = external:command=/usr/bin/python3 dead.py' >dead.sweep
expect 0 '  2 of them: external: python3 dead.py ended' "$program" sweep dead.sweep -o dead.jsonl
[ "$(grep -c 'a_module_that_is_not_there' said)" = 1 ] || { cat said >&2; failed=1; }

cat >s.sweep <<END
[sweep]
name = s
repetitions = 5
[group all]
problem = box.h5
linearized = yes
tol = 1e-6
solver = nsgs, external:command=/usr/bin/python3 $example:tol=1e-10
precision = f64
END
expect 0 '2 cases' "$program" sweep s.sweep -o s.jsonl
grep -c '"ending":"converged"' s.jsonl | grep -qx 2 || { echo "a case of the sweep did not converge" >&2; failed=1; }
# Its iterations are those that it says it made, in the record and wherever records are compared; of the linear ones of a
# method without a linear solver nothing is said.
"$program" compare s.jsonl --a solver=nsgs --b solver=external --json >compared.json || failed=1
/usr/bin/python3 - <<'END' || failed=1
import json, sys
cases = [r for r in map(json.loads, open("s.jsonl")) if r["kind"] == "case"]
own = [r for r in cases if r["settings"]["solver"].startswith("external")][0]
made = own["counts"]["newton"]
if made < 2 or own["trace"]["iteration"] != [0, made] or own["best"]["iteration"] != made:
    sys.exit(f"{made} iterations, but {own['trace']['iteration']} in the trace, {own['best']} the best")
pair = json.load(open("compared.json"))["steps"]["pairs"][0]
if pair["b"]["iterations"] != made:
    sys.exit(f"compare counts {pair['b']['iterations']} iterations, not {made}")
if any(pair[side].get("linear_iterations") is not None for side in "ab"):
    sys.exit(f"linear iterations without a linear solver: {pair}")
END
"$program" compare s.jsonl --a solver=external --b solver=nsgs --fail-if iterations:5% >said 2>&1
iterations=$?
[ $iterations -le 1 ] || { echo "the gate on iterations is not decided" >&2; cat said >&2; failed=1; }
grep -q 'numpy' s.jsonl || { echo "the version text is not in the record" >&2; failed=1; }

# breaks TEXT SCRIPT [LIMIT]: the program that is so
breaks() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >bad
    chmod +x bad
    expect 1 "$1" "$program" solve box.h5 --linearized --solver "external:command=./bad:limit=${3:-100}"
}
loaded='read -r line; echo ready bad 1; read -r line;'
breaks 'bad ended with exit code 3, without an answer' "$loaded exit 3"
breaks 'exit code 1, without an answer: No module named numpy' "$loaded echo a >&2; echo No module named numpy >&2; exit 1"
breaks 'bad was ended by signal 9, without an answer' "$loaded kill -9 \$\$"
breaks 'bad closed its output, without an answer: so long' "$loaded exec <&- >&-; echo so long >&2; exec sleep 100"
breaks 'bad: all said' "$loaded head -c 1000000 /dev/zero | tr '\\\\0' x >&2; echo error all said"
breaks 'bad has not answered within 0.5 s' "$loaded exec sleep 100" 0.5
# What it leaves beside the step goes, too: a later process of our number would find the folder there.
breaks 'bad: out of luck' "read -r line; mkdir -p \"\${line#load }.d/e\"; echo ready bad 1; read -r line; echo error out of luck"
breaks 'not "solved"' "$loaded echo hello"
breaks 'no number of iterations' "$loaded echo solved"
for number in 0x10 1e9 -1 +1 1.5 1000000000 '3 of 4' '٣'; do
    breaks "\"solved $number\" has no number of iterations" "$loaded echo solved $number"
done
# Two lines in one write, as bash's own printf and echo do not write them; the second when the question is there, which
# it has not read.
early='has answered before it was asked: "solved 1"'
breaks "$early" "read -r line; /usr/bin/printf 'ready bad 1\nsolved 1\n'; read -r line; sleep 5"
breaks "$early" "$loaded echo solved 1; sleep 0.2; echo solved 1; sleep 5"
breaks "$early" "read -r line; echo ready bad 1; sleep 0.2; echo solved 1; sleep 5"
breaks 'has answered before it was asked: "ready bad 1"' 'sleep 0.2; echo ready bad 1; sleep 5'
breaks 'has a zero byte' "$loaded printf 'solved 5\\0\\n'"
breaks 'wrote no whole /solution' "$loaded echo solved 3; read -r line; echo written"
breaks 'characters' "$loaded head -c 2000 /dev/zero | tr '\\0' x; sleep 5"
# answer EXPRESSION: of a program that writes it as the impulses
answer() {
    cat <<END
read -r line; echo ready bad 1; path=\${line#load }; read -r line; echo solved 1; read -r line
/usr/bin/python3 -c "import h5py, numpy, sys; f = h5py.File(sys.argv[1], 'a')
g = f.create_group('solution'); g['r'] = $1; g['v'] = numpy.zeros(6); f.close()" "\$path"
echo written
END
}
breaks 'the answer: solution/r' "$(answer 'numpy.zeros(4)')"
breaks 'the answer: solution/r' "$(answer 'numpy.full(12, numpy.nan)')"

# serves NAME SOLVE WRITE [LOAD]: NAME.py answers by ncpbench.py; these are its statements for these words, and work()
# takes 20 ms.
serves() {
    cat >"$1.py" <<END
import os, sys, time
import ncpbench
def answer(path):
    p = ncpbench.read_problem(path)
    a = ncpbench.solve(p, tol=1e-10)
    return lambda: p.write(path, ncpbench.Answer(p, a.r, v=a.v))
def work(seconds=0.02):
    end = time.monotonic() + seconds
    while time.monotonic() < end: pass
def leave():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 64)
            with open("left", "a") as left: print(os.getpid(), file=left)
            time.sleep(100)
        os._exit(0)
queued, solves, write, known = False, 0, None, set()
for line in sys.stdin:
    word, _, path = line.strip().partition(" ")
    if word == "load": key = open(path, "rb").read(); write = answer(path); said = "ready served 1"; ${4:-pass}
    elif word == "solve": solves += 1; said = "solved 1"; $2
    elif word == "write": said = "written"; $3
    else: break
    print(said, flush=True)
END
}
# One whose work waits for the question for its answer does not look faster than its work; one that writes no second
# answer has no second time; one that keeps the answer to a step has not seen it before it is timed; what a program leaves
# behind ends with its case. What it does when it loads the step counts.
if [ -z "${SANITIZE:-}" ]; then
    serves queues 'queued = True' 'work() if queued else None; queued = False; write()'
    serves repeats 'pass' 'work(); write()'
    serves stale 'pass' 'write() if solves == 1 else None'
    serves leaves 'pass' 'leave(); write()'
    # Keeps the answers to the steps that it knows.
    serves keeps 'work(0.3) if key not in known else None; known.add(key)' 'write()'
    serves loads 'pass' 'write()' 'work(0.3)'
    cat >times.sweep <<END
[sweep]
name = times
repetitions = 5
floors = no
[group all]
problem = box.h5
linearized = yes
tol = 1e-6
solver = external:command=/usr/bin/python3 queues.py, external:command=/usr/bin/python3 repeats.py,
    external:command=/usr/bin/python3 stale.py, external:command=/usr/bin/python3 leaves.py,
    external:command=/usr/bin/python3 keeps.py, external:command=/usr/bin/python3 loads.py
END
    expect 0 '6 cases' env PYTHONPATH="$python" NCPBENCH_LIBRARY="${program%ncpbench}libncpbench.so" \
        "$program" sweep times.sweep -o times.jsonl
    grep 'stale.py' times.jsonl | grep -q 'wrote no whole /solution, in a timed repetition' ||
        { echo "an answer from before counted" >&2; failed=1; }
    /usr/bin/python3 - <<'END' || failed=1
import json, os, sys
records = [json.loads(line) for line in open("times.jsonl")]
time = {r["settings"]["solver"].split("/")[-1].split()[-1]: r["times"]["median"] for r in records if r["kind"] == "case"}
if time["queues.py"] < 0.01: # what others take of the processor meanwhile is not in the time
    sys.exit(f"20 ms of queued work count as {time['queues.py']} s")
if time["keeps.py"] < 0.2: # writing takes some of it, too
    sys.exit(f"300 ms of work, whose answer is kept, count as {time['keeps.py']} s")
if time["loads.py"] < 0.2:
    sys.exit(f"300 ms of work in load count as {time['loads.py']} s")
if time["repeats.py"] is None or time["repeats.py"] <= 0:
    sys.exit(f"the work of a second write leaves {time['repeats.py']} s")
left = [pid for pid in open("left").read().split() if os.path.exists(f"/proc/{pid}")]
if left:
    sys.exit(f"a case left {left} behind")
END
fi

expect 1 'cannot be started' "$program" solve box.h5 --linearized --solver 'external:command=./nowhere'
expect 2 'which program' "$program" solve box.h5 --linearized --solver external
expect 2 'limit' "$program" solve box.h5 --linearized --solver 'external:command=./bad:limit=0'
# Stopped while the program hangs: neither it nor the step stays.
printf '#!/usr/bin/env bash\n%s\n' "$loaded touch hangs; exec sleep 100" >bad
"$program" solve box.h5 --linearized --solver external:command=./bad >/dev/null 2>&1 &
for ((k = 0; k < 200; ++k)); do [ -e hangs ] && break; sleep 0.1; done
[ -n "$(ls steps)" ] || { echo "no step while it solves" >&2; failed=1; }
kill $!
wait $! 2>/dev/null
[ $? = 143 ] || { echo "SIGTERM does not end it" >&2; failed=1; }
[ -z "$(ls steps)" ] || { echo "a step was left behind" >&2; failed=1; }
exit $failed
