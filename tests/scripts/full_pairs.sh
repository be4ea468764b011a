#!/usr/bin/env bash
# test_pairs.sh with 10 000 pairs.
PAIRS=10000 exec "$(dirname "$0")/test_pairs.sh"
