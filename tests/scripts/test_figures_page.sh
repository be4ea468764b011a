#!/usr/bin/env bash
# The page of the papers' figures: one caption for what one figure file drew, which is its text and the verdicts of
# `claims`, and pictures in one scale. A figure has no hole between its key and its panels.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${BUILD:-build}/ncpbench
command -v gnuplot >/dev/null || { echo "skipped: gnuplot is missing"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/ncpbench-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
"$program" plot arch_creep data/records/arch.jsonl.gz --where shift=1e-08 --format png -o "$work" >/dev/null
cp "$work/arch_creep.png" "$work/arch_creep_shift_f64.png"
for name in gpu_size gpu_roofline figure18_f32; do cp docs/images/figure18.png "$work/$name.png"; done
scripts/figures.sh --page "$work"
"$program" claims --json >"$work/claims.json" || true # some are not as expected
"$program" plot curved_slide data/records/structure.jsonl.gz --format svg -o "$work" >/dev/null
"$program" plot figure6 data/records/functions.jsonl.gz --format svg -o "$work" >/dev/null
python3 - "$work" <<'END'
import glob, html, json, re, sys
page = open(f"{sys.argv[1]}/index.html").read()
def check(fact, text):
    if not fact:
        sys.exit(f"test_figures_page: {text}")
figures = page.split("<figure>")[1:]
check(len(figures) == 4, f"{len(figures)} figures for five pictures of four files")
for figure in figures:
    title = re.search(r"<p><b>(.+?)</b>\. \S", figure)
    check(title and not re.search(r"[a-z]_[a-z]", title[1]), "a figure without a caption: " + figure)
    check("`" not in figure, "a caption has a backtick: " + figure)
widths = dict(re.findall(r"<img id=(\S+) .*?width=(\d+)%", page))
check(int(widths["figure18_f32"]) >= 99, f"174 mm are {widths['figure18_f32']} % of the page")
check(46 <= int(widths["arch_creep"]) <= 50, f"84 mm are {widths['arch_creep']} % of the page")
check("name=viewport" in page, "a phone shrinks the page")
least = dict(re.findall(r"<img id=(\S+) .*?min-width:(\d+)px", page))
check(int(least["figure18_f32"]) >= 590 and least.keys() == widths.keys(), "a narrow screen shrinks figures' text")
claims = [c for c in json.load(open(f"{sys.argv[1]}/claims.json"))["claims"] if c["figure"] == "figure18"]
check(claims, "figure18 has no claims")
for claim in claims:
    line = f"<i>{claim['verdict'].replace('_', ' ')}</i> {claim['id']}: {html.escape(claim['says'])}"
    check(line in page, f"the page does not say {line}")
drawn = glob.glob(f"{sys.argv[1]}/*.svg")
check(len(drawn) >= 2, "no figures")
for path in drawn:
    texts = re.findall(r'translate\(([\d.]+),([\d.]+)\).*?<text>(.*?)</text>', open(path).read(), re.S)
    place = {re.sub(r"<.*?>|\s+", " ", text).strip(): float(y) for x, y, text in texts}
    key = max(y for text, y in place.items() if "across" in text or text in ("Fischer-Burmeister", "minimum map"))
    tick = min(y for text, y in place.items() if re.fullmatch(r"−?[\d.]+", text))
    gap = (tick - key) * 25.4 / 96
    check(2 < gap < 8, f"{path}: {gap:.1f} mm between key and panel")
END
