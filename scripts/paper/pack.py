#!/usr/bin/env python3
"""pack.py RESULTS.jsonl KEPT.jsonl.gz: the records of a part of scripts/paper.sh as they are kept, compressed: of a
problem file that was exported anew those of the last one; traces have six digits, as half of the bytes would be digits
that nobody reads; of the beam's thousand records only the traces that figure 16 and its claims read."""
import gzip, json, os, sys


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return {name: rounded(each) for name, each in value.items()} if isinstance(value, dict) else value


def thinned(trace):
    """Long simulations in the tenth of their entries that is enough to draw them."""
    return {name: each[::10] for name, each in trace.items() if name in ("time", "observable")}


read = ("iteration", "constraint_error", "step_error") if "beam." in sys.argv[2] else None
records = [json.loads(line) for line in open(sys.argv[1])]
last = {record["settings"]["problem_file"]: record["settings"].get("problem_hash")
        for record in records if "problem_file" in record["settings"]}
records = [record for record in records
           if last.get(record["settings"].get("problem_file")) == record["settings"].get("problem_hash")
           or "problem_file" not in record["settings"]]
present = {record["settings"].get("problem_hash") for record in records if record["kind"] != "floor"}
lines = []
for record in records:
    if record["kind"] == "floor" and record["settings"]["problem_hash"] not in present:
        continue
    if record["kind"] == "simulation" and len(record["trace"]["time"]) > 5000:
        record["trace"] = thinned(record["trace"])
    if "trace" in record:
        record["trace"] = {name: rounded(each) for name, each in record["trace"].items() if not read or name in read}
    lines.append(json.dumps(record, separators=(",", ":"), allow_nan=False))
with open(sys.argv[2] + ".new", "wb") as file:
    file.write(gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0))
os.replace(sys.argv[2] + ".new", sys.argv[2])
