# SPDX-License-Identifier: BSD-3-Clause
# The tests over MPI, with each implementation that is there: its own compiler and launcher, by their full
# names, for plain mpicxx and mpiexec may belong to either.

if(NOT COLLECTIVES_WITH_MPI)
    message(STATUS "the tests over MPI are left out: COLLECTIVES_WITH_MPI is OFF")
    return()
endif()
set(mpi_flags -DWITH_MPI -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -std=c++20 -pthread -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    -Wsign-conversion -Werror -I${PROJECT_SOURCE_DIR}/include -I${CMAKE_CURRENT_SOURCE_DIR})
if(CMAKE_BUILD_TYPE STREQUAL Debug)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS_DEBUG}")
    list(APPEND mpi_flags ${flags})
endif()
separate_arguments(mpi_linking UNIX_COMMAND "${CMAKE_EXE_LINKER_FLAGS}")
if(COLLECTIVES_LINK_COMPILED)
    list(APPEND mpi_flags -DCOLLECTIVES_COMPILED -DCOLLECTIVES_COMPILED_MPI)
endif()
# The worlds of each program, a test for each; of those joined by commas it takes one. See in_world. Each runs over
# one MPI a day. See on_its_day.
set(worlds_of_conformance 1 2 3 4 5,7,8)
set(worlds_of_bootstrap 1 2 3 5,8)
set(worlds_of_random 5)
set(worlds_of_fusion 2 3 5,7)
set(worlds_of_tags 2 3)
set(worlds_of_tiny_sgd 3)
set(arguments_of_tiny_sgd mpi)
set(worlds_of_hosts 2x1 4x1 4x2 5x2,6x2,8x4)
set(leaks_of_openmpi ";ASAN_OPTIONS=fast_unwind_on_malloc=0")    # else its leaks have no name
set(name_of_mpich MPICH)
set(name_of_openmpi "Open MPI")
set(launch_mpich)
set(launch_openmpi --allow-run-as-root --oversubscribe)    # more ranks than cores
foreach(mpi IN ITEMS mpich openmpi)
    find_program(COLLECTIVES_MPIEXEC_${mpi} mpiexec.${mpi})
