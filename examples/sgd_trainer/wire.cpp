// SPDX-License-Identifier: BSD-3-Clause
#include "wire.hpp"

#include <collectives/collectives.hpp>

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
