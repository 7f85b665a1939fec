# SPDX-License-Identifier: BSD-3-Clause
"""The package for spack 1.0 or newer: `spack repo add packages/spack_repo/collectives`."""

import os

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Collectives(CMakePackage):
    """Collective communication for C++20 programs, header-only."""

    # There is no address to fetch from: spack takes the release's tarball from the current folder, or
    # the sources by `spack develop`. A release writes the tarball's checksum into its own package.py.
    manual_download = True

    def url_for_version(self, version):
        return f"file://{os.getcwd()}/collectives-{version}.tar.gz"

    license("BSD-3-Clause")

    version("0.1.0")

    variant("compiled", default=True, description="Build collectives::compiled, which compiles faster")
    variant("tools", default=False, description="Build the command-line tools")
    variant("mpi", default=False, description="Programs may use collectives::mpi")
    variant("meet", default=False, description="Programs may use collectives::meet")
    variant("ucx", default=False, description="Programs may use collectives::ucx")
    variant("cuda", default=False, description="Programs may use collectives::cuda")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.8:", when="+cuda")
    for transport in ("meet", "ucx"):
        depends_on("pkgconfig", type=("build", "run"), when=f"+{transport}")
        depends_on("libsodium", when=f"+{transport}")
    depends_on("ucx", when="+ucx")
    for library in ("fmt", "cli11", "eigen", "hwloc", "nlohmann-json", "pugixml", "zlib-api"):
        depends_on(library, when="+tools")

    requires("platform=linux", msg="collectives needs Linux")
    conflicts("%gcc@:11", msg="collectives needs gcc 12 or newer")
    conflicts("%clang@:15", msg="collectives needs clang 16 or newer")

    def cmake_args(self):
        unused = ("BUILD_EXAMPLES", "BUILD_TESTS", "BUILD_BENCH")
        if self.spec.satisfies("+tools"):
            unused += ("WERROR",)
        return [
            *(self.define(f"COLLECTIVES_{option}", False) for option in unused),
            self.define_from_variant("COLLECTIVES_BUILD_COMPILED", "compiled"),
            self.define_from_variant("COLLECTIVES_BUILD_TOOLS", "tools"),
            self.define_from_variant("COLLECTIVES_WITH_MPI", "mpi"),
            self.define("COLLECTIVES_WITH_MEET", self.spec.satisfies("+meet") or self.spec.satisfies("+ucx")),
            self.define_from_variant("COLLECTIVES_WITH_UCX", "ucx"),
            self.define_from_variant("COLLECTIVES_WITH_CUDA", "cuda"),
            self.define("COLLECTIVES_WITH_EXPLORER", False),
        ]
