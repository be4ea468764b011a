#!/usr/bin/env bash
# The verdicts of `ncpbench claims` a second time: a program in another language, written from docs/reference/claims.md
# alone, reads the list and the records and finds of each claim the same verdict, as many numbers, as many of them as
# demanded, and among them the one that decides; and that it leaves out what it says. Skipped without python3.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
"${BUILD:-build}/ncpbench" claims --json | python3 /dev/fd/3 3<<'END'
import fnmatch
import functools
import glob
import gzip
import json
import math
import re
import statistics
import sys

INF = math.inf
SCATTER = "scatter"
MISSING = "missing"


def read_list(path):
    """The claims that are testable, a dictionary each."""
    claims, claim, key = [], {}, None
    for line in open(path):
        line = re.sub(r"\s;.*", "", line.rstrip("\n"))
        section = re.match(r"\[(\w+) (\S+)\]", line)
        if line.startswith("#") or not line.strip():
            continue
        if section:
            claim = {"type": section[1], "id": section[2]}
            claims.append(claim)
        elif line[0].isspace():
            claim[key] += " " + line.strip()
        else:
            key, value = (part.strip() for part in line.split("=", 1))
            claim[key] = value
    return [claim for claim in claims if claim["type"] == "claim" and "not_testable" not in claim]


def setting(record, name):
    settings = record["settings"]
    if name == "linear_method":
        method = [settings.get("linear"), settings.get("precond")]
        return "+".join(part for part in method if part not in (None, "none")) if method[0] else None
    for place in settings, settings.get("parameters", {}), record:
        if not isinstance(place.get(name), (dict, list, type(None))):
            value = place[name]
            return str(value).lower() if isinstance(value, bool) else value
    return None


def alike(value, wanted):
    if isinstance(value, (int, float)):
        try:
            return value == float(wanted)
        except ValueError:
            return False
    return value is not None and fnmatch.fnmatchcase(value, wanted)


def filters(*texts):
    """Of several the later ones replace those of the same names."""
    found = {}
    for text in texts:
        words = [re.match(r"([\w.]+)(!?=)(.*)", word).groups() for word in (text or "").split()]
        for name in {word[0] for word in words}:
            found[name] = [(sign, values.split(",")) for other, sign, values in words if other == name]
    return found


@functools.cache
def column(name):
    return [setting(record, name) for record in records]


@functools.cache
def passing(name, sign, values):
    """The numbers of the records that pass one word of a filter."""
    texts = column(name)
    good = {text: any(alike(text, value) for value in values) == (sign == "=") for text in set(texts)}
    return {number for number, text in enumerate(texts) if good[text]}


def chosen(found):
    words = [passing(name, sign, tuple(values)) for name, words in found.items() for sign, values in words]
    return [records[number] for number in sorted(set(range(len(records))).intersection(*words))]


def number(value):
    return INF if value is None else float(value)


def trace(record, name):
    if name == "error":
        name = "residual" if record["settings"].get("mode") == "linear_system" else "step_error"
    array = record.get("trace", {}).get(name)
    return None if array is None else [number(entry) for entry in array]


def rise(array, floor):
    array = [max(entry, floor) for entry in array]
    return math.prod(b / a if a else INF for a, b in zip(array, array[1:]) if b > a)


def order(array):
    steps = [(c / b, math.log(c / b) / math.log(b / a)) for a, b, c in zip(array, array[1:], array[2:]) if a > b > c > 0]
    return min(steps, default=(1, math.nan))[1]


def settled(array, until):
    late = [index for index, entry in enumerate(array) if entry > until]
    return INF if array[-1] > until else late[-1] + 1 if late else 0


def reduced(array, how, claim):
    begin, until = int(claim.get("from", 0)), claim.get("until")
    if how == "reached":
        return max(begin, settled(array, float(until)))
    array = array[begin:]
    if until is not None:
        end = next((index for index, entry in enumerate(array) if entry <= float(until)), len(array))
        array = array[:end + 1]
    mean = sum(array) / len(array)
    ways = {"last": lambda: array[-1], "first": lambda: array[0], "least": lambda: min(array),
            "largest": lambda: max(array), "spread": lambda: max(array) / min(array),
            "deviation": lambda: math.sqrt(sum((entry - mean) ** 2 for entry in array) / len(array)) / mean,
            "change": lambda: max(abs(entry - array[0]) for entry in array),
            "growth": lambda: array[-1] / array[0], "order": lambda: order(array),
            "rise": lambda: rise(array, float(claim.get("floor", 0)))}
    return ways[how]() if how in ways else array[min(int(how), len(array) - 1)]


def times(record, claim):
    """The seconds of each repetition, to the accuracy where there is one."""
    share, setups = 1, [0]
    if "accuracy" in claim:
        errors = trace(record, "error")
        count = next((index for index, error in enumerate(errors) if error <= float(claim["accuracy"])), None)
        if count is None:
            return []
        share = count / (len(errors) - 1)
    if claim["value"] == "whole_time" and record["settings"]["mode"] == "linear_system":  # a step's time has it
        setups = record["times"].get("setups") or [record["times"]["setup"]]
    seconds = record["times"]["solve"]
    if record["settings"]["mode"] == "step" and "setups" in record["times"]:  # a part of the time
        setups = record["times"]["setups"]
        seconds = [each - setup for each, setup in zip(seconds, setups)]
    return [share * each + setups[index if len(setups) == len(seconds) else 0] for index, each in enumerate(seconds)]


