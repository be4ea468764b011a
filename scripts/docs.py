#!/usr/bin/env python3
"""Writes what the program's own tables say into the pages and schemas that list it:

    [BUILD=build] scripts/docs.py            rewrites them (make docs)
    [BUILD=build] scripts/docs.py --check    names those that differ, and ends with 1

the metrics (harness/judge/metrics.h) in docs/reference/records.md and data/record.schema.json, the tables of SQL in
docs/reference/query.md, the words of comparisons (harness/report/compare_words.c) in docs/theory/comparisons.md, and the
commands (harness/cli/commands.h), which docs/reference/commands.md has to name, the constants of the default method
(solvers/outer/proximal_newton/parameters.h) in docs/reference/constants.md.
A table of a note, a guide or a page of theory below a comment <!-- RECORDS, a line break, and a statement in SQL --> is
what `ncpbench query` answers. The number behind a comment <!--{VALUE FILTER...}--> in one of them is read from
data/records/ as those in notes of claims are (docs/reference/claims.md)."""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / os.environ.get("BUILD", "build")
os.environ.setdefault("NCPBENCH_LIBRARY", str(BUILD / "libncpbench.so"))
sys.path.insert(0, str(ROOT / "scripts/python"))
sys.dont_write_bytecode = True
import ncpbench_library as library  # noqa: E402 (once it is known where)

STEP, SYSTEM = 0, 1


def said(*words):
    run = subprocess.run([BUILD / "ncpbench", *words], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"docs: {run.stderr.strip()}: {words[-2]}")
    return run.stdout


def metrics():
    found = []
    while row := library.metric_at(len(found)):
        found.append(row.contents)
    return found


def replace(text, pattern, new):
    """The text with the one match of the pattern's second group replaced."""
    changed, count = re.subn(pattern, lambda m: m[1] + new + m[3], text, flags=re.S)
    if count != 1:
        raise SystemExit(f"docs: {count} places fit {pattern}, must be 1")
    return changed


def records(page):
    rows = "".join(f"| `{m.name.decode()}` | {m.unit.decode()} | {('step', 'system')[m.scope]} | "
                   f"{'yes' if m.place else ''} | {'yes' if m.column else ''} | {m.meaning.decode()} |\n"
                   for m in metrics())
    return replace(page, r"(\n\| metric \| unit \|[^\n]*\n\|[-|]+\n)(.*?)(\n\n|\n$)", rows.rstrip("\n"))


def names(wanted):
    """A list of names, in lines of at most 104 characters where one is too short."""
    text = ", ".join(f'"{name}"' for name in wanted)
    lines = textwrap.wrap(text, 94)
    return text if len(text) < 65 else "\n          " + "\n          ".join(lines) + "\n        "


def schema(text):
    """Members of errors and of traces: all that are there are named, and there are so many."""
    for scope, errors, trace, more in ((STEP, "step_errors", "step_trace", ["step_size", "linear_iterations"]),
                                       (SYSTEM, "system_errors", "system_trace", [])):
        judged = [m.name.decode() for m in metrics() if m.scope == scope]
        traced = sorted((m for m in metrics() if m.scope == scope and m.place), key=lambda m: m.place)
        for member, listed in ((errors, judged),
                               (trace, ["iteration", *(m.name.decode() for m in traced), *more])):
            text = replace(text, rf'("{member}": {{[^$]*?"enum": \[)([^]]*)(\])', names(listed))
            text = replace(text, rf'("{member}": {{[^$]*?"minProperties": )(\d+)(,)', str(len(listed)))
    return text


def query(page):
    begin = page.index("### cases: ")
    return page[:begin] + said("query", "--schema")


def rules(page):
    return replace(page, r"(\n<!-- ncpbench compare --words -->\n\n)(.*?)(\n\n<!-- end of it -->\n)",
                   said("compare", "--words").rstrip("\n"))


def commands(page):
    missing = [name for name in re.findall(r"^  (\w+)  ", said("--help"), re.M) if f"\n| `{name}` | " not in page]
    if missing:
        raise SystemExit(f"docs: docs/reference/commands.md says nothing of {', '.join(missing)}")
    return page


CONSTANTS = ROOT / "solvers/outer/proximal_newton/parameters.h"
ORIGINS = ("measured", "tuned", "safe", "unvaried")


