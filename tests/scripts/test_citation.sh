#!/usr/bin/env bash
# CITATION.cff: what the schema of CFF 1.2.0 demands, the seeds' papers with their authors, and two lines to be filled
# when it is published, which are fields once they are: how a page says to cite it has the DOI then.
set -euo pipefail
cd "$(dirname "$0")/../.."
python3 - <<'END'
import pathlib, re, sys, tempfile
sys.path.insert(0, "scripts/evidence")
import page
def check(fact, text):
    if not fact:
        sys.exit(f"test_citation: {text}")
text = pathlib.Path("CITATION.cff").read_text(encoding="utf-8")
fields = re.findall(r"(?m)^([a-z-]+):", text)
known = {"cff-version", "title", "message", "type", "license", "version", "date-released", "authors", "keywords",
         "references", "repository-code", "doi"}
check(set(fields) <= known and len(fields) == len(set(fields)), f"fields {fields}")
check({"cff-version", "title", "message", "authors"} <= set(fields), "a field that CFF demands is missing")
check(re.search(r"(?m)^date-released: \d{4}-\d\d-\d\d$", text), "the date is none")
for family in ("Macklin", "Erleben", "Silcowitz", "Niebe", "Verschoor", "Jalba", "Todorov", "Tisseur"):
    check(f"family-names: {family}" in text, f"{family} is not among the authors of what is to be cited")
for doi in re.findall(r"(?m)^ *doi: *(\S+)", text):
    check(re.fullmatch(r"10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;.()\[\]\\-]+", doi), f"{doi} is no DOI")
for field in ("repository-code", "doi"):
    check((field in fields) != bool(re.search(rf"(?m)^# {field}: ", text)), f"{field} is neither there nor to be filled")
filled = re.sub(r"(?m)^# doi: .*", "doi: 10.5281/zenodo.1234567", text)
with tempfile.TemporaryDirectory() as folder:
    page.ROOT = pathlib.Path(folder)
    (page.ROOT / "CITATION.cff").write_text(filled, encoding="utf-8")
    said = page.citation()
    check(re.match(r"10\.", said["doi"] or ""), f"the filled DOI is not said: {said}")
    check(said["authors"] and said["year"].isdigit(), f"how to cite it: {said}")
END
