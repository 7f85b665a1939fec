# SPDX-License-Identifier: BSD-3-Clause
# collectives::compiled: what of the library does not depend on its callers' types, compiled once for
# all programs that link it, with collectives::kernels. They are told by collectives.hpp that it is
# compiled elsewhere. A source for each part; nothing is built that nobody links.
set(folder ${CMAKE_CURRENT_BINARY_DIR}/compiled)

# collectives_compile(TARGET MACRO HEADER PART...): a library of what the variable compiled_PART
# lists for each PART, and the file with which HEADER, where MACRO is its name, declares that.
function(collectives_compile target macro header)
    set(declared)
    set(sources)
    foreach(part IN LISTS ARGN)
        set(inside)
        foreach(one IN LISTS compiled_${part})
            string(APPEND inside "template ${one};\n")
            string(APPEND declared "extern template ${one};\n")
        endforeach()
        file(CONFIGURE OUTPUT ${folder}/${part}.cpp CONTENT
"#include <collectives/${header}>
namespace collectives {
${inside}}
")
        list(APPEND sources ${folder}/${part}.cpp)
    endforeach()
    file(CONFIGURE OUTPUT ${folder}/${target}.hpp CONTENT
"#pragma once
namespace collectives {
${declared}}
")
    add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
    target_compile_definitions(${target} INTERFACE "${macro}=\"${folder}/${target}.hpp\"")
endfunction()

# collectives_list_transport(PART TRANSPORT ENTRY...): the communicator over it, all below, and more.
function(collectives_list_transport part transport)
    set(compiled_${part} ${ARGN})
    foreach(of IN ITEMS communicator pairs movements reductions communicator_base communicator_core
            operation engine run_book direct_run message_run slice_run scratch_pool)
        list(APPEND compiled_${part} "class ${of}<${transport}>")
    endforeach()
    set(compiled_${part} "struct hub<${transport}>" ${compiled_${part}} PARENT_SCOPE)
endfunction()

set(compiled_schedules
    "class basic_program<void>" "class basic_planner<void>" "class basic_selector<void>"
    "proof check<void>(detail::deferred_type<std::span<schedule const>, void>::type)"
    "any_algorithm parse_algorithm<void>(std::string_view)"
    "machine_model parse_model<void>(std::string_view, machine_model)"
    "machine_model model_of_environment<void>()"
    "class shared::basic_inbox<void>" "class shared::basic_request_numbers<void>"
    "class shm::basic_children<void>")
foreach(algorithm IN ITEMS star tree butterfly halving ring circulant one_shot two_shot mixed_radix
        hierarchical leaders)
    list(APPEND compiled_schedules "struct detail::functions_of<${algorithm}>")
endforeach()
collectives_list_transport(threads threads::transport
    "class shared::messages<shared::heap_memory>" "class shared::shared_transport<shared::heap_memory>")
collectives_list_transport(shm shm::transport
    "class shared::messages<shared::mapped_memory>" "class shared::shared_transport<shared::mapped_memory>")

collectives_compile(collectives_compiled COLLECTIVES_COMPILED collectives.hpp schedules threads shm)
add_library(collectives::compiled ALIAS collectives_compiled)
target_link_libraries(collectives_compiled PUBLIC collectives::kernels)
if(TARGET collectives::ucx)    # it reaches no other rank's memory, so it has no direct_run
    collectives_list_transport(ucx ucx::transport "class wire::transport<ucx::link>")
    list(FILTER compiled_ucx EXCLUDE REGEX "direct_run")
    collectives_compile(collectives_compiled_ucx COLLECTIVES_COMPILED_UCX ucx.hpp ucx)
    add_library(collectives::compiled_ucx ALIAS collectives_compiled_ucx)
    target_link_libraries(collectives_compiled_ucx PUBLIC collectives::compiled collectives::ucx)
endif()
