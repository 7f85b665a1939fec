# SPDX-License-Identifier: BSD-3-Clause
# The trainer, which is a tool too: it is built and installed wherever the tools are.
file(GLOB trainer CONFIGURE_DEPENDS sgd_trainer/*.[ch]pp sgd_trainer/compare/*.[ch]pp
    sgd_trainer/studies/*.[ch]pp)
list(REMOVE_ITEM trainer ${CMAKE_CURRENT_SOURCE_DIR}/sgd_trainer/demo.cpp)
# What the demo needs of it: the network, which tests link by itself, and the rest.
set(network ${trainer})
list(FILTER network INCLUDE REGEX "/sgd_trainer/(digits|layers|loader|network|optimizer)\\.cpp$")
set(shared ${trainer})
list(FILTER shared INCLUDE REGEX "/sgd_trainer/(compare/.*|(checkpoint|rank|svg)\\.cpp)$")
if(trainer)
    list(REMOVE_ITEM trainer ${network} ${shared})
    collectives_program(sgd_trainer ${trainer})
endif()
if(TARGET sgd_trainer)
    add_library(trainer_network OBJECT EXCLUDE_FROM_ALL ${network})
    add_library(trainer_shared OBJECT EXCLUDE_FROM_ALL ${shared})
    foreach(library IN ITEMS trainer_network trainer_shared)
        target_link_libraries(${library} PRIVATE collectives_developer PUBLIC fmt::fmt Eigen3::Eigen)
        collectives_declare_compiled(${library})
    endforeach()
    target_link_libraries(sgd_trainer PRIVATE trainer_shared trainer_network)
    collectives_link_compiled(sgd_trainer)
    target_link_libraries(sgd_trainer PRIVATE tools_shared)    # a study asks what a cluster is worth
    set(clusters ${PROJECT_SOURCE_DIR}/tools/coll_scale/models/resnet50.csv)
    configure_file(${clusters} models/resnet50.csv COPYONLY)    # found from any working directory
    configure_file(${PROJECT_SOURCE_DIR}/data/digits/digits.csv digits/digits.csv COPYONLY)
    if(NOT TARGET tools_load)    # where the tools are not built
        add_subdirectory(${PROJECT_SOURCE_DIR}/tools/load tools_load)
        add_subdirectory(${PROJECT_SOURCE_DIR}/tools/launched tools_launched)
    endif()
    target_link_libraries(sgd_trainer PRIVATE tools_load)
    collectives_install_tool(sgd_trainer)
    if(COLLECTIVES_INSTALL)    # with the data that it trains on where it is told of none
        install(FILES ${PROJECT_SOURCE_DIR}/data/digits/digits.csv ${PROJECT_SOURCE_DIR}/data/digits/LICENSE
            DESTINATION ${CMAKE_INSTALL_DATADIR}/collectives/digits COMPONENT tools)
        install(FILES ${clusters} DESTINATION ${CMAKE_INSTALL_DATADIR}/collectives/models COMPONENT tools)
    endif()
    set(device ${CMAKE_CURRENT_SOURCE_DIR}/sgd_trainer/device)
    if(TARGET collectives::cuda AND TARGET CUDA::cublas AND CUDAToolkit_NVCC_EXECUTABLE)
        set(math ${CMAKE_CURRENT_BINARY_DIR}/sgd_trainer_math.o)
        add_custom_command(OUTPUT ${math} DEPENDS ${device}/math.cu DEPFILE ${math}.d
            COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++20 --expt-relaxed-constexpr -O2
                -I${PROJECT_SOURCE_DIR}/include ${collectives_cuda_codes}
                -MD -MF ${math}.d -MT ${math} -c ${device}/math.cu -o ${math}
            COMMENT "Building the trainer's kernels")
        target_sources(sgd_trainer PRIVATE ${device}/run.cpp ${device}/network.cpp ${math})
        target_link_libraries(sgd_trainer PRIVATE collectives::cuda ${CMAKE_DL_LIBS})
        get_target_property(cublas CUDA::cublas IMPORTED_LOCATION)    # loaded once it is needed
        cmake_path(GET cublas PARENT_PATH cublas)
        set_target_properties(sgd_trainer PROPERTIES BUILD_RPATH ${cublas} INSTALL_RPATH ${cublas})
    else()
        set(math)
        message(STATUS "sgd_trainer is built without --device cuda: nvcc or cuBLAS was not found")
        target_sources(sgd_trainer PRIVATE ${device}/absent.cpp)
    endif()
    set(COLLECTIVES_TRAINER_LEVEL "" CACHE STRING "-O of the trainer where nobody runs it; else each file has its own")
    mark_as_advanced(COLLECTIVES_TRAINER_LEVEL)
    set(level "${COLLECTIVES_TRAINER_LEVEL}")
    collectives_compile_quickly(sgd_trainer ${level})
    if(level STREQUAL "")
        set_source_files_properties(sgd_trainer/options.cpp PROPERTIES
            COMPILE_OPTIONS $<$<CONFIG:Release>:-O0>)
        collectives_compile_quickly(trainer_shared 2)    # the steps
        collectives_compile_quickly(trainer_network 3)    # the arithmetic
    else()
        collectives_compile_quickly(trainer_shared ${level})
        collectives_compile_quickly(trainer_network ${level})
    endif()
    # Most files are small beside the headers that they include: those of a folder are compiled as one. Tests link
    # some by themselves.
    foreach(folder IN ITEMS sgd_trainer studies)
        set(together ${trainer})
        list(FILTER together INCLUDE REGEX "/${folder}/[^/]*\\.cpp$")
        list(FILTER together EXCLUDE REGEX "/(cifar|main|figure|short_numbers)\\.cpp$")
        set_source_files_properties(${together} PROPERTIES UNITY_GROUP ${folder})
    endforeach()
    set_target_properties(sgd_trainer PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_target_properties(trainer_shared trainer_network PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    if(COLLECTIVES_BUILD_EXAMPLES)
        # The demo is a program of its own, too. It links the engine of the library alone: a third of the time.
        add_executable(demo sgd_trainer/demo.cpp)
        target_link_libraries(demo PRIVATE collectives_developer trainer_shared trainer_network tools_load)
        collectives_declare_compiled(demo)
        if(COLLECTIVES_LINK_COMPILED)
            target_link_libraries(demo PRIVATE collectives_engine)
        endif()
        collectives_compile_quickly(demo 0)
    endif()
    collectives_launched(sgd_trainer ${math})
endif()
