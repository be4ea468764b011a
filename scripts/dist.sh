#!/bin/sh
# The committed files as FOLDER/ncpbench-VERSION.tar.xz, the same bytes for the same commit:
#
#     scripts/dist.sh FOLDER
#
# The archive builds and passes its tests without git; its records name the commit (.gitattributes).
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
if ! git rev-parse -q --verify HEAD >/dev/null 2>&1 || [ -n "$(git rev-parse --show-prefix)" ]; then
    echo "dist: $PWD is no git repository with a commit" >&2
    exit 1
fi
[ -z "$(git status --porcelain)" ] || echo "dist: what is not committed is left out" >&2
version=$(git show HEAD:harness/version.h | sed -n 's/^#define NB_VERSION "\(.*\)"$/\1/p')
archive=$folder/ncpbench-$version.tar.xz
trap 'rm -f "$archive.new" "$archive.new.xz"' EXIT
git -c tar.umask=0022 archive --format=tar --prefix="ncpbench-$version/" -o "$archive.new" HEAD
xz -T1 -6 "$archive.new"
mv "$archive.new.xz" "$archive"
echo "$archive"
