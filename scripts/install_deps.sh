#!/bin/sh
# Installs the Debian packages that ncpbench needs and that are missing:
#
#     scripts/install_deps.sh          DEPS=skip turns it off
#     scripts/install_deps.sh --peers  also the libraries to compare with (make PEERS=1)
#     scripts/install_deps.sh --import  also MuJoCo, by which models are imported
#     scripts/install_deps.sh --cluster  also Slurm, GNU parallel and an ssh server, for the tests that use them
#     scripts/install_deps.sh --browser  also Chromium (300 MB), in which a test opens the report's page
#
# Does nothing when all is there. Where it may not install (neither root nor sudo), it fails with
# the list of what is missing.
set -eu
[ "${DEPS:-}" != skip ] || exit 0

# What builds and runs ncpbench, then what its tests need.
packages="gcc make pkgconf libc6-dev libhdf5-dev libsuitesparse-dev liblapacke-dev libopenblas-pthread-dev
          libinih-dev libcjson-dev libsqlite3-dev libssl-dev zlib1g-dev gnuplot-nox fonts-dejavu-extra
          libcmocka-dev libfclib-dev python3-minimal python3-h5py python3-numpy
          python3-jsonschema python3-scipy python3-pandas"
[ "${1:-}" != --peers ] || packages="$packages
          g++ libopenmpi-dev libpetsc-real-dev libhypre-dev libeigen3-dev libsiconos-numerics-dev
          libmujoco-dev librsb-dev"
[ "${1:-}" != --import ] || packages="$packages libmujoco-dev"
[ "${1:-}" != --cluster ] || packages="$packages slurm-wlm munge parallel openssh-server"
[ "${1:-}" != --browser ] || packages="$packages chromium"

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "install_deps: this is not a Debian system; install the equivalents of:" $packages "and set DEPS=skip" >&2
    exit 1
fi

missing=
for package in $packages; do
    state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    # pkgconf and pkg-config provide the same command.
    [ "$package" != pkgconf ] || ! command -v pkg-config >/dev/null 2>&1 || continue
    [ "$state" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "install_deps: missing:$missing"
if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root=sudo
else
    echo "install_deps: neither root nor sudo; as root: apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086 # the list is meant to be split
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
echo "install_deps: installed:$missing"
