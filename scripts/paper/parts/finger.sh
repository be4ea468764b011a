#!/usr/bin/env bash
# 1 min: Macklin et al. 2019, section 10.1.4: a finger alone.
# Inflated, and not; the pressure is at its full value after a second.
. scripts/paper/common.sh

for pressure in 2e7 0; do simulate pneunet_finger --set "pressure=$pressure" --time 1.2; done
