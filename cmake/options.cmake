# SPDX-License-Identifier: BSD-3-Clause
# What is built, installed and looked for. On its own the project does all of it that it can; as a part
# of another project it gives its targets, and builds and installs nothing else.

option(COLLECTIVES_INSTALL "Install the library, and the tools that are built" ${PROJECT_IS_TOP_LEVEL})
set(collectives_chosen)    # of the project's own programs
foreach(part IN ITEMS TOOLS EXAMPLES TESTS BENCH)    # in this order: tests use tools and examples
    string(TOLOWER ${part} folder)
    option(COLLECTIVES_BUILD_${part} "Build what is in ${folder}/" ${PROJECT_IS_TOP_LEVEL})
    if(COLLECTIVES_BUILD_${part} OR (part STREQUAL EXAMPLES AND COLLECTIVES_BUILD_TOOLS))    # a tool is there
        list(APPEND collectives_chosen ${folder})
    endif()
endforeach()

# collectives_with(PART NEEDED): the option COLLECTIVES_WITH_PART, which is AUTO, ON or OFF.
function(collectives_with part needed)
    set(option COLLECTIVES_WITH_${part})
    set(${option} AUTO CACHE STRING "Look for ${needed}: AUTO, ON (an error without it) or OFF")
    set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
    string(TOUPPER "${${option}}" value)
    if(value MATCHES "^(ON|TRUE|YES|1)$")
        set(value ON)
    elseif(value MATCHES "^(OFF|FALSE|NO|0)$")
        set(value OFF)
    elseif(NOT value STREQUAL AUTO)
        message(FATAL_ERROR "${option} is '${${option}}', but must be AUTO, ON or OFF")
    endif()
    set(${option} ${value} PARENT_SCOPE)
endfunction()

# collectives_left_out(PART TARGET REASON): says why there is no TARGET, which is an error where
# COLLECTIVES_WITH_PART is ON.
function(collectives_left_out part target reason)
    if(COLLECTIVES_WITH_${part} STREQUAL OFF)
        set(reason "COLLECTIVES_WITH_${part} is OFF")
    elseif(COLLECTIVES_WITH_${part} STREQUAL ON)
        message(FATAL_ERROR "COLLECTIVES_WITH_${part} is ON, but ${reason}")
    endif()
    if(PROJECT_IS_TOP_LEVEL)
        message(STATUS "the target collectives::${target} is left out: ${reason}")
    endif()
endfunction()

collectives_with(MPI "MPI")
collectives_with(UCX "UCX")
collectives_with(MEET "libsodium")    # with it the ranks of UCX meet
collectives_with(CUDA "the CUDA toolkit")
collectives_with(EXPLORER "what compiles the explorer's page to WebAssembly")
if(COLLECTIVES_WITH_EXPLORER STREQUAL ON AND NOT COLLECTIVES_BUILD_TOOLS)
    message(FATAL_ERROR "COLLECTIVES_WITH_EXPLORER is ON, but COLLECTIVES_BUILD_TOOLS is OFF: the page is one of the tools")
endif()
if(COLLECTIVES_WITH_UCX STREQUAL ON AND COLLECTIVES_WITH_MEET STREQUAL OFF)
    message(FATAL_ERROR "COLLECTIVES_WITH_UCX is ON, but COLLECTIVES_WITH_MEET is OFF: collectives::ucx needs collectives::meet")
endif()
