#!/usr/bin/env bash
# The collection's script on a recipe of three lines, and the evidence's page of a sweep over what it made.
set -euo pipefail
cd "$(dirname "$0")/../.."
ncpbench=$PWD/${BUILD:-build}/ncpbench scripts=$PWD/scripts
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "test_collection: $*" >&2; exit 1; }
cd "$folder"
mkdir lists
cat >lists/collection.recipe <<'END'
rest two_boxes ratio=10,20 steps=1:5:2
planted generate contacts=2 seed=1..2
infeasible generate contacts=2 opposed=1 # none has a solution
END
collection() { PROGRAM=$ncpbench LISTS=lists "$scripts/collection.py" "$@" collection/small 2>&1; }

collection --write | grep -q 'collection.list: 9 problems' || fail "not nine problems: 2 of 3 steps, 2 and 1"
[ "$(ls collection/small/rest)" = "$(printf 'two_boxes-ratio_%s.h5\n' {10,20}-000{1,3,5})" ] || fail "names of steps"
(cd collection/small && sha256sum --quiet -c ../../lists/collection.list) || fail "sha256sum cannot read the list"
cp -r collection first

# The same again, of nothing; a damaged file is made anew; another hash in the list is told.
rm -r collection
collection >/dev/null || fail "made again, other bytes"
diff -r first collection || fail "made again, other files"
echo damage >>collection/small/rest/two_boxes-ratio_10-0003.h5
collection >/dev/null || fail "a damaged file was not made anew"
cmp first/small/rest/two_boxes-ratio_10-0003.h5 collection/small/rest/two_boxes-ratio_10-0003.h5
sed -i '1s/^................/0123456789abcdef/' lists/collection.list
collection >said && fail "a file with another hash passes"
grep -q 'another SHA-256 than the list' said || fail "the file with another hash is not named"
echo 'rest two_boxes ratio' >lists/collection.recipe
collection >said && fail "a line without a value passes"
grep -q 'collection.recipe:1: expected CLASS SOURCE' said || fail "the line is not named"

