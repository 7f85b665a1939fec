# SPDX-License-Identifier: BSD-3-Clause
# collectives::compiled: every definition of the library that is no template, and the kernels of the
# named operators on the usual types, compiled once for all programs that link it. Those are given
# the macro COLLECTIVES_COMPILED, with which the headers leave these definitions out.
option(COLLECTIVES_BUILD_COMPILED
    "Build and install collectives::compiled; else it is built where something links it"
    ${PROJECT_IS_TOP_LEVEL})

# collectives_compile(NAME SOURCES...): a part of it, as collectives::NAME.
function(collectives_compile name)
    set(target collectives_${name})
    add_library(${target} STATIC ${ARGN})
    add_library(collectives::${name} ALIAS ${target})
    string(TOUPPER ${target} macro)
    target_compile_definitions(${target} PUBLIC ${macro} PRIVATE COLLECTIVES_COMPILING)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
    if(NOT COLLECTIVES_BUILD_COMPILED)
        set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endfunction()

# The engine is all but pictures and kernels, and has those kernels that it calls itself. Programs link all; the demo,
# which is to be there in a minute, links the engine alone, as objects.
file(GLOB engine CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
file(GLOB rest CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/kernels/*.cpp ${PROJECT_SOURCE_DIR}/src/drawing.cpp)
set(kernels ${rest})
list(FILTER kernels INCLUDE REGEX "/kernels/(double|float|int64)\\.cpp$")
list(REMOVE_ITEM rest ${kernels})
list(REMOVE_ITEM engine ${rest})
add_library(collectives_engine OBJECT EXCLUDE_FROM_ALL ${engine} ${kernels})
target_compile_definitions(collectives_engine PUBLIC COLLECTIVES_COMPILED PRIVATE COLLECTIVES_COMPILING)
target_link_libraries(collectives_engine PUBLIC collectives)
set_target_properties(collectives_engine PROPERTIES POSITION_INDEPENDENT_CODE ON)
collectives_compile(compiled $<TARGET_OBJECTS:collectives_engine> ${rest})
target_link_libraries(collectives_compiled PUBLIC collectives)
# The option saves developers time: all of the engine but kernels and calls is one object, which takes two thirds of the
# time to compile. Programs then link all of it. Clang compiles each file alone, so that no file lacks an include.
option(COLLECTIVES_COMPILE_TOGETHER "Compile most of collectives::compiled as one source, to save developers time" OFF)
mark_as_advanced(COLLECTIVES_COMPILE_TOGETHER)
if(COLLECTIVES_COMPILE_TOGETHER AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(REMOVE_ITEM engine ${PROJECT_SOURCE_DIR}/src/communicator.cpp)
    set_source_files_properties(${engine} PROPERTIES UNITY_GROUP engine)
    set_target_properties(collectives_engine PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endif()
if(TARGET collectives::ucx)
    collectives_compile(compiled_ucx ${PROJECT_SOURCE_DIR}/src/ucx/ucx.cpp)
    target_link_libraries(collectives_compiled_ucx PUBLIC collectives_compiled collectives_ucx)
endif()
if(TARGET collectives::mpi)
    collectives_compile(compiled_mpi ${PROJECT_SOURCE_DIR}/src/mpi/mpi.cpp)
    target_link_libraries(collectives_compiled_mpi PUBLIC collectives_compiled collectives_mpi)
endif()
