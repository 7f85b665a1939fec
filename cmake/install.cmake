# SPDX-License-Identifier: BSD-3-Clause
# The installed package, in two components: `library`, and `tools` with those tools that were built.

set(collectives_cmake_dir ${CMAKE_INSTALL_DATADIR}/cmake/collectives)    # for every architecture
set(collectives_compiled_dir ${CMAKE_INSTALL_LIBDIR}/cmake/collectives-compiled)
install(TARGETS collectives EXPORT collectives-targets
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT collectives-targets NAMESPACE collectives::
    DESTINATION ${collectives_cmake_dir} COMPONENT library)
if(COLLECTIVES_BUILD_COMPILED)
    install(TARGETS collectives_compiled EXPORT collectives-compiled-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
    install(EXPORT collectives-compiled-targets NAMESPACE collectives::
        DESTINATION ${collectives_compiled_dir} COMPONENT library)
endif()
get_property(collectives_tools GLOBAL PROPERTY collectives_tools)
configure_package_config_file(cmake/collectives-config.cmake.in collectives-config.cmake
    INSTALL_DESTINATION ${collectives_cmake_dir}
    PATH_VARS collectives_compiled_dir CMAKE_INSTALL_BINDIR
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(collectives-config-version.cmake
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/collectives-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/collectives-config-version.cmake
    DESTINATION ${collectives_cmake_dir} COMPONENT library)
file(RELATIVE_PATH collectives_pc_prefix    # from the .pc file up, so that the package can be moved
    /${CMAKE_INSTALL_DATADIR}/pkgconfig /)
set(collectives_pc_url)
if(PROJECT_HOMEPAGE_URL)
    set(collectives_pc_url "\nURL: ${PROJECT_HOMEPAGE_URL}")
endif()
configure_file(collectives.pc.in collectives.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/collectives.pc
    DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig COMPONENT library)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/collectives COMPONENT library)
