# SPDX-License-Identifier: BSD-3-Clause
# collectives::kernels: the host's kernels of the named operators on the usual types, compiled once
# for all programs that link it: space/host.hpp tells those that they are compiled elsewhere. A source
# for each type; nothing is built that nobody links.
set(folder ${CMAKE_CURRENT_BINARY_DIR}/kernels)
set(complex sum product average premultiplied_sum<int>)
set(float ${complex} min max logical_and logical_or)
set(integer ${float} bit_and bit_or bit_xor)
set(types_of_complex std::complex<float> std::complex<double>)
set(types_of_float float16 bfloat16 float double)
set(types_of_integer bool std::int8_t std::uint8_t std::int16_t std::uint16_t std::int32_t
    std::uint32_t std::int64_t std::uint64_t)

set(declared)
set(sources)
foreach(kind IN ITEMS complex float integer)
    foreach(type IN LISTS types_of_${kind})
        set(kernels)
        foreach(op IN LISTS ${kind})
            string(APPEND kernels "template reducer::reduce_function run_at<${op}, ${type}>(isa);\n")
        endforeach()
        string(REPLACE "template " "extern template " outside "${kernels}")
        string(APPEND declared "${outside}")
        string(MAKE_C_IDENTIFIER ${type} name)
        file(CONFIGURE OUTPUT ${folder}/${name}.cpp CONTENT
"#include <collectives/space/host.hpp>
#include <complex>
#include <cstdint>
namespace collectives::host::detail {
${kernels}}
")
        list(APPEND sources ${folder}/${name}.cpp)
    endforeach()
endforeach()
file(CONFIGURE OUTPUT ${folder}/declared.hpp CONTENT
"#pragma once
#include <complex>
#include <cstdint>
namespace collectives::host::detail {
${declared}}
")

add_library(collectives_kernels STATIC EXCLUDE_FROM_ALL ${sources})
add_library(collectives::kernels ALIAS collectives_kernels)
target_link_libraries(collectives_kernels PUBLIC collectives::collectives)
target_compile_definitions(collectives_kernels INTERFACE "COLLECTIVES_KERNELS=\"${folder}/declared.hpp\"")
