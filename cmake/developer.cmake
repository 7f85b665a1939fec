# SPDX-License-Identifier: BSD-3-Clause
# How the project's own programs are compiled, and which packages they may use.

set(CMAKE_CXX_EXTENSIONS OFF)
option(COLLECTIVES_WERROR "Warnings are errors in the project's own programs" ON)

# Everything of the project links this: the library, its warnings, and nothing else.
add_library(collectives_developer INTERFACE)
target_link_libraries(collectives_developer INTERFACE collectives::collectives)
target_compile_definitions(collectives_developer INTERFACE
    COLLECTIVES_VERSION="${PROJECT_VERSION}")
target_compile_options(collectives_developer INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion
    $<$<BOOL:${COLLECTIVES_WERROR}>:-Werror>)

# Packages of the system. What needs one that is missing is left out, with a message.
find_package(doctest QUIET)
find_package(fmt QUIET)
find_package(CLI11 QUIET)
find_package(nlohmann_json QUIET)
find_package(Eigen3 QUIET NO_MODULE)
find_package(benchmark QUIET)
find_package(rapidcheck QUIET)
find_package(ZLIB QUIET)
find_package(pugixml QUIET)
find_library(COLLECTIVES_HWLOC hwloc)
find_path(COLLECTIVES_HWLOC_INCLUDES hwloc.h)
mark_as_advanced(COLLECTIVES_HWLOC COLLECTIVES_HWLOC_INCLUDES)
if(COLLECTIVES_HWLOC AND COLLECTIVES_HWLOC_INCLUDES AND NOT TARGET hwloc::hwloc)
    add_library(hwloc::hwloc INTERFACE IMPORTED)
    target_link_libraries(hwloc::hwloc INTERFACE ${COLLECTIVES_HWLOC})
    target_include_directories(hwloc::hwloc INTERFACE ${COLLECTIVES_HWLOC_INCLUDES})
endif()

# collectives_program(NAME SOURCES...): an executable that links the packages whose headers its
# sources include. It is left out, with a message, where one of them is missing.
function(collectives_program name)
    set(libraries
        "doctest/=doctest::doctest" "fmt/=fmt::fmt" "CLI/=CLI11::CLI11" "Eigen/=Eigen3::Eigen"
        "nlohmann/=nlohmann_json::nlohmann_json" "benchmark/=benchmark::benchmark"
        "rapidcheck=rapidcheck" "zlib.h=ZLIB::ZLIB" "pugixml.hpp=pugixml::pugixml" "hwloc.h=hwloc::hwloc" "collectives/launch/(meet|bootstrap/store)=collectives::meet"
        "collectives/ucx=collectives::ucx")
    foreach(entry IN LISTS libraries)
        string(REGEX MATCH "^(.*)=(.*)$" ignored ${entry})
        set(header ${CMAKE_MATCH_1})
        set(library ${CMAKE_MATCH_2})
        foreach(source IN LISTS ARGN)
            file(STRINGS ${source} includes REGEX "^#include <${header}")
            if(includes)
                list(APPEND needed ${library})
                if(NOT TARGET ${library})
                    message(STATUS "${name} is left out: ${library} was not found")
                    return()
                endif()
            endif()
        endforeach()
    endforeach()
    list(REMOVE_DUPLICATES needed)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE collectives_developer ${needed})
endfunction()

# With sanitizers that few programs run under, each compiles for itself the little that it calls.
option(COLLECTIVES_LINK_COMPILED "Tests, tools and examples link collectives::compiled" ON)
function(collectives_link_compiled target)
    if(NOT TARGET ${target} OR NOT COLLECTIVES_LINK_COMPILED)
        return()
    endif()
    target_link_libraries(${target} PRIVATE collectives::compiled)
    get_target_property(linked ${target} LINK_LIBRARIES)
    foreach(transport IN ITEMS ucx mpi)
        if("collectives::${transport}" IN_LIST linked)
            target_link_libraries(${target} PRIVATE collectives::compiled_${transport})
        endif()
    endforeach()
endfunction()

# collectives_install_tool(TARGET): into the component `tools`, where it was built, with what bash completes.
function(collectives_install_tool target)
    if(TARGET ${target} AND COLLECTIVES_INSTALL)
        install(TARGETS ${target} COMPONENT tools OPTIONAL)
        if(NOT CMAKE_CROSSCOMPILING)    # the tool is asked
            install(CODE "set(tool \"$<TARGET_FILE:${target}>\")
                set(script \"${PROJECT_SOURCE_DIR}/packages/bash_completion\")
                set(folder \"${CMAKE_INSTALL_DATADIR}/bash-completion/completions\")" COMPONENT tools)
            install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/completion.cmake COMPONENT tools)
        endif()
        set_property(GLOBAL APPEND PROPERTY collectives_tools ${target})    # for the installed package
    endif()
endfunction()

# collectives_compile_quickly(TARGET [LEVEL]): what is compiled more often than it is timed. -O3 takes half as
# long again as -O1, and what runs for no time beside the library compiled for it needs none at all.
function(collectives_compile_quickly target)
    if(TARGET ${target})
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O$<IF:$<STREQUAL:${ARGN},>,1,${ARGN}>>)
    endif()
endfunction()

include(cmake/mpis.cmake)

if(CMAKE_BUILD_TYPE STREQUAL Debug)    # what all tests with sanitizers call
    foreach(library IN ITEMS collectives_compiled collectives_compiled_mpi collectives_compiled_mpich
            collectives_compiled_openmpi)
        if(TARGET ${library})
            target_compile_options(${library} PRIVATE -O1 -Wno-pass-failed)    # loops stay scalar at -O1
        endif()
    endforeach()
endif()

set(COLLECTIVES_CUDA_ARCHITECTURES 90 CACHE STRING
    "of the devices that the programs here are built for, such as 80,90; newer ones compile what the last has")
string(REPLACE "," ";" collectives_cuda_codes "${COLLECTIVES_CUDA_ARCHITECTURES}")
list(GET collectives_cuda_codes -1 last)
list(TRANSFORM collectives_cuda_codes REPLACE "(.+)" "-gencode=arch=compute_\\1,code=sm_\\1")
list(APPEND collectives_cuda_codes -gencode=arch=compute_${last},code=compute_${last})

add_custom_target(tested)    # the programs that tests run: all but benchmarks

# collectives_test(NAME [SERIAL] [TIMEOUT seconds] LABELS ... COMMAND ...): runs in the project's
# root; status 77 means "skipped".
function(collectives_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT" "LABELS;COMMAND")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 600)
    endif()
    if(CMAKE_CROSSCOMPILING_EMULATOR)    # ten times as slow
        math(EXPR arg_TIMEOUT "10 * ${arg_TIMEOUT}")
    endif()
    list(GET arg_COMMAND 0 program)
    if(TARGET ${program})
        add_dependencies(tested ${program})
    endif()
    add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES
        LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77
        RUN_SERIAL ${arg_SERIAL})
endfunction()
