#!/usr/bin/env bash
# The page of `report --html` in a browser: its script sorts and filters the table of cases as its address says, chooses
# a matrix of verdicts, and nothing in a record, whatever it holds, becomes code. Skipped without Chromium.
set -eu
cd "$(dirname "$0")/../.."
program=$PWD/${BUILD:-build}/ncpbench
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "no Chromium to open the report's page in"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "report_page: $*" >&2; exit 1; }

# open FILE#ADDRESS OPTION...: runs the browser on a page; it sees nothing but the folder
open() {
    local page=$1
    shift
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --user-data-dir="$work/profile" --no-first-run --disable-background-networking "$@" "file://$work/$page" \
        2>"$work/browser.log" || fail "the browser failed on $page: $(tail -n 3 "$work/browser.log")"
}

# dump PAGE: what the script made of it, into page.dom
dump() { open "$1" --dump-dom >"$work/page.dom"; }

# rows: the problems of the rows that are shown, in order, with their preconditioners
rows() {
    tr '\n' ' ' <"$work/page.dom" | sed 's/<table/\n&/g; s/<\/table>/&\n/g' | grep '^<table id="case-table"' |
        sed 's/<tr/\n<tr/g' |
        grep '^<tr><th scope="row"' | # problem, four columns of how it ended, preconditioner
        sed 's/<tr><th scope="row">\([^<]*\)<\/th>\(<td[^>]*>[^<]*<\/td>\)\{4\}<td>\([^<]*\)<.*/\1 \3/; s/ $//'
}

# expect WHAT TEXT: the rows
expect() {
    [ "$(rows)" = "$2" ] || fail "$1: these rows are shown:
$(rows)
instead of:
$2"
}

# record PROBLEM PRECOND SECONDS ENDING ERROR: a case, as a line of a results file
record() {
    local time=$3
    printf '{"kind":"case","version":1,"key":"%s","settings":{"problem":"%s","problem_hash":"%s","mode":"step",' \
        "$(printf '%s' "$1$2" | cksum | cut -d ' ' -f 1)" "$1" "$(printf '%s' "$1" | cksum | cut -d ' ' -f 1)"
    printf '"solver":"newton","linear":"pcr","precond":"%s","precision":"f64"},"ending":"%s","detail":"",' "$2" "$4"
    printf '"errors":{"step_error":%s},"times":{"setup":0,"median":%s,"run":"r",' "$5" "$time"
    printf '"solve":[%s,%s,%s,%s,%s]},' "$time" "$time" "$time" "$time" "$time"
    printf '"trace":{"iteration":[0,1],"step_error":[1,%s]},' "$5"
    printf '"provenance":{"cpu":"c","date":"2026-11-25T10:24:21Z"}}\n'
}

evil='\"'"'"'><script>document.title=\"x\"</script><img src=x onerror=document.title=1>&amp;'
{
    record wall jacobi 0.010 converged 1e-9
    record wall ic0 0.002 converged 1e-9
    record heap jacobi 0.0005 converged 1e-9
    record heap ic0 0.1 stagnated 0.5
    record "$evil" jacobi 0.03 converged 1e-9
    record "$evil" ic0 0.02 "$evil" 0.25
} >"$work/records.jsonl"
"$program" report "$work/records.jsonl" --tol 1e-6 --html "$work/page.html"
shown='"'"'"'&gt;&lt;script&gt;document.title="x"&lt;/script&gt;&lt;img src=x onerror=document.title=1&gt;&amp;amp;'

dump page.html
expect "as written" "wall jacobi
wall ic0
heap jacobi
heap ic0
$shown jacobi
$shown ic0"
grep -q '<title>Report of ncpbench</title>' "$work/page.dom" || fail "a record has changed the page's title"
# However many settings differ, how a case ended stands in the window.
first=$(tr '\n' ' ' <"$work/page.dom" | sed 's/<table/\n&/g' | grep '^<table id="case-table"' |
    grep -o 'data-key="[a-z_]*"' | head -n 6 | cut -d '"' -f 2 | paste -sd ' ')
[ "$first" = "problem ending error time iterations precond" ] || fail "the table of cases begins with $first"
grep -q '>6 of 6 cases</output>' "$work/page.dom" || fail "the number of cases is not told"

