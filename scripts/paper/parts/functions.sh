#!/usr/bin/env bash
# 1 min: Macklin et al. 2019, figures 6 and 9.
. scripts/paper/common.sh

study functions -o "$out" >/dev/null
