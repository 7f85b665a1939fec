// SPDX-License-Identifier: BSD-3-Clause
// What gradients can travel as; and the part of fusion that depends on the element type, for float,
// so that it is compiled once.
#include "job.hpp"

#include <collectives/collectives.hpp>

namespace collectives {
template void describe_element<float>(fused_element&, named_op const&, compression const&);
}  // namespace collectives

namespace trainer {

collectives::compression wire_format(format f) {
    switch (f) {
        case format::single: break;
        case format::half: return collectives::compress<float, collectives::float16>();
        case format::brain: return collectives::compress<float, collectives::bfloat16>();
    }
    return {};
}

}  // namespace trainer