endforeach()
set(day 0)
set(first 0)
foreach(mpi IN ITEMS mpich openmpi)
    if(NOT COLLECTIVES_MPICXX_${mpi} OR NOT COLLECTIVES_MPIEXEC_${mpi})
        message(STATUS "the tests over ${mpi} are left out: its compiler or launcher was not found")
        continue()
    endif()
    set(mpicxx ${CMAKE_COMMAND} -E env MPICH_CXX=${CMAKE_CXX_COMPILER} OMPI_CXX=${CMAKE_CXX_COMPILER} ${COLLECTIVES_MPICXX_${mpi}})
    set(mpi_libraries)
    if(COLLECTIVES_LINK_COMPILED)
        set(mpi_libraries $<TARGET_FILE:${compiled_with_${mpi}}> $<TARGET_FILE:collectives_compiled>)
    endif()
    set(shared_object mpi.world.${mpi}.o)    # what most programs share
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/mpi/world.cpp)
    add_custom_command(OUTPUT ${shared_object} DEPENDS ${source} DEPFILE ${shared_object}.d
        COMMAND ${mpicxx} -O0 ${mpi_flags} -MD -MF ${shared_object}.d -MT ${shared_object} -c ${source} -o ${shared_object}
        COMMENT "Building ${shared_object}" VERBATIM)
    file(GLOB sources CONFIGURE_DEPENDS mpi/*.cpp)
    list(REMOVE_ITEM sources ${source})
    list(APPEND sources ${PROJECT_SOURCE_DIR}/examples/tiny_sgd.cpp)
    if(CMAKE_BUILD_TYPE STREQUAL Debug)    # sanitizers: the program that calls everything
        set(sources mpi/random.cpp)
    endif()
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source)
        cmake_path(GET source STEM name)
        set(program mpi.${name}.${mpi})
        set(libraries ${mpi_libraries})
        if(NOT name MATCHES "^(bootstrap|faults|start|tiny_sgd)$")
            list(PREPEND libraries ${shared_object})
        endif()
        set(level -O1)
        if(name MATCHES "^(bootstrap|faults|fusion|start|tags|tiny_sgd)$")    # the compiler takes longer than their tests
            set(level -O0)
        endif()
        if(name MATCHES "^(conformance|hosts)$")
            list(PREPEND libraries $<TARGET_FILE:conformance_suite>)
        elseif(name STREQUAL fusion)
            list(PREPEND libraries $<TARGET_FILE:fusion_suite>)
        elseif(name STREQUAL random)
            list(PREPEND libraries $<TARGET_FILE:property_suite>)
        endif()
        set(depends ${source} ${libraries})
        if(name STREQUAL random)
            list(APPEND libraries -lrapidcheck)
        endif()
        add_custom_command(OUTPUT ${program} DEPENDS ${depends} DEPFILE ${program}.d
            COMMAND ${mpicxx} ${level} ${mpi_flags} -MD -MF ${program}.d -MT ${program}
                ${source} -o ${program} ${libraries} ${mpi_linking}
            COMMENT "Building ${program}" VERBATIM)
        add_custom_target(build.${program} ALL DEPENDS ${program})
        add_dependencies(tested build.${program})
        if(CMAKE_BUILD_TYPE STREQUAL Debug)
            add_dependencies(sanitizer_tests build.${program})
        endif()
        if(NOT DEFINED worlds_of_${name})
            continue()
        endif()
        foreach(world IN LISTS worlds_of_${name})
            set(test ${program}.${world})
            set(arguments {})
            if(DEFINED arguments_of_${name})
                set(arguments ${arguments_of_${name}})
            endif()
            set(takes ${half})    # since ranks poll
            if(world MATCHES ",")
                set(test ${program}.many)
                set(takes ${at_once})    # many ranks would starve each other
            endif()
            list(FIND worlds_of_${name} "${world}" number)
            if(mpi STREQUAL openmpi)
                math(EXPR number "${number} + 1")
            endif()
            string(REPLACE "," ";" world ${world})
            list(LENGTH world turns)    # with COLLECTIVES_TEST_ALL
            math(EXPR most "300 * ${turns}")
            add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/on_its_day ${number}/2
                ${CMAKE_CURRENT_SOURCE_DIR}/mpi/in_world ${world} -- ${COLLECTIVES_MPIEXEC_${mpi}}
                    ${launch_${mpi}} -n {} ${CMAKE_CURRENT_BINARY_DIR}/${program} ${arguments})
            set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT ${most} PROCESSORS ${takes} SKIP_RETURN_CODE 77
                ENVIRONMENT "COLLECTIVES_TIMEOUT=60${leaks_of_${mpi}}")
        endforeach()
    endforeach()
    if(CMAKE_BUILD_TYPE STREQUAL Debug)
        continue()
    endif()
    foreach(other IN ITEMS mpich openmpi)
        if(NOT other STREQUAL mpi AND COLLECTIVES_MPIEXEC_${other})
            set(test mpi.launcher.${mpi}.by_${other})
            add_test(NAME ${test}
                COMMAND ${COLLECTIVES_MPIEXEC_${other}} ${launch_${other}} -n 2
                    ${CMAKE_CURRENT_BINARY_DIR}/mpi.faults.${mpi} 2 late)
            set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 60
                PASS_REGULAR_EXPRESSION "MPI_COMM_WORLD has 1 rank, but [A-Z_]* is 2: use the launcher of ${name_of_${mpi}},"
                FAIL_REGULAR_EXPRESSION "was told|is late|got a result")
        endif()
    endforeach()
    foreach(call IN ITEMS 1 2 3)    # the collective calls with which a communicator starts
        set(test mpi.start.${mpi}.${call})
        math(EXPR day "${day} + 1")
        add_test(NAME ${test}
            COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/on_its_day ${day}/2 ${CMAKE_CURRENT_SOURCE_DIR}/mpi/outlive 2 ${COLLECTIVES_MPIEXEC_${mpi}} ${launch_${mpi}} --
                ${CMAKE_CURRENT_BINARY_DIR}/mpi.start.${mpi} 2 ${call})
        set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 60 SKIP_RETURN_CODE 77
            PASS_REGULAR_EXPRESSION "rank . has ended.*rank . has ended"
            FAIL_REGULAR_EXPRESSION "Segmentation|is late|that is gone")
    endforeach()
    # What four ranks, also on two hosts, are told of a fault: a rank's death is kept from the launcher.
    # It is given in one of its four ways a day.
    set(told "rank . was told.*rank . was told.*rank . was told")
    set(number ${first})
    math(EXPR first "${first} + 2")
    foreach(fault IN ITEMS mismatch late busy stopped leaves death death_ends death_shrinks abort abort_itself)
        set(expected "${told}")
        if(fault MATCHES "mismatch|late|busy|stopped|abort")    # rank 1 lives, and is told too
            string(APPEND expected ".*rank . was told")
        elseif(fault MATCHES "death_")
            string(REPLACE "was told" "has ended" expected "${told}")
        endif()
        foreach(way IN ITEMS "" hosts)
            set(test mpi.faults${way}.${mpi}.${fault})
            math(EXPR number "${number} + 1")
            add_test(NAME ${test}
                COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/on_its_day ${number}/4 ${CMAKE_CURRENT_SOURCE_DIR}/mpi/outlive 4 ${COLLECTIVES_MPIEXEC_${mpi}} ${launch_${mpi}} --
                    ${CMAKE_CURRENT_BINARY_DIR}/mpi.faults.${mpi} 4 ${fault} ${way})
            set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 60 RUN_SERIAL TRUE SKIP_RETURN_CODE 77
                PASS_REGULAR_EXPRESSION "${expected}"
                FAIL_REGULAR_EXPRESSION "Segmentation|double free|corrupted|got a result|is late"
                ENVIRONMENT COLLECTIVES_RANKS_PER_HOST=2)
        endforeach()
    endforeach()
endforeach()
