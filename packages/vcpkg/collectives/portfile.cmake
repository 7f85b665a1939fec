# SPDX-License-Identifier: BSD-3-Clause
# The port of the headers. The sources are those in which it lies:
#     vcpkg install collectives --overlay-ports=packages/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release)    # nothing is compiled

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DCOLLECTIVES_BUILD_TOOLS=OFF
        -DCOLLECTIVES_BUILD_EXAMPLES=OFF
        -DCOLLECTIVES_BUILD_TESTS=OFF
        -DCOLLECTIVES_BUILD_BENCH=OFF
        -DCOLLECTIVES_BUILD_COMPILED=OFF
        -DCOLLECTIVES_WITH_MPI=OFF
        -DCOLLECTIVES_WITH_MEET=OFF
        -DCOLLECTIVES_WITH_UCX=OFF
        -DCOLLECTIVES_WITH_CUDA=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/collectives)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
