// SPDX-License-Identifier: BSD-3-Clause
// The 161 parameter tensors of ResNet-50, as He, Zhang, Ren and Sun describe it (2015).
#pragma once

#include <cstddef>
#include <vector>

namespace bench {

/// Elements of each tensor, from the first layer to the last: 25,557,032 in all.
inline std::vector<std::size_t> resnet50() {
    std::vector<std::size_t> all;
    auto const convolution = [&](std::size_t in, std::size_t out, std::size_t width) {
        all.push_back(in * out * width * width);
        all.push_back(out);  // of the normalisation after it: scale
        all.push_back(out);  // and shift
    };
    convolution(3, 64, 7);
    std::size_t in = 64;
    constexpr std::size_t blocks[]{3, 4, 6, 3};
    for (std::size_t stage = 0; stage < 4; ++stage) {
        auto const width = std::size_t{64} << stage;
        for (std::size_t b = 0; b < blocks[stage]; ++b) {
            convolution(in, width, 1);
            convolution(width, width, 3);
            convolution(width, 4 * width, 1);
            if (b == 0) { convolution(in, 4 * width, 1); }
            in = 4 * width;
        }
    }
    all.push_back(2048 * 1000);
    all.push_back(1000);
    return all;
}

}  // namespace bench
