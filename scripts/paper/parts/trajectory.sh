#!/usr/bin/env bash
# 2 min: Thesis, figure 36.
# From three starts, and once without the gradient to places.
. scripts/paper/common.sh

for launch in 2.8 3.1 3.4; do study trajectory --set "launch_x=$launch" -o "$out" >/dev/null; done
study trajectory --set launch_x=2.8 --gradient velocity -o "$out" >/dev/null
