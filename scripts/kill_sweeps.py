#!/usr/bin/env python3
"""Kills a sweep with SIGKILL at random moments, resumes it each time, and checks that no record is lost or doubled.

usage: scripts/kill_sweeps.py [KILLS [SEED]]      (500 kills, seed 1; NCPBENCH names the program)

One whole sweep tells which records there are and how long it takes. Then the same sweep is run again and again, killed
after a time drawn uniformly up to that; where it ends first, its results are held against those of the first, and
a new file is begun. After each kill the whole lines of before have to stand where they were, byte for byte. A complete
file has each record once, with the same key, ending and iterations as the first sweep's. Exit status 0: all held.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

SPEC = """[sweep]
name = killed
repetitions = 5
[group steps]
problem = box.h5, stack.h5
ncp = fb, min
linear = pcr, cholesky
precond = none
precision = f64, f32
newton_iters = 10
[group methods]
problem = stack.h5
solver = nsgs, proximal_newton
tol = 1e-8
"""


def whole_lines(path):
    """The file's bytes up to the end of its last whole line."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return b""
    return content[:content.rfind(b"\n") + 1]


def facts(path):
    """Of each record: kind, key, ending and iterations, sorted: what does not depend on times."""
    records = [json.loads(line) for line in whole_lines(path).splitlines() if line.strip()]
    return sorted((r["kind"], r["key"], r.get("ending", ""), str(r.get("counts"))) for r in records)


class Sweeps:
    def __init__(self, folder, program, seed):
        self.folder, self.program, self.random = folder, program, random.Random(seed)
        self.spec = os.path.join(folder, "killed.sweep")
        self.kills = self.complete = self.torn = self.journalled = self.unfinished = 0
        self.faults = []
        for scene, name in (("box_on_plane", "box.h5"), ("heavy_stack", "stack.h5")):
            subprocess.run([program, "export", scene, "-o", os.path.join(folder, name)], check=True,
                           stdout=subprocess.DEVNULL)
        with open(self.spec, "w", encoding="ascii") as file:
            file.write(SPEC)
        start = time.monotonic()
        whole = self.path("whole.jsonl")
        subprocess.run(self.command(whole), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.duration = time.monotonic() - start
        self.expected = facts(whole)

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, results):
        return [self.program, "sweep", self.spec, "-o", results]

    def fault(self, text):
        self.faults.append(f"kill {self.kills}: {text}")
        print("FAULT", self.faults[-1], flush=True)

    def run_and_kill(self, results):
        """Exit status of one run: negative where it was killed."""
        with open(self.path("messages"), "w+b") as messages:
            process = subprocess.Popen(self.command(results), stdout=subprocess.DEVNULL, stderr=messages)
            try:
                return process.wait(self.random.uniform(0, self.duration)), ""
            except subprocess.TimeoutExpired:
                process.kill()
            code = process.wait()
            messages.seek(0)
            return code, messages.read().decode(errors="replace")

    def check_killed(self, results, before):
        after = whole_lines(results)
        self.kills += 1
        if not after.startswith(before):
            self.fault("whole lines of before are no longer there")
        keys = [fact[:2] for fact in facts(results)]
        if len(keys) != len(set(keys)):
            self.fault("a record is there twice")
        size = os.path.getsize(results) if os.path.exists(results) else 0
        self.torn += size > len(after)
        self.journalled += os.path.exists(results + ".journal") and os.path.getsize(results + ".journal") > 0
        self.unfinished += 0 < len(keys) < len(self.expected)

    def check_complete(self, results, before):
        self.complete += 1
        if not whole_lines(results).startswith(before):
            self.fault("a record was lost by the last resumption")
        if facts(results) != self.expected:
            self.fault(f"{len(facts(results))} records instead of {len(self.expected)}, or others")
        if os.path.exists(results + ".journal"):
            self.fault("a complete sweep leaves its journal")
        os.unlink(results)

    def go(self, kills):
        results, before = self.path("r.jsonl"), b""
        while self.kills < kills:
            code, text = self.run_and_kill(results)
            if code == 0:
                self.check_complete(results, before)
                before = b""
                continue
            if code != -9:
                self.fault(f"exit status {code}: {text.strip()[-300:]}")
            self.check_killed(results, before)
            before = whole_lines(results)
        code = subprocess.run(self.command(results), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode
        if code:
            self.fault(f"the last resumption ends with {code}")
        self.check_complete(results, before)


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    program = os.path.abspath(os.environ.get("NCPBENCH", "build/ncpbench"))
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        sweeps = Sweeps(folder, program, seed)
        print(f"a whole sweep: {len(sweeps.expected)} records in {sweeps.duration:.1f} s", flush=True)
        sweeps.go(kills)
    print(f"{sweeps.kills} kills (seed {seed}), {sweeps.unfinished} with some of the records written, "
          f"{sweeps.journalled} with a case in the journal, {sweeps.torn} within a line; "
          f"{sweeps.complete} sweeps completed; {len(sweeps.faults)} faults")
    return 1 if sweeps.faults else 0


if __name__ == "__main__":
    sys.exit(main())
