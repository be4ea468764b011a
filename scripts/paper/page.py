#!/usr/bin/env python3
"""Writes the page of the verdicts (make paper-page): a table of verdicts by source, each source's claims as a table and
then in words, and the sources' systems with what has become of them.

    [BUILD=build] scripts/paper/page.py [FILE.md]        docs/reference/paper.md without an argument

Claims are judged by `ncpbench claims --complete --json`, whose exit status is this script's once the page is written;
the systems are sections of data/claims.list."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("BUILD", "build") / "ncpbench"
WIDTH = 120  # bytes
VERDICTS = {"holds": "hold", "does_not_hold": "do not hold", "depends": "depend", "not_decided": "not decided",
            "not_testable": "not testable"}
SIGNS = {"at_most": "<= ", "at_least": ">= ", "equals": ""}

HEAD = """# What the papers claim, judged

`make paper-page` writes this page from `data/claims.list` and the records in `data/records/`; nobody edits it.
How a claim is judged: [claims](claims.md). The number under "here" is the one that decides, "of" tells how
many of all are as demanded. What papers print in words is taken as a number, which is said with the claim.
The margin is the factor by which that number would have to change to turn the verdict, which is narrow below
1.1. A verdict with a † is of a set-up that is not quite the source's, or of cases that we chose: the claim's
text below says in what. By which settings a claim leaves out records, and why, stands there, too.
"""
NOTES = """
What holds for all of them:

- Misprinted formulas run in their corrected form: [errata](../theory/design.md#3-errata-of-the-sources).
- Contacts are found between solids (polyhedra, spheres, capsules, skins), not between triangle meshes.
- Sizes and speeds that are not printed are ours; the arch's voussoirs were chosen among those that stand.
- Runs are on one core of a processor: times of the papers, of other machines and GPUs, are not compared.
"""


def systems(path):
    """The sections [system ID] of a list, each as a dict; a line that begins with a blank goes on with a value."""
    found, section, key = [], None, None
    for line in path.read_text().splitlines():
        if line.startswith("["):
            section = {} if line.startswith("[system ") else None
            found += [section] if section is not None else []
        elif section is not None and line.strip() and not line.startswith("#"):
            name, equals, value = line.partition("=")
            if line[0].isspace():
                section[key] += " " + line.strip()
            elif equals:
                key = name.strip()
                section[key] = value.strip()
    return found


def work(claim):
    return claim["source"].partition(",")[0]


def item(text):
    """A list item of words, wrapped."""
    lines = ["-"]
    for word in text.split(" "):
        if not word:
            continue
        if len(f"{lines[-1]} {word}".encode()) > WIDTH:
            lines.append(" ")
        lines[-1] += f" {word}"
    return "\n".join(lines) + "\n"


def counts(claims):
    def row(name, those):
        by_verdict = (str(sum(claim["verdict"] == verdict for claim in those)) for verdict in VERDICTS)
        return f"| {name} | {' | '.join((str(len(those)), *by_verdict, str(sum(c['narrow'] for c in those))))} |\n"

    works = dict.fromkeys(map(work, claims))
    return (f"| source | claims | {' | '.join(VERDICTS.values())} | narrow |\n|---|{'---:|' * (len(VERDICTS) + 2)}\n"
            + "".join(row(name, [claim for claim in claims if work(claim) == name]) for name in works)
            + row("all", claims))


def demand(claim):
    if claim["verdict"] == "not_testable":
        return ""
    within = f" within {100 * claim['tolerance']:.3g} %" if claim["tolerance"] else ""
    share = f" of {100 * claim['share']:.3g} %" if claim["share"] < 1 else ""
    return f"{SIGNS[claim['predicate']]}{claim['demanded']:.4g}{within}{share}"


def row(claim):
    decided = claim["verdict"] not in ("not_decided", "not_testable")
    unknown = "inf" if decided else "nan"  # JSON has null for both
    number = "" if not claim["count"] else unknown if claim["number"] is None else f"{claim['number']:.3g}"
    of = f"{claim['fulfil']} of {claim['count']}" if claim["count"] > 1 else ""
    if claim["values"]:
        of = f"{claim['values_hold']} of {claim['values']}: {claim['varies']}"
    chosen = claim["departs"] or "a choice" in (claim["leaves_out"] or "")
    margin = f"{claim['margin']:.2g}" if decided and claim["margin"] is not None else ""
    place = claim["source"][len(work(claim)):].lstrip(", ")
    verdict = f"{claim['verdict'].replace('_', ' ')}{', narrow' if claim['narrow'] else ''}{' †' if chosen else ''}"
    return f"| `{claim['id']}` | {place} | {demand(claim)} | {number} | {of} | {verdict} | {margin} |\n"


def words(claim):
    testable = claim["verdict"] != "not_testable"
    parts = ((claim["printed"], "Printed: {}."), (claim["departs"], "**Departs**: {}"),
             (claim["verdict"] == "not_decided" and claim["reason"], "Not decided: {}."),
             (not testable and claim["reason"], "Not testable: {}"), (claim["note"], "*{}*"),
             (claim["figure"], "Figure `{}`."), (testable and claim["command"], "`{}`."))
    text = " ".join((f"`{claim['id']}`: {claim['says']}", *(form.format(part) for part, form in parts if part)))
    left_out = claim["leaves_out"]
    return item(text) + (item(f"`{claim['id']}` **leaves out** by {left_out}.") if left_out else "")


def section(name, claims):
    return (f"\n## {name}\n\n| claim | where | demanded | here | of | verdict | margin |\n|---|---|---|---|---|---|---:|\n"
            + "".join(map(row, claims)) + "\n" + "".join(map(words, claims)))


def builds(claims):
    """Which builds of the program made the records, and of how many claims."""
    made = [claim["builds"] for claim in claims if claim["builds"]]
    return ("\n## The records\n\nOf every claim they are of one build of the program, by its commit:\n\n"
            "| commit | claims |\n|---|---:|\n"
            + "".join(f"| {build} | {made.count(build)} |\n" for build in dict.fromkeys(made)))


def table_of_systems(found):
    def scene(system):
        return f"`{system['scene']}`" if "scene" in system else ""

    return ("\n## Every system of the sources\n\n| system | source | scene | state |\n|---|---|---|---|\n"
            + "".join(f"| {s['says']} | {s['source']} | {scene(s)} | {s['state']} |\n" for s in found) + "\n"
            + "".join(item(f"{s['says']}: {s['note']}") for s in found if "note" in s))


def main(path):
    judged = subprocess.run([PROGRAM, "claims", "--complete", "--json"], capture_output=True, text=True)
    if judged.returncode > 1:
        sys.stderr.write(judged.stderr)
        return judged.returncode
    claims = json.loads(judged.stdout)["claims"]
    works = dict.fromkeys(map(work, claims))
    page = (HEAD + "\n" + counts(claims) + NOTES
            + "".join(section(name, [claim for claim in claims if work(claim) == name]) for name in works)
            + builds(claims) + table_of_systems(systems(ROOT / "data/claims.list")))
    path.write_text(page)
    return judged.returncode


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/reference/paper.md"))
