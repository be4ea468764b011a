#!/usr/bin/env bash
# make figures: draws the papers' figures from the records in data/records/, without a run, and a page of them, which
# tells of each what it shows and how the claims that name it are judged.
#
#     [BUILD=build] scripts/figures.sh [FOLDER]     figures/papers without an argument; figures/ itself is make bench's
#     [BUILD=build] scripts/figures.sh --page FOLDER  only the page of the figures that are there
#
# figure14 and figure13_strain show problem files, as the pictures of insertion do, which it does not export: they are
# drawn where `make problems`, or `make paper`, has left them.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${BUILD:-build}/ncpbench
only_page=
[ "${1:-}" != --page ] || { only_page=yes; shift; }
folder=${1:-figures/papers}
drawn=0
failed=0

# draw FIGURE FILE [OPTION...]: a figure that cannot be drawn is told, not fatal
draw() {
    local output
    if output=$("$program" plot "$@" -o "$folder" 2>&1); then
        drawn=$((drawn + $(grep -c '\.pdf' <<<"$output" || true)))
    else
        echo "figure $1 of $2: $output" >&2
        failed=1
    fi
}

# file_of NAME: the figure file that drew it, without plots/ and .gp
file_of() {
    local file=$1
    [ ! -e "plots/gpu/$file.gp" ] || file=gpu/$file
    while [ ! -e "plots/$file.gp" ] && [[ $file == *_* ]]; do file=${file%_*}; done
    echo "$file"
}

# percent PICTURE: its width, in a PNG's bytes 16 to 19, in that of a page of 174 mm at 300 dots an inch
percent() {
    local a b c d
    read -r a b c d < <(od -An -tu1 -j16 -N4 "$1")
    echo $(((((a * 256 + b) * 256 + c) * 256 + d) * 100 / 2055))
}

# caption FILE: the title of that figure file, what it says, and the claims
caption() {
    local file=$1
    awk '{ gsub(/&/, "\\&amp;"); gsub(/</, "\\&lt;") }
        /^#: title/ { sub(/^#: title */, ""); title = $0; next }
        /^#:/ || /^#$/ { next }
        /^#/ { sub(/^# */, ""); text = text " " $0; next }
        { while (sub(/`/, "<code>", text) && sub(/`/, "</code>", text)) continue
          print "<p><b>" title "</b>." text; exit }' "plots/$file.gp"
    awk -F '\t' -v file="$file" '$1 == file { print "<p><i>" $2 "</i> " $3 ": " $4 }' "$folder/claims.txt"
}

end_figure() {
    echo '<figcaption>'
    caption "$1"
    echo '</figcaption></figure>'
}

