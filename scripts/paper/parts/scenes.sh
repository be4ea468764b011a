#!/usr/bin/env bash
# 2 min: Macklin et al. 2019: figure 18 on every scene.
. scripts/paper/common.sh

for scene in $("$program" list scene | awk '/^  / && !/^  (pneunet|material_ext|sheet|granular|tomato)/ { print $1 }'); do
    export_new "first/${scene}_first.h5" "$scene"
done
"$program" sweep data/scenes.sweep -o "$out"
