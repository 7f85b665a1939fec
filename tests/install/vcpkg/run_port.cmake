# SPDX-License-Identifier: BSD-3-Clause
# cmake -DPORT_DIR=... -DWORK=... -DCXX=... -P run_port.cmake: runs the portfile without vcpkg. What it
# calls does here what vcpkg's documents say of it, for a release build on Linux; the package comes to lie
# in WORK/packages. As vcpkg does, this refuses a port that leaves files where none should be.
cmake_minimum_required(VERSION 3.25)
set(PORT collectives)
set(CURRENT_PACKAGES_DIR ${WORK}/packages)
set(build ${WORK}/rel)

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
    if(DEFINED arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "vcpkg_cmake_configure does not know ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT VCPKG_BUILD_TYPE STREQUAL release)
        message(FATAL_ERROR "the port must be built for release alone")
    endif()
    run(${CMAKE_COMMAND} -G Ninja -S ${arg_SOURCE_PATH} -B ${build} -DCMAKE_CXX_COMPILER=${CXX}
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
    run(${CMAKE_COMMAND} --build ${build} --target install)
endfunction()

function(vcpkg_cmake_config_fixup)    # moves the files, and corrects how far up the prefix is
    cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
    file(GLOB files ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*.cmake)
    if(NOT files)
        message(FATAL_ERROR "there is no file for CMake in ${arg_CONFIG_PATH}")
    endif()
    file(COPY ${files} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
    file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH})
    cmake_path(GET arg_CONFIG_PATH PARENT_PATH parent)
    if(parent MATCHES "/cmake$")
        file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${parent})
    endif()
    file(GLOB files ${CURRENT_PACKAGES_DIR}/share/${PORT}/*.cmake)
    foreach(file IN LISTS files)
        file(READ ${file} text)
        string(REGEX REPLACE "LIST_DIR}/\\.\\./(\\.\\./)*\"" "LIST_DIR}/../../\"" text "${text}")
        string(REGEX REPLACE "(get_filename_component\\(_IMPORT_PREFIX \"\\\${_IMPORT_PREFIX}\" PATH\\)\n)+"
            "\\1\\1" text "${text}")
        file(WRITE ${file} "${text}")
    endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)    # the file must say by itself where it is
    file(GLOB_RECURSE files ${CURRENT_PACKAGES_DIR}/*.pc)
    foreach(file IN LISTS files)
        file(STRINGS ${file} absolute REGEX "^prefix=/|${CURRENT_PACKAGES_DIR}")
        if(absolute)
            message(FATAL_ERROR "${file} names where it was made: ${absolute}")
        endif()
    endforeach()
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
    file(COPY_FILE ${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright)
endfunction()

include(${PORT_DIR}/portfile.cmake)

file(GLOB_RECURSE files RELATIVE ${CURRENT_PACKAGES_DIR} ${CURRENT_PACKAGES_DIR}/*)
foreach(file IN ITEMS share/${PORT}/copyright share/${PORT}/usage share/pkgconfig/${PORT}.pc)
    if(NOT file IN_LIST files)
        message(FATAL_ERROR "the port installs no ${file}")
    endif()
endforeach()
list(FILTER files EXCLUDE REGEX "^(include/collectives|share/collectives|share/pkgconfig)/")
file(GLOB folders RELATIVE ${CURRENT_PACKAGES_DIR} ${CURRENT_PACKAGES_DIR}/* ${CURRENT_PACKAGES_DIR}/share/*)
list(REMOVE_ITEM folders include share share/collectives share/pkgconfig)
if(files OR folders)
    message(FATAL_ERROR "the port leaves ${files} ${folders}")
endif()
