#!/bin/sh
# Writes ncpbench.pc for a prefix: scripts/gen_pkgconfig.sh PREFIX LIBDIR LIBRARIES
# The libraries are what the static one needs (pkg-config --static); the shared one names its own.
# A folder that the linker does not search by itself is written into programs, so that they start.
set -eu
case $2 in
/usr/lib | /usr/lib/* | /lib | /lib/*) rpath= ;;
*) rpath="-Wl,-rpath,\${libdir} " ;;
esac
version=$(sed -n 's/^#define NB_VERSION "\(.*\)"$/\1/p' harness/version.h)
cat <<END
prefix=$1
libdir=$2
Name: ncpbench
Description: benchmark harness for solvers of frictional contact
Version: $version
Cflags: -I\${prefix}/include/ncpbench
Libs: -L\${libdir} $rpath-lncpbench
Libs.private: $3
END