cat >small.sweep <<'END'
[sweep]
name = small
floors = no
[group all]
problem = collection/small/*/*.h5
solver = proximal_newton, nsgs
newton_iters = 300
tol = 1e-4, 1e-8
END
"$ncpbench" sweep small.sweep -o small.jsonl >/dev/null
"$scripts/evidence/page.py" small.jsonl -o page.html | grep -q '9 problems, 2 solvers' || fail "the page's counts"
# Another reading of the same records: what is solved, and how fast, is in the page as it is here.
python3 - <<'END'
import json
page = open("page.html").read()
data = json.loads(page.split('id="data">')[1].split("</script>")[0])
embedded = {(p["hash"], s, float(t)): run for p in data["problems"] for t, runs in p["runs"].items()
            for s, run in runs.items()}
records = [r for r in map(json.loads, open("small.jsonl")) if r["kind"] == "case"]
assert len(records) == len(embedded) == 36, (len(records), len(embedded))
for r in records:
    c = r["settings"]
    time, ending, error, _ = embedded[c["problem_hash"], c["solver"], c["tol"]]
    right = "infeasible" if "/infeasible/" in c["problem_file"] else "converged"
    floor = right == "converged" and r["ending"] == "accuracy_floor" and r["errors"]["step_error"] <= c["tol"]
    assert (ending == "solved") == (r["ending"] == right or floor), (ending, r["ending"], c["problem_file"])
    assert (time is not None) == (ending == "solved") and error == r["errors"]["step_error"]
    assert time is None or abs(time - 1e3 * sorted(r["times"]["solve"])[2]) < 1e-9 * time
assert sum(run[1] == "solved" for run in embedded.values()) >= 18
END

# In a browser the matrix has names in at most two lines where there is room, and a heading sorts it. Skipped without one.
browser=$(command -v chromium || command -v google-chrome || true)
if [ -n "$browser" ]; then
    cat page.html - >opened.html <<'END'
<script>addEventListener("load", () => {
    const cells = [...document.querySelectorAll(".cases th[scope=row]")];
    const lines = Math.max(...cells.map(c => new Set([...c.firstChild.getClientRects()].map(r => Math.round(r.top))).size));
    const first = () => document.querySelector(".cases th[scope=row]").textContent.trim(), before = first();
    document.querySelector("[data-sort=problem]").click();
    document.title = `rows ${cells.length} lines ${lines} turned ${before !== first()}`;
});</script>
END
    for width in 1400 420; do
        "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$folder/browser" --window-size=$width,900 \
            --virtual-time-budget=20000 --dump-dom "file://$PWD/opened.html" >dom 2>/dev/null
        grep -o '<title>rows 9 lines [0-9]* turned true' dom >said || fail "the matrix in a browser: $(grep -o '<title>.*' dom)"
        [ $width = 420 ] || [ "$(cut -d ' ' -f 4 said)" -le 2 ] || fail "names have more than two lines: $(cat said)"
    done
fi

# Records that may join: all of these; and what is wrong with one is told.
check() { "$ncpbench" submit "$@" --list right.list --problems collection/small; }
(cd collection/small && sha256sum ./*/*.h5) >right.list
check small.jsonl --sample 4 -o thin.jsonl.gz >said || fail "right records are refused: $(cat said)"
grep -q '36 records as they should be, 0 faults.* 4 solved and judged again' said || fail "$(cat said)"
"$scripts/evidence/page.py" thin.jsonl.gz -o thin.html >/dev/null
cmp page.html thin.html || fail "a submission makes another page"
[ "$(zcat thin.jsonl.gz | wc -c)" -lt "$(wc -c <small.jsonl)" ] || fail "a submission is not smaller"
"$ncpbench" query thin.jsonl.gz "select count(*) from cases" | grep -q 36 || fail "a submission is not records"
# A site of two submissions, one of them with a picture, of the problem that has shapes, where gnuplot is.
mkdir -p some/rest some/planted mine
cp collection/small/rest/two_boxes-ratio_10-0001.h5 some/rest
cp collection/small/planted/*seed_1*.h5 some/planted
if command -v gnuplot >/dev/null; then
    PROGRAM=$ncpbench "$scripts/evidence/pictures.py" some -o mine/pictures.zip >said || fail "no pictures"
    grep -q ': 1 pictures; without shapes: ' said || fail "$(cat said)"
fi
mv thin.jsonl.gz mine/mine.jsonl.gz
"$ncpbench" report small.jsonl mine/ --site site | grep -q '9 problems, 4 solvers' || fail "the site's counts"
cmp mine/mine.jsonl.gz site/records/mine/mine.jsonl.gz || fail "a submission's records are not in the site"
[ ! -e mine/pictures.zip ] || [ "$(ls site/pictures)" = "$(sha256sum some/rest/*.h5 | cut -c 1-64).png" ] ||
    fail "the site's pictures"
grep -q '"mine: nsgs": 0' site/index.html || fail "solvers of two submissions, one machine: are not told apart"
! "$ncpbench" report small.jsonl small.jsonl --site site >said 2>&1 || fail "two submissions of one name pass"
grep -q 'two submissions of one name: small' said || fail "$(cat said)"
# A step whose answer `solve` sharpens, which its record, of a sweep, does not tell of.
mkdir -p later/rest
"$ncpbench" export two_boxes --step 3 -o later/rest/later.h5 >/dev/null
(cd later && sha256sum ./*/*.h5) >later.list
printf '[sweep]\nname = later\nfloors = no\n[group all]\nproblem = later/rest/later.h5\nsolver = apgd\ntol = 1e-4\n' >later.sweep
"$ncpbench" sweep later.sweep -o later.jsonl >/dev/null
"$ncpbench" solve later/rest/later.h5 --solver apgd --tol 1e-4 --floor no >said
grep -q 'more for sharper velocities' said || fail "the answer is not gone on with: $(cat said)"
"$ncpbench" submit later.jsonl --list later.list --problems later >said || fail "a sharpened answer: $(cat said)"
grep -q 'of 1 solved ones 1 solved and judged again' said || fail "$(cat said)"
# What is no file, no record, or cut is told in a line.
head -c 1000 mine/mine.jsonl.gz >cut.jsonl.gz
echo '[]' >none.jsonl
printf 'version https://git-lfs.github.com/spec/v1\n' | tee away.jsonl >away.jsonl.gz
for file in absent.jsonl cut.jsonl.gz none.jsonl away.jsonl away.jsonl.gz; do
    ! "$ncpbench" report $file --site other >said 2>&1 || fail "a site of $file"
    [[ $file != away* ]] || grep -q 'git lfs pull' said || fail "$(cat said)"
    [ "$(wc -l <said)" = 1 ] && grep -q "$file" said || fail "$(cat said)"
done
for file in absent.jsonl cut.jsonl.gz away.jsonl; do
    ! check $file >said 2>&1 || fail "$file passes"
    [ "$(wc -l <said)" = 1 ] && grep -q '^submit.py: ' said || fail "$(cat said)"
done
# A link that lies where a record is to be is not followed; without room there is no part of a file.
mkdir -p linked/records/small
echo precious >victim
ln -s "$PWD/victim" linked/records/small/small.jsonl
"$ncpbench" report small.jsonl --site linked >/dev/null || fail "no site beside a link"
[ "$(cat victim)" = precious ] && cmp -s small.jsonl linked/records/small/small.jsonl || fail "a link was followed"
(ulimit -f 8 && "$ncpbench" report small.jsonl --site roomless >said 2>&1) && fail "a site without room"
[ "$(wc -l <said)" = 1 ] && grep -q small.jsonl said && [ -z "$(find roomless -type f)" ] || fail "$(cat said; find roomless)"
refused() { # WORDS SUBSTITUTION: of the first converged record
    grep -m 1 '"ending":"converged"' small.jsonl | sed "$2" >wrong.jsonl
    ! check wrong.jsonl -o wrong.gz >said || fail "$2 passes"
    grep -q "$1" said || fail "$2: $(cat said)"
    [ ! -e wrong.gz ] || fail "$2 is written"
}
refused 'not a record' 's/"errors"/"terrors"/'
refused 'is not in the list' 's/"problem_hash":"..../"problem_hash":"0000/'
refused 'no provenance: cpu' 's/"cpu":"[^"]*"/"cpu":""/'
refused 'converged with an error of 0.5' 's/"step_error":[^,]*,"step_pen/"step_error":0.5,"step_pen/'
refused 'its solution is judged' 's/"step_error":[^,]*,"step_pen/"step_error":9.9e-5,"step_pen/;s/"tol":[^,]*,/"tol":1e-4,/'
refused 'solved without times' 's/"solve":\[[^]]*\]/"solve":[]/'
