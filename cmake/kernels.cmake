# SPDX-License-Identifier: BSD-3-Clause
# collectives::kernels: the host's kernels, compiled once for all programs that link it, see
# collectives/space/compiled.hpp. A source for each type; nothing is built that nobody links.
set(sources)
foreach(kind IN ITEMS INTEGER FLOAT COMPLEX)
    set(INTEGER bool std::int8_t std::uint8_t std::int16_t std::uint16_t std::int32_t std::uint32_t
        std::int64_t std::uint64_t)
    set(FLOAT float16 bfloat16 float double)
    set(COMPLEX std::complex<float> std::complex<double>)
    foreach(type IN LISTS ${kind})
        string(MAKE_C_IDENTIFIER ${type} name)
        set(source ${CMAKE_CURRENT_BINARY_DIR}/kernels/${name}.cpp)
        file(CONFIGURE OUTPUT ${source} CONTENT
"#define COLLECTIVES_KERNELS_HERE COLLECTIVES_KERNELS_OF_${kind}(template, ${type})
#include <collectives/space/host.hpp>
")
        list(APPEND sources ${source})
    endforeach()
endforeach()
add_library(collectives_kernels STATIC EXCLUDE_FROM_ALL ${sources})
add_library(collectives::kernels ALIAS collectives_kernels)
target_link_libraries(collectives_kernels PUBLIC collectives::collectives)
target_compile_definitions(collectives_kernels PUBLIC COLLECTIVES_COMPILED_KERNELS)
