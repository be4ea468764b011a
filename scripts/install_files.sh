#!/usr/bin/env bash
# What `make install` puts in place and `make uninstall` takes away again:
#
#     scripts/install_files.sh install STAGE DESTDIR PREFIX      copies the files below STAGE to DESTDIR
#     scripts/install_files.sh uninstall DESTDIR PREFIX
#
# PREFIX/share/ncpbench/manifest lists them, and with a "/" at the end the folders that were not there before. An
# installation over another one removes what the new one no longer has.
set -euo pipefail
export LC_ALL=C
action=$1 stage=
[ "$action" != install ] || { stage=$2; shift; }
dest=$2 prefix=$3
list=$prefix/share/ncpbench/manifest
new=$(mktemp)
trap 'rm -f "$new" "$new.folders" "$new.gone"' EXIT

# remove LIST: its files, then of its folders those that are empty
remove() {
    while read -r path; do
        case $path in
        */) ;;
        /*) rm -f "$dest$path" ;;
        *) echo "install: $dest$list: $path is no path of an installation" >&2; exit 1 ;;
        esac
    done <"$1"
    sort -r "$1" | while read -r path; do
        case $path in */) rmdir "$dest$path" 2>/dev/null || true ;; esac
    done
}

if [ "$action" = uninstall ]; then
    [ -r "$dest$list" ] || { echo "uninstall: no installation in $dest$prefix: $dest$list is not there" >&2; exit 1; }
    cp "$dest$list" "$new"
    remove "$new"
    exit
fi

# Folders of an earlier installation are ours still.
(cd "$stage" && find . -mindepth 1 -type d | sed 's|^\.||; s|$|/|') | sort >"$new.folders"
while read -r folder; do
    if [ ! -d "$dest$folder" ] || grep -qxF "$folder" "$dest$list" 2>/dev/null; then
        echo "$folder"
    fi
done <"$new.folders" >"$new"
(cd "$stage" && find . ! -type d | sed 's|^\.||') >>"$new"
echo "$list" >>"$new"
sort -o "$new" "$new"
if [ -r "$dest$list" ]; then
    sort "$dest$list" | comm -23 - "$new" >"$new.gone"
    remove "$new.gone"
fi
mkdir -p "$dest/"
tar -C "$stage" -cf - . | tar -C "$dest/" -xf - --no-same-owner --no-overwrite-dir --keep-directory-symlink
install -m 644 "$new" "$dest$list"

# What a shell has to know of a folder in which nothing looks by itself.
case $dest$prefix in
/usr | /usr/local) ;;
"$prefix")
    python=$(sed -n 's|/ncpbench\.py$||p' "$new")
    package=$(sed -n 's|/ncpbench\.pc$||p' "$new")
    echo "installed in $prefix; for the shell, Python and C:"
    echo "export PATH=$prefix/bin:\$PATH PYTHONPATH=$python PKG_CONFIG_PATH=$package" ;;
esac