def cost(record, claim):
    if claim["value"] != "iterations":
        seconds = times(record, claim)
        return statistics.median(seconds) if seconds else INF
    errors = trace(record, "error")
    return next((index for index, error in enumerate(errors) if error <= float(claim["accuracy"])), INF)


def value_of(record, claim, key="value"):
    name = claim[key]
    if key == "value" and "accuracy" in claim:
        return cost(record, claim)
    if isinstance(record.get(name), (int, float)):
        return number(record[name])
    if "." in name:
        for part in name.split("."):
            record = record[part]
        return number(record)
    name, _, how = name.partition(":")
    return reduced(trace(record, name), how or "last", claim)


ENDED = ("completed", "converged", "accuracy_floor", "stagnated", "cycling", "diverged", "iteration_limit",
         "infeasible")


def broke_down(record, claim, name):
    """Whether this value of the record is what a run had come to when it broke down."""
    base, _, how = name.partition(":")
    known = ("settings", "limits", "sizes", "features", "floor", "reference", "previous", "provenance")
    of_problem = "." in base and base.split(".")[0] in known
    if claim.get("breakdown") == "counts" or record.get("ending", "completed") in ENDED:
        return False
    if of_problem or base == "steps" and isinstance(record.get(base), (int, float)):
        return False
    index = 0 if how == "first" else int(how) if how.isdigit() else INF
    return int(claim.get("from", 0)) + index >= len(trace(record, base) or [])


@functools.cache
def arrangements(a, b, u):
    """How many orders of a and b values there are in which u pairs are reversed."""
    if u < 0 or a == 0 or b == 0:
        return int(u == 0)
    return arrangements(a - 1, b, u - b) + arrangements(a, b - 1, u)


def scatters(claim, first, second):
    """Whether the interval in which Mann and Whitney's test does not reject a ratio of times has the threshold in it."""
    a, b = len(first), len(second)
    if a < 5 or b < 5:
        return True
    rank, below = 0, 0
    while (below := below + arrangements(a, b, rank)) <= 0.025 * math.comb(a + b, a):
        rank += 1
    ratios = sorted(x / y for x in first for y in second)
    low, high = ratios[max(rank - 1, 0)], ratios[-max(rank, 1)]
    limits = [float(claim[key]) * (1 + sign * float(claim.get("tolerance", 0)))
              for key, signs in (("at_most", [1]), ("at_least", [-1]), ("equals", [-1, 1])) if key in claim
              for sign in signs]
    return any(low <= limit <= high for limit in limits)


def is_time(claim):
    return claim["value"] in (("time", "whole_time") if "accuracy" in claim else ("times.median",))


def over(a, b):
    if a is None or b is None:
        return None
    if a == b == INF:
        return math.nan # nobody knows it either, but nothing broke down
    return 1.0 if a == b == 0 else INF if b == 0 else a / b


def numbers(claim, a, b):
    floor = float(claim.get("floor", -INF))
    entries = [int(word) for word in claim.get("along", "").split()]
    steps = range(entries[0], entries[1] + 1) if entries else []

    def at(record, index):
        if broke_down(record, claim, f'{claim["value"]}:{index}'):
            return None
        array = trace(record, claim["value"])
        return max(floor, array[min(index, len(array) - 1)])

    def one(record):
        if any(broke_down(record, claim, claim[key]) for key in ("value", "over") if key in claim):
            return None
        value, below = max(floor, value_of(record, claim)), value_of(record, claim, "over") if "over" in claim else 1
        return MISSING if below == INF else over(value, below)

    if "reaches" in claim:
        def share(group):
            values = [one(record) for record in group]
            return sum(value is not None and value <= float(claim["reaches"]) for value in values) / len(values)
        return [] if not a or "b" in claim and not b else [over(share(a), share(b)) if "b" in claim else share(a)]
    if not entries:
        a, b = ([record for record in group if one(record) != MISSING] for group in (a, b))
    if "b" not in claim:
        return [at(record, index) for record in a for index in steps] if entries else [one(record) for record in a]
    if claim.get("pool") == "medians":
        def values(group, index):
            found = [one(record) if index is None else at(record, index) for record in group]
            return [INF if value is None else value for value in found]
        if a and b and is_time(claim) and scatters(claim, values(a, None), values(b, None)):
            return [SCATTER]
        return [over(*(statistics.median(values(group, index)) for group in (a, b)))
                for index in steps or [None] if a and b]
    pairs = [(x, y) for x in a for y in b
             if all(setting(x, name) == setting(y, name) for name in claim.get("each", "").split())]
    if entries:
        return [over(at(x, index), at(y, index)) for x, y in pairs for index in steps]
    if is_time(claim):
        def seconds(record):
            return [over(each, value_of(record, claim, "over")) if "over" in claim else each for each in times(record, claim)]
        return [SCATTER if (max(one(x), one(y)) < INF or "accuracy" not in claim) and
                scatters(claim, seconds(x), seconds(y))
                else over(one(x), one(y)) for x, y in pairs]
    return [over(one(x), one(y)) for x, y in pairs]


