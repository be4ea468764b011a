#!/usr/bin/env bash
# 1 min: Thesis, figure 9.
# A soft sheet that fingers stroke level and up, with structure along their way and across it, and without.
. scripts/paper/common.sh

for across in 0.1 0.8; do
    for heading in 0 90; do
        for structure in 0 90; do
            simulate gel_stroke --time 0.9 --set "across=$across" --set "heading=$heading" \
                --set "structure=$structure"
        done
    done
done
