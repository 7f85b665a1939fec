# SPDX-License-Identifier: BSD-3-Clause
# Every file is an example of its own, and a test. So are the folders of the trainer and of the pipeline.
if(NOT COLLECTIVES_BUILD_EXAMPLES)    # but the tools, of which the trainer is one
    include(sgd_trainer/program.cmake)
    return()
endif()
file(GLOB examples CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
list(FILTER examples EXCLUDE REGEX "/(over_mpi|devices)\\.cpp$")    # they link more; see below
add_custom_target(examples)
foreach(source IN LISTS examples)
    cmake_path(GET source STEM name)
    if(name STREQUAL tiny_sgd AND NOT TARGET collectives::ucx)    # it can do without
        add_executable(tiny_sgd ${source})
        target_link_libraries(tiny_sgd PRIVATE collectives_developer)
    else()
        collectives_program(${name} ${source})
    endif()
    collectives_link_compiled(${name})
    if(NOT TARGET ${name})
        continue()
    endif()
    collectives_compile_quickly(${name} 0)
    add_dependencies(examples ${name})
    if(NOT name MATCHES "^(hosts|over_ucx)$")    # a launcher starts their ranks
        collectives_test(examples.${name} LABELS examples COMMAND ${name})
    elseif(TARGET collrun AND name STREQUAL over_ucx)
        collectives_test(examples.over_ucx LABELS examples COMMAND collrun -n 3 $<TARGET_FILE:over_ucx>)
        set_tests_properties(examples.over_ucx PROPERTIES PASS_REGULAR_EXPRESSION "3 ranks over UCX"
            FAIL_REGULAR_EXPRESSION "was ended by signal|ended with status")
        add_dependencies(tested over_ucx)
    elseif(TARGET collrun)
        collectives_test(examples.hosts LABELS examples COMMAND collrun -n 4 $<TARGET_FILE:hosts>)
        set_tests_properties(examples.hosts PROPERTIES ENVIRONMENT COLLECTIVES_RANKS_PER_HOST=2
            PASS_REGULAR_EXPRESSION "all_reduce of 8000000 bytes over 4 ranks.*hierarchical:2"
            FAIL_REGULAR_EXPRESSION "was ended by signal|ended with status")
        add_dependencies(tested hosts)
    endif()
endforeach()

if(TARGET collectives::mpi)
    add_executable(over_mpi over_mpi.cpp)
    target_link_libraries(over_mpi PRIVATE collectives_developer collectives::mpi)
    collectives_link_compiled(over_mpi)
    collectives_compile_quickly(over_mpi 0)
    add_dependencies(examples over_mpi)
    add_dependencies(tested over_mpi)
    collectives_test(examples.over_mpi LABELS examples
        COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 $<TARGET_FILE:over_mpi>)
    set_tests_properties(examples.over_mpi PROPERTIES PASS_REGULAR_EXPRESSION "3 ranks, sum 6"
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1")
endif()

if(TARGET collectives::cuda AND CUDAToolkit_NVCC_EXECUTABLE)
    set(kernels ${CMAKE_CURRENT_BINARY_DIR}/devices.o)
    add_custom_command(OUTPUT ${kernels} DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/devices.cu DEPFILE ${kernels}.d
        COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++20 --expt-relaxed-constexpr
            -I${PROJECT_SOURCE_DIR}/include ${collectives_cuda_codes}
            -MD -MF ${kernels}.d -MT ${kernels} -c ${CMAKE_CURRENT_SOURCE_DIR}/devices.cu -o ${kernels}
        COMMENT "Building the example's kernels")
    add_executable(devices devices.cpp ${kernels})
    target_link_libraries(devices PRIVATE collectives_developer collectives::cuda ${CMAKE_DL_LIBS})
    collectives_link_compiled(devices)
    collectives_compile_quickly(devices 0)
    add_dependencies(examples devices)
    collectives_test(examples.devices LABELS examples COMMAND devices)
else()
    message(STATUS "the example devices is left out: nvcc was not found")
endif()

if(TARGET collectives::ucx)    # the one example whose transport is an argument, of all there are
    target_compile_definitions(tiny_sgd PRIVATE WITH_UCX)
    target_link_libraries(tiny_sgd PRIVATE collectives::ucx)
endif()
if(TARGET collectives::mpi)
    target_compile_definitions(tiny_sgd PRIVATE WITH_MPI)
    target_link_libraries(tiny_sgd PRIVATE collectives::mpi)
endif()
collectives_link_compiled(tiny_sgd)
collectives_test(examples.tiny_sgd.shm LABELS examples COMMAND tiny_sgd shm 3)
if(TARGET collrun)    # its ranks belong to a job
    add_dependencies(examples collrun)
    collectives_test(examples.tiny_sgd.job LABELS examples COMMAND collrun -n 3 $<TARGET_FILE:tiny_sgd> job)
    if(TARGET collectives::ucx)
        collectives_test(examples.tiny_sgd.ucx LABELS examples
            COMMAND collrun -n 3 $<TARGET_FILE:tiny_sgd> ucx)
    endif()
endif()

include(sgd_trainer/program.cmake)
if(TARGET sgd_trainer)
    collectives_test(examples.sgd_trainer SERIAL LABELS examples
        COMMAND sgd_trainer --output ${CMAKE_CURRENT_BINARY_DIR}/pictures)
    collectives_test(examples.demo LABELS examples trainer
        COMMAND demo --output ${CMAKE_CURRENT_BINARY_DIR}/demo_pictures)
    foreach(mpi IN ITEMS mpich openmpi)
        if(TARGET sgd_trainer_${mpi})
            add_dependencies(examples sgd_trainer_${mpi})
        endif()
    endforeach()
    foreach(check IN ITEMS agree bits resume compression accumulate servers files sets synthetic infer launchers mpi ucx
            losses fashion modes device)
        collectives_test(examples.sgd_trainer.${check} LABELS examples trainer
            COMMAND ${PROJECT_SOURCE_DIR}/tests/trainer/check ${check} $<TARGET_FILE:sgd_trainer>
                $<$<TARGET_EXISTS:collrun>:$<TARGET_FILE:collrun>>)
    endforeach()
    set_tests_properties(examples.sgd_trainer.modes PROPERTIES LABELS "examples;trainer;modes")
    file(GLOB studies CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/trainer/studies/*)
    foreach(study IN LISTS studies)    # each holds the figures of a small run against what its page says
        cmake_path(GET study FILENAME study)
        collectives_test(examples.sgd_trainer.study.${study} SERIAL LABELS examples trainer    # some are times
            COMMAND ${PROJECT_SOURCE_DIR}/tests/trainer/study ${study} $<TARGET_FILE:sgd_trainer>)
    endforeach()
    add_dependencies(tested sgd_trainer demo)
    add_dependencies(examples sgd_trainer demo)
endif()

file(GLOB pipeline CONFIGURE_DEPENDS pipeline/*.[ch]pp)
list(APPEND pipeline ${CMAKE_CURRENT_SOURCE_DIR}/sgd_trainer/svg.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/sgd_trainer/studies/figure.cpp)    # which draw its plot
collectives_program(pipeline ${pipeline})
if(TARGET pipeline)
    collectives_link_compiled(pipeline)
    collectives_compile_quickly(pipeline)
    set_target_properties(pipeline PROPERTIES UNITY_BUILD ON)
    set_source_files_properties(pipeline/settings.cpp PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O0>)
    set_source_files_properties(pipeline/network.cpp PROPERTIES
        COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)    # the arithmetic
    collectives_test(examples.pipeline LABELS examples COMMAND bash -c    # with the picture that the page has
        "$<TARGET_FILE:pipeline> --svg ${CMAKE_CURRENT_BINARY_DIR}/pipeline.svg && \
        cmp ${CMAKE_CURRENT_BINARY_DIR}/pipeline.svg docs/pictures/pipeline.svg")
    collectives_test(examples.pipeline.bubble SERIAL LABELS examples
        COMMAND ${PROJECT_SOURCE_DIR}/tests/pipeline/bubble $<TARGET_FILE:pipeline>)
    foreach(grid IN ITEMS 1.8.1.gpipe.threads 1.1.3.1f1b.shm 2.1.2.1f1b.threads 3.5.1.gpipe.shm
            3.2.2.1f1b.shm 5.13.1.1f1b.threads 4.4.3.gpipe.threads)    # stages, micro-batches, replicas
        string(REPLACE . ";" part ${grid})
        list(GET part 0 stages)
        list(GET part 1 micro_batches)
        list(GET part 2 replicas)
        list(GET part 3 schedule)
        list(GET part 4 transport)
        collectives_test(examples.pipeline.${grid} LABELS examples
            COMMAND pipeline --stages ${stages} --micro-batches ${micro_batches} --replicas ${replicas}
                --schedule ${schedule} --transport ${transport} --split-size 3 --steps 4)
    endforeach()
    add_dependencies(examples pipeline)
endif()
