#!/usr/bin/env bash
# What figures write keeps within its panel and apart: titles of every scene, decades of an axis; shades have a scale,
# names are no identifiers, and no panel has one method alone. The page of the papers' figures: one caption for what one
# figure file drew, which is its text and the verdicts of `claims`, and pictures in one scale. A figure has no hole
# between its key and its panels.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$PWD/${BUILD:-build}/ncpbench
command -v gnuplot >/dev/null || { echo "skipped: gnuplot is missing"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/ncpbench-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/plots"
cp plots/style.gp plots/convergence.gp "$work/plots"
"$program" plot fischer_fill data/records/spectra.jsonl.gz --where problem=two_boxes,sparse_stack --format svg \
    -o "$work" >/dev/null
"$program" plot mixed_convergence data/records/fischer.jsonl.gz --format svg -o "$work" >/dev/null
# As scripts/figures.sh draws it.
read -r _ figure records options < <(grep '^draw figure11 ' scripts/figures.sh)
options=${options%%#*}
# shellcheck disable=SC2086
"$program" plot "$figure" "$records" $options --format svg -o "$work" >/dev/null
mkdir "$work/page"
"$program" plot arch_creep data/records/arch.jsonl.gz --where shift=1e-08 --format png -o "$work/page" >/dev/null
cp "$work/page/arch_creep.png" "$work/page/arch_creep_shift_f64.png"
for name in gpu_size gpu_roofline figure17_f64 figure18_f32; do cp docs/images/figure18.png "$work/page/$name.png"; done
scripts/figures.sh --page "$work/page"
"$program" claims --json >"$work/page/claims.json" || true # some are not as expected
"$program" plot curved_slide data/records/structure.jsonl.gz --format svg -o "$work/page" >/dev/null
"$program" plot figure6 data/records/functions.jsonl.gz --format svg -o "$work/page" >/dev/null
python3 - "$program" "$work" <<'END'
import glob, html, json, os, re, subprocess, sys
program, work = sys.argv[1:]
environment = {**os.environ, "NCPBENCH_PLOTS": f"{work}/plots"}
MM = 25.4 / 300  # of a pixel of a PNG; an SVG has 96 an inch

def check(fact, text):
    if not fact:
        sys.exit(f"test_figures: {text}")

def plot(figure, records, *options):
    with open(f"{work}/records.jsonl", "w") as file:
        for i, (settings, more) in enumerate(records):
            record = {"kind": "case", "key": f"{i:016x}", "settings": settings, "floor": None, **more}
            file.write(json.dumps(record) + "\n")
    subprocess.run([program, "plot", figure, f"{work}/records.jsonl", "-o", f"{work}/out", *options], check=True,
                   env=environment, stdout=subprocess.DEVNULL)

# [(x, y, text)] in millimetres
def texts_of(path):
    found = re.findall(r'translate\(([\d.]+),([\d.]+)\).*?<text>(.*?)</text>', open(path).read(), re.S)
    return [(float(x) * 25.4 / 96, float(y) * 25.4 / 96, re.sub(r"<.*?>", "", text).strip()) for x, y, text in found]

# Rows of dark pixels in the columns at x [mm] of a PNG, read by gnuplot itself.
def ink(path, places, width):
    columns = [min(max(0, round(x / MM)), round(width / MM) - 2) for x in places]
    plots = ", ".join(f"'{path}' binary filetype=png every ::{x}::{x + 1} using 1:2:3 with rgbimage" for x in columns)
    subprocess.run(["gnuplot", "-d", "-e", f"set table '{work}/table'; plot {plots}"], check=True,
                   stderr=subprocess.DEVNULL)
    rows = [line.split() for line in open(f"{work}/table") if re.match(r" *\d", line)]
    return len([row for row in rows if float(row[2]) < 200])

scenes = [row["name"] for row in json.loads(subprocess.run([program, "list", "--json"], check=True,
          capture_output=True).stdout)["rows"] if row["kind"] == "scene"]
curve = {"trace": {"iteration": [0, 1], "constraint_error": [1, 0.5]}}
for width, in_row in (84, 2), (174, 3), (174, 4):
    with open(f"{work}/plots/titles.gp", "w") as file:
        file.write(f"#: size {width} x 250\n#: panels problem\n#: curves linear: pcr\n#: x iteration\n"
                   f"#: y constraint_error\nin_row = {in_row}\ngrid_rows = row_of(panels)\nroom_for_labels = 9\n"
                   "eval grid\nunset border\nunset tics\nset yrange [0:1]\nset multiplot\n"
                   "do for [p=1:panels] { eval place(row_of(p), p); eval title_panel(p); plot [0:1] NaN notitle }\n"
                   f"unset multiplot\nset print '{work}/said'\nprint across, between, margin_left\n")
    for names in (scenes[::2], scenes[1::2], [f"{name}_first" for name in scenes[::2]],
                  [f"{name}_first" for name in scenes[1::2]]):
        plot("titles", [({"problem": name, "linear": "pcr"}, curve) for name in names], "--format", "png", "--no-foot")
        across, between, left = map(float, open(f"{work}/said").read().split())
        borders = [left - between / 2 + k * (across + between) for k in range(in_row + 1)]
        middles = [x + (across + between) / 2 for x in borders[:-1]]
        check(ink(f"{work}/out/titles.png", middles, width), "no title is drawn")
        check(not ink(f"{work}/out/titles.png", borders, width),
              f"a title of {names} runs out of a panel of {across:.0f} mm")

# Thirteen decades of time in three panels: labels of the axis are apart, and there are two at least.
seconds = [10.0 ** e for e in range(-9, 5)]
steps = {"trace": {"iteration": list(range(len(seconds))), "step_error": [1 / (1 + s) for s in seconds]},
         "times": {"solve": [seconds[-1]], "median": seconds[-1]}}
for size in "84x60", "174x60":
    cases = [({"problem": name, "linear": "pcr", "solver": "newton", "mode": "step"},
              {**steps, "trace": {**steps["trace"], "constraint_error": steps["trace"]["step_error"],
                                  "step_size": seconds}}) for name in "abc"]
    plot("convergence", cases, "--x", "step_size", "--y", "step_error", "--panels", "problem", "--curves", "linear",
         "--each", "none", "--size", size, "--format", "svg")
    rows = {}
    for x, y, text in texts_of(glob.glob(f"{work}/out/convergence*.svg")[0]):
        if re.fullmatch("10[−\\d]+", text):
            rows.setdefault(round(y), []).append(x)
    axis = sorted(max(rows.values(), key=len))
    check(len(axis) >= 6, f"{size}: {len(axis)} labels on three axes of time")
    check(min(b - a for a, b in zip(axis, axis[1:])) > 5, f"{size}: labels {axis} mm from the left are not apart")

# The scale of the shades: from light to black, its ends labelled, above the panels.
path = f"{work}/fischer_fill.svg"
labels = {text: (x, y) for x, y, text in texts_of(path)}
check("largest entry" in labels and "0" in labels, "the fill's shades have no scale")
bar = [(int(grey), float(x), float(y)) for grey, x, y in re.findall(
    r"<polygon fill = 'rgb\( *(\d+), *\d+, *\d+\)' points = '([\d.]+),([\d.]+) ", open(path).read())]
foot = min(y for grey, x, y in bar)
bar = [(grey, x * 25.4 / 96) for grey, x, y in bar if y == foot]
check(len(bar) > 50 and bar == sorted(bar, key=lambda part: (-part[0], part[1])), "the scale's shades have an order")
check(bar[0][0] > 220 and bar[-1][0] < 10, f"the scale goes from {bar[0]} to {bar[-1]}")
check(abs(bar[0][1] - labels["0"][0]) < 1 and abs(bar[-1][1] - labels["largest entry"][0]) < 1,
      "the scale's ends are where its labels are")
check(foot * 25.4 / 96 < labels["0"][1] < min(y for text, (x, y) in labels.items() if "boxes" in text.lower()) - 2,
      f"the scale is not above the panels: {labels}")

for x, y, text in texts_of(f"{work}/mixed_convergence.svg"):
    check("_" not in text, f"an identifier for a name: {text}")
for path in glob.glob(f"{work}/figure11_*.dat"):
    drawn = {}
    for block in open(path).read().split("\n\n\n"):
        head = re.search(r"^# problem=(\S+) ", block, re.M)
        if head and re.search(r"^[\d.]", block, re.M):
            drawn[head[1]] = drawn.get(head[1], 0) + 1
    check(drawn and min(drawn.values()) > 1, f"{path}: curves of panels: {drawn}")

# The page.
page = open(f"{work}/page/index.html").read()
figures = page.split("<figure>")[1:]
check(len(figures) == 5, f"{len(figures)} figures for six pictures of five files")
for figure in figures:
    title = re.search(r"<p><b>(.+?)</b>\. \S", figure)
    check(title and not re.search(r"[a-z]_[a-z]", title[1]), "a figure without a caption: " + figure)
    file = re.search(r"<img id=(\S+)", figure)[1]
    while not (own := glob.glob(f"plots/{file}.gp") + glob.glob(f"plots/gpu/{file}.gp")):
        file = file.rpartition("_")[0]
    check(f"#: title   {html.unescape(title[1])}\n" in open(own[0]).read(), f"{file} has another's title: {title[1]}")
    check("`" not in figure, "a caption has a backtick: " + figure)
widths = dict(re.findall(r"<img id=(\S+) .*?width=(\d+)%", page))
check(int(widths["figure18_f32"]) >= 99, f"174 mm are {widths['figure18_f32']} % of the page")
check(46 <= int(widths["arch_creep"]) <= 50, f"84 mm are {widths['arch_creep']} % of the page")
check("name=viewport" in page, "a phone shrinks the page")
least = dict(re.findall(r"<img id=(\S+) .*?min-width:(\d+)px", page))
check(int(least["figure18_f32"]) >= 590 and least.keys() == widths.keys(), "a narrow screen shrinks figures' text")
claims = [c for c in json.load(open(f"{work}/page/claims.json"))["claims"] if c["figure"] == "figure18"]
check(claims, "figure18 has no claims")
for claim in claims:
    line = f"<i>{claim['verdict'].replace('_', ' ')}</i> {claim['id']}: {html.escape(claim['says'])}"
    check(line in page, f"the page does not say {line}")
drawn = glob.glob(f"{work}/page/*.svg")
check(len(drawn) >= 2, "no figures")
for path in drawn:
    texts = re.findall(r'translate\(([\d.]+),([\d.]+)\).*?<text>(.*?)</text>', open(path).read(), re.S)
    place = {re.sub(r"<.*?>|\s+", " ", text).strip(): float(y) for x, y, text in texts}
    key = max(y for text, y in place.items() if "across" in text or text in ("Fischer-Burmeister", "minimum map"))
    tick = min(y for text, y in place.items() if re.fullmatch(r"−?[\d.]+", text))
    gap = (tick - key) * 25.4 / 96
    check(2 < gap < 8, f"{path}: {gap:.1f} mm between key and panel")
END
