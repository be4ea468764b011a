#!/usr/bin/env bash
# The pages: lines of at most 120 characters, paragraphs of at most six lines, every relative link leads to a file and
# a heading, docs/index.md names every page, every option that a page gives to a command of ncpbench is one,
# tables are the program's (scripts/docs.py), and docs/reference/ledger.md has every claim and counts its rows.
set -euo pipefail
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
[ -n "${SANITIZE:-}" ] || BUILD=$BUILD python3 scripts/docs.py --check # python3 is not built with a sanitizer
exec python3 - "$BUILD/ncpbench" README.md CONTRIBUTING.md CHANGELOG.md docs/*.md docs/*/*.md <<'END'
import collections, fnmatch, os, re, subprocess, sys

program, pages = sys.argv[1], sys.argv[2:]
faults = []


def fault(page, line, what):
    faults.append(f"{page}:{line}: {what}")


def said(*arguments):
    run = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return run.stdout + run.stderr


def blocks(text):
    """(kind, number of the first line, lines): prose, code, table or heading; a list item is a paragraph."""
    kind, first, held, fence = None, 0, [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            now, fence = "code", not fence
        elif fence or re.match(r" {4,}\S", line) and (kind == "code" or not held):
            now = "code"
        elif not line.strip():
            now = "code" if kind == "code" and fence else None
        elif re.match(r"\s*\|", line):
            now = "table"
        elif re.match(r"#+ ", line):
            now = "heading"
        else:
            now = "prose"
        starts = now == "heading" or now == "prose" and re.match(r"\s*([-*]|\d+\.) ", line)
        if now != kind or starts:
            if held:
                yield kind, first, held
            kind, first, held = now, number, []
        if now:
            held.append(line)
    if held:
        yield kind, first, held


def anchors(text):
    """GitHub's names of the headings."""
    found = set()
    for kind, _, lines in blocks(text):
        if kind == "heading":
            name = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", lines[0].lstrip("#").strip()).lower()
            found.add(re.sub(r"[^\w\- ]", "", name).replace(" ", "-"))
    return found


known = {c: set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", said(c, "--help"))) | {"--help", "--plugin"}
         for c in re.findall(r"^  ([a-z]+) +\S", said(), re.M)}
known["help"] = {"--help"}
if len(known) < 10:
    sys.exit(f"test_docs: {program} names {len(known)} commands")


def check_commands(page, first, text):
    for call in re.finditer(r"(?<![\w/-])(?:build/)?ncpbench ((?:[^\n`#|;&]|\\\n)*)", text):
        line = first + text.count("\n", 0, call.start())
        words = call.group(1).replace("\\\n", " ").split()
        if not words or not re.fullmatch(r"[a-z]+", words[0]):
            continue
        if words[0] not in known:
            fault(page, line, f"ncpbench has no command {words[0]}")
            continue
        for word in words[1:]:
            option = re.match(r"--?[a-z][a-z-]*", word)
            if option and option.group() not in known[words[0]]:
                fault(page, line, f"ncpbench {words[0]} has no option {option.group()}")


texts = {page: open(page, encoding="utf-8").read() for page in pages}
for page, text in texts.items():
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 120:
            fault(page, number, f"{len(line)} characters")
    for kind, first, lines in blocks(text):
        if kind == "prose" and len(lines) > 6 and not lines[0].startswith("<!--"): # a statement of SQL is not shown
            fault(page, first, f"a paragraph of {len(lines)} lines")
        if kind == "code":
            check_commands(page, first, "\n".join(lines))
        else:
            for call in re.finditer(r"`(ncpbench [a-z]+ [^`]*)`", "\n".join(lines)):
                check_commands(page, first, call.group(1))
            for link in re.finditer(r"\]\(([^)\s]+)\)", "\n".join(lines)):
                path, _, anchor = link.group(1).partition("#")
                if re.match(r"[a-z]+:", path):
                    continue
                target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                if not os.path.exists(target):
                    fault(page, first, f"no file {target}")
                elif anchor and anchor not in anchors(texts.get(target) or open(target, encoding="utf-8").read()):
                    fault(page, first, f"{target} has no heading #{anchor}")
for page in pages:
    if page.startswith("docs/") and page != "docs/index.md" and f"]({page[5:]})" not in texts["docs/index.md"]:
        fault(page, 1, "is not in docs/index.md")
ledger = texts["docs/reference/ledger.md"]
in_rows = re.findall(r"`([a-z0-9_*]*_[a-z0-9_*]*)`", ledger)
for claim in re.findall(r"^\[claim (\S+)\]", open("data/claims.list", encoding="utf-8").read(), re.M):
    if not any(fnmatch.fnmatch(claim, name) for name in in_rows):
        fault("docs/reference/ledger.md", 1, f"has no row with the claim {claim}")
sources = collections.defaultdict(list)
for section in re.split("^## ", ledger, flags=re.M)[1:]:
    rows = re.findall(r"^\|[^|]+\|[^|]+\| (there|in part|not there) \| (.+) \|$", section, re.M)
    for source in (re.match("[^:\n]+", section).group(), "all"):
        sources[source] += rows
sums = {source: [len(rows)] + [sum(state == each for state, _ in rows) for each in ("there", "in part", "not there")]
        for source, rows in sources.items()}
said = ["| " + " | ".join(map(str, [source, *counts])) + " |" for source, counts in sums.items()]
said.append("Of {} methods".format(*sums["all"]))
said.append("{1} are there, {2} are there in part, and {3} are not there".format(*sums["all"]))
for reason, words in (("not built", "are not built"), ("out of scope", "are out of scope"),
                      ("not at hand", "need data"), ("others' times", "are times")):
    missing = sum(state == "not there" and here.startswith(reason) for state, here in sources["all"])
    said.append(f" {missing} {words}")
for words in said:
    if words not in " ".join(ledger.split()):
        fault("docs/reference/ledger.md", 1, f"its sums are others than its rows': it lacks {words}")
print("\n".join(faults) or f"test_docs: {len(pages)} pages", file=sys.stderr if faults else sys.stdout)
sys.exit(bool(faults))
END
