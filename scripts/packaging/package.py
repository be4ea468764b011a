# ncpbench for Spack, from an unpacked archive or a clone, until there is an address to fetch it from:
#
#     mkdir -p my-repo/packages/ncpbench && cp scripts/packaging/package.py my-repo/packages/ncpbench
#     printf 'repo:\n  namespace: mine\n' > my-repo/repo.yaml && spack repo add ./my-repo
#     spack dev-build ncpbench@0.1.0        # in the folder of the sources
#
# The packages below are Spack's; SuiteSparse 7 keeps its headers in a folder of their own.
from spack.package import *

try:  # before Spack 1.0 the build systems came with spack.package
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass


class Ncpbench(MakefilePackage):
    """Benchmark harness for solvers of frictional contact."""

    license("BSD-3-Clause")

    version("0.1.0")

    variant(
        "arch",
        default="x86-64-v2",
        values=lambda value: True,
        description="gcc's -march; loops for AVX2 and AVX-512 are chosen when the program starts",
    )
    variant("figures", default=False, description="Draw figures with gnuplot")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hdf5@1.10:~mpi")
    depends_on("suite-sparse")
    depends_on("openblas")
    depends_on("libinih")
    depends_on("cjson")
    depends_on("openssl")
    depends_on("zlib-api")
    depends_on("gnuplot", type="run", when="+figures")

    requires("%gcc@12:", msg="ncpbench is compiled with gcc")
    conflicts("target=aarch64:", msg="ncpbench is for x86-64")

    def setup_build_environment(self, env):
        env.prepend_path("CPATH", join_path(self.spec["suite-sparse"].prefix.include, "suitesparse"))

    @property
    def options(self):
        return [
            "DEPS=skip",
            "CUDA=0",
            "ARCH={0}".format(self.spec.variants["arch"].value),
            "PREFIX={0}".format(self.prefix),
            "PACKAGES=hdf5 inih libcjson libcrypto openblas zlib",
        ]

    def build(self, spec, prefix):
        make("all", *self.options)

    def install(self, spec, prefix):
        make("install", *self.options)