def demanded(value, claim):
    if value in (None, SCATTER):
        return False
    tolerance = float(claim.get("tolerance", 0))
    if "at_most" in claim:
        return value <= float(claim["at_most"]) * (1 + tolerance)
    if "at_least" in claim:
        return value >= float(claim["at_least"]) * (1 - tolerance)
    equals = float(claim["equals"])
    return abs(value - equals) <= tolerance * (abs(equals) or 1)


def judged(claim, a, b):
    found = numbers(claim, a, b)
    good = sum(demanded(value, claim) for value in found)
    enough = len(found) >= int(claim.get("needs", 1))
    broken, scatter = found.count(None), found.count(SCATTER)
    infinite = sum(isinstance(value, float) and math.isnan(value) for value in found)
    least, unknown = float(claim.get("share", 1)) * len(found), broken + scatter + infinite
    verdict = "holds" if good >= least else "not_decided" if good + unknown >= least else "does_not_hold"
    if verdict == "not_decided" and enough and "varies" not in claim:
        reason = program[claim["id"]]["reason"]
        told = [text in reason for text in ("broke down", "scatter", "infinite over infinite")]
        assert told == [broken > 0, scatter > 0, infinite > 0], \
            f'{claim["id"]}: {broken} broke down, {scatter} scatter, {infinite} are infinite over infinite; "{reason}"'
    ours = program[claim["id"]]["number"]
    if "varies" not in claim and ours is not None:
        assert any(isinstance(value, (int, float)) and math.isclose(value, ours, rel_tol=1e-9, abs_tol=1e-300)
                   for value in found), f'{claim["id"]}: {ours} is none of {found[:9]}'
    return verdict if enough else "not_decided", len(found), good


def judge(claim):
    sides = [filters(claim.get("where"), claim.get(side)) for side in "ab"]
    a, b = map(chosen, sides)
    if "converged" in claim:
        value, limit = claim["converged"].split()
        if any(broke_down(record, claim, value) or value_of(record, {**claim, "value": value}) > float(limit)
               for record in a):
            return "not_decided", None, None
    name = claim.get("varies")
    if not name:
        return judged(claim, a, b)
    results = []
    for value in {setting(record, name) for record in a}:
        same = [[record for record in group if setting(record, name) == value] for group in (a, b)]
        fixed = name in filters(claim.get("b")) # b is the one that all values are compared with
        results.append(judged(claim, same[0], b if fixed else same[1]))
    verdicts = {result[0] for result in results}
    if "not_decided" in verdicts:
        return "not_decided", None, None
    return (verdicts.pop() if len(verdicts) == 1 else "depends",
            sum(result[1] for result in results), sum(result[2] for result in results))


METHOD = """solver method linear precond linear_method ncp scaling newton_form operator linearized damping shift start
    warm_start search gradient kind mode quantity""".split()


def has_number(record, claim):
    try:
        return value_of(record, claim) is not None
    except (KeyError, TypeError):
        return False


def left_out(claim):
    """The settings without whose filters more records would give numbers."""
    where, a, b = (filters(claim.get(key)) for key in ("where", "a", "b"))
    kept = {id(record) for record in chosen(filters(claim.get("where"), claim.get("a")))}
    names = []
    for name in {**where, **a}:
        if name in METHOD or name in b:
            continue
        alike = claim.get("each", "").split() + [name] * (name in where)
        sides = [{other: words for other, words in side.items() if other != name} for side in (where, a)]
        more = [record for record in chosen({**sides[0], **sides[1]})
                if id(record) not in kept and has_number(record, claim)]
        if b and more:
            cases = {tuple(setting(record, other) for other in alike) for record in chosen({**sides[0], **b})
                     if has_number(record, claim)}
            more = [record for record in more if tuple(setting(record, other) for other in alike) in cases]
        names += [name] * bool(more)
    return sorted(names)


records = [json.loads(line) for path in sorted(glob.glob("data/records/*.jsonl.gz")) for line in gzip.open(path)]
program = {claim["id"]: claim for claim in json.load(sys.stdin)["claims"]}
claims = read_list("data/claims.list")
assert len(claims) > 100
for claim in claims:
    verdict, count, good = judge(claim)
    theirs = program[claim["id"]]
    said = [part.split(":")[0].split() for part in claim.get("leaves_out", "").split(";")]
    assert left_out(claim) == sorted(sum(said, [])), f'{claim["id"]} leaves out by {left_out(claim)}, not by {said}'
    assert verdict == theirs["verdict"], f'{claim["id"]}: {verdict}, {theirs["verdict"]} by the program'
    if count is not None:
        assert (count, good) == (theirs["count"], theirs["fulfil"]), \
            f'{claim["id"]}: {good} of {count}, {theirs["fulfil"]} of {theirs["count"]} by the program'
END
