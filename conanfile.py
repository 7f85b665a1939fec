# SPDX-License-Identifier: BSD-3-Clause
"""The package of the headers for conan 2: `conan create . --build=missing -s compiler.cppstd=20`."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout
from conan.tools.scm import Version


class Collectives(ConanFile):
    name = "collectives"
    description = "Collective communication for C++20 programs, header-only"
    license = "BSD-3-Clause"
    topics = ("collectives", "all-reduce", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "include/*", "LICENSE"
    no_copy_source = True
    test_package_folder = "tests/install/conan"

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include/collectives/version.hpp"))
        self.version = ".".join(re.findall(r"^#define COLLECTIVES_VERSION_\w+ (\d+)$", header, re.M))

    def layout(self):
        basic_layout(self)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("collectives needs Linux")
        check_min_cppstd(self, 20)
        oldest = {"gcc": "12", "clang": "16"}.get(str(self.settings.compiler))
        if oldest and Version(self.settings.compiler.version) < oldest:
            raise ConanInvalidConfiguration(f"collectives needs {self.settings.compiler} {oldest} or newer")

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.set_property("cmake_config_version_compat", "SameMinorVersion")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.system_libs = ["pthread"]
        self.cpp_info.set_property("cmake_file_name", "collectives")
        self.cpp_info.set_property("cmake_target_name", "collectives::collectives")
        self.cpp_info.set_property("pkg_config_name", "collectives")
