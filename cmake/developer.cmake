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

# collectives_declare_compiled(TARGET): objects of programs that link collectives::compiled, or its engine alone.
function(collectives_declare_compiled target)
    if(COLLECTIVES_LINK_COMPILED)
        target_compile_definitions(${target} PRIVATE COLLECTIVES_COMPILED)
    endif()
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
        if("${ARGN}" STREQUAL 0)
            collectives_parse_once(${target})
        endif()
    endif()
endfunction()

# The library's headers are parsed once for all programs of -O0 that link collectives::compiled, for tests those of
# doctest too. (From -O1 on g++ then warns of what is in the standard's headers.) Compiler caches refuse that, and
# with clang each file parses for itself: so none lacks an include.
function(collectives_parse_once target)
    get_target_property(linked ${target} LINK_LIBRARIES)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU OR NOT CMAKE_BUILD_TYPE STREQUAL Release OR CMAKE_CXX_COMPILER_LAUNCHER
            OR NOT "collectives::compiled" IN_LIST linked)
        return()
    endif()
    set(parsed collectives_parsed)
    set(headers <collectives/collectives.hpp>)
    if("doctest::doctest" IN_LIST linked)
        string(APPEND parsed _with_doctest)
        list(APPEND headers <doctest/doctest.h>)
    endif()
    set(CMAKE_PCH_PROLOGUE "")    # with CMake's own no warning of these headers shows
    if(NOT TARGET ${parsed})
        file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${parsed}.cpp CONTENT "")
        add_library(${parsed} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/${parsed}.cpp)
        target_link_libraries(${parsed} PRIVATE collectives_developer collectives::compiled)
        target_precompile_headers(${parsed} PRIVATE ${headers})
        target_compile_options(${parsed} PRIVATE -O0)
    endif()
    target_precompile_headers(${target} REUSE_FROM ${parsed})
endfunction()

include(cmake/mpis.cmake)

if(CMAKE_BUILD_TYPE STREQUAL Debug)    # what all tests with sanitizers call
    foreach(library IN ITEMS collectives_engine collectives_compiled collectives_compiled_mpi
            collectives_compiled_mpich collectives_compiled_openmpi)
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

# Tests that take longest beside what they find run on one day of three each, so that those of a day take 15 minutes
# with the build: see tests/on_its_day. `./dev soak` and `./dev soak explorer` run all.
set(collectives_tests_of_day_0 tools.load tools.coll_wire.output install.components simulation.order
    faults.containers explorer.tasks explorer.equal explorer.prose examples.sgd_trainer.fashion
    cuda.kinds install.fetch_content)
set(collectives_tests_of_day_1 install.single install.documented install.release tools.coll_perf.launchers
    meeting.ranks explorer.result_codes explorer.mutants examples.sgd_trainer.losses examples.sgd_trainer.modes
    examples.sgd_trainer.study.loading cuda.processes)
set(collectives_tests_of_day_2 cuda.kernels install.examples tools.coll_perf.hosts faults.links faults.join_shm
    explorer.texts explorer.mutations explorer.interpreter examples.sgd_trainer.mpi)

# collectives_test(NAME [SERIAL] [TIMEOUT seconds] [DAY K/N] LABELS ... COMMAND ...): runs in the project's
# root, with DAY as tests/on_its_day says; status 77 means "skipped".
function(collectives_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT;DAY" "LABELS;COMMAND")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 600)
    endif()
    if(CMAKE_CROSSCOMPILING_EMULATOR)    # ten times as slow
        math(EXPR arg_TIMEOUT "10 * ${arg_TIMEOUT}")
    endif()
    list(GET arg_COMMAND 0 program)
    if(TARGET ${program})
        add_dependencies(tested ${program})
        set(program $<TARGET_FILE:${program}>)
    endif()
    foreach(day IN ITEMS 0 1 2)
        if(name IN_LIST collectives_tests_of_day_${day})
            set(arg_DAY ${day}/3)
        endif()
    endforeach()
    if(arg_DAY AND NOT CMAKE_CROSSCOMPILING)
        list(POP_FRONT arg_COMMAND)
        list(PREPEND arg_COMMAND ${PROJECT_SOURCE_DIR}/tests/on_its_day ${arg_DAY} ${program})
    endif()
    add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES
        LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77
        RUN_SERIAL ${arg_SERIAL})
endfunction()
