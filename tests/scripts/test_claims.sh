#!/usr/bin/env bash
# The claims of the papers on the records that come with the program: as the list expects; not where one number of a
# copy is falsified; a list that is damaged gets one line that names file, line, section and key; and the page of the
# verdicts is what is made of what the program says.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
program=$root/${BUILD:-build}/ncpbench
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "test_claims: $1" >&2; exit 1; }

# expect CODE COMMAND...: its output into $folder/out
expect() {
    local code=0
    "${@:2}" >"$folder/out" 2>&1 || code=$?
    [ $code -eq "$1" ] || { tail -n 5 "$folder/out" >&2; fail "exit $code, not $1: ${*:2}"; }
}

expect 0 "$program" claims --complete
tail -n 1 "$folder/out" | grep -q 'none differs' || fail "no count at the end"
expect 0 scripts/paper/page.py "$folder/paper.md"
cmp "$folder/paper.md" docs/reference/paper.md || fail "docs/reference/paper.md is not what make paper-page writes"

# Each verdict could have come out otherwise, and its control does.
expect 0 "$program" claims --complete --check
tail -n 1 "$folder/out" | grep -q ' 0 are refused' || fail "a claim that nothing could turn: $(grep REFUSED "$folder/out")"

# What is judged on a scene that a seed makes is judged for each of several, or departs by having one; runs of
# ncpbench_studies iterations have seeds of their own.
seeded=$(grep -l '"seed"' problems/scenes/*.c | sed 's|.*/||; s|[.]c$||' | paste -sd'|')
awk -v scene="(scene|problem)=[^ ]*($seeded|tables_)" 'function look() {
         if (claim && (where " " a " " b) ~ scene && !varies && departs !~ /seed/ && where !~ /kind=iterations/) print id
         where = a = b = departs = varies = key = ""
     }
     /^\[/ { look(); claim = /^\[claim/; id = $0; next }
     /^[a-z_]+ =/ { key = $1; $1 = $2 = "" }
     key == "where" { where = where " " $0 }
     key == "a" { a = a " " $0 }
     key == "b" { b = b " " $0 }
     key == "varies" { varies = 1 }
     key == "departs" { departs = departs " " $0 }
     END { look() }' data/claims.list >"$folder/seeds"
[ ! -s "$folder/seeds" ] || fail "a claim on a scene with a seed neither varies it nor says so: $(cat "$folder/seeds")"

# A part that a command names is one, whatever line it stands in.
for part in $(tr '\n' ' ' <data/claims.list | grep -oE 'make paper +P=("[^"]*"|[a-z_]+)' | sed 's/.*P=//' | tr -d '"'); do
    [ -x "scripts/paper/parts/$part.sh" ] || fail "data/claims.list names the part \"$part\", which scripts/paper/parts has not"
done

# No claim calls a scene missing that is one.
scenes=$(ls problems/scenes/*.c | sed 's|.*/||; s|[.]c$||' | paste -sd'|')
! tr '\n' ' ' <data/claims.list | grep -oE "($scenes)[a-z ]* (is|are) not here" || fail "these scenes are here"

# Results in notes come from the records: outside of {} there are no decimals, no powers of ten and no units.
awk 'function look() {
         gsub(/[{][^}]*[}]/, "", note)
         gsub(/(appendix|equation|section|algorithm|formula) [0-9.]+/, "", note)
         if (note ~ /[0-9][.][0-9]|[0-9]e-?[0-9]|[0-9] (m|mm|cm|s|ms|J|N|%|times|of)[^a-z]/) print id ":" note
         note = ""
     }
     /^\[/ { look(); claim = /^\[claim/; id = $0 }
     /^[a-z_]+ =/ { on = claim && /^note =/; sub(/^note =/, "") }
     on { note = note " " $0 }
     END { look() }' data/claims.list >"$folder/notes"
[ ! -s "$folder/notes" ] || fail "a number in a note that is not read from the records: $(cat "$folder/notes")"

# The page of the claims that were faulted has today's verdicts: of each, or of what it has become.
awk -F' *[|] *' '
    FNR == NR && /^\[/ { id = /^\[claim / ? substr($0, 8, length($0) - 8) : "" }
    FNR == NR && id && /^not_testable/ { now[id] = "not testable" }
    FNR == NR && id && sub(/^expected = /, "") { sub(/^does_/, ""); sub(/_hold$/, ""); sub(/_/, " "); now[id] = $0 }
    FNR == NR || !/^[|] `/ { next }
    { id = substr($2, 2, length($2) - 2) }
    !(id in now) && $5 == "gone" { next }
    !(id in now) && match($6, /`[a-z0-9_]+`/) { id = substr($6, RSTART + 1, RLENGTH - 2) }
    now[id] != $5 { print id ": " $5 " on the page, " now[id] " in the list" }' \
    data/claims.list docs/notes/claims-faulted.md >"$folder/faulted"
[ ! -s "$folder/faulted" ] || fail "docs/notes/claims-faulted.md: $(cat "$folder/faulted")"
counted=$(awk -F' *[|] *' '/^[|] `/ { ++rows; gone += $5 == "gone"; other += $5 != "gone" && $4 != $5 }
    END { print "faulted " rows ". The verdict of " other " is another one since, and " gone " claims are gone" }' \
    docs/notes/claims-faulted.md)
tr '\n' ' ' <docs/notes/claims-faulted.md | grep -qF "$counted" ||
    fail "docs/notes/claims-faulted.md does not say what its table does: $counted"

# One number: half of a matrix of the spectra is said to be full.
gunzip -c data/records/spectra.jsonl.gz | sed 's/"fill":0\.24/"fill":0.94/' >"$folder/spectra.jsonl"
cmp -s "$folder/spectra.jsonl" <(gunzip -c data/records/spectra.jsonl.gz) && fail "nothing was falsified"
others=()
for file in data/records/*.jsonl.gz; do [ "$file" = data/records/spectra.jsonl.gz ] || others+=("$file"); done
expect 1 "$program" claims "${others[@]}" "$folder/spectra.jsonl"
[ "$(grep -c DIFFERS "$folder/out")" -eq 1 ] || fail "not one claim differs"
grep DIFFERS "$folder/out" | grep -q fn_fig6_sparser || fail "another claim than that of the fill differs"

# Records of two builds: told, where a claim compares them, and refused.
gunzip -c data/records/conditions.jsonl.gz | sed 's/"commit":"[^"]*"/"commit":"one"/' >"$folder/one.jsonl"
awk '/"kind": *"conditioning"/ && n++ < 2 { sub(/"commit":"one"/, "\"commit\":\"two\"") } 1' "$folder/one.jsonl" \
    >"$folder/two.jsonl"
expect 0 "$program" claims "$folder/one.jsonl" --only fig28_mirror --check
expect 1 "$program" claims "$folder/two.jsonl" --only fig28_mirror --check
grep -q 'REFUSED: its records are of several builds' "$folder/out" || fail "two builds: $(cat "$folder/out")"
"$program" claims "$folder/two.jsonl" --only fig28_mirror --json >"$folder/out"
grep -qE '"builds": ?"(one,two|two,one)"' "$folder/out" || fail "the builds are not told: $(cat "$folder/out")"

# What is far beyond its threshold needs records as its control, and of b, too, they are those of another set-up.
mass='where = kind=conditioning vary=ratio
a = system=dual
b = system=primal
each = vary
value = condition:last
at_least'
wide() {
    printf '%s\n' '[claim wide]' 'source = a paper' 'says = It is so.' "$mass = $1" ${2:+"$2"} 'expected = holds' \
        "leaves_out = ${5:-vary: section 1}" 'command = make it' >"$folder/wide.list"
    expect "$3" "$program" claims data/records/conditions.jsonl.gz --list "$folder/wide.list" --check --complete
    grep -qF "$4" "$folder/out" || fail "not \"$4\": $(cat "$folder/out")"
}
wide 1000 '' 0 ' 0 are refused'
wide 1.5 '' 1 'REFUSED: it has no control'
wide 1.5 'against = vary=stiffness_ratio' 0 ' 0 are refused'
wide 1.5 'against = vary=ratio' 1 'REFUSED: its control fulfils it as well'

# What is left out is said, and nothing else.
wide 1000 '' 1 'REFUSED: it leaves cases out, and does not say why: vary' 'scene: section 1'
wide 1000 '' 1 'REFUSED: it says why it leaves cases out, and does not: scene' 'vary scene: a choice: it is ours'

# Without records there is no difference, unless all are asked for.
expect 0 "$program" claims data/records/spectra.jsonl.gz
expect 1 "$program" claims data/records/spectra.jsonl.gz --complete
expect 2 "$program" claims data/records/spectra.jsonl.gz --only 'no_such*'
# Those of one verdict alone, and no others.
expect 0 "$program" claims --verdict 'does not hold'
grep -q '^does not hold ' "$folder/out" && ! grep -q '^holds ' "$folder/out" || fail "--verdict: $(cat "$folder/out")"

claim='[claim one]
source = a paper, figure 1
says = It is so.
where = kind=fill
value = fill
at_most = 1
expected = holds
command = make it'

# refused LIST TEXT: one line, with the file's name, and this text
refused() {
    printf '%s\n' "$1" >"$folder/bad.list"
    expect 2 "$program" claims data/records/conditions.jsonl.gz --list "$folder/bad.list"
    [ "$(wc -l <"$folder/out")" -eq 1 ] || fail "more than one line about: $1"
    grep -qF "bad.list:" "$folder/out" || fail "no file and line: $(cat "$folder/out")"
    grep -qF -- "$2" "$folder/out" || fail "not \"$2\": $(cat "$folder/out")"
}

printf '%s\n' "$claim" >"$folder/good.list"
expect 0 "$program" claims data/records/spectra.jsonl.gz --list "$folder/good.list"
refused "$claim"$'\n\n'"$claim" 'a second section [claim one]; the first is in line 1'
refused "$claim"$'\nat_most = 2' 'the key is set twice'
refused "$claim"$'\nat_leats = 2' 'unknown key "at_leats" in [claim one]'
refused "$claim"$'\nat_least = 2' '[claim one] at_most: exactly one of at_most, at_least and equals'
refused "${claim/at_most = 1/}" '[claim one] at_most: exactly one of at_most, at_least and equals'
refused "${claim/at_most = 1/at_most = many}" '[claim one] at_most: "many" is not a number'
refused "$claim"$'\ntolerance = 11' '[claim one] tolerance: 11 is out of range; allowed: 0 to 10'
refused "$claim"$'\nshare = 0' '[claim one] share: 0 is out of range; allowed: 0 < value <= 1'
refused "$claim"$'\nneeds = 1.5' '[claim one] needs: "1.5" is not a whole number; allowed: 1 to 1000000'
refused "${claim/value = fill/value = fill:middle}" 'allowed: none,last,first'
refused "${claim/value = fill/value = fill:middle}" 'not "fill:middle"'
refused "$claim"$'\nalong = 5' '[claim one] along: must be two indices of traces'
refused "${claim/value = fill/value = fill:last}"$'\nalong = 1 5' '[claim one] along: reads a trace entry by entry'
refused "$claim"$'\nconverged = fill' '[claim one] converged: must be VALUE LIMIT'
refused "$claim"$'\nbreakdown = maybe' '[claim one] breakdown: unknown value "maybe"'
refused "$claim"$'\nfloor = 0' '[claim one] floor: 0 is out of range'
refused "$claim"$'\npool = medians\nreaches = 1' '[claim one] pool: medians are not of shares'
refused "$claim"$'\nagainst = kind' '[claim one] against: expected NAME=VALUE'
refused "${claim/kind=fill/kind}" '[claim one] where: expected NAME=VALUE'
refused "${claim/expected = holds/expected = maybe}" '[claim one] expected: unknown value "maybe"'
refused "${claim/source = a paper, figure 1/}" '[claim one] source: missing'
refused "${claim/command = make it/}" '[claim one] command: missing'
refused "$claim"$'\neach = problem' '[claim one] each: pairs a with b, which is missing'
refused "$claim"$'\naccuracy = 1e-8' '[claim one] accuracy: only of value = time, whole_time or iterations'
refused "$claim"$'\nleaves_out = problem' '[claim one] leaves_out: must be NAME...: REASON'
refused "$claim"$'\nleaves_out = problem: as it suits' '[claim one] leaves_out: must be NAME...: REASON'
refused "$claim"$'\nnot_testable = why' '[claim one] where: not beside not_testable'
refused '[claims one]' 'unknown section [claims one]; known: [claim ID], [system ID]'
refused 'source = a paper' 'a key outside of any section'
refused '[system one]
source = a paper, figure 1
says = A heap' '[system one] state: missing'
refused "$claim"$'\n?' 'neither a section nor key = value'
: >"$folder/bad.list"
expect 2 "$program" claims --list "$folder/bad.list"
expect 2 "$program" claims --list "$folder/missing.list"
echo "test_claims: the list, the records and the page agree"
