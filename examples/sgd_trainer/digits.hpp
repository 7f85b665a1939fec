// SPDX-License-Identifier: BSD-3-Clause
// The handwritten digits of the UCI repository: 1797 images of 8 x 8 pixels.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace trainer {

inline constexpr int pixels_per_image = 64;
inline constexpr int digit_classes = 10;

/// Images and the digit each of them shows.
struct samples {
    std::vector<float> pixels;  ///< 64 of each image, 0 (white) to 1 (black), image after image
    std::vector<int> labels;    ///< 0 to 9

    std::size_t size() const { return labels.size(); }
};

/// Images to learn from, and others to see what was learnt.
struct digits {
    samples train;
    samples test;
};

/// Reads `file` (a line per image: 64 numbers from 0 to 16, then the digit), shuffles the images
/// in an order that is always the same, and sets `training` of them apart to learn from.
/// Throws std::runtime_error with the line if the file is missing or damaged.
digits load_digits(std::filesystem::path const& file, std::size_t training);

}  // namespace trainer