# write_page: index.html, without anything from elsewhere
write_page() {
    local picture name file part last=
    "$program" claims --json 2>/dev/null | python3 -c '
import html, json, sys
for claim in json.load(sys.stdin)["claims"]:
    if claim["figure"]:
        print(claim["figure"], claim["verdict"].replace("_", " "), claim["id"], html.escape(claim["says"]), sep="\t")' \
        >"$folder/claims.txt" || true # some are not as expected
    {
        echo '<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Figures of the papers</title>'
        echo '<meta name=viewport content="width=device-width">'
        echo '<style>body{font:16px/1.4 sans-serif;max-width:62em;margin:2em auto;padding:0 1em}'
        echo 'figure{margin:2em 0}figure div{overflow-x:auto}img{display:block;margin:1em 0}p{margin:.3em 0}</style>'
        echo '<h1>Figures of the papers</h1><p>Drawn from the records that come with ncpbench; the verdicts are those of'
        echo '<code>ncpbench claims</code>.'
        for picture in "$folder"/*.png; do
            name=$(basename "$picture" .png)
            file=$(file_of "$name")
            if [ "$file" != "$last" ]; then # what one figure file drew has one caption
                [ -z "$last" ] || end_figure "$last"
                echo '<figure>'
            fi
            last=$file
            part=$(percent "$picture") # on a narrow screen a figure is scrolled, as its text would not be read
            echo "<div><img id=$name src=$name.png alt=$name width=$part% style=min-width:$((6 * part))px></div>"
        done
        [ -z "$last" ] || end_figure "$last"
    } >"$folder/index.html"
}

[ -z "$only_page" ] || { write_page; exit; }

# records PART FIGURE...
records() {
    local figure
    for figure in "${@:2}"; do draw "$figure" "data/records/$1.jsonl.gz"; done
}

records linear figure12 damping ncp_functions line_search
draw figure11 data/records/linear.jsonl.gz --where problem=heavy_stack,arch # of the tables there is PCR alone
draw figure17 data/records/linear.jsonl.gz --where problem=heavy_stack,arch,table_pile
draw figure18 data/records/linear.jsonl.gz --where problem=heavy_stack,arch,beam-0060
# The five scenes of Macklin et al. 2019, section 10.1, that have no elements; the paper draws three of them. Relaxation
# stagnates on arch, beam and heavy stack; humanoids and tables fall freely or are solved at once by any method.
draw bars data/records/scenes.jsonl.gz --y constraint_error --curves linear --each precision=f64,f32 \
    --panels problem=arch_first,beam_first,heavy_stack_first,humanoid_batch_first,table_pile_first --name bars_figure18
records beam figure16
records functions figure6 figure9
records insertion insertion
draw arch_creep data/records/arch.jsonl.gz --where shift=1e-08
draw arch_creep data/records/arch.jsonl.gz --each precision --panels linear=pcr,pcg,cholesky \
    --curves shift=1e-08,1e-06,7e-06,1e-05,2e-05 --name arch_creep_shift --size 174x70
records stack stack_penetration
records pile pile_rest
draw over_time data/records/boxes.jsonl.gz --where ratio=1000 --size 174x80
draw figure13 data/records/stretch.jsonl.gz --where solver=proximal_newton
draw pendulum_stretch data/records/descent.jsonl.gz --where newton_iters=20 --where 'solver!=*momentum*'
records descent contact_mass_ratio
draw contact_stiffness_ratio data/records/descent.jsonl.gz --where 'solver!=*momentum*'
records grasp grasp_height
draw over_time data/records/tomato.jsonl.gz --where squeeze=0.015 --where friction=0.75
draw over_time data/records/tomato.jsonl.gz --where scene=hand --where margin=0.01 --curves flexion=8,10,12
draw over_time data/records/knock.jsonl.gz --where ball_mass=1
draw over_time data/records/grains.jsonl.gz --where seed=1 --panels ratio=1994,80000 \
    --labels '1994=printed pressure,80000=printed mass ratio' --size 174x80
draw over_time data/records/bowls.jsonl.gz --where newton_iters=15 --where gap=0.03
draw curved_slide data/records/structure.jsonl.gz --where direction=30 --where solver=proximal_newton
draw curved_slide data/records/structure.jsonl.gz --where direction=10 --where across=0.5 \
    --curves solver=lemke:directions=4,lemke,pgs:friction=outer,proximal_newton --name curved_slide_law
records structure pyramid_force
records logs log_slide
draw over_time data/records/gel.jsonl.gz --where heading=0 --where across=0.1 --curves structure=0,90
draw over_time data/records/snake.jsonl.gz --panels along=4,8,12 --curves pressure=55158,-55158 \
    --labels '4=4 x 2 x 2 cells,8=8 x 4 x 2 cells,12=12 x 6 x 3 cells,55158=right chamber,-55158=left chamber' \
    --size 174x80
records cloth cloth_sag
records snake snake_time
records fields figure48 figure49
searches='0=vertices alone,1=projected gradient,2=Frank-Wolfe,3=golden section'
draw over_time data/records/fields.jsonl.gz --where 'refine!=1,2' --where search=0,1,2,3 --where 'field!=6' \
    --curves search=0,1,2,3 --labels "$searches"
draw over_time data/records/fields.jsonl.gz --where field=6 --curves search=0,1,2,3 --labels "$searches" \
    --name over_time_spool
draw over_time data/records/fields.jsonl.gz --where search=4 --curves iterations=4,16,64 \
    --labels '4=4 samples,16=16 samples,64=64 samples' --name over_time_samples
draw convergence data/records/trajectory.jsonl.gz --where gradient=all --curves launch_x --panels scene --each none \
    --y distance --name convergence_trajectory --size 84x75
records conditions conditioning
draw force_distribution data/records/forces.jsonl.gz --where problem=cylinder,grasp,house_of_cards
records fischer fischer_quadratic fischer_line_search fischer_start fischer_cost mixed_convergence
draw fischer_fill data/records/spectra.jsonl.gz --where problem=two_boxes,sparse_stack,dense_wall
draw fischer_spectrum data/records/spectra.jsonl.gz --where problem=two_boxes,sparse_stack,dense_wall
if output=$(scripts/gpu_figures.py data/records/gpu_step.jsonl.gz data/records/gpu/*.jsonl.gz -o "$folder" \
    --copy data/records/gpu/gpu.copy.json); then
    drawn=$((drawn + $(grep -c '\.pdf' <<<"$output" || true)))
else
    failed=1
fi
# One step of each scene that came last, as the part `laws` exports it; a file of another name is a variant of its scene.
for file in data/problems/laws/law_*.h5; do
    [ -e "$file" ] || continue
    name=$(basename "$file" .h5)
    name=${name#law_}
    scene=$("$program" info "$file" | awk '$1 == "name" { print $2 }')
    if [ "$scene" = "$name" ]; then draw figure14 "$file"; else draw figure14 "$file" --name "figure14_$name"; fi
done
for scene in heavy_stack arch snake/shell; do
    [ -e "data/problems/$scene.h5" ] || continue
    mkdir -p "$(dirname "data/problems/solved/$scene")"
    "$program" solve "data/problems/$scene.h5" -o "data/problems/solved/$scene.h5" >/dev/null
    draw figure14 "data/problems/solved/$scene.h5"
done
for linear in pcr jacobi cholesky; do
    file=data/problems/insertion/beam_$linear.h5
    [ ! -e "$file" ] || draw figure14 "$file" --name "insertion_$linear" --size 174x70
done
for scene in pneunet snake/bent; do
    [ ! -e "data/problems/$scene.h5" ] || draw figure13_strain "data/problems/$scene.h5"
done
write_page
echo "$drawn figures in $folder; open $folder/index.html"
exit $failed
