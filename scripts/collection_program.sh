#!/usr/bin/env bash
# Builds the program that makes the collection, from the sources of the commit that made it first:
#
#     BUILD=build-collection JOBS=n scripts/collection_program.sh COMMIT
#
# $BUILD/program is it, for x86-64-v2 and without a GPU. Outside the repository the present sources serve: they may make
# other problems than data/collection.list has, and the comparison says so.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=$1
source=$BUILD/source
mkdir -p "$BUILD"
if [ "$(cat "$BUILD/commit" 2>/dev/null)" != "$commit" ]; then
    rm -rf "$source" && mkdir -p "$source"
    if git cat-file -e "$commit^{commit}" 2>/dev/null; then
        git archive "$commit" | tar -x -C "$source"
        echo "$commit" >"$BUILD/commit"
    else
        echo "collection: commit $commit is not here: the present sources make the problems, which may differ" >&2
        tar -c --exclude=data/collection --exclude=data/problems --exclude=data/results \
            Makefile data docs harness plots problems scripts solvers tests | tar -x -C "$source"
    fi
fi
"${MAKE:-make}" -C "$source" --no-print-directory -j"${JOBS:-1}" BUILD=build ARCH=x86-64-v2 CUDA=0 PEERS= FULL= \
    COMMIT="collection 1" build/ncpbench
ln -sfn source/build/ncpbench "$BUILD/program"