def numbers_elsewhere(text):
    """Numbers that are constants of a method: named ones, and decimal ones, but for tables of 0 and 1."""
    code = re.sub(r"/\*.*?\*/|\"[^\"\n]*\"", " ", text, flags=re.S)
    code = re.sub(r"^#include.*$", "", code, flags=re.M)
    return (re.findall(r"^#define +\w+ +\(?[-\d].*$", code, flags=re.M) + re.findall(r"enum *{[^}]*= *\d[^}]*}", code) +
            [number for number in re.findall(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?", code)
             if float(number) not in (0, 1)])


def constants(page):
    """The table of the default's constants, which are all of them, and each is used."""
    sources = {path: path.read_text() for part in ("proximal_newton", "interior_point")
               for path in (*sorted((ROOT / "solvers/outer" / part).glob("*.[ch]")), ROOT / f"solvers/outer/{part}.c")
               if path != CONSTANTS}
    faults = [f"{path.relative_to(ROOT)}: {number} belongs into {CONSTANTS.name}"
              for path, text in sources.items() for number in numbers_elsewhere(text)]
    lines, count = [], 0
    for line in CONSTANTS.read_text().split("\n"):
        if title := re.fullmatch(r"/\* --- (.*?) --- \*/", line):
            lines += ["", f"## {title[1][0].upper()}{title[1][1:]}", "", "| constant | value | meaning | origin |",
                      "|---|---|---|---|"]
        elif line.startswith("#define ") and not line.endswith("_H"):
            row = re.fullmatch(r"#define (NB_\w+) (?:NB_REAL\()?([-+.\de]+)\)? +/\* (.*); (\w+) +\*/", line)
            if not row or row[4] not in ORIGINS:
                faults.append(f"{CONSTANTS.name}: a row is NAME VALUE, a meaning; one of {', '.join(ORIGINS)}: {line}")
                continue
            if not any(re.search(rf"\b{row[1]}\b", text) for text in sources.values()):
                faults.append(f"{CONSTANTS.name}: nothing reads {row[1]}")
            meaning = row[3].replace("|", "\\|")
            lines.append(f"| `{row[1][3:]}` | {row[2]} | {meaning} | {row[4]} |")
            count += 1
    if faults:
        raise SystemExit("docs: " + "\ndocs: ".join(faults))
    page = replace(page, r"(\n)(\d+)( constants)", str(count))
    return page[:page.index("\n## ")] + "\n".join(lines) + "\n"


def asked(page):
    """Each table below a comment with a file of records and a statement."""
    def answer(match):
        header, *rows = csv.reader(said("query", ROOT / match[2], match[3], "--csv").splitlines())
        lines = ["|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|" for cells in (header, *rows)]
        return match[1] + "\n".join([lines[0], "|" + "---|" * len(header), *lines[1:]]) + "\n\n"
    return re.sub(r"(<!-- (data/(?:records|evidence)/\S+)\n(.*?) -->\n\n)(?:\|[^\n]*\n)*\n*", answer, page, flags=re.S)


NUMBER = r"(<!--\s*(\{[^}]*\})\s*-->)(?:[-+]?\d[-+.\de]*(?:\s+to\s+[-+]?\d[-+.\de]*)?(?<![.+-]))?"


def filled(page):
    """The number behind each comment: what a claim that has the comment as its note tells of our records."""
    asks = [" ".join(match[1].split()) for match in re.findall(NUMBER, page)]
    if not asks:
        return page
    claim = "[claim n{}]\nsource = s\nsays = t\nwhere = kind=*\nvalue = zeros\nat_most = 0\n" \
            "expected = not_decided\ncommand = c\nnote = {}\n"
    with tempfile.NamedTemporaryFile("w", suffix=".list") as file:
        file.write("\n".join(claim.format(number, ask) for number, ask in enumerate(asks)))
        file.flush()
        answer = subprocess.run([BUILD / "ncpbench", "claims", "--list", file.name, "--json"], capture_output=True, text=True)
    if not answer.stdout:
        raise SystemExit(f"docs: {answer.stderr}")
    notes = [claim["note"] for claim in json.loads(answer.stdout)["claims"]]
    for ask, note in zip(asks, notes):
        if "(" in note:
            raise SystemExit(f"docs: {ask}: {note}")
    return re.sub(NUMBER, lambda match: match[1] + notes.pop(0), page)


def note_of(page):
    return filled(asked(page))


def main(words):
    if words not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    differ = []
    for path, make in (("docs/reference/records.md", records), ("data/record.schema.json", schema),
                       ("docs/reference/query.md", query), ("docs/theory/comparisons.md", rules),
                       ("docs/reference/commands.md", commands), ("docs/reference/constants.md", constants),
                       *((str(page.relative_to(ROOT)), note_of) for folder in ("notes", "guide", "theory")
                         for page in sorted((ROOT / "docs" / folder).glob("*.md")))):
        old = (ROOT / path).read_text()
        new = make(old)
        if new != old:
            differ.append(path)
            if not words:
                (ROOT / path).write_text(new)
    for path in differ:
        print(f"docs: {path} {'is not what the program says: make docs' if words else 'is rewritten'}")
    return 1 if words and differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
