#!/bin/sh
# Writes ncpbench.pc for a prefix: scripts/gen_pkgconfig.sh PREFIX LIBRARIES
set -eu
version=$(sed -n 's/^#define NB_VERSION "\(.*\)"$/\1/p' harness/version.h)
cat <<END
prefix=$1
Name: ncpbench
Description: benchmark harness for solvers of frictional contact
Version: $version
Cflags: -I\${prefix}/include/ncpbench
Libs: -L\${prefix}/lib -lncpbench $2
END