# has WHAT TEXT: the page as it is drawn holds the text
has() {
    tr '\n' ' ' <"$work/page.dom" | sed 's/  */ /g' | grep -qF -- "$2" || fail "$1: \"$2\" is missing in the page"
}
has "the fastest" '<a href="#problem=wall&amp;precond=ic0">best</a><small>2.00 ms</small>'
has "a slower one" '<a href="#problem=wall&amp;precond=jacobi">5.00 ×</a><small>10.0 ms</small>'
has "a failure" '<a href="#problem=heap&amp;precond=ic0">stagnated</a><small>error 5e-1</small>'
has "what is behind a cell" 'precond ic0 stagnated, error 5e-1"'
has "the sum over problems" '<tr><th scope="row">reach it</th><td>3 of 3</td><td>1 of 3</td>'
has "the median with failures" '<td>∞</td>'
has "the comparison" '<h2>Comparisons by precond</h2>'
has "its verdict" '<td class="verdict open"> faster, but fails more often</td><td class="n">3</td>'
has "endings" '<a href="#ending=converged">converged</a></th><td class="n">4</td><td class="n">4</td>'
has "endings of others" '<th scope="row">others</th><td class="n">1</td>'
has "common settings" 'linear <b>pcr</b>'
has "the hash" "<td class=\"hash\">$(printf wall | cksum | cut -d ' ' -f 1)</td>"
has "the machine" '<th scope="row">processor</th><td>c</td>'
has "the date" '<time datetime="2026-11-25T10:24:21Z">2026-11-25 10:24 UTC</time>'
has "the command" "--tol 1e-6 --html "
has "links to sections" '<a href="#comparisons">Comparisons</a>'

# By time, as numbers, failures last.
dump page.html#sort=time
expect "sorted by time" "heap jacobi
wall ic0
wall jacobi
$shown jacobi
heap ic0
$shown ic0"
grep -q 'data-key="time"[^>]*aria-sort="ascending"' "$work/page.dom" || fail "the heading does not tell what is sorted"

# The largest first, failures last nevertheless; a value of a list and all words of the filter.
dump 'page.html#sort=-time&precond=jacobi&filter=P%20CONV'
expect "jacobi by time, the largest first" "$shown jacobi
heap jacobi"
grep -q '>2 of 6 cases</output>' "$work/page.dom" || fail "the number of cases that are shown is not told"

# Another matrix of verdicts; a command's words are quoted as a shell reads them.
cp "$work/records.jsonl" "$work/it's.jsonl"
record wall none 0.004 converged 1e-9 | sed 's/"pcr"/"pcg"/' >>"$work/it's.jsonl"
"$program" report "$work/it's.jsonl" --tol 1e-6 --html "$work/other.html"
dump 'other.html#axis=linear'
has "the matrix of another setting" '<th scope="col">pcr</th><th scope="col">pcg</th>'
has "what is chosen" '<input type="radio" name="axis" id="axis1" value="linear">'
has "a quoted word" "/it'\\''s.jsonl' --tol 1e-6"

# Where the median is a failure there is no time to tell.
{
    record wall jacobi 0.010 converged 1e-9
    record wall ic0 0.002 stagnated 0.5
    record heap jacobi 0.1 stagnated 0.5
    record heap ic0 0.1 stagnated 0.5
} >"$work/half.jsonl"
"$program" report "$work/half.jsonl" --tol 1e-6 --html "$work/half.html"
dump half.html
has "the best of few" 'on 1 of 2 problems, and reaches the tolerance on 1.</p>'

# What cannot be read is no choice.
dump 'page.html#sort=nonsense&wrong=%&%ZZ=1'
[ "$(rows | wc -l)" -eq 6 ] || fail "an address without sense hides rows"

open page.html --window-size=390,1200 --screenshot="$work/narrow.png" >"$work/said"
[ "$(wc -c <"$work/narrow.png")" -gt 20000 ] || fail "the picture of the page is empty"
if grep -iE 'https?://' "$work/page.html" | grep -v 'xmlns'; then fail "the page refers to the network"; fi
